//! Downloading a data set: fetched, prepared, checked, and only then put in place.

use super::{Catalog, CatalogError, DataSet, check, fetch, named, unzip};
use partita_run::words;
use std::fs;
use std::path::{Path, PathBuf};

impl Catalog {
    /// Downloads a data set into the data directory and returns the path of its file.
    ///
    /// `from` is the raw file, if it should not come from its own addresses: a path, or the address
    /// of a mirror; it may be zipped or already prepared. A correct file that is already present is
    /// kept. `say` receives messages about what happens.
    ///
    /// # Errors
    ///
    /// One sentence that says what to do; nothing half-written or wrong is left behind, and an
    /// existing file is kept.
    pub fn download(
        &self,
        name: &str,
        from: Option<&str>,
        say: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, CatalogError> {
        self.bring(named(name)?, from, say)
    }

    fn bring(
        &self,
        set: &'static DataSet,
        from: Option<&str>,
        say: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, CatalogError> {
        if let Ok(path) = self.look(set) {
            say(&format!("{}: already at {}, and right", set.name, path.display()));
            return Ok(path);
        }
        match from {
            Some(file) if !fetch::is_address(file) => {
                let content = fs::read(file).map_err(|error| {
                    let (file, reason) = (file.to_string(), words::plain(&error));
                    CatalogError::Unreadable { file, reason }
                })?;
                self.adopt(set, &content)?.map_err(|reason| {
                    let (name, raw, origin, file) = (set.name, set.raw, set.source, file.to_string());
                    CatalogError::NotIt { name, file, reason, raw, origin }
                })?;
            }
            Some(address) => self.adopt_first(set, &[address], say)?,
            None => self.adopt_first(set, set.addresses, say)?,
        }
        let path = self.path(set);
        say(&format!("{}: {} x {}, checked, at {}", set.name, set.items, set.columns, path.display()));
        Ok(path)
    }

    /// The first address that gives the data set.
    fn adopt_first(
        &self,
        set: &'static DataSet,
        addresses: &[&str],
        say: &mut dyn FnMut(&str),
    ) -> Result<(), CatalogError> {
        let mut tried = Vec::new();
        for address in addresses {
            say(&format!("{}: fetching {address}", set.name));
            let result = match fetch::fetch(address, fetch::QUIET) {
                Ok(content) => self.adopt(set, &content)?,
                Err(reason) => Err(reason),
            };
            match result {
                Ok(()) => return Ok(()),
                Err(reason) => tried.push(format!("{} ({reason})", host(address))),
            }
        }
        // The same host fails twice for the same reason.
        tried.dedup();
        let (name, path, call) = (set.name, self.path(set), self.call(set));
        Err(CatalogError::Unreachable { name, tried, address: set.addresses[0], path, call })
    }

    /// Puts a raw file, zipped or not, or one that is prepared already, in its place. What is wrong
    /// with the file is the inner error; what is wrong with the directory the outer one.
    fn adopt(&self, set: &DataSet, content: &[u8]) -> Result<Result<(), String>, CatalogError> {
        let unzipped;
        let content = if content.starts_with(unzip::MAGIC) {
            match unzip::member(content, set.raw) {
                Ok(member) => unzipped = member,
                Err(reason) => return Ok(Err(reason)),
            }
            &unzipped
        } else {
            content
        };
        let part = Part::new(&self.directory, set)?;
        part.write(content)?;
        let mut checked = check(set, &part.path);
        if let (Err(_), Some(recipe)) = (&checked, &set.recipe) {
            checked = match recipe.apply(content, set.items) {
                Ok(prepared) => {
                    part.write(prepared.as_bytes())?;
                    check(set, &part.path)
                }
                Err(reason) => Err(reason),
            };
        }
        if checked.is_ok() {
            part.put(&self.path(set))?;
        }
        Ok(checked)
    }
}

/// A file under another name until it is right; else removed.
struct Part {
    path: PathBuf,
    /// Directories made for it, the outermost first: removed as well, if nothing came into them.
    made: Vec<PathBuf>,
}

impl Part {
    fn new(directory: &Path, set: &DataSet) -> Result<Part, CatalogError> {
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let mut made: Vec<PathBuf> =
            directory.ancestors().take_while(missing).map(Path::to_path_buf).collect();
        made.reverse();
        let path = directory.join(format!("{}.part-{}", set.file(), std::process::id()));
        let part = Part { path, made };
        fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
        Ok(part)
    }

    fn write(&self, content: &[u8]) -> Result<(), CatalogError> {
        let write = || {
            let mut file = fs::File::create(&self.path)?;
            std::io::Write::write_all(&mut file, content)?;
            file.sync_all()
        };
        write().map_err(|error| unwritable(&self.path, &error))
    }

    fn put(&self, path: &Path) -> Result<(), CatalogError> {
        fs::rename(&self.path, path).map_err(|error| unwritable(path, &error))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        // Only empty directories can be removed.
        for directory in self.made.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}

/// The host of an address.
fn host(address: &str) -> &str {
    address.split('/').nth(2).unwrap_or(address)
}

fn unwritable(path: &Path, error: &std::io::Error) -> CatalogError {
    CatalogError::Unwritable { path: path.to_path_buf(), reason: words::plain(error) }
}

#[cfg(test)]
mod tests;

//! Where data sets lie when nobody says: the user's cache.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the data directory.
pub(super) const VARIABLE: &str = "PARTITA_DATA";

/// The data directory of this user on this machine.
pub(super) fn usual() -> PathBuf {
    directory(std::env::consts::OS, |name| std::env::var_os(name))
}

/// The data directory by the customs of an operating system, from its environment.
fn directory(system: &str, variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = |below: &str| path("HOME").map(|home| home.join(below));
    let cache = match system {
        "windows" => path("LOCALAPPDATA"),
        "macos" => home("Library/Caches"),
        // A relative path there is to be ignored (XDG Base Directory Specification).
        _ => path("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| home(".cache")),
    };
    path(VARIABLE)
        .or_else(|| cache.map(|cache| cache.join("partita")))
        // Nobody's home: beside the user.
        .unwrap_or_else(|| Path::new("partita-data").to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_custom() {
        let within = |system: &str, variables: &[(&str, &str)]| {
            let found = directory(system, |name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            });
            found.to_str().unwrap().replace('\\', "/")
        };
        let home = ("HOME", "/home/ada");
        assert_eq!(within("linux", &[home]), "/home/ada/.cache/partita");
        assert_eq!(within("linux", &[home, ("XDG_CACHE_HOME", "/big/cache")]), "/big/cache/partita");
        assert_eq!(within("linux", &[home, ("XDG_CACHE_HOME", "cache")]), "/home/ada/.cache/partita");
        assert_eq!(within("linux", &[home, ("XDG_CACHE_HOME", "")]), "/home/ada/.cache/partita");
        assert_eq!(within("macos", &[home]), "/home/ada/Library/Caches/partita");
        assert_eq!(within("windows", &[("LOCALAPPDATA", "C:/Ada/Local")]), "C:/Ada/Local/partita");
        assert_eq!(within("linux", &[home, (VARIABLE, "sets")]), "sets");
        assert_eq!(within("linux", &[]), "partita-data");
    }
}

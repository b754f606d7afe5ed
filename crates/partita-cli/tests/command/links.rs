//! Every link of the documents leads somewhere, and the book has every page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of the book beside its own.
const FOLDERS: [&str; 2] = ["decisions", "notebooks"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages of a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|e| e == "md"));
    pages.sort();
    pages
}

/// The text of a page without its code, which has no links.
fn prose(page: &Path) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in fs::read_to_string(page).unwrap().lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            out += line;
            out.push('\n');
        }
    }
    // Of `a`b`c` the parts at even places are prose; the code of a heading belongs to its anchor, which is taken elsewhere.
    out.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Where the links of a page lead, as they are written.
fn links(page: &Path) -> Vec<String> {
    let prose = prose(page);
    let after = prose.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.to_string()).collect()
}

/// The anchors of a page: its headings in small letters, spaces as dashes, punctuation left out.
fn anchors(page: &Path) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let mut fenced = false;
    let mut out = Vec::new();
    for line in fs::read_to_string(page).unwrap().lines() {
        fenced ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().chars().filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_lowercase().to_string()),
            c if c.is_whitespace() => Some("-".into()),
            _ => None,
        });
        let anchor: String = kept.collect();
        let times = seen.entry(anchor.clone()).or_insert(0);
        out.push(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
        *times += 1;
    }
    out
}

#[test]
fn every_link_leads_somewhere() {
    let root = root();
    let docs = root.join("docs");
    let mut all = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root.join(name)).to_vec();
    all.extend(pages(&docs));
    all.extend(FOLDERS.iter().flat_map(|folder| pages(&docs.join(folder))));
    let (mut wrong, mut followed) = (Vec::new(), 0);
    for page in &all {
        for link in links(page) {
            if ["http://", "https://", "mailto:"].iter().any(|far| link.starts_with(far)) {
                continue;
            }
            followed += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let why = match target.canonicalize() {
                Err(_) => "no such file",
                Ok(target) if page.starts_with(&docs) && !target.starts_with(&docs) => "not in the book",
                Ok(target) if !anchor.is_empty() && !anchors(&target).iter().any(|a| a == anchor) => {
                    "no such heading"
                }
                Ok(_) => continue,
            };
            wrong.push(format!("{}: {link}: {why}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(followed >= 100, "{followed} links were found");
}

#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let listed = links(&docs.join("SUMMARY.md"));
    let folders = FOLDERS.iter().flat_map(|folder| pages(&docs.join(folder)));
    for page in pages(&docs).into_iter().chain(folders) {
        let name = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        assert!(
            name == "SUMMARY.md" || listed.iter().any(|link| link == name),
            "{name} is not in SUMMARY.md"
        );
    }
}

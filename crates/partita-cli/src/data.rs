//! `partita data`: the data sets of the paper, where they come from, and bringing them here.
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets in help texts are defaults, not links")]

use crate::flags::in_flags;
use crate::screen;
use clap::Args;
use partita_run::Failure;
use partita_study::catalog::{Catalog, Entry};
use std::path::PathBuf;

/// Options of data.
#[derive(Debug, Args)]
pub struct DataOptions {
    /// Data sets: gene, seed, abalone [default: all]
    names: Vec<String>,
    /// Download what is missing, prepare it and verify it
    #[arg(long)]
    download: bool,
    /// Take the raw file of one data set from this path or address
    #[arg(long, value_name = "FILE", requires = "download")]
    from: Option<String>,
    /// Data directory [default: $PARTITA_DATA, or the user cache]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print the results as one JSON object, and nothing else, on standard output
    #[arg(long)]
    json: bool,
}

/// Lists, describes or downloads.
pub fn run(options: DataOptions) -> Result<(), Failure> {
    let catalog = Catalog::at(options.data_dir);
    // A wrong name is found out before anything is fetched.
    let described = |names: &[String]| match names {
        [] => Ok(catalog.entries()),
        names => names.iter().map(|name| catalog.entry(name)).collect(),
    };
    let mut entries: Vec<Entry> = described(&options.names)?;
    if options.download {
        if options.from.is_some() && options.names.len() != 1 {
            let sentence = "--from gives the file of one data set: name the set, as in `partita data --download seed \
                            --from seeds_dataset.txt`";
            return Err(Failure::BadInput(sentence.into()));
        }
        download(&catalog, &entries, options.from.as_deref())?;
        entries = described(&options.names)?;
    }
    for problem in entries.iter_mut().filter_map(|entry| entry.problem.as_mut()) {
        *problem = in_flags(problem);
    }
    screen::print(&if options.json {
        let sets = serde_json::to_value(&entries).expect("entries are JSON");
        serde_json::json!({"directory": catalog.directory(), "sets": sets}).to_string() + "\n"
    } else if options.names.is_empty() || options.download {
        table(&catalog, &entries)
    } else {
        entries.iter().map(details).collect::<Vec<_>>().join("\n")
    })
}

/// Brings every data set that can be had; the last failure is the command's.
fn download(catalog: &Catalog, entries: &[Entry], from: Option<&str>) -> Result<(), Failure> {
    let mut failed: Option<Failure> = None;
    for entry in entries {
        if let Err(error) = catalog.download(entry.set.name, from, &mut screen::say)
            && let Some(earlier) = failed.replace(error.into())
        {
            screen::say(&format!("partita: {earlier}"));
        }
    }
    failed.map_or(Ok(()), Err)
}

/// One line per data set, within 80 columns.
fn table(catalog: &Catalog, entries: &[Entry]) -> String {
    let header = ["name", "size", "licence", "here", "from"].map(String::from);
    let rows: Vec<[String; 5]> = entries
        .iter()
        .map(|entry| {
            let set = entry.set;
            let size = format!("{} x {}", set.items, set.columns);
            [set.name, &size, set.licence, state(entry), set.source].map(String::from)
        })
        .collect();
    let width = |c: usize| rows.iter().chain([&header]).map(|row| row[c].len()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let line = |row: &[String; 5]| {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_string() + "\n"
    };
    let mut text = line(&header);
    text += &("─".repeat(widths.iter().sum::<usize>() + 8) + "\n");
    rows.iter().for_each(|row| text += &line(row));
    text += &format!("\ndata directory: {}\n", catalog.directory().display());
    for entry in entries {
        if let Some(problem) = &entry.problem {
            text += &screen::wrap(problem);
        }
    }
    if entries.iter().any(|entry| !entry.present) {
        text += "`partita data --download` downloads what is missing\n";
    }
    text
}

fn state(entry: &Entry) -> &'static str {
    match (entry.present, &entry.problem) {
        (true, _) => "yes",
        (false, Some(_)) => "damaged",
        (false, None) => "no",
    }
}

/// Everything about one data set.
fn details(entry: &Entry) -> String {
    let set = entry.set;
    let size = format!("{} items, {} columns", set.items, set.columns);
    let here = entry.problem.as_deref().unwrap_or(if entry.present { "yes, verified" } else { "no" });
    let source = format!("https://{}", set.source);
    let path = entry.path.display().to_string();
    let licence = format!("{}: {}", set.licence, set.terms);
    let mut text = String::new();
    let mut field = |name: &str, value: &str| text += &paragraph(name, value);
    field(set.name, set.title);
    field("size", &size);
    field("from", &source);
    set.addresses.iter().for_each(|address| field("", address));
    field("cite", set.citation);
    field("licence", &licence);
    field("preparation", set.preparation);
    field("checksum", set.checksum);
    field("path", &path);
    field("here", here);
    text
}

/// A name and words beside it, within 80 columns unless a word is too long.
fn paragraph(name: &str, words: &str) -> String {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= 67 {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(lines).map(|(name, line)| format!("{name:<12} {line}\n")).collect()
}

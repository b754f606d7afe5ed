//! The catalogue against the files of the authors, where they are, and against made-up ones.

use super::*;
use std::fs;

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("partita-catalog-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn what_is_wrong_is_said_with_the_way_out() {
    let directory = scratch("wrong");
    let catalog = Catalog::at(Some(directory.clone()));
    let about = |name: &str| {
        let sentence = catalog.find(name).unwrap_err().to_string();
        sentence.replace(directory.to_str().unwrap(), "D")
    };
    assert_eq!(
        about("gene"),
        "the data set gene is not there: get it with `partita data --download gene --data-dir D`, copy it \
         to D/gene.csv, or name the directory that has it with --data-dir"
    );
    assert_eq!(about("genes"), "there is no data set \"genes\": is gene meant?");
    assert_eq!(about("iris"), "there is no data set \"iris\": the names are gene, seed, abalone");
    let wrong = |content: &str| {
        fs::write(directory.join("seed.csv"), content).unwrap();
        let sentence = about("seed");
        let end = "): move it away and get it again with `partita data --download seed --data-dir D`, or \
                   name another directory with --data-dir";
        let reason = sentence.strip_prefix("D/seed.csv is not the data set seed (").unwrap();
        reason.strip_suffix(end).unwrap_or_else(|| panic!("{sentence}")).to_string()
    };
    assert_eq!(wrong("a,b\n1,2\n3,4\n"), "2 x 2 numbers where 210 x 7 belong");
    assert_eq!(wrong(""), "is empty");
    assert_eq!(wrong("a,b\n1,2\n3,x\n"), "line 3, column \"b\": \"x\" is not a number");
    let numbers = wrong(&"1,2,3,4,5,6,7\n".repeat(210));
    assert!(numbers.starts_with("checksum ") && numbers.contains(short(SETS[1].checksum)), "{numbers}");
    let entry = catalog.entry("seed").unwrap();
    assert!(!entry.present && entry.problem.is_some());
    assert!(catalog.entry("gene").unwrap().problem.is_none());
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn without_a_directory_the_way_out_is_short() {
    let catalog = Catalog { directory: "nowhere".into(), named: false };
    let sentence = catalog.find("gene").unwrap_err().to_string();
    assert!(sentence.contains("`partita data --download gene`"), "{sentence}");
}

#[test]
fn every_set_is_described() {
    for entry in Catalog::at(Some("nowhere".into())).entries() {
        let set = entry.set;
        assert_eq!(set.checksum.len(), 64, "{}", set.name);
        assert!(set.addresses.iter().all(|address| fetch::is_address(address)));
        if let Some(recipe) = &set.recipe {
            assert_eq!(recipe.names.len(), set.columns);
        }
    }
}

/// What a person does to a file without changing its numbers leaves it right. The authors' own files
/// are not part of this repository; where they are not beside it there is nothing to test.
#[test]
fn the_authors_files_pass_however_they_are_written() {
    let authors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !authors.exists() {
        return;
    }
    let directory = scratch("authors");
    let catalog = Catalog::at(Some(directory.clone()));
    for set in &SETS {
        let text = fs::read_to_string(authors.join(set.file())).unwrap();
        let rows = || text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
        let numbers = |write: &dyn Fn(f64) -> String| -> Vec<String> {
            let cells = |row: Vec<String>| row.iter().map(|c| write(c.parse().unwrap())).collect::<Vec<_>>();
            rows().skip(1).map(|row| cells(row).join(",")).collect()
        };
        let header = text.lines().next().unwrap();
        let again = |lines: Vec<String>| format!("{header}\n{}\n", lines.join("\n"));
        let forms = [
            text.clone(),
            text.replace('\n', "\r\n"),
            text.replace(',', ";"),
            text.lines().skip(1).collect::<Vec<_>>().join("\n"),
            text.lines().enumerate().fold(String::new(), |all, (i, line)| match i {
                0 => format!(",{line}\n"),
                i => format!("{all}{},{line}\n", i - 1),
            }),
            again(numbers(&|x| format!("{x:.17e}"))),
            again(numbers(&|x| format!("{x:.9}"))),
            again(numbers(&|x| format!("{:?}", x * (1.0 + 4.0 * f64::EPSILON)))),
        ];
        for (i, form) in forms.iter().enumerate() {
            fs::write(directory.join(set.file()), form).unwrap();
            let found = catalog.find(set.name);
            assert!(found.is_ok(), "{}, form {i}: {}", set.name, found.unwrap_err());
        }
        let last = text.trim_end().rsplit(',').next().unwrap();
        let other = format!("{:?}", last.parse::<f64>().unwrap() + 2e-6);
        fs::write(directory.join(set.file()), text.replace(last, &other)).unwrap();
        assert!(catalog.find(set.name).is_err(), "{}: another number is noticed", set.name);
    }
    fs::remove_dir_all(directory).unwrap();
}

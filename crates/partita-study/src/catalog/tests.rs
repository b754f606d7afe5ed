//! The catalogue against made-up files.

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
        "the data set gene is missing: get it with `data(download = gene, data_dir = D)`, copy it \
         to D/gene.csv, or name the directory that holds it with `data_dir`"
    );
    assert_eq!(about("genes"), "there is no data set \"genes\": did you mean gene?");
    assert_eq!(about("iris"), "there is no data set \"iris\": the names are gene, seed, abalone");
    let wrong = |content: &str| {
        fs::write(directory.join("seed.csv"), content).unwrap();
        let sentence = about("seed");
        let end = "): remove it and get it again with `data(download = seed, data_dir = D)`, or \
                   name another directory with `data_dir`";
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
    assert!(sentence.contains("`data(download = gene)`"), "{sentence}");
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

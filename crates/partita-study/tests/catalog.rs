//! The catalogue against the files of the authors, where they are.

use partita_study::catalog::{Catalog, SETS};
use std::fs;

/// What a person does to a file without changing its numbers leaves it right.
#[test]
fn the_authors_files_pass_however_they_are_written() {
    let Some(authors) = partita_testing::paper_data_dir() else { return };
    let directory = std::env::temp_dir().join(format!("partita-catalog-authors-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
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

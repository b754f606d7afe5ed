//! Whatever bytes come in, reading ends in a table or in a sentence; what was written comes back.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::npy::{dictionary, npy};
use super::*;

fn config(cases: u32, seed: u64) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Valid files of each kind, to be damaged.
fn valid() -> Vec<Vec<u8>> {
    let text = "who,a,b,\"c d\",kind\nann,1,2.5,-3e-7,x\nbob,4,NA,6,y\r\n\ncy,7,8,9,\"x\"\n";
    let numbers: Vec<u8> = (0..12).flat_map(|number| f64::from(number).to_le_bytes()).collect();
    let rows = npy(1, &dictionary("<f8", "False", "(4, 3)"), &numbers);
    let columns = npy(2, &dictionary(">f8", "True", "(4, 3)"), &numbers);
    let mut files = vec![
        text.as_bytes().to_vec(),
        text.replace(',', "\t").into_bytes(),
        b"a b\nr1 1 2\nr2 3 4\n".to_vec(),
        b"1;2;3\n4;5;6\n7;8;9\n".to_vec(),
        rows,
        columns,
    ];
    let zipped: Vec<_> = files.iter().map(gzip).collect();
    files.extend(zipped);
    files
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let name = || prop::sample::select(vec!["who", "a", "b", "1", "2", "x1", "kind", "zz"]);
    let name = move || name().prop_map(str::to_owned);
    let delimiters = prop::sample::select(b",;\t |\"\n\r\0a1".to_vec());
    (
        prop::option::weighted(0.3, delimiters),
        prop::option::weighted(0.3, any::<bool>()),
        prop::option::weighted(0.2, prop::collection::vec(name(), 0..4)),
        prop::collection::vec(name(), 0..2),
        prop::option::weighted(0.3, name()),
        prop::option::weighted(0.3, name()),
        prop::sample::select(vec![Missing::Refuse, Missing::Keep]),
    )
        .prop_map(|(delimiter, header, columns, drop, id_column, label_column, missing)| ReadOptions {
            delimiter,
            header,
            columns,
            drop,
            id_column,
            label_column,
            missing,
            ..ReadOptions::default()
        })
}

/// Reads bytes under any name; whatever comes of it must hold together.
fn check(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<(), TestCaseError> {
    match Fixture::new(name, bytes).read(options) {
        Ok(mut table) => {
            prop_assert!(table.rows >= 2 && table.columns >= 1);
            prop_assert_eq!(table.values.len(), table.rows * table.columns);
            prop_assert_eq!(table.names.len(), table.columns);
            prop_assert!(table.ids.as_ref().is_none_or(|ids| ids.len() == table.rows));
            if let Some(labels) = &table.labels {
                prop_assert_eq!(labels.index.len(), table.rows);
                prop_assert!(labels.index.iter().flatten().all(|&at| (at as usize) < labels.names.len()));
                prop_assert!(labels.index.iter().flatten().count() >= 2);
            }
            let kept = options.missing == Missing::Keep;
            let good = |value: &f64| value.is_finite() || (kept && value.is_nan());
            prop_assert!(table.values.iter().all(good));
            if table.standardize().is_ok() {
                prop_assert!(table.values.iter().all(good));
            }
        }
        Err(error) => {
            let sentence = error.to_string();
            prop_assert!(sentence.contains(name), "{}", sentence);
            prop_assert!(sentence.len() < 2000 && !sentence.contains('\n'), "{}", sentence);
        }
    }
    Ok(())
}

const NAMES: [&str; 4] = ["data.csv", "data", "data.npy", "data.csv.gz"];

proptest! {
    #![proptest_config(config(1000, 1))]

    #[test]
    fn any_bytes_end_in_a_table_or_a_sentence(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        name in prop::sample::select(NAMES.to_vec()),
        options in options(),
    ) {
        check(&bytes, name, &options)?;
    }

    #[test]
    fn any_text_ends_in_a_table_or_a_sentence(
        text in "[a1\\-.,;\t \"\n\r]{0,80}",
        options in options(),
    ) {
        check(text.as_bytes(), "data.csv", &options)?;
    }

    #[test]
    fn damaged_files_end_in_a_table_or_a_sentence(
        bytes in prop::sample::select(valid()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
        options in options(),
    ) {
        let mut bytes = bytes;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check(&bytes, "data", &options)?;
    }

    #[test]
    fn any_shape_ends_in_a_table_or_a_sentence(
        rows in any::<u64>(),
        columns in any::<u64>(),
        shift in (0u32..64, 0u32..64),
        kind in prop::sample::select(vec!["<f8", "|u1"]),
        order in prop::sample::select(vec!["True", "False"]),
        zip in any::<bool>(),
    ) {
        let shape = format!("({}, {})", rows >> shift.0, columns >> shift.1);
        let bytes = npy(1, &dictionary(kind, order, &shape), &[7; 48]);
        let bytes = if zip { gzip(bytes) } else { bytes };
        check(&bytes, "data", &ReadOptions::default())?;
    }
}

proptest! {
    #![proptest_config(config(300, 2))]

    #[test]
    fn finite_numbers_come_back_to_the_bit(
        values in prop::collection::vec(prop::num::f64::ANY, 6..60),
        delimiter in prop::sample::select(vec![",", "\t", ";", " ", "|"]),
        scientific in any::<bool>(),
    ) {
        let values: Vec<f64> =
            values.into_iter().map(|value| if value.is_finite() { value } else { -0.0 }).collect();
        let rows: Vec<&[f64]> = values.chunks_exact(3).collect();
        let spell = |value: &f64| if scientific { format!("{value:e}") } else { value.to_string() };
        let text: String = rows
            .iter()
            .map(|row| row.iter().map(spell).collect::<Vec<_>>().join(delimiter) + "\n")
            .collect();
        let table = read(text);
        prop_assert_eq!(table.columns, 3);
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&table.values), bits(&rows.concat()));

        let content: Vec<u8> = rows.concat().iter().flat_map(|value| value.to_le_bytes()).collect();
        let shape = format!("({}, 3)", rows.len());
        let binary = read(npy(1, &dictionary("<f8", "False", &shape), &content));
        prop_assert_eq!(bits(&binary.values), bits(&table.values));
        prop_assert_eq!(binary.fingerprint, table.fingerprint);
    }
}

//! Tables of columns of any kinds, with gaps.

use crate::emulated::Emulated;
use crate::{Case, assert_same, settings, table};
use std::fmt::Write;
use std::path::PathBuf;

const DIAGONAL: &str = "covariance = \"diagonal\"\nsampler = \"gibbs\"\n";

/// Numbers, counts and words of three groups, some of them missing.
pub fn mixed(rows: usize, scale: usize) -> PathBuf {
    let mut text = String::from("x,y,n,m,word,yes\n");
    for row in 0..rows {
        let (group, other) = (row * 7 % 3, row * 31 % 17);
        let gap =
            |of: usize, cell: String| if (row * 5 + of).is_multiple_of(11) { String::new() } else { cell };
        let cells = [
            gap(0, format!("{:.3}", 1.5 * group as f64 + 0.07 * other as f64)),
            gap(1, format!("{:.3}", 0.31 * (row * 13 % 7) as f64 - group as f64)),
            gap(2, (scale * (3 * group + other % 4)).to_string()),
            gap(3, (other % 5).to_string()),
            gap(4, ["red", "green", "blue", "grey"][(group + usize::from(other > 13)) % 4].into()),
            gap(5, ["no", "yes"][(group + other) % 2].into()),
        ];
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mixed-{rows}-{scale}.csv"));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn unknown_variances_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    for (rows, columns, times, options) in [
        (50, 1, (1, 5, 40), "start = \"one\""),
        (60, 3, (2, 5, 30), "start = \"prior\"\nmetric = \"vi\"\nsummary = [\"entropy\", \"top:3\"]"),
        (80, 6, (1, 10, 60), "alpha = \"gamma:2,3\"\nnugget = 0.02\nsummary = [\"co:0,3\"]"),
        (60, 9, (3, 5, 20), "prior = \"finite\"\nstart = \"kmeans:5\""),
    ] {
        let options = format!("{DIAGONAL}{options}");
        let data = table("diagonal", rows, columns);
        let tally =
            assert_same(&card, &Case { data, options: &options, settings: settings(times, 10_000, 3) }, 40);
        assert!(tally.on_card >= 36, "{options}: {tally:?}");
    }
}

#[test]
fn counts_words_and_gaps_have_them_too() {
    let Some(card) = Emulated::new() else { return };
    for (kinds, options) in [
        (&["n=count", "m=count", "word=category", "yes=category"][..], ""),
        (&["n=count", "m=count"], "columns = [\"n\", \"m\"]\nstart = \"prior\"\n"),
        (&["word=category", "yes=category"], "columns = [\"word\", \"yes\"]\nalpha = 4.0\n"),
        (&["word=category"], "columns = [\"x\", \"word\"]\nmetric = \"vi\"\n"),
        (&["x=normal"], "columns = [\"x\", \"y\"]\nalpha = 6.0\nstart = \"prior\"\n"),
    ] {
        let options = format!("{DIAGONAL}{options}column_type = {kinds:?}");
        let case = Case { data: mixed(70, 1), options: &options, settings: settings((1, 5, 30), 10_000, 3) };
        let tally = assert_same(&card, &case, 30);
        assert!(tally.on_card >= 25, "{options}: {tally:?}");
    }
}

//! Moves of two clusters beside Gibbs sweeps.

use crate::columns::mixed;
use crate::emulated::Emulated;
use crate::{Case, assert_same, settings, table};

/// Runs 40 replicates a case with the moves of `options`, on a table of so many rows and columns; the card has to finish
/// most of them itself.
fn assert_moves(card: &Emulated, cases: &[(usize, usize, String, &str)]) {
    for (rows, columns, model, options) in cases {
        let options = format!("{model}\n{options}");
        let data = table("moves", *rows, *columns);
        let case = Case { data, options: &options, settings: settings((1, 5, 25), 400, 3) };
        let tally = assert_same(card, &case, 40);
        assert!(tally.on_card >= 30, "{options}: {tally:?}");
    }
}

/// The same for 30 replicates of a table with columns of every kind and gaps.
fn assert_mixed(card: &Emulated, sampler: &str) {
    let options = format!("covariance = \"diagonal\"\nsampler = \"{sampler}\"");
    let case = Case { data: mixed(70, 1), options: &options, settings: settings((1, 5, 30), 10_000, 3) };
    assert!(assert_same(card, &case, 30).on_card >= 25);
}

fn known(noise: f64) -> String {
    format!("covariance = \"known\"\nnoise_sd = {noise}")
}

fn unknown(covariance: &str) -> String {
    format!("covariance = \"{covariance}\"")
}

#[test]
fn merge_split_moves_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    // From coordinates, from inner products, by columns; few clusters and many.
    assert_moves(
        &card,
        &[
            (40, 1, known(0.5), "sampler = \"sams*5+gibbs\""),
            (60, 7, known(0.9), "sampler = \"sams*5+gibbs\"\nstart = \"prior\""),
            (60, 7, known(0.3), "sampler = \"sams-near*3+gibbs\"\nalpha = 5.0\nstart = \"one\""),
            (60, 7, known(0.9), "sampler = \"gibbs+sams*2+gibbs\"\nmetric = \"vi\"\nnugget = 0.03"),
            (60, 4, unknown("diagonal"), "sampler = \"sams*5+gibbs\""),
            (60, 4, unknown("diagonal"), "sampler = \"sams-near*4+gibbs*2\"\nstart = \"prior\"\nalpha = 3.0"),
            (50, 2, unknown("diagonal"), "sampler = \"gibbs+sams*10\"\nstart = \"one\""),
        ],
    );
    assert_mixed(&card, "sams*5+gibbs");
}

#[test]
fn even_moves_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    // Among them all that a pilot tries.
    assert_moves(
        &card,
        &[
            (40, 1, known(0.5), "sampler = \"sams-even+gibbs\"\nmetric = \"vi\"\nnugget = 0.03"),
            (60, 7, known(0.9), "sampler = \"sams-even*5+gibbs\"\nstart = \"prior\""),
            (
                60,
                7,
                known(0.3),
                "sampler = \"sams-even*2+shuffle-near*3+gibbs\"\nalpha = 5.0\nstart = \"one\"",
            ),
            (60, 4, unknown("diagonal"), "sampler = \"sams-even*5+gibbs\"\nstart = \"prior\"\nalpha = 3.0"),
            (60, 4, unknown("diagonal"), "sampler = \"sams-even*2+shuffle-near*3+gibbs\""),
            (60, 4, unknown("diagonal"), "sampler = \"sams+shuffle*3+gibbs\""),
            (50, 2, unknown("diagonal"), "sampler = \"gibbs+sams-even*10\"\nstart = \"one\""),
            (40, 3, unknown("full"), "sampler = \"sams-even*3+gibbs\""),
        ],
    );
    assert_mixed(&card, "sams-even*5+gibbs");
}

#[test]
fn shuffles_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    assert_moves(
        &card,
        &[
            (40, 1, known(0.5), "sampler = \"shuffle*3+gibbs\""),
            (
                60,
                7,
                known(0.7),
                "sampler = \"sams*2+shuffle-near*3+gibbs\"\nstart = \"prior\"\nmetric = \"vi\"",
            ),
            (60, 7, known(0.3), "sampler = \"shuffle*2+gibbs\"\nalpha = 5.0\nstart = \"one\""),
            (60, 4, unknown("diagonal"), "sampler = \"shuffle*2+sams-near*2+shuffle-near+gibbs\""),
            (60, 4, unknown("diagonal"), "sampler = \"shuffle*5+gibbs\"\nstart = \"prior\"\nalpha = 3.0"),
        ],
    );
}

#[test]
fn split_merge_moves_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let independent = "sampler = \"split-merge-independent+shuffle+gibbs\"\nstart = \"prior\"\nalpha = 3.0";
    assert_moves(
        &card,
        &[
            (40, 1, known(0.5), "sampler = \"split-merge*3+gibbs\""),
            (40, 7, known(0.9), "sampler = \"split-merge*2+gibbs\"\nstart = \"prior\"\nmetric = \"vi\""),
            (
                40,
                7,
                known(0.3),
                "sampler = \"split-merge-independent*2+gibbs\"\nalpha = 5.0\nstart = \"one\"",
            ),
            (40, 4, unknown("diagonal"), "sampler = \"split-merge*3+gibbs\""),
            (40, 4, unknown("diagonal"), independent),
        ],
    );
}

//! Merge-split moves beside Gibbs sweeps.

use crate::columns::mixed;
use crate::emulated::Emulated;
use crate::{Case, assert_same, settings, table};

#[test]
fn merge_split_moves_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    // From coordinates, from inner products, by columns; few clusters and many.
    let known = |noise: f64| format!("covariance = \"known\"\nnoise_sd = {noise}\n");
    let diagonal = || "covariance = \"diagonal\"\n".to_string();
    for (rows, columns, model, options) in [
        (40, 1, known(0.5), "sampler = \"sams*5+gibbs\""),
        (60, 7, known(0.9), "sampler = \"sams*5+gibbs\"\nstart = \"prior\""),
        (60, 7, known(0.3), "sampler = \"sams-near*3+gibbs\"\nalpha = 5.0\nstart = \"one\""),
        (60, 7, known(0.9), "sampler = \"gibbs+sams*2+gibbs\"\nmetric = \"vi\"\nnugget = 0.03"),
        (60, 4, diagonal(), "sampler = \"sams*5+gibbs\""),
        (60, 4, diagonal(), "sampler = \"sams-near*4+gibbs*2\"\nstart = \"prior\"\nalpha = 3.0"),
        (50, 2, diagonal(), "sampler = \"gibbs+sams*10\"\nstart = \"one\""),
    ] {
        let options = format!("{model}{options}");
        let data = table("moves", rows, columns);
        let tally =
            assert_same(&card, &Case { data, options: &options, settings: settings((1, 5, 25), 400, 3) }, 40);
        assert!(tally.on_card >= 30, "{options}: {tally:?}");
    }
    let options = "covariance = \"diagonal\"\nsampler = \"sams*5+gibbs\"";
    let case = Case { data: mixed(70, 1), options, settings: settings((1, 5, 30), 10_000, 3) };
    assert!(assert_same(&card, &case, 30).on_card >= 25);
}

#[test]
fn even_moves_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let known = |noise: f64| format!("covariance = \"known\"\nnoise_sd = {noise}\n");
    let diagonal = || "covariance = \"diagonal\"\n".to_string();
    // Among them all that a pilot tries.
    for (rows, columns, model, options) in [
        (40, 1, known(0.5), "sampler = \"sams-even+gibbs\"\nmetric = \"vi\"\nnugget = 0.03"),
        (60, 7, known(0.9), "sampler = \"sams-even*5+gibbs\"\nstart = \"prior\""),
        (60, 7, known(0.3), "sampler = \"sams-even*2+shuffle-near*3+gibbs\"\nalpha = 5.0\nstart = \"one\""),
        (60, 4, diagonal(), "sampler = \"sams-even*5+gibbs\"\nstart = \"prior\"\nalpha = 3.0"),
        (60, 4, diagonal(), "sampler = \"sams-even*2+shuffle-near*3+gibbs\""),
        (60, 4, diagonal(), "sampler = \"sams+shuffle*3+gibbs\""),
        (50, 2, diagonal(), "sampler = \"gibbs+sams-even*10\"\nstart = \"one\""),
        (40, 3, "covariance = \"full\"\n".to_string(), "sampler = \"sams-even*3+gibbs\""),
    ] {
        let options = format!("{model}{options}");
        let data = table("moves", rows, columns);
        let case = Case { data, options: &options, settings: settings((1, 5, 25), 400, 3) };
        let tally = assert_same(&card, &case, 40);
        assert!(tally.on_card >= 30, "{options}: {tally:?}");
    }
    let options = "covariance = \"diagonal\"\nsampler = \"sams-even*5+gibbs\"";
    let case = Case { data: mixed(70, 1), options, settings: settings((1, 5, 30), 10_000, 3) };
    assert!(assert_same(&card, &case, 30).on_card >= 25);
}

#[test]
fn shuffles_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let known = |noise: f64| format!("covariance = \"known\"\nnoise_sd = {noise}\n");
    let diagonal = || "covariance = \"diagonal\"\n".to_string();
    for (rows, columns, model, options) in [
        (40, 1, known(0.5), "sampler = \"shuffle*3+gibbs\""),
        (60, 7, known(0.7), "sampler = \"sams*2+shuffle-near*3+gibbs\"\nstart = \"prior\"\nmetric = \"vi\""),
        (60, 7, known(0.3), "sampler = \"shuffle*2+gibbs\"\nalpha = 5.0\nstart = \"one\""),
        (60, 4, diagonal(), "sampler = \"shuffle*2+sams-near*2+shuffle-near+gibbs\""),
        (60, 4, diagonal(), "sampler = \"shuffle*5+gibbs\"\nstart = \"prior\"\nalpha = 3.0"),
    ] {
        let options = format!("{model}{options}");
        let data = table("moves", rows, columns);
        let case = Case { data, options: &options, settings: settings((1, 5, 25), 400, 3) };
        let tally = assert_same(&card, &case, 40);
        assert!(tally.on_card >= 30, "{options}: {tally:?}");
    }
}

#[test]
fn split_merge_moves_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    let known = |noise: f64| format!("covariance = \"known\"\nnoise_sd = {noise}\n");
    let diagonal = || "covariance = \"diagonal\"\n".to_string();
    for (rows, columns, model, options) in [
        (40, 1, known(0.5), "sampler = \"split-merge*3+gibbs\""),
        (40, 7, known(0.9), "sampler = \"split-merge*2+gibbs\"\nstart = \"prior\"\nmetric = \"vi\""),
        (40, 7, known(0.3), "sampler = \"split-merge-independent*2+gibbs\"\nalpha = 5.0\nstart = \"one\""),
        (40, 4, diagonal(), "sampler = \"split-merge*3+gibbs\""),
        (
            40,
            4,
            diagonal(),
            "sampler = \"split-merge-independent+shuffle+gibbs\"\nstart = \"prior\"\nalpha = 3.0",
        ),
    ] {
        let options = format!("{model}{options}");
        let data = table("moves", rows, columns);
        let case = Case { data, options: &options, settings: settings((1, 5, 25), 400, 3) };
        let tally = assert_same(&card, &case, 40);
        assert!(tally.on_card >= 30, "{options}: {tally:?}");
    }
}

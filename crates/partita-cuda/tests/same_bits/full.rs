//! Gaussian clusters with covariances of their own, alone and beside columns of other kinds.

use crate::columns::mixed;
use crate::emulated::Emulated;
use crate::{Case, assert_same, settings, table};
use std::fmt::Write;

const FULL: &str = "covariance = \"full\"\n";

#[test]
fn covariances_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    for (rows, columns, times, options) in [
        (40, 2, (1, 5, 40), "sampler = \"gibbs\"\nstart = \"one\""),
        (
            60,
            3,
            (2, 5, 30),
            "sampler = \"sams+gibbs\"\ncluster_prior = \"weak\"\nstart = \"prior\"\nmetric = \"vi\"",
        ),
        (
            60,
            4,
            (1, 5, 25),
            "sampler = \"sams*5+gibbs\"\ncluster_prior = \"table:0.2,2,0.1\"\nsummary = [\"entropy\", \"top:3\"]",
        ),
        (
            60,
            5,
            (1, 5, 25),
            "sampler = \"sams-near*5+gibbs\"\ncluster_prior = \"columns:0.1,2,0.3\"\nstart = \"kmeans:4\"",
        ),
        (
            60,
            4,
            (3, 5, 20),
            "sampler = \"shuffle*2+sams*2+gibbs\"\ncluster_prior = \"columns:0.5,1,1\"\nprior = \"pitman-yor:0.1\"",
        ),
        (40, 3, (1, 5, 25), "sampler = \"split-merge*3+gibbs\"\nalpha = \"gamma:2,3\"\nnugget = 0.02"),
        (
            60,
            16,
            (1, 5, 20),
            "sampler = \"sams*3+gibbs\"\ncluster_prior = \"columns\"\nprior = \"finite\"\nstart = \"one\"",
        ),
    ] {
        let options = format!("{FULL}{options}");
        let case =
            Case { data: table("full", rows, columns), options: &options, settings: settings(times, 400, 3) };
        let tally = assert_same(&card, &case, 40);
        assert!(tally.on_card >= 30, "{options}: {tally:?}");
    }
}

/// Many rows in a cluster for many sweeps: factors are built anew now and then. Principal components are columns, too.
#[test]
fn factors_are_built_anew_where_the_engine_does_it() {
    let Some(card) = Emulated::new() else { return };
    for options in ["sampler = \"sams*2+gibbs\"", "sampler = \"sams+gibbs\"\npca = \"3\""] {
        let options = format!("{FULL}cluster_prior = \"weak\"\n{options}");
        let case =
            Case { data: table("anew", 100, 5), options: &options, settings: settings((1, 20, 150), 400, 2) };
        let tally = assert_same(&card, &case, 12);
        assert!(tally.on_card >= 8, "{options}: {tally:?}");
    }
}

#[test]
fn covariances_beside_other_columns_have_them_too() {
    let Some(card) = Emulated::new() else { return };
    // Rows without a block, columns with gaps of their own, counts, words.
    let mut text = String::from("x,y,z,n,word\n");
    for row in 0..70_usize {
        let (group, other) = (row * 7 % 3, row * 31 % 17);
        let at = |k: usize| 1.3 * group as f64 + 0.1 * (other * k % 17) as f64;
        let block =
            if row % 13 == 4 { ",".into() } else { format!("{:.3},{:.3}", at(1), at(3) - 0.4 * at(1)) };
        let z = if row % 9 == 2 { String::new() } else { format!("{:.3}", at(5)) };
        let word = if row % 11 == 3 { "" } else { ["red", "green", "blue"][(group + other / 15) % 3] };
        writeln!(text, "{block},{z},{},{word}", 2 * group + other % 3).unwrap();
    }
    let beside = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside.csv");
    std::fs::write(&beside, text).unwrap();
    for (data, options) in [
        (beside.clone(), "sampler = \"sams*5+gibbs\"\ncolumn_type = [\"n=count\"]"),
        (beside.clone(), "sampler = \"gibbs\"\ncluster_prior = \"weak\"\nstart = \"prior\""),
        (
            beside,
            "sampler = \"sams+shuffle+split-merge+gibbs\"\ncolumn_type = [\"n=count\"]\nmetric = \"vi\"",
        ),
        (
            mixed(70, 1),
            "sampler = \"sams*2+gibbs\"\nstart = \"kmeans:3\"\ncolumn_type = [\"n=count\", \"m=count\"]",
        ),
    ] {
        let options = format!("{FULL}{options}");
        let case = Case { data, options: &options, settings: settings((1, 5, 30), 10_000, 3) };
        let tally = assert_same(&card, &case, 30);
        assert!(tally.on_card >= 25, "{options}: {tally:?}");
    }
}

/// More clusters than the fast kernel holds, and than any holds; more columns than registers do.
#[test]
fn what_outgrows_a_kernel_is_done_by_others() {
    let Some(card) = Emulated::new() else { return };
    let many =
        format!("{FULL}sampler = \"sams+gibbs\"\ncluster_prior = \"columns:0.001,1,0.3\"\nalpha = 6.0");
    let settings = settings((1, 3, 12), 40, 1);
    let tally = assert_same(&card, &Case { data: table("outgrow", 60, 2), options: &many, settings }, 16);
    assert!(tally.in_wide >= 8, "{tally:?}");
    let most =
        format!("{FULL}sampler = \"gibbs\"\ncluster_prior = \"columns:0.000001,1,0.01\"\nalpha = 100.0");
    let tally = assert_same(&card, &Case { data: table("outgrow", 60, 2), options: &most, settings }, 6);
    assert!(tally.left >= 5, "{tally:?}");
    let wide = format!("{FULL}sampler = \"gibbs\"\nstart = \"kmeans:3\"");
    let tally = assert_same(&card, &Case { data: table("outgrow", 50, 20), options: &wide, settings }, 10);
    assert!(tally.on_card >= 8, "{tally:?}");
}

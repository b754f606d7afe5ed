//! Tables of more rows than 16 bits can count.

use crate::emulated::Emulated;
use crate::{Case, assert_same, settings, table};

const ROWS: usize = 66_000;

#[test]
fn long_tables_have_the_bits_of_the_engine() {
    let Some(card) = Emulated::new() else { return };
    // By groups, by teams and by threads; clusters of more than 65,535 rows, and pairs that share as many.
    for (columns, options) in [
        (1, "covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"one\""),
        (1, "covariance = \"known\"\nsampler = \"sams+gibbs\"\nstart = \"one\"\nmetric = \"vi\""),
        (2, "covariance = \"full\"\nsampler = \"sams-even+split-merge+gibbs\"\nstart = \"one\""),
    ] {
        let data = table("long", ROWS, columns);
        let tally = assert_same(&card, &Case { data, options, settings: settings((1, 1, 2), 3, 1) }, 2);
        assert!(tally.on_card > 0, "{options}: {tally:?}");
    }
}

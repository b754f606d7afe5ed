//! What the card does not do, or does no longer, the processors do.

use crate::columns::mixed;
use crate::emulated::{Emulated, Lost, Noted};
use crate::{assert_same_bits, model, replicates, settings, table};
use partita_cuda::OnCard;
use partita_cuda::source::GROUP_SIZES;
use partita_run::engine::{Executor, Threads};
use std::sync::Mutex;

const KNOWN: &str = "covariance = \"known\"\nsampler = \"gibbs\"\nstart = \"one\"\n";

#[test]
fn a_card_that_is_lost_costs_nothing_but_time() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(Lost(card, Mutex::new(1)), Threads(1));
    let model = model(&table("lost", 60, 7), &format!("{KNOWN}noise_sd = 0.9"));
    let settings = settings((1, 5, 30), 10_000, 2);
    let theirs = replicates(&Threads(1), &*model, settings, 200);
    assert_same_bits(&replicates(&executor, &*model, settings, 200), &theirs, "a lost card");
    let notes = executor.notes();
    assert!(notes.iter().any(|note| note.contains("fallen off the bus: the processors go on")), "{notes:?}");
}

/// The wider kernel is made ready before anything outgrows the first.
#[test]
fn the_next_kernel_is_prepared() {
    let Some(card) = Emulated::new() else { return };
    let card = Noted { card, prepared: Mutex::default() };
    let model = model(&table("lost", 60, 7), &format!("{KNOWN}noise_sd = 0.9"));
    replicates(&OnCard::new(&card, Threads(1)), &*model, settings((1, 5, 30), 10_000, 2), 20);
    let prepared = card.prepared.lock().unwrap();
    assert_eq!(prepared.iter().map(|shape| shape.group).collect::<Vec<_>>(), [GROUP_SIZES[1]]);
}

#[test]
fn what_the_card_does_not_know_runs_on_the_processors_with_a_word() {
    let Some(card) = Emulated::new() else { return };
    let executor = OnCard::new(card, Threads(1));
    let settings = settings((1, 5, 20), 10_000, 0);
    let (few, wide) = (table("other", 30, 3), table("other", 30, 65));
    for (data, options, word) in [
        (&few, "covariance = \"shared\"", "this model"),
        (&wide, "covariance = \"full\"", "a covariance matrix of 65 columns"),
        (&few, "covariance = \"known\"\ncoupling = \"maximal\"", "`coupling = maximal`"),
        // Sums beyond what is tabulated.
        (&mixed(30, 10_000), "covariance = \"diagonal\"\ncolumn_type = [\"n=count\"]", "this model"),
    ] {
        let model = model(data, options);
        let theirs = replicates(&Threads(1), &*model, settings, 5);
        assert_same_bits(&replicates(&executor, &*model, settings, 5), &theirs, options);
        assert!(
            executor.notes().contains(&format!("{word} is not for the card: the processors run it")),
            "{word}: {:?}",
            executor.notes()
        );
    }
    assert_eq!(executor.tally().on_card, 0);
}

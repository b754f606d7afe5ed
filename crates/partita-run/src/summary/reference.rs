//! The comparison with known labels, made wherever there are any.

use super::Quantity;

/// What [`partita::summary::Reference`] tells, in its order.
pub(crate) fn quantities() -> Vec<Quantity> {
    [
        (
            "reference:hamming",
            "Hamming distance to the reference",
            "The expected number of ordered pairs of items on which clusters and known labels disagree is",
        ),
        (
            "reference:vi",
            "variation of information to the reference",
            "The expected variation of information to the known labels, in nats, is",
        ),
        (
            "reference:ari",
            "adjusted Rand index with the reference",
            "The expected adjusted Rand index with the known labels is",
        ),
    ]
    .map(|(name, meaning, sentence)| Quantity {
        name: name.into(),
        meaning: Some(meaning.into()),
        sentence: sentence.into(),
        symbol: name.into(),
        // They are for comparison: nobody waits for them.
        two_digits: f64::INFINITY,
    })
    .into()
}

//! The entropy of the cluster sizes.

use super::{AnySummary, Asked, Context, Quantity};
use crate::Failure;
use partita::Target;
use std::fmt;

/// The entropy of the cluster sizes, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entropy;

impl fmt::Display for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("entropy")
    }
}

impl Asked for Entropy {
    const USAGE: &'static str = "entropy";

    fn parse(text: &str) -> Option<Self> {
        (text == "entropy").then_some(Entropy)
    }

    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity {
            name: self.to_string(),
            meaning: Some("entropy of the cluster sizes, in nats".into()),
            sentence: "The expected entropy is".into(),
            symbol: self.to_string(),
            two_digits: 0.05,
        }]
    }

    fn build<T: Target>(&self, _: &Context<T>) -> Result<AnySummary<T>, Failure> {
        Ok(Box::new(partita::summary::Entropy))
    }
}

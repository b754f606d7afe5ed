//! Shares of the items in the largest clusters, one after the other added up.

use super::{AnySummary, Asked, Context, Quantity, SHARE};
use crate::Failure;
use partita::Target;
use std::fmt;

/// Shares of the items in the largest clusters, up to this many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Top(
    /// How many.
    pub usize,
);

impl fmt::Display for Top {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "top:{}", self.0)
    }
}

impl Asked for Top {
    const USAGE: &'static str = "top:R such as top:10";

    fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("top:")?.parse().ok().filter(|r| (1..=100).contains(r)).map(Top)
    }

    fn quantities(&self) -> Vec<Quantity> {
        let one = |r: usize| {
            let name = Top(r).to_string();
            match r {
                1 => Quantity {
                    meaning: Some("share of items in the largest cluster".into()),
                    sentence: "The largest cluster holds an expected share of".into(),
                    symbol: "LCP".into(),
                    two_digits: SHARE,
                    name,
                },
                _ => Quantity {
                    meaning: Some(format!("share of items in the {r} largest clusters")),
                    sentence: format!("The {r} largest clusters together hold"),
                    symbol: name.clone(),
                    two_digits: SHARE,
                    name,
                },
            }
        };
        (1..=self.0).map(one).collect()
    }

    fn build<T: Target>(&self, _: &Context<T>) -> Result<AnySummary<T>, Failure> {
        Ok(Box::new(partita::summary::TopShares(self.0)))
    }
}

//! Whether two items share a cluster.

use super::{AnySummary, Asked, Context, Quantity, SHARE};
use crate::Failure;
use partita::Target;
use partita::summary::CoClustering;
use std::fmt;

/// Whether two items share a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Co(
    /// The one.
    pub usize,
    /// The other.
    pub usize,
);

impl fmt::Display for Co {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "co:{},{}", self.0, self.1)
    }
}

impl Asked for Co {
    const USAGE: &'static str = "co:I,J such as co:0,21";

    fn parse(text: &str) -> Option<Self> {
        let (i, j) = text.strip_prefix("co:")?.split_once(',')?;
        Some(Co(i.trim().parse().ok()?, j.trim().parse().ok()?))
    }

    fn quantities(&self) -> Vec<Quantity> {
        let Co(i, j) = self;
        vec![Quantity {
            name: self.to_string(),
            meaning: Some(format!("items {i} and {j} share a cluster")),
            sentence: format!("Items {i} and {j} share a cluster with probability"),
            symbol: format!("CC({i},{j})"),
            two_digits: SHARE,
        }]
    }

    fn build<T: Target>(&self, context: &Context<T>) -> Result<AnySummary<T>, Failure> {
        let summary = CoClustering::new(vec![(self.0, self.1)], context.items).map_err(|e| match e {
            partita::Error::NoSuchItem { item, last } => Failure::option(
                "summary",
                format!("`summary` asks for item {item}, but the items are numbered 0 to {last}"),
            ),
            other => other.into(),
        })?;
        Ok(Box::new(summary))
    }
}

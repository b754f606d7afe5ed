//! The number of clusters, and its distribution.

use super::{AnySummary, Asked, Context, Quantity};
use crate::Failure;
use partita::Target;
use std::fmt;

/// The number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clusters;

impl fmt::Display for Clusters {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("clusters")
    }
}

impl Asked for Clusters {
    const USAGE: &'static str = "clusters";

    fn parse(text: &str) -> Option<Self> {
        (text == "clusters").then_some(Clusters)
    }

    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity {
            name: self.to_string(),
            meaning: Some("number of clusters".into()),
            sentence: "The expected number of clusters is".into(),
            symbol: self.to_string(),
            two_digits: 0.1,
        }]
    }

    fn build<T: Target>(&self, _: &Context<T>) -> Result<AnySummary<T>, Failure> {
        Ok(Box::new(partita::summary::Clusters))
    }
}

/// A number of clusters, or all numbers above one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// This many.
    Exactly(usize),
    /// More than this many.
    Above(usize),
}

impl Count {
    /// All of 1 to `most`, and those beyond.
    pub(crate) fn up_to(most: usize) -> Vec<Count> {
        (1..=most).map(Count::Exactly).chain([Count::Above(most)]).collect()
    }

    /// The column of its probability: `clusters=3`, `clusters>20`.
    pub fn column(&self) -> String {
        match self {
            Count::Exactly(_) => format!("clusters={self}"),
            Count::Above(_) => format!("clusters{self}"),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Count::Exactly(clusters) => write!(f, "{clusters}"),
            Count::Above(clusters) => write!(f, ">{clusters}"),
        }
    }
}

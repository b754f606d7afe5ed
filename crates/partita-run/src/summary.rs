//! What can be estimated about a clustering; each summary has one home for how it is requested, computed and described.
//!
//! A new summary is a file here and a line in the table below.

mod clusters;
mod co;
mod density;
mod entropy;
mod reference;
mod top;

pub use clusters::{Clusters, Count};
pub use co::Co;
pub use density::Grid;
pub(crate) use density::{OnGrid, densities};
pub use entropy::Entropy;
pub(crate) use reference::quantities as of_reference;
pub use top::Top;

use crate::Failure;
use crate::config::as_text;
use partita::Target;
use std::fmt;
use std::str::FromStr;

/// One number that is estimated, and how it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Its name in files: `top:1`.
    pub name: String,
    /// What it is, in a few words: `share of items in the largest cluster`.
    pub meaning: Option<String>,
    /// The beginning of a sentence that ends with the value: `The largest cluster holds an expected share of`.
    pub sentence: String,
    /// What figures call it, in the paper's words: `LCP`.
    pub symbol: String,
    /// An interval this narrow gives two digits; infinite if the unit is not known.
    pub two_digits: f64,
}

/// An interval of a share or a probability this narrow tells two digits.
pub(crate) const SHARE: f64 = 0.02;

/// Where replicates take long, intervals this many times as wide will do, and an interval of a probability that is as wide as
/// the second.
pub(crate) const COARSER: f64 = 2.5;
pub(crate) const COARSE_PROBABILITY: f64 = 0.1;

/// A summary as it is asked for, and what comes of it.
trait Asked: Sized + fmt::Display {
    /// How to ask for it: `top:R such as top:10`.
    const USAGE: &'static str;
    /// Reads what [`Display`](fmt::Display) writes.
    fn parse(text: &str) -> Option<Self>;
    /// The numbers that it stands for, in order.
    fn quantities(&self) -> Vec<Quantity>;
    /// The function of states.
    fn build<T: Target>(&self, context: &Context<T>) -> Result<AnySummary<T>, Failure>;
}

/// A function of the states of a target.
pub(crate) type AnySummary<T> = Box<dyn partita::Summary<T> + Sync>;

/// What summaries are made from.
pub(crate) struct Context<'a, T> {
    /// How many items there are.
    pub items: usize,
    /// Makes the summary of predictive densities on a grid, where the target has any.
    pub density: &'a dyn Fn(&Grid) -> Option<AnySummary<T>>,
}

/// Declares the summaries that can be asked for, and where each is at home.
macro_rules! summaries {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// A summary of the clustering to estimate.
        ///
        /// ```
        /// use partita_run::config::Summary;
        /// let summary: Summary = "top:2".parse()?;
        /// assert_eq!(summary.quantities()[0].sentence, "The largest cluster holds an expected share of");
        /// assert_eq!(summary.to_string(), "top:2");
        /// # Ok::<(), String>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum Summary { $($(#[$doc])* $kind($kind),)* }

        $(impl From<$kind> for Summary {
            fn from(asked: $kind) -> Self {
                Summary::$kind(asked)
            }
        })*

        impl Summary {
            const USAGES: &'static [&'static str] = &[$(<$kind as Asked>::USAGE),*];

            /// The numbers that it stands for, in order.
            pub fn quantities(&self) -> Vec<Quantity> {
                match self { $(Summary::$kind(asked) => asked.quantities(),)* }
            }

            /// The function of states.
            pub(crate) fn build<T: Target>(&self, context: &Context<T>) -> Result<AnySummary<T>, Failure> {
                match self { $(Summary::$kind(asked) => asked.build(context),)* }
            }

            fn find(text: &str) -> Option<Self> {
                None$(.or_else(|| $kind::parse(text).map(Summary::$kind)))*
            }
        }

        impl fmt::Display for Summary {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                match self { $(Summary::$kind(asked) => asked.fmt(f),)* }
            }
        }
    };
}

summaries! {
    /// The number of clusters.
    Clusters,
    /// Shares of the items in the largest clusters.
    Top,
    /// Whether two items share a cluster.
    Co,
    /// Entropy of the cluster sizes.
    Entropy,
    /// The predictive density on a grid, for one column of data.
    Grid,
}

as_text!(Summary);

impl FromStr for Summary {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Summary::find(text).ok_or_else(|| {
            let (last, first) = Self::USAGES.split_last().expect("there are summaries");
            format!("`{text}` is not a summary: use {}, or {last}", first.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita::{Gaussian, Mixture, Prior};

    #[test]
    fn summaries_read_back_as_written_and_name_their_columns() {
        let rows = Gaussian::isotropic(vec![0.0, 1.0, 5.0], 1, 1.0, 1.0).unwrap();
        let target = Mixture::new(Prior::dirichlet(1.0).unwrap(), rows);
        type T = Mixture<Gaussian>;
        let density = |grid: &Grid| -> Option<AnySummary<T>> { Some(Box::new(OnGrid::new(grid, 0.0, 1.0))) };
        let context = Context { items: target.likelihood().len(), density: &density };
        for text in ["clusters", "top:10", "co:0,2", "entropy", "density:-1,1,3"] {
            let summary: Summary = text.parse().unwrap();
            assert_eq!(summary.to_string(), text);
            let names: Vec<String> = summary.quantities().into_iter().map(|q| q.name).collect();
            assert_eq!(summary.build::<T>(&context).unwrap().names(), names);
        }
        for bad in ["top:0", "top:1000", "co:1", "co:a,b", "median", "density:1,1,5"] {
            assert!(bad.parse::<Summary>().is_err(), "{bad}");
        }
        assert_eq!(
            "median".parse::<Summary>().unwrap_err(),
            "`median` is not a summary: use clusters, top:R such as top:10, co:I,J such as co:0,21, entropy, or \
             density:FROM,TO,POINTS such as density:-3,3,100"
        );
    }

    use partita::Likelihood as _;
}

//! The choices an option can make, each read from and written as one word.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Makes a choice readable and writable as a string everywhere (command line, TOML, JSON).
macro_rules! as_text {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(choice: $name) -> String {
                choice.to_string()
            }
        }
    )*};
}

as_text!(Start, Shard, Duration);

/// A choice among fixed words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        $crate::config::as_text!($name);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(match self { $($name::$variant => $word),* })
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => {
                        let words = [$($word),*];
                        let hint = crate::words::closest(text, words);
                        let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
                        Err(format!("`{text}` is not one of {}{hint}", words.join(", ")))
                    }
                }
            }
        }
    };
}

pub(crate) use {as_text, words};

words! {
    /// What the command does.
    Task {
        /// Cluster a table.
        Fit = "fit",
        /// Colour a graph.
        Color = "color",
        /// Find the blocks of a graph.
        Blocks = "blocks",
    }
}

words! {
    /// The coupling.
    Coupling {
        /// Exact transport between partitions.
        Optimal = "optimal",
        /// Maximal coupling of labels.
        Maximal = "maximal",
        /// Common random numbers on labels.
        Common = "common",
        /// No coupling.
        Independent = "independent",
        /// Maximal coupling after relabelling by the smallest member.
        Relabel = "relabel",
    }
}

words! {
    /// The metric of the optimal coupling.
    Metric {
        /// Rand, Mirkin, Hamming.
        Hamming = "hamming",
        /// Variation of information.
        Vi = "vi",
    }
}

words! {
    /// The loss that the point estimate minimises.
    Loss {
        /// Variation of information, in nats.
        Vi = "vi",
        /// Binder's: the share of ordered pairs of items on which two clusterings disagree.
        Binder = "binder",
    }
}

words! {
    /// Where replicates run; results are the same.
    Device {
        /// The processors.
        Cpu = "cpu",
        /// An NVIDIA GPU, and the processors for what it does not support.
        Cuda = "cuda",
        /// A GPU if there is one, otherwise the processors.
        Auto = "auto",
    }
}

/// In a TOML file an alpha or a time may be written as a number, too.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum TextOrNumber {
    Text(String),
    Float(f64),
    Whole(i64),
}

impl TextOrNumber {
    pub(super) fn parse<T: FromStr>(self) -> Result<T, T::Err> {
        match self {
            TextOrNumber::Text(text) => text.parse(),
            TextOrNumber::Float(value) => value.to_string().parse(),
            TextOrNumber::Whole(value) => value.to_string().parse(),
        }
    }
}

impl TryFrom<TextOrNumber> for Duration {
    type Error = String;
    fn try_from(text: TextOrNumber) -> Result<Self, String> {
        text.parse()
    }
}

/// Where chains start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Start {
    /// All items in one cluster.
    One,
    /// k-means with this many clusters, with new seeds for every chain.
    KMeans(usize),
    /// A draw from the partition prior, for every chain.
    Prior,
    /// Items in random order, each placed by its predictive given those before it, for every chain.
    Sequential,
    /// One colouring for all chains, greedy in vertex order where that succeeds (colourings only).
    Greedy,
    /// A random colouring for every chain (colourings only).
    Random,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Start::One => f.write_str("one"),
            Start::KMeans(k) => write!(f, "kmeans:{k}"),
            Start::Prior => f.write_str("prior"),
            Start::Sequential => f.write_str("sequential"),
            Start::Greedy => f.write_str("greedy"),
            Start::Random => f.write_str("random"),
        }
    }
}

impl FromStr for Start {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "one" => Ok(Start::One),
            "prior" => Ok(Start::Prior),
            "sequential" => Ok(Start::Sequential),
            "greedy" => Ok(Start::Greedy),
            "random" => Ok(Start::Random),
            _ => text
                .strip_prefix("kmeans:")
                .and_then(|k| k.parse().ok())
                .filter(|k| *k > 0)
                .map(Start::KMeans)
                .ok_or_else(|| {
                    format!(
                        "`{text}` is not a start: use prior, sequential, one, or kmeans:K such as kmeans:5; for \
                         colourings random or greedy"
                    )
                }),
        }
    }
}

/// A share of the replicates: `3/100` is the third of a hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Its number, from 1.
    pub number: u64,
    /// The number of shares.
    pub of: u64,
}

impl Shard {
    /// All replicates.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// How many of the first `end` replicates belong to this share.
    pub fn share(&self, end: u64) -> u64 {
        (end + self.of - self.number) / self.of
    }

    /// Whether a replicate belongs to this share.
    pub fn holds(&self, replicate: u64) -> bool {
        replicate % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('/')
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)))
            .filter(|&(number, of): &(u64, u64)| 1 <= number && number <= of)
            .map(|(number, of)| Shard { number, of })
            .ok_or_else(|| format!("`{text}` is not a shard: use NUMBER/OF such as 3/100"))
    }
}

/// A stretch of wall time: `90`, `60s`, `5m`, `1.5h`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TextOrNumber", into = "String")]
pub struct Duration {
    seconds: f64,
}

/// About thirty years.
const LONGEST: f64 = 1e9;

impl Duration {
    /// From a number of seconds.
    pub fn from_secs(seconds: f64) -> Self {
        Duration { seconds }
    }

    /// In seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}s", self.seconds)
    }
}

impl FromStr for Duration {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let unit = match &text[split..] {
            "" | "s" | "sec" => Some(1.0),
            "ms" => Some(0.001),
            "m" | "min" => Some(60.0),
            "h" => Some(3600.0),
            _ => None,
        };
        let number = text[..split].parse().ok().filter(|v: &f64| *v > 0.0 && v.is_finite());
        unit.zip(number)
            .map(|(unit, number)| Duration { seconds: unit * number })
            .filter(|duration| (1e-9..=LONGEST).contains(&duration.seconds))
            .ok_or_else(|| format!("`{text}` is not a length of time: use 60s, 5m or 1.5h"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_back_as_written() {
        for text in ["one", "kmeans:5", "prior", "sequential", "greedy", "random"] {
            assert_eq!(text.parse::<Start>().unwrap().to_string(), text);
        }
        assert_eq!("5m".parse::<Duration>().unwrap().seconds(), 300.0);
        assert!("3/100".parse::<Shard>().unwrap().holds(102));
    }

    #[test]
    fn wrong_choices_get_a_sentence() {
        let sentence = "maximl".parse::<Coupling>().unwrap_err();
        assert_eq!(
            sentence,
            "`maximl` is not one of optimal, maximal, common, independent, relabel; did you mean `maximal`?"
        );
        for bad in ["0/3", "4/3", "1", "a/b"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
        for bad in ["", "s", "-3s", "5 weeks", "0s", "99999999999999999999h", "0.00000000001s"] {
            assert!(bad.parse::<Duration>().is_err(), "{bad}");
        }
        assert!("kmeans:0".parse::<Start>().is_err());
    }
}

words! {
    /// The precision of the numbers that chains compute with.
    Float {
        /// Double: results are the same wherever replicates run.
        F64 = "f64",
        /// Single, for GPUs that are slow in double: rows of its own.
        F32 = "f32",
    }
}

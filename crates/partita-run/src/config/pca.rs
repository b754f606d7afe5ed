//! How many principal components take the place of the columns.

use super::choice::{TextOrNumber, as_text};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How many principal components take the place of the columns: a fixed number, as many as explain a share of the
/// variance, or as many as the broken-stick rule keeps (Frontier 1976; Jackson 1993).
///
/// ```
/// use partita_run::config::Pca;
/// assert_eq!("5".parse(), Ok(Pca::Components(5)));
/// assert_eq!("90%".parse(), Ok(Pca::Share(90.0)));
/// assert_eq!(Pca::Share(90.0).components(&[0.7, 0.15, 0.1, 0.05]), 3);
/// // The longest of four random pieces is 0.52 of the stick on average, the next 0.27.
/// assert_eq!("auto".parse(), Ok(Pca::Auto));
/// assert_eq!(Pca::Auto.components(&[0.7, 0.15, 0.1, 0.05]), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TextOrNumber", into = "String")]
pub enum Pca {
    /// This many.
    Components(usize),
    /// As many as explain this share of the variance, in percent.
    Share(f64),
    /// The leading ones that each explain more than the piece of the same rank of a stick broken at random.
    Auto,
}

as_text!(Pca);

impl Pca {
    /// How many of the components to keep, given the shares they explain, the largest first.
    pub fn components(self, shares: &[f64]) -> usize {
        match self {
            Pca::Components(components) => components,
            Pca::Share(percent) => {
                // What is left of a hundred percent may be lost to rounding.
                let enough = percent / 100.0 - 1e-9;
                let mut sum = 0.0;
                let reached = shares.iter().position(|share| {
                    sum += share;
                    sum >= enough
                });
                reached.map_or(shares.len(), |at| at + 1)
            }
            Pca::Auto => {
                let pieces = shares.len();
                // Piece `k` of `n`, the longest being the first: (1/k + ... + 1/n) / n on average.
                let piece =
                    |at: usize| (at + 1..=pieces).map(|k| 1.0 / k as f64).sum::<f64>() / pieces as f64;
                shares.iter().enumerate().take_while(|&(at, share)| *share > piece(at)).count().max(1)
            }
        }
    }
}

impl fmt::Display for Pca {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Pca::Components(components) => write!(f, "{components}"),
            Pca::Share(percent) => write!(f, "{percent}%"),
            Pca::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for Pca {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Pca::Auto);
        }
        let parsed = match text.strip_suffix('%') {
            Some(share) => {
                share.trim().parse().ok().filter(|share| *share > 0.0 && *share <= 100.0).map(Pca::Share)
            }
            None => text.parse().ok().filter(|components| *components > 0).map(Pca::Components),
        };
        parsed.ok_or_else(|| {
            format!("`{text}` is not a number of components: give a number such as 5, a share of the variance such as 90%, or auto")
        })
    }
}

impl TryFrom<TextOrNumber> for Pca {
    type Error = String;

    fn try_from(text: TextOrNumber) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_shares() {
        for text in ["1", "12", "90%", "99.5%", "auto"] {
            assert_eq!(text.parse::<Pca>().unwrap().to_string(), text);
        }
        for text in ["0", "-1", "1.5", "0%", "101%", "many", "", "%"] {
            assert!(text.parse::<Pca>().is_err(), "{text}");
        }
        let options = |text: &str| crate::config::Options::parse(text, "my.toml").unwrap().pca;
        assert_eq!(options("pca = 3"), Some(Pca::Components(3)));
        assert_eq!(options("pca = '80%'"), Some(Pca::Share(80.0)));
    }
}

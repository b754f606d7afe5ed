//! Choices of the model: the partition prior, what a column holds, the priors of covariance matrices and of a graph's edges.

use super::choice::{TextOrNumber, as_text};
use crate::data::Kind;
use crate::model::Covariance;
use partita::likelihood::{Shape, TablePrior};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

as_text!(Alpha, Prior, ColumnType, CovariancePrior, EdgePrior, ModelChoice);

/// The concentration of the Dirichlet process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TextOrNumber", into = "String")]
pub enum Alpha {
    /// A fixed value.
    Fixed(f64),
    /// Gamma distributed with shape and rate, integrated out.
    Gamma(f64, f64),
}

impl TryFrom<TextOrNumber> for Alpha {
    type Error = String;
    fn try_from(text: TextOrNumber) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Alpha::Fixed(alpha) => write!(f, "{alpha}"),
            Alpha::Gamma(shape, rate) => write!(f, "gamma:{shape},{rate}"),
        }
    }
}

impl FromStr for Alpha {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let positive = |t: &str| t.trim().parse().ok().filter(|v: &f64| *v > 0.0 && v.is_finite());
        let parsed = match text.strip_prefix("gamma:") {
            // Outside this range the integral over alpha cannot be found.
            Some(rest) => rest
                .split_once(',')
                .and_then(|(shape, rate)| Some((positive(shape)?, positive(rate)?)))
                .filter(|(shape, rate)| [shape, rate].iter().all(|v| (1e-3..=1e6).contains(*v)))
                .map(|(shape, rate)| Alpha::Gamma(shape, rate)),
            None => positive(text).map(Alpha::Fixed),
        };
        parsed.ok_or_else(|| {
            format!(
                "`{text}` is not a value of alpha: give a positive number, or gamma:SHAPE,RATE such as gamma:2,4, each \
                 between 0.001 and 1000000"
            )
        })
    }
}

/// Two numbers with a comma between them; where the second may be left out, `second` stands in.
fn numbers(text: &str, second: Option<f64>) -> Option<(f64, f64)> {
    let number = |t: &str| t.trim().parse().ok().filter(|v: &f64| v.is_finite());
    match text.split_once(',') {
        Some((one, other)) => Some((number(one)?, number(other)?)),
        None => Some((number(text)?, second?)),
    }
}

/// The prior on partitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Prior {
    /// A Dirichlet process; its concentration is `alpha`.
    Dirichlet,
    /// A Pitman-Yor process with discount and strength.
    PitmanYor(f64, f64),
    /// A finite mixture: Dirichlet weights with this concentration, and a Poisson law with this rate of
    /// the number of components beyond the first.
    Finite(f64, f64),
}

/// The strength of a Pitman-Yor process where none is given.
const STRENGTH: f64 = 1.0;

/// The Poisson rate of a finite mixture where none is given: five components, give or take two.
const RATE: f64 = 4.0;

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Prior::Dirichlet => f.write_str("dirichlet"),
            Prior::PitmanYor(discount, strength) => write!(f, "pitman-yor:{discount},{strength}"),
            Prior::Finite(gamma, rate) => write!(f, "finite:{gamma},{rate}"),
        }
    }
}

impl FromStr for Prior {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let known = match text.split_once(':') {
            None if text == "dirichlet" => Some(Prior::Dirichlet),
            None if text == "finite" => Some(Prior::Finite(1.0, RATE)),
            Some(("pitman-yor", rest)) => numbers(rest, Some(STRENGTH))
                .filter(|&(discount, strength)| {
                    (0.0..1.0).contains(&discount) && strength > -discount && strength <= 1e6
                })
                .map(|(discount, strength)| Prior::PitmanYor(discount, strength)),
            Some(("finite", rest)) => numbers(rest, Some(RATE))
                .filter(|(gamma, rate)| [gamma, rate].iter().all(|v| (1e-3..=1e3).contains(*v)))
                .map(|(gamma, rate)| Prior::Finite(gamma, rate)),
            _ => None,
        };
        known.ok_or_else(|| {
            format!(
                "`{text}` is not a prior: use dirichlet, pitman-yor:SIGMA[,THETA] such as \
                 pitman-yor:0.25,1 with 0 <= SIGMA < 1 and THETA > -SIGMA, or finite[:GAMMA[,RATE]] such as \
                 finite:1,4, each between 0.001 and 1000"
            )
        })
    }
}

/// What a column holds: `visits=count`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ColumnType {
    /// The column, by name or number from 1.
    pub column: String,
    /// What it holds.
    pub kind: Kind,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}={}", self.column, self.kind)
    }
}

impl FromStr for ColumnType {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (column, kind) = text.rsplit_once('=').filter(|(column, _)| !column.trim().is_empty()).ok_or_else(|| {
            format!("`{text}` is not a column with its type: use NAME=TYPE such as age=normal, visits=count or sex=category")
        })?;
        Ok(ColumnType { column: column.trim().to_string(), kind: kind.trim().parse()? })
    }
}

/// Which model of a table.
///
/// ```
/// use partita_run::config::{Covariance, ModelChoice};
///
/// assert_eq!("auto".parse(), Ok(ModelChoice::Auto));
/// assert_eq!("full".parse(), Ok(ModelChoice::Named(Covariance::Full)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ModelChoice {
    /// The one that a pilot finds to predict this table best.
    Auto,
    /// The one that was named.
    Named(Covariance),
}

/// The word for [`ModelChoice::Auto`].
const AUTO: &str = "auto";

impl ModelChoice {
    /// The model that was named.
    pub fn named(self) -> Option<Covariance> {
        match self {
            ModelChoice::Auto => None,
            ModelChoice::Named(covariance) => Some(covariance),
        }
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ModelChoice::Auto => f.write_str(AUTO),
            ModelChoice::Named(covariance) => covariance.fmt(f),
        }
    }
}

impl FromStr for ModelChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(ModelChoice::Auto);
        }
        let named = text.parse().map(ModelChoice::Named);
        named.map_err(|sentence| sentence.replacen("is not one of ", &format!("is not one of {AUTO}, "), 1))
    }
}

/// The prior of the covariance matrices of clusters.
///
/// ```
/// use partita::likelihood::{Shape, TablePrior};
/// use partita_run::config::CovariancePrior;
/// let prior: CovariancePrior = "table:0.2,4,0.1".parse()?;
/// let same = TablePrior { shape: Shape::Table, share: 0.2, freedom: 4.0, kappa: 0.1 };
/// assert_eq!(prior, CovariancePrior::Like(same));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum CovariancePrior {
    /// About a quarter of the identity, with the fewest degrees of freedom for which the mean exists.
    Weak,
    /// About a share of the table's own covariance, or of the variances of its columns.
    Like(TablePrior),
}

impl CovariancePrior {
    /// The middle of the grid, for a word alone.
    const fn middle(shape: Shape) -> Self {
        CovariancePrior::Like(TablePrior { shape, share: 0.2, freedom: 2.0, kappa: 0.1 })
    }
}

impl fmt::Display for CovariancePrior {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let CovariancePrior::Like(TablePrior { shape, share, freedom, kappa }) = self else {
            return f.write_str("weak");
        };
        let shape = match shape {
            Shape::Table => "table",
            Shape::Columns => "columns",
        };
        write!(f, "{shape}:{share},{freedom},{kappa}")
    }
}

impl FromStr for CovariancePrior {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (word, numbers) = text.split_once(':').map_or((text, None), |(word, rest)| (word, Some(rest)));
        let like = |shape: Shape, numbers: &str| {
            let parts: Option<Vec<f64>> = numbers.split(',').map(|part| part.trim().parse().ok()).collect();
            let [share, freedom, kappa] = parts?[..] else { return None };
            let good = (1e-6..=1.0).contains(&share)
                && (1.0..=1e3).contains(&freedom)
                && (1e-6..=1e6).contains(&kappa);
            good.then_some(CovariancePrior::Like(TablePrior { shape, share, freedom, kappa }))
        };
        let known = match (word, numbers) {
            ("weak", None) => Some(CovariancePrior::Weak),
            ("table", None) => Some(CovariancePrior::middle(Shape::Table)),
            ("columns", None) => Some(CovariancePrior::middle(Shape::Columns)),
            ("table", Some(numbers)) => like(Shape::Table, numbers),
            ("columns", Some(numbers)) => like(Shape::Columns, numbers),
            _ => None,
        };
        known.ok_or_else(|| {
            format!(
                "`{text}` is not a prior of covariance matrices: use weak, table[:SHARE,FREEDOM,KAPPA] such as {} or \
                 columns[:SHARE,FREEDOM,KAPPA], with SHARE at most 1, FREEDOM from 1 to 1000 and KAPPA at least \
                 0.000001",
                CovariancePrior::middle(Shape::Table)
            )
        })
    }
}

/// The beta law of an edge probability: `1,1` is uniform.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EdgePrior {
    /// How many present edges the prior is worth.
    pub present: f64,
    /// How many absent edges it is worth.
    pub absent: f64,
}

impl fmt::Display for EdgePrior {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{}", self.present, self.absent)
    }
}

impl FromStr for EdgePrior {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        numbers(text, None)
            .filter(|(present, absent)| [present, absent].iter().all(|v| (1e-3..=1e6).contains(*v)))
            .map(|(present, absent)| EdgePrior { present, absent })
            .ok_or_else(|| {
                format!("`{text}` is not a prior of edge probabilities: use PRESENT,ABSENT such as 1,1, each between 0.001 and 1000000")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_back_as_written() {
        for text in ["1", "0.25", "gamma:2,4"] {
            assert_eq!(text.parse::<Alpha>().unwrap().to_string(), text);
        }
        for text in ["dirichlet", "pitman-yor:0.25,1", "pitman-yor:0.5,-0.25", "finite:1,4"] {
            assert_eq!(text.parse::<Prior>().unwrap().to_string(), text);
        }
        assert_eq!("finite".parse::<Prior>().unwrap().to_string(), "finite:1,4");
        assert_eq!("pitman-yor:0.1".parse::<Prior>().unwrap().to_string(), "pitman-yor:0.1,1");
        assert_eq!("a=b=count".parse::<ColumnType>().unwrap().to_string(), "a=b=count");
        assert_eq!("0.5,5".parse::<EdgePrior>().unwrap().to_string(), "0.5,5");
        for text in ["weak", "table:0.2,2,0.1", "columns:1,1.5,3"] {
            assert_eq!(text.parse::<CovariancePrior>().unwrap().to_string(), text);
        }
        assert_eq!("columns".parse::<CovariancePrior>().unwrap().to_string(), "columns:0.2,2,0.1");
    }

    #[test]
    fn wrong_choices_get_a_sentence() {
        for bad in ["0", "-1", "gamma:2", "gamma:0,1", "gamma:1e-9,1", "NaN", "inf"] {
            assert!(bad.parse::<Alpha>().is_err(), "{bad}");
        }
        for bad in ["", "pitman-yor", "pitman-yor:1", "pitman-yor:0.2,-0.3", "finite:0", "finite:1,inf", "dp"]
        {
            assert!(bad.parse::<Prior>().unwrap_err().contains("is not a prior"), "{bad}");
        }
        for bad in
            ["", "strong", "weak:1", "table:", "table:0.2,2", "table:0,2,1", "table:2,2,1", "table:0.2,0.5,1"]
        {
            let sentence = bad.parse::<CovariancePrior>().unwrap_err();
            assert!(sentence.contains("is not a prior of covariance matrices"), "{sentence}");
        }
        for bad in ["1", "0,1", "1,nan", "a,b"] {
            assert!(bad.parse::<EdgePrior>().is_err(), "{bad}");
        }
        assert_eq!(
            "sex=categorie".parse::<ColumnType>().unwrap_err(),
            "`categorie` is not one of normal, count, category; did you mean `category`?"
        );
        assert!("=count".parse::<ColumnType>().unwrap_err().contains("is not a column with its type"));
    }
}

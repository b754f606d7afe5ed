//! What the cells of a column are: real numbers, counts or categories; declared, or guessed from them.

use std::fmt;
use std::str::FromStr;

use super::Table;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Kind {
    /// Real numbers.
    Normal,
    /// Numbers of events: whole numbers from 0.
    Count,
    /// One of several levels.
    Category,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Normal => "normal",
            Kind::Count => "count",
            Kind::Category => "category",
        })
    }
}

impl FromStr for Kind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "normal" => Ok(Kind::Normal),
            "count" => Ok(Kind::Count),
            "category" => Ok(Kind::Category),
            _ => {
                let hint = crate::words::closest(text, ["normal", "count", "category"]);
                let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
                Err(format!("`{text}` is not one of normal, count, category{hint}"))
            }
        }
    }
}

/// Counts are guessed of columns with at most so many different values.
const MOST_COUNTS: usize = 20;

/// And with a mean below this.
const LARGEST_MEAN: f64 = 20.0;

/// And at least this much variance for its mean: a mixture of Poisson laws never varies less than its mean.
const LEAST_DISPERSION: f64 = 0.75;

/// Counts would have left a column without zeros by chance this often at most: otherwise it is a scale, such as 1 to 5.
const NO_ZERO: f64 = 0.01;

/// Whether so many numbers with this mean are too many to be counts, as none of them is zero: a mixture of Poisson laws
/// has zeros with probability exp(-mean) at least, by Jensen's inequality.
fn lacks_zeros(number: f64, mean: f64) -> bool {
    number * (-(-mean).exp()).ln_1p() < NO_ZERO.ln()
}

impl Table {
    /// Decides what every column holds, unless specified: text is a category, and so are two different whole
    /// numbers, such as 0 and 1 for no and yes; a few small whole numbers from 0 that vary as counts do are
    /// counts, unless zeros are suspiciously absent, as in a scale from 1 to 5; everything else is normal.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("partita-kinds-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "kind,yes,visits,mass\na,0,0,1.5\na,1,7,2\nb,0,1,1\n,1,3,\n").unwrap();
    /// use partita_run::data::{Kind, Missing, ReadOptions, Table, Words};
    ///
    /// // kind,yes,visits,mass
    /// // a,0,0,1.5
    /// // a,1,7,2
    /// // b,0,1,1
    /// // ,1,3,
    /// let options = ReadOptions { words: Words::Levels, missing: Missing::Keep, ..ReadOptions::default() };
    /// let mut table = Table::read(&path, &options)?;
    /// assert_eq!(table.settle_kinds(), [Kind::Category, Kind::Category, Kind::Count, Kind::Normal]);
    /// assert_eq!(table.levels[0], ["a", "b"]);
    /// assert_eq!(table.levels[1], ["0", "1"]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), partita_run::data::DataError>(())
    /// ```
    pub fn settle_kinds(&mut self) -> Vec<Kind> {
        for column in 0..self.columns {
            let kind = self.kinds[column].unwrap_or_else(|| self.guess(column));
            self.kinds[column] = Some(kind);
            if kind == Kind::Category && self.levels[column].is_empty() {
                self.number_levels(column);
            }
        }
        self.kinds.iter().flatten().copied().collect()
    }

    /// The cells of a column that are there.
    fn cells(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(column).step_by(self.columns).copied().filter(|value| !value.is_nan())
    }

    fn guess(&self, column: usize) -> Kind {
        let mut distinct: Vec<f64> = Vec::new();
        let (mut number, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for value in self.cells(column) {
            let whole = value.fract() == 0.0;
            if !distinct.contains(&value) {
                distinct.push(value);
            }
            if !whole || distinct.len() > MOST_COUNTS {
                return Kind::Normal;
            }
            number += 1.0;
            sum += value;
            squares += value * value;
        }
        let mean: f64 = sum / number;
        let variance = squares / number - mean * mean;
        let counts = distinct.iter().all(|value| *value >= 0.0)
            && mean < LARGEST_MEAN
            && variance >= LEAST_DISPERSION * mean
            && (distinct.contains(&0.0) || !lacks_zeros(number, mean));
        match distinct.len() {
            2 => Kind::Category,
            3.. if counts => Kind::Count,
            _ => Kind::Normal,
        }
    }

    /// Makes levels of the different numbers of a column, in their order.
    fn number_levels(&mut self, column: usize) {
        let mut distinct: Vec<f64> = self.cells(column).collect();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        let columns = self.columns;
        for value in self.values.iter_mut().skip(column).step_by(columns).filter(|value| !value.is_nan()) {
            *value = distinct.partition_point(|level| level < value) as f64;
        }
        self.levels[column] = distinct.iter().map(f64::to_string).collect();
    }
}

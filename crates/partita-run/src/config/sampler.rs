//! The sampler: the moves of a chain, written as one word such as `split-merge*5+gibbs`.

use super::choice::as_text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

as_text!(Sampler);

/// One kind of move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A Gibbs sweep: every item once.
    Gibbs,
    /// A split-merge move, aligned between the two chains.
    SplitMerge,
    /// The same, sharing only the two items, as in the paper.
    SplitMergeIndependent,
    /// A sequentially allocated merge-split move.
    Sams,
    /// The same, for two rows of a table that are usually close to each other.
    SamsNear,
    /// The same, with all clusters equally likely.
    SamsEven,
    /// The items of two clusters divided anew.
    Shuffle,
    /// The same with two rows of a table that are mostly near each other.
    ShuffleNear,
    /// A pass of Kempe moves: every vertex of a graph once.
    Kempe,
}

const WORDS: [(&str, Move); 9] = [
    ("gibbs", Move::Gibbs),
    ("split-merge", Move::SplitMerge),
    ("split-merge-independent", Move::SplitMergeIndependent),
    ("sams", Move::Sams),
    ("sams-near", Move::SamsNear),
    ("sams-even", Move::SamsEven),
    ("shuffle", Move::Shuffle),
    ("shuffle-near", Move::ShuffleNear),
    ("kempe", Move::Kempe),
];

/// A move is made at most so many times within a sweep.
const MOST: usize = 1000;

/// Moves in order, each made a number of times: together one sweep of the sampler.
///
/// ```
/// use partita_run::config::{Move, Sampler};
/// let sampler: Sampler = "split-merge*5+gibbs".parse()?;
/// assert_eq!(sampler.moves(), [(Move::SplitMerge, 5), (Move::Gibbs, 1)]);
/// // The names from before compositions mean what they meant: a move, then a sweep.
/// assert_eq!("split-merge".parse::<Sampler>()?, "split-merge+gibbs".parse()?);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sampler(Vec<(Move, usize)>);

impl Sampler {
    /// Gibbs sweeps alone.
    pub fn gibbs() -> Self {
        Sampler(vec![(Move::Gibbs, 1)])
    }

    /// A pass of Kempe moves, then a Gibbs sweep.
    pub fn kempe() -> Self {
        Sampler(vec![(Move::Kempe, 1), (Move::Gibbs, 1)])
    }

    /// The moves in order, with the number of times that each is made.
    pub fn moves(&self) -> &[(Move, usize)] {
        &self.0
    }

    /// Whether a move asks for rows that are near each other, where there are any.
    pub(crate) fn is_near(&self) -> bool {
        [Move::SamsNear, Move::SamsEven, Move::ShuffleNear].into_iter().any(|kind| self.has(kind))
    }

    /// Whether a kind of move is among them.
    pub fn has(&self, kind: Move) -> bool {
        self.0.iter().any(|(move_, _)| *move_ == kind)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (word, _) = WORDS.iter().find(|(_, kind)| kind == self).expect("every move has a word");
        f.write_str(word)
    }
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // The short names from before compositions.
        if let [(kind @ (Move::SplitMerge | Move::SplitMergeIndependent), 1), (Move::Gibbs, 1)] = self.0[..] {
            return write!(f, "{kind}");
        }
        for (i, (kind, times)) in self.0.iter().enumerate() {
            let plus = if i > 0 { "+" } else { "" };
            let times = if *times == 1 { String::new() } else { format!("*{times}") };
            write!(f, "{plus}{kind}{times}")?;
        }
        Ok(())
    }
}

impl FromStr for Sampler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = || WORDS.iter().map(|(word, _)| *word);
        let one = |part: &str| {
            let (word, times) = match part.split_once('*') {
                Some((word, times)) => (word.trim(), times.trim()),
                None => (part.trim(), "1"),
            };
            let Some((_, kind)) = WORDS.iter().find(|(name, _)| *name == word) else {
                let hint = crate::words::closest(word, words());
                let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
                let words = words().collect::<Vec<_>>().join(", ");
                return Err(format!(
                    "`{word}` is not one of {words}, or several of them such as split-merge*5+gibbs{hint}"
                ));
            };
            let count = times.parse().ok().filter(|n| (1..=MOST).contains(n));
            let count = count.ok_or_else(|| {
                format!("`{part}`: a move can be made 1 to {MOST} times per sweep, not `{times}`")
            })?;
            Ok((*kind, count))
        };
        let moves: Vec<(Move, usize)> = text.split('+').map(one).collect::<Result<_, _>>()?;
        match moves[..] {
            [(kind @ (Move::SplitMerge | Move::SplitMergeIndependent), 1)] => {
                Ok(Sampler(vec![(kind, 1), (Move::Gibbs, 1)]))
            }
            _ if moves.iter().all(|(kind, _)| !matches!(kind, Move::Gibbs | Move::Kempe)) => {
                Err(format!("`{text}` only splits and merges clusters: add +gibbs, so that every item moves"))
            }
            _ => Ok(Sampler(moves)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_read_back_as_written() {
        for text in [
            "gibbs",
            "split-merge",
            "split-merge-independent",
            "kempe",
            "kempe+gibbs",
            "split-merge*5+gibbs*2",
            "sams*5+gibbs",
            "sams-near*4+sams+gibbs",
            "sams+shuffle*3+shuffle-near+gibbs",
            "sams-even*5+gibbs",
        ] {
            assert_eq!(text.parse::<Sampler>().unwrap().to_string(), text);
        }
        assert_eq!("split-merge + gibbs".parse::<Sampler>().unwrap().to_string(), "split-merge");
    }

    #[test]
    fn wrong_samplers_get_a_sentence() {
        let sentence = |text: &str| text.parse::<Sampler>().unwrap_err();
        assert_eq!(
            sentence("gibs"),
            "`gibs` is not one of gibbs, split-merge, split-merge-independent, sams, sams-near, sams-even, shuffle, shuffle-near, \
             kempe, or several of them such as split-merge*5+gibbs; did you mean `gibbs`?"
        );
        assert!(sentence("gibbs*0").contains("1 to 1000 times"));
        assert!(sentence("gibbs*x").contains("1 to 1000 times"));
        assert!(sentence("split-merge*5").contains("add +gibbs"));
        assert!(sentence("sams").contains("add +gibbs"));
        assert!(sentence("sams+sams-near").contains("add +gibbs"));
        assert!(sentence("gibbs+").contains("is not one of"));
    }
}

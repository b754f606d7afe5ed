//! The built-in data: the paper's `synthetic`, generated, and 344 penguins.

use crate::data::{Hash, Table, Understood};
use partita::Stream;
use partita::chance::Chance;
use partita::rng::Purpose;

/// Penguins near Palmer Station, Antarctica, as a CSV file (Gorman, Williams, Fraser 2014; CC0): see `docs/data.md`.
///
/// ```
/// assert_eq!(partita_run::demo::PENGUINS.lines().count(), 1 + 344);
/// ```
pub const PENGUINS: &str = include_str!("../data/penguins.csv");

/// 300 points around four centres (±0.8, ±0.8), noise with standard deviation 0.5.
///
/// ```
/// let table = partita_run::demo::synthetic();
/// assert_eq!((table.rows, table.columns), (300, 2));
/// ```
pub fn synthetic() -> Table {
    let (rows, columns) = (300, 2);
    let mut chance = Stream::new(2022, 0).sequence(Purpose::Data, 0);
    let mut values = Vec::with_capacity(rows * columns);
    for _ in 0..rows {
        let center = chance.below(4);
        for bit in [center & 1, center >> 1] {
            let center = if bit == 0 { -0.8 } else { 0.8 };
            values.push(center + 0.5 * chance.normal());
        }
    }
    let mut hash = Hash::new(b"demonstration");
    values.iter().for_each(|v| hash.number(v.to_bits()));
    Table {
        source: "built-in demonstration data".into(),
        rows,
        columns,
        values,
        names: vec!["x".into(), "y".into()],
        kinds: vec![None; columns],
        levels: vec![Vec::new(); columns],
        gap: None,
        ids: None,
        labels: None,
        understood: Understood::default(),
        fingerprint: hash.finish(),
    }
}

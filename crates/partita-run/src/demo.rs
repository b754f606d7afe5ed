//! The built-in data: 344 penguins of three species.

use crate::data::{Cells, DataError, ReadOptions, Table};

/// Penguins near Palmer Station, Antarctica, as a CSV file (Gorman, Williams, Fraser 2014; CC0): see `docs/data.md`.
///
/// ```
/// assert_eq!(partita_run::demo::PENGUINS.lines().count(), 1 + 344);
/// ```
pub const PENGUINS: &str = include_str!("../data/penguins.csv");

/// What the table is called.
const NAME: &str = "Palmer penguins (built in)";
/// What a bird is told by. Its sex would split every species in two, and the year of the visit is none of its properties.
const COLUMNS: [&str; 5] = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "island"];
/// The known labels, which no model sees.
const LABELS: &str = "species";

/// The penguins as the first command reads them: four measurements and the island, two birds without measurements, and
/// the species as known labels.
///
/// With `numbers`, only the 342 birds that were measured and only their measurements, for models that take nothing
/// else.
///
/// ```
/// let table = partita_run::demo::penguins(false)?;
/// assert_eq!((table.rows, table.columns), (344, 5));
/// assert_eq!(table.values.iter().filter(|value| value.is_nan()).count(), 8);
/// assert_eq!(table.labels.unwrap().names, ["Adelie", "Gentoo", "Chinstrap"]);
/// let numbers = partita_run::demo::penguins(true)?;
/// assert_eq!((numbers.rows, numbers.columns), (342, 4));
/// # Ok::<(), partita_run::data::DataError>(())
/// ```
///
/// # Errors
///
/// None: the file is the one above.
pub fn penguins(numbers: bool) -> Result<Table, DataError> {
    let mut lines = PENGUINS.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let place = |name: &str| header.iter().position(|cell| *cell == name).expect("a column of the file");
    let used = if numbers { &COLUMNS[..4] } else { &COLUMNS };
    let rows: Vec<_> =
        lines.filter(|row| !numbers || used.iter().all(|name| row[place(name)] != "NA")).collect();
    let column = |name: &str| {
        let cells = || rows.iter().map(|row| Some(row[place(name)]).filter(|cell| *cell != "NA"));
        let number = |cell: &str| cell.parse().expect("a number");
        let cells = match name {
            LABELS | "island" => Cells::Texts(cells().map(|cell| cell.map(str::to_owned)).collect()),
            _ => Cells::Numbers(cells().map(|cell| cell.map_or(f64::NAN, number)).collect()),
        };
        (name.to_owned(), cells)
    };
    let columns: Vec<_> = used.iter().copied().chain([LABELS]).map(column).collect();
    let options = ReadOptions {
        label_column: Some(LABELS.into()),
        missing: crate::data::Missing::Keep,
        words: crate::data::Words::Levels,
        ..ReadOptions::default()
    };
    Table::from_columns(NAME, &columns, &options)
}

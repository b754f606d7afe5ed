//! Tables from columns in memory: the checks and the fingerprint of the readers, without a file.

use super::builder::Builder;
use super::error::{DataError, Place};
use super::plan::{Plan, header_names};
use super::survey::{Column, Findings};
use super::{Guess, Kind, ReadOptions, Table, Understood, identifier};

/// The cells of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers; NaN is a missing value. Their kind is guessed, as for a file, unless the options specify it.
    Numbers(Vec<f64>),
    /// Counts.
    Counts(Vec<Option<u64>>),
    /// Texts: categories, row names or known labels.
    Texts(Vec<Option<String>>),
    /// Categories by the position of their level; all levels are kept, including those that no cell has.
    Categories {
        /// The position of each cell's level.
        codes: Vec<Option<u32>>,
        /// The levels.
        levels: Vec<String>,
    },
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Numbers(cells) => cells.len(),
            Cells::Counts(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
            Cells::Categories { codes, .. } => codes.len(),
        }
    }

    /// Whether they are numbers, and all that are there the same.
    fn are_constant(&self) -> bool {
        fn same<T: PartialEq>(mut numbers: impl Iterator<Item = T>) -> bool {
            numbers.next().is_some_and(|first| numbers.all(|number| number == first))
        }
        match self {
            Cells::Numbers(cells) => same(cells.iter().filter(|number| !number.is_nan())),
            Cells::Counts(cells) => same(cells.iter().flatten()),
            Cells::Texts(_) | Cells::Categories { .. } => false,
        }
    }

    /// A cell as text, empty where it is missing.
    fn text(&self, row: usize) -> String {
        match self {
            Cells::Numbers(cells) if cells[row].is_nan() => String::new(),
            Cells::Numbers(cells) => cells[row].to_string(),
            Cells::Counts(cells) => cells[row].map_or(String::new(), |count| count.to_string()),
            Cells::Texts(cells) => cells[row].clone().unwrap_or_default(),
            Cells::Categories { codes, levels } => {
                codes[row].and_then(|code| levels.get(code as usize).cloned()).unwrap_or_default()
            }
        }
    }
}

/// The columns of a table of plain numbers without names or labels, where any finite number will do: nothing else need be
/// looked at, cell by cell. None for other tables.
fn plain<'a>(builder: &Builder, columns: &'a [(String, Cells)]) -> Option<Vec<&'a [f64]>> {
    let plan = &builder.plan;
    let numbers = |(at, column): (usize, &usize)| match &columns[*column].1 {
        Cells::Numbers(cells) if builder.is_plain(at) => Some(&cells[..]),
        _ => None,
    };
    let alone = plan.id.is_none() && plan.label.is_none();
    plan.data.iter().enumerate().map(numbers).collect::<Option<_>>().filter(|_| alone)
}

impl Table {
    /// Some rows as columns in memory, without names and labels.
    pub(crate) fn chosen(&self, rows: &[usize]) -> Vec<(String, Cells)> {
        let column = |at: usize| {
            let cells = rows.iter().map(|&row| self.row(row)[at]);
            let cells = match &self.levels[at][..] {
                [] => Cells::Numbers(cells.collect()),
                levels => Cells::Categories {
                    codes: cells.map(|cell| (!cell.is_nan()).then_some(cell as u32)).collect(),
                    levels: levels.to_vec(),
                },
            };
            (self.names[at].clone(), cells)
        };
        (0..self.columns).map(column).collect()
    }

    /// A table from columns in memory; `source` is its name in messages. Columns are chosen, and given their roles, by
    /// the options, as for a file.
    ///
    /// ```
    /// use partita_run::data::{Cells, ReadOptions, Table};
    /// let columns = [
    ///     ("mass".to_string(), Cells::Numbers(vec![1.5, 3.0])),
    ///     ("eggs".to_string(), Cells::Counts(vec![Some(2), Some(0)])),
    /// ];
    /// let table = Table::from_columns("birds", &columns, &ReadOptions::default())?;
    /// assert_eq!(table.row(1), [3.0, 0.0]);
    /// let short = [columns[0].clone(), ("eggs".to_string(), Cells::Counts(vec![Some(2)]))];
    /// let refused = Table::from_columns("birds", &short, &ReadOptions::default()).unwrap_err();
    /// assert_eq!(refused.to_string(), "birds: column \"eggs\" has 1 row, but \"mass\" has 2; give all columns the same length");
    /// # Ok::<(), partita_run::data::DataError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the readers, with the row and the column.
    pub fn from_columns(
        source: &str,
        columns: &[(String, Cells)],
        options: &ReadOptions,
    ) -> Result<Table, DataError> {
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        if let Some((name, cells)) = columns.iter().find(|(_, cells)| cells.len() != rows) {
            return Err(DataError::UnequalColumns {
                file: source.to_owned(),
                column: name.clone(),
                rows: cells.len(),
                first: columns[0].0.clone(),
                expected: rows,
            });
        }
        let given = options;
        let mut options = options.clone();
        for (name, cells) in columns {
            let said = options.kinds.iter().any(|(column, _)| column == name);
            match cells {
                Cells::Counts(_) if !said => options.kinds.push((name.clone(), Kind::Count)),
                Cells::Categories { levels, .. } if !said => {
                    options.kinds.push((name.clone(), Kind::Category));
                    options.levels.push((name.clone(), levels.clone()));
                }
                _ => {}
            }
        }
        let names = columns.iter().map(|(name, _)| name.clone()).collect();
        let mut plan = Plan::new(source, header_names(source, names)?, None, &options)?;
        let understood = match options.guess {
            Guess::All => found(columns, &plan.names, given)?,
            _ => Understood { columns: plan.columns(), writing: Vec::new() },
        };
        plan.adopt(&understood);
        let mut builder = Builder::new(source, plan, &options);
        builder.values.reserve(rows * builder.plan.data.len());
        let plain = plain(&builder, columns);
        for row in 0..rows {
            let place = Place::Row(row as u64 + 1);
            if let Some(plain) = &plain {
                for (at, cells) in plain.iter().enumerate() {
                    let cell = cells[row];
                    let value = if cell.is_finite() { cell } else { builder.checked(cell, place, at)? };
                    builder.values.push(value);
                }
                continue;
            }
            for at in 0..builder.plan.data.len() {
                let column = builder.plan.data[at];
                let value = match &columns[column].1 {
                    Cells::Numbers(cells) => builder.checked(cells[row], place, at)?,
                    Cells::Counts(cells) if cells[row].is_some() => {
                        builder.checked(cells[row].map_or(f64::NAN, |count| count as f64), place, at)?
                    }
                    cells => match &cells.text(row)[..] {
                        "" => builder.missing(place, column, "")?,
                        text => match builder.word(place, at, text) {
                            Some(level) => level?,
                            None => match text.parse::<f64>() {
                                // A text is a number only where that was said.
                                Ok(number) if builder.plan.kinds[at].is_some() => {
                                    builder.checked(number, place, at)?
                                }
                                _ => {
                                    let name = &builder.plan.names[column];
                                    return Err(DataError::not_a_number(source, place, name, text, false));
                                }
                            },
                        },
                    },
                };
                builder.values.push(value);
            }
            if let Some(column) = builder.plan.id {
                builder.push_id(place, column, &columns[column].1.text(row))?;
            }
            if let Some(column) = builder.plan.label {
                builder.push_label(&columns[column].1.text(row));
            }
        }
        Ok(Table { understood, ..builder.finish()? })
    }
}

/// What columns serve for. Numbers are looked at only if they are called identifiers or never vary: that is quick.
fn found(
    columns: &[(String, Cells)],
    names: &[String],
    options: &ReadOptions,
) -> Result<Understood, DataError> {
    let plan = Plan::new("", names.to_vec(), None, options)?;
    let survey = |((_, cells), name): (&(String, Cells), &String)| {
        let mut column = Column::new(name);
        let telling = match cells {
            Cells::Texts(_) => true,
            Cells::Numbers(_) | Cells::Counts(_) => identifier::is(name) || cells.are_constant(),
            Cells::Categories { .. } => false,
        };
        (0..cells.len()).filter(|_| telling).for_each(|row| column.see(cells.text(row).as_bytes()));
        column
    };
    let surveyed: Vec<Column> = columns.iter().zip(names).map(survey).collect();
    let findings = Findings::new(&surveyed, &plan.said(options), b',', true);
    // Texts in memory are words, whatever they look like.
    Ok(Understood { writing: Vec::new(), ..findings.understood })
}

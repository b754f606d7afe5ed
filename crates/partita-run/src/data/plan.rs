//! Which columns of a file are data, row names or known labels, from names and options.

use super::error::{DataError, list, quote};
use super::understood::{FileColumn, Role, Understood};
use super::{Kind, ReadOptions, default_names};

/// What was said of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// That it has this role.
    Role(Role),
    /// That it is data, or what it holds.
    Data,
    /// That it holds numbers.
    Numbers,
    /// Nothing, but the format has row names there: a column without a name.
    Index,
    /// Nothing.
    Nothing,
}

/// The role of each column of a file.
#[derive(Debug)]
pub(super) struct Plan {
    /// Columns of data, in table order, as positions in the file.
    pub data: Vec<usize>,
    /// The column of row names.
    pub id: Option<usize>,
    /// The column of the known clustering.
    pub label: Option<usize>,
    /// What the columns of data hold, where that was said.
    pub kinds: Vec<Option<Kind>>,
    /// The levels that they may have, where those are known.
    pub levels: Vec<Option<Vec<String>>>,
    /// Every column of the file.
    pub names: Vec<String>,
}

impl Plan {
    /// Gives each column its role; `index` is a column of row names known from the format itself.
    pub fn new(
        file: &str,
        names: Vec<String>,
        index: Option<usize>,
        options: &ReadOptions,
    ) -> Result<Plan, DataError> {
        let find = |asked: &String| find(file, &names, asked);
        let label = options.label_column.as_ref().map(find).transpose()?;
        let id = options.id_column.as_ref().map(find).transpose()?;
        let mut away = options.drop.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let mut kinds = vec![None; names.len()];
        for (column, kind) in &options.kinds {
            kinds[find(column)?] = Some(*kind);
        }
        let mut levels = vec![None; names.len()];
        for (column, known) in &options.levels {
            levels[find(column)?] = Some(known.clone());
        }
        away.extend(id.into_iter().chain(label));
        let mut left = vec![true; names.len()];
        for column in away {
            left[column] = false;
        }
        let wanted = match &options.columns {
            Some(columns) => columns.iter().map(find).collect::<Result<Vec<_>, _>>()?,
            None => (0..names.len()).filter(|&column| index != Some(column)).collect(),
        };
        let index = index.filter(|&column| left[column] && !wanted.contains(&column));
        let data: Vec<usize> =
            wanted.into_iter().filter(|&column| std::mem::take(&mut left[column])).collect();
        if data.is_empty() {
            return Err(DataError::NoColumns { file: file.to_owned() });
        }
        let of_data = data.iter().map(|&column| kinds[column].take()).collect();
        if let Some(column) = kinds.iter().position(Option::is_some) {
            return Err(DataError::UnusedKind { file: file.to_owned(), column: names[column].clone() });
        }
        let levels = data.iter().map(|&column| levels[column].take()).collect();
        Ok(Plan { data, id: id.or(index), label, kinds: of_data, levels, names })
    }

    /// What is known of every column before its cells are looked at.
    pub fn said(&self, options: &ReadOptions) -> Vec<Said> {
        let named = options.columns.is_some();
        let index = options.id_column.is_none();
        let one = |column: usize| match self.data.iter().position(|&data| data == column) {
            Some(at) if matches!(self.kinds[at], Some(Kind::Normal | Kind::Count)) => Said::Numbers,
            Some(at) if named || self.kinds[at].is_some() || self.levels[at].is_some() => Said::Data,
            Some(_) => Said::Nothing,
            None if self.id == Some(column) && index => Said::Index,
            None if self.id == Some(column) => Said::Role(Role::Names),
            None if self.label == Some(column) => Said::Role(Role::Labels),
            None => Said::Role(Role::Dropped),
        };
        (0..self.names.len()).map(one).collect()
    }

    /// Every column with the role that was said; nothing is known of its cells.
    pub fn columns(&self) -> Vec<FileColumn> {
        let role = |column: usize| match () {
            () if self.data.contains(&column) => Role::Data,
            () if self.id == Some(column) => Role::Names,
            () if self.label == Some(column) => Role::Labels,
            () => Role::Dropped,
        };
        let one = |(column, name): (usize, &String)| FileColumn {
            name: name.clone(),
            role: role(column),
            missing: 0,
            found: false,
        };
        self.names.iter().enumerate().map(one).collect()
    }

    /// Takes over what was found out about the columns.
    pub fn adopt(&mut self, understood: &Understood) {
        let role = |column: usize| understood.columns[column].role;
        let kept: Vec<usize> = (0..self.data.len()).filter(|&at| role(self.data[at]) == Role::Data).collect();
        self.kinds = kept.iter().map(|&at| self.kinds[at]).collect();
        self.levels = kept.iter().map(|&at| self.levels[at].take()).collect();
        self.data = kept.iter().map(|&at| self.data[at]).collect();
        self.id = (0..self.names.len()).find(|&column| role(column) == Role::Names);
    }

    /// Names of the data columns.
    pub fn data_names(&self) -> Vec<String> {
        self.data.iter().map(|&column| self.names[column].clone()).collect()
    }
}

/// Names for the columns of a file with a header; a nameless column is named after its position.
pub(super) fn header_names(file: &str, header: Vec<String>) -> Result<Vec<String>, DataError> {
    let stand_ins = default_names(header.len());
    let names: Vec<String> = header
        .into_iter()
        .zip(stand_ins)
        .map(|(name, stand_in)| if name.is_empty() { stand_in } else { name })
        .collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&column| (&names[column], column));
    let twin = order.windows(2).find(|pair| names[pair[0]] == names[pair[1]]);
    match twin {
        Some(pair) => Err(DataError::DuplicateName {
            file: file.to_owned(),
            name: names[pair[0]].clone(),
            first: pair[0] + 1,
            second: pair[1] + 1,
        }),
        None => Ok(names),
    }
}

/// Finds a column by name, or else by number from 1.
fn find(file: &str, names: &[String], asked: &str) -> Result<usize, DataError> {
    if let Some(column) = names.iter().position(|name| name == asked) {
        return Ok(column);
    }
    match asked.parse::<usize>() {
        Ok(number) if (1..=names.len()).contains(&number) => Ok(number - 1),
        _ => Err(DataError::UnknownColumn {
            file: file.to_owned(),
            asked: asked.to_owned(),
            hint: hint(names, asked),
        }),
    }
}

/// The name nearest to what was asked for, or the names there are when none is near.
fn hint(names: &[String], asked: &str) -> String {
    let near = names
        .iter()
        .map(|name| (strsim::osa_distance(&name.to_lowercase(), &asked.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| 3 * distance <= name.chars().count().max(3));
    if let (Some((_, name)), Err(_)) = (near, asked.parse::<usize>()) {
        return format!("the closest name is {}", quote(name));
    }
    format!("its columns, numbered from 1, are {}", list(names))
}

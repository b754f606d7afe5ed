//! What was read, checked and described in words, and the model that is built from it.

use super::{Model, Own, column, family, looks, words};
use crate::Failure;
use crate::config::{Covariance, Facts, Options, Pca, Setup, Task, resolve};
use crate::data::{
    Cells, DataError, Guess, Kind, Missing, ReadOptions, Rotation, STANDARD_INPUT, Scaling, Table,
    Understood, Words, called,
};
use crate::engine::Origin;
use crate::graph::{GraphFile, read_graph};
use partita::summary::Reference;
use partita::{Graph, Partition};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What was read, besides the model: for messages, pictures and the identity of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// What is analysed, in a few words.
    pub title: String,
    /// The fingerprint of the data.
    pub fingerprint: String,
    /// The names of the items.
    pub item_names: Vec<String>,
    /// The table as the model sees it; `None` for graphs.
    pub table: Option<Table>,
    /// The table as pictures show it: numbers only, missing values filled in; `None` for graphs.
    pub picture: Option<Table>,
    /// The kind of each of its columns.
    pub kinds: Vec<Kind>,
    /// The graph; `None` for tables.
    pub graph: Option<GraphFile>,
    /// How its columns were standardised, if they were.
    pub scaling: Option<Scaling>,
    /// How the columns of the file became the principal components in the table, if they did.
    pub rotation: Option<Rotation>,
    /// The table before that, standardised as `rotation` says.
    pub original: Option<Table>,
    /// How the columns of the file were understood.
    pub understood: Understood,
    /// Sentences about what was read and done.
    pub said: Vec<String>,
    /// A user-defined likelihood; it stays in its process.
    #[serde(skip)]
    pub own: Option<Own>,
}

/// What a run is built from: the setup with nothing left open, the model, the data.
pub struct Loaded {
    /// What the model was built from, besides the data.
    pub setup: Setup,
    /// The model.
    pub model: Box<dyn Model>,
    /// The data.
    pub input: Arc<Input>,
}

/// Data that are already in memory, with their name in messages.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// The columns of a table.
    Columns(String, Vec<(String, Cells)>),
    /// The columns of a table, and a likelihood of its rows.
    Own(String, Vec<(String, Cells)>, Own),
    /// A likelihood of the rows of the file that the options name.
    OwnOfFile(Own),
    /// A graph.
    Graph(String, GraphFile),
}

impl Given {
    fn in_memory(&self) -> bool {
        !matches!(self, Given::OwnOfFile(_))
    }
}

/// Reads the data, decides what was left open, and builds the model.
pub fn load(task: Task, options: &Options) -> Result<Loaded, Failure> {
    load_given(task, options, None).map(|(loaded, _)| loaded)
}

/// The same with data from memory, if given. Defaults are those for a user's file, so the options must name something
/// as `data`. If the table cannot be read again, it is returned as it was before it was standardised.
pub fn load_given(
    task: Task,
    options: &Options,
    given: Option<&Given>,
) -> Result<(Loaded, Option<Table>), Failure> {
    load_as(options, task, options, given)
}

/// The same with a table that is read by other options: where a pilot chose the model, a table is read before there is one.
pub(crate) fn load_as(
    reading: &Options,
    task: Task,
    options: &Options,
    given: Option<&Given>,
) -> Result<(Loaded, Option<Table>), Failure> {
    let mut kept = None;
    let mut input = match task {
        Task::Fit => {
            let table = read_table(reading, given)?;
            let piped = options.data.as_ref().is_some_and(|path| path.as_os_str() == STANDARD_INPUT);
            kept = (given.is_some_and(Given::in_memory) || piped).then(|| table.clone());
            read(reading, table)?
        }
        Task::Color | Task::Blocks => read_edges(task, options, given)?,
    };
    let setup = Setup::resolve(task, options, input.facts()?)?;
    if let Some(Given::Own(.., own) | Given::OwnOfFile(own)) = given {
        input.own = Some(own.clone());
    }
    input.said.extend(input.graph.as_ref().and_then(|graph| looks::like_table(&input.title, graph)));
    let input = Arc::new(input);
    let model = build(&setup, &input)?;
    Ok((Loaded { setup, model, input }, kept))
}

/// The same options with the model left open.
pub(crate) fn without_model(options: &Options) -> Options {
    Options { model: None, cluster_prior: None, ..options.clone() }
}

/// The table of a fit as it is in the file, for models that take anything.
pub(crate) fn raw_table(options: &Options, given: Option<&Given>) -> Result<Table, Failure> {
    read_table(&without_model(options), given)
}

/// What is to be said of the model of a setup.
pub(crate) fn about(options: &Options, setup: &Setup, input: &Input) -> Result<Vec<String>, Failure> {
    if input.own.is_some() {
        return Ok(Vec::new());
    }
    let mut said: Vec<String> = words::spreads_left_open(options, setup).into_iter().collect();
    said.extend(words::model(setup));
    said.extend(family::remarks(setup, input)?);
    Ok(said)
}

/// Builds the model of a setup for data that were read.
pub fn build(setup: &Setup, input: &Arc<Input>) -> Result<Box<dyn Model>, Failure> {
    if let Some(own) = &input.own {
        return own.build(setup, input);
    }
    let mut model = family::build(setup, input)?;
    model.set_origin(Origin::new(setup, input));
    Ok(model)
}

/// Reads the table of a fit; its kinds of cells are checked against what the model takes.
fn read_table(options: &Options, given: Option<&Given>) -> Result<Table, Failure> {
    let reading = resolve::reading(options);
    let delimiter = match reading.delimiter {
        Some(c) if c.is_ascii() => Some(c as u8),
        Some(c) => {
            return Err(Failure::option(
                "delimiter",
                format!("`delimiter` must be one ASCII character, but is `{c}`"),
            ));
        }
        None => None,
    };
    let covariance = resolve::covariance(options);
    let anything = covariance.family().cells.any();
    let special = reading.column_type.iter().find(|column| column.kind != Kind::Normal);
    if let Some(column) = special.filter(|_| !anything) {
        return Err(Failure::option(
            "column_type",
            format!(
                "`column_type = {column}` cannot be used with `model = {covariance}`, which takes real numbers only: \
             use `model = {TAKES_ALL}`"
            ),
        ));
    }
    let read = ReadOptions {
        delimiter,
        header: reading.header,
        columns: reading.columns,
        drop: reading.drop,
        id_column: reading.id_column,
        label_column: reading.label_column,
        missing: if anything { Missing::Keep } else { Missing::Refuse },
        words: if anything { Words::Levels } else { Words::Refuse },
        kinds: reading.column_type.into_iter().map(|column| (column.column, column.kind)).collect(),
        levels: Vec::new(),
        one_row: false,
        // A likelihood of one's own is given the columns as they are.
        guess: match given {
            Some(Given::Own(..) | Given::OwnOfFile(_)) => Guess::Nothing,
            _ => Guess::All,
        },
        sheet: reading.sheet,
    };
    let table = match (given, &options.data) {
        (Some(Given::Columns(source, columns) | Given::Own(source, columns, _)), _) => {
            Table::from_columns(source, columns, &read)
        }
        (_, Some(path)) => Table::read(path, &read),
        (_, None) => crate::demo::penguins(!anything),
    };
    let table = table.map_err(|error| refusal(error, covariance))?;
    match &table.gap {
        Some(gap) if !anything => Err(refusal(gap.clone(), covariance)),
        _ => Ok(table),
    }
}

/// The model that takes counts, categories and missing values: the way out for files that others refuse.
const TAKES_ALL: Covariance = Covariance::Diagonal;

/// What is wrong with a file, and which model would take it.
fn refusal(error: DataError, covariance: Covariance) -> Failure {
    let way_out = match error {
        _ if covariance.family().cells.any() => String::new(),
        DataError::MissingCell { .. } => format!(
            "; `model = {covariance}` needs complete data, `model = {TAKES_ALL}` takes missing values"
        ),
        DataError::NotANumber { .. } => format!(
            "; `model = {covariance}` takes numbers only, `model = {TAKES_ALL}` also takes categories"
        ),
        _ => String::new(),
    };
    Failure::Data { error: error.into(), way_out }
}

/// What there is to know of a table that was read.
fn read(options: &Options, mut table: Table) -> Result<Input, Failure> {
    let columns = if table.columns == 1 { "column" } else { "columns" };
    let mut said = vec![format!("{}: {} rows, {} {columns}", table.source, table.rows, table.columns)];
    said.extend(table.understood.sentences());
    said.extend(looks::like_edges(&table).filter(|_| options.data.is_some()));
    let understood = table.understood.clone();
    let (rotation, original) = match options.pca {
        Some(pca) => {
            let (rotation, original) = rotate(options, pca, &mut table)?;
            (Some(rotation), Some(original))
        }
        None => (None, None),
    };
    said.extend(rotation.as_ref().map(Rotation::sentence));
    let kinds = resolve::covariance(options).family().cells.kinds(&mut table);
    if kinds.iter().any(|kind| *kind != Kind::Normal) {
        said.push(words::columns(&table, &kinds));
    }
    let missing = table.values.iter().filter(|value| value.is_nan()).count();
    if missing > 0 {
        let share = match 100.0 * missing as f64 / table.values.len() as f64 {
            share if share < 0.05 => "under 0.1%".to_owned(),
            share => format!("{share:.1}%"),
        };
        let (values, are) =
            (crate::words::count(missing as u64, "missing value"), if missing == 1 { "is" } else { "are" });
        said.push(format!("{values} ({share} of the cells) {are} left out of the likelihood"));
    }
    let scaling = if resolve::standardize(options) {
        if kinds.contains(&Kind::Normal) {
            let which =
                if kinds.iter().all(|kind| *kind == Kind::Normal) { "columns" } else { "normal columns" };
            said.push(format!(
                "{which} standardised to mean 0 and standard deviation 1 (`standardize = false` keeps their units)"
            ));
        }
        Some(table.standardize()?)
    } else {
        None
    };
    let item_names = table.ids.clone().unwrap_or_else(|| (0..table.rows).map(|i| i.to_string()).collect());
    let picture = column::picture(&table, &kinds);
    Ok(Input {
        title: table.source.clone(),
        fingerprint: table.fingerprint.clone(),
        item_names,
        table: Some(table),
        picture: Some(picture),
        kinds,
        graph: None,
        scaling,
        rotation,
        original,
        understood,
        said,
        own: None,
    })
}

/// Turns a table to its principal components. Columns are standardised first, as they would be without it; the table as it
/// was then comes back as well.
fn rotate(options: &Options, pca: Pca, table: &mut Table) -> Result<(Rotation, Table), Failure> {
    let numbers = |kind: &Option<Kind>| *kind != Some(Kind::Category);
    if table.kinds.iter().all(numbers) {
        table.kinds.fill(Some(Kind::Normal));
    }
    let scaling = match resolve::standardize(options) && table.kinds.iter().all(numbers) {
        true => Some(table.standardize()?),
        false => None,
    };
    let original = table.clone();
    Ok((table.rotate(pca, scaling)?, original))
}

/// A table has to have more columns than this, and more than rows, to be called wide.
const WIDE: usize = 100;
/// Principal components that are proposed at most.
const PROPOSED: usize = 10;

/// That a table is so wide that its clusters would hardly be found, and a way that works; none where it is not.
pub(crate) fn wide(options: &Options, input: &Input) -> Option<String> {
    let table = input.table.as_ref().filter(|table| table.columns > table.rows.max(WIDE))?;
    let said = options.model.is_some_and(|choice| choice.named().is_some());
    let proposed = (table.rows / 5).clamp(2, PROPOSED);
    let otherwise = match said {
        true => String::new(),
        false => format!("; `model = {TAKES_ALL}` uses all columns anyway"),
    };
    Some(format!(
        "{} has more columns ({}) than rows ({}): with so many, either every row becomes its own cluster or all rows form \
         one, and chains rarely meet; `pca = {proposed}` clusters the first {proposed} principal components, `pca = 90%` as \
         many as explain 90% of the variance{otherwise}",
        input.title, table.columns, table.rows
    ))
}

/// Reads the graph of a task.
fn read_edges(task: Task, options: &Options, given: Option<&Given>) -> Result<Input, Failure> {
    if task == Task::Color && options.data.is_some() && options.colors.is_none() {
        return Err(Failure::option("colors", "`colors` is required: the number of colours".into()));
    }
    let Some(path) = options.data.clone() else {
        return Err(Failure::option(
            "data",
            format!("`{task}` needs a graph: an edge list or a DIMACS .col file"),
        ));
    };
    let (file, title) = match given {
        Some(Given::Graph(title, graph)) => (graph.clone(), title.clone()),
        _ => (read_graph(&path)?, called(&path)),
    };
    let colors = match options.colors.filter(|_| task == Task::Color) {
        Some(colors) => format!(", {colors} colours"),
        None => String::new(),
    };
    Ok(Input {
        said: vec![format!("{title}: {} vertices, {} edges{colors}", file.names.len(), file.edges.len())],
        title,
        fingerprint: file.fingerprint.clone(),
        item_names: file.names.clone(),
        table: None,
        picture: None,
        kinds: Vec::new(),
        graph: Some(file),
        scaling: None,
        rotation: None,
        original: None,
        understood: Understood::default(),
        own: None,
    })
}

impl Input {
    /// The same with some rows of the table alone, in the units of the whole; known labels are left out.
    pub(crate) fn sampled(&self, rows: &[usize]) -> Input {
        let of_rows = |table: &Table| Table {
            rows: rows.len(),
            values: rows.iter().flat_map(|&row| table.row(row)).copied().collect(),
            ids: None,
            labels: None,
            ..table.clone()
        };
        let (table, picture) = (self.table.as_ref().map(of_rows), self.picture.as_ref().map(of_rows));
        let item_names = rows.iter().map(|&row| self.item_names[row].clone()).collect();
        Input { item_names, table, picture, ..self.clone() }
    }

    /// What defaults depend on.
    pub(crate) fn facts(&self) -> Result<Facts, Failure> {
        match &self.table {
            Some(table) => Ok(Facts::Table { columns: table.columns }),
            None => Ok(Facts::Graph { largest_degree: self.graph()?.max_degree() }),
        }
    }

    /// The columns of the file, even where the model sees their principal components: the table, what each column holds, and
    /// how they were standardised. None for graphs.
    pub(crate) fn file_columns(&self) -> Option<(&Table, Vec<Kind>, Option<&Scaling>)> {
        match (&self.original, &self.rotation) {
            (Some(table), Some(rotation)) => {
                Some((table, vec![Kind::Normal; table.columns], rotation.scaling.as_ref()))
            }
            _ => Some((self.table.as_ref()?, self.kinds.clone(), self.scaling.as_ref())),
        }
    }

    /// The graph that was read.
    pub(super) fn graph(&self) -> Result<Graph, Failure> {
        let file = self.graph.as_ref().expect("a graph was read");
        let edges: Vec<_> = file.edges.iter().map(|&(u, v)| (u as usize, v as usize)).collect();
        Ok(Graph::new(file.names.len(), &edges)?)
    }

    /// The known clustering, where there is one, and how many rows have no part in it.
    pub(crate) fn reference(&self) -> Result<Option<(Reference, usize)>, Failure> {
        let Some(labels) = self.table.as_ref().and_then(|table| table.labels.as_ref()) else {
            return Ok(None);
        };
        let (rows, clustering) = labels.known();
        let missing = labels.index.len() - rows.len();
        let clustering = Partition::from_labels(&clustering)?;
        let reference = match missing {
            0 => Reference::new(clustering),
            _ => Reference::among(rows, clustering)?,
        };
        Ok(Some((reference, missing)))
    }
}

//! Gaussian clusters, each with an unknown covariance matrix of its real columns; counts and categories beside it.

use super::{Cells, Covariance, Family, Fit};
use crate::Failure;
use crate::config::{ClusterPrior, ColumnType, CovariancePrior, ModelChoice, Options};
use crate::data::{Kind, Table};
use crate::model::{Input, Model, column, words};
use partita::likelihood::{Beside, NormalInverseWishart, Shape, TablePrior};
use partita::{Full, Mixed, Mixture};

pub(super) const FAMILY: Family = Family {
    cells: Cells::NumbersFirst,
    clusters,
    advice: "`model = diagonal` or shared, fewer `columns`",
    remarks,
    build,
};

fn clusters(prior: &ClusterPrior) -> String {
    let matrix = "an unknown covariance matrix per cluster";
    match prior {
        ClusterPrior::Like(TablePrior { shape, share, freedom, kappa }) => {
            let about = match shape {
                Shape::Table => "the covariance of the table",
                Shape::Columns => "the variances of the columns",
            };
            format!("{matrix}, prior centred on {about} (share {share}, freedom {freedom}, kappa {kappa})")
        }
        _ => matrix.into(),
    }
}

/// Which columns share a covariance matrix.
#[derive(Debug, PartialEq)]
struct Layout {
    /// Those that do: a row has all of their cells or none.
    block: Vec<usize>,
    /// All others.
    beside: Vec<usize>,
    /// Of these, real columns with gaps of their own.
    gaps: Vec<usize>,
    /// And real columns that follow from those of the block: they count as missing.
    determined: Vec<usize>,
}

impl Layout {
    /// The block is made of the real columns that have the same gaps, those of most cells: the law of a row that has a part
    /// of the block only has no closed form.
    fn new(table: &Table, kinds: &[Kind], prior: &ClusterPrior) -> Layout {
        let real: Vec<usize> = (0..table.columns).filter(|&column| kinds[column] == Kind::Normal).collect();
        let gaps = |column: usize| -> Vec<usize> {
            (0..table.rows).filter(|&row| table.row(row)[column].is_nan()).collect()
        };
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for &column in &real {
            let gaps = gaps(column);
            match groups.iter_mut().find(|(others, _)| *others == gaps) {
                Some((_, columns)) => columns.push(column),
                None => groups.push((gaps, vec![column])),
            }
        }
        let cells = |(gaps, columns): &(Vec<usize>, Vec<usize>)| (table.rows - gaps.len()) * columns.len();
        // The first of those with most.
        groups.reverse();
        let (_, mut block) = groups.into_iter().max_by_key(cells).unwrap_or_default();
        let gaps = real.into_iter().filter(|column| !block.contains(column)).collect();
        let mut determined = Vec::new();
        if matches!(prior, ClusterPrior::Like(_)) && !block.is_empty() {
            let values = chosen(table, &block);
            determined = NormalInverseWishart::determined(&values, block.len()).unwrap_or_default();
            determined.iter_mut().for_each(|at| *at = block[*at]);
            block.retain(|column| !determined.contains(column));
        }
        let beside = (0..table.columns).filter(|column| !block.contains(column)).collect();
        Layout { block, beside, gaps, determined }
    }
}

/// Some columns of a table.
fn chosen(table: &Table, columns: &[usize]) -> Vec<f64> {
    (0..table.rows).flat_map(|row| columns.iter().map(move |&column| table.row(row)[column])).collect()
}

fn remarks(fit: &Fit) -> Vec<String> {
    let layout = Layout::new(fit.table, &fit.input.kinds, &fit.law.clusters);
    let names = |columns: &[usize]| {
        words::list(&columns.iter().map(|&column| fit.table.names[column].clone()).collect::<Vec<_>>())
    };
    let mut said = Vec::new();
    if !layout.gaps.is_empty() {
        let whose = if layout.gaps.len() == 1 { "its" } else { "their" };
        let columns = names(&layout.gaps);
        said.push(format!(
            "modelled outside the covariance matrices, as {whose} missing values are in other rows: {columns}"
        ));
    }
    if !layout.determined.is_empty() {
        let columns = names(&layout.determined);
        said.push(format!("left out, as determined by other columns (a copy, a sum, a constant): {columns}"));
    }
    if let Some(&first) = layout.block.first() {
        let missing = (0..fit.table.rows).filter(|&row| fit.table.row(row)[first].is_nan()).count();
        match missing {
            0 => (),
            1 => said.push("1 row has no values in the columns of the covariance matrices and is left out of them".into()),
            more => said.push(format!(
                "{more} rows have no values in the columns of the covariance matrices and are left out of them"
            )),
        }
    }
    said
}

fn build(fit: &Fit) -> Result<Box<dyn Model>, Failure> {
    let layout = Layout::new(fit.table, &fit.input.kinds, &fit.law.clusters);
    let (block, beside) = (&layout.block, &layout.beside);
    if block.is_empty() {
        return Err(Failure::BadInput(format!(
            "{}: there are no two numeric columns to correlate, so `model = full` does not apply: use `model = diagonal`",
            fit.table.source
        )));
    }
    let values = chosen(fit.table, block);
    let wishart = match fit.law.clusters {
        ClusterPrior::Like(prior) => NormalInverseWishart::of_table(&values, block.len(), prior)?,
        _ => NormalInverseWishart::weak(block.len()),
    };
    let rows = Full::new(values, &wishart).map_err(|error| in_table(error, block));
    if beside.is_empty() {
        return fit.problem(rows.map(|rows| Mixture::new(fit.prior, rows)));
    }
    let kinds = &fit.input.kinds;
    let columns = column::likelihoods(fit.table, kinds, column::real(kinds) - layout.determined.len());
    let columns: Vec<_> = beside.iter().map(|&column| columns[column].clone()).collect();
    let mut cells = chosen(fit.table, beside);
    for (at, cell) in cells.iter_mut().enumerate() {
        if layout.determined.contains(&beside[at % beside.len()]) {
            *cell = f64::NAN;
        }
    }
    let others = Mixed::new(&cells, &columns).map_err(|error| in_table(error, beside));
    let both = rows.and_then(|rows| Beside::new((rows, block), (others?, beside)));
    fit.problem(both.map(|rows| Mixture::new(fit.prior, rows)))
}

/// An error about one of the columns chosen, as one about a column of the table.
fn in_table(error: partita::Error, columns: &[usize]) -> partita::Error {
    match error {
        partita::Error::TooLarge { item, coordinate, value } => {
            partita::Error::TooLarge { item, coordinate: columns[coordinate], value }
        }
        partita::Error::CountsTooLarge { column } => {
            partita::Error::CountsTooLarge { column: columns[column] }
        }
        other => other,
    }
}

/// A model that may suit a table: its name, and the options that select it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The family.
    pub covariance: Covariance,
    /// Its prior, as [`CovariancePrior`] writes it; `None` if the family has only one.
    pub prior: Option<CovariancePrior>,
    /// `model`, `cluster_prior`, and `column_type` where other models would read a column differently.
    /// Combined with the options of a run ([`Options::or`]), they select this model.
    pub options: Options,
}

/// The shapes, volume shares, freedoms and kappas worth trying beside the weak prior; of each shape the safe end first. Few
/// degrees of freedom let clusters be as narrow as they like, and shatter wide tables. `docs/model-choice.md` has what each
/// does on well-known tables.
const GRID: [(Shape, f64, f64, f64); 5] = [
    (Shape::Columns, 0.1, 2.0, 0.3),
    (Shape::Columns, 0.5, 1.0, 1.0),
    (Shape::Table, 0.2, 4.0, 0.3),
    (Shape::Table, 0.2, 2.0, 0.1),
    (Shape::Table, 0.5, 1.0, 1.0),
];

/// The models that may suit a table: `diagonal`, the simplest, then full covariances with each prior of a small grid.
/// All give densities of the same cells in the same units, so that their
/// [scores](crate::model::Questions::leave_one_out) are comparable.
///
/// `input` is the table as `diagonal` reads it. There is only one candidate if fewer than two columns could be
/// correlated.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("partita-candidates-{}.csv", std::process::id()));
/// # std::fs::write(&path, "x,y,visits\n0.1,11,0\n0.35,12.5,7\n2,12.2,1\n1.9,13,3\n").unwrap();
/// use partita_run::config::{Covariance, ModelChoice, Options, Task};
/// use partita_run::model::{Questions, candidates, load};
/// let options = Options { data: Some(path.clone()), model: Some(ModelChoice::Named(Covariance::Diagonal)), ..Options::default() };
/// let input = load(Task::Fit, &options)?.input;
/// let all = candidates(&input);
/// assert_eq!(all.len(), 7);
/// for candidate in all {
///     // The same cells in all of them: `visits` is a count to `diagonal`, and so it is to `full`.
///     let loaded = load(Task::Fit, &candidate.options.or(options.clone()))?;
///     assert_eq!(loaded.input.kinds, input.kinds);
///     let z = partita::Partition::one_cluster(4)?;
///     assert_eq!(loaded.model.leave_one_out(&z).map(|densities| densities.len()), Some(4));
/// }
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), partita_run::Failure>(())
/// ```
pub fn candidates(input: &Input) -> Vec<Candidate> {
    let Some(table) = &input.table else { return Vec::new() };
    let all_real = input.kinds.iter().all(|kind| *kind == Kind::Normal);
    let declared = || {
        let columns = table.names.iter().zip(&input.kinds);
        columns.map(|(name, &kind)| ColumnType { column: name.clone(), kind }).collect()
    };
    let column_type: Option<Vec<ColumnType>> = (!all_real).then(declared);
    let one = |covariance: Covariance, prior: Option<CovariancePrior>| Candidate {
        covariance,
        prior,
        options: Options {
            model: Some(ModelChoice::Named(covariance)),
            cluster_prior: prior.filter(|prior| *prior != CovariancePrior::Weak),
            column_type: column_type.clone(),
            ..Options::default()
        },
    };
    let mut all = vec![one(Covariance::Diagonal, None)];
    let layout = Layout::new(table, &input.kinds, &ClusterPrior::Weak);
    if layout.block.len() > 1 {
        let like = |(shape, share, freedom, kappa)| {
            CovariancePrior::Like(TablePrior { shape, share, freedom, kappa })
        };
        let priors = [CovariancePrior::Weak].into_iter().chain(GRID.map(like));
        all.extend(priors.map(|prior| one(Covariance::Full, Some(prior))));
    }
    all
}

//! User-defined likelihoods in place of a family's; partition priors, moves, couplings and answers stay the same.

use super::choices::AnyStart;
use super::problem::{Parts, problem};
use super::{Input, Model};
use crate::Failure;
use crate::config::{self, Law, Setup};
use partita::kernel::Neighbors;
use partita::prior::Components;
use partita::start::{Fixed, FromPrior};
use partita::{Likelihood, Mixture, Partition, Prior};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

type Build = dyn Fn(&Setup, &Input) -> Result<Box<dyn Model>, Failure> + Send + Sync;

/// A user-defined likelihood, from which models can be built repeatedly.
///
/// ```
/// use partita::Gaussian;
/// use partita_run::config::{Options, Task};
/// use partita_run::data::Cells;
/// use partita_run::engine::Threads;
/// use partita_run::model::{Given, Own};
/// use partita_run::session::{Held, Request};
/// use std::sync::atomic::AtomicBool;
///
/// let x = vec![0.1, -0.1, 0.0, 4.9, 5.1];
/// let own = Own::new({
///     let x = x.clone();
///     move || Gaussian::isotropic(x.clone(), 1, 3.0, 0.5).expect("these are data")
/// });
/// let data = Given::Own("points".into(), vec![("x".into(), Cells::Numbers(x))], own.clone());
/// let options = Options {
///     data: Some("points".into()),
///     lag: Some(5),
///     burn_in: Some(5),
///     sweeps: Some(50),
///     replicates: Some(50),
///     ..Options::default()
/// };
/// let request = Request { task: Task::Fit, meetings_only: false, options, force: false, command: "example".into() };
/// let run = Held::start(&Threads(2), request, Some(&data), &AtomicBool::new(false), &mut ())?;
/// let labels = run.answers().unwrap().labels().unwrap();
/// assert_eq!(labels.clusters, [0, 0, 0, 1, 1]);
///
/// // Saved, it is opened with the same likelihood, and with no other.
/// let room = std::env::temp_dir().join(format!("partita-own-{}", std::process::id()));
/// run.save(&room, true, &mut ())?;
/// let again = Held::open(&room, Some(&own), &mut ())?;
/// assert_eq!(again.sample(), run.sample());
/// let other = Own::new(|| Gaussian::isotropic(vec![0.0; 5], 1, 3.0, 0.5).expect("these are data"));
/// assert!(Held::open(&room, Some(&other), &mut ()).unwrap_err().to_string().contains("not the likelihood"));
/// assert!(Held::from_bytes(&run.to_bytes(), None, &mut ()).is_err());
/// // The command has no likelihood to give.
/// let refused = partita_run::session::report(&room, Default::default(), &mut ()).unwrap_err();
/// assert!(refused.to_string().contains("user-defined likelihood"));
/// # std::fs::remove_dir_all(&room).unwrap();
/// # Ok::<(), partita_run::Failure>(())
/// ```
///
/// A run that is saved or sent does not contain it: whoever reads the run gives it again, and [`Mark`] tells whether it
/// is the same.
#[derive(Clone)]
pub struct Own {
    name: String,
    build: Arc<Build>,
    check: Arc<dyn Fn() -> f64 + Send + Sync>,
}

/// What a run keeps of a likelihood of one's own: enough to notice that another one is given in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// What it is called.
    pub name: String,
    /// The mean of the log densities of the first item, of the first two, ... of all, each time in one cluster: other
    /// data, another order or other parameters change it.
    pub check: f64,
}

impl Own {
    /// From a function that creates the likelihood, called whenever a model is built: its items are the rows of the
    /// table.
    pub fn new<L: Likelihood + 'static>(make: impl Fn() -> L + Send + Sync + 'static) -> Self {
        let make = Arc::new(make);
        let again = make.clone();
        Own {
            name: "own".into(),
            build: Arc::new(move |setup, input| build(setup, input, make())),
            check: Arc::new(move || check(&again())),
        }
    }

    /// The same under a name, which sentences call it by.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Own { name: name.into(), ..self }
    }

    /// What a run keeps of it.
    pub fn mark(&self) -> Mark {
        Mark { name: self.name.clone(), check: (self.check)() }
    }

    pub(super) fn build(&self, setup: &Setup, input: &Input) -> Result<Box<dyn Model>, Failure> {
        (self.build)(setup, input)
    }
}

impl Mark {
    /// Refuses what is not the likelihood of a run, by the marks of both: of none where it is a model of partita's.
    pub(crate) fn compare(run: Option<&Mark>, given: Option<&Mark>) -> Result<(), Failure> {
        let sentence = match (run, given) {
            (None, None) => return Ok(()),
            (Some(run), None) => format!(
                "this run has a user-defined likelihood ({}), whose code is not kept with it: open it from Python with \
                 `partita.load(directory, likelihood=...)`",
                run.name
            ),
            (None, Some(_)) => "this run has no user-defined likelihood: leave `likelihood` out".into(),
            (Some(run), Some(given)) if run.agrees(given) => return Ok(()),
            (Some(run), Some(given)) => format!(
                "this is not the likelihood of the run ({}), or its items are in a different order: its log densities are \
                 different (their check is {} instead of {})",
                run.name, given.check, run.check
            ),
        };
        Err(Failure::BadInput(sentence))
    }

    /// Other compilers and machines may round otherwise.
    fn agrees(&self, other: &Mark) -> bool {
        let (a, b) = (self.check, other.check);
        a == b || (a - b).abs() <= 1e-9 * a.abs().max(1.0)
    }
}

fn check(likelihood: &impl Likelihood) -> f64 {
    let (mut cluster, items) = (likelihood.empty(), likelihood.len());
    let (mut log_density, mut sum) = (0.0, 0.0);
    for item in 0..items {
        log_density += likelihood.log_predictive(&cluster, item);
        likelihood.insert(&mut cluster, item);
        sum += log_density;
    }
    sum / items as f64
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Own")
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Own) -> bool {
        Arc::ptr_eq(&self.build, &other.build)
    }
}

fn build<L: Likelihood + 'static>(
    setup: &Setup,
    input: &Input,
    likelihood: L,
) -> Result<Box<dyn Model>, Failure> {
    let Law::Mixture(law) = &setup.law else {
        return Err(Failure::BadInput("a user-defined likelihood is for tables: use `fit`".into()));
    };
    let items = input.item_names.len();
    if likelihood.len() != items {
        return Err(Failure::BadInput(format!(
            "the likelihood has {} items, but the table has {items} rows: they must be the same",
            likelihood.len()
        )));
    }
    let prior = law.prior.law()?;
    let start = match setup.start {
        config::Start::One => AnyStart::Fixed(Fixed(Partition::one_cluster(items)?)),
        config::Start::Prior => AnyStart::Prior(FromPrior { prior, items }),
        config::Start::Sequential => AnyStart::Sequential,
        other => {
            return Err(Failure::BadInput(format!(
                "`start = {other}` cannot be used with a user-defined likelihood: use prior, sequential or one"
            )));
        }
    };
    // Items strewn over up to ten clusters, whatever the prior likes.
    let strewn = Prior::finite_mixture(1.0, Components::Exactly(10))?;
    let second_start = AnyStart::Prior(FromPrior { prior: strewn, items });
    // What is near is not known: any two items will do.
    let near = || Neighbors::new(&vec![Vec::new(); items]).map(Arc::new);
    let mut parts = Parts::new(Mixture::new(prior, likelihood), start, Some(second_start));
    parts.near = setup.sampler.is_near().then(near).transpose()?;
    parts.reference = input.reference()?.map(|(reference, _)| reference);
    problem(setup, parts)
}

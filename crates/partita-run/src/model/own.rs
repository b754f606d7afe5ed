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
/// let data = Given::Own("points".into(), vec![("x".into(), Cells::Numbers(x))], own);
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
/// assert!(run.to_bytes().is_err());
/// # Ok::<(), partita_run::Failure>(())
/// ```
#[derive(Clone)]
pub struct Own(Arc<Build>);

impl Own {
    /// From a function that creates the likelihood, called whenever a model is built: its items are the rows of the
    /// table.
    pub fn new<L: Likelihood + 'static>(make: impl Fn() -> L + Send + Sync + 'static) -> Self {
        Own(Arc::new(move |setup, input| build(setup, input, make())))
    }

    pub(super) fn build(&self, setup: &Setup, input: &Input) -> Result<Box<dyn Model>, Failure> {
        (self.0)(setup, input)
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Own")
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Own) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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

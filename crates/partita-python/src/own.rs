//! User-defined likelihoods: five methods in Python, or compiled functions by their addresses.

use partita_run::model::Own;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// What the user's code has raised: chains cannot raise, so it is kept until it is asked for.
#[derive(Clone, Default)]
struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
    }

    fn raised(&self) -> PyResult<()> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take().map_or(Ok(()), Err)
    }
}

/// A user-defined likelihood: the object, and what chains use of it.
pub struct Likelihood {
    /// The object as given.
    pub object: Py<PyAny>,
    /// For `partita-run`, under the name of its class.
    pub own: Own,
    trouble: Trouble,
}

impl Likelihood {
    pub fn new(object: &Bound<PyAny>) -> PyResult<Self> {
        let trouble = Trouble::default();
        let own = likelihood(object, &trouble)?.named(&object.get_type().name()?.to_string());
        Ok(Likelihood { object: object.clone().unbind(), own, trouble })
    }

    pub fn clone_ref(&self, py: Python) -> Self {
        Likelihood { object: self.object.clone_ref(py), own: self.own.clone(), trouble: self.trouble.clone() }
    }

    /// Raises what the user's code has raised in the meantime.
    pub fn raised(&self) -> PyResult<()> {
        self.trouble.raised()
    }
}

/// Compiled functions if the object provides them, otherwise its five methods.
fn likelihood(object: &Bound<PyAny>, trouble: &Trouble) -> PyResult<Own> {
    if object.hasattr("__partita_likelihood__")? {
        let compiled = Compiled::new(object)?;
        return Ok(Own::new(move || compiled.clone()));
    }
    for method in ["__len__", "empty", "insert", "remove", "log_predictive"] {
        if !object.hasattr(method)? {
            return Err(PyTypeError::new_err(format!(
                "likelihood: it has no {method}: give __len__, empty, insert, remove and log_predictive"
            )));
        }
    }
    let own =
        InPython { object: Arc::new(object.clone().unbind()), len: object.len()?, trouble: trouble.clone() };
    Ok(Own::new(move || own.clone()))
}

/// Statistics of a cluster are a Python value, such as a tuple, which `insert` and `remove` create anew.
#[derive(Clone)]
struct InPython {
    object: Arc<Py<PyAny>>,
    len: usize,
    trouble: Trouble,
}

/// A Python value.
#[derive(Clone, Debug)]
struct Value(Arc<Py<PyAny>>);

impl InPython {
    /// The result of a call; if it raises, a placeholder, and the run ends soon.
    fn call<T>(&self, call: impl FnOnce(&Bound<PyAny>) -> PyResult<T>, otherwise: impl FnOnce() -> T) -> T {
        Python::attach(|py| call(self.object.bind(py))).unwrap_or_else(|error| {
            self.trouble.keep(error);
            otherwise()
        })
    }

    fn value(
        &self,
        cluster: Option<&Value>,
        call: impl FnOnce(&Bound<PyAny>) -> PyResult<Py<PyAny>>,
    ) -> Value {
        let same = || match cluster {
            Some(Value(value)) => value.clone(),
            None => Arc::new(Python::attach(|py| py.None())),
        };
        Value(self.call(|object| call(object).map(Arc::new), same))
    }
}

impl partita::Likelihood for InPython {
    type Cluster = Value;

    fn len(&self) -> usize {
        self.len
    }

    fn empty(&self) -> Value {
        self.value(None, |object| object.call_method0("empty").map(Bound::unbind))
    }

    fn insert(&self, cluster: &mut Value, item: usize) {
        let old = cluster.clone();
        *cluster = self.value(Some(&old), |object| {
            object.call_method1("insert", (old.0.bind(object.py()), item)).map(Bound::unbind)
        });
    }

    fn remove(&self, cluster: &mut Value, item: usize) {
        let old = cluster.clone();
        *cluster = self.value(Some(&old), |object| {
            object.call_method1("remove", (old.0.bind(object.py()), item)).map(Bound::unbind)
        });
    }

    fn log_predictive(&self, cluster: &Value, item: usize) -> f64 {
        let ask = |object: &Bound<PyAny>| {
            let value: f64 =
                object.call_method1("log_predictive", (cluster.0.bind(object.py()), item))?.extract()?;
            if value.is_nan() {
                let sentence = format!("likelihood: log_predictive of item {item} is not a number");
                return Err(pyo3::exceptions::PyValueError::new_err(sentence));
            }
            Ok(value)
        };
        self.call(ask, || 0.0)
    }

    fn work(&self) -> f64 {
        // A call to Python takes some thousands of operations.
        5000.0
    }
}

type Change = unsafe extern "C" fn(*const c_void, *mut f64, usize);
type Predict = unsafe extern "C" fn(*const c_void, *const f64, usize) -> f64;

/// Compiled functions: statistics of a cluster are a fixed number of numbers, all zero if it is empty.
#[derive(Clone)]
struct Compiled {
    data: usize,
    len: usize,
    width: usize,
    insert: Change,
    remove: Change,
    log_predictive: Predict,
    /// Keeps functions and data alive.
    _owner: Arc<Py<PyAny>>,
}

impl Compiled {
    fn new(object: &Bound<PyAny>) -> PyResult<Self> {
        let (data, len, width, insert, remove, predict): (usize, usize, usize, usize, usize, usize) =
            object.call_method0("__partita_likelihood__")?.extract()?;
        if [insert, remove, predict].contains(&0) {
            return Err(PyTypeError::new_err("likelihood: an address of a function is 0"));
        }
        // SAFETY: `__partita_likelihood__` promises addresses of functions with these signatures, which may be called
        // from any thread for as long as the object lives; it is kept alive below. There is no way to check that.
        #[expect(unsafe_code, reason = "functions that another compiler made")]
        let (insert, remove, log_predictive) = unsafe {
            (
                std::mem::transmute::<usize, Change>(insert),
                std::mem::transmute::<usize, Change>(remove),
                std::mem::transmute::<usize, Predict>(predict),
            )
        };
        let _owner = Arc::new(object.clone().unbind());
        Ok(Compiled { data, len, width, insert, remove, log_predictive, _owner })
    }
}

#[expect(unsafe_code, reason = "functions that another compiler made: see `Compiled::new`")]
impl partita::Likelihood for Compiled {
    type Cluster = Vec<f64>;

    fn len(&self) -> usize {
        self.len
    }

    fn empty(&self) -> Vec<f64> {
        vec![0.0; self.width]
    }

    fn insert(&self, cluster: &mut Vec<f64>, item: usize) {
        // SAFETY: as promised by the object; the cluster has `width` numbers.
        unsafe { (self.insert)(self.data as *const c_void, cluster.as_mut_ptr(), item) }
    }

    fn remove(&self, cluster: &mut Vec<f64>, item: usize) {
        // SAFETY: as above.
        unsafe { (self.remove)(self.data as *const c_void, cluster.as_mut_ptr(), item) }
    }

    fn log_predictive(&self, cluster: &Vec<f64>, item: usize) -> f64 {
        // SAFETY: as above.
        unsafe { (self.log_predictive)(self.data as *const c_void, cluster.as_ptr(), item) }
    }
}

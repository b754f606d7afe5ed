//! A likelihood of one's own, compiled: waiting times that are geometric, with a rate for each cluster.
//!
//! `partita.fit(likelihood=partita_waiting.Waiting(x))`. What partita needs are three functions and how many numbers
//! tell what is in a cluster; it finds their addresses by `__partita_likelihood__`. All numbers of an empty cluster
//! are 0.

use libm::lgamma;
use pyo3::prelude::*;
use std::ffi::c_void;

/// Item `i` waits `x[i]` failures for its success; the success probability of a cluster is Beta(1, 1).
#[pyclass(frozen)]
struct Waiting {
    x: Vec<f64>,
}

/// Successes and failures seen in a cluster.
const NUMBERS: usize = 2;

/// The data and a cluster from what partita hands over.
///
/// # Safety
///
/// `data` is the `Waiting` that gave its address, which lives as long as the run.
unsafe fn waiting<'a>(data: *const c_void) -> &'a Waiting {
    unsafe { &*data.cast::<Waiting>() }
}

unsafe extern "C" fn insert(data: *const c_void, cluster: *mut f64, item: usize) {
    let (x, cluster) = unsafe { (&waiting(data).x, std::slice::from_raw_parts_mut(cluster, NUMBERS)) };
    cluster[0] += 1.0;
    cluster[1] += x[item];
}

unsafe extern "C" fn remove(data: *const c_void, cluster: *mut f64, item: usize) {
    let (x, cluster) = unsafe { (&waiting(data).x, std::slice::from_raw_parts_mut(cluster, NUMBERS)) };
    cluster[0] -= 1.0;
    cluster[1] -= x[item];
}

unsafe extern "C" fn log_predictive(data: *const c_void, cluster: *const f64, item: usize) -> f64 {
    let (x, cluster) = unsafe { (&waiting(data).x, std::slice::from_raw_parts(cluster, NUMBERS)) };
    let (a, b, x) = (1.0 + cluster[0], 1.0 + cluster[1], x[item]);
    lgamma(a + 1.0) + lgamma(b + x) - lgamma(a + b + x + 1.0) - lgamma(a) - lgamma(b) + lgamma(a + b)
}

#[pymethods]
impl Waiting {
    #[new]
    fn new(x: Vec<f64>) -> Self {
        Waiting { x }
    }

    fn __len__(&self) -> usize {
        self.x.len()
    }

    /// Data, items, numbers of a cluster, and the three functions.
    fn __partita_likelihood__(&self) -> (usize, usize, usize, usize, usize, usize) {
        let data = std::ptr::from_ref(self) as usize;
        let address = |function: *const ()| function as usize;
        let (insert, remove) = (address(insert as *const ()), address(remove as *const ()));
        (data, self.x.len(), NUMBERS, insert, remove, address(log_predictive as *const ()))
    }
}

#[pymodule]
fn partita_waiting(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<Waiting>()
}

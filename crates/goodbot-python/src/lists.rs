//! Lists for Python, built and read in steps between which other threads may run, and places in them.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Builds a list; other threads may run after every few thousand items.
pub(crate) fn listed<'py, T, I>(py: Python<'py>, items: I) -> PyResult<Bound<'py, PyList>>
where
    I: IntoIterator<Item = PyResult<T>>,
    T: IntoPyObject<'py>,
{
    let list = PyList::empty(py);
    for (number, item) in items.into_iter().enumerate() {
        other_threads_may_run(py, number);
        list.append(item?)?;
    }
    Ok(list)
}

/// How many objects are created or read before other threads may run.
const AT_ONCE: usize = 4_096;

/// Releases the GIL for a moment after every few thousand items of a loop, so that other threads run.
pub(crate) fn other_threads_may_run(py: Python<'_>, number: usize) {
    if number % AT_ONCE == AT_ONCE - 1 {
        py.detach(|| ());
    }
}

/// Narrows a position in a text of at most 4 GiB.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns what stands for a cause.
pub(crate) fn named<T>(names: &[T], cause: u32) -> PyResult<&T> {
    names.get(cause as usize).ok_or_else(|| PyIndexError::new_err("a cause has no name"))
}

//! What values need in order to behave like values: hashes, and pickles with a version, a kind and
//! plain parts.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::WrongValueError;

/// The version of the parts. Increase it when the parts of a kind change.
pub(crate) const FORM: u32 = 1;

/// Returns the result of `__reduce__` for a value of a kind with these parts.
pub(crate) fn reduced<'py, P>(
    py: Python<'py>,
    kind: &str,
    parts: P,
) -> PyResult<Bound<'py, PyTuple>>
where
    P: IntoPyObject<'py, Target = PyTuple>,
{
    let restore = py.import("goodbot._core")?.getattr("_restore")?;
    (restore, (FORM, kind, parts)).into_pyobject(py)
}

/// Returns the error for a pickle that cannot be read.
pub(crate) fn unreadable(kind: &str) -> PyErr {
    WrongValueError::new_err(format!(
        "this pickled {kind} is damaged or was made by another version of goodbot; make the {kind} again"
    ))
}

/// Computes a hash that is the same in every process.
pub(crate) fn hash_of(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

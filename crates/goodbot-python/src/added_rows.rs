//! Rows on their way into tables of a crawl (`goodbot.crawl.folder.added_rows`).

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyList, PyTuple};

/// Return rows as runs of those that have None at the same places: the places, and the rows without
/// them, in which bytes are a bytearray and truth values are numbers.
#[pyfunction]
pub(crate) fn runs_of_rows<'py>(
    rows: &Bound<'py, PyList>,
) -> PyResult<Vec<(Bound<'py, PyTuple>, Vec<Bound<'py, PyTuple>>)>> {
    let py = rows.py();
    let mut runs = Vec::new();
    let mut run: Vec<Bound<'py, PyTuple>> = Vec::with_capacity(rows.len());
    let mut places: Vec<usize> = Vec::new();
    let mut nones: Vec<usize> = Vec::new();
    for row in rows.iter() {
        let row = row.cast_into::<PyTuple>()?;
        nones.clear();
        let mut is_same = true;
        let mut values = Vec::with_capacity(row.len());
        for (place, value) in row.iter().enumerate() {
            if value.is_none() {
                nones.push(place);
                continue;
            }
            let plain = plain(&value);
            is_same &= plain.is_none();
            values.push(plain.unwrap_or(value));
        }
        if nones != places && !run.is_empty() {
            runs.push((PyTuple::new(py, &places)?, std::mem::take(&mut run)));
        }
        places.clone_from(&nones);
        let is_same = is_same && nones.is_empty();
        run.push(if is_same { row } else { PyTuple::new(py, values)? });
    }
    if !run.is_empty() {
        runs.push((PyTuple::new(py, &places)?, run));
    }
    Ok(runs)
}

/// Returns bytes as a bytearray and a truth value as a number; `None` for any other value.
fn plain<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return Some(PyByteArray::new(value.py(), bytes.as_bytes()).into_any());
    }
    let is_true = value.cast_exact::<PyBool>().ok()?.is_true();
    Some(i64::from(is_true).into_pyobject(value.py()).ok()?.into_any())
}

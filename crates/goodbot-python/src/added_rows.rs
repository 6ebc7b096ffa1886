//! Rows on their way into tables of a crawl (`goodbot.crawl.folder.added_rows`).

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyList, PyString, PyTuple};

/// Return rows as runs of those that have None at the same places: the places, and the rows without
/// them, in which bytes are a bytearray and truth values are numbers. Texts and numbers that SQLite
/// cannot store raise.
#[pyfunction]
pub(crate) fn runs_of_rows<'py>(
    rows: &Bound<'py, PyList>,
) -> PyResult<Vec<(Bound<'py, PyTuple>, Bound<'py, PyList>)>> {
    let py = rows.py();
    let mut runs = Vec::new();
    let mut run: Vec<Bound<'py, PyTuple>> = Vec::with_capacity(rows.len());
    let (mut places, mut nones): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for row in rows.iter() {
        let row = row.cast_into::<PyTuple>()?;
        nones.clear();
        let row = if is_plain(&row)? { row } else { plain_row(&row, &mut nones)? };
        if nones != places && !run.is_empty() {
            runs.push((PyTuple::new(py, &places)?, PyList::new(py, run.drain(..))?));
        }
        places.clone_from(&nones);
        run.push(row);
    }
    if !run.is_empty() {
        runs.push((PyTuple::new(py, &places)?, PyList::new(py, run)?));
    }
    Ok(runs)
}

/// Returns whether a row has only values that stay as they are, as most rows have.
fn is_plain(row: &Bound<'_, PyTuple>) -> PyResult<bool> {
    let mut is_plain = true;
    for value in row.iter_borrowed() {
        if let Ok(text) = value.cast_exact::<PyString>() {
            text.to_str()?; // which SQLite gets; it is made once
        } else if let Ok(number) = value.cast_exact::<PyInt>() {
            number.extract::<i64>()?;
        } else {
            is_plain &= !(value.is_none()
                || value.is_exact_instance_of::<PyBytes>()
                || value.is_exact_instance_of::<PyBool>());
        }
    }
    Ok(is_plain)
}

/// Returns a row without None, whose places it adds to `nones`.
fn plain_row<'py>(
    row: &Bound<'py, PyTuple>,
    nones: &mut Vec<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut values = Vec::with_capacity(row.len());
    for (place, value) in row.iter_borrowed().enumerate() {
        if value.is_none() {
            nones.push(place);
        } else {
            values.push(plain(&value).unwrap_or_else(|| value.to_owned()));
        }
    }
    PyTuple::new(row.py(), values)
}

/// Returns bytes as a bytearray and a truth value as a number; `None` for any other value.
fn plain<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return Some(PyByteArray::new(value.py(), bytes.as_bytes()).into_any());
    }
    let is_true = value.cast_exact::<PyBool>().ok()?.is_true();
    Some(i64::from(is_true).into_pyobject(value.py()).ok()?.into_any())
}

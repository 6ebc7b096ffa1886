//! What a crawl writes of the links of a page, as rows of its tables.

use std::collections::BTreeMap;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};

/// Return the texts of links that lead to stored URLs (`goodbot.crawl.folder.records`).
///
/// `pairs` are the place of a target and a text, `url_ids` are the numbers of the targets, 0 for one
/// that is not stored, and `anchor` is the class of the result.
#[pyfunction]
pub(crate) fn anchors_from<'py>(
    pairs: &Bound<'py, PyAny>,
    url_ids: Vec<i64>,
    anchor: &Bound<'py, PyType>,
) -> PyResult<Bound<'py, PyList>> {
    let py = pairs.py();
    // Named tuples, made without their constructor, which is written in Python.
    let make = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
    let found = PyList::empty(py);
    for pair in pairs.try_iter()? {
        let pair = pair?.cast_into::<PyTuple>()?;
        let place: usize = pair.get_item(0)?.extract()?;
        let Some(url_id) = url_ids.get(place) else {
            return Err(PyIndexError::new_err("the target of a text has no number"));
        };
        if *url_id != 0 {
            found.append(make.call1((anchor, (*url_id, pair.get_item(1)?)))?)?;
        }
    }
    Ok(found)
}

/// Return the rows of the texts of a page's links: its number, that of the target and the text as a
/// line (`goodbot.crawl.index.sqlite`). They are keys, each once, in the order of the texts.
///
/// `line` makes a line of a text; it is not called for one that is a line of at most `longest`
/// characters already. Texts whose line is empty have no row.
#[pyfunction]
pub(crate) fn anchor_rows<'py>(
    source: &Bound<'py, PyAny>,
    anchors: &Bound<'py, PyAny>,
    line: &Bound<'py, PyAny>,
    longest: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let py = source.py();
    let rows = PyDict::new(py);
    for anchor in anchors.try_iter()? {
        let (target, text): (Bound<'py, PyAny>, Bound<'py, PyString>) = anchor?.extract()?;
        let is_line = text.to_str().is_ok_and(|text| text.len() <= longest && is_plain_line(text));
        let text = if is_line { text } else { line.call1((text,))?.cast_into()? };
        if text.is_truthy()? {
            rows.set_item((source, target, text), py.None())?;
        }
    }
    Ok(rows)
}

/// Returns whether a text has only visible characters of ASCII, with single spaces between them.
fn is_plain_line(text: &str) -> bool {
    let mut before = b' ';
    let is_plain = text.bytes().all(|byte| {
        let fits = byte.is_ascii_graphic() || (byte == b' ' && before != b' ');
        before = byte;
        fits
    });
    is_plain && (before != b' ' || text.is_empty())
}

/// Return what changes in the rows by which a page is found from its targets
/// (`goodbot.crawl.links.sqlite`): the targets whose rows are dropped, in ascending order, and for each
/// kind of the links that are new the page, the kind, and the targets as JSON.
///
/// `before` and `after` are the numbers of the targets and the kind of each; 0 is no target.
#[pyfunction]
pub(crate) fn inlink_changes(
    page: i64,
    before: (Vec<i64>, Bound<'_, PyBytes>),
    after: (Vec<i64>, Bound<'_, PyBytes>),
) -> PyResult<(Vec<i64>, Vec<(i64, u8, String)>)> {
    let before = kinds_of(&before.0, before.1.as_bytes())?;
    let after = kinds_of(&after.0, after.1.as_bytes())?;
    let gone = before.iter().filter(|(target, kind)| after.get(target) != Some(kind));
    let gone = gone.map(|(target, _)| *target).collect();
    let mut lists: BTreeMap<u8, String> = BTreeMap::new();
    for (target, kind) in after.iter().filter(|(target, kind)| before.get(target) != Some(kind)) {
        let list = lists.entry(*kind).or_default();
        list.push(if list.is_empty() { '[' } else { ',' });
        list.push_str(&target.to_string());
    }
    Ok((gone, lists.into_iter().map(|(kind, list)| (page, kind, list + "]")).collect()))
}

/// Returns how a page links to each of its targets that are stored.
fn kinds_of(targets: &[i64], kinds: &[u8]) -> PyResult<BTreeMap<i64, u8>> {
    if targets.len() != kinds.len() {
        return Err(PyValueError::new_err("each target of a page has one kind"));
    }
    let pairs = targets.iter().copied().zip(kinds.iter().copied());
    Ok(pairs.filter(|(target, _)| *target != 0).collect())
}

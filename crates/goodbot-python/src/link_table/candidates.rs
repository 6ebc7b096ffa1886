//! The targets of a page's links as candidates of the queue, which are made when they are asked for: most
//! are known to it, by their URLs.

use goodbot_core::address::{self, Address};
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PySet, PyString, PyTuple, PyType};

use super::{LinkTable, Target};
use crate::known_urls::KnownUrls;
use crate::lists::listed;

/// The URLs of http or https that a page links to, in the order of their first links. Whether one is out
/// of bounds is asked each time a candidate is made.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct LinkCandidates {
    table: Py<LinkTable>,
    depth: u32,
    refuses: Py<PyAny>,
    found: Py<PyType>,
    entry: Py<PyType>,
}

impl LinkCandidates {
    pub(super) fn new(
        table: Py<LinkTable>,
        depth: u32,
        refuses: Py<PyAny>,
        found: Py<PyType>,
        entry: Py<PyType>,
    ) -> LinkCandidates {
        LinkCandidates { table, depth, refuses, found, entry }
    }

    fn targets(&self) -> &[Target] {
        &self.table.get().targets
    }

    /// Returns some of the candidates.
    fn made<'py>(&self, py: Python<'py>, targets: &[Target]) -> PyResult<Bound<'py, PyList>> {
        let table = self.table.get();
        // Named tuples, made without their constructors, which are written in Python.
        let make = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
        let (link, nothing) = (intern!(py, "link"), intern!(py, ""));
        let nofollow = intern!(py, "nofollow").as_any();
        let mut last: Option<(&str, Bound<'py, PyString>)> = None;
        listed(
            py,
            targets.iter().map(|target| {
                let Address { url, origin } = &target.address;
                let url = PyString::new(py, url);
                // Most links lead to the origin of the link before them.
                let origin = match &last {
                    Some((same, text)) if same == origin => text.clone(),
                    _ => last.insert((origin, PyString::new(py, origin))).1.clone(),
                };
                let mut place = target.first;
                let is_barred = table.rows[place].forbids != 0;
                let skipped = if is_barred && target.followed.is_none() {
                    nofollow.clone()
                } else {
                    let why_skipped = self.refuses.bind(py).call1((&url, &origin, self.depth))?;
                    match (why_skipped.is_truthy()?, is_barred, target.followed) {
                        (true, true, _) => nofollow.clone(),
                        (true, false, _) => why_skipped,
                        (false, _, followed) => {
                            place = followed.filter(|_| is_barred).unwrap_or(place);
                            nothing.clone().into_any()
                        }
                    }
                };
                let row = &table.rows[place];
                let (written, why) = (&*table.link(row).url, &table.statements[row.forbids]);
                let why = if why.is_empty() { nothing.clone() } else { PyString::new(py, why) };
                let spelling = match spelling(written) {
                    text if text.is_empty() => nothing.clone(),
                    text => PyString::new(py, &text),
                };
                let is_normal = *written == target.address.url;
                let written = if is_normal { url.clone() } else { PyString::new(py, written) };
                let found = make.call1((&self.found, (written, link, row.forbids == 0, &why)))?;
                let row = (url, origin, self.depth, 0, skipped, why, spelling);
                Ok((found, make.call1((&self.entry, row))?))
            }),
        )
    }
}

#[pymethods]
impl LinkCandidates {
    /// Shows the garbage collector what may refer back.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.refuses)
    }

    fn __len__(&self) -> usize {
        self.targets().len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let one = self.targets().get(place..=place);
        let one = one.ok_or_else(|| PyIndexError::new_err("there are fewer candidates"))?;
        self.made(py, one)?.get_item(0)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.made(py, self.targets())?.try_iter()
    }

    fn __contains__(&self, py: Python<'_>, candidate: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.made(py, self.targets())?.contains(candidate)
    }

    /// Return the origins of the candidates.
    fn origins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
        let (origins, mut last) = (PySet::empty(py)?, "");
        for Target { address, .. } in self.targets() {
            // Most links lead to the origin of the link before them.
            if address.origin != last {
                origins.add(&address.origin)?;
                last = &address.origin;
            }
        }
        Ok(origins)
    }

    /// Return the URLs of the candidates, a line each.
    fn lines(&self) -> String {
        let urls: Vec<&str> = self.targets().iter().map(|one| &*one.address.url).collect();
        urls.join("\n")
    }

    /// Return the number of each candidate that is known; `None` for others.
    fn found_in(&self, known: &mut KnownUrls) -> Vec<Option<i64>> {
        self.targets().iter().map(|one| known.meet(&one.address.url)).collect()
    }
}

/// Returns a URL as it is written, if its escapes differ in its normal form; else an empty text
/// (`goodbot.http.address.spelling_of`).
fn spelling(url: &str) -> String {
    if !url.contains('%') {
        return String::new();
    }
    address::in_both_spellings(url).ok().and_then(|(_, written)| written).unwrap_or_default()
}

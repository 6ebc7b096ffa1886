//! Records of WARC files, for Python.

use goodbot_core::warc as core;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::octets::beside;

/// Make a record of a WARC file as one member of gzip (`goodbot.crawl.archive.warc`).
///
/// `fields` are the version and the first header fields, with the ends of their lines; the digest of
/// the block, its type (`kind`) and its length follow. The block comes in two parts. The GIL is released for
/// large records.
#[pyfunction]
pub(crate) fn warc_record<'py>(
    py: Python<'py>,
    fields: &[u8],
    kind: &[u8],
    head: &[u8],
    payload: &[u8],
    level: u32,
) -> Bound<'py, PyBytes> {
    let size = head.len() + payload.len();
    let member = beside(py, size, || core::record(fields, kind, &[head, payload], level));
    PyBytes::new(py, &member)
}

/// Return a SHA-1 of 20 bytes in the form that archives use (WARC 1.1 section 5.8), a `str`.
#[pyfunction]
pub(crate) fn warc_digest(digest: &[u8]) -> PyResult<String> {
    let digest = digest.try_into();
    digest.map(core::written).map_err(|_| PyValueError::new_err("a SHA-1 has 20 bytes"))
}

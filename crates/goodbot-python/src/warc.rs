//! Records of WARC files, for Python.

use goodbot_core::warc as core;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::octets::beside;

/// Make a record of a WARC file as one member of gzip (`goodbot.crawl.archive.warc`).
///
/// `random` are the 16 bytes from which its identifier is made, and `fields` its first header fields,
/// with the ends of their lines. The block is a head and a payload; if there is a payload, its digest is
/// a field. Return the identifier, the member, and the digest of the payload, or else of the block. The
/// GIL is released for large records.
#[pyfunction]
pub(crate) fn warc_record<'py>(
    py: Python<'py>,
    kind: &str,
    random: [u8; 16],
    fields: &[u8],
    content_type: &[u8],
    block: (&[u8], Option<&[u8]>),
    level: u32,
) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
    let (id, (head, payload)) = (core::uuid4(random), block);
    let new = core::NewRecord { kind, id, fields, content_type, head, payload };
    let size = head.len() + payload.map_or(0, <[u8]>::len);
    let (member, digest) = beside(py, size, || core::record(&new, level));
    (PyBytes::new(py, &id), PyBytes::new(py, &member), PyBytes::new(py, &digest))
}

/// Return a SHA-1 of 20 bytes in the form that archives use (WARC 1.1 section 5.8), a `str`.
#[pyfunction]
pub(crate) fn warc_digest(digest: &[u8]) -> PyResult<String> {
    let digest = digest.try_into();
    digest.map(core::written).map_err(|_| PyValueError::new_err("a SHA-1 has 20 bytes"))
}

//! Digests, for Python.

use goodbot_core::digest as core;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::octets::beside;

/// Return the SHA-256 of some bytes, 32 `bytes` (FIPS 180-4). The GIL is released for large content.
///
/// Python's `hashlib` has it, too, but loads OpenSSL, which takes as long as a tenth of a command.
#[pyfunction]
pub(crate) fn sha256<'py>(py: Python<'py>, content: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &beside(py, content.len(), || core::sha256(content)))
}

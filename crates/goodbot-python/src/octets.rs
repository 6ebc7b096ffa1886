//! Bytes of the values that Python passes: `bytes`, `str` or any buffer.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

use crate::errors::WrongTypeError;

/// Calls `use_octets` with the bytes of a `bytes`, a `str` (as UTF-8) or a buffer.
///
/// A `str` that is not valid Unicode (lone surrogates) has bytes too: content never raises.
pub(crate) fn with<R>(
    value: &Bound<'_, PyAny>,
    what: &str,
    use_octets: impl FnOnce(&[u8]) -> R,
) -> PyResult<R> {
    if let Ok(text) = value.cast::<PyString>() {
        if let Ok(text) = text.to_str() {
            return Ok(use_octets(text.as_bytes()));
        }
        let octets = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
        return Ok(use_octets(octets.cast::<PyBytes>()?.as_bytes()));
    }
    if let Ok(octets) = value.cast::<PyBytes>() {
        return Ok(use_octets(octets.as_bytes()));
    }
    let Ok(view) = PyMemoryView::from(value) else {
        let given = value.get_type().name()?;
        let hint = match what {
            "content" => "read a file with open(path, \"rb\").read()",
            _ => "pass it as \"https://example.com/page\", or pass its path as \"/page\"",
        };
        return Err(WrongTypeError::new_err(format!(
            "{what} must be bytes, str or a buffer, not {given}; {hint}"
        )));
    };
    let octets = view.call_method0("tobytes")?;
    Ok(use_octets(octets.cast::<PyBytes>()?.as_bytes()))
}

/// The fewest bytes for which the GIL is released: shorter work would finish before another thread
/// could take the GIL, and a thread that releases it may have to wait to get it back.
const WORTH_A_THREAD: usize = 16 * 1024;

/// Does some work on `size` bytes; if there are many, the GIL is released meanwhile.
pub(crate) fn beside<T: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> T + Send) -> T {
    if size < WORTH_A_THREAD { work() } else { py.detach(work) }
}

/// Returns a copy of the bytes of a `bytes`, a `str` or a buffer.
pub(crate) fn owned(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
    with(value, what, <[u8]>::to_vec)
}

/// Returns the text of an argument that must be a `str`.
pub(crate) fn text(value: &Bound<'_, PyAny>, what: &str, example: &str) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        let given = value.get_type().name()?;
        return Err(WrongTypeError::new_err(format!(
            "{what} must be a str such as {example:?}, not {given}"
        )));
    };
    Ok(text.to_string_lossy().into_owned())
}

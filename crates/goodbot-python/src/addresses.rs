//! The core's URL parsing, for Python.

use std::borrow::Cow;

use goodbot_core::address::{self as core, Address, Fault};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{self, WrongTypeError};
use crate::octets;

const EXAMPLE: &str = "https://example.com/page";

/// The origin and the URL as it is sent, or `None` and the reason why there is none.
type Found = (Option<(String, String)>, &'static str);

fn found(address: Result<Address, Fault>) -> Found {
    match address {
        Ok(Address { origin, url }) => (Some((origin, url)), ""),
        Err(fault) => (None, fault.slug()),
    }
}

/// Parse a whole URL as a person or a page writes it. Return its origin and the URL as it is sent, or
/// `None` and why it is not an address (`goodbot.http.address`). With `as_written` its escapes stay as
/// they are.
#[pyfunction]
#[pyo3(signature = (url, *, as_written=false))]
pub(crate) fn read_address(url: &Bound<'_, PyAny>, as_written: bool) -> PyResult<Found> {
    let read = if as_written { core::as_written } else { core::address };
    with_text(url, |text| found(read(text)))
}

/// Resolve a reference from a protocol element, strictly (`goodbot.http.address.resolve`). With
/// `as_written` its escapes stay as they are.
#[pyfunction]
#[pyo3(signature = (base, reference, *, as_written=false))]
pub(crate) fn resolve(
    base: Option<&Bound<'_, PyString>>,
    reference: &Bound<'_, PyAny>,
    as_written: bool,
) -> PyResult<Found> {
    let lead = if as_written { core::resolve_as_written } else { core::resolve };
    let Ok(base) = base.map(|base| base.to_str()).transpose() else {
        return Ok(found(Err(Fault::Malformed)));
    };
    if let Ok(bytes) = reference.cast::<PyBytes>() {
        let text = core::escaped(bytes.as_bytes());
        return Ok(found(lead(base, &text)));
    }
    with_text(reference, |text| found(lead(base, text)))
}

/// Return the names and values of a form in a query (URL Standard, section 5.1).
#[pyfunction]
pub(crate) fn form_pairs(query: &[u8]) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    core::form_pairs(query)
}

/// Return the URL that was meant if slashes are missing after `http:`; `None` if no guess is possible.
#[pyfunction]
pub(crate) fn meant_by(url: &Bound<'_, PyString>) -> Option<String> {
    url.to_str().ok().and_then(core::meant_by)
}

/// Passes the text of a value to `read`. An unpaired surrogate is not a character, so it is malformed.
fn with_text(value: &Bound<'_, PyAny>, read: impl FnOnce(&str) -> Found) -> PyResult<Found> {
    let Ok(text) = value.cast::<PyString>() else {
        let given = value.get_type().name()?;
        return Err(WrongTypeError::new_err(format!(
            "url must be a str such as '{EXAMPLE}', not {given}"
        )));
    };
    Ok(text.to_str().map_or_else(|_| found(Err(Fault::Malformed)), read))
}

/// Return the origin of a URL: scheme, host and port, a `str`.
///
/// The host is in lower case and in its ASCII form; the default port and user information are
/// omitted.
///
/// Args:
///     url: An absolute URL, `str` or `bytes`.
///
/// Raises:
///     NoOriginError: The URL is not absolute, or its scheme has no robots.txt.
///
/// >>> import goodbot
/// >>> goodbot.origin("HTTPS://Example.com:443/a?b")
/// 'https://example.com'
///
/// Source: RFC 9309 section 2.3.
#[pyfunction]
pub(crate) fn origin(url: &Bound<'_, PyAny>) -> PyResult<String> {
    octets::with(url, "url", core::origin)?.map_err(|error| errors::of_url(&error))
}

/// Return the URL of the robots.txt that governs a URL, a `str`.
///
/// Args:
///     url: An absolute URL, `str` or `bytes`.
///
/// Raises:
///     NoOriginError: The URL is not absolute, or its scheme has no robots.txt.
///
/// >>> import goodbot
/// >>> goodbot.robots_txt_url("http://example.com:8001/a/b.html")
/// 'http://example.com:8001/robots.txt'
///
/// Source: RFC 9309 section 2.3.
#[pyfunction]
pub(crate) fn robots_txt_url(url: &Bound<'_, PyAny>) -> PyResult<String> {
    octets::with(url, "url", core::robots_txt_url)?.map_err(|error| errors::of_url(&error))
}

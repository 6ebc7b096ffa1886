//! URLs that are objects of Python: in a sequence, an array or a column of objects.

use goodbot_core::columns::Urls;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyMemoryView, PyString};

use crate::errors::WrongTypeError;
use crate::octets;

/// A URL that Python owns, held so that it can be read without the GIL.
enum Held {
    Text(PyBackedStr),
    Octets(PyBackedBytes),
    Own(Vec<u8>),
    /// The bytes of a text with a lone surrogate, which cannot be sent.
    Unsendable(Vec<u8>),
    /// A value of another kind, as columns of objects have them: it is no URL.
    Foreign,
}

/// URLs of which each is an object of Python; `None` for a missing one.
pub(crate) struct List(Vec<Option<Held>>);

impl Urls for List {
    fn length(&self) -> usize {
        self.0.len()
    }

    fn url(&self, place: usize) -> Option<&[u8]> {
        match self.0[place].as_ref()? {
            Held::Text(text) => Some(text.as_bytes()),
            Held::Octets(octets) => Some(octets),
            Held::Own(octets) | Held::Unsendable(octets) => Some(octets),
            Held::Foreign => None,
        }
    }
}

impl List {
    pub(crate) fn has_values(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Returns the URLs as they are sent: one that cannot be sent is empty, and so has no origin.
    pub(crate) fn into_sendable(self) -> List {
        let sendable = |held| match held {
            Held::Unsendable(_) | Held::Foreign => Held::Own(Vec::new()),
            held => held,
        };
        List(self.0.into_iter().map(|held| held.map(sendable)).collect())
    }
}

fn hold(url: &Bound<'_, PyAny>) -> Option<Held> {
    if url.is_none() {
        return None;
    }
    if let Ok(text) = url.cast::<PyString>() {
        return Some(match PyBackedStr::try_from(text.clone()) {
            Ok(text) => Held::Text(text),
            Err(_) => octets::owned(url, "a URL").map_or(Held::Foreign, Held::Unsendable),
        });
    }
    if let Ok(octets) = url.cast::<PyBytes>() {
        return Some(Held::Octets(PyBackedBytes::from(octets.clone())));
    }
    if is_missing(url) {
        return None;
    }
    Some(octets_of(url).map_or(Held::Foreign, Held::Own))
}

/// Returns a copy of a buffer of bytes, which one of numbers is not.
fn octets_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let view = PyMemoryView::from(value)?;
    if view.getattr("itemsize")?.ne(1)? {
        return Err(WrongTypeError::new_err("a URL must be bytes"));
    }
    view.call_method0("tobytes")?.extract()
}

/// Whether a value is what pandas and NumPy use for a missing one: `NA`, or one that differs from
/// itself, such as NaN and `NaT`.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    let is_na = || value.get_type().name().is_ok_and(|name| name == "NAType");
    value.ne(value).unwrap_or(false) || is_na()
}

/// Holds the values of a column of objects, of which each may be anything: a column that a program has
/// gathered is not refused for one of its rows.
pub(crate) fn hold_all(urls: &Bound<'_, PyAny>) -> PyResult<List> {
    urls.try_iter()?.map(|url| Ok(hold(&url?))).collect::<PyResult<_>>().map(List)
}

/// Returns a column of objects of pandas or Polars, or a table of one such column, which neither can
/// hand over as Arrow; `None` for anything else.
pub(crate) fn objects(source: &Bound<'_, PyAny>) -> PyResult<Option<List>> {
    let class = source.get_type();
    let module: String = class.getattr("__module__")?.extract().unwrap_or_default();
    let library = module.split('.').next().unwrap_or_default();
    if !matches!(library, "pandas" | "polars") {
        return Ok(None);
    }
    let column = match class.name()?.to_cow()?.as_ref() {
        "Series" => source.clone(),
        "DataFrame" if source.getattr("columns")?.len()? == 1 => {
            source.get_item(source.getattr("columns")?.get_item(0)?)?
        }
        _ => return Ok(None),
    };
    let Ok(mut kind) = column.getattr("dtype") else { return Ok(None) };
    if let Ok(categories) = kind.getattr("categories")
        && library == "pandas"
    {
        kind = categories.getattr("dtype")?;
    }
    if !matches!(kind.str()?.to_cow()?.as_ref(), "object" | "Object") {
        return Ok(None);
    }
    hold_all(&column).map(Some)
}

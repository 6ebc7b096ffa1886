//! Dialects: looked up by name, changed one choice at a time.

use std::borrow::Cow;
use std::sync::Arc;

use goodbot_core::dialect::CHOICES;
use goodbot_core::dialects;
use goodbot_core::quote::{LONGEST_NAME, quoted};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::errors::{self, DialectChoiceError, UnknownDialectError, WrongTypeError};
use crate::octets;
use crate::pickled::hash_of;

/// A dialect of robots.txt: a record of named choices.
///
/// Get one with `goodbot.dialect`; make your own with `replace`.
///
/// >>> import goodbot
/// >>> goodbot.dialect("google").choices["agent_match"]
/// 'google-token'
///
/// Source: docs/reference/dialects.md, where every choice of every dialect cites its document.
#[pyclass(frozen, eq, module = "goodbot")]
#[derive(Clone, PartialEq)]
pub(crate) struct Dialect {
    pub(crate) inner: Arc<goodbot_core::Dialect>,
}

#[pymethods]
impl Dialect {
    /// The name, a `str`.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// What it is, in one line, a `str`.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// The documents it follows: a list of pairs `(what is stated, document and section)`.
    #[getter]
    fn sources(&self) -> Vec<(&'static str, &'static str)> {
        self.inner.sources.to_vec()
    }

    /// Every choice made: a `dict` of `str` to `str`, in the order of `goodbot.choices()`.
    ///
    /// >>> import goodbot
    /// >>> goodbot.dialect("lwp").choices["precedence"]
    /// 'first'
    #[getter]
    fn choices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        static KNOWN: PyOnceLock<Vec<Py<PyDict>>> = PyOnceLock::new();
        let place = dialects::DIALECTS.iter().position(|known| Arc::ptr_eq(known, &self.inner));
        let Some(place) = place else { return choices_of(&self.inner, py) };
        // To copy them costs a small part of what it costs to make all their texts.
        let make = |dialect| choices_of(dialect, py).map(Bound::unbind);
        let make = || dialects::DIALECTS.iter().map(|dialect| make(dialect)).collect();
        let known: PyResult<&Vec<Py<PyDict>>> = KNOWN.get_or_try_init(py, make);
        known?[place].bind(py).copy()
    }

    /// Return this dialect with some choices changed.
    ///
    /// Args:
    ///     name: A `str`, the name of the new dialect, which its verdicts show; by default the old one's
    ///         with the changes.
    ///     title: A `str`, what it is in one line; by default the old one's with the changes.
    ///     **choices: The choices, as `goodbot.choices()` lists them: a `str`, an `int` for a limit,
    ///         or a sequence of `str` where several values are listed.
    ///
    /// Returns:
    ///     A new `Dialect`.
    ///
    /// Raises:
    ///     DialectChoiceError: There is no such choice, or it has no such value.
    ///     WrongTypeError: `name` or `title` is not a `str`.
    ///
    /// >>> import goodbot
    /// >>> mine = goodbot.dialect("bing").replace(name="mine", tie="disallow")
    /// >>> mine.choices["tie"]
    /// 'disallow'
    /// >>> mine.title
    /// 'Bing: RFC 9309 with what its webmaster blog states; but tie = disallow'
    /// >>> goodbot.dialect("bing").replace(tie="disallow")
    /// <Dialect bing+tie=disallow>
    #[pyo3(signature = (*, name = None, title = None, **choices))]
    fn replace(
        &self,
        name: Option<&Bound<'_, PyAny>>,
        title: Option<&Bound<'_, PyAny>>,
        choices: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut dialect = (*self.inner).clone();
        let mut changes = Vec::new();
        for (choice, value) in choices.into_iter().flatten() {
            let (choice, value) = (choice_value(&choice)?, choice_value(&value)?);
            dialect = dialect.with(&choice, &value).map_err(|error| errors::of_choice(&error))?;
            if !self.inner.choices().iter().any(|(known, old)| *known == choice && *old == value) {
                changes.push((choice, value));
            }
        }
        if !changes.is_empty() {
            let joined = |between: &str, sign: &str| -> String {
                let changes =
                    changes.iter().map(|(choice, value)| format!("{choice}{sign}{value}"));
                changes.collect::<Vec<_>>().join(between)
            };
            dialect.title = Cow::Owned(format!("{}; but {}", dialect.title, joined(", ", " = ")));
            // A verdict must not cite a dialect that would decide differently.
            dialect.name = Cow::Owned(format!("{}+{}", dialect.name, joined("+", "=")));
        }
        if let Some(name) = name {
            dialect.name = Cow::Owned(octets::text(name, "name", "mine")?);
        }
        if let Some(title) = title {
            dialect.title = Cow::Owned(octets::text(title, "title", "My dialect")?);
        }
        Ok(Dialect { inner: Arc::new(dialect) })
    }

    fn __repr__(&self) -> String {
        format!("<Dialect {}>", quoted(&self.inner.name, LONGEST_NAME))
    }

    fn __hash__(&self) -> u64 {
        // Equal dialects have equal names, and different ones seldom do.
        hash_of(&self.inner.name)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        // A built-in dialect is looked up again; a user's is rebuilt from its choices.
        let py = slf.py();
        let this = slf.get();
        let module = py.import("goodbot._core")?;
        if dialects::named(&this.inner.name).is_some_and(|known| known == this.inner) {
            return (module.getattr("dialect")?, (this.inner.name.as_ref(),)).into_pyobject(py);
        }
        let arguments = this.choices(py)?;
        arguments.set_item("name", this.inner.name.as_ref())?;
        arguments.set_item("title", this.inner.title.as_ref())?;
        let base = Py::new(py, Dialect { inner: Arc::clone(&dialects::DIALECTS[0]) })?;
        let partial = py.import("functools")?.getattr("partial")?;
        let make = partial.call((base.getattr(py, "replace")?,), Some(&arguments))?;
        (make, PyTuple::empty(py)).into_pyobject(py)
    }
}

/// Returns every choice of a dialect.
fn choices_of<'py>(
    dialect: &goodbot_core::Dialect,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let choices = PyDict::new(py);
    for (name, value) in dialect.choices() {
        choices.set_item(name, value)?;
    }
    Ok(choices)
}

fn choice_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    if let Ok(number) = value.extract::<u32>() {
        return Ok(number.to_string());
    }
    if let Ok(list) = value.extract::<Vec<String>>() {
        return Ok(list.join(" "));
    }
    Err(DialectChoiceError::new_err(format!(
        "a choice must be a str, a number from 0 to {}, or a sequence of str, not {}",
        u32::MAX,
        quoted(&value.repr()?.to_string_lossy(), LONGEST_NAME)
    )))
}

/// Return the dialect with this name.
///
/// Args:
///     name: A `str`: the name of one of `goodbot.dialects()`.
///
/// Returns:
///     The `Dialect`.
///
/// Raises:
///     UnknownDialectError: There is no dialect of this name.
///     WrongTypeError: `name` is not a `str`.
///
/// >>> import goodbot
/// >>> goodbot.dialect("google")
/// <Dialect google>
#[pyfunction]
pub(crate) fn dialect(name: &Bound<'_, PyAny>) -> PyResult<Dialect> {
    let name = octets::text(name, "name", "rfc9309")?;
    dialects::named(&name).map(|inner| Dialect { inner }).ok_or_else(|| unknown(&name))
}

fn unknown(name: &str) -> PyErr {
    let names: Vec<_> = dialects::DIALECTS.iter().map(|dialect| dialect.name.as_ref()).collect();
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let near = names.iter().find(|known| {
        !plain.is_empty() && (known.starts_with(&plain) || plain.starts_with(*known))
    });
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near:?}? "));
    let name = quoted(name, LONGEST_NAME);
    UnknownDialectError::new_err(format!(
        "there is no dialect {name:?}; {hint}use one of {}",
        names.join(", ")
    ))
}

/// Return every dialect, the default first: a list of `Dialect`.
///
/// >>> import goodbot
/// >>> goodbot.dialects()[0]
/// <Dialect rfc9309>
#[pyfunction]
#[pyo3(name = "dialects")]
pub(crate) fn dialects_list() -> Vec<Dialect> {
    dialects::DIALECTS.iter().map(|inner| Dialect { inner: Arc::clone(inner) }).collect()
}

/// Return every choice that a dialect makes: a list of `(name, question, [(value, meaning), ...])`.
///
/// >>> import goodbot
/// >>> [name for name, question, values in goodbot.choices()][:2]
/// ['fields', 'robot_name']
#[pyfunction]
pub(crate) fn choices() -> Vec<(&'static str, &'static str, Vec<(&'static str, &'static str)>)> {
    CHOICES
        .iter()
        .map(|row| {
            let values = (row.values)().iter().map(|(value, meaning)| (*value, meaning.trim()));
            (row.name, row.question.trim(), values.collect())
        })
        .collect()
}

/// Returns the dialect that an argument names or is.
pub(crate) fn of_argument(argument: &Bound<'_, PyAny>) -> PyResult<Arc<goodbot_core::Dialect>> {
    if let Ok(dialect) = argument.cast::<Dialect>() {
        return Ok(Arc::clone(&dialect.get().inner));
    }
    if let Ok(name) = argument.cast::<PyString>() {
        let name = name.to_string_lossy();
        return dialects::named(&name).ok_or_else(|| unknown(&name));
    }
    Err(WrongTypeError::new_err(format!(
        "dialect must be the name of a dialect or a Dialect, not {}",
        argument.get_type().name()?
    )))
}

//! Many URLs at once: sequences, NumPy arrays and Arrow arrays in, the same kind out.
//!
//! No library is imported: an array's own library is already loaded and found in `sys.modules`.

use goodbot_core::columns::decide_many;
use goodbot_core::robots_txt::Rules;
use goodbot_core::verdict::{REASONS, Reason};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};

use crate::answers::{Answer, NULL, allowed, answered, flag, line, loaded};
use crate::arrow;
use crate::arrow_texts::Chunk;
use crate::errors::{WrongTypeError, WrongValueError};
use crate::url_list::{List, hold_all};

/// The kind of container that the URLs came in, and so the kind of the answers.
enum Kind<'py> {
    List(List),
    /// An array, and its library.
    NumPy(List, Bound<'py, PyAny>),
    Arrow(arrow::Column<'py>),
}

fn kind<'py>(urls: &Bound<'py, PyAny>) -> PyResult<Kind<'py>> {
    if urls.cast::<PyList>().is_ok() || urls.cast::<PyTuple>().is_ok() {
        return hold_all(urls).map(Kind::List);
    }
    if let Some(numpy) = loaded(urls.py(), "numpy")?
        && urls.is_instance(&numpy.getattr("ndarray")?)?
    {
        let dtype = urls.getattr("dtype")?;
        let is_text = "OSTU".contains(&dtype.getattr("kind")?.extract::<String>()?);
        // Masked elements of a masked array become None.
        let list = urls.call_method0("ravel")?.call_method0("tolist")?;
        let held = hold_all(&list)?;
        if !is_text && held.has_values() {
            return Err(WrongTypeError::new_err(format!(
                "urls must be an array of texts or objects, not of {dtype}; cast it with \
                 urls.astype(str)"
            )));
        }
        return Ok(Kind::NumPy(held, numpy));
    }
    if let Some(column) = arrow::Column::read(urls)? {
        return Ok(Kind::Arrow(column));
    }
    let is_text = urls.cast::<PyString>().is_ok() || urls.cast::<PyBytes>().is_ok();
    let abc = urls.py().import("collections.abc")?;
    let unordered =
        urls.is_instance(&abc.getattr("Mapping")?)? || urls.is_instance(&abc.getattr("Set")?)?;
    if !is_text && !unordered && urls.try_iter().is_ok() {
        return hold_all(urls).map(Kind::List);
    }
    let hint = if unordered {
        "its verdicts would have no order; pass a list, or one column such as table[\"url\"]"
    } else {
        "for one URL use allows(url)"
    };
    Err(WrongTypeError::new_err(format!(
        "urls must be a sequence of str, a NumPy array, or an Arrow array of strings, not {}; {hint}",
        urls.get_type().name()?
    )))
}

/// How many threads divide the URLs among themselves.
#[derive(Clone, Copy)]
pub(crate) struct Threads(usize);

impl Threads {
    pub(crate) const ONE: Threads = Threads(1);

    pub(crate) fn count(self) -> usize {
        self.0
    }
}

/// The URLs of any container as they are sent, for an answer of Arrow's kind.
pub(crate) fn chunks_of(urls: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    Ok(match kind(urls)? {
        Kind::List(list) | Kind::NumPy(list, _) => vec![Chunk::List(list.into_sendable())],
        Kind::Arrow(column) => column.into_chunks(),
    })
}

impl<'a, 'py> FromPyObject<'a, 'py> for Threads {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Threads> {
        let Ok(number) = value.cast::<PyInt>() else {
            let given = value.get_type().name()?;
            return Err(WrongTypeError::new_err(format!("threads must be an int, not {given}")));
        };
        if number.lt(1)? {
            let message = format!("threads must be 1 or more, not {number:?}");
            return Err(WrongValueError::new_err(message));
        }
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Threads(number.extract().unwrap_or(most).min(most)))
    }
}

/// Returns the booleans.
pub(crate) fn allows<'py>(
    rules: &Rules,
    urls: &Bound<'py, PyAny>,
    Threads(threads): Threads,
) -> PyResult<Bound<'py, PyAny>> {
    let py = urls.py();
    match kind(urls)? {
        Kind::List(list) => {
            let answers = py.detach(|| decide_many(rules, &list, threads, NULL, allowed));
            Ok(PyList::new(py, answers.into_iter().map(nullable))?.into_any())
        }
        Kind::NumPy(list, numpy) => {
            let answers = py.detach(|| decide_many(rules, &list, threads, NULL, allowed));
            numpy_booleans(&numpy, &answers)?.call_method1("reshape", (urls.getattr("shape")?,))
        }
        Kind::Arrow(column) => column.allows(rules, threads),
    }
}

fn nullable(answer: u8) -> Option<bool> {
    (answer != NULL).then_some(answer == 1)
}

/// Returns a NumPy array of booleans; of objects if some are null, which booleans cannot represent.
fn numpy_booleans<'py>(numpy: &Bound<'py, PyAny>, answers: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let py = numpy.py();
    if answers.contains(&NULL) {
        let list = PyList::new(py, answers.iter().map(|answer| nullable(*answer)))?;
        return numpy_objects(numpy, list.as_any());
    }
    numpy.call_method1("frombuffer", (PyByteArray::new(py, answers), "bool"))
}

fn numpy_objects<'py>(
    numpy: &Bound<'py, PyAny>,
    list: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    numpy.call_method1("array", (list, "object"))
}

/// Returns the columns allowed, line and reason.
pub(crate) fn verdicts<'py>(
    rules: &Rules,
    urls: &Bound<'py, PyAny>,
    Threads(threads): Threads,
) -> PyResult<Bound<'py, PyDict>> {
    let py = urls.py();
    let columns = PyDict::new(py);
    match kind(urls)? {
        Kind::List(list) => {
            let answers = py.detach(|| decide_many(rules, &list, threads, None, answered));
            for (name, column) in lists(py, &answers)? {
                columns.set_item(name, column)?;
            }
        }
        Kind::NumPy(list, numpy) => {
            let answers = py.detach(|| decide_many(rules, &list, threads, None, answered));
            for (name, column) in lists(py, &answers)? {
                let flags: Vec<u8> = answers.iter().copied().map(flag).collect();
                let column = match name {
                    "allowed" => numpy_booleans(&numpy, &flags)?,
                    _ => numpy_objects(&numpy, column.as_any())?,
                };
                columns
                    .set_item(name, column.call_method1("reshape", (urls.getattr("shape")?,))?)?;
            }
        }
        Kind::Arrow(column) => {
            for (name, column) in column.verdicts(rules, threads)? {
                columns.set_item(name, column)?;
            }
        }
    }
    Ok(columns)
}

fn lists<'py>(
    py: Python<'py>,
    answers: &[Option<Answer>],
) -> PyResult<[(&'static str, Bound<'py, PyList>); 3]> {
    // One `str` for each reason instead of one for each URL.
    let names: Vec<Bound<'_, PyString>> =
        REASONS.iter().map(|(_, slug, _)| PyString::intern(py, slug)).collect();
    let name = |reason: Reason| REASONS.iter().position(|(known, _, _)| *known == reason);
    let reason = |answer: &Option<Answer>| {
        answer.and_then(|answer| name(answer.reason)).map(|at| &names[at])
    };
    Ok([
        (
            "allowed",
            PyList::new(py, answers.iter().map(|answer| answer.map(|answer| answer.allowed)))?,
        ),
        ("line", PyList::new(py, answers.iter().map(|answer| line(*answer)))?),
        ("reason", PyList::new(py, answers.iter().map(reason))?),
    ])
}

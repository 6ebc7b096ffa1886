//! The answers about many URLs, before they are put into a container of the same kind as the input.

use goodbot_core::robots_txt::Decision;
use goodbot_core::verdict::Reason;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The answer for one URL: allowed, line, reason. 8 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) allowed: bool,
    pub(crate) line: u32,
    pub(crate) reason: Reason,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Answer {
        Answer { allowed: decision.allowed, line: decision.line, reason: decision.reason }
    }
}

/// The byte for a null in a column of booleans.
pub(crate) const NULL: u8 = 2;

pub(crate) fn allowed(decision: Decision) -> u8 {
    u8::from(decision.allowed)
}

pub(crate) fn answered(decision: Decision) -> Option<Answer> {
    Some(Answer::from(decision))
}

pub(crate) fn flag(answer: Option<Answer>) -> u8 {
    answer.map_or(NULL, |answer| u8::from(answer.allowed))
}

/// Returns the line that decided, if one did.
pub(crate) fn line(answer: Option<Answer>) -> Option<u32> {
    answer.map(|answer| answer.line).filter(|line| *line != 0)
}

/// Returns a library, if it is loaded.
pub(crate) fn loaded<'py>(py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let modules = py.import("sys")?.getattr("modules")?;
    modules.cast_into::<PyDict>()?.get_item(name)
}

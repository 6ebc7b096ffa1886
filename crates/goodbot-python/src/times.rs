//! Times and durations, as Python has them.

use pyo3::prelude::*;

/// Returns a time in UTC as Python has it.
pub(crate) fn datetime(py: Python<'_>, microseconds: i64) -> PyResult<Bound<'_, PyAny>> {
    let module = py.import("datetime")?;
    let utc = module.getattr("timezone")?.getattr("utc")?;
    let epoch = module.call_method1("datetime", (1970, 1, 1, 0, 0, 0, 0, utc))?;
    epoch.call_method1("__add__", (timedelta(py, microseconds)?,))
}

/// Returns a duration as Python has it.
pub(crate) fn timedelta(py: Python<'_>, microseconds: i64) -> PyResult<Bound<'_, PyAny>> {
    py.import("datetime")?.call_method1("timedelta", (0, 0, microseconds))
}

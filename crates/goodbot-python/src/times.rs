//! Times and durations, as Python has them.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// From two days after the first moment that Python has until two days before the last one.
///
/// A time of any zone in this span has one in UTC.
const IN_EVERY_ZONE: std::ops::Range<i64> = (-719_162 + 2) * DAY..(2_932_897 - 2) * DAY;

/// Returns the microseconds from 1970 to an aware `datetime` in any zone.
///
/// `None` for what is no such time, is of a subclass (which may be finer than microseconds), or is close to
/// the first or last moment that Python has.
pub(crate) fn instant(time: &Bound<'_, PyAny>) -> Option<i64> {
    static DATETIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static EPOCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = time.py();
    if !time.get_type().is(DATETIME.import(py, "datetime", "datetime").ok()?) {
        return None;
    }
    let epoch = EPOCH.get_or_try_init(py, || datetime(py, 0).map(Bound::unbind)).ok()?;
    // A naive time cannot be subtracted from an aware one.
    let since = time.sub(epoch.bind(py)).ok()?;
    let part = |name| since.getattr(name).ok()?.extract::<i64>().ok();
    let days = part(intern!(py, "days"))?.checked_mul(DAY)?;
    let seconds = part(intern!(py, "seconds"))?.checked_mul(1_000_000)?;
    let instant = days.checked_add(seconds)?.checked_add(part(intern!(py, "microseconds"))?)?;
    IN_EVERY_ZONE.contains(&instant).then_some(instant)
}

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

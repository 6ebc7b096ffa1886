//! Restores values from their pickles.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrow::ArrowColumn;
use crate::pickled::{FORM, unreadable};
use crate::robots_txt::Line;
use crate::rules::Selection;
use crate::rules_object::Rules;
use crate::usage::Usage;
use crate::values::{Finding, Group, RequestRate, Rule, VisitTime};
use crate::verdict::{Considered, Verdict};

/// Restore a value from its pickle.
#[pyfunction]
#[pyo3(name = "_restore")]
pub(crate) fn restore<'py>(
    py: Python<'py>,
    form: u32,
    kind: &str,
    parts: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    if form != FORM {
        return Err(unreadable(kind));
    }
    Ok(match kind {
        "ArrowColumn" => Bound::new(py, ArrowColumn::restored(parts)?)?.into_any(),
        "Considered" => Bound::new(py, Considered::restored(parts)?)?.into_any(),
        "Finding" => Bound::new(py, Finding::restored(parts)?)?.into_any(),
        "Group" => Bound::new(py, Group::restored(parts)?)?.into_any(),
        "Line" => Bound::new(py, Line::restored(parts)?)?.into_any(),
        "RequestRate" => Bound::new(py, RequestRate::restored(parts)?)?.into_any(),
        "Rule" => Bound::new(py, Rule::restored(parts)?)?.into_any(),
        "Rules" => Bound::new(py, Rules::restored(parts)?)?.into_any(),
        "Selection" => Bound::new(py, Selection::restored(parts)?)?.into_any(),
        "Usage" => Bound::new(py, Usage::restored(parts)?)?.into_any(),
        "Verdict" => Bound::new(py, Verdict::restored(parts)?)?.into_any(),
        "VisitTime" => Bound::new(py, VisitTime::restored(parts)?)?.into_any(),
        _ => return Err(unreadable(kind)),
    })
}

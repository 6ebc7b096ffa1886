//! Exact comparison of two sets of rules.

use goodbot_core::reasoning::{self, Answer, Budget};
use pyo3::prelude::*;

use crate::rules_object::Rules;

/// Return paths on which two sets of rules decide differently, whether these are all the pairs of
/// lines that do, and the number of states considered.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn differing_paths(
    py: Python<'_>,
    before: &Rules,
    after: &Rules,
    states: usize,
    steps: usize,
) -> (Vec<String>, bool, usize) {
    let budget = Budget { states, steps, ..Budget::default() };
    let found = py.detach(|| {
        reasoning::differences(&before.inner, &after.inner, budget)
    });
    let paths = found.examples.into_iter().map(|example| example.path).collect();
    (paths, found.is_complete, found.states)
}

/// Return a shortest path on which two sets of rules decide differently, if one was found, and whether
/// the answer is certain.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn differing_path(
    py: Python<'_>,
    before: &Rules,
    after: &Rules,
    states: usize,
    steps: usize,
) -> (Option<String>, bool) {
    let budget = Budget { states, steps, ..Budget::default() };
    let answer = py.detach(|| {
        reasoning::first_difference(&before.inner, &after.inner, budget)
    });
    match answer {
        Answer::Same => (None, true),
        Answer::Different(example) => (Some(example.path), true),
        Answer::Unknown => (None, false),
    }
}

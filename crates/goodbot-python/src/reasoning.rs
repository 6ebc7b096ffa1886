//! Exact comparison of two sets of rules.

use goodbot_core::reasoning::{self, Answer, Budget};
use pyo3::prelude::*;

use crate::rules_object::Rules;

/// Return paths on which two sets of rules decide differently, and whether there are no others: one
/// for each pair of lines, or if `most` is 1 a shortest one at most.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn differing_paths(
    py: Python<'_>,
    old: &Rules,
    new: &Rules,
    most: usize,
    states: usize,
) -> (Vec<String>, bool) {
    let budget = Budget::of(states);
    py.detach(|| {
        if most == 1 {
            return match reasoning::first_difference(&old.inner, &new.inner, budget) {
                Answer::Same => (Vec::new(), true),
                Answer::Different(example) => (vec![example.path], true),
                Answer::Unknown => (Vec::new(), false),
            };
        }
        let found = reasoning::differences(&old.inner, &new.inner, budget);
        (found.examples.into_iter().map(|example| example.path).collect(), found.is_complete)
    })
}

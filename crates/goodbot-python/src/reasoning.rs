//! Exact comparison of two sets of rules; which robots obey the same.

use goodbot_core::reasoning::{self, Answer, Budget};
use pyo3::prelude::*;

use crate::robots_txt::RobotsTxt;
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

/// Return which lines of a file each of many robots obeys: for each reading of the file those at which
/// its groups begin, then those of the other fields. It is `None` for what cannot be a robot's name.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn obeyed_lines(
    py: Python<'_>,
    file: &RobotsTxt,
    robots: Vec<String>,
) -> Vec<Option<Vec<Vec<u32>>>> {
    py.detach(|| robots.iter().map(|robot| file.inner.obeyed_lines(robot).ok()).collect())
}

//! Exact reasoning about sets of rules; which robots obey the same.

use goodbot_core::reasoning::{self, Budget, LineEffect};
use goodbot_core::robots_txt::{How, RuleLine};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::robots_txt::RobotsTxt;
use crate::rules_object::Rules;
use crate::values::Finding;

/// Return paths on which two sets of rules decide differently, whether there are no others, and the
/// steps taken: one path for each pair of lines, or if `most` is 1 a shortest one at most.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn differing_paths(
    py: Python<'_>,
    old: &Rules,
    new: &Rules,
    most: usize,
    states: usize,
) -> (Vec<String>, bool, usize) {
    let budget = Budget::of(states);
    let search = if most == 1 { reasoning::first_differences } else { reasoning::differences };
    let found = py.detach(|| search(&old.inner, &new.inner, budget));
    let paths = found.examples.into_iter().map(|example| example.path);
    (paths.collect(), found.is_complete, found.steps)
}

/// Return where what each of many robots obeys stands in a file: for each reading of the file the lines
/// at which its groups begin, then those at which its fields do where these are not all of its groups'.
/// It is `None` for what cannot be a robot's name.
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

/// Return how the groups of each of many robots are chosen in a file, as in `Selection.how`. It is `None`
/// for what cannot be a robot's name.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn selected_how(
    py: Python<'_>,
    file: &RobotsTxt,
    robots: Vec<String>,
) -> Vec<Option<&'static str>> {
    let how = |robot: &String| file.inner.how_selected(robot).ok().map(How::slug);
    py.detach(|| robots.iter().map(how).collect())
}

/// Return whether two dialects read the rules of a file from the same lines and spell their patterns
/// alike, or what differs is no question of spelling.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn is_spelt_alike(py: Python<'_>, one: &Rules, other: &Rules) -> bool {
    py.detach(|| one.inner.is_spelt_alike(&other.inner))
}

/// Return the findings on a file that are about limits of its dialect.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn limits_exceeded(py: Python<'_>, file: &RobotsTxt) -> Vec<Finding> {
    py.detach(|| file.inner.limits_exceeded()).into_iter().map(Finding::from).collect()
}

/// Return the line of each rule, and what it says: the field and the pattern, as in `Disallow: /a`.
/// They are in the order of the rules, which become no objects.
#[pyfunction]
pub(crate) fn rule_lines(rules: &Rules) -> (Vec<u32>, Vec<String>) {
    let all = rules.inner.rule_lines().into_iter();
    all.map(|(field, pattern, line)| (line, [field, ": ", &pattern].concat())).unzip()
}

/// Return whether a URL is allowed, what the first of the rules that match it say, and how many match:
/// the field, the pattern and the line of each, those of the one that decides first.
///
/// They are those of `verdict(url).considered`.
#[pyfunction]
pub(crate) fn first_considered(
    rules: &Rules,
    url: &str,
    most: usize,
) -> (bool, Vec<RuleLine>, usize) {
    rules.inner.first_considered(url.as_bytes(), most)
}

/// Return the first line of each group that a robot obeys; its groups may have thousands of names.
#[pyfunction]
pub(crate) fn group_starts(rules: &Rules) -> Vec<u32> {
    rules.inner.group_starts().collect()
}

/// Return the fields other than rules that apply to a robot, as in `RobotsTxt.fields_for`, as one
/// text: a line `name: value` for each. Return the number of characters of their values, too.
///
/// Raises:
///     RobotNameError: `robot` is empty, or looks like a URL.
#[pyfunction]
pub(crate) fn stated_fields(file: &RobotsTxt, robot: &str) -> PyResult<(String, usize)> {
    let fields = file.inner.fields_for(robot).map_err(|error| errors::of_name(&error))?;
    let mut text = String::new();
    for (name, value, _) in &fields {
        text.extend([name, ": ", value, "\n"]);
    }
    Ok((text, fields.iter().map(|(_, value, _)| value.chars().count()).sum()))
}

/// Return the number of groups of a file, and how many bytes the group of a name has, on average.
#[pyfunction]
pub(crate) fn group_sizes(file: &RobotsTxt) -> (usize, usize) {
    file.inner.group_sizes()
}

/// Return about how many bytes rules take in memory, with the texts that they keep.
#[pyfunction]
pub(crate) fn rules_memory(rules: &Rules) -> usize {
    rules.inner.memory()
}

/// Return the fields that apply to a whole file, without its sitemaps: name, value, line.
#[pyfunction]
pub(crate) fn file_fields(file: &RobotsTxt) -> Vec<(&'static str, String, u32)> {
    file.inner.file_fields()
}

/// Return the names that a dialect compares with those of robots: for each reading of a file, of each
/// group that may be obeyed, in lower case.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn compared_names(py: Python<'_>, file: &RobotsTxt) -> Vec<Vec<Vec<String>>> {
    py.detach(|| file.inner.compared_names())
}

/// Return the names in the User-agent lines of a file, each spelling once.
#[pyfunction]
pub(crate) fn agent_names(py: Python<'_>, file: &RobotsTxt) -> Vec<String> {
    py.detach(|| file.inner.agents())
}

/// What a line does: its number, a path that it decides, one that it matches, the lines that hide it,
/// and whether that is all there is to know.
type Effect = (u32, Option<String>, Option<String>, Vec<u32>, bool);

/// Return what each line with a rule does, and the steps taken.
///
/// The GIL is released meanwhile.
#[pyfunction]
pub(crate) fn line_effects(py: Python<'_>, rules: &Rules, states: usize) -> (Vec<Effect>, usize) {
    let (effects, steps) = py.detach(|| reasoning::line_effects(&rules.inner, Budget::of(states)));
    let row = |effect: LineEffect| {
        let LineEffect { line, example, matched, hidden_by, is_complete } = effect;
        (line, example, matched, hidden_by, is_complete)
    };
    (effects.into_iter().map(row).collect(), steps)
}

/// Return what rules say as `bytes`, without lines and robots: rules with equal bytes decide alike, if
/// their dialects compare paths with rules in the same way.
#[pyfunction]
pub(crate) fn rules_content<'py>(py: Python<'py>, rules: &Rules) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &rules.inner.content())
}

//! Exact reasoning: whether two sets of rules mean the same, and on which paths they differ.
//!
//! Patterns with stars and `$` are a decidable language. Both sets of rules read all paths at once,
//! breadth first, so that the first path on which they differ is a shortest one; if there is none,
//! they mean the same for every path. The work is bounded by a number of states; beyond it the answer
//! is that it is unknown.
//!
//! Every example is confirmed by the rules themselves.
//!
//! ```
//! use goodbot_core::reasoning::{Answer, Budget, first_difference};
//! use goodbot_core::{RobotsTxt, dialects};
//!
//! let rules = |text: &'static str| {
//!     let robots = RobotsTxt::parse(text.as_bytes(), dialects::named("rfc9309").unwrap());
//!     robots.rules_for("ExampleBot").unwrap()
//! };
//! let before = rules("User-agent: *\nDisallow: /private\nDisallow: /*.pdf$\n");
//! let after = rules("User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\n");
//! let Answer::Different(example) = first_difference(&before, &after, Budget::default()) else {
//!     panic!("the files differ");
//! };
//! assert_eq!(example.path, "/private");
//! assert_eq!((example.before.line, example.after.line), (2, 0));
//! ```

mod alphabet;
mod chain;
mod lists;
mod search;
mod states;

#[cfg(test)]
mod tests;

use crate::robots_txt::{Decision, Rules};
use crate::target::Scratch;

use alphabet::Alphabet;
use lists::Lists;
use search::{End, Goal, Search};

pub use search::Budget;

/// A path on which two sets of rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The path and query, as they are written in a URL.
    pub path: String,
    /// What the first set decides.
    pub before: Decision,
    /// What the second set decides.
    pub after: Decision,
}

/// Whether two sets of rules mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They decide alike on every path.
    Same,
    /// They differ; no shorter path shows it.
    Different(Example),
    /// The budget was spent before a difference was found or ruled out.
    Unknown,
}

/// The paths on which two sets of rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    /// An example for each pair of lines that decide differently; no shorter path has this pair.
    pub examples: Vec<Example>,
    /// Whether these are all the pairs there are.
    pub is_complete: bool,
    /// The number of states that were considered.
    pub states: usize,
}

/// Returns whether two sets of rules mean the same, or a shortest path on which they differ.
#[must_use]
pub fn first_difference(before: &Rules, after: &Rules, budget: Budget) -> Answer {
    let mut first = None;
    let outcome = search(before, after, Goal::Any, budget, |example| {
        first = Some(example);
        false
    });
    match (first, outcome) {
        (Some(example), _) => Answer::Different(example),
        (None, (true, _)) => Answer::Same,
        (None, (false, _)) => Answer::Unknown,
    }
}

/// Returns the paths on which two sets of rules differ, one for each pair of deciding lines.
#[must_use]
pub fn differences(before: &Rules, after: &Rules, budget: Budget) -> Differences {
    let mut examples = Vec::new();
    let (is_complete, states) = search(before, after, Goal::Pairs, budget, |example| {
        examples.push(example);
        true
    });
    Differences { examples, is_complete, states }
}

/// Searches for differences, and calls `found` with each that the rules confirm; it returns whether to
/// go on. Returns whether all paths have been considered, and the number of states.
fn search(
    before: &Rules,
    after: &Rules,
    goal: Goal,
    budget: Budget,
    mut found: impl FnMut(Example) -> bool,
) -> (bool, usize) {
    let Some(lists) = Lists::new(before, after) else { return (false, 0) };
    let alphabet = Alphabet::new(lists.readers.clone());
    let mut search = Search::new(&lists, &alphabet, goal, budget);
    let mut all_confirmed = true;
    let end = search.run(|path, _, _| match confirmed(before, after, path) {
        Some(example) => found(example),
        None => {
            all_confirmed = false;
            true
        }
    });
    (end == End::Complete && all_confirmed, search.states())
}

/// Returns a path as an example, if the rules themselves differ on it.
fn confirmed(before: &Rules, after: &Rules, path: &[u8]) -> Option<Example> {
    // Two slashes at the beginning of a path alone would begin a host.
    let url = [b"https://example.com", path].concat();
    let mut scratch = Scratch::default();
    let before = before.decide(&url, &mut scratch);
    let after = after.decide(&url, &mut scratch);
    let path = String::from_utf8_lossy(path).into_owned();
    (before.allowed != after.allowed).then_some(Example { path, before, after })
}

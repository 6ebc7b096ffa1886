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
mod deciders;
mod deciding;
mod lists;
mod live;
mod search;
mod single;
mod states;
mod wish;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use crate::robots_txt::{Decision, Rules};
use crate::target::Scratch;

use alphabet::Alphabet;
use lists::Lists;
use search::{End, Goal, Search};
use single::SingleSearch;
use wish::deciders;

pub use deciding::{LineEffect, line_effects};
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
    let Some(lists) = Lists::new(before, after) else { return Answer::Unknown };
    let alphabet = Alphabet::new(lists.readers.clone());
    let mut search = Search::new(&lists, &alphabet, Goal::Any, budget);
    let mut found = Found { before, after, examples: Vec::new(), all_confirmed: true };
    let end = search.run(|path, _, _| {
        found.add(path);
        found.examples.is_empty()
    });
    match (found.examples.pop(), end) {
        (Some(example), _) => Answer::Different(example),
        (None, End::Complete) if found.all_confirmed => Answer::Same,
        _ => Answer::Unknown,
    }
}

/// Returns the paths on which two sets of rules differ, one for each pair of deciding lines.
#[must_use]
pub fn differences(before: &Rules, after: &Rules, budget: Budget) -> Differences {
    let Some(lists) = Lists::new(before, after) else {
        return Differences { examples: Vec::new(), is_complete: false, states: 0 };
    };
    let alphabet = Alphabet::new(lists.readers.clone());
    let mut search = Search::new(&lists, &alphabet, Goal::Pairs, budget.divided());
    let mut found = Found { before, after, examples: Vec::new(), all_confirmed: true };
    let end = search.run(|path, _, _| found.add(path));
    let is_complete = match end {
        // A search of all pairs at once may have too many states; each of the rest has few.
        End::OverBudget => pair_by_pair(&lists, &alphabet, &mut found, budget),
        _ => true,
    };
    let Found { examples, all_confirmed, .. } = found;
    Differences { examples, is_complete: is_complete && all_confirmed, states: search.states() }
}

/// The examples found so far.
struct Found<'a> {
    before: &'a Rules,
    after: &'a Rules,
    examples: Vec<Example>,
    all_confirmed: bool,
}

impl Found<'_> {
    /// Adds a path, if the rules confirm it.
    fn add(&mut self, path: &[u8]) -> bool {
        let example = confirmed(self.before, self.after, path);
        self.all_confirmed &= example.is_some();
        self.examples.extend(example);
        true
    }
}

/// Searches for the pairs of lines that are not found yet, one by one; returns whether all have been.
fn pair_by_pair(lists: &Lists, alphabet: &Alphabet, found: &mut Found<'_>, budget: Budget) -> bool {
    let known: HashSet<(u32, u32)> =
        found.examples.iter().map(|one| (one.before.line, one.after.line)).collect();
    // A line may have several patterns; the shortest path of all is wanted.
    let mut shortest: BTreeMap<(u32, u32), Vec<u16>> = BTreeMap::new();
    let mut left = budget.steps;
    let after = deciders(lists, lists.split..lists.all.len());
    for one in deciders(lists, 0..lists.split) {
        for other in &after {
            if left == 0 {
                return false;
            }
            left -= 1;
            let lines = (one.line, other.line);
            if one.allow == other.allow
                || known.contains(&lines)
                || !lists.is_change(one.place, other.place)
                || !lists.may_meet(&one.wish.wanted, &other.wish.wanted)
            {
                continue;
            }
            let wish = one.wish.and(&other.wish);
            if wish.is_void(lists) {
                continue;
            }
            let mut search = SingleSearch::new(lists, alphabet, &wish);
            let Ok(path) = search.run(left) else { return false };
            left = left.saturating_sub(search.steps);
            let best = shortest.get(&lines);
            if let Some(path) = path.filter(|path| best.is_none_or(|best| path.len() < best.len()))
            {
                shortest.insert(lines, path);
            }
        }
    }
    for path in shortest.into_values() {
        found.add(&alphabet.url_path(&path));
    }
    true
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

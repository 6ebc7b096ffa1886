//! Exact reasoning: whether two sets of rules mean the same, and on which paths they differ.
//!
//! Patterns with stars and `$` are a decidable language. Both sets of rules read all paths at once,
//! breadth first, so that the first path on which they differ is a shortest one; if there is none,
//! they mean the same for every path. The work is bounded by a number of steps; beyond it the answer
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
mod moves;
mod search;
mod single;
mod sites;
mod states;
mod wish;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use crate::robots_txt::{Decision, Rules};
use crate::target::Scratch;

use lists::Lists;
use search::{End, Goal, Search};
use single::{Judged, OverBudget, Steps};
use sites::{Site, sites};
use wish::{Decider, deciders};

pub use deciding::{LineEffect, line_effects};
pub use search::Budget;

/// A path on which two sets of rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The path and query, as they are written in a URL; a whole URL if rules name a server, so that
    /// it depends on the site what they say.
    pub path: String,
    /// What the first set decides.
    pub before: Decision,
    /// What the second set decides.
    pub after: Decision,
}

impl Example {
    /// Returns the lines that decide, and whether the first set allows the path.
    fn pair(&self) -> (u32, u32, bool) {
        (self.before.line, self.after.line, self.before.allowed)
    }
}

/// Whether two sets of rules mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They decide alike on every path.
    Same,
    /// They differ. No shorter path shows it, unless the budget was spent.
    Different(Example),
    /// The budget was spent before a difference was found or ruled out.
    Unknown,
}

/// The paths on which two sets of rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    /// An example for each pair of lines that decide differently; no shorter path of its site has
    /// this pair.
    pub examples: Vec<Example>,
    /// Whether these are all the pairs there are.
    pub is_complete: bool,
    /// The steps that were taken.
    pub steps: usize,
}

/// Returns whether two sets of rules mean the same, or a shortest path on which they differ.
#[must_use]
pub fn first_difference(before: &Rules, after: &Rules, budget: Budget) -> Answer {
    let mut found = first_differences(before, after, budget);
    match found.examples.pop() {
        Some(example) => Answer::Different(example),
        None if found.is_complete => Answer::Same,
        None => Answer::Unknown,
    }
}

/// Returns a shortest path on which two sets of rules differ, if there is one. If there is an example,
/// it is complete: it shows that they differ.
#[must_use]
pub fn first_differences(before: &Rules, after: &Rules, budget: Budget) -> Differences {
    let mut found = find(before, after, Goal::Any, budget.steps / 8, budget);
    // Where all pairs were tried one by one, there are several examples.
    let shortest = found.examples.into_iter().min_by_key(|example| example.path.len());
    found.examples = shortest.into_iter().collect();
    found.is_complete |= !found.examples.is_empty();
    found
}

/// Returns the paths on which two sets of rules differ, one for each pair of deciding lines.
#[must_use]
pub fn differences(before: &Rules, after: &Rules, budget: Budget) -> Differences {
    find(before, after, Goal::Pairs, budget.steps / 16, budget)
}

/// Searches on each site to which other rules apply.
fn find(before: &Rules, after: &Rules, goal: Goal, at_once: usize, budget: Budget) -> Differences {
    let sites = sites(&[before, after]);
    let (examples, shown) = (Vec::new(), HashSet::new());
    let mut found = Found { before, after, site: &sites[0], examples, shown, all_confirmed: true };
    let mut steps = Steps { taken: 0, most: budget.steps };
    let mut is_complete = true;
    for site in &sites {
        found.site = site;
        is_complete = find_on_site(&mut found, goal, at_once, &mut steps);
        let is_enough = goal == Goal::Any && !found.examples.is_empty();
        if is_enough || !is_complete {
            break;
        }
        found.shown.extend(found.examples.iter().map(Example::pair));
    }
    let Found { examples, all_confirmed, .. } = found;
    Differences { examples, is_complete: is_complete && all_confirmed, steps: steps.taken }
}

/// Searches for all pairs at once, and if that takes too many steps, for each of the rest; returns
/// whether all have been found.
fn find_on_site(found: &mut Found<'_>, goal: Goal, at_once: usize, steps: &mut Steps) -> bool {
    let (before, after) = (found.before, found.after);
    let affordable = steps.taken + Lists::least_cost(&[before, after]) <= steps.most;
    let Some(lists) = affordable.then(|| Lists::new(before, after, &found.site.origin)).flatten()
    else {
        return false;
    };
    let mut search = Search::new(&lists, goal, at_once);
    let end = search.run(|path, _, _| {
        found.add(path);
        goal == Goal::Pairs || found.examples.is_empty()
    });
    steps.taken += lists.cost() + search.steps;
    drop(search);
    // A search of all pairs at once may have too many states; each of the rest has few.
    match end {
        End::OverBudget => pair_by_pair(&lists, found, steps),
        End::Complete | End::Stopped => true,
    }
}

/// The examples found so far.
struct Found<'a> {
    before: &'a Rules,
    after: &'a Rules,
    /// The site whose paths are searched.
    site: &'a Site,
    examples: Vec<Example>,
    /// The pairs of lines that other sites have shown, and whether the first set allows the path.
    shown: HashSet<(u32, u32, bool)>,
    all_confirmed: bool,
}

impl Found<'_> {
    /// Adds a path, if the rules confirm it and no other site has shown the same.
    fn add(&mut self, path: &[u8]) {
        let example = self.example(path);
        let is_confirmed = example.before.allowed != example.after.allowed;
        self.all_confirmed &= is_confirmed;
        let is_new = is_confirmed && !self.shown.contains(&example.pair());
        self.examples.extend(is_new.then_some(example));
    }

    /// Returns a path with what both sets of rules decide about it.
    fn example(&self, path: &[u8]) -> Example {
        let url = self.site.url(path);
        let mut scratch = Scratch::default();
        let before = self.before.decide(&url, &mut scratch);
        let after = self.after.decide(&url, &mut scratch);
        Example { path: self.site.example(path), before, after }
    }
}

/// How many steps it takes to see whether two lines decide differently.
const STEPS_OF_A_PAIR: usize = 2;

/// How many steps it takes to compare how the patterns of two lines begin.
const STEPS_OF_HEADS: usize = 12;

/// Searches for the pairs of lines that are not found yet, one by one; returns whether all have been.
fn pair_by_pair(lists: &Lists, found: &mut Found<'_>, steps: &mut Steps) -> bool {
    let known: HashSet<(u32, u32)> =
        found.examples.iter().map(|one| (one.before.line, one.after.line)).collect();
    // A line may have several patterns; the shortest path of all is wanted.
    let mut shortest: BTreeMap<(u32, u32), Vec<u16>> = BTreeMap::new();
    let may_differ = |one: &Decider, other: &Decider| {
        one.allow != other.allow && lists.is_change(one.place, other.place)
    };
    let is_new = |one: &Decider, other: &Decider| {
        lists.may_meet(&one.wish.wanted, &other.wish.wanted)
            && !known.contains(&(one.line, other.line))
    };
    let judge = |one: &Decider, other: &Decider, path: &[u8]| {
        let Example { before, after, .. } = found.example(path);
        judged(&[(one, before, 0), (other, after, lists.split)])
    };
    let mut all = || {
        let after = deciders(lists, lists.split..lists.all.len());
        for one in deciders(lists, 0..lists.split) {
            for other in &after {
                steps.take(STEPS_OF_A_PAIR)?;
                if !may_differ(&one, other) {
                    continue;
                }
                steps.take(STEPS_OF_HEADS)?;
                if !is_new(&one, other) {
                    continue;
                }
                let wish = one.wish.and(&other.wish);
                let path = single::shortest(lists, &wish, steps, |path| judge(&one, other, path))?;
                let best = shortest.get(&(one.line, other.line));
                let is_better = |path: &Vec<u16>| best.is_none_or(|best| path.len() < best.len());
                if let Some(path) = path.filter(is_better) {
                    shortest.insert((one.line, other.line), path);
                }
            }
        }
        Ok::<(), OverBudget>(())
    };
    let is_complete = all().is_ok();
    for path in shortest.into_values() {
        found.add(&lists.alphabet.url_path(&path));
    }
    is_complete
}

/// Returns whether each of some deciders has decided: what decided in its place, and the first list of
/// its side.
fn judged(sides: &[(&Decider, Decision, usize)]) -> Judged {
    let other = |(wanted, decision, start): &(&Decider, Decision, usize)| {
        let decided = (decision.allowed, decision.line) != (wanted.allow, wanted.line);
        decided.then_some((start + usize::from(decision.reading), decision.line))
    };
    let others: Vec<_> = sides.iter().filter_map(other).collect();
    if others.is_empty() { Judged::Confirmed } else { Judged::Instead(others) }
}

//! What one search for a single path looks for.

use std::ops::Range;

use super::lists::Lists;

/// What a list must do with the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// None of its rules before this order matches.
    NoneBefore(u32),
    /// It allows the path.
    Allows,
}

/// The paths that match some rules, and no rule that is to be avoided.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// The runs that match.
    pub(super) wanted: Vec<u32>,
    /// What each list does; `NoneBefore(0)` if it does not matter.
    pub(super) limits: Vec<Limit>,
}

impl Wish {
    /// Returns a wish for any path.
    fn any(lists: &Lists) -> Wish {
        Wish { wanted: Vec::new(), limits: vec![Limit::NoneBefore(0); lists.all.len()] }
    }

    /// Returns a wish for the paths that a run matches.
    pub(super) fn matched(lists: &Lists, run: u32) -> Wish {
        Wish { wanted: vec![run], ..Wish::any(lists) }
    }

    /// Returns the paths of this wish that a run matches too.
    pub(super) fn and_matched(&self, run: u32) -> Wish {
        let mut wish = self.clone();
        if !wish.wanted.contains(&run) {
            wish.wanted.push(run);
        }
        wish
    }

    /// Returns the paths that both wishes are for; they are about different lists.
    pub(super) fn and(&self, other: &Wish) -> Wish {
        let mut wish = other.wanted.iter().fold(self.clone(), |wish, run| wish.and_matched(*run));
        for (limit, other) in wish.limits.iter_mut().zip(&other.limits) {
            if *other != Limit::NoneBefore(0) {
                *limit = *other;
            }
        }
        wish
    }

    /// Whether no path can be meant, because a run must match and must not.
    pub(super) fn is_void(&self, lists: &Lists) -> bool {
        self.wanted.iter().any(|run| self.avoids(lists, *run))
    }

    /// Whether a run must not match.
    pub(super) fn avoids(&self, lists: &Lists, run: u32) -> bool {
        let mut uses = lists.runs[run as usize].uses.iter();
        uses.any(|(list, order)| match self.limits[*list as usize] {
            Limit::NoneBefore(bound) => *order < bound,
            Limit::Allows => false,
        })
    }
}

/// What may decide a path on one side, and the paths that it decides.
#[derive(Clone, Debug)]
pub(super) struct Decider {
    pub(super) allow: bool,
    /// The line; 0 if no rule decides.
    pub(super) line: u32,
    /// The list, and the order there.
    pub(super) place: (usize, u32),
    pub(super) wish: Wish,
}

/// Returns what may decide a path on one side, whose lists are given.
///
/// Of several readings, the first that disallows decides, or else the first of all.
pub(super) fn deciders(lists: &Lists, side: Range<usize>) -> Vec<Decider> {
    let mut found = in_any_reading(lists, &side);
    found.retain(|decider| !decider.allow || decider.place.0 == side.start);
    found
}

/// Returns the same, and with several readings each rule that allows a path in its reading, if all
/// others allow it too.
pub(super) fn in_any_reading(lists: &Lists, side: &Range<usize>) -> Vec<Decider> {
    let mut found = Vec::new();
    for place in side.clone() {
        let list = &lists.all[place];
        for order in 0..=list.end() {
            let allow = list.allows(order);
            let mut wish = Wish::any(lists);
            wish.wanted.extend(list.entries.get(order as usize).map(|entry| entry.run));
            // Those before it allow the path; those after it matter only if it allows the path.
            let end = if allow { side.end } else { place };
            wish.limits[side.start..end].fill(Limit::Allows);
            wish.limits[place] = Limit::NoneBefore(order);
            found.push(Decider { allow, line: list.line(order), place: (place, order), wish });
        }
    }
    found
}

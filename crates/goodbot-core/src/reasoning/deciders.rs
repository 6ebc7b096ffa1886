//! The lines that may still decide, counted, so that a search knows when nothing is left to find.

use super::lists::{List, Lists};
use super::search::Decided;

/// The lines that may decide on either side.
pub(super) struct Deciders {
    /// For each side and line, the last time that it was added: twice the time, plus 1 if it allows.
    seen: [Vec<u32>; 2],
    time: u32,
    /// The lines of each side that disallow, and those that allow: all, and those that both sides have.
    counts: [[(usize, usize); 2]; 2],
}

impl Deciders {
    pub(super) fn new(lists: &Lists) -> Deciders {
        let (before, after) = lists.all.split_at(lists.split);
        let lines = |lists: &[List]| {
            let all = lists.iter().flat_map(|list| &list.entries).map(|entry| entry.line as usize);
            vec![0; all.max().unwrap_or(0) + 1]
        };
        Deciders { seen: [lines(before), lines(after)], time: 0, counts: Default::default() }
    }

    pub(super) fn clear(&mut self) {
        self.time += 1;
        self.counts = Default::default();
    }

    /// Adds a rule of a side.
    pub(super) fn add(&mut self, side: bool, list: &List, order: u32) {
        let (allow, line) = (list.allows(order), list.line(order) as usize);
        let side = usize::from(side);
        // Line 0 stands for all that decides without a rule, and may allow or not.
        let stamp = self.time * 2 + u32::from(allow);
        if self.seen[side][line] == stamp && line != 0 {
            return;
        }
        self.seen[side][line] = stamp;
        let (all, same) = &mut self.counts[side][usize::from(allow)];
        *all += 1;
        *same += usize::from(!list.is_changed(order));
    }

    /// Counts the pairs of lines with different verdicts, of which one is changed if lists are paired.
    pub(super) fn pairs(&self, are_paired: bool) -> usize {
        let [before, after] = self.counts;
        let count = |one: (usize, usize), other: (usize, usize)| {
            one.0 * other.0 - if are_paired { one.1 * other.1 } else { 0 }
        };
        count(before[0], after[1]) + count(before[1], after[0])
    }

    pub(super) fn has(&self, side: usize, decided: Decided) -> bool {
        let stamp = self.time * 2 + u32::from(decided.allow);
        self.seen[side].get(decided.line as usize) == Some(&stamp)
    }
}

//! The lines that may still decide, so that a search knows when nothing is left to find.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::lists::{List, Lists};
use super::states::Fold;

/// A pair of deciding lines, and whether the first side allows the path.
pub(super) type Pair = (u32, u32, bool);

/// The pairs that have been found.
pub(super) type Pairs = HashSet<Pair, BuildHasherDefault<Fold>>;

/// The lines that may decide on either side.
pub(super) struct Deciders {
    /// For each side, verdict and line, the last time that it was added.
    seen: [[Vec<u32>; 2]; 2],
    time: u32,
    /// For each side and verdict, the lines whose rules the other side has too, and those that it lacks.
    lines: [[[Vec<u32>; 2]; 2]; 2],
    /// The pairs that were looked up.
    pub(super) looked_up: usize,
}

impl Deciders {
    pub(super) fn new(lists: &Lists) -> Deciders {
        let all = lists.all.iter().flat_map(|list| &list.entries).map(|entry| entry.line as usize);
        let none = vec![0; all.max().unwrap_or(0) + 1];
        let seen = [[none.clone(), none.clone()], [none.clone(), none]];
        Deciders { seen, time: 0, lines: Default::default(), looked_up: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.time += 1;
        self.lines.iter_mut().flatten().flatten().for_each(Vec::clear);
    }

    /// Adds a rule of a side.
    pub(super) fn add(&mut self, side: bool, list: &List, order: u32) {
        let (allow, line) = (usize::from(list.allows(order)), list.line(order));
        let side = usize::from(side);
        let seen = &mut self.seen[side][allow][line as usize];
        // Line 0 stands for all that decides without a rule, which may be changed or not.
        if *seen != self.time || line == 0 {
            *seen = self.time;
            self.lines[side][allow][usize::from(list.is_changed(order))].push(line);
        }
    }

    /// Whether some pair of lines with different verdicts is not among those found; if lists are paired,
    /// one of the two is changed.
    pub(super) fn has_other_than(&mut self, found: &Pairs, are_paired: bool) -> bool {
        let [before, after] = &self.lines;
        for allow in [false, true] {
            let (ours, theirs) = (&before[usize::from(allow)], &after[usize::from(!allow)]);
            for (is_changed, ones) in ours.iter().enumerate() {
                // A file may have thousands of lines that are as before: they are not paired at all.
                let least = usize::from(are_paired && is_changed == 0);
                for (one, other) in ones
                    .iter()
                    .flat_map(|one| theirs[least..].iter().flatten().map(move |other| (one, other)))
                {
                    self.looked_up += 1;
                    if !found.contains(&(*one, *other, allow)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

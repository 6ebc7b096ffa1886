//! Runs of text: what a scan finds, and what an inventory counts.

use std::ops::Range;

use super::marks::CauseNumber;

/// A run of visible text within one block, to which the same decisions apply throughout.
#[derive(Clone, Debug)]
pub struct Run {
    /// The range of its text in [`Scan::texts`](super::Scan::texts).
    pub text: Range<u32>,
    /// Whether it begins a new block, so that no phrase continues into it from the run before.
    pub block: bool,
    /// What decided whether it may be indexed, archived and quoted.
    pub causes: [CauseNumber; 3],
    /// Where it begins in the source.
    pub place: u32,
}

impl Run {
    /// Returns its text of the texts of all runs.
    #[must_use]
    pub fn in_texts<'t>(&self, texts: &'t str) -> &'t str {
        &texts[self.text.start as usize..self.text.end as usize]
    }
}

/// The runs of a page, with their texts.
#[derive(Clone, Copy)]
pub(super) struct Runs<'s> {
    /// The runs, in page order.
    pub(super) runs: &'s [Run],
    /// The texts of all of them.
    pub(super) texts: &'s str,
}

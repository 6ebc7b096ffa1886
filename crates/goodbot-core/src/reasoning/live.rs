//! Runs of patterns that may still match, and how a letter moves them on.

use super::alphabet::{Letter, Place};
use super::chain::{Chain, Step};
use super::lists::Run;

/// A run and where it stands: the number of the run, twice, plus 1 if it reads the unescaped query.
pub(super) type Live = (u32, u32);

/// Returns a run before the first letter.
///
/// The spellings are the same until the query has a letter whose spellings differ.
pub(super) fn begun(number: u32, run: &Run) -> (u32, Step) {
    (number * 2 + u32::from(!run.reads_plain), run.chain.start)
}

/// A letter that is read at a place.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    letter: &'a Letter,
    in_query: bool,
    /// Whether the two spellings of the path differ from this letter on.
    opens_now: bool,
}

impl<'a> Reading<'a> {
    /// Reads a letter that leads from one place to another.
    pub(super) fn new(letter: &'a Letter, from: Place, to: Place) -> Reading<'a> {
        let in_query = matches!(from, Place::Query | Place::Opened);
        Reading { letter, in_query, opens_now: from == Place::Query && to == Place::Opened }
    }

    /// Returns where a run stands after the letter, and where it stands in the second spelling if the
    /// spellings differ from here on.
    pub(super) fn after(
        &self,
        run: &Run,
        (live, at): Live,
    ) -> impl Iterator<Item = (u32, Step)> + use<> {
        let spelling = &self.letter.spellings[run.reader];
        let bytes = if live % 2 == 1 && self.in_query { &spelling.open } else { &spelling.plain };
        let opens = self.opens_now && run.reads_open && run.reads_plain;
        let opened = opens.then(|| (live + 1, read(&run.chain, at, &spelling.open)));
        [Some((live, read(&run.chain, at, bytes))), opened].into_iter().flatten()
    }
}

/// Returns where a chain stands after some bytes.
fn read(chain: &Chain, at: u32, bytes: &[u8]) -> Step {
    bytes.iter().fold(Step::At(at), |step, byte| match step {
        Step::At(at) => chain.step(at, *byte),
        Step::Dead | Step::Matched => step,
    })
}

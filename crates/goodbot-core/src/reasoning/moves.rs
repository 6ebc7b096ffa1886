//! What each byte does to the patterns that may still match.
//!
//! Of many patterns, few want the same byte. Where the others stand after it is the same for all bytes,
//! so that is worked out once a state.

use super::alphabet::{Alphabet, Place};
use super::chain::Step;
use super::lists::Run;
use super::live::Live;

/// The live runs of a state, by what they do with the next byte.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// Where the runs stand after a byte that they do not want; those that cannot match any more are
    /// omitted. Sorted by run, as the live runs are.
    rest: Vec<Live>,
    /// The runs that want a byte, sorted by the byte and by run.
    wanting: Vec<(u8, Live)>,
}

impl Moves {
    /// Sorts the live runs of another state; `wants` is called with each run and each byte that it wants.
    pub(super) fn sort<'a>(
        &mut self,
        live: &[Live],
        run: impl Fn(u32) -> &'a Run,
        mut wants: impl FnMut(u32, u8),
    ) {
        self.rest.clear();
        self.wanting.clear();
        for (number, at) in live {
            let chain = &run(*number).chain;
            self.rest.extend(chain.base(*at).map(|base| (*number, base)));
            chain.wanted(*at, |byte| {
                self.wanting.push((byte, (*number, *at)));
                wants(*number, byte);
            });
        }
        self.wanting.sort_unstable();
    }

    /// Calls `stand` with each run that may match and where it stands after a byte, sorted by run, until
    /// it returns `None`.
    pub(super) fn after<'a>(
        &self,
        byte: u8,
        run: impl Fn(u32) -> &'a Run,
        mut stand: impl FnMut(u32, Step) -> Option<()>,
    ) -> Option<()> {
        let start = self.wanting.partition_point(|(wanted, _)| *wanted < byte);
        let mut last = None;
        let moved = self.wanting[start..].iter().take_while(|(wanted, _)| *wanted == byte);
        let mut rest = self.rest.iter().peekable();
        for (_, (number, at)) in moved {
            // A run that wants a byte in two ways wants it once.
            if last == Some(*number) {
                continue;
            }
            last = Some(*number);
            while let Some((before, at)) = rest.next_if(|(before, _)| before < number) {
                stand(*before, Step::At(*at))?;
            }
            rest.next_if(|(same, _)| same == number);
            stand(*number, run(*number).chain.step(*at, byte))?;
        }
        rest.try_for_each(|(number, at)| stand(*number, Step::At(*at)))
    }

    /// Iterates over the escapes that runs tell from any other letter: of the runs, those that `tells`
    /// picks.
    ///
    /// An escape `%XY` that no run reads whole leads where an unwanted letter, `X` and `Y` lead: to be read
    /// in part, it would have to be wanted from its beginning.
    pub(super) fn escapes<'a>(
        &self,
        alphabet: &Alphabet,
        place: Place,
        run: impl Fn(u32) -> &'a Run,
        tells: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = u16> {
        let in_query = matches!(place, Place::Query | Place::Opened);
        let mut live = self.wanting.iter().map(|(_, live)| live.0);
        let opens = in_query && live.any(|number| tells(number) && run(number).reads_open);
        let start = self.wanting.partition_point(|(wanted, _)| *wanted < b'%');
        let wanting = self.wanting[start..].iter().take_while(|(wanted, _)| *wanted == b'%');
        let reading: Vec<Live> =
            wanting.map(|(_, live)| *live).filter(|(number, _)| tells(*number)).collect();
        alphabet.noticed.iter().copied().filter(move |number| {
            let Some(letter) = alphabet.letter(*number) else { return false };
            let reads = |(number, at): &Live| run(*number).chain.reads(*at, &letter.url);
            !letter.is_verbatim() || opens && letter.opens || reading.iter().any(reads)
        })
    }

    /// Returns how much work it is to read one letter.
    pub(super) fn cost(&self) -> usize {
        4 + self.rest.len() / 4
    }
}

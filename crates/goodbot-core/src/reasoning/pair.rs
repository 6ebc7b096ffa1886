//! A search for one pair of deciding rules: a shortest path that one rule decides on the first side,
//! and another on the second.
//!
//! The path must match both rules, and none that comes before either. This needs few states, because
//! only the letters that the two rules want lead anywhere: any other letter serves best if no rule to
//! be avoided wants it, because a pattern that starts again has fewer ways to match than one that has
//! come further.

use super::alphabet::{Alphabet, Letter, Place};
use super::chain::Step;
use super::lists::{Lists, Run};
use super::search::{End, read};
use super::states::{FIRST, States};

/// The rules to be decided by, one for each side, as orders in the two lists.
pub(super) type Pair = [u32; 2];

/// The state of a search, before it is written down.
#[derive(Debug)]
struct Draft {
    place: Place,
    /// Whether the path matches the rule of each side.
    matched: [bool; 2],
    /// The runs that may still match, and where they stand: the number of the run, twice, plus 1 if
    /// it reads the unescaped query.
    live: Vec<(u32, u32)>,
}

/// A search for one pair.
pub(super) struct PairSearch<'a> {
    lists: &'a Lists,
    alphabet: &'a Alphabet,
    pair: Pair,
    /// The runs of the two rules; `None` if no rule is to decide.
    wanted: [Option<u32>; 2],
    /// Whether one of the two may match in a query what it would not match before one.
    gains_in_query: bool,
    states: States,
    /// The steps taken.
    pub(super) steps: usize,
}

impl<'a> PairSearch<'a> {
    pub(super) fn new(lists: &'a Lists, alphabet: &'a Alphabet, pair: Pair) -> PairSearch<'a> {
        let run =
            |side: usize| lists.all[side].entries.get(pair[side] as usize).map(|entry| entry.run);
        let wanted = [run(0), run(1)];
        let runs = wanted.iter().flatten();
        let gains_in_query = runs.map(|run| &lists.runs[*run as usize]).any(Run::gains_in_query);
        PairSearch {
            lists,
            alphabet,
            pair,
            wanted,
            gains_in_query,
            states: States::new(),
            steps: 0,
        }
    }

    /// Searches; returns the letters of the path, if there is one.
    pub(super) fn run(&mut self, most_steps: usize) -> (End, Option<Vec<u16>>) {
        if let Some(first) = self.first() {
            self.add(&first, FIRST, 0);
        }
        let mut next = 0;
        while next < self.states.len() {
            if self.steps > most_steps {
                return (End::OverBudget, None);
            }
            let state = u32::try_from(next).unwrap_or(u32::MAX);
            let draft = self.read(state);
            if self.ends(&draft) {
                return (End::Complete, Some(self.states.path(state)));
            }
            for number in self.candidates(&draft) {
                let Some(letter) = self.alphabet.letter(number) else { continue };
                self.steps += 1 + draft.live.len();
                if let Some(after) = self.follow(&draft, letter) {
                    self.add(&after, state, number);
                }
            }
            next += 1;
        }
        (End::Complete, None)
    }

    /// Whether a run must not match: a rule that would decide before the one wanted.
    fn is_avoided(&self, run: &Run) -> bool {
        run.uses.iter().any(|(list, order)| *order < self.pair[*list as usize])
    }

    fn first(&self) -> Option<Draft> {
        let matched = self.wanted.map(|run| run.is_none());
        let mut draft = Draft { place: Place::Start, matched, live: Vec::new() };
        for (number, run) in (0_u32..).zip(&self.lists.runs) {
            if self.wanted.contains(&Some(number)) || self.is_avoided(run) {
                let live = number * 2 + u32::from(!run.reads_plain);
                self.stand(&mut draft, live, run.chain.start)?;
            }
        }
        Some(draft)
    }

    /// Records where a run stands; `None` if the path matches a rule to be avoided.
    fn stand(&self, draft: &mut Draft, live: u32, step: Step) -> Option<()> {
        let number = live / 2;
        match step {
            Step::Dead => {}
            Step::At(at) => draft.live.push((live, at)),
            Step::Matched if self.is_avoided(&self.lists.runs[number as usize]) => return None,
            Step::Matched => {
                self.mark(&mut draft.matched, number);
            }
        }
        Some(())
    }

    /// Marks the sides whose rule is that of a run.
    fn mark(&self, matched: &mut [bool; 2], run: u32) {
        for (matched, wanted) in matched.iter_mut().zip(self.wanted) {
            *matched |= wanted == Some(run);
        }
    }

    /// Whether a path may end here, and is decided by the pair.
    fn ends(&self, draft: &Draft) -> bool {
        let mut matched = draft.matched;
        for (live, at) in &draft.live {
            let run = &self.lists.runs[*live as usize / 2];
            if run.chain.ends(*at) {
                if self.is_avoided(run) {
                    return false;
                }
                self.mark(&mut matched, live / 2);
            }
        }
        matched == [true, true] && self.alphabet.may_end(draft.place)
    }

    /// Returns the letters to try.
    fn candidates(&self, draft: &Draft) -> Vec<u16> {
        if draft.place == Place::Start {
            return vec![u16::from(b'/'), u16::from(b'?')];
        }
        let (mut told, mut avoided) = ([false; 256], [false; 256]);
        for (live, at) in &draft.live {
            let wanted = self.is_wanted(draft.matched, live / 2);
            let bytes = if wanted { &mut told } else { &mut avoided };
            let chain = &self.lists.runs[*live as usize / 2].chain;
            chain.wanted(*at, |byte| bytes[usize::from(byte)] = true);
        }
        told[usize::from(b'?')] |= self.gains_in_query;
        let looks = &self.alphabet.by_looks;
        let is_free = |byte: &&u8| {
            let byte = usize::from(**byte);
            !told[byte] && !avoided[byte] && !matches!(byte, 0x2E | 0x2F | 0x3F)
        };
        let mut letters: Vec<u16> = (256..).take(self.alphabet.others.len()).collect();
        letters.extend(
            looks.iter().filter(|byte| told[usize::from(**byte)]).map(|byte| u16::from(*byte)),
        );
        match looks.iter().find(is_free) {
            Some(free) => letters.insert(0, u16::from(*free)),
            // Every letter is wanted by a rule to be avoided, so each of them is tried.
            None => letters.extend(looks.iter().map(|byte| u16::from(*byte))),
        }
        letters
    }

    /// Whether a run is that of a rule that is not matched yet.
    fn is_wanted(&self, matched: [bool; 2], run: u32) -> bool {
        (0..2).any(|side| !matched[side] && self.wanted[side] == Some(run))
    }

    /// Returns what follows a letter; `None` if no path that is wanted continues so.
    fn follow(&self, draft: &Draft, letter: &Letter) -> Option<Draft> {
        let to = self.alphabet.step(draft.place, letter)?;
        let in_query = matches!(draft.place, Place::Query | Place::Opened);
        let opens_now = draft.place == Place::Query && to == Place::Opened;
        let mut next = Draft { place: to, matched: draft.matched, live: Vec::new() };
        for (live, at) in &draft.live {
            let run = &self.lists.runs[*live as usize / 2];
            let spelling = &letter.spellings[run.reader];
            let bytes = if live % 2 == 1 && in_query { &spelling.open } else { &spelling.plain };
            self.stand(&mut next, *live, read(&run.chain, *at, bytes))?;
            if opens_now && run.reads_open && run.reads_plain {
                self.stand(&mut next, live + 1, read(&run.chain, *at, &spelling.open))?;
            }
        }
        let matched = next.matched;
        next.live.retain(|(live, _)| {
            self.is_wanted(matched, live / 2)
                || self.is_avoided(&self.lists.runs[*live as usize / 2])
        });
        let may_match = |side: usize| {
            next.matched[side]
                || next.live.iter().any(|(live, _)| self.wanted[side] == Some(live / 2))
        };
        (may_match(0) && may_match(1)).then_some(next)
    }

    fn add(&mut self, draft: &Draft, parent: u32, letter: u16) {
        let mut live = draft.live.clone();
        live.sort_unstable();
        let flags = u32::from(draft.matched[0]) * 2 + u32::from(draft.matched[1]);
        let mut words = vec![draft.place as u32, flags];
        words.extend(live.iter().flat_map(|(live, at)| [*live, *at]));
        self.states.add(&words, parent, letter);
    }

    fn read(&self, state: u32) -> Draft {
        let words = self.states.words(state);
        let live = words[2..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let matched = [words[1] & 2 != 0, words[1] & 1 != 0];
        Draft { place: Place::of(words[0]), matched, live }
    }
}

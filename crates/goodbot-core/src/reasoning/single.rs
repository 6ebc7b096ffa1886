//! A search for one path: a shortest one that matches some rules, and none that is to be avoided.
//!
//! This needs few states, because only the letters that the wanted rules want lead anywhere: any other
//! letter serves best if no rule to be avoided wants it, because a pattern that starts again has fewer
//! ways to match than one that has come further.

use super::alphabet::{Alphabet, Place};
use super::chain::Step;
use super::lists::{Lists, Run};
use super::live::{Live, Reading, begun};
use super::search::{allows, best_of, bound, bounded};
use super::states::{FIRST, States};
use super::wish::{Limit, Wish};

/// A search took more steps than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OverBudget;

/// The state of a search, before it is written down.
#[derive(Debug)]
struct Draft {
    place: Place,
    /// The wanted runs that the path matches, as bits.
    matched: u32,
    /// What decides so far in each list that must allow the path (`best_of`).
    best: Vec<u32>,
    live: Vec<Live>,
}

/// A search for one path.
pub(super) struct SingleSearch<'a> {
    lists: &'a Lists,
    alphabet: &'a Alphabet,
    wish: &'a Wish,
    /// The lists that must allow the path.
    allowing: Vec<u32>,
    /// Whether a run may help in a query as it would not before one.
    gains_in_query: bool,
    states: States,
    /// The steps taken.
    pub(super) steps: usize,
}

impl<'a> SingleSearch<'a> {
    pub(super) fn new(lists: &'a Lists, alphabet: &'a Alphabet, wish: &'a Wish) -> Self {
        let numbered = (0..).zip(&wish.limits);
        let allowing = numbered.filter(|(_, limit)| **limit == Limit::Allows);
        let mut search = SingleSearch {
            lists,
            alphabet,
            wish,
            allowing: allowing.map(|(list, _)| list).collect(),
            gains_in_query: false,
            states: States::new(),
            steps: 0,
        };
        let mut runs = (0_u32..).zip(&lists.runs);
        search.gains_in_query =
            runs.any(|(number, run)| run.gains_in_query() && search.may_help(0, number));
        search
    }

    /// Searches; returns the letters of the path, if there is one.
    pub(super) fn run(&mut self, most_steps: usize) -> Result<Option<Vec<u16>>, OverBudget> {
        self.steps += self.lists.runs.len();
        if let Some(first) = self.first() {
            self.add(&first, FIRST, 0);
        }
        let mut next = 0;
        while next < self.states.len() {
            if self.steps > most_steps {
                return Err(OverBudget);
            }
            let state = u32::try_from(next).unwrap_or(u32::MAX);
            let draft = self.read(state);
            if self.ends(&draft) {
                return Ok(Some(self.states.path(state)));
            }
            for number in self.candidates(&draft) {
                self.steps += 1 + draft.live.len();
                if let Some(after) = self.follow(&draft, number) {
                    self.add(&after, state, number);
                }
            }
            next += 1;
        }
        Ok(None)
    }

    fn run_of(&self, live: u32) -> &'a Run {
        &self.lists.runs[live as usize / 2]
    }

    /// Returns the bits of the wanted runs that a run is.
    fn bits(&self, run: u32) -> u32 {
        let place = self.wish.wanted.iter().position(|wanted| *wanted == run);
        place.map_or(0, |place| 1 << place)
    }

    /// Returns the bits of all wanted runs.
    fn all_bits(&self) -> u32 {
        (1 << self.wish.wanted.len()) - 1
    }

    /// Iterates over the lists that must allow the path and that have a run: the place in a draft, and
    /// the order.
    fn allowing(&self, run: u32) -> impl Iterator<Item = (usize, u32)> {
        let uses = self.lists.runs[run as usize].uses.iter();
        uses.filter_map(|(list, order)| {
            Some((self.allowing.iter().position(|known| known == list)?, *order))
        })
    }

    /// Whether a path may have to match a run that it does not match yet.
    fn may_help(&self, matched: u32, run: u32) -> bool {
        let mut allowing = self.allowing(run);
        self.bits(run) & !matched != 0
            || allowing.any(|(place, order)| self.list(place).allows(order))
    }

    /// Returns a list that must allow the path.
    fn list(&self, place: usize) -> &'a super::lists::List {
        &self.lists.all[self.allowing[place] as usize]
    }

    fn first(&self) -> Option<Draft> {
        let lists = (0..self.allowing.len()).map(|place| self.list(place));
        let best = lists.map(|list| best_of(list, list.end())).collect();
        let mut draft = Draft { place: Place::Start, matched: 0, best, live: Vec::new() };
        for (number, run) in (0_u32..).zip(&self.lists.runs) {
            if self.bits(number) != 0
                || self.wish.avoids(self.lists, number)
                || self.allowing(number).next().is_some()
            {
                let (live, step) = begun(number, run);
                self.stand(&mut draft, live, step)?;
            }
        }
        self.kept(draft)
    }

    /// Records where a run stands; `None` if the path matches a rule to be avoided.
    fn stand(&self, draft: &mut Draft, live: u32, step: Step) -> Option<()> {
        let run = live / 2;
        match step {
            Step::Dead => {}
            Step::At(at) => draft.live.push((live, at)),
            Step::Matched if self.wish.avoids(self.lists, run) => return None,
            Step::Matched => {
                draft.matched |= self.bits(run);
                self.decide(&mut draft.best, run);
            }
        }
        Some(())
    }

    /// Records that a path matches a run, in the lists that must allow the path.
    fn decide(&self, best: &mut [u32], run: u32) {
        for (place, order) in self.allowing(run) {
            if order < bound(best[place]) {
                best[place] = best_of(self.list(place), order);
            }
        }
    }

    /// Whether a path may end here, and is one that is wanted.
    fn ends(&self, draft: &Draft) -> bool {
        let mut matched = draft.matched;
        let mut best = draft.best.clone();
        for (live, at) in &draft.live {
            if self.run_of(*live).chain.ends(*at) {
                if self.wish.avoids(self.lists, live / 2) {
                    return false;
                }
                matched |= self.bits(live / 2);
                self.decide(&mut best, live / 2);
            }
        }
        matched == self.all_bits()
            && best.iter().all(|best| allows(*best))
            && self.alphabet.may_end(draft.place)
    }

    /// Returns the letters to try.
    fn candidates(&self, draft: &Draft) -> Vec<u16> {
        if draft.place == Place::Start {
            return vec![u16::from(b'/'), u16::from(b'?')];
        }
        let (mut told, mut avoided) = ([false; 256], [false; 256]);
        for (live, at) in &draft.live {
            let helps = self.may_help(draft.matched, live / 2);
            let bytes = if helps { &mut told } else { &mut avoided };
            self.run_of(*live).chain.wanted(*at, |byte| bytes[usize::from(byte)] = true);
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

    /// Returns what follows a letter; `None` if no path that is wanted continues so.
    fn follow(&self, draft: &Draft, number: u16) -> Option<Draft> {
        let letter = self.alphabet.letter(number)?;
        let to = self.alphabet.step(draft.place, letter)?;
        let reading = Reading::new(letter, draft.place, to);
        let Draft { matched, .. } = *draft;
        let mut next = Draft { place: to, matched, best: draft.best.clone(), live: Vec::new() };
        for live in &draft.live {
            for (live, step) in reading.after(self.run_of(live.0), *live) {
                self.stand(&mut next, live, step)?;
            }
        }
        self.kept(next)
    }

    /// Drops the runs of no effect; returns `None` if no path that is wanted continues so.
    fn kept(&self, mut draft: Draft) -> Option<Draft> {
        let mut ends = vec![0; draft.best.len()];
        for (live, _) in &draft.live {
            for (place, order) in self.allowing(live / 2) {
                let best = draft.best[place];
                if order < bound(best) && self.list(place).allows(order) != allows(best) {
                    ends[place] = ends[place].max(order + 1);
                }
            }
        }
        for (best, end) in draft.best.iter_mut().zip(&ends) {
            *best = bounded(*best, *end);
            if !allows(*best) && *end == 0 {
                return None;
            }
        }
        let mut missing = self.all_bits() & !draft.matched;
        let matched = draft.matched;
        draft.live.retain(|(live, _)| {
            let bits = self.bits(live / 2) & !matched;
            missing &= !bits;
            bits != 0
                || self.wish.avoids(self.lists, live / 2)
                || self.allowing(live / 2).any(|(place, order)| order < ends[place])
        });
        (missing == 0).then_some(draft)
    }

    fn add(&mut self, draft: &Draft, parent: u32, letter: u16) {
        let mut live = draft.live.clone();
        live.sort_unstable();
        let mut words = vec![draft.place as u32, draft.matched];
        words.extend(&draft.best);
        words.extend(live.iter().flat_map(|(live, at)| [*live, *at]));
        self.states.add(&words, parent, letter);
    }

    fn read(&self, state: u32) -> Draft {
        let words = self.states.words(state);
        let (best, live) = words[2..].split_at(self.allowing.len());
        let live = live.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Draft { place: Place::of(words[0]), matched: words[1], best: best.to_vec(), live }
    }
}

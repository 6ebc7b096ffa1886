//! A search, breadth first, for paths on which two sides decide differently.
//!
//! A state is where the path may go on, what decides so far in each list, and where each pattern
//! stands that may still matter. Paths that lead to the same state have the same future, so only the
//! first of them, a shortest one, is kept.

use std::collections::HashSet;

use super::alphabet::{Alphabet, Letter, Place};
use super::chain::Step;
use super::deciders::Deciders;
use super::lists::{List, Lists, Run};
use super::live::{Live, Reading, begun};
use super::states::{FIRST, States};

/// How much a search may cost. States are counted and not time, so that the answer is the same
/// everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The most states.
    pub states: usize,
    /// The most bytes of memory for them.
    pub bytes: usize,
    /// The most steps: a step reads one letter with one pattern.
    pub steps: usize,
}

/// How many steps a state may cost on average.
const STEPS_A_STATE: usize = 200;

impl Default for Budget {
    fn default() -> Budget {
        Budget::of(200_000)
    }
}

impl Budget {
    /// Returns a budget of so many states.
    #[must_use]
    pub fn of(states: usize) -> Budget {
        Budget { states, bytes: 48 << 20, steps: states.saturating_mul(STEPS_A_STATE) }
    }

    /// Returns the part of a budget that is spent on all pairs at once.
    pub(super) fn divided(self) -> Budget {
        Budget { steps: self.steps / 8, ..self }
    }
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The first path with different verdicts; which rules decide does not matter.
    Any,
    /// A path for each pair of deciding lines.
    Pairs,
}

/// What decides on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Decided {
    pub(super) allow: bool,
    /// The line; 0 if no rule decides.
    pub(super) line: u32,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every path has been considered.
    Complete,
    /// The visitor has what it wants.
    Stopped,
    /// The budget is spent.
    OverBudget,
}

/// Returns what decides so far in a list, in one word: the first order that can decide no more, whether
/// what decides is changed, and whether it allows.
pub(super) fn best_of(list: &List, order: u32) -> u32 {
    order << 2 | u32::from(list.is_changed(order)) << 1 | u32::from(list.allows(order))
}

pub(super) fn bound(best: u32) -> u32 {
    best >> 2
}

fn is_changed(best: u32) -> bool {
    best & 2 != 0
}

pub(super) fn allows(best: u32) -> bool {
    best & 1 != 0
}

/// Returns the same with another bound.
pub(super) fn bounded(best: u32, bound: u32) -> u32 {
    bound << 2 | best & 3
}

/// A state that is being built.
#[derive(Debug, Default)]
struct Draft {
    place: u32,
    /// For each list, what decides so far (`best_of`).
    best: Vec<u32>,
    live: Vec<Live>,
}

/// The live runs of a state, by what they do with the next byte.
struct ByByte {
    /// The bytes that some run tells from others.
    wanted: [bool; 256],
    /// The runs behind a star, which no byte ends.
    floating: Vec<Live>,
    /// The others, each with the one byte that does not end it, sorted by that.
    anchored: Vec<(u8, Live)>,
}

impl ByByte {
    /// Iterates over the runs that no star precedes, and that want this byte.
    fn anchored(&self, byte: u8) -> impl Iterator<Item = &Live> {
        let start = self.anchored.partition_point(|(wanted, _)| *wanted < byte);
        let runs = self.anchored[start..].iter();
        runs.take_while(move |(wanted, _)| *wanted == byte).map(|(_, live)| live)
    }
}

/// A search over the paths of an alphabet.
pub(super) struct Search<'a> {
    lists: &'a Lists,
    alphabet: &'a Alphabet,
    goal: Goal,
    budget: Budget,
    states: States,
    steps: usize,
    /// The pairs of lines found.
    found: HashSet<(Decided, Decided)>,
    deciders: Deciders,
    words: Vec<u32>,
    /// The letters besides those read as one byte that some pattern could notice.
    others: Vec<u16>,
    /// Whether each run may match in a query what it would not match before one.
    gains_in_query: Vec<bool>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        lists: &'a Lists,
        alphabet: &'a Alphabet,
        goal: Goal,
        budget: Budget,
    ) -> Search<'a> {
        let mut search = Search {
            lists,
            alphabet,
            goal,
            budget,
            states: States::new(),
            steps: 0,
            found: HashSet::new(),
            deciders: Deciders::new(lists),
            words: Vec::new(),
            others: Vec::new(),
            gains_in_query: lists.runs.iter().map(Run::gains_in_query).collect(),
        };
        search.others = search.noticed();
        search
    }

    /// Returns the number of states.
    pub(super) fn states(&self) -> usize {
        self.states.len()
    }

    /// Returns the letters, besides those read as one byte, of which a pattern has a byte.
    fn noticed(&self) -> Vec<u16> {
        let mut has = vec![[false; 256]; self.lists.readers.len()];
        for run in &self.lists.runs {
            for byte in run.chain.bytes() {
                has[run.reader][usize::from(byte)] = true;
            }
        }
        let is_noticed = |letter: &Letter| {
            letter.spellings.iter().zip(&has).any(|(spelling, has)| {
                let mut bytes = spelling.plain.iter().chain(&spelling.open);
                bytes.any(|byte| has[usize::from(*byte)])
            })
        };
        let numbered = (256..).zip(&self.alphabet.others);
        numbered.filter(|(_, letter)| is_noticed(letter)).map(|(number, _)| number).collect()
    }

    /// Searches; `visit` is called with each path on which the sides differ, as it is written in a
    /// URL, and with what decides. It returns whether to go on.
    pub(super) fn run(&mut self, mut visit: impl FnMut(&[u8], Decided, Decided) -> bool) -> End {
        let draft = self.first();
        self.add(draft, FIRST, 0);
        let mut next = 0;
        while next < self.states.len() {
            if self.is_over_budget() {
                return End::OverBudget;
            }
            let state = u32::try_from(next).unwrap_or(u32::MAX);
            let draft = self.read(state);
            if let Some((before, after)) = self.differs(&draft) {
                let is_new = self.goal == Goal::Any || !self.found.contains(&(before, after));
                if is_new
                    && !visit(&self.alphabet.url_path(&self.states.path(state)), before, after)
                {
                    return End::Stopped;
                }
                if is_new && self.goal == Goal::Pairs {
                    self.found.insert((before, after));
                }
            }
            // What was found since the state was added may have left nothing to find behind it.
            if self.goal == Goal::Any || self.may_find_more(&draft) {
                self.expand(state, &draft);
            }
            next += 1;
        }
        End::Complete
    }

    fn is_over_budget(&self) -> bool {
        let Budget { states, bytes, steps } = self.budget;
        self.states.len() > states || self.states.memory() > bytes || self.steps > steps
    }

    /// Returns the state before the first letter.
    fn first(&self) -> Draft {
        let best = self.lists.all.iter().map(|list| best_of(list, list.end())).collect();
        let mut draft = Draft { place: Place::Start as u32, best, live: Vec::new() };
        for (number, run) in (0_u32..).zip(&self.lists.runs) {
            let (live, step) = begun(number, run);
            self.stand(&mut draft, live, step);
        }
        draft
    }

    /// Records where a run stands.
    fn stand(&self, draft: &mut Draft, live: u32, step: Step) {
        match step {
            Step::Dead => {}
            Step::At(at) => draft.live.push((live, at)),
            Step::Matched => {
                for (list, order) in &self.lists.runs[live as usize / 2].uses {
                    let best = &mut draft.best[*list as usize];
                    if *order < bound(*best) {
                        *best = best_of(&self.lists.all[*list as usize], *order);
                    }
                }
            }
        }
    }

    /// Reads a state.
    fn read(&self, state: u32) -> Draft {
        let words = self.states.words(state);
        let count = self.lists.all.len();
        let best = words[1..=count].to_vec();
        let live = words[1 + count..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Draft { place: words[0], best, live }
    }

    /// Returns what decides on both sides if the path ends here, if the verdicts differ.
    fn differs(&self, draft: &Draft) -> Option<(Decided, Decided)> {
        if !self.alphabet.may_end(Place::of(draft.place)) {
            return None;
        }
        let mut decided: Vec<Decided> =
            (0..draft.best.len()).map(|list| self.so_far(list, draft.best[list])).collect();
        let mut orders: Vec<u32> = draft.best.iter().map(|best| bound(*best)).collect();
        for (live, at) in &draft.live {
            let run = &self.lists.runs[*live as usize / 2];
            if !run.chain.ends(*at) {
                continue;
            }
            for (list, order) in &run.uses {
                let list = *list as usize;
                if *order < orders[list] {
                    orders[list] = *order;
                    let rules = &self.lists.all[list];
                    decided[list] =
                        Decided { allow: rules.allows(*order), line: rules.line(*order) };
                }
            }
        }
        let (before, after) = decided.split_at(self.lists.split);
        let (before, after) = (of_readings(before), of_readings(after));
        (before.allow != after.allow).then_some((before, after))
    }

    /// Returns what decides so far in a list.
    fn so_far(&self, list: usize, best: u32) -> Decided {
        let line = match self.goal {
            Goal::Any => 0,
            Goal::Pairs => self.lists.all[list].line(bound(best)),
        };
        Decided { allow: allows(best), line }
    }

    /// Adds the states that follow a state.
    fn expand(&mut self, state: u32, draft: &Draft) {
        let readers = self.readers_of(draft);
        for number in self.candidates(draft, &readers) {
            let Some(letter) = self.alphabet.letter(number) else { continue };
            let byte = u8::try_from(number).ok();
            let Some(next) = self.follow(draft, &readers, letter, byte) else { continue };
            self.steps += 1 + next.live.len() + readers.floating.len();
            self.add(next, state, number);
        }
    }

    /// Sorts the live runs by the bytes that they want.
    fn readers_of(&self, draft: &Draft) -> ByByte {
        let mut found = ByByte { wanted: [false; 256], floating: Vec::new(), anchored: Vec::new() };
        for (live, at) in &draft.live {
            let chain = &self.lists.runs[*live as usize / 2].chain;
            let mut last = 0;
            chain.wanted(*at, |byte| {
                found.wanted[usize::from(byte)] = true;
                last = byte;
            });
            match chain.floats(*at) {
                true => found.floating.push((*live, *at)),
                false => found.anchored.push((last, (*live, *at))),
            }
        }
        found.anchored.sort_unstable();
        found
    }

    /// Returns the letters to try: those that some run tells apart, and one for all the rest.
    fn candidates(&self, draft: &Draft, readers: &ByByte) -> Vec<u16> {
        if draft.place == Place::Start as u32 {
            return vec![u16::from(b'/'), u16::from(b'?')];
        }
        let looks = &self.alphabet.by_looks;
        let is_wanted = |byte: &&u8| readers.wanted[usize::from(**byte)];
        let is_structure = |byte: &&u8| matches!(byte, b'/' | b'?' | b'.');
        let rest = looks.iter().find(|byte| !is_wanted(byte) && !is_structure(byte));
        // In a query, two dots between slashes are no dot segment, and `%2F` is compared as a slash.
        let may_gain = draft.live.iter().any(|(live, _)| self.gains_in_query[*live as usize / 2]);
        let told = looks.iter().filter(|byte| is_wanted(byte) || **byte == b'?' && may_gain);
        let bytes = rest.into_iter().chain(told);
        bytes.map(|byte| u16::from(*byte)).chain(self.others.iter().copied()).collect()
    }

    /// Returns what follows a letter, which every reader may read as one byte; `None` if no path
    /// continues so.
    fn follow(
        &self,
        draft: &Draft,
        readers: &ByByte,
        letter: &Letter,
        byte: Option<u8>,
    ) -> Option<Draft> {
        let place = Place::of(draft.place);
        let to = self.alphabet.step(place, letter)?;
        let mut next = Draft { place: to as u32, best: draft.best.clone(), live: Vec::new() };
        // Of the runs that no star precedes, a letter of one byte leaves those that want it.
        if let Some(byte) = byte {
            for live in readers.floating.iter().chain(readers.anchored(byte)) {
                self.read_plain(&mut next, *live, byte);
            }
            return Some(next);
        }
        let reading = Reading::new(letter, place, to);
        for live in &draft.live {
            let run = &self.lists.runs[live.0 as usize / 2];
            for (live, step) in reading.after(run, *live) {
                self.stand(&mut next, live, step);
            }
        }
        Some(next)
    }

    fn read_plain(&self, next: &mut Draft, (live, at): Live, byte: u8) {
        let step = self.lists.runs[live as usize / 2].chain.step(at, byte);
        self.stand(next, live, step);
    }

    /// Adds a state, if a wanted path may lead on from it.
    fn add(&mut self, mut draft: Draft, parent: u32, letter: u16) {
        draft.live.sort_unstable();
        let is_wanted = match self.goal {
            Goal::Any => self.keep_verdicts(&mut draft),
            Goal::Pairs => self.keep_deciders(&mut draft),
        };
        if !is_wanted {
            return;
        }
        self.merge_places(&mut draft);
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.push(draft.place);
        words.extend_from_slice(&draft.best);
        words.extend(draft.live.iter().flat_map(|(live, at)| [*live, *at]));
        self.states.add(&words, parent, letter);
        self.words = words;
    }

    /// Drops the runs that cannot change a verdict; returns whether the verdicts may still differ.
    ///
    /// A rule that decides the same as everything that it could override is of no effect.
    fn keep_verdicts(&self, draft: &mut Draft) -> bool {
        let lists = &self.lists.all;
        let mut ends = vec![0; lists.len()];
        for (live, _) in &draft.live {
            for (list, order) in &self.lists.runs[*live as usize / 2].uses {
                let list = *list as usize;
                let best = draft.best[list];
                if *order < bound(best) && lists[list].allows(*order) != allows(best) {
                    ends[list] = ends[list].max(order + 1);
                }
            }
        }
        let mut has_change =
            !self.lists.are_paired || draft.best.iter().any(|best| is_changed(*best));
        draft.live.retain(|(live, _)| {
            let uses = &self.lists.runs[*live as usize / 2].uses;
            let mut matters = false;
            for (list, order) in uses {
                let list = *list as usize;
                if *order < ends[list] {
                    matters = true;
                    has_change |= lists[list].is_changed(*order);
                }
            }
            matters
        });
        for (best, end) in draft.best.iter_mut().zip(&ends) {
            *best = bounded(*best, *end);
        }
        let (before, after) = draft.best.split_at(self.lists.split);
        // A list with a rule that matters may allow and disallow.
        let may_allow = |side: &[u32]| side.iter().all(|best| allows(*best) || bound(*best) > 0);
        let may_not = |side: &[u32]| side.iter().any(|best| !allows(*best) || bound(*best) > 0);
        has_change && (may_allow(before) && may_not(after) || may_not(before) && may_allow(after))
    }

    /// Drops the runs that cannot decide; returns whether a pair of lines may be found that is new.
    fn keep_deciders(&mut self, draft: &mut Draft) -> bool {
        let best = &draft.best;
        draft.live.retain(|(live, _)| {
            let uses = &self.lists.runs[*live as usize / 2].uses;
            uses.iter().any(|(list, order)| *order < bound(best[*list as usize]))
        });
        self.may_find_more(draft)
    }

    /// Whether a pair of deciding lines that is not found yet may be found.
    fn may_find_more(&mut self, draft: &Draft) -> bool {
        let lists = self.lists;
        let deciders = &mut self.deciders;
        deciders.clear();
        for (place, best) in draft.best.iter().enumerate() {
            deciders.add(place >= lists.split, &lists.all[place], bound(*best));
        }
        for (live, _) in &draft.live {
            for (list, order) in &lists.runs[*live as usize / 2].uses {
                let place = *list as usize;
                if *order < bound(draft.best[place]) {
                    deciders.add(place >= lists.split, &lists.all[place], *order);
                }
            }
        }
        // With several readings, the two lines may be those of different readings.
        let possible = deciders.pairs(lists.are_paired && lists.split == 1);
        if possible == 0 || possible > self.found.len() {
            return possible > 0;
        }
        let known = self
            .found
            .iter()
            .filter(|(one, other)| deciders.has(0, *one) && deciders.has(1, *other));
        possible > known.count()
    }

    /// Merges places that differ only in what no run notices.
    fn merge_places(&self, draft: &mut Draft) {
        let place = Place::of(draft.place);
        let notices_dots = || {
            let mut dots = draft.live.iter().map(|(live, at)| {
                let mut wants = false;
                self.lists.runs[*live as usize / 2].chain.wanted(*at, |byte| wants |= byte == b'.');
                wants
            });
            dots.any(|wants| wants)
        };
        let reads_open =
            || draft.live.iter().any(|(live, _)| self.lists.runs[*live as usize / 2].reads_open);
        draft.place = match place {
            Place::Segment if !notices_dots() => Place::Name,
            Place::Opened if !reads_open() => Place::Query,
            _ => place,
        } as u32;
    }
}

/// Returns what decides among the readings of one side: the first that disallows, or else the first.
fn of_readings(decided: &[Decided]) -> Decided {
    let refusal = decided.iter().find(|one| !one.allow);
    *refusal.unwrap_or(&decided[0])
}

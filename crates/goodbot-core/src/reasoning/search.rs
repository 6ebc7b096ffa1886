//! A search, breadth first, for paths on which two sides decide differently.
//!
//! A state is where the path may go on, what decides so far in each list, and where each pattern
//! stands that may still matter. Paths that lead to the same state have the same future, so only the
//! first of them, a shortest one, is kept.

use super::alphabet::Place;
use super::chain::Step;
use super::deciders::{Deciders, Pairs};
use super::lists::{List, Lists, Run};
use super::live::{Live, Reading, begun};
use super::moves::Moves;
use super::states::{FIRST, MOST_BYTES, STATE_COST, States};

/// How much a search may cost. Steps are counted and not time, so that the answer is the same
/// everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The most steps: a step reads one letter with one pattern.
    pub steps: usize,
}

/// The most states, unless the caller sets another bound: hostile files end within 200 ms.
const MOST_STATES: usize = 20_000;

/// How many steps a state may cost on average.
const STEPS_A_STATE: usize = 200;

impl Default for Budget {
    fn default() -> Budget {
        Budget::of(MOST_STATES)
    }
}

impl Budget {
    /// Returns a budget of so many states.
    #[must_use]
    pub fn of(states: usize) -> Budget {
        Budget { steps: states.saturating_mul(STEPS_A_STATE) }
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

/// What is built for each state, in memory that is used again for the next.
#[derive(Debug, Default)]
struct Scratch {
    /// The state that is read.
    draft: Draft,
    /// One that follows it.
    next: Draft,
    letters: Vec<u16>,
    /// For each list, what decides if the path ends, and in which order it comes.
    decided: Vec<(Decided, u32)>,
}

/// A search over the paths of an alphabet.
pub(super) struct Search<'a> {
    lists: &'a Lists,
    goal: Goal,
    most_steps: usize,
    states: States,
    /// The steps taken.
    pub(super) steps: usize,
    found: Pairs,
    deciders: Deciders,
    moves: Moves,
    /// For each list, the first order that no longer matters, while a state is built.
    ends: Vec<u32>,
    /// Whether each run may match in a query what it would not match before one.
    gains_in_query: Vec<bool>,
}

impl<'a> Search<'a> {
    pub(super) fn new(lists: &'a Lists, goal: Goal, most_steps: usize) -> Search<'a> {
        Search {
            lists,
            goal,
            most_steps,
            states: States::new(),
            steps: 0,
            found: Pairs::default(),
            deciders: Deciders::new(lists),
            moves: Moves::default(),
            ends: Vec::new(),
            gains_in_query: lists.runs.iter().map(Run::gains_in_query).collect(),
        }
    }

    /// Searches; `visit` is called with each path on which the sides differ, as it is written in a
    /// URL, and with what decides. It returns whether to go on.
    pub(super) fn run(&mut self, mut visit: impl FnMut(&[u8], Decided, Decided) -> bool) -> End {
        self.add(&mut self.first(), FIRST, 0);
        let mut scratch = Scratch::default();
        let mut next = 0;
        while next < self.states.len() {
            if self.is_over_budget() {
                return End::OverBudget;
            }
            let state = u32::try_from(next).unwrap_or(u32::MAX);
            self.read(state, &mut scratch.draft);
            if let Some((before, after)) = self.differs(&scratch.draft, &mut scratch.decided) {
                let is_new = self.goal == Goal::Any
                    || self.found.insert((before.line, after.line, before.allow));
                if is_new
                    && !visit(
                        &self.lists.alphabet.url_path(&self.states.path(state)),
                        before,
                        after,
                    )
                {
                    return End::Stopped;
                }
            }
            // What was found since the state was added may have left nothing to find behind it.
            if self.goal == Goal::Any || self.may_find_more(&scratch.draft) {
                self.expand(state, &mut scratch);
            }
            next += 1;
        }
        End::Complete
    }

    fn is_over_budget(&self) -> bool {
        self.steps > self.most_steps || self.states.memory() > MOST_BYTES
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
    fn read(&self, state: u32, draft: &mut Draft) {
        let words = self.states.words(state);
        let count = self.lists.all.len();
        draft.place = words[0];
        draft.best.clear();
        draft.best.extend(&words[1..=count]);
        draft.live.clear();
        draft.live.extend(words[1 + count..].chunks_exact(2).map(|pair| (pair[0], pair[1])));
    }

    /// Returns what decides on both sides if the path ends here, if the verdicts differ.
    fn differs(
        &self,
        draft: &Draft,
        decided: &mut Vec<(Decided, u32)>,
    ) -> Option<(Decided, Decided)> {
        if !self.lists.alphabet.may_end(Place::of(draft.place)) {
            return None;
        }
        decided.clear();
        let so_far = draft.best.iter().enumerate();
        decided.extend(so_far.map(|(list, best)| (self.so_far(list, *best), bound(*best))));
        for (live, at) in &draft.live {
            let run = &self.lists.runs[*live as usize / 2];
            if !run.chain.ends(*at) {
                continue;
            }
            for (list, order) in &run.uses {
                let list = *list as usize;
                if *order < decided[list].1 {
                    let rules = &self.lists.all[list];
                    let found = Decided { allow: rules.allows(*order), line: rules.line(*order) };
                    decided[list] = (found, *order);
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
    fn expand(&mut self, state: u32, scratch: &mut Scratch) {
        let Scratch { draft, next, letters, .. } = scratch;
        let mut moves = std::mem::take(&mut self.moves);
        self.steps += STATE_COST + 2 * draft.live.len();
        self.letters(draft, &mut moves, letters);
        for number in letters {
            self.steps += moves.cost() + draft.live.len() / 4;
            if self.follow(draft, &moves, *number, next).is_some() {
                self.add(next, state, *number);
            }
        }
        self.moves = moves;
    }

    fn run_of(&self, live: u32) -> &'a Run {
        &self.lists.runs[live as usize / 2]
    }

    /// Lists the letters to try, those that some run tells apart and one for all the rest, and sorts the
    /// live runs by what they do with them.
    fn letters(&self, draft: &Draft, moves: &mut Moves, letters: &mut Vec<u16>) {
        letters.clear();
        let mut wanted = [false; 256];
        let run_of = |live| self.run_of(live);
        moves.sort(&draft.live, run_of, |_, byte| wanted[usize::from(byte)] = true);
        let place = Place::of(draft.place);
        if place == Place::Start {
            letters.extend([u16::from(b'/'), u16::from(b'?')]);
            return;
        }
        let is_free = |byte: u8| !wanted[usize::from(byte)] && !matches!(byte, b'/' | b'?' | b'.');
        let free = self.lists.alphabet.unnoticed(is_free);
        // In a query, two dots between slashes are no dot segment, and `%2F` is compared as a slash.
        let may_gain = draft.live.iter().any(|(live, _)| self.gains_in_query[*live as usize / 2]);
        wanted[usize::from(b'?')] |= may_gain;
        let looks = self.lists.alphabet.by_looks.iter();
        let told = looks.filter(|byte| wanted[usize::from(**byte)]).map(|byte| u16::from(*byte));
        letters.extend(free.into_iter().chain(told));
        match free {
            Some(_) => letters.extend(moves.escapes(&self.lists.alphabet, place, run_of, |_| true)),
            None => letters.extend(&self.lists.alphabet.noticed),
        }
    }

    /// Finds what follows a letter; `None` if no path continues so.
    fn follow(&self, draft: &Draft, moves: &Moves, number: u16, next: &mut Draft) -> Option<()> {
        let letter = self.lists.alphabet.letter(number)?;
        let place = Place::of(draft.place);
        let to = self.lists.alphabet.step(place, letter)?;
        next.place = to as u32;
        next.best.clone_from(&draft.best);
        next.live.clear();
        if let Ok(byte) = u8::try_from(number) {
            let run_of = |live| self.run_of(live);
            moves.after(byte, run_of, |live, step| {
                self.stand(next, live, step);
                Some(())
            })
        } else {
            let reading = Reading::new(letter, place, to);
            for live in &draft.live {
                for (live, step) in reading.after(self.run_of(live.0), *live) {
                    self.stand(next, live, step);
                }
            }
            Some(())
        }
    }

    /// Adds a state, if a wanted path may lead on from it.
    fn add(&mut self, draft: &mut Draft, parent: u32, letter: u16) {
        let is_wanted = match self.goal {
            Goal::Any => self.keep_verdicts(draft),
            Goal::Pairs => self.keep_deciders(draft),
        };
        if !is_wanted {
            return;
        }
        self.merge_places(draft);
        let head = std::iter::once(draft.place).chain(draft.best.iter().copied());
        let live = draft.live.iter().flat_map(|(live, at)| [*live, *at]);
        self.states.add(head.chain(live), parent, letter);
    }

    /// Drops the runs that cannot change a verdict; returns whether the verdicts may still differ.
    ///
    /// A rule that decides the same as everything that it could override is of no effect.
    fn keep_verdicts(&mut self, draft: &mut Draft) -> bool {
        let lists = &self.lists.all;
        let ends = &mut self.ends;
        ends.clear();
        ends.resize(lists.len(), 0);
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
        for (best, end) in draft.best.iter_mut().zip(&*ends) {
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
        let are_paired = lists.are_paired && lists.split == 1;
        let may_find = deciders.has_other_than(&self.found, are_paired);
        self.steps += std::mem::take(&mut deciders.looked_up) / 4;
        may_find
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
fn of_readings(decided: &[(Decided, u32)]) -> Decided {
    let refusal = decided.iter().find(|(one, _)| !one.allow);
    refusal.unwrap_or(&decided[0]).0
}

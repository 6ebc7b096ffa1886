//! A search for one path: a shortest one that matches some rules, and none that is to be avoided.
//!
//! This needs few states, because only the letters that the wanted rules want lead anywhere: any other
//! letter serves best if no rule to be avoided wants it, because a pattern that starts again has fewer
//! ways to match than one that has come further.

use super::alphabet::Place;
use super::chain::Step;
use super::lists::{List, Lists, Run};
use super::live::{Live, Reading, begun};
use super::moves::Moves;
use super::search::{allows, best_of, bound, bounded};
use super::states::{FIRST, MOST_BYTES, STATE_COST, States};
use super::wish::{Limit, Wish};

/// A search took more steps than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OverBudget;

/// What the rules themselves decide about a path that was found.
pub(super) enum Judged {
    /// What was wished for.
    Confirmed,
    /// These lines decide instead, each in a list.
    Instead(Vec<(usize, u32)>),
}

/// How often a path is looked for with only those rules avoided that are known to matter.
const ROUNDS: usize = 8;

/// Returns the letters of a shortest path of a wish, if there is one.
///
/// Few of the rules to be avoided matter. So the first search avoids none, and each further one those too
/// that decide the path found before. A path that is confirmed is a shortest one, because the search
/// for it was for all the wished paths and more.
pub(super) fn shortest(
    lists: &Lists,
    wish: &Wish,
    steps: &mut Steps,
    judge: impl Fn(&[u8]) -> Judged,
) -> Result<Option<Vec<u16>>, OverBudget> {
    if wish.is_void(lists) {
        return Ok(None);
    }
    let mut avoided: Vec<u32> = Vec::new();
    for _ in 0..ROUNDS {
        let Some(path) = searched(lists, wish, Some(&avoided), steps)? else { return Ok(None) };
        steps.taken += lists.cost_of_verdict(path.len());
        let Judged::Instead(lines) = judge(&lists.alphabet.url_path(&path)) else {
            return Ok(Some(path));
        };
        let before = avoided.len();
        for (list, line) in lines {
            let runs = lists.all[list].of_line(line).map(|entry| entry.run);
            avoided.extend(runs.filter(|run| wish.avoids(lists, *run)));
        }
        avoided.sort_unstable();
        avoided.dedup();
        if avoided.len() == before {
            break;
        }
    }
    searched(lists, wish, None, steps)
}

/// Searches once.
fn searched(
    lists: &Lists,
    wish: &Wish,
    known: Option<&[u32]>,
    steps: &mut Steps,
) -> Result<Option<Vec<u16>>, OverBudget> {
    let mut search = SingleSearch::new(lists, wish, known);
    let found = search.run(steps.most.saturating_sub(steps.taken));
    steps.taken += search.steps;
    found
}

/// The steps taken, and the most of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) taken: usize,
    pub(super) most: usize,
}

impl Steps {
    /// Counts some steps; fails if there are too many.
    pub(super) fn take(&mut self, steps: usize) -> Result<(), OverBudget> {
        self.taken += steps;
        if self.taken > self.most { Err(OverBudget) } else { Ok(()) }
    }
}

/// A run that matters to a search. In states, its place in the list of these stands for it.
#[derive(Debug)]
struct Role<'a> {
    run: &'a Run,
    /// The bit of a run that must match, or 0.
    bit: u32,
    /// Whether it must not match.
    is_avoided: bool,
    /// The lists that must allow the path and that have it: the place among those, and the order.
    allowing: Vec<(usize, u32)>,
    /// Whether the path may have to match it.
    may_help: bool,
}

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
struct SingleSearch<'a> {
    lists: &'a Lists,
    /// The runs that matter, those that must match first.
    roles: Vec<Role<'a>>,
    /// The bits of the runs that must match.
    wanted: u32,
    /// The lists that must allow the path.
    allowing: Vec<&'a List>,
    /// Whether a run may help in a query as it would not before one.
    gains_in_query: bool,
    states: States,
    /// The steps taken.
    steps: usize,
}

impl<'a> SingleSearch<'a> {
    /// Prepares a search for the paths of a wish; if `known` is given, of the rules to be avoided only
    /// those are, and no list must allow the path.
    fn new(lists: &'a Lists, wish: &Wish, known: Option<&[u32]>) -> Self {
        let (roles, allowing) = match known {
            Some(known) => (wanted_and(lists, wish, known), Vec::new()),
            None => roles(lists, wish),
        };
        SingleSearch {
            lists,
            wanted: (1 << wish.wanted.len()) - 1,
            gains_in_query: roles.iter().any(|role| role.may_help && role.run.gains_in_query()),
            steps: 8 + roles.len() + if known.is_none() { 3 * lists.runs.len() } else { 0 },
            roles,
            allowing,
            states: States::new(),
        }
    }

    /// Searches; returns the letters of the path, if there is one.
    fn run(&mut self, most_steps: usize) -> Result<Option<Vec<u16>>, OverBudget> {
        if let Some(first) = self.first() {
            self.add(&first, FIRST, 0);
        }
        let mut moves = Moves::default();
        let mut next = 0;
        while next < self.states.len() {
            if self.steps > most_steps || self.states.memory() > MOST_BYTES {
                return Err(OverBudget);
            }
            let state = u32::try_from(next).unwrap_or(u32::MAX);
            let draft = self.read(state);
            if self.ends(&draft) {
                return Ok(Some(self.states.path(state)));
            }
            self.steps += STATE_COST + draft.live.len();
            for number in self.letters(&draft, &mut moves) {
                self.steps += moves.cost();
                if let Some(after) = self.follow(&draft, &moves, number) {
                    self.add(&after, state, number);
                }
            }
            next += 1;
        }
        Ok(None)
    }

    fn role(&self, live: u32) -> &Role<'a> {
        &self.roles[live as usize / 2]
    }

    /// Returns the state before the first letter, if the wish is not void.
    fn first(&self) -> Option<Draft> {
        let best = self.allowing.iter().map(|list| best_of(list, list.end())).collect();
        let mut draft = Draft { place: Place::Start, matched: 0, best, live: Vec::new() };
        for (number, role) in (0_u32..).zip(&self.roles) {
            let (live, step) = begun(number, role.run);
            self.stand(&mut draft, live, step)?;
        }
        self.kept(draft)
    }

    /// Records where a run stands; `None` if the path matches a rule to be avoided.
    fn stand(&self, draft: &mut Draft, live: u32, step: Step) -> Option<()> {
        match step {
            Step::Dead => {}
            Step::At(at) => draft.live.push((live, at)),
            Step::Matched if self.role(live).is_avoided => return None,
            Step::Matched => {
                let role = self.role(live);
                draft.matched |= role.bit;
                self.decide(&mut draft.best, role);
            }
        }
        Some(())
    }

    /// Records that a path matches a run, in the lists that must allow the path.
    fn decide(&self, best: &mut [u32], role: &Role<'_>) {
        for (place, order) in &role.allowing {
            if *order < bound(best[*place]) {
                best[*place] = best_of(self.allowing[*place], *order);
            }
        }
    }

    /// Whether a path may end here, and is one that is wanted.
    fn ends(&self, draft: &Draft) -> bool {
        let mut matched = draft.matched;
        let mut best = draft.best.clone();
        for (live, at) in &draft.live {
            let role = self.role(*live);
            if role.run.chain.ends(*at) {
                if role.is_avoided {
                    return false;
                }
                matched |= role.bit;
                self.decide(&mut best, role);
            }
        }
        matched == self.wanted
            && best.iter().all(|best| allows(*best))
            && self.lists.alphabet.may_end(draft.place)
    }

    /// Returns the letters to try, and sorts the live runs by what they do with them.
    fn letters(&self, draft: &Draft, moves: &mut Moves) -> Vec<u16> {
        let (mut told, mut avoided) = ([false; 256], [false; 256]);
        moves.sort(
            &draft.live,
            |live| self.role(live).run,
            |live, byte| {
                let bytes = if self.role(live).may_help { &mut told } else { &mut avoided };
                bytes[usize::from(byte)] = true;
            },
        );
        if draft.place == Place::Start {
            return vec![u16::from(b'/'), u16::from(b'?')];
        }
        told[usize::from(b'?')] |= self.gains_in_query;
        let is_free = |byte: u8| {
            let is_structure = matches!(byte, b'.' | b'/' | b'?');
            !told[usize::from(byte)] && !avoided[usize::from(byte)] && !is_structure
        };
        let alphabet = &self.lists.alphabet;
        let looks = alphabet.by_looks.iter();
        let Some(free) = alphabet.unnoticed(is_free) else {
            // Every letter is wanted by a rule to be avoided, so each of them is tried.
            return looks.map(|byte| u16::from(*byte)).chain(alphabet.noticed.clone()).collect();
        };
        let told = looks.filter(|byte| told[usize::from(**byte)]).map(|byte| u16::from(*byte));
        let helps = |live| self.role(live).may_help;
        let escapes = moves.escapes(alphabet, draft.place, |live| self.role(live).run, helps);
        [free].into_iter().chain(told).chain(escapes).collect()
    }

    /// Returns what follows a letter; `None` if no path that is wanted continues so.
    fn follow(&self, draft: &Draft, moves: &Moves, number: u16) -> Option<Draft> {
        let letter = self.lists.alphabet.letter(number)?;
        let to = self.lists.alphabet.step(draft.place, letter)?;
        let Draft { matched, .. } = *draft;
        let live = Vec::with_capacity(draft.live.len() + 1);
        let mut next = Draft { place: to, matched, best: draft.best.clone(), live };
        if let Ok(byte) = u8::try_from(number) {
            moves.after(
                byte,
                |live| self.role(live).run,
                |live, step| self.stand(&mut next, live, step),
            )?;
        } else {
            let reading = Reading::new(letter, draft.place, to);
            for live in &draft.live {
                for (live, step) in reading.after(self.role(live.0).run, *live) {
                    self.stand(&mut next, live, step)?;
                }
            }
        }
        self.kept(next)
    }

    /// Drops the runs of no effect; returns `None` if no path that is wanted continues so.
    fn kept(&self, mut draft: Draft) -> Option<Draft> {
        let matched = draft.matched;
        if matched != 0 || !self.allowing.is_empty() {
            let ends = self.ends_of_lists(&mut draft)?;
            draft.live.retain(|(live, _)| {
                let role = self.role(*live);
                role.bit & !matched != 0
                    || role.is_avoided
                    || role.allowing.iter().any(|(place, order)| *order < ends[*place])
            });
        }
        // The runs that must match come first.
        let wanted = draft.live.iter().map(|(live, _)| self.role(*live).bit);
        let found = wanted.take_while(|bit| *bit != 0).fold(matched, |found, bit| found | bit);
        (found == self.wanted).then_some(draft)
    }

    /// Returns, for each list that must allow the path, the order from which its rules do not matter;
    /// `None` if a list cannot allow the path any more.
    fn ends_of_lists(&self, draft: &mut Draft) -> Option<Vec<u32>> {
        let mut ends = vec![0; draft.best.len()];
        for (live, _) in &draft.live {
            for (place, order) in &self.role(*live).allowing {
                let best = draft.best[*place];
                if *order < bound(best) && self.allowing[*place].allows(*order) != allows(best) {
                    ends[*place] = ends[*place].max(order + 1);
                }
            }
        }
        for (best, end) in draft.best.iter_mut().zip(&ends) {
            *best = bounded(*best, *end);
        }
        let may_allow = |best: &u32| allows(*best) || bound(*best) > 0;
        draft.best.iter().all(may_allow).then_some(ends)
    }

    fn add(&mut self, draft: &Draft, parent: u32, letter: u16) {
        let head = [draft.place as u32, draft.matched];
        let live = draft.live.iter().flat_map(|(live, at)| [*live, *at]);
        self.states.add(
            head.into_iter().chain(draft.best.iter().copied()).chain(live),
            parent,
            letter,
        );
    }

    fn read(&self, state: u32) -> Draft {
        let words = self.states.words(state);
        let (best, live) = words[2..].split_at(self.allowing.len());
        let live = live.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Draft { place: Place::of(words[0]), matched: words[1], best: best.to_vec(), live }
    }
}

/// Returns the runs that must match, and some that must not.
fn wanted_and<'a>(lists: &'a Lists, wish: &Wish, avoided: &[u32]) -> Vec<Role<'a>> {
    let role = |run: u32, bit: u32, is_avoided: bool| {
        let run = &lists.runs[run as usize];
        Role { run, bit, is_avoided, may_help: bit != 0, allowing: Vec::new() }
    };
    let wanted = wish.wanted.iter().enumerate().map(|(place, run)| role(*run, 1 << place, false));
    wanted.chain(avoided.iter().map(|run| role(*run, 0, true))).collect()
}

/// Returns the runs that matter to a wish, those that must match first, and the lists that must allow
/// the path.
fn roles<'a>(lists: &'a Lists, wish: &Wish) -> (Vec<Role<'a>>, Vec<&'a List>) {
    let numbered = (0_u32..).zip(&wish.limits).filter(|(_, limit)| **limit == Limit::Allows);
    let allowing: Vec<u32> = numbered.map(|(list, _)| list).collect();
    let in_allowing = |run: u32| -> Vec<(usize, u32)> {
        let uses = lists.runs[run as usize].uses.iter();
        let place = |list: &u32| allowing.iter().position(|known| known == list);
        uses.filter_map(|(list, order)| Some((place(list)?, *order))).collect()
    };
    let list = |place: usize| &lists.all[allowing[place] as usize];
    let role = |run: u32, bit: u32| {
        let allowing = in_allowing(run);
        let helps = allowing.iter().any(|(place, order)| list(*place).allows(*order));
        let is_avoided = wish.avoids(lists, run);
        let run = &lists.runs[run as usize];
        Role { run, bit, is_avoided, may_help: bit != 0 || helps, allowing }
    };
    let mut found: Vec<Role<'a>> =
        wish.wanted.iter().enumerate().map(|(place, run)| role(*run, 1 << place)).collect();
    let every = 0..u32::try_from(lists.runs.len()).unwrap_or(u32::MAX);
    found.extend(every.filter(|run| !wish.wanted.contains(run)).filter_map(|run| {
        // A rule that begins otherwise than a wanted one matches no path that is wanted.
        let may_matter = lists.may_meet(&wish.wanted, &[run]);
        let role = may_matter.then(|| role(run, 0))?;
        (role.is_avoided || !role.allowing.is_empty()).then_some(role)
    }));
    (found, (0..allowing.len()).map(list).collect())
}

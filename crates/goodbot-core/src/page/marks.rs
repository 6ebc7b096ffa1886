//! What the marks around a place say on each act.

use std::collections::HashMap;

use crate::html::{NodeId, Tree};

use super::plan::{Act, Cause, Plan};

/// The place of a cause in [`Marks::causes`], counted from 1; 0 if nothing was said.
pub(crate) type CauseNumber = u32;

/// What has been said so far on each act, by the elements around.
#[derive(Clone, Copy, Default)]
pub(crate) struct State {
    /// By classes that nest: the innermost counts.
    pub(crate) classes: [CauseNumber; Act::COUNT],
    /// By marks that know only "no": the outermost counts.
    pub(crate) denials: [CauseNumber; Act::COUNT],
    /// Whether white space is kept.
    pub(crate) verbatim: bool,
}

/// Reads marks, and remembers what decided.
pub(crate) struct Marks<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) causes: Vec<Cause>,
    /// Where classes of one element contradict each other.
    pub(crate) conflicts: Vec<u32>,
    numbers: HashMap<Cause, CauseNumber>,
}

/// How many regions that begin before a place are looked at: few rows stand open at once.
const MOST_REGIONS_LOOKED_AT: usize = 16;

impl<'p> Marks<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Marks<'p> {
        Marks { plan, causes: Vec::new(), conflicts: Vec::new(), numbers: HashMap::new() }
    }

    /// Takes up what the marks of one element say; the acts on which it says something new.
    pub(crate) fn mark(&mut self, tree: &Tree, id: NodeId, state: &mut State) -> u8 {
        let plan = self.plan;
        let mut marked = 0;
        for (name, value) in tree.attributes(id) {
            if name == "class" && !plan.classes.is_empty() {
                marked |= self.classes(tree.node(id).start, value, state);
                continue;
            }
            for mark in plan.attributes.iter().filter(|mark| mark.name == name) {
                let counts = mark.elements.is_empty()
                    || mark.elements.iter().any(|one| one == tree.name(id));
                if counts {
                    marked |= mark.forbids;
                    self.deny(mark.forbids, mark.row, tree.node(id).start, state);
                }
            }
        }
        marked
    }

    fn deny(&mut self, acts: u8, row: u16, place: u32, state: &mut State) {
        let number = self.number(Cause { row, allows: false, place });
        for act in 0..Act::COUNT {
            if acts & 1 << act != 0 && state.denials[act] == 0 {
                state.denials[act] = number;
            }
        }
    }

    /// The classes of one element: a specific one outweighs a general one, in whatever order they
    /// stand (Robot Exclusion Profile, Precedence); of two that contradict each other the one that
    /// forbids holds, which the Profile leaves open.
    fn classes(&mut self, place: u32, value: &str, state: &mut State) -> u8 {
        // For each act: general and specific, forbidden and allowed, by row.
        let mut said = [[[None; 2]; 2]; Act::COUNT];
        let mut marked = 0;
        for class in value.split_ascii_whitespace() {
            let Some(mark) = self.plan.classes.get(class).copied() else { continue };
            if !mark.nests {
                marked |= mark.forbids;
                self.deny(mark.forbids, mark.row, place, state);
                continue;
            }
            for (act, said) in said.iter_mut().enumerate() {
                for (way, acts) in [mark.forbids, mark.allows].into_iter().enumerate() {
                    if acts & 1 << act != 0 {
                        said[usize::from(mark.specific)][way].get_or_insert(mark.row);
                    }
                }
            }
        }
        for (act, [general, specific]) in said.into_iter().enumerate() {
            let strongest = if specific == [None; 2] { general } else { specific };
            let [forbids, allows] = strongest;
            if forbids.is_some() && allows.is_some() {
                self.conflicts.push(place);
            }
            if let Some(row) = forbids.or(allows) {
                marked |= 1 << act;
                state.classes[act] = self.number(Cause { row, allows: forbids.is_none(), place });
            }
        }
        marked
    }

    pub(crate) fn number(&mut self, cause: Cause) -> CauseNumber {
        let causes = &mut self.causes;
        *self.numbers.entry(cause).or_insert_with(|| {
            causes.push(cause);
            u32::try_from(causes.len()).unwrap_or(u32::MAX)
        })
    }

    /// What decides an act for what stands at a place.
    pub(crate) fn cause(&mut self, act: Act, place: u32, state: State) -> CauseNumber {
        if let Some((row, start)) = self.region(act, place) {
            return self.number(Cause { row, allows: false, place: start });
        }
        match state.denials[act as usize] {
            0 => state.classes[act as usize],
            denial => denial,
        }
    }

    /// The region that forbids an act at a place.
    pub(crate) fn region(&self, act: Act, place: u32) -> Option<(u16, u32)> {
        let behind = self.plan.regions.partition_point(|region| region.start <= place);
        let before = self.plan.regions[..behind].iter().rev();
        // Regions of different rows may overlap: the caller gives few rows, so that few stand open.
        let mut open = before.take(MOST_REGIONS_LOOKED_AT);
        open.find(|region| region.end > place && region.forbids & act.bit() != 0)
            .map(|region| (region.row, region.start))
    }
}

//! What the marks that apply at a position say about each act.

use crate::steps;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::html::{NodeId, Tree};

use super::plan::{Act, Cause, ClassMark, MarkTable, Plan, Region};

/// The index of a cause in [`Marks::causes`], counted from 1; 0 if nothing was said.
pub(crate) type CauseNumber = u32;

/// What the enclosing elements have said about each act so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct State {
    /// Classes that nest: the innermost counts.
    pub(crate) classes: [CauseNumber; Act::COUNT],
    /// Classes that name the robot and forbid, until another that names it allows again.
    refusals: [CauseNumber; Act::COUNT],
    /// Marks that can only forbid: the outermost counts.
    pub(crate) denials: [CauseNumber; Act::COUNT],
    /// Whether white space is preserved.
    pub(crate) verbatim: bool,
}

impl State {
    /// Whether no enclosing element says anything.
    pub(crate) fn is_silent(&self) -> bool {
        self.classes == [0; Act::COUNT] && self.denials == [0; Act::COUNT]
    }
}

/// Reads marks and records what decided.
pub(crate) struct Marks<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) causes: Vec<Cause>,
    /// Where classes of one element contradict each other.
    pub(crate) conflicts: Vec<u32>,
    /// The position of the first class that would have a meaning under another plan.
    pub(crate) idle: Option<u32>,
    /// Unknown classes that look as if they address robots, each listed once.
    pub(crate) strangers: Vec<(String, u32)>,
    known_strangers: HashSet<String>,
    numbers: HashMap<Cause, CauseNumber>,
    /// The first bytes of the classes in the plan: nearly all classes of a page begin with others.
    first_octets: [bool; 256],
    /// The regions of each row, by start; those of one row do not overlap.
    regions: Vec<Vec<Region>>,
}

impl<'p> Marks<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Marks<'p> {
        Marks {
            plan,
            causes: Vec::new(),
            conflicts: Vec::new(),
            idle: None,
            strangers: Vec::new(),
            known_strangers: HashSet::new(),
            numbers: HashMap::new(),
            first_octets: first_octets(&plan.table),
            regions: by_row(&plan.regions),
        }
    }

    /// Applies the marks of one element to a state. Returns the acts that its marks decide.
    pub(crate) fn mark(&mut self, tree: &Tree, id: NodeId, state: &mut State) -> u8 {
        let table = &*self.plan.table;
        let mut marked = 0;
        for (name, value) in tree.attributes(id) {
            steps::count(1 + table.attributes.len());
            if name == "class" && !table.classes.is_empty() {
                marked |= self.classes(tree.node(id).start, value, state);
                continue;
            }
            for mark in table.attributes.iter().filter(|mark| mark.name == name) {
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

    /// Applies the classes of one element. A specific class overrides a general one, in either
    /// order (Robot Exclusion Profile, Precedence). The Profile leaves two cases open: if two
    /// classes contradict each other, the one that forbids wins; and a general "yes" does not lift
    /// a specific "no" of an enclosing element.
    fn classes(&mut self, place: u32, value: &str, state: &mut State) -> u8 {
        // For each act, the rows of: general and specific classes, forbidding and allowing.
        let mut said = [[[None; 2]; 2]; Act::COUNT];
        let mut marked = 0;
        steps::count(value.len());
        for class in value.split_ascii_whitespace() {
            if !class.bytes().next().is_some_and(|first| self.first_octets[usize::from(first)]) {
                continue;
            }
            let Some(mark) = self.meaning(class, place) else { continue };
            if mark.forbids | mark.allows == 0 {
                self.idle.get_or_insert(place);
                continue;
            }
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
            let is_specific = specific != [None; 2];
            let [forbids, allows] = if is_specific { specific } else { general };
            if forbids.is_some() && allows.is_some() {
                self.conflicts.push(place);
            }
            let Some(row) = forbids.or(allows) else { continue };
            marked |= 1 << act;
            let allows = forbids.is_none();
            let number = self.number(Cause { row, allows, place });
            if is_specific {
                state.refusals[act] = if allows { 0 } else { number };
            }
            let refusal = state.refusals[act];
            state.classes[act] = if allows && refusal != 0 { refusal } else { number };
        }
        marked
    }

    /// Returns what a class means; records unknown classes that look as if they address robots.
    fn meaning(&mut self, class: &str, place: u32) -> Option<ClassMark> {
        let table = &*self.plan.table;
        if let Some(mark) = table.classes.get(class) {
            return Some(*mark);
        }
        let start = class.as_bytes().get(..ROBOT.len())?;
        if table.numbered.is_empty() || !start.eq_ignore_ascii_case(ROBOT.as_bytes()) {
            return None;
        }
        let numbered = numbered(class)
            .and_then(|(number, behind)| Some((number, table.numbered.get(behind)?)));
        if numbered.is_some_and(|(number, _)| table.numbers.contains(number)) {
            return None;
        }
        self.notice(class, place);
        numbered.map(|(_, mark)| *mark).filter(|mark| mark.forbids | mark.allows != 0)
    }

    fn notice(&mut self, class: &str, place: u32) {
        let fits = self.strangers.len() < MOST_STRANGERS && class.len() <= LONGEST_STRANGER;
        if fits && !self.known_strangers.contains(class) {
            self.known_strangers.insert(class.to_owned());
            self.strangers.push((class.to_owned(), place));
        }
    }

    pub(crate) fn number(&mut self, cause: Cause) -> CauseNumber {
        let causes = &mut self.causes;
        *self.numbers.entry(cause).or_insert_with(|| {
            causes.push(cause);
            u32::try_from(causes.len()).unwrap_or(u32::MAX)
        })
    }

    /// Returns the number of the cause that decides an act at a position.
    pub(crate) fn cause(&mut self, act: Act, place: u32, state: State) -> CauseNumber {
        if let Some((row, start)) = self.region(act, place) {
            return self.number(Cause { row, allows: false, place: start });
        }
        Marks::of_state(act, state)
    }

    /// Returns the cause whose number [`Marks::cause`] returns.
    pub(crate) fn decides(&mut self, act: Act, place: u32, state: State) -> Option<Cause> {
        let number = (self.cause(act, place, state) as usize).checked_sub(1)?;
        self.causes.get(number).copied()
    }

    /// Returns what the enclosing elements decide about an act.
    pub(crate) fn of_state(act: Act, state: State) -> CauseNumber {
        match state.denials[act as usize] {
            0 => state.classes[act as usize],
            denial => denial,
        }
    }

    /// Whether a cause forbids the act.
    pub(crate) fn forbids(&self, cause: CauseNumber) -> bool {
        cause != 0 && !self.causes[cause as usize - 1].allows
    }

    /// Whether a region at a position forbids indexing together with other acts.
    pub(crate) fn region_of_index_and_more(&self, place: u32) -> bool {
        let index = Act::Index.bit();
        self.open_at(place).any(|region| region.forbids & index != 0 && region.forbids != index)
    }

    /// Returns the region that forbids an act at a position. Of several, the one that began last
    /// counts, and among those the one of the first row.
    pub(crate) fn region(&self, act: Act, place: u32) -> Option<(u16, u32)> {
        let open = self.open_at(place).filter(|region| region.forbids & act.bit() != 0);
        open.map(|region| (region.row, region.start))
            .reduce(|best, other| if other.1 > best.1 { other } else { best })
    }

    /// Returns the regions that contain a position: at most one of each row.
    fn open_at(&self, place: u32) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter_map(move |regions| {
            steps::count(1 + regions.len().checked_ilog2().unwrap_or(0) as usize);
            let behind = regions.partition_point(|region| region.start <= place);
            regions[..behind].last().filter(|region| region.end > place)
        })
    }
}

/// The beginning of classes that address robots.
const ROBOT: &str = "robot";

/// The most unknown classes that are recorded, and the longest of them, in bytes.
const MOST_STRANGERS: usize = 100;
const LONGEST_STRANGER: usize = 64;

/// The longest number of a robot, in digits.
const LONGEST_NUMBER: usize = 9;

/// Returns the number in a class `robotN-…`, as written, and the part after it.
fn numbered(class: &str) -> Option<(&str, &str)> {
    let (number, behind) = class.strip_prefix(ROBOT)?.split_once('-')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (1..=LONGEST_NUMBER).contains(&number.len())).then_some((number, behind))
}

fn first_octets(table: &MarkTable) -> [bool; 256] {
    let mut octets = [false; 256];
    for first in [b'r', b'R'] {
        octets[usize::from(first)] = !table.numbered.is_empty();
    }
    for class in table.classes.keys() {
        if let Some(first) = class.bytes().next() {
            octets[usize::from(first)] = true;
        }
    }
    octets
}

fn by_row(regions: &[Region]) -> Vec<Vec<Region>> {
    let mut rows: BTreeMap<u16, Vec<Region>> = BTreeMap::new();
    for region in regions {
        rows.entry(region.row).or_default().push(*region);
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    for regions in &mut rows {
        regions.sort_by_key(|region| region.start);
    }
    rows
}

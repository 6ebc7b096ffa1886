//! Which lines of one set of rules ever decide, and what hides the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::robots_txt::{Decision, Rules};
use crate::target::Scratch;

use super::lists::Lists;
use super::search::Budget;
use super::single::{self, Judged, OverBudget, Steps};
use super::sites::{Site, sites};
use super::wish::{Decider, Wish, deciders, in_any_reading};

/// What a line with a rule does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEffect {
    /// The number of the line.
    pub line: u32,
    /// A shortest path that the line decides. Of a file with several readings, a line that allows a path
    /// in one of them decides it if all allow it.
    pub example: Option<String>,
    /// For a line that decides nothing, a shortest path that it matches.
    pub matched: Option<String>,
    /// For a line that decides nothing, the lines that decide the paths that it matches; 0 is none.
    pub hidden_by: Vec<u32>,
    /// Whether the rest is all that there is to know.
    pub is_complete: bool,
}

/// Returns what each line with a rule does, in the order of the file, and the steps taken.
#[must_use]
pub fn line_effects(rules: &Rules, budget: Budget) -> (Vec<LineEffect>, usize) {
    let lines: BTreeSet<u32> = rules.list().into_iter().map(|rule| rule.line).collect();
    let unknown = |line| LineEffect { line, is_complete: true, ..LineEffect::default() };
    let mut found: Vec<LineEffect> = lines.into_iter().map(unknown).collect();
    let mut steps = Steps { taken: 0, most: budget.steps };
    for site in &sites(&[rules]) {
        if effects_on_site(rules, site, &mut found, &mut steps).is_none() {
            break;
        }
    }
    for effect in found.iter_mut().filter(|effect| effect.example.is_some()) {
        *effect = LineEffect {
            line: effect.line,
            example: effect.example.take(),
            is_complete: true,
            ..LineEffect::default()
        };
    }
    (found, steps.taken)
}

/// Adds what the lines do on one site, those that have not decided anything on another; `None` if there
/// are too many rules for the steps that are left.
fn effects_on_site(
    rules: &Rules,
    site: &Site,
    found: &mut [LineEffect],
    steps: &mut Steps,
) -> Option<()> {
    let affordable = steps.taken + Lists::least_cost(&[rules]) <= steps.most;
    let Some(lists) = affordable.then(|| Lists::of(rules, &site.origin)).flatten() else {
        for effect in found {
            effect.is_complete = false;
        }
        return None;
    };
    let mut by_line: HashMap<u32, Vec<Decider>> = HashMap::new();
    for decider in in_any_reading(&lists, &(0..lists.all.len())) {
        by_line.entry(decider.line).or_default().push(decider);
    }
    steps.taken += lists.cost();
    let mut search = Effects {
        rules,
        site,
        lists: &lists,
        deciders: deciders(&lists, 0..lists.all.len()),
        in_any_reading: by_line,
        matching: matching(&lists),
        steps: *steps,
    };
    for effect in found.iter_mut().filter(|effect| effect.example.is_none()) {
        match search.decided(effect.line) {
            Ok(example) => effect.example = example,
            Err(Unknown) => effect.is_complete = false,
        }
    }
    for effect in found.iter_mut().filter(|effect| effect.is_complete && effect.example.is_none()) {
        effect.is_complete = search.hidden(effect).is_ok();
    }
    steps.taken = search.steps.taken;
    Some(())
}

/// Returns the runs of each line.
fn matching(lists: &Lists) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for list in &lists.all {
        for entry in &list.entries {
            found.entry(entry.line).or_default().insert(entry.run);
        }
        for (order, line) in &list.repeated {
            found.entry(*line).or_default().insert(list.entries[*order as usize].run);
        }
    }
    found
}

/// It did not become known what a line does.
struct Unknown;

impl From<OverBudget> for Unknown {
    fn from(_: OverBudget) -> Unknown {
        Unknown
    }
}

/// The searches for what lines do, on one site.
struct Effects<'a> {
    rules: &'a Rules,
    /// The site whose paths are searched.
    site: &'a Site,
    lists: &'a Lists,
    deciders: Vec<Decider>,
    /// The same by line, and with several readings what allows a path in any of them.
    in_any_reading: HashMap<u32, Vec<Decider>>,
    /// The runs of each line.
    matching: BTreeMap<u32, BTreeSet<u32>>,
    steps: Steps,
}

impl Effects<'_> {
    /// Returns what the rules decide about a path.
    fn decide(&self, path: &[u8]) -> Decision {
        self.rules.decide(&self.site.url(path), &mut Scratch::default())
    }

    /// Returns the letters of a shortest path that a wish is for, if there is one; `decides` says whether
    /// a decision is the one that is wished for.
    fn path(
        &mut self,
        wish: &Wish,
        decides: impl Fn(&Decision) -> bool,
    ) -> Result<Option<Vec<u16>>, OverBudget> {
        let mut steps = self.steps;
        let found = single::shortest(self.lists, wish, &mut steps, |path| {
            let decision = self.decide(path);
            match decides(&decision) {
                true => Judged::Confirmed,
                false => Judged::Instead(vec![(usize::from(decision.reading), decision.line)]),
            }
        });
        self.steps = steps;
        found
    }

    /// Returns the path that some letters make, the shortest of several.
    fn shortest(&self, paths: Vec<Vec<u16>>) -> Option<Vec<u8>> {
        let best = paths.into_iter().min_by_key(Vec::len)?;
        Some(self.lists.alphabet.url_path(&best))
    }

    /// Returns an example that a line decides, if there is one; the rules themselves confirm it.
    fn decided(&mut self, line: u32) -> Result<Option<String>, Unknown> {
        self.steps.take(2)?;
        // Of several readings that allow a path, the first is named.
        let is_shared = self.lists.all.len() > 1;
        let is_own = |decision: &Decision| decision.line == line || decision.allowed && is_shared;
        let own = self.in_any_reading.remove(&line).unwrap_or_default();
        let mut paths = Vec::new();
        for decider in &own {
            let is_wanted =
                |decision: &Decision| decision.line == line && decision.allowed == decider.allow;
            paths.extend(self.path(&decider.wish, is_wanted)?);
        }
        let Some(path) = self.shortest(paths) else { return Ok(None) };
        match is_own(&self.decide(&path)) {
            true => Ok(Some(self.site.example(&path))),
            false => Err(Unknown),
        }
    }

    /// Adds what hides a line that decides nothing.
    fn hidden(&mut self, effect: &mut LineEffect) -> Result<(), OverBudget> {
        self.steps.take(2)?;
        let runs = self.matching.get(&effect.line).cloned().unwrap_or_default();
        let mut paths = Vec::new();
        for run in &runs {
            paths.extend(self.path(&Wish::matched(self.lists, *run), |_| true)?);
        }
        let Some(path) = self.shortest(paths) else { return Ok(()) };
        effect.matched.get_or_insert_with(|| self.site.example(&path));
        let mut hiders: BTreeSet<u32> = effect.hidden_by.drain(..).collect();
        for number in 0..self.deciders.len() {
            let Decider { line, allow, .. } = self.deciders[number];
            for run in &runs {
                self.steps.take(2)?;
                let wanted = &self.deciders[number].wish.wanted;
                if hiders.contains(&line) || !self.lists.may_meet(wanted, &[*run]) {
                    continue;
                }
                let wish = self.deciders[number].wish.and_matched(*run);
                let decides =
                    |decision: &Decision| decision.line == line && decision.allowed == allow;
                if self.path(&wish, decides)?.is_some() {
                    hiders.insert(line);
                }
            }
        }
        effect.hidden_by = hiders.into_iter().collect();
        Ok(())
    }
}

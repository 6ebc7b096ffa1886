//! Which lines of one set of rules ever decide, and what hides the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::robots_txt::Rules;
use crate::target::Scratch;

use super::alphabet::Alphabet;
use super::lists::Lists;
use super::search::Budget;
use super::single::{OverBudget, SingleSearch};
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

/// Returns what each line with a rule does, in the order of the file.
#[must_use]
pub fn line_effects(rules: &Rules, budget: Budget) -> Vec<LineEffect> {
    let lines: BTreeSet<u32> = rules.list().into_iter().map(|rule| rule.line).collect();
    let unknown = |line| LineEffect { line, ..LineEffect::default() };
    let Some(lists) = Lists::of(rules) else { return lines.into_iter().map(unknown).collect() };
    let mut search = Effects {
        rules,
        lists: &lists,
        alphabet: &Alphabet::new(lists.readers.clone()),
        deciders: deciders(&lists, 0..lists.all.len()),
        in_any_reading: in_any_reading(&lists, &(0..lists.all.len())),
        matching: matching(&lists),
        steps: budget.steps,
    };
    let mut found: Vec<LineEffect> =
        lines.iter().map(|line| search.decided(*line).unwrap_or_else(|_| unknown(*line))).collect();
    for effect in found.iter_mut().filter(|effect| effect.is_complete && effect.example.is_none()) {
        effect.is_complete = search.hidden(effect).is_ok();
    }
    found
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

/// The searches for what lines do.
struct Effects<'a> {
    rules: &'a Rules,
    lists: &'a Lists,
    alphabet: &'a Alphabet,
    deciders: Vec<Decider>,
    /// The same, and with several readings what allows a path in any of them.
    in_any_reading: Vec<Decider>,
    /// The runs of each line.
    matching: BTreeMap<u32, BTreeSet<u32>>,
    /// The steps that are left.
    steps: usize,
}

impl Effects<'_> {
    /// Returns the letters of a shortest path that a wish is for, if there is one.
    fn path(&mut self, wish: &Wish) -> Result<Option<Vec<u16>>, OverBudget> {
        if wish.is_void(self.lists) {
            return Ok(None);
        }
        let mut search = SingleSearch::new(self.lists, self.alphabet, wish);
        let path = search.run(self.steps);
        self.steps = self.steps.saturating_sub(search.steps);
        path
    }

    /// Returns a shortest path of several wishes.
    fn shortest(&mut self, wishes: Vec<Wish>) -> Result<Option<String>, OverBudget> {
        let mut best: Option<Vec<u16>> = None;
        for wish in wishes {
            let path = self.path(&wish)?;
            let is_better =
                |path: &Vec<u16>| best.as_ref().is_none_or(|best| path.len() < best.len());
            best = path.filter(is_better).or(best);
        }
        let text = |path: Vec<u16>| self.alphabet.url_path(&path);
        Ok(best.map(|path| String::from_utf8_lossy(&text(path)).into_owned()))
    }

    /// Returns whether a line decides, with an example that the rules themselves confirm.
    fn decided(&mut self, line: u32) -> Result<LineEffect, OverBudget> {
        let mut is_complete = true;
        let own = self.in_any_reading.iter().filter(|decider| decider.line == line);
        let wishes = own.map(|decider| decider.wish.clone()).collect();
        let example = self.shortest(wishes)?;
        if let Some(path) = &example {
            let url = format!("https://example.com{path}");
            let decision = self.rules.decide(url.as_bytes(), &mut Scratch::default());
            // Of several readings that allow a path, the first is named.
            let is_named_first = decision.allowed && self.lists.all.len() > 1;
            is_complete = decision.line == line || is_named_first;
        }
        let example = example.filter(|_| is_complete);
        Ok(LineEffect { line, example, is_complete, ..LineEffect::default() })
    }

    /// Adds what hides a line that decides nothing.
    fn hidden(&mut self, effect: &mut LineEffect) -> Result<(), OverBudget> {
        let runs = self.matching.get(&effect.line).cloned().unwrap_or_default();
        let matched = runs.iter().map(|run| Wish::matched(self.lists, *run)).collect();
        effect.matched = self.shortest(matched)?;
        if effect.matched.is_none() {
            return Ok(());
        }
        let mut hiders = BTreeSet::new();
        for number in 0..self.deciders.len() {
            let decider = &self.deciders[number];
            if hiders.contains(&decider.line) {
                continue;
            }
            let line = decider.line;
            for run in &runs {
                let wanted = &self.deciders[number].wish.wanted;
                if self.lists.may_meet(wanted, &[*run]) {
                    let wish = self.deciders[number].wish.and_matched(*run);
                    if self.path(&wish)?.is_some() {
                        hiders.insert(line);
                    }
                }
            }
        }
        effect.hidden_by = hiders.into_iter().collect();
        Ok(())
    }
}

//! The groups of a large file by the robots that they name, so that a robot's groups are found without
//! reading all names.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::dialect::{AgentChoice, AgentMatch, Dialect, EmptyAgent};

use super::agent::{self, Name};

/// Places of groups, in the order of the file, by names in lower case.
type Places = HashMap<Box<[u8]>, Vec<u32>>;

/// The longest name of a robot whose parts are looked up one by one: longer ones have too many.
const LONGEST_IN_PARTS: usize = 64;

/// The groups of a file by the agents that they name. It answers as `agent::rank` does of each agent.
#[derive(Debug)]
pub(crate) struct NamedGroups {
    /// By the names that are compared with a robot's whole name or with parts of it; in `GoogleToken` the
    /// leading tokens.
    whole: Places,
    /// By the leading tokens of names in which something follows.
    token: Places,
    /// By the leading tokens of names in which a further word follows.
    worded: Places,
    /// The groups with an empty name that stands for every robot.
    everybody: Vec<u32>,
    /// The groups that apply to robots that none names.
    pub(crate) defaults: Vec<u32>,
    /// Whether the first group that names a robot decides, however well it does.
    is_first: bool,
}

impl NamedGroups {
    /// Returns an empty index.
    pub(crate) fn new(dialect: &Dialect) -> NamedGroups {
        NamedGroups {
            whole: Places::new(),
            token: Places::new(),
            worded: Places::new(),
            everybody: Vec::new(),
            defaults: Vec::new(),
            is_first: dialect.agent_choice == AgentChoice::First,
        }
    }

    /// Adds an agent of a group; groups come in the order of the file.
    pub(crate) fn add(&mut self, place: u32, agent: &[u8], dialect: &Dialect) {
        if agent.is_empty() {
            if dialect.empty_agent == EmptyAgent::Everybody {
                add(&mut self.everybody, place);
            }
            return;
        }
        let agent = agent::compared(agent, dialect);
        let (token, rest) = agent.split_at(agent::token_length(agent));
        if dialect.agent_match == AgentMatch::GoogleToken {
            note(&mut self.whole, token, place);
            return;
        }
        note(&mut self.whole, agent, place);
        if dialect.agent_match == AgentMatch::Token && !token.is_empty() && !rest.is_empty() {
            note(&mut self.token, token, place);
            if agent::is_word(rest) {
                note(&mut self.worded, token, place);
            }
        }
    }

    /// Returns the groups that name a robot, in the order of the file, each with how well it does. Those
    /// that cannot be chosen, because others name it better, may be missing.
    pub(crate) fn naming(&self, name: &Name, dialect: &Dialect) -> Vec<(u32, usize)> {
        if !matches!(dialect.agent_match, AgentMatch::Token | AgentMatch::GoogleToken) {
            return self.naming_in_part(name, dialect);
        }
        let is_token = dialect.agent_match == AgentMatch::Token;
        let best = if is_token { agent::WHOLE } else { 1 };
        let mut found = rank_all(self.whole.get(&name.whole[..]), best);
        if found.is_empty() || self.is_first || best == 1 {
            if is_token {
                for places in self.by_token(name) {
                    found.extend(rank_all(places, 1));
                }
            }
            found.extend(rank_all(Some(&self.everybody), 1));
            keep_best_of_each(&mut found);
        }
        found
    }

    /// Returns the same in a dialect that compares parts of names.
    fn naming_in_part(&self, name: &Name, dialect: &Dialect) -> Vec<(u32, usize)> {
        let mut found = rank_all(Some(&self.everybody), 1);
        let is_short = name.whole.len() <= LONGEST_IN_PARTS;
        if is_short && dialect.agent_match == AgentMatch::RobotContainsRecord {
            for start in 0..name.whole.len() {
                for end in start + 1..=name.whole.len() {
                    self.extend(&mut found, &name.whole[start..end]);
                }
            }
        } else if is_short && dialect.agent_match == AgentMatch::RecordIsPrefix {
            for end in 0..=name.whole.len() {
                self.extend(&mut found, &name.whole[..end]);
            }
        } else {
            for (agent, places) in &self.whole {
                let rank = agent::rank_in_part(agent, name, dialect);
                if rank > 0 {
                    found.extend(rank_all(Some(places), rank));
                }
            }
        }
        keep_best_of_each(&mut found);
        found
    }

    /// Adds the groups with a name; more of the robot's name is more specific.
    fn extend(&self, found: &mut Vec<(u32, usize)>, agent: &[u8]) {
        let rank = u32::try_from(agent.len()).unwrap_or(u32::MAX);
        if rank > 0 {
            found.extend(rank_all(self.whole.get(agent), rank));
        }
    }

    /// Returns the groups that name a robot by its leading token (`agent::token_rank`).
    fn by_token(&self, name: &Name) -> [Option<&Vec<u32>>; 2] {
        let (token, rest) = name.whole.split_at(name.token());
        if token.is_empty() {
            [None, None]
        } else if rest.is_empty() {
            [self.token.get(token), self.whole.get(token)]
        } else {
            [self.whole.get(token), self.worded.get(token).filter(|_| agent::is_word(rest))]
        }
    }
}

/// How many robots are answered by reading all names, before an index is made: most files are read for
/// one robot, and an index costs as much as reading them a few times.
const FIRST_ROBOTS: u32 = 3;

/// The groups of a file by name, made once enough robots have been asked for.
#[derive(Debug, Default)]
pub(crate) struct LazyGroups {
    asked: AtomicU32,
    index: OnceLock<Box<NamedGroups>>,
}

impl LazyGroups {
    /// Returns the groups by name; `None` as long as few robots have been asked for.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> NamedGroups) -> Option<&NamedGroups> {
        let is_due = || self.asked.fetch_add(1, Ordering::Relaxed) >= FIRST_ROBOTS;
        if self.index.get().is_none() && !is_due() {
            return None;
        }
        Some(self.index.get_or_init(|| Box::new(make())))
    }
}

/// Keeps the best name of each group, in the order of the file.
fn keep_best_of_each(found: &mut Vec<(u32, usize)>) {
    found.sort_unstable_by_key(|(rank, place)| (*place, std::cmp::Reverse(*rank)));
    found.dedup_by_key(|(_, place)| *place);
}

/// Adds a group, unless another one of its names has done so.
fn add(places: &mut Vec<u32>, place: u32) {
    if places.last() != Some(&place) {
        places.push(place);
    }
}

fn rank_all(places: Option<&Vec<u32>>, rank: u32) -> Vec<(u32, usize)> {
    places.into_iter().flatten().map(|place| (rank, *place as usize)).collect()
}

/// Adds a group by a name. A line may name 250,000 robots, so a name that is known is not copied.
fn note(all: &mut Places, name: &[u8], place: u32) {
    let lower = if name.iter().any(u8::is_ascii_uppercase) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    };
    match all.get_mut(&*lower) {
        Some(places) => add(places, place),
        None => drop(all.insert(lower.into(), vec![place])),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use crate::{RobotsTxt, dialects};

    const WORDS: [&str; 16] = [
        "Foo", "foo bar", "Foo baz", "Foo/1", "foo*", "Foo1", "Foo2", "foo-bar", "1foo", "2foo",
        "*", "* x", "", "Foo, Bar", "Foo\tBar", "Fo\u{f6}",
    ];

    /// A large file: groups of some of the words, with rules and fields between them.
    fn file(seed: usize) -> String {
        let mut text = String::new();
        for number in 0..90 {
            let word = WORDS[(number * (seed * 2 + 1) + number / 7 + seed / 5) % WORDS.len()];
            let _ = writeln!(text, "User-agent: {word}");
            if !(number * 5 + seed).is_multiple_of(3) {
                let _ = writeln!(text, "Disallow: /{number}\nCrawl-delay: {}", number % 4);
            }
            let _ = writeln!(text, "Robot-version: {}\nAllow: /x\nAllow: /y", number % 3);
        }
        text
    }

    #[test]
    fn an_index_selects_the_groups_that_reading_all_names_does() {
        for dialect in dialects::DIALECTS.iter() {
            for seed in 0..60 {
                let text = file(seed);
                let read = || RobotsTxt::parse(text.as_bytes(), Arc::clone(dialect));
                let indexed = read();
                for _ in 0..4 {
                    let _ = indexed.obeyed_lines("warm");
                }
                for robot in WORDS.iter().chain(&["Bar", "foo qux", "Foo3", "other", "3foo"]) {
                    let lines = read().obeyed_lines(robot);
                    assert_eq!(indexed.obeyed_lines(robot), lines, "{} {robot}", dialect.name);
                }
            }
        }
    }
}

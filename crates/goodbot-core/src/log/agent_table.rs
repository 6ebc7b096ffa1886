//! The User-Agents of a log, each once: the robot that it names, and the sum of its requests.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::tally::Tally;
use super::text::{Escapes, Text};
use crate::user_agent::{UserAgentNames, calls_itself_robot};

/// How many distinct User-Agents are remembered; further ones are examined for each line.
pub const MOST_AGENTS: usize = 16_384;
/// The most bytes of a User-Agent that is remembered, and of one that is shown. Robots are found in all of
/// it.
pub const LONGEST_AGENT: usize = 1_024;

/// The bytes of a line in which the name of a robot is looked for at once; each is in two such parts.
const NAMED_WITHIN: usize = 1_024;

/// Who sends a User-Agent, by what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// A known robot: the place of its name in the list of names.
    Robot(usize),
    /// A robot that is not known.
    Unknown,
    /// Anyone else.
    Person,
}

/// A User-Agent that is remembered.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The text, without escapes.
    pub text: Arc<str>,
    /// Who sends it.
    pub sender: Sender,
    /// The sum of its requests.
    pub tally: Tally,
}

/// The place of a User-Agent in the table, or, if the table is full, the User-Agent itself.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Known(usize),
    Other(Arc<str>, Sender),
}

/// The User-Agents, by their bytes as written, for each kind of escapes.
#[derive(Debug)]
pub(super) struct AgentTable {
    names: Arc<UserAgentNames>,
    places: [HashMap<Box<[u8]>, usize>; Escapes::COUNT],
    pub(super) agents: Vec<Agent>,
    /// The sums of what is not remembered.
    pub(super) others: HashMap<Sender, Tally>,
}

impl AgentTable {
    pub(super) fn new(names: Arc<UserAgentNames>) -> AgentTable {
        let (agents, others) = (Vec::new(), HashMap::new());
        AgentTable { names, places: Default::default(), agents, others }
    }

    /// Finds a User-Agent.
    #[inline]
    pub(super) fn find(&mut self, text: Text<'_>) -> Found {
        match self.places[text.escapes as usize].get(text.written) {
            Some(place) => Found::Known(*place),
            None => self.examine(text),
        }
    }

    /// Returns who is named in a line that is not divided into fields.
    #[cold]
    pub(super) fn sender_in(&self, line: &[u8]) -> Sender {
        let starts = (0..line.len()).step_by(NAMED_WITHIN / 2);
        let named = starts
            .map(|start| &line[start..line.len().min(start + NAMED_WITHIN)])
            .find_map(|part| self.names.longest(part));
        named.map_or(Sender::Person, Sender::Robot)
    }

    #[cold]
    fn examine(&mut self, text: Text<'_>) -> Found {
        let decoded = if text.is_absent() { Cow::Borrowed(&b""[..]) } else { text.decoded() };
        let sender = match self.names.longest(&decoded) {
            Some(place) => Sender::Robot(place),
            None if calls_itself_robot(&decoded) => Sender::Unknown,
            None => Sender::Person,
        };
        // What is remembered of a longer one would cost more than it says.
        let shown = &decoded[..decoded.len().min(LONGEST_AGENT)];
        let shown: Arc<str> = String::from_utf8_lossy(shown).into();
        if self.agents.len() >= MOST_AGENTS || text.written.len() > LONGEST_AGENT {
            return Found::Other(shown, sender);
        }
        let place = self.agents.len();
        self.agents.push(Agent { text: shown, sender, tally: Tally::default() });
        self.places[text.escapes as usize].insert(text.written.into(), place);
        Found::Known(place)
    }
}

//! Robots, and what each of them obeys in a robots.txt.

use std::sync::Arc;

use crate::RobotsTxt;
use crate::dialect::Dialect;
use crate::robots_txt::{Decision, How, NameError, Rules};
use crate::target::Scratch;
use crate::verdict::Reason;

/// A robot whose verdicts are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    /// The name, or a whole User-Agent.
    pub name: String,
    /// The dialect in which it reads robots.txt.
    pub dialect: Arc<Dialect>,
    /// For a known robot, the names of its family: the first that a group names decides.
    pub family: Option<Family>,
}

/// The names that a known robot looks for, as `goodbot.bots` has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The product tokens, in this order.
    pub tokens: Vec<String>,
    /// The name whose group it obeys if no group names a token; `None` if it ignores the group for `*`.
    pub default: Option<String>,
}

/// Several robots, which are asked about together.
#[derive(Debug)]
pub struct Robots {
    /// The robots.
    pub(super) list: Vec<Robot>,
    /// The rules of an empty file for each: they decide on `/robots.txt` where a policy has no rules.
    pub(super) empty: Vec<Rules>,
    /// Distinguishes them from others in the store of rules.
    pub(super) number: u64,
}

impl Robots {
    /// Checks the names.
    ///
    /// # Errors
    ///
    /// When a robot has no name, or its name looks like a URL.
    pub(super) fn new(list: Vec<Robot>, number: u64) -> Result<Robots, NameError> {
        let empty =
            |robot: &Robot| RobotsTxt::parse(b"", robot.dialect.clone()).rules_for(&robot.name);
        let empty = list.iter().map(empty).collect::<Result<_, _>>()?;
        Ok(Robots { list, empty, number })
    }

    /// Returns how many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether two robots read robots.txt in one dialect.
    pub(super) fn have_one_dialect(&self, one: usize, other: usize) -> bool {
        self.list[one].dialect == self.list[other].dialect
    }

    /// Decides on a URL where the policy has no rules: only robots.txt itself is an exception.
    pub(super) fn decide_without_rules(
        &self,
        robot: usize,
        url: &[u8],
        allowed: bool,
        scratch: &mut Scratch,
    ) -> Decided {
        let decided = Decided::from(self.empty[robot].decide_next(url, scratch));
        match decided.why {
            Why::Rules(Reason::RobotsTxtItself) => decided,
            _ => Decided { allowed, why: Why::Policy, line: 0 },
        }
    }

    /// Returns what each robot obeys in a file.
    pub(super) fn compile(&self, body: &[u8]) -> Obeyed {
        let mut files: Vec<(RobotsTxt<&[u8]>, Option<usize>)> = Vec::new();
        let mut obeyed = Obeyed { rules: Vec::new(), places: Vec::with_capacity(self.list.len()) };
        for robot in &self.list {
            let known = files.iter().position(|(file, _)| **file.dialect() == *robot.dialect);
            let known = known.unwrap_or_else(|| {
                files.push((RobotsTxt::read(body, robot.dialect.clone()), None));
                files.len() - 1
            });
            let (file, of_default) = &mut files[known];
            let name = name_obeyed(file, robot);
            let is_default = |name| matches!(file.how_selected(name), Ok(How::Default | How::None));
            let shared = of_default.filter(|_| name.is_some_and(is_default));
            obeyed.places.push(shared.unwrap_or(obeyed.rules.len()));
            if shared.is_none() {
                let rules = name.and_then(|name| file.deciding_rules_for(name).ok());
                // All robots without a group of their own obey the same.
                if rules
                    .as_ref()
                    .is_some_and(|rules| matches!(rules.how(), How::Default | How::None))
                {
                    *of_default = Some(obeyed.rules.len());
                }
                obeyed.rules.push(rules);
            }
        }
        obeyed
    }
}

/// Returns the name whose group a robot obeys; `None` if it obeys none. Names were checked before.
fn name_obeyed<'a>(file: &RobotsTxt<&[u8]>, robot: &'a Robot) -> Option<&'a str> {
    let Some(family) = &robot.family else { return Some(&robot.name) };
    let is_named =
        |token: &&String| matches!(file.how_selected(token), Ok(How::Named | How::LeadingToken));
    family.tokens.iter().find(is_named).or(family.default.as_ref()).map(String::as_str)
}

/// What several robots obey in one file.
#[derive(Debug)]
pub(super) struct Obeyed {
    /// The different rules; `None` for a robot that obeys none.
    rules: Vec<Option<Rules>>,
    /// Which of them each robot obeys.
    places: Vec<usize>,
}

/// The bytes that are needed besides those of rules, also to find it.
const BYTES_OF_OBEYED: usize = 192;

impl Obeyed {
    /// Returns the place of the rules that a robot obeys; robots that obey the same have the same.
    pub(super) fn place(&self, robot: usize) -> usize {
        self.places[robot]
    }

    /// Reads which rules the first robot obeys (`order::prefetch`).
    #[inline]
    pub(super) fn prefetch(&self) -> usize {
        self.places.first().copied().unwrap_or(0)
    }

    /// Decides on a URL for one robot.
    #[inline]
    pub(super) fn decide(&self, robot: usize, url: &[u8], scratch: &mut Scratch) -> Decided {
        match &self.rules[self.places[robot]] {
            Some(rules) => Decided::from(rules.decide_next(url, scratch)),
            None => Decided { allowed: true, why: Why::IgnoresStar, line: 0 },
        }
    }

    /// Decides as `decide` does on a URL that is compared as it is written, and whose path is known.
    #[inline]
    pub(super) fn decide_plain(
        &self,
        robot: usize,
        url: &[u8],
        path: usize,
        scratch: &mut Scratch,
    ) -> Decided {
        match &self.rules[self.places[robot]] {
            Some(rules) => Decided::from(rules.decide_plain_at(url, path, scratch)),
            None => Decided { allowed: true, why: Why::IgnoresStar, line: 0 },
        }
    }

    /// Returns about how many bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let rules = self.rules().map(Rules::size);
        rules.sum::<usize>() + size_of_val(&*self.places) + BYTES_OF_OBEYED
    }

    /// Iterates over the different rules.
    #[inline]
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rules> {
        self.rules.iter().flatten()
    }
}

/// Why a URL is allowed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A reason of the rules.
    Rules(Reason),
    /// No group names the robot, and it ignores the group for `*`.
    IgnoresStar,
    /// The reason of the policy.
    Policy,
}

/// A decision of one policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decided {
    pub(super) allowed: bool,
    pub(super) why: Why,
    /// The line that decided; 0 if none did.
    pub(super) line: u32,
}

impl From<Decision> for Decided {
    #[inline]
    fn from(decision: Decision) -> Decided {
        Decided { allowed: decision.allowed, why: Why::Rules(decision.reason), line: decision.line }
    }
}

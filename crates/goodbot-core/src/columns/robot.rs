//! Robots, and what each of them obeys in a robots.txt.

use std::sync::Arc;

use crate::RobotsTxt;
use crate::dialect::Dialect;
use crate::robots_txt::{Decision, How, Name, NameError, Rules};
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
    /// The names that each looks for.
    names: Vec<Names>,
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
        let names = list.iter().map(Names::of).collect();
        Ok(Robots { list, names, empty, number })
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
        let read = |robot: &Robot| RobotsTxt::read(body, Arc::clone(&robot.dialect));
        if let ([robot], [names]) = (&self.list[..], &self.names[..]) {
            return Obeyed { first: names.rules(&read(robot)), ..Obeyed::default() };
        }
        let mut files: Vec<(RobotsTxt<&[u8]>, Option<usize>)> = Vec::new();
        let mut rules = Vec::new();
        let mut places = Vec::with_capacity(self.list.len());
        for (robot, names) in self.list.iter().zip(&self.names) {
            let known = files.iter().position(|(file, _)| **file.dialect() == *robot.dialect);
            let known = known.unwrap_or_else(|| {
                files.push((read(robot), None));
                files.len() - 1
            });
            let (file, of_default) = &mut files[known];
            let name = names.obeyed(file);
            let is_default = |how| matches!(how, How::Default | How::None);
            let shared = of_default.filter(|_| name.is_some_and(|name| is_default(file.how(name))));
            places.push(shared.unwrap_or(rules.len()));
            if shared.is_none() {
                let own = name.map(|name| file.deciding_rules(name));
                // All robots without a group of their own obey the same.
                if own.as_ref().is_some_and(|rules| is_default(rules.how())) {
                    *of_default = Some(rules.len());
                }
                rules.push(own);
            }
        }
        Obeyed::of(rules, places)
    }
}

/// The names that a robot looks for in a file.
#[derive(Debug)]
struct Names {
    /// Those of its family, in order.
    tokens: Vec<Name>,
    /// The one whose group it obeys otherwise; `None` if it then obeys none.
    default: Option<Name>,
}

impl Names {
    /// Returns the names of a robot. Its own was checked before; another that is none is in no file.
    fn of(robot: &Robot) -> Names {
        let read = |name: &String| Name::read(name, robot.dialect.robot_name).ok();
        match &robot.family {
            None => Names { tokens: Vec::new(), default: read(&robot.name) },
            Some(Family { tokens, default }) => Names {
                tokens: tokens.iter().filter_map(read).collect(),
                default: default.as_ref().and_then(read),
            },
        }
    }

    /// Returns the name whose group the robot obeys; `None` if it obeys none.
    fn obeyed(&self, file: &RobotsTxt<&[u8]>) -> Option<&Name> {
        let is_named = |name: &&Name| matches!(file.how(name), How::Named | How::LeadingToken);
        self.tokens.iter().find(is_named).or(self.default.as_ref())
    }

    /// Returns the rules that the robot obeys; `None` if it obeys none.
    fn rules(&self, file: &RobotsTxt<&[u8]>) -> Option<Rules> {
        self.obeyed(file).map(|name| file.deciding_rules(name))
    }
}

/// What several robots obey in one file. What all of them obey, if there is nothing else, needs no memory
/// besides: each other place that is read takes longer than a decision.
#[derive(Debug, Default)]
pub(super) struct Obeyed {
    /// What the first robot obeys; `None` if it obeys no rules.
    first: Option<Rules>,
    /// What others obey that differs.
    others: Vec<Option<Rules>>,
    /// Which of them each robot obeys, 0 being what the first one obeys; empty if all obey that.
    places: Vec<usize>,
}

/// The bytes that are needed besides those of rules, also to find it.
const BYTES_OF_OBEYED: usize = 192;

impl Obeyed {
    /// Joins different rules; `places` says which of them each robot obeys.
    fn of(mut rules: Vec<Option<Rules>>, places: Vec<usize>) -> Obeyed {
        let others = rules.split_off(rules.len().min(1));
        let places = if others.is_empty() { Vec::new() } else { places };
        Obeyed { first: rules.pop().flatten(), others, places }
    }

    /// Returns the place of the rules that a robot obeys; robots that obey the same have the same.
    #[inline]
    pub(super) fn place(&self, robot: usize) -> usize {
        self.places.get(robot).copied().unwrap_or(0)
    }

    /// Returns the rules that a robot obeys.
    #[inline]
    fn rules_of(&self, robot: usize) -> Option<&Rules> {
        match self.place(robot) {
            0 => self.first.as_ref(),
            place => self.others[place - 1].as_ref(),
        }
    }

    /// Decides on a URL for one robot.
    #[inline]
    pub(super) fn decide(&self, robot: usize, url: &[u8], scratch: &mut Scratch) -> Decided {
        match self.rules_of(robot) {
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
        match self.rules_of(robot) {
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
        self.first.iter().chain(self.others.iter().flatten())
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

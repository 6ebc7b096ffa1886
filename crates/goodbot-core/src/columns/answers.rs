//! The answers for rows: one column for each part of a verdict, or only how often each occurs.

use std::collections::HashMap;

use super::robot::Why;
use crate::verdict::REASONS;

/// The byte of `allowed` for a null.
pub const NULL: u8 = 2;
/// The code of a null reason: there is no URL.
pub const NO_REASON: u8 = u8::MAX;
/// The code of the reason that the policy states.
pub const OF_POLICY: u8 = u8::MAX - 1;
/// The row of a verdict that no policy gave.
pub const NO_POLICY: usize = usize::MAX;

/// The reasons besides those of rules; their codes follow those of `REASONS`.
pub const OWN_REASONS: [&str; 5] = ["ignores-star", "unknown", "expired", "no-origin", "no-time"];
const IGNORES_STAR: u8 = 0;
const UNKNOWN: u8 = 1;
const EXPIRED: u8 = 2;
const NO_ORIGIN: u8 = 3;
const NO_TIME: u8 = 4;

/// Returns the slugs of reasons, by code.
pub fn slugs() -> impl Iterator<Item = &'static str> {
    REASONS.iter().map(|(_, slug, _)| *slug).chain(OWN_REASONS)
}

#[inline]
fn code_of(why: Why) -> u8 {
    match why {
        // `REASONS` has them in the order in which they are declared.
        Why::Rules(reason) => reason as u8,
        Why::IgnoresStar => own(IGNORES_STAR),
        Why::Policy => OF_POLICY,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "there are a dozen reasons")]
const fn own(code: u8) -> u8 {
    REASONS.len() as u8 + code
}

/// The verdict of one robot, and why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    allowed: u8,
    reason: u8,
    line: u32,
    policy: usize,
}

impl Cell {
    /// There is no URL.
    pub(super) const NO_URL: Cell = Cell::without_policy(NO_REASON);
    pub(super) const UNKNOWN: Cell = Cell::without_policy(own(UNKNOWN));
    pub(super) const NO_ORIGIN: Cell = Cell::without_policy(own(NO_ORIGIN));
    pub(super) const NO_TIME: Cell = Cell::without_policy(own(NO_TIME));

    const fn without_policy(reason: u8) -> Cell {
        Cell { allowed: NULL, reason, line: 0, policy: NO_POLICY }
    }

    /// Makes the verdict that the policy of a row gives.
    #[inline]
    pub(super) fn given(allowed: bool, why: Why, line: u32, policy: usize) -> Cell {
        Cell { allowed: u8::from(allowed), reason: code_of(why), line, policy }
    }

    /// Makes the verdict where what the policy permits does not count.
    pub(super) fn withheld(is_expired: bool, policy: usize) -> Cell {
        let reason = own(if is_expired { EXPIRED } else { UNKNOWN });
        Cell { allowed: NULL, reason, line: 0, policy }
    }

    /// Whether the verdict is the same whether or not what the policies permit counts.
    #[inline]
    pub(super) fn is_disallowed(self) -> bool {
        self.allowed == 0
    }
}

/// What is wanted besides the verdicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The reason of each.
    pub reasons: bool,
    /// How often each verdict has each reason.
    pub counts: bool,
    /// What of the policies that held at the time.
    pub standing: Option<OfStanding>,
}

/// What is wanted of the policies that held at the time of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfStanding {
    /// How long ago they were learned.
    Age,
    /// Whether what they permit counts.
    IsCurrent,
}

/// The answers for some rows.
#[derive(Debug, Default)]
pub struct Answers {
    /// For each robot whether each row is allowed: 0, 1 or `NULL`.
    pub allowed: Vec<Vec<u8>>,
    /// For each robot why; empty unless that is wanted.
    pub reasons: Vec<Explained>,
    /// For each row how long ago the policy was learned, in microseconds; empty unless that is wanted.
    pub age: Vec<Option<i64>>,
    /// For each row whether what the policies permit counts at its time; empty unless that is wanted.
    pub is_current: Vec<bool>,
    /// For each robot how often each verdict has each reason; empty unless that is wanted.
    pub counts: Vec<Counts>,
}

/// Why rows are allowed or not.
#[derive(Debug, Default)]
pub struct Explained {
    /// The code of the reason (`slugs`), or `NO_REASON` or `OF_POLICY`.
    pub reason: Vec<u8>,
    /// The line that decided; 0 if none did.
    pub line: Vec<u32>,
    /// The row of the policy, or `NO_POLICY`.
    pub policy: Vec<usize>,
}

impl Answers {
    /// Makes room for the answers for rows.
    pub(super) fn new(robots: usize, rows: usize, wanted: Wanted) -> Answers {
        let nulls = || Explained {
            reason: vec![NO_REASON; rows],
            line: vec![0; rows],
            policy: vec![NO_POLICY; rows],
        };
        let rows_for = |part| if wanted.standing == Some(part) { rows } else { 0 };
        let of_each = |is_wanted: bool| 0..if is_wanted { robots } else { 0 };
        Answers {
            allowed: vec![vec![NULL; rows]; robots],
            reasons: of_each(wanted.reasons).map(|_| nulls()).collect(),
            age: vec![None; rows_for(OfStanding::Age)],
            is_current: vec![false; rows_for(OfStanding::IsCurrent)],
            counts: of_each(wanted.counts).map(|_| Counts::default()).collect(),
        }
    }

    /// Adds what a thread counted, for each robot.
    pub(super) fn add_counts(&mut self, counts: Vec<Counts>) {
        self.counts.iter_mut().zip(counts).for_each(|(sum, more)| sum.merge(more));
    }

    /// Divides the room among threads, each with a number of rows.
    pub(super) fn shares(&mut self, rows: impl IntoIterator<Item = usize>) -> Vec<Share<'_>> {
        let mut left = Share {
            allowed: self.allowed.iter_mut().map(Vec::as_mut_slice).collect(),
            reasons: self.reasons.iter_mut().map(Explained::share).collect(),
            age: &mut self.age,
            is_current: &mut self.is_current,
            counts: vec![Counts::default(); self.counts.len()],
        };
        rows.into_iter().map(|rows| left.split(rows)).collect()
    }
}

impl Explained {
    fn share(&mut self) -> ExplainedShare<'_> {
        let Explained { reason, line, policy } = self;
        ExplainedShare { reason, line, policy }
    }
}

/// The room for the answers that one thread makes.
pub(super) struct Share<'a> {
    allowed: Vec<&'a mut [u8]>,
    reasons: Vec<ExplainedShare<'a>>,
    age: &'a mut [Option<i64>],
    is_current: &'a mut [bool],
    /// What is counted of them.
    counts: Vec<Counts>,
}

struct ExplainedShare<'a> {
    reason: &'a mut [u8],
    line: &'a mut [u32],
    policy: &'a mut [usize],
}

impl<'a> Share<'a> {
    /// Splits off the first rows.
    fn split(&mut self, rows: usize) -> Share<'a> {
        let explained = |one: &mut ExplainedShare<'a>| ExplainedShare {
            reason: one.reason.split_off_mut(..rows).unwrap_or_default(),
            line: one.line.split_off_mut(..rows).unwrap_or_default(),
            policy: one.policy.split_off_mut(..rows).unwrap_or_default(),
        };
        let allowed = self.allowed.iter_mut();
        Share {
            allowed: allowed.filter_map(|allowed| allowed.split_off_mut(..rows)).collect(),
            reasons: self.reasons.iter_mut().map(explained).collect(),
            // What is not wanted has no rows.
            age: self.age.split_off_mut(..rows).unwrap_or_default(),
            is_current: self.is_current.split_off_mut(..rows).unwrap_or_default(),
            counts: self.counts.clone(),
        }
    }

    /// Sets the verdict of a robot on a row. `policy_reason` returns the reason that the policy in a row
    /// of the table states.
    #[inline]
    pub(super) fn put<'p>(
        &mut self,
        robot: usize,
        row: usize,
        cell: Cell,
        policy_reason: impl Fn(usize) -> &'p [u8],
    ) {
        self.allowed[robot][row] = cell.allowed;
        if let Some(counts) = self.counts.get_mut(robot) {
            counts.add(cell, policy_reason);
        }
        if let Some(explained) = self.reasons.get_mut(robot) {
            explained.reason[row] = cell.reason;
            explained.line[row] = cell.line;
            explained.policy[row] = cell.policy;
        }
    }

    /// Reads where the verdicts on a row are put (`order::prefetch`).
    #[inline]
    pub(super) fn prefetch(&self, row: usize) -> u8 {
        self.allowed.iter().fold(0, |sum, allowed| sum ^ allowed[row])
    }

    /// Returns what was counted of these rows. `policy_reason` is that of `put`.
    pub(super) fn ended<'p>(self, policy_reason: impl Fn(usize) -> &'p [u8]) -> Vec<Counts> {
        let mut counts = self.counts;
        for one in &mut counts {
            one.end_policy(&policy_reason);
        }
        counts
    }

    /// Sets how long ago the policies of a row were learned, and whether what they permit counts, as far
    /// as that is wanted.
    #[inline]
    pub(super) fn put_standing(&mut self, row: usize, age: Option<i64>, is_current: bool) {
        if let Some(slot) = self.age.get_mut(row) {
            *slot = age;
        }
        if let Some(slot) = self.is_current.get_mut(row) {
            *slot = is_current;
        }
    }
}

/// How often a verdict occurs: disallowed, allowed and `NULL`.
pub type Tally = [u64; 3];

/// How often each verdict of a robot has each reason.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// By the code of the reason.
    of_codes: Vec<Tally>,
    /// By the reason that policies state.
    of_policies: HashMap<Vec<u8>, Tally>,
    /// The policy that was counted last and not yet added: neighbours often have the same.
    last: Option<(usize, Tally)>,
}

impl Counts {
    #[inline]
    fn add<'p>(&mut self, cell: Cell, policy_reason: impl Fn(usize) -> &'p [u8]) {
        let answer = usize::from(cell.allowed);
        if cell.reason != OF_POLICY {
            let code = usize::from(cell.reason);
            if code >= self.of_codes.len() {
                self.of_codes.resize(code + 1, Tally::default());
            }
            self.of_codes[code][answer] += 1;
            return;
        }
        if self.last.is_none_or(|(policy, _)| policy != cell.policy) {
            self.end_policy(policy_reason);
        }
        self.last.get_or_insert((cell.policy, Tally::default())).1[answer] += 1;
    }

    /// Adds what was counted of one policy.
    fn end_policy<'p>(&mut self, policy_reason: impl Fn(usize) -> &'p [u8]) {
        let Some((policy, tally)) = self.last.take() else { return };
        let reason = policy_reason(policy);
        match self.of_policies.get_mut(reason) {
            Some(sum) => add(sum, &tally),
            None => drop(self.of_policies.insert(reason.to_vec(), tally)),
        }
    }

    /// Adds what another thread counted.
    fn merge(&mut self, other: Counts) {
        if self.of_codes.len() < other.of_codes.len() {
            self.of_codes.resize(other.of_codes.len(), Tally::default());
        }
        for (sum, more) in self.of_codes.iter_mut().zip(&other.of_codes) {
            add(sum, more);
        }
        for (reason, more) in other.of_policies {
            add(self.of_policies.entry(reason).or_default(), &more);
        }
    }

    /// Iterates over the reasons that occur; that of rows without a URL is empty.
    pub fn each(&self) -> impl Iterator<Item = (&[u8], Tally)> {
        let slugs: Vec<&'static str> = slugs().collect();
        let of_codes = self.of_codes.iter().enumerate().map(move |(code, tally)| {
            (slugs.get(code).copied().unwrap_or_default().as_bytes(), *tally)
        });
        let of_policies = self.of_policies.iter().map(|(reason, tally)| (&reason[..], *tally));
        of_codes.chain(of_policies).filter(|(_, tally)| *tally != Tally::default())
    }
}

fn add(sum: &mut Tally, more: &Tally) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

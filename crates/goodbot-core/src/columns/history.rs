//! Which policies of an origin held at a time.
//!
//! The rule is that of `goodbot.policy.PolicyTimeline`: of the policies learned last before a time, all
//! must allow; what they permit counts only while they are fresh, or if the next one shows the same file.

use std::cmp::Ordering as Order;
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::cache::RulesCache;
use super::index::{Hasher, Index};
use super::robot::{Robot, Robots};
use crate::robots_txt::NameError;

/// What a policy allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// What its rules allow.
    Rules,
    /// Everything.
    All,
    /// Nothing, for now or for good.
    Nothing,
}

/// A table of policies that can be accessed by row.
pub trait Policies: Sync {
    /// Returns how many there are.
    fn length(&self) -> usize;
    /// Returns the origin.
    fn origin(&self, row: usize) -> &[u8];
    /// Returns when the policy was learned: from then on it held. In microseconds.
    fn learned(&self, row: usize) -> i64;
    /// Returns from when on it no longer permits anything; `None` if it never does.
    fn until(&self, row: usize) -> Option<i64>;
    /// Returns what it allows; `None` if it is `Rules` without a file.
    fn access(&self, row: usize) -> Access;
    /// Returns the reason for that.
    fn reason(&self, row: usize) -> &[u8];
    /// Whether it is a stored copy that a failed request leaves in force.
    fn is_stale(&self, row: usize) -> bool;
    /// Returns the bytes of its file.
    fn body(&self, row: usize) -> Option<&[u8]>;
}

/// A table of policies, and what was derived from it.
pub struct History<P> {
    pub(super) policies: P,
    /// The rows by origin and time, if they are not in this order.
    order: Option<Vec<usize>>,
    /// How long a policy permits anything; `None` if its own time counts.
    held: Option<i64>,
    pub(super) cache: RulesCache,
    robots: Mutex<Vec<std::sync::Arc<Robots>>>,
    index: OnceLock<Option<Index>>,
    hasher: Hasher,
    /// How many origins were looked up without the index.
    looked_up: AtomicUsize,
    /// Whether rows were last taken in the order of their hashes.
    is_forwards: AtomicBool,
}

/// How many look-ups without an index cost as much as indexing an origin, roughly.
const WORTH_AN_INDEX: usize = 16;

impl<P: Policies> History<P> {
    /// Reads a table: one pass over the origins and times, no copy.
    ///
    /// `held` is how long a policy permits anything, in microseconds; `bytes` the most that compiled
    /// rules take.
    pub fn new(policies: P, held: Option<i64>, bytes: usize) -> History<P> {
        let compare = |one: usize, other: usize| {
            let origins = policies.origin(one).cmp(policies.origin(other));
            origins.then_with(|| policies.learned(one).cmp(&policies.learned(other)))
        };
        let is_sorted = (1..policies.length()).all(|row| compare(row - 1, row) != Order::Greater);
        let order = (!is_sorted).then(|| {
            let mut order: Vec<usize> = (0..policies.length()).collect();
            order.sort_by(|one, other| compare(*one, *other));
            order
        });
        History {
            order,
            held,
            cache: RulesCache::new(bytes, policies.length()),
            robots: Mutex::default(),
            index: OnceLock::new(),
            hasher: Hasher::new(),
            looked_up: AtomicUsize::new(0),
            is_forwards: AtomicBool::new(false),
            policies,
        }
    }

    /// Returns by turns whether the next rows are to be taken backwards.
    pub(super) fn is_next_backwards(&self) -> bool {
        self.is_forwards.fetch_xor(true, Ordering::Relaxed)
    }

    /// Returns the table.
    pub fn policies(&self) -> &P {
        &self.policies
    }

    /// Iterates over the rows where an origin begins.
    pub fn origins(&self) -> impl Iterator<Item = usize> {
        let is_first = |place: &usize| *place == 0 || self.origin(*place) != self.origin(place - 1);
        (0..self.policies.length()).filter(is_first).map(|place| self.row(place))
    }

    /// Checks robots, and prepares to be asked about them.
    ///
    /// # Errors
    ///
    /// When a robot has no name, or its name looks like a URL.
    pub fn robots(&self, list: Vec<Robot>) -> Result<std::sync::Arc<Robots>, NameError> {
        let mut known = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(robots) = known.iter().find(|robots| robots.list == list) {
            return Ok(std::sync::Arc::clone(robots));
        }
        let robots = std::sync::Arc::new(Robots::new(list, known.len() as u64)?);
        known.push(std::sync::Arc::clone(&robots));
        Ok(robots)
    }

    /// Returns the row at a place in the order of origin and time.
    #[inline]
    pub(super) fn row(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order[place])
    }

    #[inline]
    fn origin(&self, place: usize) -> &[u8] {
        self.policies.origin(self.row(place))
    }

    /// Announces that origins will be looked up; makes the index if that is worth it.
    pub(super) fn prepare(&self, questions: usize) {
        let before = self.looked_up.fetch_add(questions, Ordering::Relaxed);
        if before.saturating_add(questions) > self.policies.length() / WORTH_AN_INDEX {
            self.index.get_or_init(|| self.new_index());
        }
    }

    fn new_index(&self) -> Option<Index> {
        let origin = |place: usize| self.origin(place);
        Index::new(self.policies.length(), origin, |origin| self.hash(origin))
    }

    /// Returns the places of an origin's policies.
    pub(super) fn find(&self, origin: &[u8]) -> Range<usize> {
        if let Some(Some(index)) = self.index.get() {
            return index.find(self.hash(origin), origin, |place| self.origin(place));
        }
        let length = self.policies.length();
        let start = partition(0..length, |place| self.origin(place) < origin);
        start..partition(start..length, |place| self.origin(place) == origin)
    }

    /// Returns the hash of how a URL begins.
    #[inline]
    pub(super) fn hash(&self, beginning: &[u8]) -> u64 {
        self.hasher.hash(beginning)
    }

    /// Returns a number for the hash of how a URL begins: that of its origin in the order of the table,
    /// most likely, or a greater one.
    #[inline]
    pub(super) fn origin_number(&self, hash: u64) -> u64 {
        let Some(Some(index)) = self.index.get() else { return hash };
        index.likely(hash).map_or(hash | 1 << 32, u64::from)
    }

    /// Returns the places of an origin's policies, as `find` does, given its likely number.
    #[inline]
    pub(super) fn find_near(&self, number: u64, origin: &[u8]) -> Range<usize> {
        match self.places(number) {
            Some(places) if self.origin(places.start) == origin => places,
            _ => self.find(origin),
        }
    }

    #[inline]
    fn places(&self, number: u64) -> Option<Range<usize>> {
        self.index.get()?.as_ref()?.places(number)
    }

    /// Reads a little of the policies of origins, and of what robots obey in their files, so that the
    /// machine fetches several at the same time (`order::prefetch`).
    pub(super) fn prefetch(&self, robots: &Robots, numbers: impl Iterator<Item = u64>) {
        let places = numbers.filter_map(|number| self.places(number));
        let rows: Vec<usize> = places.map(|places| self.row(places.start)).collect();
        let times = rows.iter().fold(0, |sum, row| {
            let access = self.policies.access(*row) as i64;
            sum ^ self.policies.learned(*row) ^ self.policies.until(*row).unwrap_or(0) ^ access
        });
        let origin = |row: &usize| self.policies.origin(*row).first().copied();
        let origins = rows.iter().filter_map(origin).fold(0, |sum, byte| sum ^ byte);
        let file = |row: &usize| self.policies.body(*row).map(|body| (*row, body));
        let rules = self.cache.prefetch(robots, rows.iter().filter_map(file));
        black_box((times, origins, rules));
    }

    /// Returns which of an origin's policies held at a time; without a time, the newest.
    pub(super) fn standing(&self, places: &Range<usize>, time: Option<i64>) -> Standing {
        let learned = |place: usize| self.policies.learned(self.row(place));
        let next = match time {
            Some(time) => partition(places.clone(), |place| learned(place) <= time),
            None => places.end,
        };
        let end = if next < places.end { learned(next) } else { i64::MAX };
        if next == places.start {
            let places = next..next;
            return Standing { places, since: i64::MIN, end, until: i64::MIN, later: 0..0 };
        }
        let since = learned(next - 1);
        let first = partition(places.start..next, |place| learned(place) < since);
        let until = |place| match self.held {
            // The last microsecond counts: `time - learned <= held`.
            Some(held) => since.saturating_add(held).saturating_add(1),
            None => self.policies.until(self.row(place)).unwrap_or(i64::MIN),
        };
        let until = (first..next).map(until).min().unwrap_or(i64::MIN);
        Standing { places: first..next, since, end, until, later: next..places.end }
    }

    /// Whether the next policy shows the same file, which then held in between, too.
    pub(super) fn is_seen_again(&self, standing: &Standing) -> bool {
        let file = |row| {
            let has_rules = self.policies.access(row) == Access::Rules;
            self.policies.body(row).filter(|_| has_rules)
        };
        // A row of the same time that states nothing is no policy.
        let is_policy = |row: &usize| {
            self.policies.access(*row) != Access::Rules || self.policies.body(*row).is_some()
        };
        let later = standing.later.clone().map(|place| self.row(place));
        let mut next = later.take_while(|row| self.policies.learned(*row) == standing.end);
        let seen = next.find(is_policy).filter(|row| !self.policies.is_stale(*row)).and_then(file);
        let is_seen = |place| seen.is_some() && file(self.row(place)) == seen;
        standing.places.clone().all(is_seen)
    }
}

/// Returns the first place for which a test that holds for a beginning no longer holds. The place is
/// usually near the beginning.
fn partition(places: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (places.start, places.end);
    let mut step = 1;
    while low + step < high && holds(low + step - 1) {
        low += step;
        step *= 2;
    }
    high = high.min(low + step);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The policies that held at a time, and when that ends.
#[derive(Default)]
pub(super) struct Standing {
    /// Their places.
    pub(super) places: Range<usize>,
    /// When they were learned.
    pub(super) since: i64,
    /// When the next one was learned.
    pub(super) end: i64,
    /// From when on they no longer permit anything.
    pub(super) until: i64,
    /// The places of those learned later.
    pub(super) later: Range<usize>,
}

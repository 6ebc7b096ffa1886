//! The verdict on each row of a column: by the policy that held at the row's time.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::history::{Access, History, Policies, Standing};
use super::many::Urls;
use super::order;
use super::robot::{Decided, Obeyed, Robots, Why};
use super::spelling::Spelling;
use crate::target::Scratch;
use crate::verdict::REASONS;

/// Times that can be accessed by index, in microseconds; `None` is a null.
pub trait Times: Sync {
    /// Returns the time at an index.
    fn time(&self, place: usize) -> Option<i64>;
}

/// How rows are decided.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the reasons are wanted, too.
    pub explain: bool,
    /// How many threads divide the rows among themselves.
    pub threads: usize,
}

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
        Why::IgnoresStar => more(IGNORES_STAR),
        Why::Policy => OF_POLICY,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "there are a dozen reasons")]
fn more(code: u8) -> u8 {
    REASONS.len() as u8 + code
}

/// The verdict of one robot, and why.
#[derive(Clone, Copy, Debug)]
struct Cell {
    allowed: u8,
    reason: u8,
    line: u32,
    policy: usize,
}

impl Cell {
    fn without_policy(reason: u8) -> Cell {
        Cell { allowed: NULL, reason, line: 0, policy: NO_POLICY }
    }
}

/// The answers for some rows.
#[derive(Debug, Default)]
pub struct Answers {
    /// For each robot whether each row is allowed: 0, 1 or `NULL`.
    pub allowed: Vec<Vec<u8>>,
    /// For each robot why; empty unless that was asked for.
    pub reasons: Vec<Explained>,
    /// For each row how long ago the policy was learned, in microseconds; empty unless reasons were
    /// asked for.
    pub age: Vec<Option<i64>>,
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
    fn new(robots: usize, rows: usize, explain: bool) -> Answers {
        let nulls = || Explained {
            reason: vec![NO_REASON; rows],
            line: vec![0; rows],
            policy: vec![NO_POLICY; rows],
        };
        let explained = if explain { robots } else { 0 };
        Answers {
            allowed: vec![vec![NULL; rows]; robots],
            reasons: (0..explained).map(|_| nulls()).collect(),
            age: vec![None; if explain { rows } else { 0 }],
        }
    }

    #[inline]
    fn put(&mut self, robot: usize, row: usize, cell: Cell) {
        self.allowed[robot][row] = cell.allowed;
        if let Some(explained) = self.reasons.get_mut(robot) {
            explained.reason[row] = cell.reason;
            explained.line[row] = cell.line;
            explained.policy[row] = cell.policy;
        }
    }

    /// Appends the answers for the rows that follow.
    pub fn append(&mut self, mut other: Answers) {
        for (own, more) in self.allowed.iter_mut().zip(&mut other.allowed) {
            own.append(more);
        }
        for (own, more) in self.reasons.iter_mut().zip(&mut other.reasons) {
            own.reason.append(&mut more.reason);
            own.line.append(&mut more.line);
            own.policy.append(&mut more.policy);
        }
        self.age.append(&mut other.age);
    }
}

/// A part of a column of URLs, with the times of its rows if there are any.
pub type Part<U, T> = (U, Option<T>);

/// The most rows that one thread decides before it returns for more.
const ROWS_AT_ONCE: usize = 1 << 18;
/// The same of rows that are not sorted by origin: of more rows, more have the same origin.
const MIXED_AT_ONCE: usize = 1 << 22;
/// The fewest rows that a part is divided into.
const LEAST_ROWS: usize = 8_192;

/// Decides every row. Without times the newest policy of each origin decides, at any age.
pub fn decide_at<P: Policies, U: Urls, T: Times>(
    history: &History<P>,
    robots: &Robots,
    parts: &[Part<U, T>],
    options: Options,
) -> Answers {
    let rows: usize = parts.iter().map(|(urls, _)| urls.length()).sum();
    history.prepare(rows);
    let threads = options.threads.max(1);
    let share = rows.div_ceil(threads).max(LEAST_ROWS);
    let pieces: Vec<(usize, Range<usize>)> = (0..)
        .zip(parts)
        .flat_map(|(number, (urls, _))| {
            let length = urls.length();
            let is_mixed = order::is_mixed(urls, &(0..length));
            let share = share.min(if is_mixed { MIXED_AT_ONCE } else { ROWS_AT_ONCE });
            let first = (0..length).step_by(share);
            first.map(move |first| (number, first..length.min(first + share)))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut asker = Asker::new(history, robots);
        let mut done = Vec::new();
        while let Some((place, (number, rows))) = taken(&pieces, &next) {
            let (urls, times) = &parts[*number];
            let mut answers = Answers::new(robots.count(), rows.len(), options.explain);
            asker.answer_rows(urls, times.as_ref(), rows.clone(), &mut answers);
            done.push((place, answers));
        }
        done
    };
    let mut done = in_threads(threads.min(pieces.len()), work);
    done.sort_unstable_by_key(|(place, _)| *place);
    let mut all = Answers::new(robots.count(), 0, options.explain);
    for (_, answers) in done {
        all.append(answers);
    }
    all
}

fn taken<'p, T>(pieces: &'p [T], next: &AtomicUsize) -> Option<(usize, &'p T)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    pieces.get(place).map(|piece| (place, piece))
}

/// Does the same work in several threads.
fn in_threads<T: Send>(threads: usize, work: impl Fn() -> Vec<T> + Sync) -> Vec<T> {
    if threads <= 1 {
        return work();
    }
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let done = running.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    })
}

/// What one policy states.
enum Source {
    Rules(Arc<Obeyed>),
    /// Everything is allowed, or nothing.
    Fixed(bool),
    /// It has rules, but its file is missing.
    Missing,
}

/// The policies that hold at the time of a row, and what they state.
struct Held {
    standing: Standing,
    sources: Vec<Source>,
    /// For each robot an earlier one that obeys the same.
    same: Vec<Option<usize>>,
    is_seen_again: Option<bool>,
}

/// The time of a row.
#[derive(Clone, Copy)]
enum When {
    /// Whatever is newest counts.
    Newest,
    /// The time is null.
    Unknown,
    At(i64),
}

/// Decides row after row, and remembers what the next row probably needs, too.
struct Asker<'a, P> {
    history: &'a History<P>,
    robots: &'a Robots,
    /// The origin of the last row, with a `/` behind it.
    prefix: Vec<u8>,
    places: Range<usize>,
    /// Policies of the origin that held at the times of rows before.
    held: Vec<Held>,
    /// Which of them held at the time of the last row.
    last: usize,
    scratch: Scratch,
}

/// How many policies of an origin are remembered.
const MOST_HELD: usize = 16;

impl<'a, P: Policies> Asker<'a, P> {
    fn new(history: &'a History<P>, robots: &'a Robots) -> Asker<'a, P> {
        let scratch = Scratch::default();
        Asker {
            history,
            robots,
            prefix: Vec::new(),
            places: 0..0,
            held: Vec::new(),
            last: 0,
            scratch,
        }
    }

    fn answer_rows<U: Urls, T: Times>(
        &mut self,
        urls: &U,
        times: Option<&T>,
        rows: Range<usize>,
        answers: &mut Answers,
    ) {
        let first = rows.start;
        let history = self.history;
        let grouped = order::grouped(urls, rows.clone(), history.turn());
        let mut answer = |row: usize| {
            let time =
                times.map_or(When::Newest, |times| times.time(row).map_or(When::Unknown, When::At));
            self.answer(urls.url(row), time, row - first, answers);
        };
        let Some(grouped) = grouped else { return rows.for_each(answer) };
        for part in grouped.parts() {
            let rows = part.iter().map(|key| grouped.row(*key));
            order::touch(urls, times, rows.clone());
            let first_urls = grouped.firsts(part).filter_map(|row| urls.url(row));
            history.touch(first_urls.map(order::beginning));
            rows.for_each(&mut answer);
        }
    }

    #[inline]
    fn answer(&mut self, url: Option<&[u8]>, time: When, row: usize, answers: &mut Answers) {
        let Some(url) = url else { return };
        let Some(spelling) = Spelling::of(url, &self.prefix) else {
            return self.answer_all(row, answers, Cell::without_policy(more(NO_ORIGIN)));
        };
        let time = match time {
            When::Newest => None,
            When::At(time) => Some(time),
            When::Unknown => {
                return self.answer_all(row, answers, Cell::without_policy(more(NO_TIME)));
            }
        };
        self.find(spelling.origin());
        self.hold(time);
        let Asker { history, robots, held, last, scratch, .. } = self;
        let held = &mut held[*last];
        if held.sources.is_empty() {
            return self.answer_all(row, answers, Cell::without_policy(more(UNKNOWN)));
        }
        let is_current = held.is_current(history, time);
        if let (Some(age), Some(time)) = (answers.age.get_mut(row), time) {
            *age = Some(time.saturating_sub(held.standing.since));
        }
        let mut question = Question { robots, spelling, scratch };
        for robot in 0..robots.count() {
            if let Some(other) = held.same[robot] {
                answers.copy(other, robot, row);
            } else {
                let cell = question.cell(held, robot, is_current, |place| history.row(place));
                answers.put(robot, row, cell);
            }
        }
    }

    fn answer_all(&self, row: usize, answers: &mut Answers, cell: Cell) {
        for robot in 0..self.robots.count() {
            answers.put(robot, row, cell);
        }
    }

    /// Finds the policies of an origin.
    #[inline]
    fn find(&mut self, origin: &[u8]) {
        if self.prefix.strip_suffix(b"/") == Some(origin) {
            return;
        }
        self.prefix.clear();
        self.prefix.extend_from_slice(origin);
        self.prefix.push(b'/');
        self.places = self.history.find(origin);
        self.held.clear();
        self.last = 0;
    }

    /// Finds the policies that held at a time.
    #[inline]
    fn hold(&mut self, time: Option<i64>) {
        let holds = |held: &Held| match time {
            Some(time) => held.standing.since <= time && time < held.standing.end,
            None => true,
        };
        if self.held.get(self.last).is_some_and(holds) {
            return;
        }
        if let Some(place) = self.held.iter().position(holds) {
            self.last = place;
            return;
        }
        let standing = self.history.standing(&self.places, time);
        if self.held.len() == MOST_HELD {
            self.held.clear();
        }
        self.last = self.held.len();
        self.held.push(Held::new(self.history, self.robots, standing));
    }
}

impl Answers {
    #[inline]
    fn copy(&mut self, from: usize, robot: usize, row: usize) {
        self.allowed[robot][row] = self.allowed[from][row];
        if !self.reasons.is_empty() {
            let explained = &self.reasons[from];
            let cell = Cell {
                allowed: self.allowed[from][row],
                reason: explained.reason[row],
                line: explained.line[row],
                policy: explained.policy[row],
            };
            self.put(robot, row, cell);
        }
    }
}

impl Held {
    fn new<P: Policies>(history: &History<P>, robots: &Robots, standing: Standing) -> Held {
        let policies = history.policies();
        let source = |place| {
            let row = history.row(place);
            match (policies.access(row), policies.body(row)) {
                (Access::All, _) => Source::Fixed(true),
                (Access::Nothing, _) => Source::Fixed(false),
                (Access::Rules, Some(body)) => Source::Rules(history.kept.obeyed(robots, body)),
                (Access::Rules, None) => Source::Missing,
            }
        };
        let sources: Vec<Source> = standing.places.clone().map(source).collect();
        let obey_the_same = |one: usize, other: usize| {
            robots.have_one_dialect(one, other)
                && sources.iter().all(|source| match source {
                    Source::Rules(obeyed) => obeyed.place(one) == obeyed.place(other),
                    Source::Fixed(_) | Source::Missing => true,
                })
        };
        let earlier = |robot| (0..robot).find(|other| obey_the_same(*other, robot));
        let same = (0..robots.count()).map(earlier).collect();
        Held { standing, sources, same, is_seen_again: None }
    }

    /// Whether what the policies permit counts at a time.
    #[inline]
    fn is_current<P: Policies>(&mut self, history: &History<P>, time: Option<i64>) -> bool {
        let Some(time) = time else { return true };
        let standing = &self.standing;
        time < standing.until
            || *self.is_seen_again.get_or_insert_with(|| history.is_seen_again(standing))
    }
}

/// A URL about which robots are asked.
struct Question<'a> {
    robots: &'a Robots,
    spelling: Spelling<'a>,
    scratch: &'a mut Scratch,
}

impl Question<'_> {
    /// Returns the verdict of the policies that held: of several, all must allow.
    #[inline]
    fn cell(
        &mut self,
        held: &Held,
        robot: usize,
        is_current: bool,
        row: impl Fn(usize) -> usize,
    ) -> Cell {
        let first = held.standing.places.start;
        let mut permitted = None;
        let mut is_known = true;
        for (place, source) in (first..).zip(&held.sources) {
            let Some(decided) = self.decide(source, robot) else {
                is_known = false;
                continue;
            };
            let (why, line) = (decided.why, decided.line);
            let allowed = u8::from(decided.allowed);
            let cell = || Cell { allowed, reason: code_of(why), line, policy: row(place) };
            if !decided.allowed {
                return cell();
            }
            if permitted.is_none() {
                permitted = Some(cell());
            }
        }
        match permitted {
            Some(cell) if is_current && is_known => cell,
            _ => {
                let reason = more(if is_known { EXPIRED } else { UNKNOWN });
                Cell { allowed: NULL, reason, line: 0, policy: row(first) }
            }
        }
    }

    /// Returns the decision of one policy on all spellings: as the URL is sent, then as it is written.
    #[inline]
    fn decide(&mut self, source: &Source, robot: usize) -> Option<Decided> {
        let scratch = &mut *self.scratch;
        let robots = self.robots;
        if let (Spelling::Usual { url, path, is_plain: true }, Source::Rules(obeyed)) =
            (&self.spelling, source)
        {
            return Some(obeyed.decide_plain(robot, url, *path, scratch));
        }
        let mut ask = |url: &[u8]| match source {
            Source::Rules(obeyed) => Some(obeyed.decide(robot, url, scratch)),
            Source::Fixed(allowed) => {
                Some(robots.decide_without_rules(robot, url, *allowed, scratch))
            }
            Source::Missing => None,
        };
        let other = match &self.spelling {
            Spelling::Usual { url, .. } => return ask(url),
            Spelling::Other(other) => other,
        };
        let as_sent = ask(other.sent.as_bytes())?;
        match &other.written {
            Some(written) if as_sent.allowed => ask(written.as_bytes()),
            _ => Some(as_sent),
        }
    }
}

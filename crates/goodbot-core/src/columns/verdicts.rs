//! The verdict on each row of a column: by the policy that held at the row's time.

use std::hint::black_box;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::answers::{Answers, Cell, Share, Wanted};
use super::history::{Access, History, Policies, Standing};
use super::last_origin::LastOrigin;
use super::many::Urls;
use super::order;
use super::pieces::{self, Piece};
use super::robot::{Decided, Obeyed, Robots};
use super::spelling::Spelling;
use crate::target::Scratch;
use crate::threads::in_threads;

/// Times that can be accessed by index, in microseconds; `None` is a null.
pub trait Times: Sync {
    /// Returns the time at an index.
    fn time(&self, place: usize) -> Option<i64>;
}

/// How rows are decided.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What is wanted besides the verdicts.
    pub wanted: Wanted,
    /// How many threads divide the rows among themselves.
    pub threads: usize,
}

/// A part of a column of URLs, with the times of its rows if there are any.
pub type Part<U, T> = (U, Option<T>);

/// A time at which rows are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The own time of each row; without times, the newest policies count, at any age.
    OfRow,
    /// The newest policies count, at any age.
    Newest,
    /// One time for all rows, in microseconds.
    At(i64),
}

/// Decides every row at its own time.
pub fn decide_at<P: Policies, U: Urls, T: Times>(
    history: &History<P>,
    robots: &Robots,
    parts: &[Part<U, T>],
    options: Options,
) -> Answers {
    let answers = decide_at_moments(history, robots, parts, &[Moment::OfRow], options);
    answers.into_iter().next().unwrap_or_default()
}

/// Decides every row at each of some moments, and returns the answers of each moment.
///
/// The URL is read once and its origin looked up once; where the same policies hold at several moments,
/// the rules are asked once.
pub fn decide_at_moments<P: Policies, U: Urls, T: Times>(
    history: &History<P>,
    robots: &Robots,
    parts: &[Part<U, T>],
    moments: &[Moment],
    options: Options,
) -> Vec<Answers> {
    let urls = || parts.iter().map(|(urls, _)| urls);
    let rows: usize = urls().map(Urls::length).sum();
    history.prepare(rows);
    let threads = options.threads.max(1);
    let pieces = pieces::divide(urls(), rows, threads);
    let room = |_: &Moment| Answers::new(robots.count(), rows, options.wanted);
    let mut answers: Vec<Answers> = moments.iter().map(room).collect();
    let mut shares: Vec<Vec<Share<'_>>> = pieces.iter().map(|_| Vec::new()).collect();
    for of_moment in &mut answers {
        let divided = of_moment.shares(pieces.iter().map(Piece::rows));
        shares.iter_mut().zip(divided).for_each(|(room, share)| room.push(share));
    }
    let waiting = Mutex::new(pieces.iter().zip(shares));
    let threads = threads.min(pieces.len());
    let mut askers: Vec<_> = (0..threads).map(|_| Asker::new(history, robots, moments)).collect();
    let counts = in_threads(&mut askers, |asker| {
        let mut counts = Vec::new();
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((piece, mut shares)) = next else { return counts };
            asker.answer_piece(parts, piece, &mut shares);
            let ended = |share: Share<'_>| share.ended(|policy| history.policies().reason(policy));
            counts.push(shares.into_iter().map(ended).collect::<Vec<_>>());
        }
    });
    drop(waiting);
    for of_piece in counts.into_iter().flatten() {
        answers.iter_mut().zip(of_piece).for_each(|(sum, counts)| sum.add_counts(counts));
    }
    answers
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
#[derive(Default)]
struct Held {
    standing: Standing,
    sources: Vec<Source>,
    /// For each robot an earlier one that obeys the same.
    same: Vec<Option<usize>>,
    is_seen_again: Option<bool>,
}

/// The own time of a row.
#[derive(Clone, Copy)]
enum When {
    /// Whatever is newest counts.
    Newest,
    /// The time is null.
    Unknown,
    At(i64),
}

impl When {
    #[inline]
    fn of<T: Times>(times: Option<&T>, row: usize) -> When {
        times.map_or(When::Newest, |times| times.time(row).map_or(When::Unknown, When::At))
    }

    /// Returns the time of a moment for a row with this one.
    #[inline]
    fn at(self, moment: Moment) -> When {
        match moment {
            Moment::OfRow => self,
            Moment::Newest => When::Newest,
            Moment::At(time) => When::At(time),
        }
    }
}

/// The number of no origin.
const NO_NUMBER: u64 = u64::MAX;

/// Decides row after row, and remembers what the next row probably needs, too.
struct Asker<'a, P> {
    history: &'a History<P>,
    robots: &'a Robots,
    moments: &'a [Moment],
    last_origin: LastOrigin,
    places: Range<usize>,
    /// Policies of the origin that held at the times of rows before, and behind them some of other
    /// origins, whose memory is used again.
    held: Vec<Held>,
    /// How many of them are of the origin.
    known: usize,
    /// Which of them held at the time of the last row.
    last: usize,
    scratch: Scratch,
    /// The verdicts of the robots on the last row.
    cells: Vec<Cell>,
    /// Whether the rows are in no order, so that origins return.
    is_mixed: bool,
}

/// How many policies of an origin are remembered.
const MOST_HELD: usize = 16;

impl<'a, P: Policies> Asker<'a, P> {
    fn new(history: &'a History<P>, robots: &'a Robots, moments: &'a [Moment]) -> Asker<'a, P> {
        let scratch = Scratch::default();
        Asker {
            history,
            robots,
            moments,
            last_origin: LastOrigin::default(),
            places: 0..0,
            held: Vec::new(),
            known: 0,
            last: 0,
            scratch,
            cells: vec![Cell::NO_URL; robots.count()],
            is_mixed: false,
        }
    }

    fn answer_piece<U: Urls, T: Times>(
        &mut self,
        parts: &[Part<U, T>],
        piece: &Piece,
        answers: &mut [Share<'_>],
    ) {
        self.is_mixed = piece.is_mixed;
        if piece.is_mixed {
            return self.answer_mixed(parts, piece, answers);
        }
        let mut place = 0;
        for segment in &piece.segments {
            let (urls, times) = &parts[segment.part];
            for row in segment.rows.clone() {
                let time = When::of(times.as_ref(), row);
                self.answer(urls.url(row), time, NO_NUMBER, place, answers);
                place += 1;
            }
        }
    }

    /// Answers rows in no order by their origins.
    fn answer_mixed<U: Urls, T: Times>(
        &mut self,
        parts: &[Part<U, T>],
        piece: &Piece,
        answers: &mut [Share<'_>],
    ) {
        let history = self.history;
        let urls = |part: usize| &parts[part].0;
        let hash = |beginning: &[u8]| history.hash(beginning);
        let number = |hash: u64| history.origin_number(hash);
        let grouped =
            order::group_by_origin(piece, urls, hash, number, history.is_next_backwards());
        let firsts = piece.firsts();
        let row_of = |key: &u64| {
            let place = grouped.place(*key);
            let segment = &piece.segments[place.segment];
            (&parts[segment.part], segment.rows.start + place.offset, place)
        };
        let found = |key: &u64| {
            let ((urls, times), row, place) = row_of(key);
            (urls.url(row), When::of(times.as_ref(), row), place)
        };
        // A write to memory that is far away holds up what is written after it, so that where the
        // answer is put is read, too.
        let read = |answers: &[Share<'_>], key: &u64| {
            let ((urls, times), row, place) = row_of(key);
            let time = times.as_ref().and_then(|times| times.time(row)).unwrap_or(0);
            let answered = firsts[place.segment] + place.offset;
            let answer = answers.iter().fold(0, |sum, share| sum ^ share.prefetch(answered));
            urls.prefetch(row) ^ time.cast_unsigned() ^ u64::from(answer)
        };
        let mut rows = Vec::new();
        for neighbours in grouped.neighbours() {
            history.prefetch(self.robots, grouped.origins(neighbours));
            for part in order::rows_at_once(neighbours) {
                black_box(part.iter().fold(0, |sum, key| sum ^ read(answers, key)));
                rows.clear();
                rows.extend(part.iter().map(found));
                order::prefetch(rows.iter().map(|(url, ..)| *url));
                for (url, time, place) in &rows {
                    let answered = firsts[place.segment] + place.offset;
                    self.answer(*url, *time, place.origin, answered, answers);
                }
            }
        }
    }

    /// Answers a row: `place` is where its answers are put, and `number` the likely number of its origin.
    #[inline]
    fn answer(
        &mut self,
        url: Option<&[u8]>,
        time: When,
        number: u64,
        place: usize,
        answers: &mut [Share<'_>],
    ) {
        let mut answer_all = |cell| {
            for share in &mut *answers {
                self.answer_all(place, share, cell);
            }
        };
        let Some(url) = url else { return answer_all(Cell::NO_URL) };
        let known = self.last_origin.end_in(url);
        let Some(spelling) = Spelling::of(url, known) else {
            return answer_all(Cell::NO_ORIGIN);
        };
        if known.is_none() || matches!(spelling, Spelling::Other(_)) {
            self.find(spelling.origin(), number);
        }
        let mut before = None;
        for (moment, share) in self.moments.iter().zip(answers) {
            match time.at(*moment) {
                When::Newest => self.answer_at(&spelling, None, place, share, &mut before),
                When::At(time) => self.answer_at(&spelling, Some(time), place, share, &mut before),
                When::Unknown => self.answer_all(place, share, Cell::NO_TIME),
            }
        }
    }

    /// Answers a row at a time. `before` is the place of the first policy that held at the moment before,
    /// of which the cells are the verdicts on the row, and whether what it permits counted.
    #[inline]
    fn answer_at(
        &mut self,
        spelling: &Spelling<'_>,
        time: Option<i64>,
        place: usize,
        answers: &mut Share<'_>,
        before: &mut Option<(usize, bool)>,
    ) {
        self.hold(time);
        let Asker { history, robots, held, last, scratch, cells, .. } = self;
        let held = &mut held[*last];
        if held.sources.is_empty() {
            return self.answer_all(place, answers, Cell::UNKNOWN);
        }
        let is_current = held.is_current(history, time);
        let age = time.map(|time| time.saturating_sub(held.standing.since));
        answers.put_standing(place, age, is_current);
        let is_known = match *before {
            Some((same, counted)) if same == held.standing.places.start => {
                counted == is_current || cells.iter().all(|cell| cell.is_disallowed())
            }
            _ => false,
        };
        *before = Some((held.standing.places.start, is_current));
        let mut question = Question { robots, spelling, scratch };
        for robot in 0..robots.count() {
            let cell = match held.same[robot] {
                _ if is_known => cells[robot],
                Some(other) => cells[other],
                None => question.cell(held, robot, is_current, |place| history.row(place)),
            };
            cells[robot] = cell;
            answers.put(robot, place, cell, |policy| history.policies().reason(policy));
        }
    }

    fn answer_all(&self, place: usize, answers: &mut Share<'_>, cell: Cell) {
        for robot in 0..self.robots.count() {
            answers.put(robot, place, cell, |_| b"");
        }
    }

    /// Finds the policies of an origin.
    #[inline]
    fn find(&mut self, origin: &[u8], number: u64) {
        if !self.last_origin.replace(origin) {
            return;
        }
        self.places = self.history.find_near(number, origin);
        self.known = 0;
        self.last = 0;
    }

    /// Finds the policies that held at a time.
    #[inline]
    fn hold(&mut self, time: Option<i64>) {
        let holds = |held: &Held| match time {
            Some(time) => held.standing.since <= time && time < held.standing.end,
            None => held.standing.end == i64::MAX,
        };
        let held = &self.held[..self.known];
        if held.get(self.last).is_some_and(holds) {
            return;
        }
        if let Some(place) = held.iter().position(holds) {
            self.last = place;
            return;
        }
        let standing = self.history.standing(&self.places, time);
        self.last = self.known % MOST_HELD;
        self.known = self.last + 1;
        if self.last == self.held.len() {
            self.held.push(Held::default());
        }
        self.held[self.last].replace(self.history, self.robots, standing, self.is_mixed);
    }
}

impl Held {
    /// Puts other policies in place of these.
    fn replace<P: Policies>(
        &mut self,
        history: &History<P>,
        robots: &Robots,
        standing: Standing,
        is_mixed: bool,
    ) {
        let policies = history.policies();
        let source = |place| {
            let row = history.row(place);
            match (policies.access(row), policies.body(row)) {
                (Access::All, _) => Source::Fixed(true),
                (Access::Nothing, _) => Source::Fixed(false),
                (Access::Rules, Some(body)) => {
                    Source::Rules(history.cache.obeyed(robots, row, body, is_mixed))
                }
                (Access::Rules, None) => Source::Missing,
            }
        };
        let Held { sources, same, .. } = self;
        sources.clear();
        sources.extend(standing.places.clone().map(source));
        let obey_the_same = |one: usize, other: usize| {
            robots.have_one_dialect(one, other)
                && sources.iter().all(|source| match source {
                    Source::Rules(obeyed) => obeyed.place(one) == obeyed.place(other),
                    Source::Fixed(_) | Source::Missing => true,
                })
        };
        let earlier = |robot| (0..robot).find(|other| obey_the_same(*other, robot));
        same.clear();
        same.extend((0..robots.count()).map(earlier));
        self.standing = standing;
        self.is_seen_again = None;
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
    spelling: &'a Spelling<'a>,
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
            let Decided { allowed, why, line } = decided;
            let cell = || Cell::given(allowed, why, line, row(place));
            if !allowed {
                return cell();
            }
            if permitted.is_none() {
                permitted = Some(cell());
            }
        }
        match permitted {
            Some(cell) if is_current && is_known => cell,
            _ => Cell::withheld(is_known, row(first)),
        }
    }

    /// Returns the decision of one policy on all spellings: as the URL is sent, then as it is written.
    #[inline]
    fn decide(&mut self, source: &Source, robot: usize) -> Option<Decided> {
        let scratch = &mut *self.scratch;
        let robots = self.robots;
        if let (Spelling::Usual { url, path, is_plain: true }, Source::Rules(obeyed)) =
            (self.spelling, source)
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
        let other = match self.spelling {
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

//! A table of policies that can be asked about columns of URLs.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, DurationMicrosecondArray, Int32Array, Int64Array, StringArray,
    UInt32Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use goodbot_core::columns::{
    Answers, Counts, Explained, Family, History, Moment, NO_POLICY, NO_REASON, OF_POLICY,
    OfStanding, Options, Part, Policies, Robot, Tally, Urls, Wanted, are_mixed, decide_at,
    decide_at_moments, slugs,
};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

use crate::arrow::{self, ArrowColumn};
use crate::arrow_texts::Chunk;
use crate::columns::{self, Threads};
use crate::dialect::Dialect;
use crate::errors::{self, WrongTypeError, WrongValueError};
use crate::policy_rows::{self, PolicyRows, TimeColumn};

/// A robot: its name, its dialect, and for a known robot the names of its family and the one whose
/// group it obeys if no group names any of them.
type RobotParts<'py> = (String, Bound<'py, Dialect>, Option<(Vec<String>, Option<String>)>);

/// For each robot its columns; the ages; for each robot the counts of each reason.
type ColumnAnswers = (Vec<Vec<ArrowColumn>>, Option<ArrowColumn>, Vec<Vec<(String, Tally)>>);

/// For each moment the numbers of the answers, and their verdicts, policies and whether those count;
/// then the reasons and lines of the last moment.
type AnswersAgain = (Vec<[ArrowColumn; 4]>, Vec<ArrowColumn>);

/// The column of times.
const AT: arrow::Expected = policy_rows::times("at");

/// A table of policies, read once (`goodbot.tables.columns.PolicyTable`).
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct PolicyHistory {
    history: History<PolicyRows>,
}

#[pymethods]
impl PolicyHistory {
    /// Read a table of policies. `held` is how long a policy permits anything, in microseconds;
    /// `cache_bytes` bounds the compiled rules.
    #[new]
    #[pyo3(signature = (table, held, cache_bytes))]
    fn new(
        table: &Bound<'_, PyAny>,
        held: Option<i64>,
        cache_bytes: usize,
    ) -> PyResult<PolicyHistory> {
        let rows = PolicyRows::read(table)?;
        let history = table.py().detach(|| History::new(rows, held, cache_bytes));
        Ok(PolicyHistory { history })
    }

    fn __len__(&self) -> usize {
        self.history.policies().length()
    }

    /// Return the names of the columns of the table.
    fn column_names(&self) -> Vec<&str> {
        self.history.policies().names.iter().map(String::as_str).collect()
    }

    /// Return the metadata of the table's schema.
    fn metadata(&self) -> HashMap<String, String> {
        self.history.policies().metadata.clone()
    }

    /// Return the dialect that the rows name; `None` if they name none.
    fn dialect(&self) -> PyResult<Option<String>> {
        self.history.policies().dialect()
    }

    /// Return the origins, each once, in order.
    fn origins(&self, py: Python<'_>) -> ArrowColumn {
        let policies = self.history.policies();
        let text = |row| String::from_utf8_lossy(policies.origin(row));
        let origins = || self.history.origins().map(text).map(Some).collect::<StringArray>();
        ArrowColumn { array: Arc::new(py.detach(origins)) }
    }

    /// Return a list of columns for each robot: the verdicts, and with `explain` reason, line and
    /// policy; then with `explain` the ages; then with `count` for each robot how often it was
    /// disallowed and allowed and its verdict was null, for each reason.
    #[pyo3(signature = (rows, robots, explain, threads, count = false))]
    fn decide<'py>(
        &self,
        rows: &Bound<'py, UrlRows>,
        robots: Vec<RobotParts<'py>>,
        explain: bool,
        threads: Threads,
        count: bool,
    ) -> PyResult<ColumnAnswers> {
        let robots = robots.into_iter().map(robot).collect();
        let robots = self.history.robots(robots).map_err(|error| errors::of_name(&error))?;
        let parts = &rows.get().parts;
        let standing = explain.then_some(OfStanding::Age);
        let wanted = Wanted { reasons: explain, counts: count, standing };
        let options = Options { wanted, threads: threads.count() };
        let history = &self.history;
        let columns = || self.columns(decide_at(history, &robots, parts, options));
        Ok(rows.py().detach(columns))
    }

    /// Return the verdicts of one robot at each of two moments, in one pass over the rows: at the own
    /// time of each, if `has_times`, and at `now`, in microseconds; `None` for the newest policies.
    ///
    /// For each moment: for each row the number of its answer, and the answers, each once: the
    /// verdict, the policy, and whether what that permits counts. Then for the last moment the reasons
    /// and the lines.
    fn decide_again<'py>(
        &self,
        rows: &Bound<'py, UrlRows>,
        robot: RobotParts<'py>,
        has_times: bool,
        now: Option<i64>,
    ) -> PyResult<AnswersAgain> {
        let robots = self.history.robots(vec![self::robot(robot)]);
        let robots = robots.map_err(|error| errors::of_name(&error))?;
        let now = now.map_or(Moment::Newest, Moment::At);
        let moments = if has_times { vec![Moment::OfRow, now] } else { vec![now] };
        let parts = &rows.get().parts;
        let standing = Some(OfStanding::IsCurrent);
        let wanted = Wanted { reasons: true, standing, ..Wanted::default() };
        let options = Options { wanted, threads: 1 };
        let history = &self.history;
        Ok(rows.py().detach(|| {
            let answers = decide_at_moments(history, &robots, parts, &moments, options);
            let last = answers.last().and_then(|last| last.reasons.first());
            let explained = last.map(|last| {
                let [reason, line, _] = self.explained(last);
                vec![column(reason), column(line)]
            });
            (answers.iter().map(standings).collect(), explained.unwrap_or_default())
        }))
    }
}

/// Rows that can be asked about more than once: URLs, and their times. What they come from, such as a
/// stream, is read once.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct UrlRows {
    parts: Vec<Part<Rows, TimeColumn>>,
}

#[pymethods]
impl UrlRows {
    /// Read URLs and times. `at` is a column of times, a list of microseconds, the microseconds of all
    /// rows, or `None` for the newest policies.
    #[new]
    #[pyo3(signature = (urls, at = None))]
    fn new(urls: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<UrlRows> {
        let urls = columns::chunks_of(urls)?;
        let rows = urls.iter().map(Urls::length).sum();
        let times = at.map(|at| times(at, rows)).transpose()?;
        Ok(UrlRows { parts: parts(urls, times)? })
    }

    fn __len__(&self) -> usize {
        self.parts.iter().map(|(rows, _)| rows.length).sum()
    }

    /// Whether the URLs are in no order of their origins: then many are better decided together.
    fn are_mixed(&self) -> bool {
        self.parts.iter().any(|(rows, _)| are_mixed(rows))
    }
}

impl PolicyHistory {
    /// Returns answers as columns.
    fn columns(&self, answers: Answers) -> ColumnAnswers {
        let mut reasons = answers.reasons.iter();
        let of_robot = |allowed: &Vec<u8>| {
            let allowed = arrow::booleans(allowed.len(), |row| allowed[row]);
            let more = reasons.next().map(|explained| self.explained(explained));
            std::iter::once(allowed).chain(more.into_iter().flatten()).map(column).collect()
        };
        let robots = answers.allowed.iter().map(of_robot).collect();
        let ages = (!answers.reasons.is_empty())
            .then(|| column(Arc::new(DurationMicrosecondArray::from(answers.age))));
        (robots, ages, answers.counts.iter().map(reason_counts).collect())
    }

    /// Returns the columns reason, line and policy.
    fn explained(&self, explained: &Explained) -> [ArrayRef; 3] {
        let mut names = Names::default();
        let policies = self.history.policies();
        let rows = explained.reason.iter().zip(&explained.policy);
        let keys = rows.map(|(code, policy)| match *code {
            NO_REASON => 0,
            OF_POLICY => names.key_of_policy(policies, *policy),
            code => names.key_of_code(code),
        });
        let keys: Vec<i32> = keys.collect();
        let Explained { reason, line, policy } = explained;
        let has_policy = |place: usize| policy[place] != NO_POLICY;
        // Every other number is the place of a row in memory.
        let rows = policy.iter().map(|row| i64::try_from(*row).unwrap_or(0)).collect::<Vec<_>>();
        let keys = Int32Array::new(keys.into(), nulls(reason, |place| reason[place] != NO_REASON));
        [
            names.column(keys),
            Arc::new(UInt32Array::new(line.clone().into(), nulls(line, |place| line[place] != 0))),
            Arc::new(Int64Array::new(rows.into(), nulls(policy, has_policy))),
        ]
    }
}

/// Returns where values are missing; `None` if none is.
fn nulls<T>(values: &[T], is_valid: impl Fn(usize) -> bool) -> Option<NullBuffer> {
    let valid = NullBuffer::new(BooleanBuffer::collect_bool(values.len(), is_valid));
    Some(valid).filter(|valid| valid.null_count() > 0)
}

/// Returns for each row the number of its answer, and the answers, each once: the verdict of the only
/// robot, the policy, and whether what that permits counts.
fn standings(answers: &Answers) -> [ArrowColumn; 4] {
    let empty = Explained::default();
    let policies = &answers.reasons.first().unwrap_or(&empty).policy;
    let allowed = answers.allowed.first().map_or(&[][..], Vec::as_slice);
    let mut numbers: HashMap<Standing, i32> = HashMap::new();
    let mut known: Vec<Standing> = Vec::new();
    // Neighbours often have one of two answers, because the same policies hold.
    let mut recent = [(None, 0); 2];
    let rows = policies.iter().zip(allowed).zip(&answers.is_current);
    let keys: Vec<i32> = rows
        .map(|((policy, allowed), is_current)| {
            let one = (*policy, *allowed, *is_current);
            if let Some((_, number)) = recent.iter().find(|(recent, _)| *recent == Some(one)) {
                return *number;
            }
            let number = *numbers.entry(one).or_insert_with(|| {
                known.push(one);
                // Rows of a batch are far fewer.
                i32::try_from(known.len() - 1).unwrap_or(i32::MAX)
            });
            recent = [(Some(one), number), recent[0]];
            number
        })
        .collect();
    let policy = |one: &Standing| i64::try_from(one.0).ok().filter(|_| one.0 != NO_POLICY);
    [
        column(Arc::new(Int32Array::from(keys))),
        column(arrow::booleans(known.len(), |place| known[place].1)),
        column(Arc::new(known.iter().map(policy).collect::<Int64Array>())),
        column(arrow::booleans(known.len(), |place| u8::from(known[place].2))),
    ]
}

/// Returns the reasons of a robot's verdicts, each with its counts.
fn reason_counts(counts: &Counts) -> Vec<(String, Tally)> {
    let each = counts.each();
    each.map(|(reason, tally)| (String::from_utf8_lossy(reason).into_owned(), tally)).collect()
}

fn column(array: ArrayRef) -> ArrowColumn {
    ArrowColumn { array }
}

/// The different reasons of a column.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    places: HashMap<String, i32>,
    /// The keys of the reasons that have a code, by code.
    of_codes: Vec<Option<i32>>,
    /// The key for the last policy.
    last: Option<(usize, i32)>,
}

impl Names {
    fn key(&mut self, name: &str) -> i32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        // There are at most as many as policies, and the policies fit in memory.
        let place = i32::try_from(self.texts.len()).unwrap_or(i32::MAX);
        self.texts.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    fn key_of_code(&mut self, code: u8) -> i32 {
        let place = usize::from(code);
        if let Some(Some(key)) = self.of_codes.get(place) {
            return *key;
        }
        let key = self.key(slugs().nth(place).unwrap_or_default());
        self.of_codes.resize(self.of_codes.len().max(place + 1), None);
        self.of_codes[place] = Some(key);
        key
    }

    fn key_of_policy(&mut self, policies: &PolicyRows, row: usize) -> i32 {
        match self.last {
            Some((last, key)) if last == row => key,
            _ => {
                let key = self.key(&String::from_utf8_lossy(policies.reason(row)));
                self.last = Some((row, key));
                key
            }
        }
    }

    fn column(self, keys: Int32Array) -> ArrayRef {
        let names: ArrayRef = Arc::new(StringArray::from(self.texts));
        // The keys are places of the names.
        let column = DictionaryArray::<Int32Type>::try_new(keys, names);
        column
            .map_or_else(|_| Arc::new(StringArray::new_null(0)) as ArrayRef, |made| Arc::new(made))
    }
}

fn robot((name, dialect, family): RobotParts<'_>) -> Robot {
    let family = family.map(|(tokens, default)| Family { tokens, default });
    Robot { name, dialect: Arc::clone(&dialect.get().inner), family }
}

/// Reads the times of a number of rows.
fn times(at: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<TimeColumn>> {
    if at.cast::<PyInt>().is_ok() {
        return Ok(vec![TimeColumn::of_microseconds(vec![Some(at.extract()?); rows])]);
    }
    if at.cast::<PyList>().is_ok() {
        return Ok(vec![TimeColumn::of_microseconds(at.extract()?)]);
    }
    arrow::checked_by_its_library(at, &AT)?;
    let Some(arrays) = arrow::arrays_of(at, &AT)? else {
        let found = at.get_type().name()?;
        return Err(WrongTypeError::new_err(format!("at must be {}, not {found}", AT.is)));
    };
    Ok(arrays.iter().map(TimeColumn::of).collect())
}

/// A policy, what it says, and whether what it permits counts.
type Standing = (usize, u8, bool);

/// Some rows of a chunk.
struct Rows {
    chunk: Arc<Chunk>,
    first: usize,
    length: usize,
}

impl Urls for Rows {
    fn length(&self) -> usize {
        self.length
    }
    #[inline]
    fn url(&self, place: usize) -> Option<&[u8]> {
        self.chunk.url(self.first + place)
    }
    #[inline]
    fn prefetch(&self, place: usize) -> u64 {
        self.chunk.prefetch(self.first + place)
    }
}

/// Divides both columns where either has a new chunk.
fn parts(
    urls: Vec<Chunk>,
    times: Option<Vec<TimeColumn>>,
) -> PyResult<Vec<Part<Rows, TimeColumn>>> {
    let rows: usize = urls.iter().map(Urls::length).sum();
    if let Some(times) = &times {
        let length: usize = times.iter().map(TimeColumn::length).sum();
        if length != rows {
            return Err(WrongValueError::new_err(format!(
                "at has {length} rows, and urls has {rows}; pass a time for each URL"
            )));
        }
    }
    let mut parts = Vec::new();
    let mut times = times.map(|times| times.into_iter().filter(|times| times.length() > 0));
    let mut open: Option<(TimeColumn, usize)> = None;
    for chunk in urls.into_iter().map(Arc::new) {
        let mut first = 0;
        while first < chunk.length() {
            let left = chunk.length() - first;
            let (length, at) = match &mut times {
                None => (left, None),
                Some(times) => {
                    // Both columns have equally many rows.
                    let Some((column, used)) = open.take().or_else(|| Some((times.next()?, 0)))
                    else {
                        break;
                    };
                    let length = left.min(column.length() - used);
                    let at = column.slice(used, length);
                    open = (used + length < column.length()).then_some((column, used + length));
                    (length, Some(at))
                }
            };
            parts.push((Rows { chunk: Arc::clone(&chunk), first, length }, at));
            first += length;
        }
    }
    Ok(parts)
}

/// Return the reasons of columns that neither rules nor policies have: slugs.
#[pyfunction]
pub(crate) fn column_reasons() -> Vec<&'static str> {
    goodbot_core::columns::OWN_REASONS.to_vec()
}

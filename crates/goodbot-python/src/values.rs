//! Small values: rules, groups, findings, rates and times of day.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use goodbot_core::quote::{LONGEST_NAME, MOST_QUOTED, quoted};
use goodbot_core::robots_txt as core;
use goodbot_core::verdict;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::errors::{WrongTypeError, WrongValueError};
use crate::{octets, pickled};

/// A rule: a line that allows or disallows.
///
/// >>> import goodbot
/// >>> rules = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a").rules_for("ExampleBot")
/// >>> rule = rules.verdict("/a").rule
/// >>> rule.field, rule.pattern, rule.line, rule.text
/// ('Disallow', '/a', 2, 'Disallow: /a')
///
/// Source: RFC 9309 section 2.2.2.
#[pyclass(frozen, eq, hash, get_all, module = "goodbot")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    /// `"Allow"` or `"Disallow"`, a `str`.
    field: Cow<'static, str>,
    /// The path, a `str`: as written, or as compared if the dialect allows several on a line.
    pattern: String,
    /// The number of the line, an `int` from 1.
    line: u32,
    /// The line as written, without its line end, a `str`.
    text: Text,
}

/// A text that the rules of one line share.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Text(Arc<str>);

impl<'py> IntoPyObject<'py> for &Text {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyString::new(py, &self.0))
    }
}

impl<'py> IntoPyObject<'py> for Text {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        (&self).into_pyobject(py)
    }
}

impl From<verdict::RuleInfo> for Rule {
    fn from(rule: verdict::RuleInfo) -> Rule {
        let verdict::RuleInfo { field, pattern, line, text } = rule;
        Rule { field: field.into(), pattern, line, text: Text(text) }
    }
}

#[pymethods]
impl Rule {
    /// Return the rule as a `dict`, for JSON.
    pub(crate) fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("field", &self.field)?;
        dict.set_item("pattern", &self.pattern)?;
        dict.set_item("line", self.line)?;
        dict.set_item("text", &self.text)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!("<Rule line {}: {}>", self.line, quoted(&self.text.0, MOST_QUOTED))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pickled::reduced(py, "Rule", (&self.field, &self.pattern, self.line, &*self.text.0))
    }
}

impl Rule {
    /// Restores a rule from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Rule> {
        let (field, pattern, line, text): (String, _, _, String) = parts.extract()?;
        Ok(Rule { field: field.into(), pattern, line, text: Text(text.into()) })
    }

    /// Returns the rule as a `dict` that is stored for each URL: long texts are cut.
    pub(crate) fn quoted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.as_dict(py)?;
        dict.set_item("pattern", quoted(&self.pattern, MOST_QUOTED))?;
        dict.set_item("text", quoted(&self.text.0, MOST_QUOTED))?;
        Ok(dict)
    }
}

/// How many names of a group its `repr` shows.
const SHOWN_AGENTS: usize = 3;

/// The most names of a group that a stored verdict has.
pub(crate) const MOST_AGENTS: usize = 100;

/// A group: the robots that it applies to, and what it states.
///
/// >>> import goodbot
/// >>> group = goodbot.RobotsTxt(b"User-agent: a\nUser-agent: b\nDisallow: /").groups[0]
/// >>> group.agents, group.lines, [rule.text for rule in group.rules]
/// (['a', 'b'], [1, 2], ['Disallow: /'])
///
/// Source: RFC 9309 section 2.1.
#[pyclass(frozen, eq, hash, get_all, module = "goodbot")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Group {
    /// The values of its User-agent lines, a list of `str`.
    agents: Vec<String>,
    /// The numbers of those lines, a list of `int` from 1.
    lines: Vec<u32>,
    /// Its rules, a list of `Rule`; empty in a verdict's group.
    rules: Vec<Rule>,
    /// Its other known fields, a list of `(name, value, line)`; empty in a verdict's group. Some may
    /// apply to only some of its robots: see `RobotsTxt.field_groups`.
    fields: Vec<(String, String, u32)>,
}

impl From<verdict::GroupInfo> for Group {
    fn from(info: verdict::GroupInfo) -> Group {
        Group { agents: info.agents, lines: info.lines, rules: Vec::new(), fields: Vec::new() }
    }
}

impl From<core::Group> for Group {
    fn from(group: core::Group) -> Group {
        let fields = group.fields.into_iter();
        Group {
            rules: group.rules.into_iter().map(Rule::from).collect(),
            fields: fields.map(|(name, value, line)| (name.to_owned(), value, line)).collect(),
            ..Group::from(group.info)
        }
    }
}

#[pymethods]
impl Group {
    /// Return the robots of the group as a `dict`, for JSON.
    pub(crate) fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("agents", &self.agents)?;
        dict.set_item("lines", &self.lines)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let shown = self.agents.iter().take(SHOWN_AGENTS);
        let shown: Vec<_> = shown.map(|agent| quoted(agent, LONGEST_NAME)).collect();
        let more = self.agents.len().saturating_sub(SHOWN_AGENTS);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("<Group for {}{more}>", shown.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Group { agents, lines, rules, fields } = self.clone();
        pickled::reduced(py, "Group", (agents, lines, rules, fields))
    }
}

impl Group {
    /// Restores a group from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Group> {
        let (agents, lines, rules, fields): (_, _, Vec<Bound<'_, Rule>>, _) = parts.extract()?;
        let rules = rules.iter().map(|rule| rule.get().clone()).collect();
        Ok(Group { agents, lines, rules, fields })
    }

    /// Returns the group as a `dict` that is stored for each URL: long texts are cut.
    pub(crate) fn quoted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let agents: Vec<_> = self.agents.iter().map(|agent| quoted(agent, LONGEST_NAME)).collect();
        dict.set_item("agents", agents)?;
        dict.set_item("lines", &self.lines)?;
        Ok(dict)
    }
}

/// Something odd about a file, or about a question.
///
/// >>> import goodbot
/// >>> finding = goodbot.RobotsTxt(b"User-agent: *\nDisalow: /a").findings[0]
/// >>> finding.code, finding.line, finding.column, finding.severity
/// ('misspelt-field', 2, 1, 'warning')
///
/// The codes are stable; `goodbot.finding_codes()` lists them.
#[pyclass(frozen, eq, hash, get_all, module = "goodbot")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Finding {
    /// The kind of finding, a stable `str`.
    code: Cow<'static, str>,
    /// The number of the line, an `int` from 1; 0 if it is about the file as a whole.
    line: u32,
    /// The column in bytes, an `int` from 1; 0 if it is about the line as a whole.
    column: u32,
    /// What is odd, a sentence, a `str`.
    message: String,
    /// `"info"`, `"warning"` or `"error"`, a `str`.
    severity: Cow<'static, str>,
}

impl From<core::Finding> for Finding {
    fn from(finding: core::Finding) -> Finding {
        let core::Finding { code, line, column, message } = finding;
        let severity = code.severity().slug().into();
        Finding { code: code.slug().into(), line, column, message, severity }
    }
}

#[pymethods]
impl Finding {
    #[new]
    #[pyo3(signature = (code, severity, message, *, line = 0, column = 0))]
    fn new(code: String, severity: String, message: String, line: u32, column: u32) -> Finding {
        Finding { code: code.into(), line, column, message, severity: severity.into() }
    }

    /// Return the finding as a `dict`, for JSON.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("code", &self.code)?;
        dict.set_item("line", self.line)?;
        dict.set_item("column", self.column)?;
        dict.set_item("message", &self.message)?;
        dict.set_item("severity", &self.severity)?;
        Ok(dict)
    }

    fn __str__(&self) -> String {
        let Finding { code, line, column, message, severity } = self;
        match (line, column) {
            (0, _) => format!("{severity}: {message} [{code}]"),
            (_, 0) => format!("line {line}: {severity}: {message} [{code}]"),
            _ => format!("line {line}, column {column}: {severity}: {message} [{code}]"),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Finding {} line {}>", quoted(&self.code, LONGEST_NAME), self.line)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Finding { code, line, column, message, severity } = self;
        pickled::reduced(py, "Finding", (&**code, &**severity, message, *line, *column))
    }
}

impl Finding {
    /// Restores a finding from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Finding> {
        let (code, severity, message, line, column) = parts.extract()?;
        Ok(Finding::new(code, severity, message, line, column))
    }
}

/// A part of the day in UT, from one minute to another, past midnight if the end comes first.
///
/// >>> import datetime, goodbot
/// >>> night = goodbot.VisitTime.parse("1700-0459")
/// >>> night.start, night.end
/// (datetime.time(17, 0), datetime.time(4, 59))
/// >>> night.contains(datetime.time(23, 30)), night.contains(datetime.time(5, 0))
/// (True, False)
///
/// The last minute is included. Source: Conner 1996, Visit-time.
#[pyclass(frozen, eq, hash, module = "goodbot")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct VisitTime {
    inner: core::VisitTime,
}

impl From<core::VisitTime> for VisitTime {
    fn from(inner: core::VisitTime) -> VisitTime {
        VisitTime { inner }
    }
}

fn time(py: Python<'_>, time: core::TimeOfDay) -> PyResult<Bound<'_, PyAny>> {
    py.import("datetime")?.getattr("time")?.call1((time.hour, time.minute))
}

#[pymethods]
impl VisitTime {
    /// Parse `0600-0845` or `0600 0845`.
    ///
    /// Raises:
    ///     WrongValueError: The text is malformed.
    #[staticmethod]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<VisitTime> {
        let text = octets::text(text, "text", "0600-0845")?;
        core::VisitTime::read(text.trim()).map(VisitTime::from).ok_or_else(|| {
            let text = quoted(&text, LONGEST_NAME);
            WrongValueError::new_err(format!("{text:?} is not two times in UT such as 0600-0845"))
        })
    }

    /// The first minute, a `datetime.time` in UT.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        time(py, self.inner.start)
    }

    /// The last minute, a `datetime.time` in UT.
    #[getter]
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        time(py, self.inner.end)
    }

    /// Return whether a time of day in UT, a `datetime.time`, is within the window.
    fn contains(&self, time: &Bound<'_, PyAny>) -> PyResult<bool> {
        let part = |name: &str| time.getattr(name)?.extract::<u16>();
        let (Ok(hour), Ok(minute)) = (part("hour"), part("minute")) else {
            let given = time.get_type().name()?;
            return Err(WrongTypeError::new_err(format!(
                "time must be a datetime.time in UT such as time(6, 30), not {given}"
            )));
        };
        Ok(self.inner.contains(hour * 60 + minute))
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<VisitTime {}>", self.inner)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pickled::reduced(py, "VisitTime", plain_window(self.inner))
    }
}

impl VisitTime {
    /// Restores a part of the day from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<VisitTime> {
        Ok(VisitTime { inner: window_of(parts.extract()?) })
    }
}

/// The hours and minutes of a part of the day.
type PlainWindow = (u8, u8, u8, u8);

fn plain_window(window: core::VisitTime) -> PlainWindow {
    (window.start.hour, window.start.minute, window.end.hour, window.end.minute)
}

fn window_of((hour, minute, end_hour, end_minute): PlainWindow) -> core::VisitTime {
    let start = core::TimeOfDay { hour, minute };
    core::VisitTime { start, end: core::TimeOfDay { hour: end_hour, minute: end_minute } }
}

/// At most this many documents in this many seconds, perhaps only in a part of the day.
///
/// >>> import goodbot
/// >>> rate = goodbot.RequestRate.parse("1/10m 1300-1659")
/// >>> rate.documents, rate.seconds, rate.interval, str(rate.window)
/// (1, 600, 600.0, '13:00-16:59 UT')
///
/// Source: Conner 1996, Request-rate.
#[pyclass(frozen, eq, hash, module = "goodbot")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RequestRate {
    inner: core::RequestRate,
}

impl From<core::RequestRate> for RequestRate {
    fn from(inner: core::RequestRate) -> RequestRate {
        RequestRate { inner }
    }
}

#[pymethods]
impl RequestRate {
    /// Parse `10/60`, `10/10m`, `20/1h`, each perhaps followed by a window such as `1300-1659`.
    ///
    /// Raises:
    ///     WrongValueError: The text is malformed.
    #[staticmethod]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<RequestRate> {
        let text = octets::text(text, "text", "1/10m")?;
        core::RequestRate::read(text.trim()).map(RequestRate::from).ok_or_else(|| {
            let text = quoted(&text, LONGEST_NAME);
            WrongValueError::new_err(format!(
                "{text:?} is not documents/time such as 1/10, 10/10m or 1/10m 1300-1659"
            ))
        })
    }

    /// How many documents, an `int` from 1.
    #[getter]
    fn documents(&self) -> u32 {
        self.inner.documents
    }

    /// In how many seconds, an `int` from 1.
    #[getter]
    fn seconds(&self) -> u64 {
        self.inner.seconds
    }

    /// Seconds from one document to the next, a `float`.
    #[getter]
    #[expect(clippy::cast_precision_loss, reason = "seconds have at most 52 bits")]
    fn interval(&self) -> f64 {
        self.inner.seconds as f64 / f64::from(self.inner.documents)
    }

    /// The part of the day in which it applies, a `VisitTime`; `None` if always.
    #[getter]
    fn window(&self) -> Option<VisitTime> {
        self.inner.window.map(VisitTime::from)
    }

    /// Whether it may apply at other times, or not at all, a `bool`: its times cannot be parsed, or only
    /// one reading of a file with guesses has it. It must not replace any other pace.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RequestRate.parse("1/10m at night").doubtful
    /// True
    #[getter]
    fn doubtful(&self) -> bool {
        self.inner.doubtful
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<RequestRate {}>", self.inner)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let core::RequestRate { documents, seconds, window, doubtful } = self.inner;
        let parts = (documents, seconds, window.map(plain_window), doubtful);
        pickled::reduced(py, "RequestRate", parts)
    }
}

impl RequestRate {
    /// Restores a rate from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<RequestRate> {
        let (documents, seconds, window, doubtful) = parts.extract()?;
        let window: Option<PlainWindow> = window;
        let window = window.map(window_of);
        Ok(RequestRate { inner: core::RequestRate { documents, seconds, window, doubtful } })
    }
}

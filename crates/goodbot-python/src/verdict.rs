//! Verdicts: the answer with its reason and the line that decided.

use std::borrow::Cow;

use goodbot_core::verdict::REASONS;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::pickled::{self, hash_of};
use crate::rules_object::Rules;
use crate::values::{Group, MOST_AGENTS, Rule};

/// The verdict on a URL: whether a robot may fetch it, and which rule says so.
///
/// It is truthy if the URL is allowed, and `str()` turns it into a sentence.
///
/// >>> import goodbot
/// >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
/// >>> verdict = robots.verdict("https://example.com/private/a", "ExampleBot")
/// >>> bool(verdict), verdict.reason, verdict.rule.line, verdict.group.agents
/// (False, 'rule-disallows', 2, ['*'])
/// >>> print(verdict)
/// Disallowed: line 2, "Disallow: /private", is the longest match (group *; dialect rfc9309).
///
/// Source: RFC 9309 section 2.2.2, or the documents of the dialect.
#[pyclass(frozen, module = "goodbot")]
pub(crate) struct Verdict {
    inner: goodbot_core::Verdict,
    rules: Py<Rules>,
    /// The URL as the caller passed it: not every URL is text.
    url: Vec<u8>,
}

impl Verdict {
    pub(crate) fn new(rules: Py<Rules>, url: &[u8]) -> Verdict {
        Verdict { inner: rules.get().inner.verdict(url), rules, url: url.to_vec() }
    }
}

#[pymethods]
impl Verdict {
    /// Whether the robot may fetch the URL, a `bool`.
    #[getter]
    fn allowed(&self) -> bool {
        self.inner.allowed
    }

    /// Why, a stable `str`; `goodbot.reasons()` lists them.
    #[getter]
    fn reason(&self) -> &'static str {
        self.inner.reason.slug()
    }

    /// The rule that decided, a `Rule`, or `None`.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        self.inner.rule.clone().map(Rule::from)
    }

    /// The group of the rule, or the first group that was obeyed: a `Group`, or `None`.
    #[getter]
    fn group(&self) -> Option<Group> {
        self.inner.group.as_ref().map(|group| Group::from(group.info(usize::MAX)))
    }

    /// The source of the verdict, a `str`: `robots.txt line 7`, or `robots.txt`.
    #[getter]
    fn source(&self) -> String {
        match &self.inner.rule {
            Some(rule) => format!("robots.txt line {}", rule.line),
            None => "robots.txt".to_owned(),
        }
    }

    /// The name of the dialect, a `str`.
    #[getter]
    fn dialect(&self) -> &str {
        &self.inner.dialect.name
    }

    /// The robot, as the caller named it, a `str`.
    #[getter]
    fn robot(&self) -> &str {
        &self.inner.robot
    }

    /// The URL, as the caller passed it, a `str`.
    #[getter]
    fn url(&self) -> &str {
        &self.inner.url
    }

    /// Every rule that matched, starting with the one that decides: a list of `Considered`.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /\nAllow: /a").rules_for("ExampleBot")
    /// >>> for considered in rules.verdict("/a/b").considered:
    /// ...     print(considered.rule.text, "|", considered.why)
    /// Allow: /a | it is the longest match
    /// Disallow: / | a longer rule matches
    #[getter]
    fn considered(&self) -> Vec<Considered> {
        let rules = self.rules.get();
        let list = rules.inner.considered(&self.url);
        list.into_iter()
            .map(|one| Considered {
                rule: one.rule.into(),
                decides: one.decides,
                why: one.why.into(),
            })
            .collect()
    }

    /// Return the verdict as a `dict` of plain values, for JSON.
    ///
    /// It has the first 256 bytes of a long rule and the first 100 names of a large group.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RobotsTxt(b"").verdict("/a", "ExampleBot").as_dict()["reason"]
    /// 'no-group'
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("url", self.url())?;
        dict.set_item("robot", self.robot())?;
        dict.set_item("allowed", self.allowed())?;
        dict.set_item("reason", self.reason())?;
        dict.set_item("source", self.source())?;
        dict.set_item("rule", self.rule().map(|rule| rule.quoted(py)).transpose()?)?;
        let group = self.inner.group.as_ref().map(|group| Group::from(group.info(MOST_AGENTS)));
        dict.set_item("group", group.map(|group| group.quoted(py)).transpose()?)?;
        dict.set_item("dialect", self.dialect())?;
        Ok(dict)
    }

    fn __bool__(&self) -> bool {
        self.inner.allowed
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (self.rules.clone_ref(py), PyBytes::new(py, &self.url));
        pickled::reduced(py, "Verdict", parts)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Verdict>().is_ok_and(|other| {
            let other = other.get();
            self.url == other.url
                && self.inner == other.inner
                && self.considered() == other.considered()
        })
    }

    fn __hash__(&self) -> u64 {
        let line = self.inner.rule.as_ref().map(|rule| rule.line);
        hash_of(&(&self.url, &self.inner.robot, self.inner.reason, line))
    }

    /// Return the verdict as HTML, which notebooks display.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("goodbot.display")?.getattr("verdict_html")?.call1((slf,))
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        let allowed = if self.inner.allowed { "allowed" } else { "disallowed" };
        format!("<Verdict {allowed}: {}, {}>", self.reason(), self.source())
    }
}

impl Verdict {
    /// Restores a verdict from its pickle, by checking the same URL against the same rules.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Verdict> {
        let (rules, url): (_, Bound<'_, PyBytes>) = parts.extract()?;
        Ok(Verdict::new(rules, url.as_bytes()))
    }
}

/// A rule that matched a URL, and whether it decided or lost.
///
/// >>> import goodbot
/// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot")
/// >>> rules.verdict("/a").considered
/// [<Considered decides: it is the longest match>]
#[pyclass(frozen, eq, hash, get_all, module = "goodbot")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Considered {
    /// The rule, a `Rule`.
    rule: Rule,
    /// Whether it decided, a `bool`.
    decides: bool,
    /// Why it decided or lost, a `str`.
    why: Cow<'static, str>,
}

#[pymethods]
impl Considered {
    fn __repr__(&self) -> String {
        let fared = if self.decides { "decides" } else { "loses" };
        format!("<Considered {fared}: {}>", self.why)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pickled::reduced(py, "Considered", (self.rule.clone(), self.decides, &*self.why))
    }
}

impl Considered {
    /// Restores a considered rule from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Considered> {
        let (rule, decides, why): (Bound<'_, Rule>, _, String) = parts.extract()?;
        Ok(Considered { rule: rule.get().clone(), decides, why: why.into() })
    }
}

/// Return every reason that a verdict can have: a list of `(slug, meaning)`.
///
/// >>> import goodbot
/// >>> dict(goodbot.reasons())["no-group"]
/// 'No group matches the robot, and there is no group for `*`.'
#[pyfunction]
pub(crate) fn reasons() -> Vec<(&'static str, &'static str)> {
    REASONS.iter().map(|(_, slug, meaning)| (*slug, meaning.trim())).collect()
}

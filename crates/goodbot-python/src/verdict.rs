//! Verdicts: the answer with its reason and the line that decided.

use std::borrow::Cow;

use goodbot_core::address::escaped;
use goodbot_core::robots_txt::Decision;
use goodbot_core::target::Scratch;
use goodbot_core::verdict::REASONS;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::pickled::{self, hash_of};
use crate::rules_object::Rules;
use crate::values::{Group, MOST_AGENTS, Rule};

/// The verdict on a URL: whether a robot may fetch it, and who says so.
///
/// It is truthy if the URL is allowed, and `str()` turns it into a sentence. `goodbot.verdict` gives
/// it, and everything that asks on behalf of a robot; `RobotsTxt.verdict` and `Rules.verdict` give the
/// literal one, of one file and one name.
///
/// >>> import goodbot
/// >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
/// >>> verdict = goodbot.verdict(robots, "https://example.com/private/a", "ExampleBot")
/// >>> bool(verdict), verdict.reason, verdict.rule.line, verdict.group.agents
/// (False, 'rule-disallows', 2, ['*'])
/// >>> print(verdict)
/// Disallowed: line 2, "Disallow: /private", is the longest match (group *; dialect rfc9309).
///
/// Source: RFC 9309 section 2.2.2, or the documents of the dialect.
#[pyclass(frozen, module = "goodbot")]
pub(crate) struct Verdict {
    by: By,
    /// The URL as the caller passed it: not every URL is text.
    url: Vec<u8>,
    /// The spelling of it that was compared, if that is another one.
    spelling: Option<Vec<u8>>,
    /// Who was asked for which robot (`goodbot.grounds.Grounds`); `None` if the verdict is literal.
    grounds: Option<Py<PyAny>>,
    /// The number of the judge that gave it; `None` if it is literal or was restored.
    judge: Option<u64>,
}

/// The judge, which of its rules decided (the address, which none of its other rules has), and how.
type Basis<'a> = (u64, usize, u8, Option<u32>, &'a str);

/// What a verdict rests on.
enum By {
    /// Rules of a file. The words are found when they are asked for.
    Rules { rules: Py<Rules>, decision: Decision },
    /// A statement on every URL, such as that of a status.
    Statement { allowed: bool, reason: String },
}

impl Verdict {
    /// Returns the literal verdict of rules.
    pub(crate) fn new(rules: Py<Rules>, url: &[u8]) -> Verdict {
        let decision = rules.get().inner.decide(url, &mut Scratch::default());
        Verdict {
            by: By::Rules { rules, decision },
            url: url.to_vec(),
            spelling: None,
            grounds: None,
            judge: None,
        }
    }

    /// Returns the verdict as that of a judge.
    pub(crate) fn by_judge(self, number: u64) -> Verdict {
        Verdict { judge: Some(number), ..self }
    }

    /// Returns the verdict of rules that were asked on grounds, about a spelling of a URL.
    pub(crate) fn of_rules(
        rules: Py<Rules>,
        decision: Decision,
        url: &[u8],
        spelling: &[u8],
        grounds: Py<PyAny>,
    ) -> Verdict {
        let spelling = (spelling != url).then(|| spelling.to_vec());
        Verdict {
            by: By::Rules { rules, decision },
            url: url.to_vec(),
            spelling,
            grounds: Some(grounds),
            judge: None,
        }
    }

    /// Returns a verdict that is the same for every URL.
    pub(crate) fn stated(allowed: bool, reason: String, url: &[u8], grounds: Py<PyAny>) -> Verdict {
        let by = By::Statement { allowed, reason };
        Verdict { by, url: url.to_vec(), spelling: None, grounds: Some(grounds), judge: None }
    }

    /// The URL that the rules were compared with.
    fn compared(&self) -> &[u8] {
        self.spelling.as_ref().unwrap_or(&self.url)
    }

    /// The literal verdict in words, if rules decided.
    fn explained(&self) -> Option<goodbot_core::Verdict> {
        match &self.by {
            By::Rules { rules, decision } => {
                Some(rules.get().inner.explain(self.compared(), *decision))
            }
            By::Statement { .. } => None,
        }
    }

    /// Whether the robot may fetch the URL.
    pub(crate) fn outcome(&self) -> bool {
        match &self.by {
            By::Rules { decision, .. } => decision.allowed,
            By::Statement { allowed, .. } => *allowed,
        }
    }

    fn slug(&self) -> &str {
        match &self.by {
            By::Rules { decision, .. } => decision.reason.slug(),
            By::Statement { reason, .. } => reason,
        }
    }

    /// Returns an attribute of the grounds; `None` if the verdict is literal.
    fn ground<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, pyo3::types::PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.grounds.as_ref().map(|grounds| grounds.bind(py).getattr(name)).transpose()
    }
}

#[pymethods]
impl Verdict {
    /// Whether the robot may fetch the URL, a `bool`.
    #[getter]
    fn allowed(&self) -> bool {
        self.outcome()
    }

    /// Why, a stable `str`: of `goodbot.reasons()` if a file decides, of `goodbot.policy.reasons()` if
    /// the result of the request for it does, of `goodbot.policy.HOLD_REASONS` if the operator of the
    /// robot does, `ignores-star` if only the group for `*` could apply and the robot ignores it, and
    /// `unknown` if nothing is known of the time that was asked about.
    #[getter]
    fn reason(&self) -> &str {
        self.slug()
    }

    /// The rule that decided, a `Rule`, or `None`.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        self.explained()?.rule.map(Rule::from)
    }

    /// The group of the rule, or the first group that was obeyed: a `Group`, or `None`.
    #[getter]
    fn group(&self) -> Option<Group> {
        self.explained()?.group.map(|group| Group::from(group.info(usize::MAX)))
    }

    /// The source of the verdict, a `str`: `robots.txt line 7`, `robots.txt`, or the result of the
    /// request for it.
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<String> {
        match &self.by {
            By::Rules { decision, .. } if decision.line != 0 => {
                Ok(format!("robots.txt line {}", decision.line))
            }
            By::Rules { .. } => Ok("robots.txt".to_owned()),
            By::Statement { .. } => self
                .ground(py, intern!(py, "source"))?
                .map_or_else(|| Ok(String::new()), |source| source.extract()),
        }
    }

    /// The name of the dialect, a `str`.
    #[getter]
    fn dialect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.ground(py, intern!(py, "dialect"))? {
            Some(dialect) => Ok(dialect),
            None => match &self.by {
                By::Rules { rules, .. } => {
                    Ok((&*rules.get().inner.dialect().name).into_pyobject(py)?.into_any())
                }
                By::Statement { .. } => Ok(intern!(py, "").clone().into_any()),
            },
        }
    }

    /// The robot, as the caller named it, a `str`.
    #[getter]
    fn robot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.ground(py, intern!(py, "robot"))? {
            Some(robot) => Ok(robot),
            None => match &self.by {
                By::Rules { rules, .. } => {
                    Ok(rules.get().inner.robot().into_pyobject(py)?.into_any())
                }
                By::Statement { .. } => Ok(intern!(py, "").clone().into_any()),
            },
        }
    }

    /// The URL, as the caller passed it, a `str`.
    #[getter]
    fn url(&self) -> Cow<'_, str> {
        match (std::str::from_utf8(&self.url), &self.grounds) {
            (Ok(text), _) => text.into(),
            (Err(_), None) => String::from_utf8_lossy(&self.url),
            (Err(_), Some(_)) => escaped(&self.url).into(), // as it would be sent
        }
    }

    /// Until when the verdict may be used without asking the site again: a `datetime` in UTC, or `None`
    /// if that is not known, as for a file.
    #[getter]
    fn until<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.ground(py, intern!(py, "until"))
    }

    /// What the policy of the site allows, a `str`: `rules`, `allow-all`, `disallow-all` or `defer`;
    /// `rules` for a file.
    #[getter]
    fn access<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self
            .ground(py, intern!(py, "access"))?
            .unwrap_or_else(|| intern!(py, "rules").clone().into_any()))
    }

    /// The reason for that, a `str` of `goodbot.policy.reasons()`; empty for a file.
    #[getter]
    fn policy_reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self
            .ground(py, intern!(py, "policy_reason"))?
            .unwrap_or_else(|| intern!(py, "").clone().into_any()))
    }

    /// The result of the request for robots.txt in words, a `str`; empty for a file.
    #[getter]
    fn said<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self
            .ground(py, intern!(py, "said"))?
            .unwrap_or_else(|| intern!(py, "").clone().into_any()))
    }

    /// When to request robots.txt again if the request failed: a `datetime` in UTC, or `None`.
    #[getter]
    fn retry_at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.ground(py, intern!(py, "retry_at"))
    }

    /// Whether someone decided this, a `bool`; false if nothing is allowed because nobody answered.
    #[getter]
    fn is_answer(&self, py: Python<'_>) -> PyResult<bool> {
        if self.outcome() {
            return Ok(true);
        }
        self.ground(py, intern!(py, "is_answer"))?.map_or(Ok(true), |answer| answer.extract())
    }

    /// The name of the known robot, a `str`, or `None` if it is not a known one.
    #[getter]
    fn known_robot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.ground(py, intern!(py, "known_robot"))
    }

    /// The product token whose group a known robot obeys, a `str`; `None` if no group names any of its
    /// tokens, or it is not a known robot.
    #[getter]
    fn token<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.ground(py, intern!(py, "token"))
    }

    /// The product tokens that the robot looked for, in this order: a `tuple` of `str`; empty if the
    /// verdict is literal.
    #[getter]
    fn tried<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.ground(py, intern!(py, "tried"))?.unwrap_or_else(|| PyTuple::empty(py).into_any()))
    }

    /// Whether a known robot is said to obey robots.txt, a `bool`; `None` if that is not known.
    #[getter]
    fn obeys<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.ground(py, intern!(py, "obeys"))
    }

    /// The literal verdict of the rules that decided, a `Verdict`; `None` if no file did.
    #[getter]
    fn rules(slf: &Bound<'_, Self>) -> PyResult<Option<Py<Verdict>>> {
        let (py, this) = (slf.py(), slf.get());
        match &this.by {
            By::Rules { .. } if this.grounds.is_none() => Ok(Some(slf.clone().unbind())),
            By::Rules { rules, decision } => {
                let by = By::Rules { rules: rules.clone_ref(py), decision: *decision };
                let url = this.compared().to_vec();
                Ok(Some(Py::new(
                    py,
                    Verdict { by, url, spelling: None, grounds: None, judge: None },
                )?))
            }
            By::Statement { .. } => Ok(None),
        }
    }

    /// What verdicts have in common that differ only in their URL: a hashable value, which keeps
    /// nothing alive; `None` if that is not known.
    #[getter]
    fn _basis(&self) -> Option<Basis<'_>> {
        let judge = self.judge?;
        Some(match &self.by {
            By::Rules { rules, decision } => {
                let (reading, place, reason) = decision.basis();
                (judge, rules.as_ptr() as usize, reading, place, reason.slug())
            }
            By::Statement { reason, .. } => (judge, 0, 0, None, reason),
        })
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
        let By::Rules { rules, .. } = &self.by else { return Vec::new() };
        let list = rules.get().inner.considered(self.compared());
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
    fn as_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(grounds) = &this.grounds {
            return grounds.bind(py).call_method1("as_dict", (slf,));
        }
        let explained = this.explained();
        let rule = explained.as_ref().and_then(|one| one.rule.clone()).map(Rule::from);
        let group =
            explained.and_then(|one| one.group).map(|group| Group::from(group.info(MOST_AGENTS)));
        let dict = PyDict::new(py);
        dict.set_item("url", this.url())?;
        dict.set_item("robot", this.robot(py)?)?;
        dict.set_item("allowed", this.allowed())?;
        dict.set_item("reason", this.reason())?;
        dict.set_item("source", this.source(py)?)?;
        dict.set_item("rule", rule.map(|rule| rule.quoted(py)).transpose()?)?;
        dict.set_item("group", group.map(|group| group.quoted(py)).transpose()?)?;
        dict.set_item("dialect", this.dialect(py)?)?;
        Ok(dict.into_any())
    }

    fn __bool__(&self) -> bool {
        self.outcome()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let url = PyBytes::new(py, &self.url);
        let spelling = self.spelling.as_ref().map(|one| PyBytes::new(py, one));
        let grounds = self.grounds.as_ref().map(|one| one.clone_ref(py));
        match (&self.by, grounds) {
            (By::Rules { rules, .. }, None) => {
                pickled::reduced(py, "Verdict", (rules.clone_ref(py), url))
            }
            (By::Rules { rules, .. }, grounds) => {
                pickled::reduced(py, "Verdict", (rules.clone_ref(py), url, spelling, grounds))
            }
            (By::Statement { allowed, reason }, grounds) => {
                pickled::reduced(py, "Verdict", (*allowed, reason, url, grounds))
            }
        }
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        let Ok(other) = other.cast::<Verdict>() else { return Ok(false) };
        let other = other.get();
        let grounds = match (&self.grounds, &other.grounds) {
            (None, None) => true,
            (Some(one), Some(two)) => one.bind(py).eq(two)?,
            _ => false,
        };
        Ok(grounds
            && self.url == other.url
            && self.compared() == other.compared()
            && (self.outcome(), self.slug()) == (other.outcome(), other.slug())
            && self.explained() == other.explained()
            && self.considered() == other.considered())
    }

    fn __hash__(&self) -> u64 {
        let line = match &self.by {
            By::Rules { decision, .. } => decision.line,
            By::Statement { .. } => 0,
        };
        hash_of(&(&self.url, self.slug(), line))
    }

    /// Return the verdict as HTML, which notebooks display.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("goodbot.display")?.getattr("verdict_html")?.call1((slf,))
    }

    fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = slf.get();
        match &this.grounds {
            Some(grounds) => grounds.bind(slf.py()).call_method1("sentence", (slf,))?.extract(),
            None => Ok(this.explained().map_or_else(String::new, |one| one.to_string())),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let allowed = if self.outcome() { "allowed" } else { "disallowed" };
        let cut = |text: &str, most: usize| match text.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        let (reason, source) =
            (cut(self.slug(), LONGEST_REASON), cut(&self.source(py)?, LONGEST_SOURCE));
        Ok(format!("<Verdict {allowed}: {reason}, {source}>"))
    }
}

/// The most characters of a reason and of a source that a `repr` shows.
const LONGEST_REASON: usize = 60;
const LONGEST_SOURCE: usize = 200;

impl Verdict {
    /// Restores a verdict from its pickle; that of rules by checking the same URL against them.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Verdict> {
        let py = parts.py();
        if parts.len() == 2 {
            let (rules, url): (_, Bound<'_, PyBytes>) = parts.extract()?;
            return Ok(Verdict::new(rules, url.as_bytes()));
        }
        if let Ok((allowed, reason, url, grounds)) =
            parts.extract::<(bool, String, Bound<'_, PyBytes>, Py<PyAny>)>()
        {
            return Ok(Verdict::stated(allowed, reason, url.as_bytes(), grounds));
        }
        let (rules, url, spelling, grounds): (
            Py<Rules>,
            Bound<'_, PyBytes>,
            Option<Bound<'_, PyBytes>>,
            Py<PyAny>,
        ) = parts.extract()?;
        let spelling = spelling.as_ref().unwrap_or(&url).as_bytes();
        let decision = rules.get().inner.decide(spelling, &mut Scratch::default());
        Ok(Verdict::of_rules(rules.clone_ref(py), decision, url.as_bytes(), spelling, grounds))
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

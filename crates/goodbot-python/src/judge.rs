//! What one robot may fetch, according to one source: asked for many URLs.

use std::sync::atomic::{AtomicU64, Ordering};

use goodbot_core::robots_txt::Decision;
use goodbot_core::spellings::Spellings;
use goodbot_core::target::Scratch;
use goodbot_core::verdict::Reason;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::errors::OtherOriginError;
use crate::octets;
use crate::rules_object::Rules;
use crate::verdict::Verdict;

/// Judges URLs for one robot by one source (`goodbot.bots.asking` makes it).
///
/// Args:
///     grounds: Who was asked for which robot, a `goodbot.grounds.Grounds`.
///     readings: The `Rules` that must all allow a URL; empty if the statement decides.
///     statement: Without readings, the verdict on every URL: a `bool` and the reason.
///     itself: With a statement, `Rules` of an empty file, which still allow `/robots.txt` itself.
///     origin: The origin that URLs must be of; `None` for a file, which is asked about paths, too.
///
/// A URL is judged as it is sent and, if that is another spelling, as it is written: either can
/// disallow.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct Judge {
    grounds: Py<PyAny>,
    readings: Vec<Py<Rules>>,
    statement: Option<(bool, String)>,
    itself: Option<Py<Rules>>,
    origin: Option<String>,
    /// The number of the judge, which no other one in the process ever has.
    number: u64,
}

/// How many judges there were.
static JUDGES: AtomicU64 = AtomicU64::new(0);

#[pymethods]
impl Judge {
    #[new]
    #[pyo3(signature = (grounds, readings, statement = None, itself = None, origin = None))]
    fn new(
        grounds: Py<PyAny>,
        readings: Vec<Py<Rules>>,
        statement: Option<(bool, String)>,
        itself: Option<Py<Rules>>,
        origin: Option<String>,
    ) -> Judge {
        let number = JUDGES.fetch_add(1, Ordering::Relaxed);
        Judge { grounds, readings, statement, itself, origin, number }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let readings: Vec<Py<Rules>> = this.readings.iter().map(|one| one.clone_ref(py)).collect();
        let itself = this.itself.as_ref().map(|one| one.clone_ref(py));
        let parts = (
            this.grounds.clone_ref(py),
            readings,
            this.statement.clone(),
            itself,
            this.origin.clone(),
        );
        (slf.get_type(), parts).into_pyobject(py)
    }

    /// Return the verdict on a URL.
    fn verdict(&self, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        self.judge(url)
    }

    /// Return for each of many URLs whether `verdict` allows it: a list of `bool`.
    fn allows_many(&self, urls: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let mut scratch = Scratch::default();
        let mut answers = Vec::new();
        for url in urls.try_iter()? {
            let url = url?;
            answers.push(
                self.ask(&url, |_, spellings| self.decide(spellings, &mut scratch).allowed())?,
            );
        }
        Ok(answers)
    }
}

/// What decides on a URL.
enum Decided<'a> {
    /// Rules, with the spelling that they were compared with.
    ByRules(&'a Py<Rules>, Decision, &'a [u8]),
    /// It is the URL of `/robots.txt`, which a statement does not concern.
    Itself,
    /// The statement: whether every URL is allowed, and why.
    Stated(bool, &'a str),
}

impl Decided<'_> {
    fn allowed(&self) -> bool {
        match self {
            Decided::ByRules(_, decision, _) => decision.allowed,
            Decided::Itself => true,
            Decided::Stated(allowed, _) => *allowed,
        }
    }
}

impl Judge {
    pub(crate) fn judge(&self, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let py = url.py();
        self.ask(url, |octets, spellings| self.explain(py, octets, spellings))
    }

    /// Calls `question` with the bytes and the spellings of a URL of the origin.
    fn ask<R>(
        &self,
        url: &Bound<'_, PyAny>,
        question: impl FnOnce(&[u8], &Spellings<'_>) -> R,
    ) -> PyResult<R> {
        if self.origin.is_some() && url.cast::<PyString>().is_ok_and(|text| text.to_str().is_err())
        {
            return Err(no_origin(url)?); // a lone surrogate cannot be sent
        }
        let found = octets::with(url, "url", |octets| {
            let spellings = Spellings::of(octets);
            match (&self.origin, &spellings.origin) {
                (Some(_), Err(_)) => return Err(None),
                (Some(own), Ok(other)) if own != other => return Err(Some(other.to_string())),
                _ => {}
            }
            Ok(question(octets, &spellings))
        })?;
        match found {
            Ok(answer) => Ok(answer),
            Err(None) => Err(no_origin(url)?),
            Err(Some(other)) => Err(OtherOriginError::new_err(format!(
                "this is the policy of {}, and the URL is of {other}; make a policy of \
                 {other}/robots.txt and use that",
                self.origin.as_deref().unwrap_or_default()
            ))),
        }
    }

    /// Returns what decides on a URL.
    fn decide<'a>(&'a self, spellings: &'a Spellings<'_>, scratch: &mut Scratch) -> Decided<'a> {
        let mut decided = None;
        for rules in &self.readings {
            let (decision, spelling) = rules.get().inner.decide_spellings(spellings, scratch);
            if decided.is_none() || !decision.allowed {
                decided = Some(Decided::ByRules(rules, decision, spelling));
            }
            if !decision.allowed {
                break;
            }
        }
        decided.unwrap_or_else(|| {
            let is_itself = self.itself.as_ref().is_some_and(|rules| {
                let decision = rules.get().inner.decide(&spellings.sent, scratch);
                decision.reason == Reason::RobotsTxtItself
            });
            match &self.statement {
                _ if is_itself => Decided::Itself,
                Some((allowed, reason)) => Decided::Stated(*allowed, reason),
                None => Decided::Stated(false, ""),
            }
        })
    }

    fn explain(&self, py: Python<'_>, url: &[u8], spellings: &Spellings<'_>) -> Verdict {
        let grounds = self.grounds.clone_ref(py);
        match self.decide(spellings, &mut Scratch::default()) {
            Decided::ByRules(rules, decision, spelling) => {
                Verdict::of_rules(rules.clone_ref(py), decision, url, spelling, grounds)
            }
            Decided::Itself => {
                Verdict::stated(true, Reason::RobotsTxtItself.slug().to_owned(), url, grounds)
            }
            Decided::Stated(allowed, reason) => {
                Verdict::stated(allowed, reason.to_owned(), url, grounds)
            }
        }
        .by_judge(self.number)
    }
}

/// Returns the error for a URL without an origin.
fn no_origin(url: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let py = url.py();
    let text = if let Ok(text) = url.cast::<PyString>() {
        text.clone().into_any()
    } else {
        let octets = PyBytes::new(py, &octets::owned(url, "url")?);
        py.import("goodbot.http.address")?.getattr("url_text")?.call1((octets,))?
    };
    match py.import("goodbot.http.address")?.getattr("address_of")?.call1((text,)) {
        Err(error) => Ok(error),
        Ok(_) => Ok(crate::errors::NoOriginError::new_err("the URL has no origin")),
    }
}

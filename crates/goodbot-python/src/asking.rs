//! One question for every source: answered by the judge that the source keeps, or by `goodbot.bots.asking`.

use pyo3::PyTypeCheck;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::judge::Judge;
use crate::judges_by_time::JudgesByTime;
use crate::robots_txt::RobotsTxt;
use crate::times;
use crate::verdict::Verdict;

/// Return whether a robot may fetch a URL, and who says so: a `Verdict`.
///
/// A known robot is read as its operator says: whose group it obeys if it has none of its own, what it
/// makes an exception of, and in which dialect. Any other robot obeys the group of its name, or else
/// the one for `*`. The URL is judged as it is sent and as it is written: either can disallow.
/// `RobotsTxt.verdict` and `Rules.verdict` are literal: one file, one name, one spelling.
///
/// Args:
///     source: A `RobotsTxt`, a `Policy`, or a `goodbot.policy.PolicyTimeline`.
///     url: A URL, `str` or `bytes`; with a `RobotsTxt`, a path that begins with `/` is enough.
///     robot: A product token, a whole User-Agent string, or a robot of `goodbot.bots`.
///     at: The time that is asked about, an aware `datetime`. A timeline needs it; a policy permits
///         nothing beyond its `fresh_until`; for a file it means nothing.
///     dialect: The name of a dialect, or a `Dialect`. By default that of the known robot; if that is
///         not known, that of the source.
///
/// Raises:
///     RobotNameError: `robot` is empty, or looks like a URL.
///     WrongTypeError: `source`, `url`, `robot` or `at` is something else.
///     WrongValueError: `at` is naive, or missing for a timeline.
///     NoOriginError: With a policy or a timeline, the URL is not absolute.
///     OtherOriginError: With a policy or a timeline, the URL is of another site.
///     UnknownDialectError: There is no dialect of this name.
///
/// >>> import goodbot
/// >>> robots = goodbot.RobotsTxt(b"User-agent: Googlebot\nDisallow: /drafts")
/// >>> print(goodbot.verdict(robots, "https://example.com/drafts/a", "Googlebot-News"))
/// Disallowed: line 2, "Disallow: /drafts", is the longest match (group Googlebot; dialect google). Googlebot-News has no group; Google then uses Googlebot's.
///
/// Source: RFC 9309 sections 2.2.1 and 2.2.2, and the documents of the robot's operator.
#[pyfunction]
#[pyo3(signature = (source, url, robot, at = None, *, dialect = None))]
pub(crate) fn verdict<'py>(
    source: &Bound<'py, PyAny>,
    url: &Bound<'py, PyAny>,
    robot: &Bound<'py, PyAny>,
    at: Option<&Bound<'py, PyAny>>,
    dialect: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = source.py();
    if dialect.is_none()
        && let Some(verdict) = verdict_of_kept(source, url, robot, at)?
    {
        return Ok(Bound::new(py, verdict)?.into_any());
    }
    let asking = py.import(intern!(py, "goodbot.bots.asking"))?;
    asking.getattr(intern!(py, "ask"))?.call1((source, url, robot, at, dialect))
}

/// Return the verdict for a robot that is about to fetch under its name (`Policy.may_fetch`).
#[pyfunction]
pub(crate) fn verdict_as_fetcher<'py>(
    policy: &Bound<'py, PyAny>,
    url: &Bound<'py, PyAny>,
    robot: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = policy.py();
    if robot.is_exact_instance_of::<PyString>()
        && let Some(kept) = attribute(policy, intern!(py, "_fetchers"))?
        && let Some(judge) = judge_in(&kept, robot)?
    {
        return Ok(Bound::new(py, judge.get().judge(url)?)?.into_any());
    }
    let asking = py.import(intern!(py, "goodbot.bots.asking"))?;
    asking.getattr(intern!(py, "ask_as_fetcher"))?.call1((policy, url, robot))
}

/// Returns the verdict of the judge that a source keeps for a robot, if it keeps one.
fn verdict_of_kept(
    source: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    robot: &Bound<'_, PyAny>,
    at: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Verdict>> {
    if !robot.is_exact_instance_of::<PyString>() {
        return Ok(None);
    }
    let py = source.py();
    let judge = match (source.cast::<RobotsTxt>(), at) {
        // What is no time is an error, also where the time means nothing.
        (Ok(_), Some(at)) if times::instant(at).is_none() => None,
        (Ok(file), _) => judge_in(&file.get().judges(py), robot)?,
        (Err(_), None) => match attribute(source, intern!(py, "_judges"))? {
            Some(kept) => judge_in(&kept, robot)?,
            None => None,
        },
        (Err(_), Some(at)) => {
            let kept = attribute::<JudgesByTime>(source, intern!(py, "_judges_by_time"))?;
            let Some(kept) = kept else { return Ok(None) };
            let judge = kept.get().find(at, robot)?;
            return judge.map(|judge| judge.get().verdict(url)).transpose();
        }
    };
    judge.map(|judge| judge.get().judge(url)).transpose()
}

/// Returns an attribute of a source, if it has one of this type.
fn attribute<'py, T: PyTypeCheck>(
    source: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, T>>> {
    Ok(source.getattr_opt(name)?.and_then(|kept| kept.cast_into::<T>().ok()))
}

/// Returns the judge of a robot in a dictionary.
fn judge_in<'py>(
    kept: &Bound<'py, PyDict>,
    robot: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, Judge>>> {
    Ok(kept.get_item(robot)?.and_then(|judge| judge.cast_into::<Judge>().ok()))
}

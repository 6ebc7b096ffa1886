//! What robots may fetch, by the time that is asked about.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::judge::Judge;
use crate::times;
use crate::verdict::Verdict;

/// Judges URLs for one robot by all that held at a time (`goodbot.bots.asking` makes it).
///
/// Args:
///     first: Judges by the policy that is quoted if all allow.
///     others: Judge by the others. What one of them disallows is disallowed.
///     otherwise: Judges what all of them allow; `None` for the first of them.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct JudgeThen {
    first: Py<Judge>,
    others: Vec<Py<Judge>>,
    otherwise: Option<Py<Judge>>,
}

#[pymethods]
impl JudgeThen {
    #[new]
    #[pyo3(signature = (first, others, otherwise = None))]
    fn new(first: Py<Judge>, others: Vec<Py<Judge>>, otherwise: Option<Py<Judge>>) -> JudgeThen {
        JudgeThen { first, others, otherwise }
    }

    /// Return the verdict on a URL.
    pub(crate) fn verdict(&self, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let first = self.first.get().judge(url)?;
        if !first.outcome() {
            return Ok(first);
        }
        for judge in &self.others {
            let verdict = judge.get().judge(url)?;
            if !verdict.outcome() {
                return Ok(verdict);
            }
        }
        match &self.otherwise {
            Some(judge) => judge.get().judge(url),
            None => Ok(first),
        }
    }
}

/// The judges of the robots that a source was asked about, for each interval in which nothing changes.
///
/// Args:
///     starts: When each interval but the first begins, in any order: microseconds since 1970.
///     most: How many bytes to keep at most.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct JudgesByTime {
    starts: Vec<i64>,
    kept: Vec<PyOnceLock<Py<PyDict>>>,
    size: AtomicUsize,
    most: usize,
}

#[pymethods]
impl JudgesByTime {
    #[new]
    fn new(mut starts: Vec<i64>, most: usize) -> JudgesByTime {
        starts.sort_unstable();
        starts.dedup();
        let kept = (0..=starts.len()).map(|_| PyOnceLock::new()).collect();
        JudgesByTime { starts, kept, size: AtomicUsize::new(0), most }
    }

    /// Pickle and copy it without what it keeps.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let this = slf.get();
        (slf.get_type(), (this.starts.clone(), this.most)).into_pyobject(slf.py())
    }

    /// Return how many judges are kept.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.kept.iter().filter_map(|kept| kept.get(py)).map(|kept| kept.bind(py).len()).sum()
    }

    /// Keep the judge of a robot for the interval of a time, and nothing else if that would be too much.
    fn keep(
        &self,
        time: &Bound<'_, PyAny>,
        robot: &Bound<'_, PyAny>,
        judge: &Bound<'_, JudgeThen>,
        size: usize,
    ) -> PyResult<()> {
        let py = time.py();
        let Some(place) = self.place(time) else { return Ok(()) };
        if self.size.fetch_add(size, Ordering::Relaxed).saturating_add(size) > self.most {
            self.size.store(size, Ordering::Relaxed);
            for kept in self.kept.iter().filter_map(|kept| kept.get(py)) {
                kept.bind(py).clear();
            }
        }
        let kept = self.kept[place].get_or_init(py, || PyDict::new(py).unbind());
        kept.bind(py).set_item(robot, judge)
    }
}

impl JudgesByTime {
    /// Returns the judge that is kept for a robot and the interval of a time.
    pub(crate) fn find<'py>(
        &self,
        time: &Bound<'py, PyAny>,
        robot: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, JudgeThen>>> {
        let py = time.py();
        let kept = self.place(time).and_then(|place| self.kept[place].get(py));
        let Some(kept) = kept else { return Ok(None) };
        let found = kept.bind(py).get_item(robot)?;
        Ok(found.and_then(|judge| judge.cast_into::<JudgeThen>().ok()))
    }

    /// Returns which interval a time is in; `None` for what is no time.
    fn place(&self, time: &Bound<'_, PyAny>) -> Option<usize> {
        let instant = times::instant(time)?;
        Some(self.starts.partition_point(|&start| start <= instant))
    }
}

//! The methods of rules, for Python.

use std::sync::Arc;

use goodbot_core::quote::{LONGEST_NAME, quoted};
use goodbot_core::robots_txt as core;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::columns::Threads;
use crate::dialect::Dialect;
use crate::pickled::hash_of;
use crate::rules_object::Rules;
use crate::usage::{Usage, Vocabulary};
use crate::values::{Finding, Group, RequestRate, Rule, VisitTime};
use crate::verdict::Verdict;
use crate::{columns, octets, pickled};

#[pymethods]
impl Rules {
    /// Return whether the robot may fetch a URL, a `bool`.
    ///
    /// Args:
    ///     url: A URL, or its path from the `/` on: `str` or `bytes`. Any content has an answer.
    ///
    /// Raises:
    ///     WrongTypeError: `url` is neither `str`, `bytes` nor a buffer.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RobotsTxt("User-agent: *\nDisallow: /*.gif$").rules_for("ExampleBot").allows("/a.gif")
    /// False
    ///
    /// It costs at most the sum over the rules of (length of the pattern + length of the URL).
    fn allows(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        // The common case, without a detour.
        if let Ok(text) = url.cast_exact::<PyString>() {
            if let Ok(text) = text.to_str() {
                return Ok(self.inner.allows(text.as_bytes()));
            }
        } else if let Ok(octets) = url.cast_exact::<PyBytes>() {
            return Ok(self.inner.allows(octets.as_bytes()));
        }
        octets::with(url, "url", |url| self.inner.allows(url))
    }

    /// Return whether the robot may fetch a URL, and why: a `Verdict`.
    ///
    /// The arguments and errors are those of `allows`.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot")
    /// >>> rules.verdict("/b").reason
    /// 'no-rule-matches'
    fn verdict(slf: &Bound<'_, Self>, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        octets::with(url, "url", |url| Verdict::new(slf.clone().unbind(), url))
    }

    /// Return whether the robot may fetch each of many URLs.
    ///
    /// Args:
    ///     urls: A sequence of `str` or `bytes`; a NumPy array of them; or anything with the Arrow
    ///         PyCapsule interface whose type is string, large string, string view, binary, or a
    ///         dictionary of these; or a series of objects of pandas or Polars.
    ///     threads: How many threads to use, an `int` from 1; never more than the machine runs at
    ///         once. The interpreter is released.
    ///
    /// Returns:
    ///     Booleans in the same kind of container and of the same length, null where the URL is null,
    ///     or a value among objects that is no text: a `list`, a NumPy array, a PyArrow array, a Polars or pandas series; for other Arrow arrays
    ///     an `ArrowColumn`, which has the Arrow PyCapsule interface.
    ///
    /// Raises:
    ///     WrongTypeError: `urls` is none of these, or `threads` is not an `int`.
    ///     WrongValueError: `threads` is less than 1.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot")
    /// >>> rules.allows_many(["/a", "/b", None])
    /// [False, True, None]
    #[pyo3(signature = (urls, *, threads = Threads::ONE), text_signature = "($self, urls, *, threads=1)")]
    fn allows_many<'py>(
        &self,
        urls: &Bound<'py, PyAny>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyAny>> {
        columns::allows(&self.inner, urls, threads)
    }

    /// Return the verdict on each of many URLs, as columns.
    ///
    /// The arguments and errors are those of `allows_many`.
    ///
    /// Returns:
    ///     A `dict` with the columns `allowed` (booleans), `line` (the number of the line that
    ///     decided, null if none did) and `reason` (stable slugs), each of the kind of `urls`.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot")
    /// >>> rules.verdicts_many(["/a", "/b"])["line"]
    /// [2, None]
    #[pyo3(signature = (urls, *, threads = Threads::ONE), text_signature = "($self, urls, *, threads=1)")]
    fn verdicts_many<'py>(
        &self,
        urls: &Bound<'py, PyAny>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyDict>> {
        columns::verdicts(&self.inner, urls, threads)
    }

    /// Return what the site states about the use of the content at a URL: a `Usage`.
    ///
    /// Args:
    ///     url: A URL or its path, `str` or `bytes`.
    ///     vocabulary: The revision of draft-ietf-aipref-vocab whose labels count, a `str`;
    ///         `goodbot.vocabularies()` lists them.
    ///     fetchable: Whether the URL may be fetched, a `bool`, if that is decided elsewhere, such as for
    ///         a robot that reads the file in another way; `None`: as these rules say. What must not be
    ///         fetched carries no preference of Content-Usage.
    ///
    /// Raises:
    ///     UnknownVocabularyError: There is no such vocabulary.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt("User-agent: *\nContent-Signal: ai-train=no").rules_for("ExampleBot")
    /// >>> rules.usage("/a").content_signal
    /// {'ai-train': 'no'}
    ///
    /// Source: draft-ietf-aipref-attach-05 section 3; contentsignals.org; RSL 1.0.
    #[pyo3(signature = (url, *, vocabulary = Vocabulary::NEWEST, fetchable = None), text_signature = "($self, url, *, vocabulary='aipref-08', fetchable=None)")]
    fn usage(
        &self,
        url: &Bound<'_, PyAny>,
        vocabulary: Vocabulary<'_>,
        fetchable: Option<bool>,
    ) -> PyResult<Usage> {
        let labels = vocabulary.labels()?;
        octets::with(url, "url", |url| {
            let fetchable = fetchable.unwrap_or_else(|| self.inner.allows(url));
            Usage::new(self.inner.usage_where(url, fetchable, labels))
        })
    }

    /// Return the URL without the query parameters that, according to the site, do not change the document.
    ///
    /// Args:
    ///     url: A URL, `str` or `bytes`.
    ///
    /// Returns:
    ///     The URL, a `str`; unchanged if no Clean-param line applies.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt("User-agent: *\nClean-param: ref /book").rules_for("ExampleBot")
    /// >>> rules.clean_url("https://example.com/book?ref=a&id=1")
    /// 'https://example.com/book?id=1'
    ///
    /// Source: Yandex, Using robots.txt, Clean-param.
    fn clean_url(&self, url: &Bound<'_, PyAny>) -> PyResult<String> {
        let clean = octets::with(url, "url", |url| self.inner.clean_url(url))?;
        Ok(String::from_utf8_lossy(&clean).into_owned())
    }

    /// The robot, as the caller named it, a `str`.
    #[getter]
    fn robot(&self) -> &str {
        self.inner.robot()
    }

    /// Which groups were selected, and why: a `Selection`.
    #[getter]
    fn selection(slf: &Bound<'_, Self>) -> Selection {
        Selection { rules: slf.clone().unbind() }
    }

    /// What is odd about the question: a list of `Finding`. It reports a name that can never match
    /// a group in this dialect.
    ///
    /// >>> import goodbot
    /// >>> robots = goodbot.RobotsTxt("User-agent: MJ12bot\nDisallow: /", dialect="google")
    /// >>> [finding.code for finding in robots.rules_for("MJ12bot").findings]
    /// ['name-never-matches']
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.inner.name_finding().map(Finding::from).into_iter().collect()
    }

    /// The least time between two visits that the site asks for: seconds, a `float`, or `None`.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.inner.crawl_delay()
    }

    /// The request rates that the site asks for: a list of `RequestRate`.
    #[getter]
    fn request_rates(&self) -> Vec<RequestRate> {
        self.inner.request_rates().iter().copied().map(RequestRate::from).collect()
    }

    /// When visits are welcome: a list of `VisitTime`; if it is empty, always. Of several lines the
    /// first applies.
    #[getter]
    fn visit_times(&self) -> Vec<VisitTime> {
        self.inner.visit_times().iter().copied().map(VisitTime::from).collect()
    }

    /// The messages to the people who run the robot: a list of `str`.
    #[getter]
    fn comments(&self) -> Vec<&str> {
        self.inner.comments().collect()
    }

    /// The URLs that the site asks the robot to visit: a list of `str`, as written.
    #[getter]
    fn please_visit(&self) -> Vec<&str> {
        self.inner.please_visit().collect()
    }

    /// The sitemaps that the file names: a list of absolute URLs, `str`.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.inner.sitemaps().collect()
    }

    /// The verdict if no rule matches: a tuple of a `bool`, whether the URL is allowed, and a `str`, the
    /// reason. If the file as a whole decides, it is the verdict on every URL.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot").otherwise
    /// (True, 'no-rule-matches')
    /// >>> two = "User-agent: *\nRobot-version: 2.0.0\nAllow: /a"
    /// >>> goodbot.RobotsTxt(two, dialect="conner1996").rules_for("ExampleBot").otherwise
    /// (False, 'no-allow-matches')
    #[getter]
    fn otherwise(&self) -> (bool, &'static str) {
        let (allowed, reason) = self.inner.otherwise();
        (allowed, reason.slug())
    }

    /// The name of the dialect that the rules are read in, a `str`: it differs from `dialect` if a
    /// record states that it is of an older version.
    ///
    /// >>> import goodbot
    /// >>> robots = goodbot.RobotsTxt("User-agent: *\nDisallow: /a", dialect="conner1996")
    /// >>> robots.rules_for("ExampleBot").read_as
    /// 'koster1994'
    ///
    /// Source: Conner 1996, Robot-version.
    #[getter]
    fn read_as(&self) -> &str {
        &self.inner.reader().name
    }

    /// The name of the dialect, a `str`.
    #[getter]
    fn dialect(&self) -> &str {
        &self.inner.dialect().name
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let dialect = Dialect { inner: Arc::clone(self.inner.dialect()) };
        pickled::reduced(py, "Rules", (PyBytes::new(py, &self.inner.to_bytes()), dialect))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Rules>().is_ok_and(|other| self.inner == other.get().inner)
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.inner.to_bytes())
    }

    /// Rules are truthy even if there is no rule: `if rules:` would be a trap.
    fn __bool__(&self) -> bool {
        true
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rules: Vec<Rule> = self.inner.list().into_iter().map(Rule::from).collect();
        rules.into_pyobject(py)?.call_method0("__iter__")
    }

    fn __repr__(&self) -> String {
        let robot = quoted(self.robot(), LONGEST_NAME);
        let dialect = quoted(self.dialect(), LONGEST_NAME);
        format!("<Rules for {robot}: {}, {dialect}>", self.inner.len())
    }
}

impl Rules {
    /// Restores rules from their pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Rules> {
        let (bytes, dialect): (Bound<'_, PyBytes>, Bound<'_, Dialect>) = parts.extract()?;
        let rules = core::Rules::from_bytes(bytes.as_bytes(), &dialect.get().inner);
        rules.map(Rules::from).ok_or_else(|| pickled::unreadable("Rules"))
    }
}

/// Which groups a robot obeys, and why.
///
/// >>> import goodbot
/// >>> selection = goodbot.RobotsTxt("User-agent: *\nDisallow: /").rules_for("ExampleBot/2.0").selection
/// >>> selection.how, selection.name, [group.agents for group in selection.groups]
/// ('default', 'examplebot', [['*']])
/// >>> print(selection)
/// ExampleBot/2.0 obeys the group for *: no group matches examplebot.
///
/// Source: RFC 9309 section 2.2.1, or the documents of the dialect.
#[pyclass(frozen, module = "goodbot")]
pub(crate) struct Selection {
    rules: Py<Rules>,
}

impl Selection {
    fn rules(&self) -> &core::Rules {
        &self.rules.get().inner
    }
}

#[pymethods]
impl Selection {
    /// How the groups were chosen, a stable `str`; `goodbot.selection_ways()` lists them.
    #[getter]
    fn how(&self) -> &'static str {
        self.rules().how().slug()
    }

    /// The robot, as the caller named it, a `str`.
    #[getter]
    fn robot(&self) -> &str {
        self.rules().robot()
    }

    /// The name that was compared, in lower case, a `str`.
    #[getter]
    fn name(&self) -> String {
        self.rules().name()
    }

    /// The groups obeyed: a list of `Group` with agents and lines.
    #[getter]
    fn groups(&self) -> Vec<Group> {
        self.rules().groups().into_iter().map(Group::from).collect()
    }

    fn __str__(&self) -> String {
        self.rules().selection_sentence()
    }

    fn __repr__(&self) -> String {
        format!("<Selection {}: {}>", self.how(), quoted(self.robot(), LONGEST_NAME))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Selection>().is_ok_and(|other| {
            let (own, other) = (self.rules(), other.get().rules());
            own.how() == other.how()
                && own.robot() == other.robot()
                && own.groups() == other.groups()
                && own.selection_sentence() == other.selection_sentence()
        })
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.how(), self.robot()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pickled::reduced(py, "Selection", (self.rules.clone_ref(py),))
    }
}

impl Selection {
    /// Restores a selection from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Selection> {
        let (rules,) = parts.extract()?;
        Ok(Selection { rules })
    }
}

/// Return every way in which groups are chosen: a list of `(slug, meaning)`.
///
/// >>> import goodbot
/// >>> goodbot.selection_ways()[0]
/// ('named', "A group matches the robot's name.")
#[pyfunction]
pub(crate) fn selection_ways() -> Vec<(&'static str, &'static str)> {
    core::HOWS.iter().map(|(_, slug, meaning)| (*slug, meaning.trim())).collect()
}

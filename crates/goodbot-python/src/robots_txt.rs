//! Robots.txt files, for Python.

use std::sync::{Mutex, OnceLock, PoisonError};

use goodbot_core::field::FIELDS;
use goodbot_core::quote::{LONGEST_NAME, quoted};
use goodbot_core::robots_txt as core;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::errors;
use crate::pickled::hash_of;
use crate::rules_object::Rules;
use crate::values::{Finding, Group};
use crate::verdict::Verdict;
use crate::{dialect, octets, pickled};

/// The most robots whose rules a file caches, for callers that ask the file instead of the rules.
const REMEMBERED: usize = 4;

/// A robots.txt file, read in a dialect: literally, by the names that stand in it.
///
/// It does not know whose group a known robot obeys if it has none; `goodbot.verdict` does.
///
/// Args:
///     content: The bytes of the file: `bytes`, `str` (encoded as UTF-8) or any buffer. Content never
///         raises; what is odd about it is in `findings`.
///     dialect: The name of a dialect, a `str`, or a `Dialect`.
///
/// Raises:
///     WrongTypeError: `content` is not one of these, or `dialect` is neither a `str` nor a `Dialect`.
///     UnknownDialectError: There is no dialect of this name.
///
/// Warns:
///     LooksLikeAddressWarning: `content` is a `str` that looks like a path or a URL. `bytes` never warn.
///
/// >>> import goodbot
/// >>> robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
/// >>> robots.allows("https://example.com/private/a", "ExampleBot")
/// False
///
/// Reading is linear in the bytes. Source: RFC 9309 section 2.2, or the documents of the dialect.
#[pyclass(frozen, module = "goodbot")]
pub(crate) struct RobotsTxt {
    pub(crate) inner: core::RobotsTxt<Octets>,
    remembered: Mutex<Vec<(String, Py<Rules>)>>,
    judges: OnceLock<Py<PyDict>>,
}

/// Warns about a `str` that is evidently a file name: parsed as content, it would allow everything.
fn warn_of_address(content: &Bound<'_, PyAny>) -> PyResult<()> {
    let category = content.py().get_type::<errors::LooksLikeAddressWarning>();
    let message =
        c"content looks like the path or URL of a robots.txt; RobotsTxt reads what the file \
        holds: pass open(path, \"rb\").read(), or bytes if this is the content";
    PyErr::warn(content.py(), &category, message, 1)
}

#[pymethods]
impl RobotsTxt {
    #[new]
    #[pyo3(signature = (content, *, dialect = None))]
    fn new(content: &Bound<'_, PyAny>, dialect: Option<&Bound<'_, PyAny>>) -> PyResult<RobotsTxt> {
        let dialect = match dialect {
            Some(dialect) => dialect::of_argument(dialect)?,
            None => std::sync::Arc::clone(&goodbot_core::dialects::DIALECTS[0]),
        };
        let octets = Octets::hold(content)?;
        if content.is_instance_of::<PyString>() && core::looks_like_address(octets.as_ref()) {
            warn_of_address(content)?;
        }
        let size = octets.as_ref().len();
        let inner = octets::beside(content.py(), size, || core::RobotsTxt::read(octets, dialect));
        Ok(RobotsTxt { inner, remembered: Mutex::default(), judges: OnceLock::new() })
    }

    /// Return whether a robot may fetch a URL, a `bool`.
    ///
    /// For many URLs, keep the result of `rules_for(robot)` and call its `allows`.
    ///
    /// Args:
    ///     url: A URL, or its path from the `/` on: `str` or `bytes`. Any content has an answer.
    ///     robot: A product token or a whole User-Agent string, a `str`.
    ///
    /// Raises:
    ///     RobotNameError: `robot` is empty, or looks like a URL.
    ///     WrongTypeError: `url` is neither `str`, `bytes` nor a buffer.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RobotsTxt("User-agent: a\nDisallow: /").allows("/x", "A/1.0 (+https://example.com)")
    /// False
    fn allows(
        slf: &Bound<'_, Self>,
        url: &Bound<'_, PyAny>,
        robot: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let rules = slf.get().remember(slf.py(), robot)?;
        octets::with(url, "url", |url| rules.get().inner.allows(url))
    }

    /// Return whether a robot may fetch a URL, and why: a `Verdict`.
    ///
    /// The arguments and errors are those of `allows`.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RobotsTxt("User-agent: *\nDisallow: /").verdict("/x", "ExampleBot").reason
    /// 'rule-disallows'
    fn verdict(
        slf: &Bound<'_, Self>,
        url: &Bound<'_, PyAny>,
        robot: &Bound<'_, PyAny>,
    ) -> PyResult<Verdict> {
        let rules = slf.get().remember(slf.py(), robot)?;
        octets::with(url, "url", |url| Verdict::new(rules, url))
    }

    /// Return what a robot must obey: `Rules`, which are small and do not need the file. Keep these.
    ///
    /// Args:
    ///     robot: A product token or a whole User-Agent string, a `str`.
    ///
    /// Raises:
    ///     RobotNameError: `robot` is empty, or looks like a URL.
    ///
    /// >>> import goodbot
    /// >>> rules = goodbot.RobotsTxt("User-agent: *\nDisallow: /a").rules_for("ExampleBot/1.0")
    /// >>> rules.allows("/b"), rules.selection.how
    /// (True, 'default')
    ///
    /// Source: RFC 9309 section 2.2.1, or the documents of the dialect.
    fn rules_for(&self, robot: &Bound<'_, PyAny>) -> PyResult<Rules> {
        self.compiled(robot.py(), &robot_name(robot)?)
    }

    /// Return the fields, other than Allow and Disallow, that apply to a robot, in the order of the
    /// file: a list of `(name, value, line)`.
    ///
    /// A field belongs to the User-agent lines before it. It does not end a group, so a group may
    /// contain fields of other robots.
    ///
    /// Args:
    ///     robot: A product token or a whole User-Agent string, a `str`.
    ///
    /// Raises:
    ///     RobotNameError: `robot` is empty, or looks like a URL.
    ///
    /// >>> import goodbot
    /// >>> robots = goodbot.RobotsTxt(
    /// ...     "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x"
    /// ... )
    /// >>> robots.fields_for("a"), robots.fields_for("b")
    /// ([('Crawl-delay', '1', 2)], [('Crawl-delay', '2', 4)])
    ///
    /// Source: Conner 1996, Request-rate and Visit-time; RSL 1.0, robots.txt; RFC 9309 section 2.2.4.
    fn fields_for(&self, robot: &Bound<'_, PyAny>) -> PyResult<Vec<core::FieldLine>> {
        let robot = robot_name(robot)?;
        self.inner.fields_for(&robot).map_err(|error| errors::of_name(&error))
    }

    /// The groups, as the dialect divides them: a list of `Group`.
    #[getter]
    fn groups(&self, py: Python<'_>) -> Vec<Group> {
        self.beside(py, || self.inner.groups()).into_iter().map(Group::from).collect()
    }

    /// The groups, divided further at each User-agent line that follows a field other than Allow and
    /// Disallow: a list of `Group`, each with only the lines in it. A field applies to the robots of its
    /// part, a rule to all robots of its group.
    ///
    /// >>> import goodbot
    /// >>> robots = goodbot.RobotsTxt("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x")
    /// >>> [group.agents for group in robots.groups], [one.agents for one in robots.field_groups]
    /// ([['a', 'b']], [['a'], ['b']])
    #[getter]
    fn field_groups(&self) -> Vec<Group> {
        self.inner.field_groups().into_iter().map(Group::from).collect()
    }

    /// The sitemaps that the file names: a list of absolute URLs, `str`.
    #[getter]
    fn sitemaps(&self, py: Python<'_>) -> Vec<String> {
        self.beside(py, || self.inner.sitemaps())
    }

    /// What is odd about the file: a list of `Finding`, at most 10,000.
    ///
    /// >>> import goodbot
    /// >>> for finding in goodbot.RobotsTxt("Disallow: /a").findings:
    /// ...     print(finding)
    /// line 1: error: Disallow is outside any group and has no effect [rule-outside-group]
    #[getter]
    fn findings(&self, py: Python<'_>) -> Vec<Finding> {
        self.beside(py, || self.inner.findings()).into_iter().map(Finding::from).collect()
    }

    /// Every line, a list of `Line`; their bytes joined together are the file.
    ///
    /// >>> import goodbot
    /// >>> content = b"User-agent: *\r\nFancy: x # y\n"
    /// >>> lines = goodbot.RobotsTxt(content).lines
    /// >>> b"".join(line.raw for line in lines) == content
    /// True
    /// >>> lines[1].kind, lines[1].name, lines[1].value, lines[1].comment
    /// ('unknown-field', b'Fancy', b'x', b' y')
    #[getter]
    fn lines(&self, py: Python<'_>) -> Vec<Line> {
        self.beside(py, || self.inner.lines().iter().map(Line::from).collect())
    }

    /// The lines before the first User-agent line of a group, all if there is none: what is stated there
    /// is about the whole file. A list of `Line`.
    ///
    /// >>> import goodbot
    /// >>> robots = goodbot.RobotsTxt(b"License: https://a.example/rsl\nUser-agent: *\nDisallow: /x")
    /// >>> [line.value for line in robots.lines_before_groups]
    /// [b'https://a.example/rsl']
    #[getter]
    fn lines_before_groups(&self, py: Python<'_>) -> Vec<Line> {
        self.beside(py, || self.inner.lines_before_groups().iter().map(Line::from).collect())
    }

    /// Return the value and the number of each line of a name before the first group: a list of
    /// tuples. Case does not count.
    ///
    /// >>> import goodbot
    /// >>> robots = goodbot.RobotsTxt("License: https://a.example/rsl\nUser-agent: *\nDisallow:")
    /// >>> robots.fields_before_groups("license")
    /// [('https://a.example/rsl', 1)]
    fn fields_before_groups(&self, py: Python<'_>, name: &str) -> Vec<(String, u32)> {
        self.beside(py, || self.inner.fields_before_groups(name))
    }

    /// The unchanged content of the file, `bytes`.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.content())
    }

    /// Whether the file is over the size limit with no whole line within the limit, a `bool`. It is
    /// unknown what such a file says, so everything is disallowed.
    ///
    /// >>> import goodbot
    /// >>> goodbot.RobotsTxt(b"#" * 600_000).is_cut_short
    /// True
    #[getter]
    fn is_cut_short(&self) -> bool {
        self.inner.is_cut_short()
    }

    /// The fields in the file that the dialect reads: a list of `str`.
    #[getter]
    fn fields_used(&self, py: Python<'_>) -> Vec<&'static str> {
        self.beside(py, || self.inner.fields_used())
    }

    /// The dialect, a `Dialect`.
    #[getter]
    fn dialect(&self) -> dialect::Dialect {
        dialect::Dialect { inner: std::sync::Arc::clone(self.inner.dialect()) }
    }

    /// The judges of robots that were asked about: a `dict` by name, which `goodbot.bots.asking` bounds.
    #[getter]
    fn _judges<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.judges(py)
    }

    /// Support pickling; unpickling parses the file again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.get());
        let arguments = PyDict::new(py);
        arguments.set_item("dialect", this.dialect())?;
        let partial = py.import("functools")?.getattr("partial")?;
        let make = partial.call((slf.get_type(),), Some(&arguments))?;
        (make, (this.content(py),)).into_pyobject(py)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.content(py)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<RobotsTxt>().is_ok_and(|other| {
            let other = &other.get().inner;
            self.inner.content() == other.content() && self.inner.dialect() == other.dialect()
        })
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.inner.content(), &self.inner.dialect().name))
    }

    fn __repr__(&self) -> String {
        let length = self.inner.content().len();
        let dialect = quoted(&self.inner.dialect().name, LONGEST_NAME);
        format!("<RobotsTxt {length} bytes, {dialect}>")
    }
}

/// The bytes of a file; `bytes` are not copied, because they are immutable.
pub(crate) enum Octets {
    Bytes(PyBackedBytes),
    Own(Box<[u8]>),
}

impl Octets {
    fn hold(content: &Bound<'_, PyAny>) -> PyResult<Octets> {
        if let Ok(bytes) = content.cast::<PyBytes>() {
            return Ok(Octets::Bytes(PyBackedBytes::from(bytes.clone())));
        }
        octets::with(content, "content", |octets| Octets::Own(octets.into()))
    }
}

impl AsRef<[u8]> for Octets {
    fn as_ref(&self) -> &[u8] {
        match self {
            Octets::Bytes(bytes) => bytes,
            Octets::Own(octets) => octets,
        }
    }
}

impl RobotsTxt {
    /// Returns the judges of robots that were asked about, by name.
    pub(crate) fn judges<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.judges.get_or_init(|| PyDict::new(py).unbind()).bind(py).clone()
    }

    /// Does some work on the file; the GIL is released if the file is large.
    fn beside<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
        octets::beside(py, self.inner.content().len(), work)
    }

    fn compiled(&self, py: Python<'_>, robot: &str) -> PyResult<Rules> {
        let rules = self.beside(py, || self.inner.rules_for(robot));
        Ok(Rules::from(rules.map_err(|error| errors::of_name(&error))?))
    }

    /// Returns a robot's rules; those of the last few new robots are cached.
    fn remember(&self, py: Python<'_>, robot: &Bound<'_, PyAny>) -> PyResult<Py<Rules>> {
        let name = robot_name(robot)?;
        // The lock is not held while the GIL is released: a thread that waits for the lock has the GIL.
        let lock = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rules)) = lock().iter().find(|(known, _)| *known == name) {
            return Ok(rules.clone_ref(py));
        }
        let rules = Py::new(py, self.compiled(py, &name)?)?;
        let mut remembered = lock();
        remembered.truncate(REMEMBERED - 1);
        remembered.insert(0, (name, rules.clone_ref(py)));
        Ok(rules)
    }
}

fn robot_name(robot: &Bound<'_, PyAny>) -> PyResult<String> {
    octets::text(robot, "robot", "ExampleBot")
}

/// A line of a file.
///
/// >>> import goodbot
/// >>> goodbot.RobotsTxt(b"User-agent: * # all\n").lines[0].comment
/// b' all'
#[pyclass(frozen, eq, hash, module = "goodbot")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    number: u32,
    kind: &'static str,
    raw: Vec<u8>,
    name: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    comment: Option<Vec<u8>>,
}

impl From<&core::TextLine<'_>> for Line {
    fn from(line: &core::TextLine<'_>) -> Line {
        Line {
            number: line.number,
            kind: line.kind.slug(),
            raw: line.raw.to_vec(),
            name: line.name.map(<[u8]>::to_vec),
            value: line.value.map(<[u8]>::to_vec),
            comment: line.comment.map(<[u8]>::to_vec),
        }
    }
}

fn octets_of<'py>(py: Python<'py>, octets: Option<&Vec<u8>>) -> Option<Bound<'py, PyBytes>> {
    octets.map(|octets| PyBytes::new(py, octets))
}

#[pymethods]
impl Line {
    /// Its number, an `int` from 1.
    #[getter]
    fn number(&self) -> u32 {
        self.number
    }

    /// `"blank"`, `"comment"`, `"field"`, `"unknown-field"` or `"other"`, a `str`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// Its bytes including the line end, `bytes`.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.raw)
    }

    /// The name of its field, `bytes`, or `None`.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        octets_of(py, self.name.as_ref())
    }

    /// The value of its field, `bytes`, or `None`.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        octets_of(py, self.value.as_ref())
    }

    /// Its comment, after the `#`, `bytes`, or `None`.
    #[getter]
    fn comment<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        octets_of(py, self.comment.as_ref())
    }

    fn __repr__(&self) -> String {
        format!("<Line {}: {}>", self.number, self.kind)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (
            self.number,
            self.kind,
            PyBytes::new(py, &self.raw),
            self.name(py),
            self.value(py),
            self.comment(py),
        );
        pickled::reduced(py, "Line", parts)
    }
}

impl Line {
    /// Restores a line from its pickle.
    pub(crate) fn restored(parts: &Bound<'_, PyTuple>) -> PyResult<Line> {
        let (number, kind, raw, name, value, comment): (_, String, _, _, _, _) = parts.extract()?;
        let known = core::LineKind::ALL.iter().map(|known| known.slug());
        let kind = known.into_iter().find(|known| *known == kind);
        let kind = kind.ok_or_else(|| pickled::unreadable("Line"))?;
        Ok(Line { number, kind, raw, name, value, comment })
    }
}

/// Parse the value of a Crawl-delay line: seconds, a `float`, or `None` if it is malformed.
///
/// Args:
///     text: The value, a `str`: a number, perhaps with a unit of time. A time longer than some
///         31,700 years is reduced to that.
///
/// >>> from goodbot._core import crawl_delay
/// >>> crawl_delay("0.5"), crawl_delay("2 minutes"), crawl_delay("9" * 400), crawl_delay("1,5")
/// (0.5, 120.0, 1000000000000.0, None)
#[pyfunction]
pub(crate) fn crawl_delay(text: &str) -> Option<f64> {
    core::delay(text.trim())
}

/// Return every code that a finding can have: a list of `(code, severity, meaning)`.
///
/// >>> import goodbot
/// >>> goodbot.finding_codes()[0]
/// ('byte-order-mark', 'info', 'The file begins with a UTF-8 byte order mark, which is ignored.')
#[pyfunction]
pub(crate) fn finding_codes() -> Vec<(&'static str, &'static str, &'static str)> {
    let rows = core::CODES.iter();
    rows.map(|(_, slug, severity, meaning)| (*slug, severity.slug(), meaning.trim())).collect()
}

/// Return every field that goodbot knows: a list of `(name, scope, meaning, source)`.
///
/// >>> import goodbot
/// >>> [name for name, scope, meaning, source in goodbot.fields()][:3]
/// ['User-agent', 'Allow', 'Disallow']
#[pyfunction]
pub(crate) fn fields() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    FIELDS.iter().map(|row| (row.name, row.scope.slug(), row.meaning, row.source)).collect()
}

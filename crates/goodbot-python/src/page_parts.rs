//! Parts of a page as Python sees them: runs of text and links, each with its verdicts.
//!
//! The verdicts are objects of `goodbot.page`; they are only stored here.

use std::collections::HashMap;

use goodbot_core::page::{self, LinkKind};
use goodbot_core::quote::{LONGEST_NAME, MOST_QUOTED, quoted};
use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::lists::{other_threads_may_run, place};

/// A run of visible text within one block, all of which may be treated alike.
///
/// A run without text that may not be indexed is a gap: the words on either side of it do not form
/// a phrase.
///
/// >>> from goodbot.page import Page
/// >>> page = Page("https://example.com/", b"<p>a <b data-nosnippet>b</b> <i class=robots-nocontent>c")
/// >>> [(run.text, bool(run.index), bool(run.archive), run.line) for run in page.runs]
/// [('a b', True, True, 1), (' c', False, True, 1)]
///
/// Source: Robot Exclusion Profile, Phrases.
#[pyclass(frozen, get_all, module = "goodbot.page")]
pub(crate) struct Run {
    /// The text, each run of white space one space, a `str`.
    text: Py<PyString>,
    /// Whether it may be indexed, a `PageVerdict`.
    index: Py<PyAny>,
    /// Whether it may be kept in a copy, a `PageVerdict`.
    archive: Py<PyAny>,
    /// Whether it may be quoted, a `PageVerdict`.
    snippet: Py<PyAny>,
    /// Whether a new block begins with it, a `bool`.
    block: bool,
    /// The number of the line on which it begins, an `int` from 1.
    line: u32,
}

impl Run {
    /// Returns the verdict on an act, if a run has one.
    fn verdict(&self, act: &str) -> Option<&Py<PyAny>> {
        match act {
            "index" => Some(&self.index),
            "archive" => Some(&self.archive),
            "snippet" => Some(&self.snippet),
            _ => None,
        }
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Run { text, index, archive, snippet, block, line } = self;
        (text, index, archive, snippet, block, line).into_pyobject(py)
    }
}

#[pymethods]
impl Run {
    #[new]
    pub(crate) fn new(
        text: Bound<'_, PyString>,
        index: Bound<'_, PyAny>,
        archive: Bound<'_, PyAny>,
        snippet: Bound<'_, PyAny>,
        block: bool,
        line: u32,
    ) -> Run {
        Run {
            text: text.unbind(),
            index: index.unbind(),
            archive: archive.unbind(),
            snippet: snippet.unbind(),
            block,
            line,
        }
    }

    /// Return plain values, for JSON: a `dict` with the text, what is allowed, block and line.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("text", &self.text)?;
        dict.set_item("index", self.index.bind(py).is_truthy()?)?;
        dict.set_item("archive", self.archive.bind(py).is_truthy()?)?;
        dict.set_item("snippet", self.snippet.bind(py).is_truthy()?)?;
        dict.set_item("block", self.block)?;
        dict.set_item("line", self.line)?;
        Ok(dict)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        match other.cast::<Run>() {
            Ok(other) => self.fields(py)?.eq(other.get().fields(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.fields(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text.bind(py).repr()?;
        Ok(format!("<Run {} line {}>", quoted(&text.to_cow()?, LONGEST_NAME), self.line))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Run>(), self.fields(py)?))
    }
}

/// Whether verdicts allow their acts: the parts of a page share few verdicts, each of which is asked once.
#[derive(Default)]
struct Allowed {
    /// By the address of the verdict, which its part holds.
    known: HashMap<usize, bool>,
    /// The last one that was asked for.
    last: Option<(usize, bool)>,
}

impl Allowed {
    fn by(&mut self, verdict: &Bound<'_, PyAny>) -> PyResult<bool> {
        let address = verdict.as_ptr() as usize;
        if let Some((last, allowed)) = self.last
            && last == address
        {
            return Ok(allowed);
        }
        let allowed = match self.known.get(&address) {
            Some(allowed) => *allowed,
            None => verdict.getattr(intern!(verdict.py(), "allowed"))?.is_truthy()?,
        };
        self.known.insert(address, allowed);
        self.last = Some((address, allowed));
        Ok(allowed)
    }
}

/// Return the verdicts on an act that do not allow it, for each part of a list: runs or links.
#[pyfunction]
pub(crate) fn denials<'py>(
    py: Python<'py>,
    parts: &Bound<'py, PyList>,
    act: &str,
) -> PyResult<Bound<'py, PyList>> {
    let (denied, mut allowed) = (PyList::empty(py), Allowed::default());
    for (number, part) in parts.iter().enumerate() {
        other_threads_may_run(py, number);
        let verdict = match (part.cast::<Run>(), part.cast::<Link>()) {
            (Ok(run), _) => run.get().verdict(act),
            (_, Ok(link)) => link.get().verdict(act),
            _ => None,
        };
        let verdict = verdict.ok_or_else(|| PyAttributeError::new_err(act.to_owned()))?.bind(py);
        if !allowed.by(verdict)? {
            denied.append(verdict)?;
        }
    }
    Ok(denied)
}

/// The sign for an omission within a line.
const GAP: &str = "…";

/// Return the text of runs: one line for each block, `…` for each omission within a block.
///
/// A run is included if all of some `acts` are allowed for it. Omitted blocks between others leave a
/// `…`, too, if they have fewer than `small` characters together.
#[pyfunction]
pub(crate) fn joined_runs(
    py: Python<'_>,
    runs: &Bound<'_, PyList>,
    acts: Vec<String>,
    small: usize,
) -> PyResult<String> {
    let mut allowed = Allowed::default();
    let mut joined = Joined { small, ..Joined::default() };
    for (number, run) in runs.iter().enumerate() {
        other_threads_may_run(py, number);
        let run = run.cast::<Run>()?.get();
        let mut may = true;
        for act in &acts {
            let verdict = run.verdict(act);
            let verdict = verdict.ok_or_else(|| PyAttributeError::new_err(act.clone()))?;
            may = may && allowed.by(verdict.bind(py))?;
        }
        joined.add(&run.text.bind(py).to_string_lossy(), run.block, may);
    }
    Ok(joined.text())
}

/// The text of runs as it is joined; see [`joined_runs`].
#[derive(Default)]
pub(crate) struct Joined {
    small: usize,
    lines: String,
    line: String,
    /// Whether something is omitted since the last text of this line.
    gap: bool,
    /// How much is omitted since the last text.
    left_out: usize,
}

impl Joined {
    /// Adds a run: whether a block begins with it, and whether it is included.
    pub(crate) fn add(&mut self, text: &str, block: bool, may: bool) {
        let Joined { small, lines, line, gap, left_out } = self;
        if block {
            add_line(lines, line);
            line.clear();
            *gap = false;
        }
        if !may {
            *gap = true;
            *left_out += if *small > 0 { text.chars().count() } else { 0 };
        } else if !text.trim_matches(is_space).is_empty() {
            if (1..*small).contains(left_out) && line.is_empty() && !lines.is_empty() {
                add_line(lines, GAP);
            }
            if *gap && !line.is_empty() {
                line.truncate(line.trim_end_matches(is_space).len());
                line.extend([" ", GAP, " ", text.trim_start_matches(is_space)]);
            } else {
                line.push_str(text);
            }
            (*gap, *left_out) = (false, 0);
        }
    }

    /// Returns the text.
    pub(crate) fn text(mut self) -> String {
        add_line(&mut self.lines, &self.line);
        self.lines
    }
}

/// Adds a line without the white space around it, unless it is empty.
fn add_line(lines: &mut String, line: &str) {
    let line = line.trim_matches(is_space);
    if !line.is_empty() {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(line);
    }
}

/// Whether a character is white space for Python.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// Whether the text of a link may describe its target (`Link.describes`): by the verdicts on following
/// it and on its text, whether a mark on the part forbids the former, and `Link.explicit`.
pub(crate) fn describes([follow, anchor]: [bool; 2], is_by_mark: bool, explicit: bool) -> bool {
    anchor && (follow || (explicit && is_by_mark))
}

/// The votes that an author can cast on a link (vote-links microformat).
pub(crate) const VOTES: [&str; 3] = ["for", "abstain", "against"];

/// A link.
///
/// >>> from goodbot.page import Page
/// >>> page = Page("https://example.com/", b"<a href=/a rel=nofollow>one</a> <a href=/b rev=vote-for>two</a>")
/// >>> [(link.url, link.text, bool(link.follow), link.vote) for link in page.links]
/// [('https://example.com/a', 'one', False, None), ('https://example.com/b', 'two', True, 'for')]
///
/// >>> head = b"<head profile='http://example.org/xmdp/robots-profile#'>"
/// >>> link = b"<a href=/a>Brass <b class=robots-noindex>and steel</b> lamps</a>"
/// >>> [(link.text, link.gaps) for link in Page("https://example.com/", head + link).links]
/// [('Brass lamps', (5,))]
///
/// Source: Robots META tag; Robot Exclusion Profile (also Phrases, for the gaps); rel-nofollow; vote-links;
/// HTML 4.2.5.3 (refresh).
#[pyclass(frozen, get_all, module = "goodbot.page")]
pub(crate) struct Link {
    /// The URL it leads to, a `str`: resolved against the base of the document.
    pub(crate) url: Py<PyString>,
    /// Its text, a `str`, each run of white space as one space; images are represented by their `alt`.
    pub(crate) text: Py<PyString>,
    /// Its relations, a `str`, as written.
    pub(crate) rel: Py<PyString>,
    /// Its reverse relations, a `str`, as written.
    rev: Py<PyString>,
    /// Whether it may be followed, a `PageVerdict`.
    pub(crate) follow: Py<PyAny>,
    /// Whether its text may describe the target, a `PageVerdict`.
    pub(crate) anchor: Py<PyAny>,
    /// Whether the address could be resolved, a `bool`; otherwise `url` is as written.
    pub(crate) resolved: bool,
    /// The number of its line, an `int` from 1; 0 for a header field.
    pub(crate) line: u32,
    /// The kind of link, a `str`: `link`, or `html-refresh` and `header-refresh` for where the page
    /// redirects its readers by `<meta http-equiv=refresh>` and by the header field Refresh.
    pub(crate) kind: Py<PyString>,
    /// Whether a mark explicitly allows its text to describe the target, a `bool`: a mark nearer
    /// than any that forbids following the link.
    pub(crate) explicit: bool,
    /// The places in `text` of the spaces at which a part is missing, a `tuple` of `int`: that part must
    /// not be indexed with the target, and no phrase continues there.
    pub(crate) gaps: Py<PyTuple>,
}

impl Link {
    /// Returns the verdict on an act, if a link has one.
    fn verdict(&self, act: &str) -> Option<&Py<PyAny>> {
        match act {
            "follow" => Some(&self.follow),
            "anchor" => Some(&self.anchor),
            _ => None,
        }
    }

    /// Returns the link as a scan has it, and adds its text to those of others.
    pub(crate) fn found(&self, py: Python<'_>, texts: &mut String) -> PyResult<page::Link> {
        let text = |text: &Py<PyString>| text.bind(py).to_string_lossy().into_owned();
        let kind = self.kind.bind(py).to_string_lossy();
        let mut kinds = LinkKind::ALL.iter().copied();
        let start = place(texts.len());
        texts.push_str(&self.text.bind(py).to_string_lossy());
        Ok(page::Link {
            kind: kinds.find(|known| known.slug() == kind).unwrap_or(LinkKind::Link),
            url: text(&self.url),
            unresolved: None,
            text: start..place(texts.len()),
            gaps: self.gaps.bind(py).extract()?,
            rel: text(&self.rel),
            rev: String::new(),
            causes: [0; 2],
            explicit: self.explicit,
            place: 0,
        })
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Link { url, text, rel, rev, follow, anchor, resolved, line, kind, explicit, gaps } =
            self;
        (url, text, rel, rev, follow, anchor, resolved, line, kind, explicit, gaps)
            .into_pyobject(py)
    }
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (url, text, rel, rev, follow, anchor, resolved, line, kind, explicit=false, gaps=None))]
    #[expect(clippy::too_many_arguments, reason = "its fields")]
    pub(crate) fn new(
        url: Bound<'_, PyString>,
        text: Bound<'_, PyString>,
        rel: Bound<'_, PyString>,
        rev: Bound<'_, PyString>,
        follow: Bound<'_, PyAny>,
        anchor: Bound<'_, PyAny>,
        resolved: bool,
        line: u32,
        kind: Bound<'_, PyString>,
        explicit: bool,
        gaps: Option<Bound<'_, PyTuple>>,
    ) -> Link {
        let py = url.py();
        Link {
            url: url.unbind(),
            text: text.unbind(),
            rel: rel.unbind(),
            rev: rev.unbind(),
            follow: follow.unbind(),
            anchor: anchor.unbind(),
            resolved,
            line,
            kind: kind.unbind(),
            explicit,
            gaps: gaps.unwrap_or_else(|| PyTuple::empty(py)).unbind(),
        }
    }

    /// Whether the target may be indexed under the text, a `bool`.
    ///
    /// It may if `anchor` and `follow` allow it. A mark that forbids following the link does not count
    /// if a nearer one explicitly allows its text to describe the target.
    ///
    /// >>> from goodbot.page import Page
    /// >>> head = b"<head profile='http://example.org/xmdp/robots-profile#'>"
    /// >>> link = b"<p class=robots-nofollow><a href=/a class=robots-anchortext>Brass lamps</a>"
    /// >>> (link,) = Page("https://example.com/", head + link).links
    /// >>> bool(link.follow), link.describes
    /// (False, True)
    ///
    /// Source: Robot Exclusion Profile, robots-anchortext.
    #[getter]
    pub(crate) fn describes(&self, py: Python<'_>) -> PyResult<bool> {
        let follow = self.follow.bind(py);
        let allowed = [follow.is_truthy()?, self.anchor.bind(py).is_truthy()?];
        let is_by_mark = !allowed[0] && follow.getattr("reason")?.eq("mark-forbids")?;
        Ok(describes(allowed, is_by_mark, self.explicit))
    }

    /// The vote that its author casts, a `str`: `for`, `abstain` or `against`; or `None`.
    ///
    /// Source: vote-links microformat (`rev="vote-for"`).
    #[getter]
    fn vote(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let rev = self.rev.bind(py).to_cow()?.to_ascii_lowercase();
        let vote = |word: &str| {
            let vote = word.strip_prefix("vote-")?;
            VOTES.iter().find(|known| **known == vote).copied()
        };
        Ok(rev.split_ascii_whitespace().find_map(vote))
    }

    /// Return plain values, for JSON: a `dict` with address, text, relations, what is allowed, line, kind.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("url", &self.url)?;
        dict.set_item("text", &self.text)?;
        dict.set_item("gaps", self.gaps.bind(py).to_list())?;
        dict.set_item("rel", &self.rel)?;
        dict.set_item("rev", &self.rev)?;
        dict.set_item("follow", self.follow.bind(py).is_truthy()?)?;
        dict.set_item("follow_source", self.follow.bind(py).getattr("source")?)?;
        dict.set_item("anchor", self.anchor.bind(py).is_truthy()?)?;
        dict.set_item("describes", self.describes(py)?)?;
        dict.set_item("line", self.line)?;
        dict.set_item("kind", &self.kind)?;
        Ok(dict)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        match other.cast::<Link>() {
            Ok(other) => self.fields(py)?.eq(other.get().fields(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.fields(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let follow = if self.follow.bind(py).is_truthy()? { "follow" } else { "nofollow" };
        let url = self.url.bind(py).repr()?;
        Ok(format!("<Link {} {} line {}>", quoted(&url.to_cow()?, MOST_QUOTED), follow, self.line))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Link>(), self.fields(py)?))
    }
}

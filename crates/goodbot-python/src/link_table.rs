//! The links of a page by their targets, and the links packed for a database.

pub(crate) mod candidates;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use goodbot_core::address::{self, Address};
use goodbot_core::link_rows::{self, LinkRow, packed};
use goodbot_core::page::{self, Lines, Scan};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyType};

use self::candidates::LinkCandidates;
use crate::lists::{listed, named, other_threads_may_run, place};
use crate::octets::beside;
use crate::page_parts::{Link, describes, is_space};

/// The bits of a kind of link to a target (`goodbot.crawl.links.page_links`).
const FOLLOWED: u8 = 1;
const NOFOLLOW: u8 = 2;
const EXTERNAL: u8 = 16;

/// How many bytes the numbers and the quotation marks of a packed link take at most.
const BYTES_A_LINK: usize = 64;
/// How many bytes a character of it takes at most: a control character is written as an escape.
const BYTES_A_CHARACTER: usize = 6;

/// A link that could be resolved.
struct Row {
    /// The place of the link among those of the scan.
    link: usize,
    /// The number of its line.
    line: u32,
    /// The place of its target; none if it is not a URL of http or https.
    target: Option<usize>,
    /// Why it must not be followed, and why its text must not be used: places in a list of texts, of
    /// which the first is empty.
    forbids: usize,
    bars: usize,
    /// Whether its text may describe its target (`Link.describes`).
    describes: bool,
}

/// A URL that a page links to.
struct Target {
    address: Address,
    /// The place of the first link to it.
    first: usize,
    /// The place of the first link to it that may be followed.
    followed: Option<usize>,
}

/// The links of a page that could be resolved, by the URLs that they lead to.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct LinkTable {
    /// What has the links, as they were found.
    scan: Arc<Scan>,
    rows: Vec<Row>,
    targets: Vec<Target>,
    /// The statements to which the rows refer.
    statements: Vec<String>,
}

/// What a verdict says.
#[derive(Clone, Copy)]
struct Stated {
    /// The place of the statement; 0 if the verdict allows.
    place: usize,
    allows: bool,
    /// Whether it forbids because of a mark on the part.
    is_by_mark: bool,
}

/// The statements of verdicts, each once.
struct Statements {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl Statements {
    fn new() -> Statements {
        let nothing = String::new();
        Statements { texts: vec![nothing.clone()], places: HashMap::from([(nothing, 0)]) }
    }

    /// Returns what a verdict says.
    fn of(&mut self, verdict: &Bound<'_, PyAny>) -> PyResult<Stated> {
        let py = verdict.py();
        if verdict.getattr(intern!(py, "allowed"))?.is_truthy()? {
            return Ok(Stated { place: 0, allows: true, is_by_mark: false });
        }
        let (source, reason) = (verdict.getattr("source")?, verdict.getattr("reason")?);
        let is_by_mark = reason.eq("mark-forbids")?;
        let stated = if source.is_truthy()? { source } else { reason };
        let text = stated.str()?.to_string_lossy().into_owned();
        let place = *self.places.entry(text.clone()).or_insert(self.texts.len());
        if place == self.texts.len() {
            self.texts.push(text);
        }
        Ok(Stated { place, allows: false, is_by_mark })
    }
}

/// The rows and targets that were found so far.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    targets: Vec<Target>,
    places: HashMap<String, usize>,
}

impl Found {
    /// Adds a link, with what the verdicts on following it and on its text say.
    fn add(&mut self, place: usize, one: &page::Link, line: u32, [follow, anchor]: [Stated; 2]) {
        let here = self.rows.len();
        let target = address::address(&one.url).ok().map(|address| {
            *self.places.entry(address.url.clone()).or_insert_with(|| {
                self.targets.push(Target { address, first: here, followed: None });
                self.targets.len() - 1
            })
        });
        if let Some(target) = target.filter(|_| follow.place == 0) {
            self.targets[target].followed.get_or_insert(here);
        }
        let describes = describes([follow.allows, anchor.allows], follow.is_by_mark, one.explicit);
        let (forbids, bars) = (follow.place, anchor.place);
        self.rows.push(Row { link: place, line, target, forbids, bars, describes });
    }
}

impl LinkTable {
    /// Returns the table of the links of a scan; `follow` and `anchor` are the verdicts for its causes.
    pub(crate) fn of_scan(
        py: Python<'_>,
        scan: &Arc<Scan>,
        lines: &Lines,
        follow: &[Bound<'_, PyAny>],
        anchor: &[Bound<'_, PyAny>],
    ) -> PyResult<LinkTable> {
        let mut statements = Statements::new();
        let mut stated = |verdicts: &[Bound<'_, PyAny>]| -> PyResult<Vec<Stated>> {
            verdicts.iter().map(|verdict| statements.of(verdict)).collect()
        };
        let (follow, anchor) = (stated(follow)?, stated(anchor)?);
        let (mut found, mut near) = (Found::default(), 1);
        for (place, one) in scan.links.iter().enumerate() {
            other_threads_may_run(py, place);
            if one.unresolved.is_none() {
                let [by_follow, by_anchor] = one.causes;
                let stated = [*named(&follow, by_follow)?, *named(&anchor, by_anchor)?];
                found.add(place, one, lines.number_near(one.place, &mut near), stated);
            }
        }
        let Found { rows, targets, .. } = found;
        Ok(LinkTable { scan: scan.clone(), rows, targets, statements: statements.texts })
    }
}

#[pymethods]
impl LinkTable {
    #[new]
    fn new(py: Python<'_>, links: &Bound<'_, PyList>) -> PyResult<LinkTable> {
        let mut statements = Statements::new();
        // By the address of a verdict: most links share one. The links hold the verdicts.
        let mut known: HashMap<usize, Stated> = HashMap::new();
        let mut stated = |verdict: &Bound<'_, PyAny>| -> PyResult<Stated> {
            Ok(match known.entry(verdict.as_ptr() as usize) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(known) => *known.insert(statements.of(verdict)?),
            })
        };
        let (mut scan, mut found) = (Scan::default(), Found::default());
        for (number, link) in links.iter().enumerate() {
            other_threads_may_run(py, number);
            let link = link.cast_into::<Link>()?;
            let this = link.get();
            if this.resolved {
                let stated = [stated(this.follow.bind(py))?, stated(this.anchor.bind(py))?];
                let one = this.found(py, &mut scan.link_texts)?;
                found.add(scan.links.len(), &one, this.line, stated);
                scan.links.push(one);
            }
        }
        let Found { rows, targets, .. } = found;
        Ok(LinkTable { scan: Arc::new(scan), rows, targets, statements: statements.texts })
    }

    /// Return the URLs of http or https that the page links to, in the order of their first links: pairs
    /// of `found` and `entry`, the classes of `goodbot.crawl.frontier.protocol.Candidate`.
    ///
    /// A URL is found as its first link that may be followed, or else as its first link. `depth` is its
    /// depth, and `refuses` returns why it is out of bounds (`ScopeFilter`).
    fn candidates(
        slf: Py<Self>,
        depth: u32,
        refuses: Py<PyAny>,
        found: Py<PyType>,
        entry: Py<PyType>,
    ) -> LinkCandidates {
        LinkCandidates::new(slf, depth, refuses, found, entry)
    }

    /// The texts of links that may describe their targets (`Link.describes`), with single spaces: the
    /// place of the target in `candidates`, and the text. A part that is missing is a word of one
    /// ellipsis (`…`); ellipses of the author are three full stops.
    #[getter]
    fn anchors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let anchors = self.rows.iter().filter(|row| row.describes).filter_map(|row| {
            let (target, link) = (row.target?, self.link(row));
            let text = with_gaps(self.scan.link_text(link), &link.gaps);
            let words = in_single_spaces(&text);
            (!words.is_empty()).then(|| Ok((target, PyString::new(py, &words))))
        });
        listed(py, anchors)
    }

    /// Pack the links to `candidates` (`goodbot.crawl.links.page_links`).
    ///
    /// `origin` is that of the page, `withheld` says whether no text may be stored, and `known` returns
    /// the relations that may be stored without the text. The limits are the most links, the most
    /// characters of relations and of a text, and the most bytes. Return the kind of each target, the
    /// links, and how many are omitted.
    fn packed<'py>(
        &self,
        py: Python<'py>,
        origin: &str,
        withheld: bool,
        known: &Bound<'py, PyAny>,
        limits: (usize, usize, usize, usize),
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize)> {
        let (most_links, most_rel, most_text, most_bytes) = limits;
        let kind = |target: &Target| if target.address.origin == origin { 0 } else { EXTERNAL };
        let mut kinds: Vec<u8> = self.targets.iter().map(kind).collect();
        let mut names = vec![""];
        // The numbers under which statements are stored.
        let mut numbers: Vec<Option<u32>> = vec![None; self.statements.len()];
        numbers[0] = Some(0);
        let mut rows: Vec<LinkRow<'_>> = Vec::new();
        // What encloses the rows takes less than a link.
        let (mut omitted, mut size) = (0, BYTES_A_LINK);
        for (number, row) in self.rows.iter().enumerate() {
            other_threads_may_run(py, number);
            let Some(target) = row.target else { continue };
            kinds[target] |= if row.forbids == 0 { FOLLOWED } else { NOFOLLOW };
            let link = self.link(row);
            let is_bare = withheld || row.bars != 0;
            let text = if is_bare { "" } else { cut(self.scan.link_text(link), most_text) };
            let rel = &*link.rel;
            // A link within a part that must not be indexed has no text.
            let rel = if text.is_empty() && !rel.is_empty() {
                let known: String = known.call1((rel,))?.extract()?;
                Cow::Owned(cut(&known, most_rel).to_owned())
            } else {
                Cow::Borrowed(cut(rel, most_rel))
            };
            let mut takes = BYTES_A_LINK + room(&rel) + room(text);
            for statement in BTreeSet::from([row.bars, row.forbids]) {
                if numbers[statement].is_none() {
                    takes += room(&self.statements[statement]);
                }
            }
            if rows.len() >= most_links || size + takes > most_bytes {
                omitted += 1;
                continue;
            }
            size += takes;
            let [barred, forbids] = [row.bars, row.forbids].map(|statement| {
                *numbers[statement].get_or_insert_with(|| {
                    names.push(&self.statements[statement]);
                    place(names.len() - 1)
                })
            });
            rows.push(LinkRow {
                target: place(target),
                line: row.line,
                kind: link.kind as u32,
                rel,
                forbids,
                text,
                barred,
            });
        }
        let details = beside(py, size, || packed(&rows, &names));
        Ok((PyBytes::new(py, &kinds), PyBytes::new(py, &details), omitted))
    }
}

impl LinkTable {
    /// Returns the link of a row.
    fn link(&self, row: &Row) -> &page::Link {
        &self.scan.links[row.link]
    }
}

/// Pack numbers as the steps from one to the next (`goodbot.crawl.links.compact_rows`).
#[pyfunction]
pub(crate) fn packed_numbers(py: Python<'_>, numbers: Vec<i64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &link_rows::packed_numbers(&numbers))
}

/// Returns the text of a link with an ellipsis at each of its gaps, and no other ellipses.
fn with_gaps<'t>(text: &'t str, gaps: &[u32]) -> Cow<'t, str> {
    if gaps.is_empty() && !text.contains('…') {
        return Cow::Borrowed(text);
    }
    let mut gaps = gaps.iter().copied().peekable();
    let mut out = String::with_capacity(text.len() + 16);
    for (at, character) in (0..).zip(text.chars()) {
        if gaps.next_if_eq(&at).is_some() {
            out.push_str(" … ");
        } else if character == '…' {
            out.push_str("...");
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Returns the words of a text with single spaces between them.
fn in_single_spaces(text: &str) -> Cow<'_, str> {
    let octets = text.as_bytes();
    // As nearly all texts of links are: other white space is not in ASCII, or a control character.
    let is_plain = octets.iter().all(|octet| (b' '..=b'~').contains(octet))
        && !octets.windows(2).any(|pair| pair == b"  ")
        && octets.first() != Some(&b' ')
        && octets.last() != Some(&b' ');
    if is_plain {
        return Cow::Borrowed(text);
    }
    let words = text.split(is_space).filter(|word| !word.is_empty());
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// Returns the first characters of a text.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Returns how many bytes a text takes at most when it is packed.
fn room(text: &str) -> usize {
    BYTES_A_CHARACTER * text.chars().count()
}

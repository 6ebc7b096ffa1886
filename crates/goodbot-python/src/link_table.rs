//! The links of a page by their targets: each target once, and the links packed for a database.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use goodbot_core::address::{self, Address};
use goodbot_core::link_rows::{self, LinkRow, packed};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};

use crate::octets::beside;
use crate::page::{listed, place};
use crate::page_parts::{AT_ONCE, Link, is_space};

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
    link: Py<Link>,
    /// The place of its target; none if it is not a URL of http or https.
    target: Option<usize>,
    /// Why it must not be followed, and why its text must not be used: places in a list of texts, of
    /// which the first is empty.
    forbids: usize,
    bars: usize,
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
    rows: Vec<Row>,
    targets: Vec<Target>,
    /// The statements to which the rows refer.
    statements: Vec<String>,
}

/// The statements of verdicts, each once.
#[derive(Default)]
struct Statements {
    texts: Vec<String>,
    places: HashMap<String, usize>,
    /// The places by the address of a verdict: most links share one. The links hold the verdicts.
    known: HashMap<usize, usize>,
}

impl Statements {
    /// Returns the place of what a verdict states; 0 if it allows.
    fn place(&mut self, verdict: &Bound<'_, PyAny>) -> PyResult<usize> {
        let known = match self.known.entry(verdict.as_ptr() as usize) {
            Entry::Occupied(known) => return Ok(*known.get()),
            Entry::Vacant(known) => known,
        };
        let mut text = String::new();
        if !verdict.getattr("allowed")?.is_truthy()? {
            let source = verdict.getattr("source")?;
            let stated = if source.is_truthy()? { source } else { verdict.getattr("reason")? };
            text = stated.str()?.to_string_lossy().into_owned();
        }
        let place = *self.places.entry(text.clone()).or_insert(self.texts.len());
        if place == self.texts.len() {
            self.texts.push(text);
        }
        Ok(*known.insert(place))
    }
}

#[pymethods]
impl LinkTable {
    #[new]
    fn new(py: Python<'_>, links: &Bound<'_, PyList>) -> PyResult<LinkTable> {
        let mut statements = Statements::default();
        statements.places.insert(String::new(), 0);
        statements.texts.push(String::new());
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut rows = Vec::with_capacity(links.len());
        let mut targets: Vec<Target> = Vec::new();
        for (number, link) in links.iter().enumerate() {
            if number % AT_ONCE == AT_ONCE - 1 {
                py.detach(|| ());
            }
            let link = link.cast_into::<Link>()?;
            let this = link.get();
            if !this.resolved {
                continue;
            }
            let forbids = statements.place(this.follow.bind(py))?;
            let bars = statements.place(this.anchor.bind(py))?;
            let here = rows.len();
            let target = address::address(&this.url.bind(py).to_string_lossy()).ok().map(|found| {
                *places.entry(found.url.clone()).or_insert_with(|| {
                    targets.push(Target { address: found, first: here, followed: None });
                    targets.len() - 1
                })
            });
            if let Some(target) = target.filter(|_| forbids == 0) {
                targets[target].followed.get_or_insert(here);
            }
            rows.push(Row { link: link.unbind(), target, forbids, bars });
        }
        Ok(LinkTable { rows, targets, statements: statements.texts })
    }

    /// Return the URLs of http or https that the page links to, in the order of their first links: pairs
    /// of `found` and `entry`, the classes of `goodbot.crawl.frontier.protocol.Candidate`.
    ///
    /// A URL is found as its first link that may be followed, or else as its first link. `depth` is its
    /// depth, and `refuses` returns why it is out of bounds (`ScopeFilter`).
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        depth: u32,
        refuses: &Bound<'py, PyAny>,
        found: &Bound<'py, PyType>,
        entry: &Bound<'py, PyType>,
    ) -> PyResult<Bound<'py, PyList>> {
        // Named tuples, made without their constructors, which are written in Python.
        let make = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
        let (link, nothing) = (intern!(py, "link"), intern!(py, ""));
        let nofollow = intern!(py, "nofollow").as_any();
        let statements: Vec<_> =
            self.statements.iter().map(|text| PyString::new(py, text)).collect();
        let mut last: Option<(&str, Bound<'py, PyString>)> = None;
        listed(
            py,
            self.targets.iter().map(|target| {
                let Address { url, origin } = &target.address;
                let url = PyString::new(py, url);
                // Most links lead to the origin of the link before them.
                let origin = match &last {
                    Some((same, text)) if same == origin => text.clone(),
                    _ => last.insert((origin, PyString::new(py, origin))).1.clone(),
                };
                let mut place = target.first;
                let is_barred = self.rows[place].forbids != 0;
                let skipped = if is_barred && target.followed.is_none() {
                    nofollow.clone()
                } else {
                    let why_skipped = refuses.call1((&url, &origin, depth))?;
                    match (why_skipped.is_truthy()?, is_barred, target.followed) {
                        (true, true, _) => nofollow.clone(),
                        (true, false, _) => why_skipped,
                        (false, _, followed) => {
                            place = followed.filter(|_| is_barred).unwrap_or(place);
                            nothing.clone().into_any()
                        }
                    }
                };
                let row = &self.rows[place];
                let (written, why) = (row.link.get().url.bind(py), &statements[row.forbids]);
                let spelling = match spelling(&written.to_string_lossy()) {
                    text if text.is_empty() => nothing.clone(),
                    text => PyString::new(py, &text),
                };
                let found = make.call1((found, (written, link, row.forbids == 0, why)))?;
                let row = (url, origin, depth, 0, skipped, why, spelling);
                Ok((found, make.call1((entry, row))?))
            }),
        )
    }

    /// The texts of links that may describe their targets (`Link.describes`), with single spaces: the
    /// place of the target in `candidates`, and the text. A part that is missing is a word of one
    /// ellipsis (`…`); ellipses of the author are three full stops.
    #[getter]
    fn anchors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let anchors = self.rows.iter().map(|row| {
            let Some(target) = row.target else { return Ok(None) };
            let link = row.link.get();
            let text = link.text.bind(py).to_string_lossy();
            let gaps: Vec<usize> = link.gaps.bind(py).extract()?;
            let text = with_gaps(&text, &gaps);
            let mut words = text.split(is_space).filter(|word| !word.is_empty()).peekable();
            // The verdicts of most links have been read: both allow it.
            let may_describe = (row.forbids == 0 && row.bars == 0) || link.describes(py)?;
            if words.peek().is_none() || !may_describe {
                return Ok(None);
            }
            Ok(Some((target, words.collect::<Vec<_>>().join(" "))))
        });
        listed(py, anchors.filter_map(Result::transpose))
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
            if number % AT_ONCE == AT_ONCE - 1 {
                py.detach(|| ());
            }
            let Some(target) = row.target else { continue };
            kinds[target] |= if row.forbids == 0 { FOLLOWED } else { NOFOLLOW };
            let link = row.link.get();
            let is_bare = withheld || row.bars != 0;
            let text = if is_bare { "" } else { cut(link.text.bind(py).to_str()?, most_text) };
            let rel = link.rel.bind(py).to_str()?;
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
            let kind = kind_of(&link.kind.bind(py).to_string_lossy());
            let target = place(target);
            rows.push(LinkRow { target, line: link.line, kind, rel, forbids, text, barred });
        }
        let details = beside(py, size, || packed(&rows, &names));
        Ok((PyBytes::new(py, &kinds), PyBytes::new(py, &details), omitted))
    }
}

/// Pack numbers as the steps from one to the next (`goodbot.crawl.links.compact_rows`).
#[pyfunction]
pub(crate) fn packed_numbers(py: Python<'_>, numbers: Vec<i64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &link_rows::packed_numbers(&numbers))
}

/// Returns a URL as it is written, if its escapes differ in its normal form; else an empty text
/// (`goodbot.http.address.spelling_of`).
fn spelling(url: &str) -> String {
    if !url.contains('%') {
        return String::new();
    }
    address::in_both_spellings(url).ok().and_then(|(_, written)| written).unwrap_or_default()
}

/// Returns the text of a link with an ellipsis at each of its gaps, and no other ellipses.
fn with_gaps<'t>(text: &'t str, gaps: &[usize]) -> Cow<'t, str> {
    if gaps.is_empty() && !text.contains('…') {
        return Cow::Borrowed(text);
    }
    let mut gaps = gaps.iter().copied().peekable();
    let mut out = String::with_capacity(text.len() + 16);
    for (at, character) in text.chars().enumerate() {
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

/// Returns the first characters of a text.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Returns how many bytes a text takes at most when it is packed.
fn room(text: &str) -> usize {
    BYTES_A_CHARACTER * text.chars().count()
}

/// Returns the place of a kind of link in the list of them.
fn kind_of(slug: &str) -> u32 {
    let known = goodbot_core::page::LinkKind::ALL.iter();
    known.zip(0..).find_map(|(kind, place)| (kind.slug() == slug).then_some(place)).unwrap_or(0)
}

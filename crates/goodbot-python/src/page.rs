//! Pages: what the core parses from one; the Python package gives it a meaning.
//!
//! They are private to the package; `goodbot.page` is public. A document is parsed, the caller decides
//! what its marks mean, and it is scanned by that plan: nothing here calls back into Python. Parsing and
//! scanning release the GIL; code that creates many Python objects lets other threads run in between.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use goodbot_core::html::{self, Limits, Met, Tree};
use goodbot_core::page::{
    self, AttributeMark, Cause, ClassMark, Declared, Decoded, Facts, Lines, LinkKind, MarkTable,
    Plan, Region, RelationMark, Scan,
};
use goodbot_core::quote::prefix;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::link_table::LinkTable;
use crate::lists::{listed, named, place};
use crate::octets::beside;
use crate::page_inventory;
use crate::page_parts::{Joined, Link, Run};

/// A parsed document.
enum Parsed {
    Html(Tree),
    Xml(Box<page::Xml>),
}

impl Parsed {
    fn tree(&self) -> &Tree {
        match self {
            Parsed::Html(tree) => tree,
            Parsed::Xml(xml) => &xml.tree,
        }
    }
}

/// A tree that can be shared between threads.
struct SharedTree(Parsed);

impl SharedTree {
    fn html(text: &str) -> SharedTree {
        SharedTree(Parsed::Html(html::parse(text, &Limits::default())))
    }
}

// SAFETY: a tree is not `Send` because its texts have reference counts without atomics. All owners of a
// buffer are within one tree (the parser is gone, and texts are handed out only as `&str`); a `&Tree`
// neither clones nor drops a text, and only the owner of the whole tree drops it.
#[allow(unsafe_code, reason = "the counts of a tree change with the whole tree alone")]
unsafe impl Send for SharedTree {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "the counts of a tree change with the whole tree alone")]
unsafe impl Sync for SharedTree {}

/// A parsed page: its text, its tree, its lines.
struct Read {
    decoded: Decoded,
    tree: SharedTree,
    /// Shared with scans, which may outlive the document.
    lines: Arc<Lines>,
}

fn read(body: &[u8], charset: Option<&str>) -> Read {
    let mut decoded = page::decode(body, charset);
    decoded.text = html::normalised(std::mem::take(&mut decoded.text));
    let tree = SharedTree::html(&decoded.text);
    let lines = Arc::new(Lines::of(&decoded.text));
    Read { decoded, tree, lines }
}

fn read_xml(body: &[u8]) -> Read {
    let text = String::from_utf8_lossy(body);
    let broken = matches!(text, Cow::Owned(_));
    let text = html::normalised(text.into_owned());
    let tree = SharedTree(Parsed::Xml(Box::new(page::parse_xml(&text, &Limits::default()))));
    let lines = Arc::new(Lines::of(&text));
    Read { decoded: Decoded { broken, ..utf_8(text) }, tree, lines }
}

/// Wraps a text that the caller has already decoded.
fn utf_8(text: String) -> Decoded {
    Decoded {
        text,
        encoding: "UTF-8",
        declared: Declared::Header,
        broken: false,
        unknown: None,
        contradicted: false,
    }
}

/// What an HTML document declares, before its marks are given a meaning.
#[pyclass(frozen, get_all, module = "goodbot._core")]
pub(crate) struct HtmlFacts {
    /// The title, a `str`.
    title: String,
    /// The line of the title element, an `int`; 0 if there is none.
    title_line: u32,
    /// The `href` of the first BASE, as written: a `str`, or `None`.
    base: Option<String>,
    /// The `profile` of the HEAD and its line, or `None`.
    profile: Option<(String, u32)>,
    /// META elements: name, content, whether it is an http-equiv, whether in the HEAD, line.
    metas: Py<PyList>,
    /// META elements with VALUE in place of CONTENT: name, value, line.
    valued: Py<PyList>,
    /// LINK elements: rel, href, type, name, content, whether in the HEAD, line.
    links: Py<PyList>,
    /// Comments that begin with a watched word: text, the bytes at which they begin and end.
    comments: Py<PyList>,
    /// The bytes at which NOINDEX elements begin and end: position, whether it is an end tag.
    noindex: Py<PyList>,
    /// Scripts of JSON-LD: text and line.
    json_ld: Py<PyList>,
    /// Scripts that are licences of RSL: text, line, whether in the HEAD.
    rsl_licenses: Py<PyList>,
    noscripts: Py<PyList>,
    /// Scripts that may lead to another page: the element that runs them, their beginning, line.
    leading: Py<PyList>,
    /// Elements that lead to a page and are no A with an HREF: name, attribute, its value, line.
    unlinked: Py<PyList>,
    /// The bytes of the decoded text, an `int`.
    length: usize,
    /// The name of the encoding, a `str`.
    encoding: &'static str,
    /// What declares the encoding: `byte order mark`, `Content-Type`, `META`, `nobody`, `fallback`.
    declared: &'static str,
    /// Whether some bytes are invalid in the encoding.
    broken: bool,
    /// A declared name that is not the name of an encoding, or `None`.
    unknown: Option<String>,
    /// Whether header and META disagree on the encoding.
    contradicted: bool,
    /// The line at which each limit was met: `depth`, `nodes`, `attributes`.
    met: Py<PyDict>,
    /// For XML, the byte at which parsing ended, an `int`; for HTML, the length.
    read_to: usize,
    /// Robots processing instructions: data, line, whether after text or a link, whether in an entity.
    /// In HTML they are comments; they are listed here if they are watched for, and never count as late.
    instructions: Py<PyList>,
    /// For XML, what is not well-formed and its line, or `None`.
    fault: Option<(&'static str, u32)>,
    /// For XML, the name of the first entity that is too long or made of others, or `None`.
    unsafe_entity: Option<String>,
    /// The line of the first text of a feed that is escaped HTML.
    escaped_html: Option<u32>,
    /// Whether it declares nothing but a title, META and LINK elements: everything else above is
    /// empty, no limit was met, and nothing is to be reported of the encoding.
    is_plain: bool,
}

/// Returns everything that a document declares, as Python objects.
fn told_facts(py: Python<'_>, read: &Read, facts: &Facts) -> PyResult<HtmlFacts> {
    let line = |place: u32| read.lines.number(place);
    let metas = facts.metas.iter().map(|meta| {
        Ok((&*meta.name, &*meta.content, meta.http_equiv, meta.in_head, line(meta.place)))
    });
    let valued = facts.valued.iter();
    let valued = valued.map(|(name, value, place)| Ok((&**name, &**value, line(*place))));
    let links = facts.links.iter().map(|link| {
        let (name, content) = (&*link.name, &*link.content);
        let line = line(link.place);
        Ok((&*link.rel, &*link.href, &*link.media_type, name, content, link.in_head, line))
    });
    let comments =
        facts.comments.iter().map(|comment| Ok((&*comment.text, comment.start, comment.end)));
    let json_ld = facts.json_ld.iter().map(|(text, place)| Ok((&**text, line(*place))));
    let leading = facts.leading.iter();
    let leading = leading.map(|one| Ok((&*one.element, &*one.script, line(one.place))));
    let unlinked = facts.unlinked.iter();
    let unlinked =
        unlinked.map(|one| Ok((&*one.element, &*one.attribute, &*one.address, line(one.place))));
    let noscripts = facts.noscripts.iter().map(|(text, place)| Ok((&**text, line(*place))));
    let licenses = facts.rsl_licenses.iter().map(|one| Ok((&*one.0, line(one.1), one.2)));
    let xml = match &read.tree.0 {
        Parsed::Html(_) => None,
        Parsed::Xml(xml) => Some(xml),
    };
    let instructions = xml.map_or(&[][..], |xml| &xml.instructions);
    let instructions =
        instructions.iter().map(|one| Ok((&*one.data, line(one.place), one.late, one.in_entity)));
    // In HTML they are comments, which are reported if they are watched for.
    let in_comments = facts.comments.iter().filter_map(|comment| {
        Some(Ok((comment.instruction()?, line(comment.start), false, false)))
    });
    Ok(HtmlFacts {
        title: facts.title.clone(),
        title_line: facts.title_node.map_or(0, |id| line(read.tree.0.tree().node(id).start)),
        base: facts.base.clone(),
        profile: facts.profile.as_ref().map(|(profile, place)| (profile.clone(), line(*place))),
        metas: listed(py, metas)?.unbind(),
        valued: listed(py, valued)?.unbind(),
        links: listed(py, links)?.unbind(),
        comments: listed(py, comments)?.unbind(),
        noindex: listed(py, facts.noindex.iter().copied().map(Ok))?.unbind(),
        json_ld: listed(py, json_ld)?.unbind(),
        rsl_licenses: listed(py, licenses)?.unbind(),
        noscripts: listed(py, noscripts)?.unbind(),
        leading: listed(py, leading)?.unbind(),
        unlinked: listed(py, unlinked)?.unbind(),
        length: read.decoded.text.len(),
        encoding: read.decoded.encoding,
        declared: read.decoded.declared.slug(),
        broken: read.decoded.broken,
        unknown: read.decoded.unknown.clone(),
        contradicted: read.decoded.contradicted,
        met: met(py, read)?.unbind(),
        read_to: xml.map_or(read.decoded.text.len(), |xml| xml.read_to),
        instructions: listed(py, instructions.chain(in_comments))?.unbind(),
        fault: xml.and_then(|xml| xml.fault).map(|fault| (fault.what, line(place(fault.at)))),
        unsafe_entity: xml.and_then(|xml| xml.unsafe_entity.clone()),
        escaped_html: xml.and_then(|xml| xml.escaped_html).map(line),
        is_plain: xml.is_none() && is_plain(read, facts),
    })
}

/// Whether an HTML document declares nothing but a title, META and LINK elements.
fn is_plain(read: &Read, facts: &Facts) -> bool {
    let Facts { valued, comments, noindex, json_ld, rsl_licenses, .. } = facts;
    let Facts { noscripts, leading, unlinked, base, profile, .. } = facts;
    let Decoded { declared, broken, unknown, contradicted, .. } = &read.decoded;
    valued.is_empty()
        && comments.is_empty()
        && noindex.is_empty()
        && json_ld.is_empty()
        && rsl_licenses.is_empty()
        && noscripts.is_empty()
        && leading.is_empty()
        && unlinked.is_empty()
        && base.is_none()
        && profile.is_none()
        && !(*broken || *contradicted || unknown.is_some() || *declared == Declared::Fallback)
        && read.tree.0.tree().met() == Met::default()
}

fn met<'py>(py: Python<'py>, read: &Read) -> PyResult<Bound<'py, PyDict>> {
    let places = read.tree.0.tree().met().places();
    let met = PyDict::new(py);
    for (name, place) in Met::LIMITS.into_iter().zip(places) {
        if let Some(place) = place {
            met.set_item(name, read.lines.number(place))?;
        }
    }
    Ok(met)
}

/// What marks mean, wherever they are: the caller decides that, and pages may share a table.
#[pyclass(frozen, name = "MarkTable", module = "goodbot._core")]
pub(crate) struct SharedMarks(Arc<MarkTable>);

/// A class as the caller describes it: forbids, allows, names the robot, nests, row.
type Class = (u8, u8, bool, bool, u16);

#[pymethods]
impl SharedMarks {
    #[new]
    fn new(
        classes: HashMap<String, Class>,
        numbered: HashMap<String, Class>,
        numbers: HashSet<String>,
        attributes: Vec<(String, Vec<String>, u8, u16)>,
        relations: HashMap<String, (u8, bool, u16)>,
    ) -> SharedMarks {
        let class = |(name, (forbids, allows, specific, nests, row)): (String, Class)| {
            (name, ClassMark { forbids, allows, specific, nests, row })
        };
        let attribute =
            |(name, elements, forbids, row)| AttributeMark { name, elements, forbids, row };
        let relation =
            |(name, (forbids, yields, row))| (name, RelationMark { forbids, yields, row });
        SharedMarks(Arc::new(MarkTable {
            classes: classes.into_iter().map(class).collect(),
            numbered: numbered.into_iter().map(class).collect(),
            numbers,
            attributes: attributes.into_iter().map(attribute).collect(),
            relations: relations.into_iter().map(relation).collect(),
        }))
    }
}

/// Returns the caller's plan, from the `dict` that the caller decided on.
fn plan<'py>(decided: &Bound<'py, PyDict>) -> PyResult<Plan> {
    let py = decided.py();
    let get = |name: &Bound<'py, PyString>| decided.as_any().get_item(name);
    let mut plan = Plan {
        table: get(intern!(py, "table"))?.cast::<SharedMarks>()?.get().0.clone(),
        base: get(intern!(py, "base"))?.extract()?,
        most_links: get(intern!(py, "most_links"))?.extract()?,
        most_runs: get(intern!(py, "most_runs"))?.extract()?,
        most_url_bytes: get(intern!(py, "most_url_bytes"))?.extract()?,
        ..Plan::default()
    };
    for region in get(intern!(py, "regions"))?.cast::<PyList>()? {
        let (start, end, forbids, row) = region.extract()?;
        plan.regions.push(Region { start, end, forbids, row });
    }
    Ok(plan)
}

/// The fewest bytes of text for which a document is freed in another thread: it has up to a million
/// nodes, and the thread that drops the last reference has the GIL.
const LARGE: usize = 256 * 1024;

impl Drop for HtmlDocument {
    fn drop(&mut self) {
        let Read { decoded, tree, .. } = &mut self.read;
        if decoded.text.len() >= LARGE {
            let tree = std::mem::replace(tree, SharedTree::html(""));
            let said = std::mem::take(&mut self.said);
            // If no thread can be started, the document is freed here.
            let _ = std::thread::Builder::new().spawn(move || drop((tree, said)));
        }
    }
}

/// A parsed HTML document: read `facts`, then `scan` by a plan that the caller decided on.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct HtmlDocument {
    read: Read,
    said: Facts,
    /// The same as Python objects, created on first use.
    facts: PyOnceLock<Py<HtmlFacts>>,
}

/// Parse an HTML document; the GIL is released meanwhile.
///
/// `watched` are the first words of comments to report, in lower case.
#[pyfunction]
pub(crate) fn parse_html(
    py: Python<'_>,
    body: &[u8],
    charset: Option<&str>,
    watched: Vec<PyBackedStr>,
) -> HtmlDocument {
    document(py, body.len(), &watched, || read(body, charset))
}

/// Parse an XML document in UTF-8, as far as it is well-formed; the GIL is released meanwhile.
///
/// `watched` are the first words of comments to report, in lower case.
#[pyfunction]
pub(crate) fn parse_xml(py: Python<'_>, body: &[u8], watched: Vec<PyBackedStr>) -> HtmlDocument {
    document(py, body.len(), &watched, || read_xml(body))
}

/// Builds a document, with what it declares.
fn document(
    py: Python<'_>,
    bytes: usize,
    watched: &[PyBackedStr],
    read: impl Fn() -> Read + Send + Sync,
) -> HtmlDocument {
    let (read, said) = beside(py, bytes, || {
        let read = read();
        let facts = page::facts(read.tree.0.tree(), watched);
        (read, facts)
    });
    HtmlDocument { read, said, facts: PyOnceLock::new() }
}

#[pymethods]
impl HtmlDocument {
    /// What the document declares, `HtmlFacts`.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, HtmlFacts>> {
        let make = || Py::new(py, told_facts(py, &self.read, &self.said)?);
        Ok(self.facts.get_or_try_init(py, make)?.bind(py))
    }

    /// Parse the unread rest of an XML document as HTML, with line numbers of the whole document.
    ///
    /// Return `None` if there is no rest. `watched` is as for `parse_html`; the GIL is released.
    fn rest(&self, py: Python<'_>, watched: Vec<PyBackedStr>) -> Option<HtmlDocument> {
        let Parsed::Xml(xml) = &self.read.tree.0 else { return None };
        let text = &self.read.decoded.text[xml.read_to..];
        if text.trim_ascii().is_empty() {
            return None;
        }
        let first = self.read.lines.number(place(xml.read_to));
        let read = || {
            let (decoded, tree) = (utf_8(text.to_owned()), SharedTree::html(text));
            Read { decoded, tree, lines: Arc::new(Lines::from(text, first)) }
        };
        Some(document(py, text.len(), &watched, read))
    }

    /// List the elements that carry marks, or classes that resemble them: name, the classes that
    /// begin like those meant for robots, whether it has `data-nosnippet`, line.
    fn marked(&self) -> Vec<(String, Vec<String>, bool, u32)> {
        let line = |place: u32| self.read.lines.number(place);
        let found = page::marked_elements(self.read.tree.0.tree()).into_iter();
        found.map(|one| (one.name, one.classes, one.nosnippet, line(one.place))).collect()
    }

    /// Find runs of text and links by a plan, a `dict`; the GIL is released meanwhile.
    fn scan(slf: &Bound<'_, Self>, plan: &Bound<'_, PyDict>) -> PyResult<HtmlScan> {
        let plan = self::plan(plan)?;
        let HtmlDocument { read, said: facts, .. } = slf.get();
        let scan = beside(slf.py(), read.decoded.text.len(), || match &read.tree.0 {
            Parsed::Html(tree) => page::scan(tree, facts, &plan),
            Parsed::Xml(xml) => page::scan_xml(xml, facts, &plan),
        });
        Ok(HtmlScan { scan: Arc::new(scan), lines: read.lines.clone() })
    }

    /// Return the copy that may be kept: `(html, [(row, allows, line, line of the cut, bytes)])`.
    ///
    /// `spoken` are the numbers of META elements, LINK elements and comments, among those of `facts`,
    /// that address robots and so are kept wherever they are. The GIL is released meanwhile.
    fn archive(
        &self,
        py: Python<'_>,
        plan: &Bound<'_, PyDict>,
        spoken: [Vec<usize>; 3],
    ) -> PyResult<(String, Vec<(u16, bool, u32, u32, u32)>)> {
        let mut plan = self::plan(plan)?;
        let [metas, links, comments] = spoken;
        let Facts { metas: all_metas, links: all_links, comments: all_comments, .. } = &self.said;
        plan.kept.extend(metas.iter().filter_map(|at| Some(all_metas.get(*at)?.place)));
        plan.kept.extend(links.iter().filter_map(|at| Some(all_links.get(*at)?.place)));
        plan.kept.extend(comments.iter().filter_map(|at| Some(all_comments.get(*at)?.start)));
        let Read { decoded, tree, lines } = &self.read;
        let (text, cuts) = beside(py, decoded.text.len(), || match &tree.0 {
            Parsed::Html(tree) => {
                let copied = page::archive(tree, &decoded.text, &plan);
                // What was not parsed may be marked, so it is in no copy.
                if !copied.changed && tree.met() == Met::default() {
                    return (decoded.text.clone(), Vec::new());
                }
                (copied.html, copied.cuts)
            }
            Parsed::Xml(xml) => {
                let copied = page::copy_xml(xml, &decoded.text, &plan);
                (copied.text, copied.cuts)
            }
        });
        let cut = |cut: &page::Cut| {
            let (row, allows, line) = told(cut.cause, lines);
            (row, allows, line, lines.number(cut.place), cut.octets)
        };
        let cuts = cuts.iter().map(cut).collect();
        Ok((text, cuts))
    }
}

/// The results of a scan: first the causes, so that the caller can name them.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct HtmlScan {
    scan: Arc<Scan>,
    lines: Arc<Lines>,
}

/// The object that stands for each cause; the first one stands for nothing stated.
type Names<'py> = Vec<Bound<'py, PyAny>>;

#[pymethods]
impl HtmlScan {
    /// The causes of decisions, in the order of their numbers from 1: `(row of the plan, allows, line)`.
    #[getter]
    fn causes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        listed(py, self.scan.causes.iter().map(|cause| Ok(told(*cause, &self.lines))))
    }

    /// Whether anything is to be reported: parts that were not kept, links that were not resolved, or
    /// classes that are odd.
    #[getter]
    fn is_odd(&self) -> bool {
        let Scan { cut, conflicts, idle, strangers, links, .. } = &*self.scan;
        *cut || !conflicts.is_empty()
            || idle.is_some()
            || !strangers.is_empty()
            || links.iter().any(|link| link.unresolved.is_some())
    }

    /// Whether a link is a refresh, or leads to a script.
    #[getter]
    fn has_other_links(&self) -> bool {
        let leads_to_script = |url: &str| {
            url.get(..SCRIPT.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCRIPT))
        };
        let mut links = self.scan.links.iter();
        links.any(|link| link.kind != LinkKind::Link || leads_to_script(&link.url))
    }

    /// The lines at which classes of one element contradict each other.
    #[getter]
    fn conflicts(&self) -> Vec<u32> {
        self.scan.conflicts.iter().map(|place| self.lines.number(*place)).collect()
    }

    /// Whether there are more links or runs than the plan accepts.
    #[getter]
    fn cut(&self) -> bool {
        self.scan.cut
    }

    /// Links that were not resolved: the beginning of the address, why, line. Only the first are
    /// listed, because few are shown.
    #[getter]
    fn unresolved(&self) -> Vec<(&str, &'static str, u32)> {
        let links = self.scan.links.iter().filter_map(|link| Some((link, link.unresolved?)));
        links
            .take(MOST_UNRESOLVED)
            .map(|(link, why)| {
                let shown = prefix(&link.url, LONGEST_SHOWN);
                (shown, why.slug(), self.lines.number(link.place))
            })
            .collect()
    }

    /// The line of the first class that would mean something under another plan, or `None`.
    #[getter]
    fn idle(&self) -> Option<u32> {
        self.scan.idle.map(|place| self.lines.number(place))
    }

    /// Classes that look as if they were meant for robots, but are unknown: each with a line.
    #[getter]
    fn strangers(&self) -> Vec<(&str, u32)> {
        let line = |place: u32| self.lines.number(place);
        self.scan.strangers.iter().map(|(class, place)| (&**class, line(*place))).collect()
    }

    /// The numbers of the causes that decided on title, description and keywords: for each, whether
    /// it may be indexed, archived and quoted; 0 if nothing is stated.
    #[getter]
    fn described(&self) -> [(u32, u32, u32); 3] {
        self.scan.described.map(|[index, archive, snippet]| (index, archive, snippet))
    }

    /// What a site's owner wants to know of the page, as a tuple.
    #[getter]
    fn inventory<'py>(&'py self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        page_inventory::listed(py, &self.scan.inventory)
    }

    /// Return the runs: a list of `Run`, with the objects for the causes of the three permissions.
    fn runs<'py>(
        &self,
        py: Python<'py>,
        index: Names<'py>,
        archive: Names<'py>,
        snippet: Names<'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut near = 1;
        let runs = self.scan.runs.iter().map(|run| {
            let [by_index, by_archive, by_snippet] = run.causes;
            Bound::new(
                py,
                Run::new(
                    PyString::new(py, self.scan.text(run)),
                    named(&index, by_index)?.clone(),
                    named(&archive, by_archive)?.clone(),
                    named(&snippet, by_snippet)?.clone(),
                    run.block,
                    self.lines.number_near(run.place, &mut near),
                ),
            )
        });
        listed(py, runs)
    }

    /// Return the text of all runs; see `joined_runs`.
    fn text(&self) -> String {
        let mut joined = Joined::default();
        for run in &self.scan.runs {
            joined.add(self.scan.text(run), run.block, true);
        }
        joined.text()
    }

    /// Return the `LinkTable` of the links, with the objects for the causes of the two permissions.
    fn table(&self, py: Python<'_>, follow: Names<'_>, anchor: Names<'_>) -> PyResult<LinkTable> {
        LinkTable::of_scan(py, &self.scan, &self.lines, &follow, &anchor)
    }

    /// Return the links: a list of `Link`, with the objects for the causes of the two permissions.
    fn links<'py>(
        &self,
        py: Python<'py>,
        follow: Names<'py>,
        anchor: Names<'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let text = |text: &str| PyString::new(py, text);
        let kinds: Vec<_> =
            LinkKind::ALL.iter().map(|kind| PyString::intern(py, kind.slug())).collect();
        let mut near = 1;
        let links = self.scan.links.iter().map(|link| {
            let [by_follow, by_anchor] = link.causes;
            Bound::new(
                py,
                Link::new(
                    text(&link.url),
                    text(self.scan.link_text(link)),
                    text(&link.rel),
                    text(&link.rev),
                    named(&follow, by_follow)?.clone(),
                    named(&anchor, by_anchor)?.clone(),
                    link.unresolved.is_none(),
                    self.lines.number_near(link.place, &mut near),
                    kinds[link.kind as usize].clone(),
                    link.explicit,
                    Some(PyTuple::new(py, &link.gaps)?),
                ),
            )
        });
        listed(py, links)
    }
}

fn told(cause: Cause, lines: &Lines) -> (u16, bool, u32) {
    (cause.row, cause.allows, lines.number(cause.place))
}

/// The base of a document, parsed once; its links are resolved against it, up to the longest URL.
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct UrlBase(page::Base);

#[pymethods]
impl UrlBase {
    #[new]
    fn new(base: &str) -> UrlBase {
        UrlBase(page::Base::new(base))
    }

    /// Resolve a link: return the URL, or `None`, and why there is none.
    fn resolve(&self, href: &str) -> (Option<String>, &'static str) {
        match self.0.resolve(href) {
            Ok(url) => (Some(url), ""),
            Err(why) => (None, why.slug()),
        }
    }
}

/// Return where a refresh leads, as written: the content of `<meta http-equiv=refresh>`, or the value of
/// the header field Refresh; `None` if it only reloads the page.
#[pyfunction]
pub(crate) fn refresh_target(content: &str) -> Option<&str> {
    page::refresh_target(content)
}

/// The beginning of the address of a script.
const SCRIPT: &str = "javascript:";

/// Return an upper bound on the elements and lines of a document, from its bytes alone.
#[pyfunction]
pub(crate) fn count_pieces(body: &[u8]) -> usize {
    page::count_pieces(body)
}

/// Return whether some bytes of a document may contain `RobotExclusion.Names`, in any encoding.
#[pyfunction]
pub(crate) fn may_name_robots(piece: &[u8]) -> bool {
    page::may_name_robots(piece)
}

/// One more than the number of findings that are listed.
const MOST_UNRESOLVED: usize = 1_001;

/// The most bytes shown of an address that was not resolved.
const LONGEST_SHOWN: usize = 256;

/// Return the product that a robot's name or User-Agent string names, without version and comment.
#[pyfunction]
pub(crate) fn robot_product(robot: &str) -> &str {
    goodbot_core::robots_txt::product(robot.trim())
}

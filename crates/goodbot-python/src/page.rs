//! Pages: what the core reads of one, for the Python package to give a meaning.
//!
//! These functions are the package's own; `goodbot.page` is their public face.

use goodbot_core::html::{self, Kind, Limits, Met, NodeId, Space, Tree};
use goodbot_core::page::{
    self, AttributeMark, Cause, ClassMark, Declared, Decoded, Facts, Lines, Plan, Region,
    RelationMark, Scan,
};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::page_parts::{Link, Run};

/// A page that has been read: its text, its tree, its lines.
struct Read {
    decoded: Decoded,
    tree: Tree,
    lines: Lines,
}

fn read(body: &[u8], charset: Option<&str>) -> Read {
    let mut decoded = page::decode(body, charset);
    decoded.text = html::normalised(std::mem::take(&mut decoded.text));
    let tree = html::parse(&decoded.text, &Limits::default());
    let lines = Lines::of(&decoded.text);
    Read { decoded, tree, lines }
}

/// What the page says of itself, as a `dict`.
fn facts<'py>(py: Python<'py>, read: &Read, watched: &[String]) -> PyResult<Bound<'py, PyDict>> {
    let Facts { title, base, profile, metas, links, comments, noindex, json_ld } =
        page::facts(&read.tree, watched);
    let line = |place: u32| read.lines.number(place);
    let dict = PyDict::new(py);
    dict.set_item("title", title)?;
    dict.set_item("base", base)?;
    dict.set_item("profile", profile.map(|(profile, place)| (profile, line(place))))?;
    let metas: Vec<_> = metas
        .into_iter()
        .map(|meta| (meta.name, meta.content, meta.http_equiv, meta.in_head, line(meta.place)))
        .collect();
    dict.set_item("metas", metas)?;
    let links: Vec<_> = links
        .into_iter()
        .map(|link| {
            let line = line(link.place);
            (link.rel, link.href, link.media_type, link.name, link.content, link.in_head, line)
        })
        .collect();
    dict.set_item("links", links)?;
    let comments: Vec<_> =
        comments.into_iter().map(|comment| (comment.text, comment.start, comment.end)).collect();
    dict.set_item("comments", comments)?;
    dict.set_item("noindex", noindex)?;
    let json_ld: Vec<_> = json_ld.into_iter().map(|(text, place)| (text, line(place))).collect();
    dict.set_item("json_ld", json_ld)?;
    dict.set_item("length", read.decoded.text.len())?;
    encoding(&dict, &read.decoded)?;
    limits(&dict, read)?;
    Ok(dict)
}

fn encoding(dict: &Bound<'_, PyDict>, decoded: &Decoded) -> PyResult<()> {
    let declared = match decoded.declared {
        Declared::ByteOrderMark => "byte order mark",
        Declared::Header => "Content-Type",
        Declared::Meta => "META",
        Declared::Nobody => "nobody",
        Declared::Fallback => "fallback",
    };
    dict.set_item("encoding", decoded.encoding)?;
    dict.set_item("declared", declared)?;
    dict.set_item("broken", decoded.broken)?;
    dict.set_item("unknown", decoded.unknown.as_deref())?;
    dict.set_item("contradicted", decoded.contradicted)
}

fn limits(dict: &Bound<'_, PyDict>, read: &Read) -> PyResult<()> {
    let met = read.tree.met();
    let places = [("depth", met.depth), ("nodes", met.nodes), ("attributes", met.attributes)];
    let met = PyDict::new(dict.py());
    for (name, place) in places {
        if let Some(place) = place {
            met.set_item(name, read.lines.number(place))?;
        }
    }
    dict.set_item("met", met)
}

/// The caller's plan, from the `dict` that it decided on.
fn plan(decided: &Bound<'_, PyDict>) -> PyResult<Plan> {
    let get = |name: &str| -> PyResult<Bound<'_, PyAny>> { decided.as_any().get_item(name) };
    let mut plan = Plan {
        classes_outweigh_relations: get("classes_outweigh_relations")?.extract()?,
        base: get("base")?.extract()?,
        most_links: get("most_links")?.extract()?,
        most_runs: get("most_runs")?.extract()?,
        ..Plan::default()
    };
    for (name, mark) in get("classes")?.cast::<PyDict>()? {
        let (forbids, allows, specific, nests, row) = mark.extract()?;
        plan.classes.insert(name.extract()?, ClassMark { forbids, allows, specific, nests, row });
    }
    for mark in get("attributes")?.cast::<PyList>()? {
        let (name, elements, forbids, row) = mark.extract()?;
        plan.attributes.push(AttributeMark { name, elements, forbids, row });
    }
    for (name, mark) in get("relations")?.cast::<PyDict>()? {
        let (forbids, row) = mark.extract()?;
        plan.relations.insert(name.extract()?, RelationMark { forbids, row });
    }
    for region in get("regions")?.cast::<PyList>()? {
        let (start, end, forbids, row) = region.extract()?;
        plan.regions.push(Region { start, end, forbids, row });
    }
    Ok(plan)
}

/// Reads a page of HTML.
///
/// `decide` takes what the page says of itself, a `dict`, and gives the plan, a `dict`. `name` takes
/// what decided, a list of `(row, allows, line)`, and gives for each act a list of what stands for it,
/// nothing said first. The result has tuples of these.
#[pyfunction]
pub(crate) fn read_html<'py>(
    py: Python<'py>,
    body: &[u8],
    charset: Option<&str>,
    watched: Vec<String>,
    decide: &Bound<'py, PyAny>,
    name: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let read = read(body, charset);
    let facts = facts(py, &read, &watched)?;
    let plan = plan(decide.call1((&facts,))?.cast::<PyDict>()?)?;
    let scan = page::scan(&read.tree, &plan);
    let causes: Vec<_> = scan.causes.iter().map(|cause| told(*cause, &read.lines)).collect();
    let names = name.call1((causes,))?.cast_into::<PyTuple>()?;
    let names: Names<'py> = names.extract()?;
    facts.set_item("runs", runs(py, &scan, &read.lines, &names)?)?;
    facts.set_item("anchors", links(py, &scan, &read.lines, &names)?)?;
    let conflicts: Vec<_> = scan.conflicts.iter().map(|place| read.lines.number(*place)).collect();
    facts.set_item("conflicts", conflicts)?;
    facts.set_item("cut", scan.cut)?;
    let unresolved = scan.links.iter().filter(|link| !link.resolved);
    let unresolved: Vec<_> =
        unresolved.map(|link| (link.url.as_str(), read.lines.number(link.place))).collect();
    facts.set_item("unresolved", unresolved)?;
    facts.set_item("idle", scan.idle.map(|place| read.lines.number(place)))?;
    Ok(facts)
}

fn told(cause: Cause, lines: &Lines) -> (u16, bool, u32) {
    (cause.row, cause.allows, lines.number(cause.place))
}

/// The names of the acts' causes, in the order of `Act`: index, follow, anchor, archive, snippet.
type Names<'py> = [Vec<Bound<'py, PyAny>>; 5];

fn named<'py>(names: &[Bound<'py, PyAny>], cause: u32) -> PyResult<Bound<'py, PyAny>> {
    let name = names.get(cause as usize).cloned();
    name.ok_or_else(|| PyIndexError::new_err("a cause has no name"))
}

fn runs<'py>(
    py: Python<'py>,
    scan: &Scan,
    lines: &Lines,
    names: &Names<'py>,
) -> PyResult<Bound<'py, PyList>> {
    let [index, _, _, archive, snippet] = names;
    let mut near = 1;
    let told = scan.runs.iter().map(|run| {
        let [by_index, by_archive, by_snippet] = run.causes;
        let run = Run::new(
            PyString::new(py, scan.text(run)),
            named(index, by_index)?,
            named(archive, by_archive)?,
            named(snippet, by_snippet)?,
            run.block,
            lines.number_near(run.place, &mut near),
        );
        Bound::new(py, run)
    });
    PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)
}

fn links<'py>(
    py: Python<'py>,
    scan: &Scan,
    lines: &Lines,
    names: &Names<'py>,
) -> PyResult<Bound<'py, PyList>> {
    let [_, follow, anchor, _, _] = names;
    let text = |text: &str| PyString::new(py, text);
    let mut near = 1;
    let told = scan.links.iter().map(|link| {
        let [by_follow, by_anchor] = link.causes;
        let link = Link::new(
            text(&link.url),
            text(scan.link_text(link)),
            text(&link.rel),
            text(&link.rev),
            named(follow, by_follow)?,
            named(anchor, by_anchor)?,
            link.resolved,
            lines.number_near(link.place, &mut near),
        );
        Bound::new(py, link)
    });
    PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)
}

/// Writes the copy of a page that may be kept: `(html, [(row, allows, line, line of the cut, octets)])`.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a list of tuples is what Python takes")]
pub(crate) fn archive_html(
    py: Python<'_>,
    body: &[u8],
    charset: Option<&str>,
    watched: Vec<String>,
    decide: &Bound<'_, PyAny>,
) -> PyResult<(String, Vec<(u16, bool, u32, u32, u32)>)> {
    let read = read(body, charset);
    let facts = facts(py, &read, &watched)?;
    let plan = plan(decide.call1((&facts,))?.cast::<PyDict>()?)?;
    let copied = page::archive(&read.tree, &read.decoded.text, &plan);
    // What was not read may be marked: it is in no copy.
    if !copied.changed && read.tree.met() == Met::default() {
        return Ok((read.decoded.text, Vec::new()));
    }
    let cut = |cut: &page::Cut| {
        let (row, allows, line) = told(cut.cause, &read.lines);
        (row, allows, line, read.lines.number(cut.place), cut.octets)
    };
    let cuts = copied.cuts.iter().map(cut).collect();
    Ok((copied.html, cuts))
}

/// Resolves an address against a base (WHATWG URL); `None` if it cannot be.
#[pyfunction]
pub(crate) fn join_url(base: &str, address: &str) -> Option<String> {
    page::Base::new(base).resolve(address)
}

/// The product that a robot's name or User-Agent string names: without version and comment.
#[pyfunction]
pub(crate) fn robot_product(robot: &str) -> &str {
    goodbot_core::robots_txt::product(robot.trim())
}

/// The names of the elements that begin and end a block, and of those without visible text.
#[pyfunction]
pub(crate) fn element_names() -> (Vec<&'static str>, Vec<&'static str>) {
    (html::BLOCKS.to_vec(), html::HIDDEN.to_vec())
}

/// The tree of a page, as the events of walking through it: `("start", name, attributes, start, end)`,
/// `("end", name)`, `("text", text, place)`, `("comment", text, start, end)`; a foreign element has the
/// word `foreign` behind it.
#[pyfunction]
pub(crate) fn html_events<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
    let tree = html::parse(text, &Limits::default());
    let list = PyList::empty(py);
    let mut next = tree.node(Tree::ROOT).first_child;
    while let Some(id) = next {
        event(&list, &tree, id)?;
        let node = tree.node(id);
        next = match node.first_child {
            Some(child) => Some(child),
            None => ended(&list, &tree, id)?,
        };
    }
    Ok(list)
}

fn event(list: &Bound<'_, PyList>, tree: &Tree, id: NodeId) -> PyResult<()> {
    let node = tree.node(id);
    match node.kind {
        Kind::Element => {
            let attributes: Vec<(&str, &str)> = tree.attributes(id).collect();
            let name = tree.name(id);
            if node.space == Space::Html {
                list.append(("start", name, attributes, node.start, node.end))
            } else {
                list.append(("start", name, attributes, node.start, node.end, "foreign"))
            }
        }
        Kind::Text => list.append(("text", tree.text(id), node.start)),
        Kind::Comment => list.append(("comment", tree.text(id), node.start, node.end)),
        Kind::Document | Kind::Doctype => Ok(()),
    }
}

/// The node behind a subtree; what ends before it has its event.
fn ended(list: &Bound<'_, PyList>, tree: &Tree, from: NodeId) -> PyResult<Option<NodeId>> {
    let mut id = from;
    loop {
        if tree.node(id).kind == Kind::Element {
            list.append(("end", tree.name(id)))?;
        }
        let node = tree.node(id);
        if node.next.is_some() {
            return Ok(node.next);
        }
        match node.parent {
            Some(parent) if parent != Tree::ROOT => id = parent,
            _ => return Ok(None),
        }
    }
}

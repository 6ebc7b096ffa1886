//! The input of the reference implementations in the tests: the tree of an HTML page, event by
//! event; the steps of work; and a call that does nothing, for the benchmarks. It is compiled only with the feature `reference`, which no wheel has.

use goodbot_core::html::{self, Kind, Limits, NodeId, Space, Tree};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// Adds the functions to the module under private names; they are in no stub and not in `__all__`.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_steps", wrap_pyfunction!(steps, module)?)?;
    module.setattr("_take_text", wrap_pyfunction!(take_text, module)?)?;
    module.setattr("_html_events", wrap_pyfunction!(html_events, module)?)?;
    module.setattr("_element_names", wrap_pyfunction!(element_names, module)?)
}

/// Return how many steps of work the core has taken in this thread.
#[pyfunction]
fn steps() -> u64 {
    goodbot_core::steps::taken()
}

/// Return whether a value is a text: the least that a check of a URL can cost.
#[pyfunction]
fn take_text(value: &Bound<'_, PyAny>) -> bool {
    value.cast_exact::<PyString>().is_ok_and(|text| text.to_str().is_ok())
}

/// Return the names of the elements that begin and end a block, of those without visible text, and of
/// those that are inline in XML other than XHTML.
#[pyfunction]
fn element_names() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    (html::BLOCKS.to_vec(), html::HIDDEN.to_vec(), html::INLINE_IN_XML.to_vec())
}

/// Return the tree of a page as the events of walking through it:
/// `("start", name, attributes, start, end)`, `("end", name)`, `("text", text, place)`,
/// `("comment", text, start, end)`; the event of a foreign element ends with the word `foreign`.
#[pyfunction]
fn html_events<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
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
        Kind::Document | Kind::Doctype | Kind::Instruction | Kind::LeftOut => Ok(()),
    }
}

/// Returns the node after a subtree; adds the end events of the elements that end before it.
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

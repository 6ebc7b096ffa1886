//! Lists the elements of a document that carry marks, or something similar, for checking a page.

use crate::html::{Kind, NodeId, Tree};

/// The most elements that are reported.
const MOST: usize = 10_000;

/// An element with attributes that address robots.
#[derive(Clone, Debug)]
pub struct MarkedElement {
    /// Its name.
    pub name: String,
    /// Its classes that begin like those that address robots.
    pub classes: Vec<String>,
    /// Whether it has `data-nosnippet`.
    pub nosnippet: bool,
    /// Its position.
    pub place: u32,
}

/// Finds the elements that carry marks, in tree order.
#[must_use]
pub fn marked_elements(tree: &Tree) -> Vec<MarkedElement> {
    let mut found = Vec::new();
    let mut next = tree.node(Tree::ROOT).first_child;
    while let Some(id) = next {
        let node = tree.node(id);
        if node.kind == Kind::Element {
            found.extend(marked(tree, id));
        }
        if found.len() >= MOST {
            break;
        }
        next = node.first_child.or_else(|| behind(tree, id));
    }
    found
}

fn marked(tree: &Tree, id: NodeId) -> Option<MarkedElement> {
    let classes = tree.attribute(id, "class").unwrap_or_default().split_ascii_whitespace();
    let is_for_robots =
        |class: &&str| class.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("robot"));
    let classes: Vec<_> = classes.filter(is_for_robots).map(str::to_owned).collect();
    let nosnippet = tree.attribute(id, "data-nosnippet").is_some();
    (nosnippet || !classes.is_empty()).then(|| MarkedElement {
        name: tree.name(id).to_owned(),
        classes,
        nosnippet,
        place: tree.node(id).start,
    })
}

/// Returns the node after a subtree.
fn behind(tree: &Tree, from: NodeId) -> Option<NodeId> {
    let mut id = from;
    loop {
        let node = tree.node(id);
        if node.next.is_some() {
            return node.next;
        }
        id = node.parent?;
    }
}

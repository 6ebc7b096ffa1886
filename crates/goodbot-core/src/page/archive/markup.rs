//! Writes nodes as HTML (HTML 13.3).

use crate::html::{NodeId, Space, Tree};

/// Returns the name of an element in the copy: PLAINTEXT has no end tag, so PRE replaces it.
fn name_of(tree: &Tree, id: NodeId) -> &str {
    let name = tree.name(id);
    if name == "plaintext" && tree.node(id).space == Space::Html { "pre" } else { name }
}

/// Writes a tag with the attributes that `kept` returns.
pub(super) fn tag(
    html: &mut String,
    tree: &Tree,
    id: NodeId,
    mut kept: impl FnMut(&str, &str) -> Option<String>,
) {
    html.push('<');
    html.push_str(name_of(tree, id));
    for (name, value) in tree.attributes(id) {
        if let Some(value) = kept(name, value) {
            attribute(html, name, &value);
        }
    }
    html.push('>');
}

/// Writes the end tag of an element, if it has one.
pub(super) fn end_tag(html: &mut String, tree: &Tree, id: NodeId) {
    let name = name_of(tree, id);
    if !is_void(name) {
        html.extend(["</", name, ">"]);
    }
}

/// Writes a text.
pub(super) fn text(html: &mut String, tree: &Tree, id: NodeId) {
    let (text, parent) = (tree.text(id), tree.node(id).parent);
    let within = parent.filter(|parent| tree.node(*parent).space == Space::Html);
    let name = within.map_or("", |parent| tree.name(parent));
    if matches!(name, "style" | "script" | "xmp" | "iframe" | "noembed" | "noframes") {
        html.push_str(text);
        return;
    }
    // A parser skips the first line end after these tags.
    let swallows = matches!(name, "pre" | "textarea" | "listing");
    let is_first = parent.is_some_and(|parent| tree.node(parent).first_child == Some(id));
    if swallows && is_first && text.starts_with('\n') {
        html.push('\n');
    }
    escaped(html, text, false);
}

/// Writes an attribute.
pub(super) fn attribute(html: &mut String, name: &str, value: &str) {
    html.extend([" ", name, "=\""]);
    escaped(html, value, true);
    html.push('"');
}

/// Appends an escaped text (HTML 13.3, "escaping a string").
fn escaped(html: &mut String, text: &str, in_attribute: bool) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '\u{A0}' => html.push_str("&nbsp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' if in_attribute => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
}

/// Whether an element has no end tag (HTML 13.1.2), including obsolete ones (HTML 13.3).
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

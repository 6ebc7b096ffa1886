//! The copy of a page that may be kept: what may not is replaced by a visible locution.
//!
//! "Probably a display of an entire cached document which has unarchived segments should also include
//! some locution to show the places where text has been elided, no matter what the size" (Robot
//! Exclusion Profile, Examples). The tree is written, not the source cut: a border that misnested
//! tags have moved has no two ends in the source.

use crate::html::{Kind, NodeId, Space, Tree, is_block};

use super::marks::{CauseNumber, Marks, State};
use super::plan::{Act, Cause, Plan};

/// What stands for a short part within a line: "we suggest replacing small excluded segments with an
/// ellipsis".
const SHORT: &str = "[…]";

/// What stands for a block.
const LONG: &str = "[This part of the page may not be archived.]";

/// What stands for an image, which loses its source.
const IMAGE: &str = "[This image may not be archived.]";

/// A part that is left out of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What forbids it.
    pub cause: Cause,
    /// Where it begins in the source.
    pub place: u32,
    /// How many octets of text are left out.
    pub octets: u32,
}

/// A copy.
#[derive(Debug, Default)]
pub struct Copied {
    /// The page.
    pub html: String,
    /// What is left out.
    pub cuts: Vec<Cut>,
    /// Whether anything at all is left out; else the page may be kept as it is.
    pub changed: bool,
}

/// Writes the copy of a page that may be kept; `source` is the text that the tree was read from.
#[must_use]
pub fn archive(tree: &Tree, source: &str, plan: &Plan) -> Copied {
    let mut writer = Writer {
        tree,
        source,
        marks: Marks::new(plan),
        out: Copied { html: String::with_capacity(source.len()), cuts: Vec::new(), changed: false },
        left_out: None,
        outermost: Vec::new(),
    };
    writer.walk();
    writer.out
}

/// How a node was begun, and so how it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// With its tag.
    Written,
    /// With its bare tag, because what stands in it may not be kept.
    Bare,
    /// Not at all.
    Dropped,
}

struct Writer<'t> {
    tree: &'t Tree,
    source: &'t str,
    marks: Marks<'t>,
    out: Copied,
    /// The part that is being left out, if nothing has been kept since.
    left_out: Option<usize>,
    /// The elements that began what is being left out, with the cause and the number of cuts before.
    outermost: Vec<(NodeId, CauseNumber, usize)>,
}

impl Writer<'_> {
    fn walk(&mut self) {
        let tree = self.tree;
        let mut open: Vec<(State, Open)> = vec![(State::default(), Open::Dropped)];
        let mut next = tree.node(Tree::ROOT).first_child;
        // The contents of templates stand beside the tree: where to go on behind them.
        let mut templates: Vec<NodeId> = Vec::new();
        while let Some(id) = next {
            let node = tree.node(id);
            let (around, begun) = open[open.len() - 1];
            if node.kind == Kind::Element {
                let (state, how) = self.begin(id, around, begun);
                let content = tree.template_contents(id);
                let child =
                    content.map_or(node.first_child, |content| tree.node(content).first_child);
                if let Some(child) = child {
                    open.push((state, how));
                    templates.extend(content.map(|_| id));
                    next = Some(child);
                    continue;
                }
                self.end(id, how);
            } else {
                self.leaf(id, around);
            }
            next = self.behind(id, &mut open, &mut templates);
        }
    }

    fn behind(
        &mut self,
        from: NodeId,
        open: &mut Vec<(State, Open)>,
        templates: &mut Vec<NodeId>,
    ) -> Option<NodeId> {
        let tree = self.tree;
        let mut id = from;
        loop {
            let node = tree.node(id);
            if node.next.is_some() {
                return node.next;
            }
            let mut parent = node.parent?;
            if parent == Tree::ROOT {
                return None;
            }
            if tree.node(parent).kind == Kind::Document {
                parent = templates.pop()?;
            }
            let (_, how) = open.pop()?;
            self.end(parent, how);
            id = parent;
        }
    }

    /// What forbids to keep something at a place; 0 if nothing does.
    fn forbids(&mut self, place: u32, state: State) -> CauseNumber {
        let number = self.marks.cause(Act::Archive, place, state);
        let forbids = number != 0 && !self.marks.causes[number as usize - 1].allows;
        self.out.changed |= forbids;
        if forbids { number } else { 0 }
    }

    fn begin(&mut self, id: NodeId, around: State, begun: Open) -> (State, Open) {
        let tree = self.tree;
        let node = tree.node(id);
        let mut state = around;
        self.marks.mark(tree, id, &mut state);
        let forbids = self.forbids(node.start, state);
        if forbids == 0 {
            self.left_out = None;
            self.tag(id);
            return (state, Open::Written);
        }
        let is_outermost = self.forbids(node.start, around) == 0;
        if is_outermost {
            self.outermost.push((id, forbids, self.out.cuts.len()));
        }
        let name = tree.name(id);
        if is_outermost && name == "img" {
            self.cut(forbids, node.start, 0);
            self.bare_image(id);
            self.left_out = None;
            return (state, Open::Dropped);
        }
        if is_outermost && is_block(name) && !is_void(name) && begun != Open::Bare {
            self.left_out = None;
            self.out.html.push('<');
            self.out.html.push_str(name);
            self.out.html.push('>');
            return (state, Open::Bare);
        }
        if is_void(name) && !matches!(name, "br" | "hr" | "wbr") {
            self.leave_out(forbids, node.start, 0, SHORT);
        }
        (state, Open::Dropped)
    }

    fn end(&mut self, id: NodeId, how: Open) {
        let name = self.tree.name(id);
        if let Some((_, cause, cuts)) = self.outermost.pop_if(|(outer, _, _)| *outer == id)
            && self.out.cuts.len() == cuts
        {
            // No text and no image stood in it, and yet it said something.
            let locution = if how == Open::Bare { LONG } else { SHORT };
            self.leave_out(cause, self.tree.node(id).start, 0, locution);
        }
        if how == Open::Dropped || (how == Open::Written && is_void(name)) {
            return;
        }
        self.out.html.push_str("</");
        self.out.html.push_str(name);
        self.out.html.push('>');
        if how == Open::Bare {
            self.left_out = None;
        }
    }

    fn leaf(&mut self, id: NodeId, state: State) {
        let (tree, node) = (self.tree, self.tree.node(id));
        let forbids = self.forbids(node.start, state);
        let text = tree.text(id);
        match node.kind {
            Kind::Doctype => {
                self.out.html.push_str(&self.source[node.start as usize..node.end as usize]);
            }
            _ if forbids != 0 => {
                if node.kind == Kind::Text && !text.trim_ascii().is_empty() {
                    let in_block = self.out.html.ends_with('>') && self.in_bare_block();
                    let locution = if in_block { LONG } else { SHORT };
                    self.leave_out(forbids, node.start, text.len(), locution);
                }
            }
            Kind::Comment => {
                self.out.html.push_str("<!--");
                self.out.html.push_str(text);
                self.out.html.push_str("-->");
            }
            _ => {
                if !text.trim_ascii().is_empty() {
                    self.left_out = None;
                }
                self.text(id);
            }
        }
    }

    /// Whether nothing was written since the bare tag of a block.
    fn in_bare_block(&self) -> bool {
        let html = &self.out.html;
        html.rfind('<').is_some_and(|at| {
            let name = html[at + 1..].trim_end_matches('>');
            is_block(name)
        })
    }

    fn leave_out(&mut self, cause: CauseNumber, place: u32, octets: usize, locution: &str) {
        let octets = u32::try_from(octets).unwrap_or(u32::MAX);
        if let Some(cut) = self.left_out.and_then(|number| self.out.cuts.get_mut(number)) {
            cut.octets = cut.octets.saturating_add(octets);
            return;
        }
        self.out.html.push_str(locution);
        self.cut(cause, place, octets);
        self.left_out = Some(self.out.cuts.len() - 1);
    }

    fn cut(&mut self, cause: CauseNumber, place: u32, octets: u32) {
        let cause = self.marks.causes[cause as usize - 1];
        self.out.cuts.push(Cut { cause, place, octets });
    }

    /// The tag of an element with its attributes (HTML 13.3).
    fn tag(&mut self, id: NodeId) {
        let html = &mut self.out.html;
        html.push('<');
        html.push_str(self.tree.name(id));
        for (name, value) in self.tree.attributes(id) {
            attribute(html, name, value);
        }
        html.push('>');
        // The first line end behind these tags is passed over when they are read.
        let first = self.tree.node(id).first_child.map(|child| self.tree.text(child));
        let swallows = matches!(self.tree.name(id), "pre" | "textarea" | "listing");
        if swallows && first.is_some_and(|text| text.starts_with('\n')) {
            html.push('\n');
        }
    }

    /// An image without what it shows and what it says.
    fn bare_image(&mut self, id: NodeId) {
        let html = &mut self.out.html;
        html.push_str("<img");
        for (name, value) in self.tree.attributes(id) {
            if matches!(name, "width" | "height" | "class") {
                attribute(html, name, value);
            }
        }
        attribute(html, "alt", IMAGE);
        html.push('>');
    }

    fn text(&mut self, id: NodeId) {
        let (tree, node) = (self.tree, self.tree.node(id));
        let parent = node.parent.map_or("", |parent| tree.name(parent));
        let is_html = node.parent.is_some_and(|parent| tree.node(parent).space == Space::Html);
        let is_raw = matches!(
            parent,
            "style" | "script" | "xmp" | "iframe" | "noembed" | "noframes" | "plaintext"
        );
        if is_html && is_raw {
            self.out.html.push_str(tree.text(id));
        } else {
            escaped(&mut self.out.html, tree.text(id), false);
        }
    }
}

fn attribute(html: &mut String, name: &str, value: &str) {
    html.push(' ');
    html.push_str(name);
    html.push_str("=\"");
    escaped(html, value, true);
    html.push('"');
}

/// HTML 13.3, "escaping a string".
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

/// Elements without an end tag (HTML 13.1.2), and their relatives (HTML 13.3).
fn is_void(name: &str) -> bool {
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

//! The tree: nodes in one vector that refer to each other by index.

use std::borrow::Cow;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use super::names::Traits;
use super::node::{Kind, Met, NodeId, Space, place};

/// The index that stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// A view of a node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The namespace of its element.
    pub space: Space,
    /// The traits of its element, which follow from its name.
    pub traits: Traits,
    /// Its parent.
    pub parent: Option<NodeId>,
    /// Its first child.
    pub first_child: Option<NodeId>,
    /// Its next sibling.
    pub next: Option<NodeId>,
    /// Where the token that created it begins.
    pub start: u32,
    /// Where that token ends.
    pub end: u32,
}

/// The content of a node.
#[derive(Debug)]
pub(super) enum Content {
    Document,
    Doctype(StrTendril),
    Element { name: QualName, attributes: Vec<Attribute>, template: u32 },
    Text(StrTendril),
    Comment(StrTendril),
    Instruction,
    LeftOut,
}

/// A node as stored: its content and the indexes of the nodes around it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) content: Content,
    pub(super) parent: u32,
    pub(super) first: u32,
    last: u32,
    previous: u32,
    next: u32,
    start: u32,
    end: u32,
    traits: Traits,
}

impl Entry {
    /// Creates a node that is not attached to the tree yet.
    pub(super) fn new(content: Content, (start, end): (u32, u32), traits: Traits) -> Entry {
        let [parent, first, last, previous, next] = [NONE; 5];
        Entry { content, parent, first, last, previous, next, start, end, traits }
    }
}

/// A document as a tree.
#[derive(Debug)]
pub struct Tree {
    pub(super) entries: Vec<Entry>,
    pub(super) met: Met,
    pub(super) noindex: Vec<(u32, bool)>,
    pub(super) quirks: bool,
}

/// Creates the vector with the document alone, with capacity for what a text of this many bytes
/// usually needs.
pub(super) fn row(bytes: usize) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(bytes / 24 + 16);
    entries.push(Entry::new(Content::Document, (0, 0), Traits::default()));
    entries
}

pub(super) fn some(number: u32) -> Option<NodeId> {
    (number != NONE).then_some(NodeId(number))
}

impl Tree {
    /// The document.
    pub const ROOT: NodeId = NodeId(0);

    /// Returns a node. The contents of a template are not among its children.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node {
        let entry = &self.entries[id.at()];
        let (kind, space) = match &entry.content {
            Content::Document => (Kind::Document, Space::Html),
            Content::Doctype(_) => (Kind::Doctype, Space::Html),
            Content::Element { name, .. } => (Kind::Element, space_of(&name.ns)),
            Content::Text(_) => (Kind::Text, Space::Html),
            Content::Comment(_) => (Kind::Comment, Space::Html),
            Content::Instruction => (Kind::Instruction, Space::Html),
            Content::LeftOut => (Kind::LeftOut, Space::Html),
        };
        Node {
            kind,
            space,
            traits: entry.traits,
            parent: some(entry.parent),
            first_child: some(entry.first),
            next: some(entry.next),
            start: entry.start,
            end: entry.end,
        }
    }

    /// Returns the name of an element, in lower case if it is HTML; empty for any other node.
    #[must_use]
    pub fn name(&self, id: NodeId) -> &str {
        match &self.entries[id.at()].content {
            Content::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    /// Returns the text of a text or comment, or the name of a document type.
    #[must_use]
    pub fn text(&self, id: NodeId) -> &str {
        match &self.entries[id.at()].content {
            Content::Text(text) | Content::Comment(text) | Content::Doctype(text) => text,
            _ => "",
        }
    }

    /// Returns the attributes of an element with their values.
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let attributes = match &self.entries[id.at()].content {
            Content::Element { attributes, .. } => attributes.as_slice(),
            _ => &[],
        };
        attributes.iter().map(|attribute| (&*attribute.name.local, &*attribute.value))
    }

    /// Returns the value of an attribute.
    #[must_use]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the node that holds the contents of a template.
    #[must_use]
    pub fn template_contents(&self, id: NodeId) -> Option<NodeId> {
        match &self.entries[id.at()].content {
            Content::Element { template, .. } => some(*template),
            _ => None,
        }
    }

    /// Returns where each limit was first exceeded.
    #[must_use]
    pub fn met(&self) -> Met {
        self.met
    }

    /// Returns where each `</noindex>` begins, even one that closes no element, and where each
    /// skipped `<noindex>` ends; the flag says whether it is an end tag.
    #[must_use]
    pub fn noindex(&self) -> &[(u32, bool)] {
        &self.noindex
    }

    /// Whether the document is in quirks mode.
    #[must_use]
    pub fn quirks(&self) -> bool {
        self.quirks
    }
}

/// A node to be added by the XML reader.
pub(crate) enum New<'t> {
    /// An element: its name, and its attributes with their values.
    Element(&'t str, Vec<(Cow<'t, str>, &'t str)>),
    Text(&'t str),
    Comment(&'t str),
    Instruction,
    LeftOut,
}

/// Methods for XML, whose trees are built directly because every element has an explicit end.
impl Tree {
    /// Creates a tree that has only the document, with capacity for a text of this many bytes.
    pub(crate) fn empty(bytes: usize) -> Tree {
        Tree { entries: row(bytes), met: Met::default(), noindex: Vec::new(), quirks: false }
    }

    /// Returns the number of nodes.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a tree has the document at least")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Appends a node.
    pub(crate) fn append(
        &mut self,
        within: NodeId,
        new: New<'_>,
        places: (u32, u32),
        traits: Traits,
    ) -> NodeId {
        let qualified = |local: &str| QualName::new(None, ns!(), LocalName::from(local));
        let content = match new {
            New::Element(name, attributes) => {
                let attribute = |(name, value): (Cow<'_, str>, &str)| Attribute {
                    name: qualified(&name),
                    value: StrTendril::from_slice(value),
                };
                let attributes = attributes.into_iter().map(attribute).collect();
                Content::Element { name: qualified(name), attributes, template: NONE }
            }
            New::Text(text) => Content::Text(StrTendril::from_slice(text)),
            New::Comment(text) => Content::Comment(StrTendril::from_slice(text)),
            New::Instruction => Content::Instruction,
            New::LeftOut => Content::LeftOut,
        };
        let id = NodeId(place(self.entries.len()));
        self.entries.push(Entry::new(content, places, traits));
        attach_last(&mut self.entries, within, id);
        id
    }

    /// Records where limits were exceeded.
    pub(crate) fn meet(&mut self, met: Met) {
        self.met = met;
    }

    /// Records where a `</noindex>` begins.
    pub(crate) fn noindex_ends(&mut self, at: u32) {
        self.noindex.push((at, true));
    }
}

pub(super) fn space_of(namespace: &Namespace) -> Space {
    match *namespace {
        ns!(svg) => Space::Svg,
        ns!(mathml) => Space::MathMl,
        _ => Space::Html,
    }
}

pub(super) fn detach(entries: &mut [Entry], id: NodeId) {
    let entry = &mut entries[id.at()];
    let (parent, previous, next) = (entry.parent, entry.previous, entry.next);
    (entry.parent, entry.previous, entry.next) = (NONE, NONE, NONE);
    if parent == NONE {
        return;
    }
    match some(previous) {
        Some(previous) => entries[previous.at()].next = next,
        None => entries[parent as usize].first = next,
    }
    match some(next) {
        Some(next) => entries[next.at()].previous = previous,
        None => entries[parent as usize].last = previous,
    }
}

pub(super) fn attach_last(entries: &mut [Entry], parent: NodeId, id: NodeId) {
    detach(entries, id);
    let last = entries[parent.at()].last;
    let entry = &mut entries[id.at()];
    (entry.parent, entry.previous) = (parent.0, last);
    match some(last) {
        Some(last) => entries[last.at()].next = id.0,
        None => entries[parent.at()].first = id.0,
    }
    entries[parent.at()].last = id.0;
}

pub(super) fn attach_before(entries: &mut [Entry], sibling: NodeId, id: NodeId) {
    detach(entries, id);
    let (parent, previous) = (entries[sibling.at()].parent, entries[sibling.at()].previous);
    let entry = &mut entries[id.at()];
    (entry.parent, entry.previous, entry.next) = (parent, previous, sibling.0);
    entries[sibling.at()].previous = id.0;
    match some(previous) {
        Some(previous) => entries[previous.at()].next = id.0,
        None if parent != NONE => entries[parent as usize].first = id.0,
        None => {}
    }
}

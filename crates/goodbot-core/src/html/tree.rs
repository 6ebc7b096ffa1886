//! The tree: nodes in one row, tied to each other by their numbers.

use std::borrow::Cow;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use super::names::Traits;
use super::node::{Kind, Met, NodeId, Space, place};

/// Stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// A node, as one sees it.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The namespace of its element.
    pub space: Space,
    /// What its element is by its name.
    pub traits: Traits,
    /// What it stands in.
    pub parent: Option<NodeId>,
    /// The first node that stands in it.
    pub first_child: Option<NodeId>,
    /// The node behind it.
    pub next: Option<NodeId>,
    /// Where the token begins that it was made of, or at which it was made.
    pub start: u32,
    /// Where that token ends.
    pub end: u32,
}

/// What a node holds.
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

/// A node in its row: what it holds, and the numbers of those around it.
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
    /// A node that stands nowhere yet.
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

/// A row that has the document alone, with room for what a text of so many bytes usually has.
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

    /// A node. The contents of a template are not among its children.
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

    /// The name of an element, in lower case where it is HTML; of another node, nothing.
    #[must_use]
    pub fn name(&self, id: NodeId) -> &str {
        match &self.entries[id.at()].content {
            Content::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    /// The text of a text or a comment; the name of a document type.
    #[must_use]
    pub fn text(&self, id: NodeId) -> &str {
        match &self.entries[id.at()].content {
            Content::Text(text) | Content::Comment(text) | Content::Doctype(text) => text,
            _ => "",
        }
    }

    /// The attributes of an element, each with its value.
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let attributes = match &self.entries[id.at()].content {
            Content::Element { attributes, .. } => attributes.as_slice(),
            _ => &[],
        };
        attributes.iter().map(|attribute| (&*attribute.name.local, &*attribute.value))
    }

    /// The value of an attribute.
    #[must_use]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// What holds the contents of a template.
    #[must_use]
    pub fn template_contents(&self, id: NodeId) -> Option<NodeId> {
        match &self.entries[id.at()].content {
            Content::Element { template, .. } => some(*template),
            _ => None,
        }
    }

    /// Where limits were met first.
    #[must_use]
    pub fn met(&self) -> Met {
        self.met
    }

    /// Where each `</noindex>` begins, also where it closes nothing, and where each `<noindex>` ends that
    /// was passed over; whether it closes.
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

/// What the reader of XML makes a node of.
pub(crate) enum New<'t> {
    /// An element: its name, its attributes with their values.
    Element(&'t str, Vec<(Cow<'t, str>, &'t str)>),
    Text(&'t str),
    Comment(&'t str),
    Instruction,
    LeftOut,
}

/// Trees of XML are built directly: their elements end where they say so.
impl Tree {
    /// A tree without nodes for a text of so many bytes.
    pub(crate) fn empty(bytes: usize) -> Tree {
        Tree { entries: row(bytes), met: Met::default(), noindex: Vec::new(), quirks: false }
    }

    /// How many nodes there are.
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

    /// Notes where a limit was met.
    pub(crate) fn meet(&mut self, met: Met) {
        self.met = met;
    }

    /// Notes where a `</noindex>` begins.
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

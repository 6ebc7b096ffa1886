//! The tree: nodes in one row, tied to each other by their numbers.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::VecDeque;
use std::fmt;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use super::bounded::place;
use super::names::Traits;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

/// Stands for no node.
const NONE: u32 = u32::MAX;

impl NodeId {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The document; also what holds the contents of a template.
    Document,
    /// The document type.
    Doctype,
    /// An element.
    Element,
    /// A text.
    Text,
    /// A comment.
    Comment,
    /// Of XML: an instruction, or a border of a CDATA section.
    Instruction,
    /// Of XML: what stands too deep; a META element in it is its child.
    LeftOut,
}

/// The namespace of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// HTML.
    Html,
    /// SVG.
    Svg,
    /// `MathML`.
    MathMl,
}

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

/// Where limits were met first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Elements stood too deep.
    pub depth: Option<u32>,
    /// There were too many nodes.
    pub nodes: Option<u32>,
    /// A tag had too many attributes.
    pub attributes: Option<u32>,
}

/// What a node holds.
#[derive(Debug)]
enum Content {
    Document,
    Doctype(StrTendril),
    Element { name: QualName, attributes: Vec<Attribute>, template: u32 },
    Text(StrTendril),
    Comment(StrTendril),
    Instruction,
    LeftOut,
}

#[derive(Debug)]
struct Entry {
    content: Content,
    parent: u32,
    first: u32,
    last: u32,
    previous: u32,
    next: u32,
    start: u32,
    end: u32,
    traits: Traits,
}

/// A document as a tree.
#[derive(Debug)]
pub struct Tree {
    entries: Vec<Entry>,
    met: Met,
    noindex: Vec<(u32, bool)>,
    quirks: bool,
}

fn some(number: u32) -> Option<NodeId> {
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
    Element(&'t str, Vec<(&'t str, &'t str)>),
    Text(&'t str),
    Comment(&'t str),
    Instruction,
    LeftOut,
}

/// Trees of XML are built directly: their elements end where they say so.
impl Tree {
    /// A tree without nodes for a text of so many bytes.
    pub(crate) fn empty(bytes: usize) -> Tree {
        Sink::new(bytes).into_tree()
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Appends a node.
    pub(crate) fn append(
        &mut self,
        within: NodeId,
        new: New<'_>,
        (start, end): (u32, u32),
        traits: Traits,
    ) -> NodeId {
        let qualified = |local: &str| QualName::new(None, ns!(), LocalName::from(local));
        let content = match new {
            New::Element(name, attributes) => {
                let attribute = |(name, value)| Attribute {
                    name: qualified(name),
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
        self.entries.push(Entry {
            content,
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            start,
            end,
            traits,
        });
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

fn space_of(namespace: &Namespace) -> Space {
    match *namespace {
        ns!(svg) => Space::Svg,
        ns!(mathml) => Space::MathMl,
        _ => Space::Html,
    }
}

/// The attributes of a small page may have this many octets with their copies.
const ATTRIBUTES_OF_ANY: usize = 1 << 20;

/// A tree that is being built.
#[derive(Debug)]
pub(crate) struct Sink {
    entries: RefCell<Vec<Entry>>,
    met: Cell<Met>,
    noindex: RefCell<Vec<(u32, bool)>>,
    quirks: Cell<bool>,
    /// How many octets the attributes of all elements have: the builder copies elements of formatting
    /// into each paragraph that they reach into, so that few octets could become many.
    attributes: Cell<usize>,
    most_attributes: usize,
    /// Where the token stands that is being handed on.
    token: Cell<(u32, u32)>,
    /// How many octets of text it has, and how many of them came into the tree.
    text: Cell<(usize, usize)>,
    /// Where the texts stand that the builder holds back: those of a table come when it is known
    /// whether they are white space alone (HTML 13.2.6.4.10), with a later token.
    held_back: RefCell<VecDeque<(u32, u32)>>,
}

impl Sink {
    /// A tree for a text of so many octets.
    pub(crate) fn new(octets: usize) -> Sink {
        let sink = Sink {
            entries: RefCell::new(Vec::with_capacity(octets / 24 + 16)),
            met: Cell::default(),
            noindex: RefCell::default(),
            quirks: Cell::default(),
            attributes: Cell::default(),
            most_attributes: octets.saturating_mul(4) + ATTRIBUTES_OF_ANY,
            token: Cell::default(),
            text: Cell::default(),
            held_back: RefCell::default(),
        };
        sink.add(Content::Document);
        sink
    }

    /// A token is handed on that stands here, with so many octets of text.
    pub(crate) fn begin(&self, start: usize, end: usize, text: usize) {
        self.token.set((place(start), place(end)));
        self.text.set((text, 0));
    }

    /// The token has been taken.
    pub(crate) fn finish(&self) {
        let (octets, taken) = self.text.get();
        let mut held_back = self.held_back.borrow_mut();
        if octets == 0 {
            held_back.clear();
        } else if taken < octets {
            held_back.push_back(self.token.get());
        }
    }

    fn add_text(&self, text: StrTendril) -> NodeId {
        let (octets, taken) = self.text.get();
        self.text.set((octets, taken + text.len()));
        let place = self.token.get();
        if octets == 0
            && let Some(held_back) = self.held_back.borrow_mut().pop_front()
        {
            self.token.set(held_back);
        }
        let id = self.add(Content::Text(text));
        self.token.set(place);
        id
    }

    pub(crate) fn met(&self, meet: impl FnOnce(&mut Met) -> &mut u32) {
        let mut all = self.met.get();
        meet(&mut all);
        self.met.set(all);
    }

    pub(crate) fn noindex(&self, at: u32, ends: bool) {
        self.noindex.borrow_mut().push((at, ends));
    }

    /// Whether there are more nodes than a limit, or more copies of attributes than the text is worth.
    pub(crate) fn is_full(&self, nodes: u32) -> bool {
        self.entries.borrow().len() >= nodes as usize
            || self.attributes.get() > self.most_attributes
    }

    pub(crate) fn into_tree(self) -> Tree {
        Tree {
            entries: self.entries.into_inner(),
            met: self.met.get(),
            noindex: self.noindex.into_inner(),
            quirks: self.quirks.get(),
        }
    }

    fn add(&self, content: Content) -> NodeId {
        let traits = match &content {
            Content::Element { name, .. } => Traits::of(&name.local, space_of(&name.ns)),
            _ => Traits::default(),
        };
        let (start, end) = self.token.get();
        let mut entries = self.entries.borrow_mut();
        let number = place(entries.len());
        entries.push(Entry {
            content,
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            start,
            end,
            traits,
        });
        NodeId(number)
    }

    fn node_of(&self, child: NodeOrText<NodeId>) -> NodeId {
        match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => self.add_text(text),
        }
    }
}

fn detach(entries: &mut [Entry], id: NodeId) {
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

fn attach_last(entries: &mut [Entry], parent: NodeId, id: NodeId) {
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

fn attach_before(entries: &mut [Entry], sibling: NodeId, id: NodeId) {
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

/// The name of an element in a tree that is being built.
pub(crate) struct Name<'a>(Ref<'a, QualName>);

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Tree;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Tree {
        self.into_tree()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        Tree::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name<'a> {
        static NO_NAME: QualName =
            QualName { prefix: None, ns: ns!(), local: html5ever::local_name!("") };
        Name(Ref::map(self.entries.borrow(), |entries| match &entries[target.at()].content {
            Content::Element { name, .. } => name,
            // The builder asks for names of elements only.
            _ => &NO_NAME,
        }))
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        let octets: usize = attributes.iter().map(|attribute| attribute.value.len()).sum();
        self.attributes.set(self.attributes.get() + octets);
        let template = if flags.template { self.add(Content::Document).0 } else { NONE };
        self.add(Content::Element { name, attributes, template })
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.add(Content::Comment(text))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> NodeId {
        self.add(Content::Comment(data))
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let id = self.node_of(child);
        attach_last(&mut self.entries.borrow_mut(), *parent, id);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        before: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        if self.entries.borrow()[element.at()].parent == NONE {
            self.append(before, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) {
        let id = self.add(Content::Doctype(name));
        attach_last(&mut self.entries.borrow_mut(), Tree::ROOT, id);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        match &self.entries.borrow()[target.at()].content {
            Content::Element { template, .. } if *template != NONE => NodeId(*template),
            _ => *target,
        }
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(mode == QuirksMode::Quirks);
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let id = self.node_of(child);
        attach_before(&mut self.entries.borrow_mut(), *sibling, id);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, more: Vec<Attribute>) {
        if let Content::Element { attributes, .. } =
            &mut self.entries.borrow_mut()[target.at()].content
        {
            for attribute in more {
                // As many as a tag may have, so that many tags cannot make one element dear.
                if attributes.len() < MOST_ADDED
                    && attributes.iter().all(|known| known.name != attribute.name)
                {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        detach(&mut self.entries.borrow_mut(), *target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut entries = self.entries.borrow_mut();
        while let Some(child) = some(entries[node.at()].first) {
            attach_last(&mut entries, *new_parent, child);
        }
    }
}

/// The most attributes that later tags add to HTML or BODY.
const MOST_ADDED: usize = 256;

//! The sink for html5ever's tree builder, which stores the nodes.

use crate::steps;
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::VecDeque;
use std::fmt;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use super::names::Traits;
use super::node::{Met, NodeId, place};
use super::tree::{
    Content, Entry, NONE, Tree, attach_before, attach_last, detach, row, some, space_of,
};

/// How many bytes of attributes, copies included, every page may have in addition to four times its
/// own length.
const ATTRIBUTES_OF_ANY: usize = 1 << 20;

/// A tree under construction.
#[derive(Debug)]
pub(crate) struct Sink {
    entries: RefCell<Vec<Entry>>,
    met: Cell<Met>,
    noindex: RefCell<Vec<(u32, bool)>>,
    quirks: Cell<bool>,
    /// How many bytes the attributes of all elements have. The builder copies formatting elements
    /// into each paragraph that they extend into, so a few bytes could become many.
    attributes: Cell<usize>,
    most_attributes: usize,
    /// The start and end of the token being processed.
    token: Cell<(u32, u32)>,
    /// How many bytes of text the token has, and how many of them were added to the tree.
    text: Cell<(usize, usize)>,
    /// The positions of texts that the builder holds back. It adds the text of a table together
    /// with a later token, once it knows whether the text is only white space (HTML 13.2.6.4.10).
    held_back: RefCell<VecDeque<(u32, u32)>>,
}

impl Sink {
    /// Creates a tree for a text of this many bytes.
    pub(crate) fn new(octets: usize) -> Sink {
        Sink {
            entries: RefCell::new(row(octets)),
            met: Cell::default(),
            noindex: RefCell::default(),
            quirks: Cell::default(),
            attributes: Cell::default(),
            most_attributes: octets.saturating_mul(4) + ATTRIBUTES_OF_ANY,
            token: Cell::default(),
            text: Cell::default(),
            held_back: RefCell::default(),
        }
    }

    /// Starts processing a token; `text` is how many bytes of text it has.
    pub(crate) fn begin(&self, start: usize, end: usize, text: usize) {
        self.token.set((place(start), place(end)));
        self.text.set((text, 0));
    }

    /// Finishes processing the token.
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

    /// Whether there are more nodes than the limit, or more bytes of copied attributes than the
    /// text allows.
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
        let mut entries = self.entries.borrow_mut();
        let number = place(entries.len());
        entries.push(Entry::new(content, self.token.get(), traits));
        NodeId(number)
    }

    fn node_of(&self, child: NodeOrText<NodeId>) -> NodeId {
        match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => self.add_text(text),
        }
    }
}

/// The name of an element in a tree under construction.
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
        steps::count(1);
        Name(Ref::map(self.entries.borrow(), |entries| match &entries[target.at()].content {
            Content::Element { name, .. } => name,
            // The builder asks for the names of elements only.
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
        steps::count(1 + attributes.len());
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
        steps::count(1);
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
                steps::count(attributes.len());
                // As many as one tag may have, so that many tags cannot make one element expensive.
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
            steps::count(1);
            attach_last(&mut entries, *new_parent, child);
        }
    }
}

/// The most attributes that HTML or BODY may have after later tags have added theirs.
const MOST_ADDED: usize = 256;

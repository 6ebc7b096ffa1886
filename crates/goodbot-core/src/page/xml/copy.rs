//! The copy of a document of XML that may be kept.
//!
//! Source: Robot Exclusion Profile, Examples, for XHTML; other XML has no marks but comments.

use crate::html::{Kind, NodeId, Traits, Tree, place};

use super::super::archive::Cut;
use super::super::marks::{CauseNumber, Marks, State};
use super::super::plan::{Act, Plan};
use super::Xml;

/// What stands for a part: an ellipsis, as the Profile suggests for small ones.
const SHORT: &str = "[…]";

/// A copy.
#[derive(Debug, Default)]
pub struct Copy {
    /// Its text, well-formed if the document is.
    pub text: String,
    /// What is left out.
    pub cuts: Vec<Cut>,
}

/// Copies a document without what may not be kept: each piece of the source, from where a node begins
/// to where the next one does.
#[must_use]
pub fn copy_xml(xml: &Xml, text: &str, plan: &Plan) -> Copy {
    let mut copier = Copier {
        tree: &xml.tree,
        marks: Marks::new(plan),
        states: vec![State::default()],
        tags: Vec::new(),
        left_out: false,
        out: Copy::default(),
    };
    let steps = steps(xml);
    // What stands before the first node, such as a declaration, is kept with it.
    let mut at = 0;
    for (number, step) in steps.iter().enumerate() {
        let end = steps.get(number + 1).map_or(xml.read_to, |next| next.place as usize).max(at);
        copier.take(*step, place(at), &text[at..end]);
        at = end;
    }
    copier.out
}

#[derive(Clone, Copy)]
struct Step {
    id: NodeId,
    ends: bool,
    place: u32,
}

/// The nodes in the order of the source; an element comes again where it ends.
fn steps(xml: &Xml) -> Vec<Step> {
    let tree = &xml.tree;
    let mut steps = Vec::with_capacity(tree.len());
    let mut next = tree.node(Tree::ROOT).first_child;
    while let Some(mut id) = next {
        let node = tree.node(id);
        steps.push(Step { id, ends: false, place: node.start });
        next = node.first_child.filter(|_| node.kind == Kind::Element);
        while next.is_none() {
            let node = tree.node(id);
            if node.kind == Kind::Element {
                steps.push(Step { id, ends: true, place: xml.ends[id.at()] });
            }
            next = node.next;
            match node.parent.filter(|parent| *parent != Tree::ROOT) {
                Some(parent) => id = parent,
                None => break,
            }
        }
    }
    steps
}

struct Copier<'t> {
    tree: &'t Tree,
    marks: Marks<'t>,
    states: Vec<State>,
    /// Of each open element, whether its tags are kept.
    tags: Vec<bool>,
    left_out: bool,
    out: Copy,
}

impl Copier<'_> {
    fn take(&mut self, step: Step, at: u32, source: &str) {
        let node = self.tree.node(step.id);
        if node.kind == Kind::Element && step.ends {
            self.states.pop();
            if self.tags.pop().unwrap_or(false) {
                self.keep(source);
            }
        } else if node.kind == Kind::Element {
            self.begin(step.id, at, source);
        } else if node.kind != Kind::LeftOut {
            let is_shown = node.kind == Kind::Text && !node.traits.are(Traits::HIDDEN);
            let cause = self.forbids(at);
            if cause == 0 {
                self.keep(source);
            } else if is_shown && !source.trim_ascii().is_empty() {
                self.leave_out(cause, at, source.len());
            }
        }
    }

    fn begin(&mut self, id: NodeId, at: u32, source: &str) {
        let mut state = self.states[self.states.len() - 1];
        self.marks.mark(self.tree, id, &mut state);
        self.states.push(state);
        let cause = self.forbids(at);
        // A document has one element that holds all: its tags are kept, without what they say.
        let is_root = self.tags.is_empty();
        self.tags.push(cause == 0 || is_root);
        if cause == 0 {
            self.keep(source);
            return;
        }
        self.leave_out(cause, at, 0);
        if is_root {
            self.keep(&bare(source));
        }
    }

    fn forbids(&mut self, at: u32) -> CauseNumber {
        let state = self.states[self.states.len() - 1];
        let cause = self.marks.cause(Act::Archive, at, state);
        let allows = cause != 0 && self.marks.causes[cause as usize - 1].allows;
        if allows { 0 } else { cause }
    }

    fn keep(&mut self, source: &str) {
        self.left_out &= source.trim_ascii().is_empty();
        self.out.text.push_str(source);
    }

    /// Leaves a piece out; what stands behind another that is left out is one cut with it.
    fn leave_out(&mut self, cause: CauseNumber, at: u32, bytes: usize) {
        let octets = place(bytes);
        if let Some(last) = self.out.cuts.last_mut().filter(|_| self.left_out) {
            last.octets = last.octets.saturating_add(octets);
            return;
        }
        if self.tags.len() > 1 || octets > 0 {
            self.out.text.push_str(SHORT);
        }
        let cause = self.marks.causes[cause as usize - 1];
        self.out.cuts.push(Cut { cause, place: at, octets });
        self.left_out = true;
    }
}

/// A tag without its attributes.
fn bare(tag: &str) -> String {
    let is_edge = |one: char| matches!(one, '<' | '>' | '/' | ' ' | '\t' | '\r' | '\n');
    let name = tag.trim_matches(is_edge).split_ascii_whitespace().next().unwrap_or_default();
    let end = if tag.trim_end().ends_with("/>") { "/>" } else { ">" };
    format!("<{name}{end}")
}

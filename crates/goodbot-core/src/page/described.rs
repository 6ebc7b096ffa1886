//! Applies marks to what a page says about itself: its title, description and keywords.
//!
//! "class can be applied to almost every (X)HTML element" (Robot Exclusion Profile, Introduction):
//! to the title, to the HEAD around it, to META elements. None of these is part of the page's text,
//! so the scan does not cover them.

use crate::html::{Kind, NodeId, Tree};

use super::facts::Facts;
use super::marks::{CauseNumber, Marks, State};
use super::plan::Act;

/// The acts that are decided for each of these texts.
const ACTS: [Act; 3] = [Act::Index, Act::Archive, Act::Snippet];

/// Returns what decides on the title, description and keywords, in this order.
pub(super) fn described(
    tree: &Tree,
    facts: &Facts,
    marks: &mut Marks<'_>,
) -> [[CauseNumber; 3]; 3] {
    let title = facts.title_node.map_or([0; 3], |id| of_texts(tree, id, marks));
    let mut meta = |name: &str| {
        let found = facts.metas.iter().find(|meta| meta.name.eq_ignore_ascii_case(name));
        found.map_or([0; 3], |meta| {
            let state = state_at(tree, meta.node, marks);
            ACTS.map(|act| marks.cause(act, meta.place, state))
        })
    };
    [title, meta("description"), meta("keywords")]
}

/// Returns what decides on an element by its texts: what forbids one of them forbids all.
fn of_texts(tree: &Tree, element: NodeId, marks: &mut Marks<'_>) -> [CauseNumber; 3] {
    let mut states = vec![state_at(tree, element, marks)];
    let mut decided = [0; 3];
    let mut next = tree.node(element).first_child;
    while let Some(mut id) = next {
        let node = tree.node(id);
        let around = states[states.len() - 1];
        if node.kind == Kind::Text {
            for (act, decided) in ACTS.into_iter().zip(&mut decided) {
                let cause = marks.cause(act, node.start, around);
                if *decided == 0 || (marks.forbids(cause) && !marks.forbids(*decided)) {
                    *decided = cause;
                }
            }
        }
        next = node.first_child.filter(|_| node.kind == Kind::Element);
        if next.is_some() {
            let mut state = around;
            marks.mark(tree, id, &mut state);
            states.push(state);
        }
        // A title can contain elements only in XML.
        while next.is_none() && id != element {
            let node = tree.node(id);
            next = node.next;
            if next.is_none() {
                let Some(parent) = node.parent else { break };
                states.pop();
                id = parent;
            }
        }
    }
    decided
}

/// Returns what the marks of an element and of its ancestors say.
fn state_at(tree: &Tree, id: NodeId, marks: &mut Marks<'_>) -> State {
    let mut path = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next.filter(|id| *id != Tree::ROOT) {
        path.push(id);
        next = tree.node(id).parent;
    }
    let mut state = State::default();
    for id in path.into_iter().rev() {
        if tree.node(id).kind == Kind::Element {
            marks.mark(tree, id, &mut state);
        }
    }
    state
}

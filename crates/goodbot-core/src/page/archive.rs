//! The archivable copy of a page, with a visible locution in place of each part that may not be
//! kept.
//!
//! "Probably a display of an entire cached document which has unarchived segments should also
//! include some locution to show the places where text has been elided, no matter what the size"
//! (Robot Exclusion Profile, Examples). The copy is written from the tree rather than cut from the
//! source: where misnested tags have moved a boundary, the part has no single beginning and end in
//! the source.
//!
//! A copy tells robots the same things as the page. Whatever addresses robots is kept, even within
//! an omitted part; nothing is written where a parser would move it; and a BASE element makes links
//! and images lead to the same addresses as on the page.

pub(crate) mod leaving;
pub(crate) mod locution;
pub(crate) mod markup;
pub(crate) mod media;

use crate::html::{Kind, NodeId, Space, Tree, place};
use crate::steps;

use super::base::Base;
use super::marks::{Marks, State};
use super::plan::{Act, Cause, Plan};
use leaving::{Leaving, Open};

/// A part that is omitted from a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What forbids keeping it.
    pub cause: Cause,
    /// Where it begins in the source.
    pub place: u32,
    /// How many bytes of text are omitted.
    pub octets: u32,
}

/// A copy of a page.
#[derive(Debug, Default)]
pub struct Copied {
    /// The copy as HTML.
    pub html: String,
    /// The omitted parts.
    pub cuts: Vec<Cut>,
    /// Whether anything is omitted; if not, the page may be kept as it is.
    pub changed: bool,
}

/// Writes the archivable copy of a page; `source` is the text that the tree was parsed from.
#[must_use]
pub fn archive(tree: &Tree, source: &str, plan: &Plan) -> Copied {
    let mut writer = Writer {
        tree,
        source,
        marks: Marks::new(plan),
        urls: media::Urls::new(&plan.base, plan.most_url_bytes),
        base: Base::new(&plan.base).resolve(&plan.base).ok(),
        html: String::with_capacity(source.len()),
        leaving: Leaving::default(),
        changed: false,
        containers: Vec::new(),
    };
    writer.walk();
    Copied { html: writer.html, cuts: writer.leaving.cuts, changed: writer.changed }
}

struct Writer<'t> {
    tree: &'t Tree,
    source: &'t str,
    marks: Marks<'t>,
    urls: media::Urls,
    /// The base of the page, if it is a valid URL.
    base: Option<String>,
    html: String,
    leaving: Leaving,
    changed: bool,
    /// The elements that are open in the copy.
    containers: Vec<NodeId>,
}

impl Writer<'_> {
    fn walk(&mut self) {
        let tree = self.tree;
        let mut open: Vec<(State, Open)> = vec![(State::default(), Open::Written)];
        let mut next = tree.node(Tree::ROOT).first_child;
        // The contents of templates are not in the tree itself: these are the templates to return
        // to after their contents.
        let mut templates: Vec<NodeId> = Vec::new();
        while let Some(id) = next {
            steps::count(1);
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
                self.leaf(id, around, begun);
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

    /// Returns what forbids keeping something at a position, if anything does.
    fn forbids(&mut self, place: u32, state: State) -> Option<Cause> {
        let cause = self.marks.decides(Act::Archive, place, state).filter(|cause| !cause.allows);
        self.changed |= cause.is_some();
        cause
    }

    fn begin(&mut self, id: NodeId, around: State, begun: Open) -> (State, Open) {
        let tree = self.tree;
        let node = tree.node(id);
        let mut state = around;
        self.marks.mark(tree, id, &mut state);
        if self.base.is_some() && tree.name(id) == "base" && node.space == Space::Html {
            // The HEAD of the copy already has one.
            return (state, Open::Silent);
        }
        let Some(cause) = self.forbids(node.start, state) else {
            self.put_locution();
            self.write(id);
            return (state, Open::Written);
        };
        if self.marks.plan.kept.contains(&node.start) {
            let spoken = |name: &str, value: &str| locution::speaks(name).then(|| value.to_owned());
            markup::tag(&mut self.html, tree, id, spoken);
            return (state, Open::Silent);
        }
        let is_outermost = self.forbids(node.start, around).is_none();
        if is_outermost {
            self.leaving.begins(id, cause);
        }
        let begins = is_outermost && begun == Open::Written;
        let how = match node.space {
            Space::Html => {
                Open::of(tree.name(id), begins, begun, container(tree, &self.containers))
            }
            Space::Svg | Space::MathMl => Open::Dropped,
        };
        if how.is_written() {
            self.put_locution();
            self.write_bare(id, how);
        }
        (state, how)
    }

    fn end(&mut self, id: NodeId, how: Open) {
        self.leaving.ends(id, how, self.tree.node(id).start, self.html.len());
        if how.is_written() {
            self.put_locution();
            self.containers.pop();
            markup::end_tag(&mut self.html, self.tree, id);
        }
    }

    fn leaf(&mut self, id: NodeId, state: State, begun: Open) {
        let (tree, node) = (self.tree, self.tree.node(id));
        let cause = self.forbids(node.start, state);
        let text = tree.text(id);
        let is_blank = text.trim_ascii().is_empty();
        match node.kind {
            Kind::Doctype => {
                self.html.push_str(&self.source[node.start as usize..node.end as usize]);
            }
            Kind::Comment if cause.is_none() || self.marks.plan.kept.contains(&node.start) => {
                self.html.push_str("<!--");
                self.html.push_str(text);
                self.html.push_str("-->");
            }
            Kind::Text if cause.is_none() => {
                if !is_blank {
                    self.put_locution();
                }
                markup::text(&mut self.html, tree, id);
            }
            Kind::Text if !is_blank => {
                if let Some(cause) = cause {
                    let part = Cut { cause, place: node.start, octets: place(text.len()) };
                    self.leaving.part(part, self.html.len(), begun != Open::Silent);
                }
            }
            _ => {}
        }
    }

    fn put_locution(&mut self) {
        let container = container(self.tree, &self.containers);
        self.leaving.put_locution(&mut self.html, container, "");
    }

    /// Writes the tag of an element that may be kept.
    fn write(&mut self, id: NodeId) {
        markup::tag(&mut self.html, self.tree, id, |_, value| Some(value.to_owned()));
        self.opened(id);
    }

    /// Writes the tag of an element that may not be kept, with only what shapes the page, the
    /// marks, and the addresses of the media that it shows.
    fn write_bare(&mut self, id: NodeId, how: Open) {
        let name = self.tree.name(id);
        let urls = &mut self.urls;
        markup::tag(&mut self.html, self.tree, id, |attribute, value| {
            let kept = locution::kept(name, attribute, value);
            kept.or_else(|| urls.kept(name, attribute, value).filter(|_| how == Open::Media))
        });
        if how == Open::Media && name == "img" {
            self.html.pop();
            markup::attribute(&mut self.html, "alt", locution::IMAGE);
            self.html.push('>');
        }
        self.opened(id);
    }

    /// Records that an element is open in the copy.
    fn opened(&mut self, id: NodeId) {
        self.containers.push(id);
        if self.tree.name(id) == "head" && self.tree.node(id).space == Space::Html {
            self.write_base(id);
        }
    }

    /// Writes the base of the page, so that links still lead to the same addresses when the copy is
    /// shown elsewhere.
    fn write_base(&mut self, head: NodeId) {
        let Some(base) = &self.base else { return };
        let html = &mut self.html;
        html.push_str("<base");
        markup::attribute(html, "href", base);
        let mut next = self.tree.node(head).first_child;
        while let Some(id) = next {
            steps::count(1);
            let target = self.tree.attribute(id, "target");
            if let Some(target) = target.filter(|_| self.tree.name(id) == "base") {
                markup::attribute(html, "target", target);
                break;
            }
            next = self.tree.node(id).next;
        }
        html.push('>');
    }
}

/// Returns the name of the innermost element that is open in a copy.
fn container<'t>(tree: &'t Tree, open: &[NodeId]) -> &'t str {
    let Some(id) = open.last() else { return "" };
    let parent = tree.node(*id).parent.map_or("", |parent| tree.name(parent));
    let name = tree.name(*id);
    // With scripting disabled, the content of a NOSCRIPT in the HEAD belongs to the HEAD (HTML
    // 13.2.6.4.5).
    if name == "noscript" && parent == "head" { parent } else { name }
}

//! The archivable copy of an XML document.
//!
//! Source: Robot Exclusion Profile, Examples, for XHTML, which is treated like HTML; other XML has
//! no marks except comments.

use crate::html::{Kind, Met, NodeId, Traits, Tree, place};

use super::super::archive::Cut;
use super::super::archive::leaving::{Leaving, Open};
use super::super::archive::{locution, markup, media};
use super::super::base::Base;
use super::super::marks::{Marks, State};
use super::super::plan::{Act, Cause, Plan};
use super::Xml;

/// A copy of a document.
#[derive(Debug, Default)]
pub struct Copy {
    /// Its text, well-formed if the document is.
    pub text: String,
    /// The omitted parts.
    pub cuts: Vec<Cut>,
}

/// Copies a document without the parts that may not be kept. Each piece of the source extends from
/// the beginning of one node to the beginning of the next.
#[must_use]
pub fn copy_xml(xml: &Xml, text: &str, plan: &Plan) -> Copy {
    let base = Base::new(&plan.base).resolve(&plan.base).ok();
    let mut copier = Copier {
        xml,
        tree: &xml.tree,
        marks: Marks::new(plan),
        urls: media::Urls::new(&plan.base, plan.most_url_bytes),
        base: base.clone(),
        rebases: base.is_some(),
        open: Vec::new(),
        leaving: Leaving::default(),
        text: String::with_capacity(text.len()),
    };
    let steps = steps(xml);
    // The source before the first node, such as a declaration, is kept with that node.
    let mut at = 0;
    for (number, step) in steps.iter().enumerate() {
        let end = steps.get(number + 1).map_or(xml.read_to, |next| next.place as usize).max(at);
        copier.take(*step, place(at), &text[at..end]);
        at = end;
    }
    let cuts = copier.leaving.cuts;
    if cuts.is_empty() && xml.read_to == text.len() && xml.tree.met() == Met::default() {
        return Copy { text: text[..at].to_owned(), cuts };
    }
    Copy { text: copier.text, cuts }
}

#[derive(Clone, Copy)]
struct Step {
    id: NodeId,
    ends: bool,
    place: u32,
}

/// Returns the nodes in source order; each element is listed again where it ends.
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

/// An open element.
struct OpenElement<'s> {
    id: NodeId,
    state: State,
    how: Open,
    tag: Tag<'s>,
    /// Whether its end tag has to be added, because its tag was an empty-element tag.
    is_reopened: bool,
    /// The base of its surroundings, if it has one of its own.
    base_around: Option<Base>,
}

struct Copier<'t> {
    xml: &'t Xml,
    tree: &'t Tree,
    marks: Marks<'t>,
    urls: media::Urls,
    /// The base of the document, if it is a valid URL and has not been written yet.
    base: Option<String>,
    /// Whether the copy has that base instead of the BASE elements of the document.
    rebases: bool,
    open: Vec<OpenElement<'t>>,
    leaving: Leaving,
    text: String,
}

impl<'t> Copier<'t> {
    fn take(&mut self, step: Step, at: u32, source: &'t str) {
        match self.tree.node(step.id).kind {
            Kind::Element if step.ends => self.end(source),
            Kind::Element => self.begin(step.id, at, source),
            Kind::LeftOut => self.keep_metas(step.id),
            _ => self.leaf(step.id, at, source),
        }
    }

    fn around(&self) -> (State, Open) {
        self.open.last().map_or((State::default(), Open::Written), |open| (open.state, open.how))
    }

    fn forbids(&mut self, at: u32, state: State) -> Option<Cause> {
        self.marks.decides(Act::Archive, at, state).filter(|cause| !cause.allows)
    }

    fn leaf(&mut self, id: NodeId, at: u32, source: &str) {
        let node = self.tree.node(id);
        let (state, around) = self.around();
        let is_text = node.kind == Kind::Text && !source.trim_ascii().is_empty();
        let Some(cause) = self.forbids(at, state) else {
            if is_text {
                self.put_locution();
            }
            self.text.push_str(source);
            return;
        };
        if is_text {
            let part = Cut { cause, place: at, octets: place(source.len()) };
            self.leaving.part(part, self.text.len(), around != Open::Silent);
        } else if node.kind == Kind::Instruction {
            self.keep_instructions(at, source.len());
        } else if self.marks.plan.kept.contains(&node.start) {
            self.text.push_str(source);
        }
    }

    /// Keeps the robots instructions among consecutive instructions.
    fn keep_instructions(&mut self, at: u32, bytes: usize) {
        let end = at.saturating_add(place(bytes));
        for one in self.xml.instructions.iter().filter(|one| (at..end).contains(&one.place)) {
            self.text.extend(["<?robots ", &one.data, "?>"]);
        }
    }

    /// Keeps META elements that address robots but are nested too deeply.
    fn keep_metas(&mut self, left_out: NodeId) {
        let prefix = self.open.first().map_or("", |root| root.tag.prefix());
        let mut next = self.tree.node(left_out).first_child;
        while let Some(id) = next {
            if self.marks.plan.kept.contains(&self.tree.node(id).start) {
                self.text.extend(["<", prefix, "meta"]);
                self.write_spoken(id);
            }
            next = self.tree.node(id).next;
        }
    }

    fn begin(&mut self, id: NodeId, at: u32, source: &'t str) {
        let (around, begun) = self.around();
        let mut state = around;
        self.marks.mark(self.tree, id, &mut state);
        let base_around = self.xml.bases.get(&id).map(|written| self.urls.enter(written));
        let tag = Tag(source);
        let how = match self.forbids(at, state) {
            _ if self.rebases && self.is_of_document(id, "base") => Open::Silent,
            None => Open::Written,
            Some(_) if self.marks.plan.kept.contains(&self.tree.node(id).start) => {
                self.text.extend(["<", tag.name()]);
                self.write_spoken(id);
                Open::Silent
            }
            Some(cause) => {
                let begins = self.forbids(at, around).is_none();
                if begins {
                    self.leaving.begins(id, cause);
                }
                self.way(id, begins && begun == Open::Written, begun)
            }
        };
        let is_reopened = self.write(id, tag, how);
        self.open.push(OpenElement { id, state, how, tag, is_reopened, base_around });
        if how.is_written() {
            self.write_base(id);
        }
    }

    /// Returns how to write an element that may not be kept; the root element is always written.
    fn way(&self, id: NodeId, begins: bool, begun: Open) -> Open {
        let how = Open::of(self.tree.name(id), begins, begun, self.container().0);
        if self.open.is_empty() && !how.is_written() { Open::Bare } else { how }
    }

    fn end(&mut self, source: &str) {
        let Some(open) = self.open.last() else { return };
        let (id, how) = (open.id, open.how);
        self.leaving.ends(id, how, self.tree.node(id).start, self.text.len());
        if how.is_written() {
            self.put_locution();
        }
        let Some(open) = self.open.pop() else { return };
        if let Some(base) = open.base_around {
            self.urls.leave(base);
        }
        if open.is_reopened {
            self.text.extend(["</", open.tag.name(), ">"]);
        } else if how.is_written() {
            self.text.push_str(source);
        }
    }

    fn put_locution(&mut self) {
        if self.leaving.is_pending() {
            let (container, prefix) = self.container();
            self.leaving.put_locution(&mut self.text, container, prefix);
        }
    }

    /// Returns the name of the innermost element that is open in the copy, and its prefix.
    fn container(&self) -> (&'t str, &'t str) {
        let open = self.open.iter().rev().find(|open| open.how.is_written());
        open.map_or(("", ""), |open| (self.tree.name(open.id), open.tag.prefix()))
    }

    fn is_of_document(&self, id: NodeId, name: &str) -> bool {
        self.tree.node(id).traits.are(Traits::OF_DOCUMENT) && self.tree.name(id) == name
    }

    /// Writes the tag of an element. Returns whether its end tag has to be added.
    fn write(&mut self, id: NodeId, tag: Tag<'_>, how: Open) -> bool {
        if !how.is_written() {
            return false;
        }
        self.put_locution();
        let gets_base = self.base.is_some() && self.is_of_document(id, "head");
        let is_reopened = match how {
            Open::Written => tag.is_empty() && gets_base,
            _ => tag.is_empty() && !markup::is_void(self.tree.name(id)),
        };
        if how == Open::Written {
            self.text.push_str(if is_reopened { tag.without_end() } else { tag.0 });
        } else {
            self.write_bare(id, tag, how);
            self.text.push_str(if tag.is_empty() && !is_reopened { "/>" } else { "" });
        }
        if is_reopened || (how != Open::Written && !tag.is_empty()) {
            self.text.push('>');
        }
        is_reopened
    }

    /// Writes the tag of an element that may not be kept, without the end of the tag.
    fn write_bare(&mut self, id: NodeId, tag: Tag<'_>, how: Open) {
        let name = self.tree.name(id);
        self.text.extend(["<", tag.name()]);
        for (attribute, quoted) in tag.attributes() {
            if attribute.starts_with("xmlns") || attribute == "xml:base" {
                self.text.extend([" ", attribute, "=", quoted]);
            }
        }
        for (attribute, value) in self.tree.attributes(id) {
            let kept = locution::kept(name, attribute, value);
            let kept = kept.or_else(|| {
                (how == Open::Media).then(|| self.urls.kept(name, attribute, value)).flatten()
            });
            if let Some(kept) = kept {
                write_attribute(&mut self.text, attribute, &kept);
            }
        }
        if how == Open::Media && name == "img" {
            write_attribute(&mut self.text, "alt", locution::IMAGE);
        }
    }

    /// Writes the attributes of an element that address robots, and the end of its tag.
    fn write_spoken(&mut self, id: NodeId) {
        for (attribute, value) in self.tree.attributes(id) {
            if locution::speaks(attribute) {
                write_attribute(&mut self.text, attribute, value);
            }
        }
        self.text.push_str("/>");
    }

    /// Writes the base of the document into its HEAD, or into a new HEAD at the beginning of the
    /// root element.
    fn write_base(&mut self, id: NodeId) {
        let Some(open) = self.open.last() else { return };
        let is_head = self.is_of_document(id, "head");
        let is_root = self.open.len() == 1 && self.tree.name(id) == "html" && !open.tag.is_empty();
        if !is_head && (!is_root || self.has_head(id)) {
            return;
        }
        let Some(base) = self.base.take() else { return };
        let prefix = open.tag.prefix();
        let around = if is_head { [""; 4] } else { ["<", prefix, "head", ">"] };
        self.text.extend(around);
        self.text.extend(["<", prefix, "base"]);
        write_attribute(&mut self.text, "href", &base);
        if let Some(target) = self.target(id) {
            write_attribute(&mut self.text, "target", target);
        }
        self.text.push_str("/>");
        if !is_head {
            self.text.extend(["</", prefix, "head", ">"]);
        }
    }

    fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'t> {
        let tree = self.tree;
        std::iter::successors(tree.node(id).first_child, move |id| tree.node(*id).next)
    }

    fn has_head(&self, root: NodeId) -> bool {
        self.children(root).any(|id| self.is_of_document(id, "head"))
    }

    /// Returns the first `target` of a BASE in a HEAD.
    fn target(&self, head: NodeId) -> Option<&'t str> {
        let mut bases = self.children(head).filter(|id| self.is_of_document(*id, "base"));
        bases.find_map(|id| self.tree.attribute(id, "target"))
    }
}

/// A start tag as written in a well-formed document.
#[derive(Clone, Copy)]
struct Tag<'s>(&'s str);

impl<'s> Tag<'s> {
    /// Returns its name, with the prefix.
    fn name(self) -> &'s str {
        let name = self.0.trim_start_matches('<');
        let end = name.find(|one: char| one.is_ascii_whitespace() || matches!(one, '/' | '>'));
        &name[..end.unwrap_or(name.len())]
    }

    /// Returns the prefix of its name, with the colon.
    fn prefix(self) -> &'s str {
        let name = self.name();
        &name[..name.rfind(':').map_or(0, |at| at + 1)]
    }

    /// Whether it is an empty-element tag.
    fn is_empty(self) -> bool {
        self.0.ends_with("/>")
    }

    /// Returns it without its end.
    fn without_end(self) -> &'s str {
        self.0.trim_end_matches('>').trim_end_matches('/')
    }

    /// Returns the attributes, each with its quoted value.
    fn attributes(self) -> impl Iterator<Item = (&'s str, &'s str)> {
        let mut rest = self.without_end().get(1 + self.name().len()..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (name, behind) = rest.split_once('=')?;
            let quoted = behind.trim_ascii_start();
            let quote = quoted.chars().next()?;
            let end = 1 + quoted[1..].find(quote)? + 1;
            rest = &quoted[end..];
            Some((name.trim_ascii(), &quoted[..end]))
        })
    }
}

/// Writes an attribute. Line ends and tabs are written as references, since they would otherwise be
/// read as spaces (XML 1.0 section 3.3.3).
fn write_attribute(text: &mut String, name: &str, value: &str) {
    text.extend([" ", name, "=\""]);
    for one in value.chars() {
        match one {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '"' => text.push_str("&quot;"),
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            '\t' => text.push_str("&#9;"),
            other => text.push(other),
        }
    }
    text.push('"');
}

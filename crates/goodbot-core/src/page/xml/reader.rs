//! The reader: source to tree.

use std::collections::{HashMap, HashSet};

use crate::html::{Met, New, NodeId, Traits, Tree, place};
use crate::page::base::{Base, Unresolved};

use super::names::{Names, Namespace};
use super::source::{Tag, append_text, doctype, line_feeds, tag, value};
use super::{Declarations, Instruction, Links, Target, Xml};

/// How deep elements may stand in each other; as in HTML.
const DEPTH: usize = 512;

/// How many nodes there may be; as in HTML.
const MOST_NODES: usize = 1_000_000;

/// The attributes of all elements, with their defaults and entities, may have this many bytes and four
/// times those of the document.
const ATTRIBUTES_OF_ANY: usize = 1 << 20;

/// The same for the URLs of links.
const URLS_OF_ANY: usize = 1 << 20;

/// Reads a document of XML.
///
/// `text` is well-formed up to the byte `well_formed`; what stands behind it is not read. Links are
/// resolved against `url` and the `xml:base` around them.
#[must_use]
pub fn parse_xml(text: &str, well_formed: usize, url: &str, declared: &Declarations) -> Xml {
    let mut end = well_formed.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut reader = Reader {
        text: &text[..end],
        at: 0,
        declared,
        xml: Xml {
            tree: Tree::empty(end),
            links: Links::new(),
            instructions: Vec::new(),
            read_to: end,
            ends: Vec::new(),
        },
        open: Vec::new(),
        names: Names::default(),
        bases: vec![Base::new(url)],
        pending: None,
        too_deep: 0,
        left_out: None,
        is_xhtml: false,
        title: Title::default(),
        has_content: false,
        url_room: text.len().saturating_mul(4) + URLS_OF_ANY,
        attribute_room: text.len().saturating_mul(4) + ATTRIBUTES_OF_ANY,
        met: Met::default(),
    };
    reader.read();
    reader.xml
}

/// An open element.
struct Open {
    id: NodeId,
    name: String,
    /// The prefixes that it declares.
    declared: Vec<String>,
    /// How many bases are in force within it.
    bases: usize,
    /// Whether it is an extended link.
    extended: bool,
}

/// The title, the first that has text: that is not among the texts of the document.
#[derive(Default)]
struct Title {
    open: Option<NodeId>,
    has_text: bool,
}

struct Reader<'s> {
    text: &'s str,
    at: usize,
    declared: &'s Declarations,
    xml: Xml,
    open: Vec<Open>,
    names: Names,
    /// The bases of the elements around, the outermost first.
    bases: Vec<Base>,
    /// The text that is being gathered, and where it begins.
    pending: Option<(usize, String)>,
    /// How many elements are open that stand too deep.
    too_deep: usize,
    /// The last node, if it stands for what stands too deep.
    left_out: Option<NodeId>,
    is_xhtml: bool,
    title: Title,
    /// Whether there was text or a link.
    has_content: bool,
    /// How many bytes the URLs of further links may take.
    url_room: usize,
    /// How many bytes the attributes of further elements may take.
    attribute_room: usize,
    met: Met,
}

type Attributes = Vec<(String, String)>;

impl Reader<'_> {
    fn read(&mut self) {
        while self.at < self.text.len() && self.met.nodes.is_none() {
            let rest = &self.text[self.at..];
            let next = if rest.starts_with('<') { self.markup() } else { Some(self.characters()) };
            let Some(length) = next else { break };
            self.at += length;
        }
        self.flush();
        let end = place(self.xml.read_to);
        for open in self.open.drain(..) {
            self.xml.ends[open.id.at()] = end;
        }
        self.xml.tree.meet(self.met);
    }

    /// Reads what begins with `<`; how long it is. Nothing, if it is broken off.
    fn markup(&mut self) -> Option<usize> {
        let rest = &self.text[self.at..];
        let ends = |end: &str, from: usize| {
            let found = memchr::memmem::find(rest.as_bytes().get(from..)?, end.as_bytes())?;
            Some(from + found + end.len())
        };
        if rest.starts_with("<!--") {
            let length = ends("-->", 4)?;
            self.comment(self.at, length);
            return Some(length);
        }
        if rest.starts_with("<?") {
            let length = ends("?>", 2)?;
            self.instruction(self.at, length);
            return Some(length);
        }
        if rest.starts_with("<![CDATA[") {
            return Some(self.character_section(ends("]]>", 9)));
        }
        if rest.starts_with("<!") {
            let (length, inner) = doctype(rest);
            self.doctype(&inner);
            return Some(length);
        }
        if rest.starts_with("</") {
            let length = ends(">", 2)?;
            self.end(self.at);
            return Some(length);
        }
        let tag = tag(rest)?;
        let (length, is_empty) = (tag.length, tag.is_empty);
        self.start(&tag);
        if is_empty && self.met.nodes.is_none() {
            self.end(self.at + length);
        }
        Some(length)
    }

    fn doctype(&mut self, inner: &[(usize, usize)]) {
        self.append(New::Instruction, self.at, self.at, Traits::default());
        for (start, end) in inner {
            let at = self.at + start;
            if self.text[at..].starts_with("<!--") {
                self.comment(at, end - start);
            } else {
                self.instruction(at, end - start);
            }
            self.append(New::Instruction, self.at + end, self.at + end, Traits::default());
        }
    }

    /// Reads text up to the next tag or comment; how long it is.
    fn characters(&mut self) -> usize {
        let rest = &self.text[self.at..];
        let length = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let written = &rest[..length];
        // A reference that is broken off is no text.
        if !written.starts_with('&') || written.contains(';') {
            self.gather(self.at, |text| append_text(written, text));
        }
        length
    }

    /// Reads a CDATA section; one that is broken off ends with the document.
    fn character_section(&mut self, end: Option<usize>) -> usize {
        const BEGIN: usize = "<![CDATA[".len();
        let rest = &self.text[self.at..];
        let behind = end.map_or(rest.len(), |end| end - "]]>".len());
        self.border(self.at);
        if behind > BEGIN {
            self.gather(self.at + BEGIN, |text| text.push_str(&line_feeds(&rest[BEGIN..behind])));
        }
        if end.is_some() {
            self.border(self.at + behind);
        }
        end.unwrap_or(rest.len())
    }

    fn border(&mut self, at: usize) {
        self.append(New::Instruction, at, at, Traits::default());
    }

    fn gather(&mut self, at: usize, append: impl FnOnce(&mut String)) {
        if self.open.is_empty() {
            return;
        }
        if self.too_deep > 0 {
            self.leave_out(at);
            return;
        }
        let (_, text) = self.pending.get_or_insert_with(|| (at, String::new()));
        append(text);
    }

    /// Makes a node of the text that was gathered.
    fn flush(&mut self) {
        let Some((at, text)) = self.pending.take() else { return };
        let parent = self.open.last();
        let is_verbatim = parent.is_some_and(|open| matches!(&*open.name, "script" | "style"));
        let is_hidden = self.title.open.is_some() || (self.is_xhtml && is_verbatim);
        self.title.has_text |= self.title.open.is_some() && !text.trim_ascii().is_empty();
        self.has_content |= !is_hidden && !text.trim().is_empty();
        let traits = if is_hidden { Traits::HIDDEN } else { Traits::default() };
        self.append(New::Text(&text), at, at, traits);
    }

    /// Appends a node, first the text before it; nothing if there are too many.
    fn append(&mut self, new: New<'_>, start: usize, end: usize, traits: Traits) -> Option<NodeId> {
        self.flush();
        let bounds = (place(start), place(end));
        if self.xml.tree.len() >= MOST_NODES || self.attribute_room == 0 {
            if self.met.nodes.is_none() {
                self.met.nodes = Some(bounds.0);
                self.xml.read_to = start;
            }
            return None;
        }
        let parent = self.open.last().map_or(Tree::ROOT, |open| open.id);
        self.left_out = None;
        Some(self.xml.tree.append(parent, new, bounds, traits))
    }

    fn comment(&mut self, at: usize, length: usize) {
        let text = line_feeds(&self.text[at + 4..at + length - 3]);
        self.append(New::Comment(&text), at, at + length, Traits::default());
    }

    fn instruction(&mut self, at: usize, length: usize) {
        self.append(New::Instruction, at, at, Traits::default());
        let written = &self.text[at + 2..at + length - 2];
        let is_space = |one: char| matches!(one, ' ' | '\t' | '\r' | '\n');
        let (target, data) = written.split_once(is_space).unwrap_or((written, ""));
        if target == "robots" {
            self.xml.instructions.push(Instruction {
                data: line_feeds(data.trim_start_matches(is_space)),
                place: place(at),
                late: self.has_content,
            });
        }
    }

    /// Notes that something is left out that stands too deep.
    fn leave_out(&mut self, at: usize) -> Option<NodeId> {
        if self.left_out.is_none() {
            self.left_out = self.append(New::LeftOut, at, at, Traits::default());
        }
        self.left_out
    }

    fn too_deep(&mut self, written: &Tag<'_>) {
        self.met.depth.get_or_insert(place(self.at));
        self.too_deep += 1;
        let within = self.leave_out(self.at);
        let local = written.name.rsplit(':').next().unwrap_or_default();
        // A META element says how everything is to be treated, wherever it stands.
        if let Some(within) = within.filter(|_| local.eq_ignore_ascii_case("meta")) {
            let attributes = lower_case(&self.attributes(written));
            let new = New::Element("meta", borrowed(&attributes));
            let bounds = (place(self.at), place(self.at + 1));
            self.xml.tree.append(within, new, bounds, Traits::OF_DOCUMENT);
        }
    }

    fn start(&mut self, written: &Tag<'_>) {
        if self.open.len() >= DEPTH {
            self.too_deep(written);
            return;
        }
        self.flush();
        let attributes = self.attributes(written);
        let declared = self.names.declare(&attributes);
        let bases = self.bases.len();
        if let Some(base) = of(&attributes, "xml:base") {
            let resolved = self.resolve(base);
            self.bases.push(Base::new(resolved.as_deref().unwrap_or(base)));
        }
        let (prefix, local) = written.name.rsplit_once(':').unwrap_or(("", written.name));
        let space = self.names.of(prefix).unwrap_or(Namespace::None);
        let mut is_html = space == Namespace::Xhtml || (space == Namespace::None && self.is_xhtml);
        if self.open.is_empty() && (space == Namespace::Xhtml || local == "html") {
            is_html = true;
            self.is_xhtml = true;
        }
        let around = self.open.last().is_some_and(|open| open.extended);
        let (href, extended) = self.link(local, space, &attributes, around, is_html);
        let name = if is_html { local.to_lowercase() } else { local.to_owned() };
        // SVG and MathML in XHTML may be marked as well.
        let mut marked = if self.is_xhtml { lower_case(&attributes) } else { Vec::new() };
        let target = href.map(|href| {
            let href =
                href.trim_matches(|one: char| matches!(one, ' ' | '\t' | '\n' | '\r' | '\x0c'));
            let resolved = self.resolve(href);
            let unresolved = resolved.as_ref().err().copied();
            Target { url: resolved.unwrap_or_else(|_| href.to_owned()), unresolved }
        });
        if space == Namespace::Atom && target.is_some() {
            marked = attributes.iter().filter(|(name, _)| name == "rel").cloned().collect();
        }
        let traits = Traits::of_xml(&name, is_html, target.is_some());
        let new = New::Element(&name, borrowed(&marked));
        let Some(id) = self.append(new, self.at, self.at + 1, traits) else { return };
        self.xml.ends.resize(id.at() + 1, 0);
        if let Some(target) = target {
            self.xml.links.insert(id, target);
            self.has_content = true;
        }
        if is_html && name == "title" && !self.title.has_text {
            self.title.open.get_or_insert(id);
        }
        self.open.push(Open { id, name, declared, bases, extended });
    }

    fn end(&mut self, at: usize) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            self.leave_out(at);
            return;
        }
        self.flush();
        self.left_out = None;
        let Some(open) = self.open.pop() else { return };
        self.names.forget(&open.declared);
        self.bases.truncate(open.bases);
        self.xml.ends[open.id.at()] = place(at);
        if open.name == "noindex" {
            self.xml.tree.noindex_ends(place(at));
        }
        self.title.open = self.title.open.filter(|id| *id != open.id);
    }

    /// The attributes of an element, with those that a declaration gives it.
    fn attributes(&mut self, tag: &Tag<'_>) -> Attributes {
        let declared = self.declared.attributes.get(tag.name).map_or(&[][..], Vec::as_slice);
        let lists: HashSet<&str> =
            declared.iter().filter(|(_, is_list, _)| *is_list).map(|one| &*one.0).collect();
        let entities = &self.declared.entities;
        let written = tag.attributes.iter().map(|(name, written)| {
            ((*name).to_owned(), value(written, entities, lists.contains(name)))
        });
        let mut attributes: Attributes = written.collect();
        let known: HashSet<&str> = match declared {
            [] => HashSet::new(),
            _ => tag.attributes.iter().map(|(name, _)| *name).collect(),
        };
        for (name, _, default) in declared {
            if let Some(default) = default.as_ref().filter(|_| !known.contains(&**name)) {
                attributes.push((name.clone(), default.clone()));
            }
        }
        let bytes: usize = attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.attribute_room = self.attribute_room.saturating_sub(bytes);
        attributes
    }

    /// Where an element leads, and whether it is an extended link.
    ///
    /// Simple links and the locators of extended ones have an href (`XLink` 1.0 section 5; 1.1 takes an
    /// href without a type for a simple link); so have the anchors of XHTML and the links of Atom.
    fn link<'a>(
        &self,
        local: &str,
        space: Namespace,
        attributes: &'a Attributes,
        extended: bool,
        is_html: bool,
    ) -> (Option<&'a str>, bool) {
        let mut xlink = HashMap::new();
        for (key, value) in attributes {
            let Some((prefix, name)) = key.split_once(':') else { continue };
            let known = self.names.of(prefix);
            if known == Some(Namespace::XLink) || (known.is_none() && prefix == "xlink") {
                xlink.insert(name, value.as_str());
            }
        }
        let href = xlink.get("href").copied();
        let kind = xlink.get("type").copied().or(href.map(|_| "simple")).unwrap_or_default();
        match kind {
            "extended" => return (None, true),
            "simple" => return (href, extended),
            "locator" if extended => return (href, extended),
            _ => {}
        }
        let is_anchor = is_html && ["a", "area"].iter().any(|one| local.eq_ignore_ascii_case(one));
        let leads = is_anchor || (space == Namespace::Atom && local == "link");
        (of(attributes, "href").filter(|_| leads), extended)
    }

    /// Where an address leads. The first URL for which there is no room ends it: what cannot be kept is
    /// not worked out either.
    fn resolve(&mut self, address: &str) -> Result<String, Unresolved> {
        if self.url_room == 0 {
            return Err(Unresolved::OverBudget);
        }
        let base = &self.bases[self.bases.len() - 1];
        let url = base.resolve(address)?;
        let room = self.url_room.checked_sub(url.len());
        self.url_room = room.unwrap_or(0);
        room.map(|_| url).ok_or(Unresolved::OverBudget)
    }
}

fn of<'a>(attributes: &'a Attributes, wanted: &str) -> Option<&'a str> {
    attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
}

fn lower_case(attributes: &Attributes) -> Attributes {
    attributes.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect()
}

fn borrowed(attributes: &Attributes) -> Vec<(&str, &str)> {
    attributes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::copy_xml;
    use super::*;
    use crate::page::{Plan, facts, scan_xml};

    fn check(text: &str, end: usize) -> Result<(), TestCaseError> {
        let mut declared = Declarations::default();
        declared.entities.insert("e".to_owned(), "x y".to_owned());
        let default = ("b".to_owned(), true, Some("c".to_owned()));
        declared.attributes.insert("a".to_owned(), vec![default]);
        let xml = parse_xml(text, end, "https://h.example/", &declared);
        prop_assert!(xml.read_to <= text.len());
        let _ = facts(&xml.tree, &["noindex".to_owned()]);
        let _ = scan_xml(&xml, &Plan::default());
        let copy = copy_xml(&xml, text, &Plan::default());
        let whole = if xml.tree.len() > 1 { &text[..xml.read_to] } else { "" };
        prop_assert_eq!(copy.text, whole);
        Ok(())
    }

    proptest! {
        /// Whether it is well-formed or not; without marks a copy is the document.
        #[test]
        fn any_text_has_a_tree(
            text in "(<(/|!|\\?|!--|!\\[CDATA\\[|!DOCTYPE )?|[ae:;&#x1='\"/>? \r\né\\[\\]-]{0,3}|-->|\\?>|\\]\\]>|&e;|<a b='c'>|</a>){0,12}",
            end in 0..80_usize,
        ) {
            check(&text, end)?;
            check(&text, usize::MAX)?;
        }
    }

    #[test]
    fn a_slash_that_ends_no_tag_breaks_it_off() {
        assert!(check("<</é", usize::MAX).is_ok());
    }

    #[test]
    fn defaults_have_a_limit() {
        let mut declared = Declarations::default();
        let default = ("b".to_owned(), false, Some("c".repeat(100_000)));
        declared.attributes.insert("a".to_owned(), vec![default]);
        let text = format!("<r>{}</r>", "<a/>".repeat(100));
        let xml = parse_xml(&text, text.len(), "", &declared);
        assert!(xml.tree.met().nodes.is_some());
        assert!(xml.read_to < text.len());
    }
}

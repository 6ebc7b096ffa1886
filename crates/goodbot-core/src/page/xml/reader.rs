//! Builds the tree from the events of the XML reader.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::html::{
    KEPT_ATTRIBUTES, Kind, Limits, Met, New, NodeId, Traits, Tree, is_hidden, place,
};
use crate::xml::{Attributes, Event, Found, Reader};

use super::feeds::{Content, InFeed, is_html as has_tags};
use super::names::{Names, Namespace};
use super::{Instruction, Xml};

/// Parses an XML document in which all line ends are LF.
#[must_use]
pub fn parse_xml(text: &str, limits: &Limits) -> Xml {
    let mut source = Reader::new(text);
    let mut builder = Builder::new(text.len(), *limits);
    while builder.xml.read_to == text.len() {
        let Some(found) = source.next() else { break };
        builder.take(found, &mut source);
    }
    builder.finish(&source)
}

/// An open element.
struct Open<'s> {
    id: NodeId,
    /// The namespace prefixes that it declares.
    declared: Vec<&'s str>,
    /// Whether it is an extended link.
    extended: bool,
    /// Whether text in it is not part of the document's text.
    is_verbatim: bool,
    /// How its text is to be read.
    content: Content,
}

/// The title: the first one with text. Its text is not part of the document's text.
#[derive(Default)]
struct Title {
    open: Option<NodeId>,
    has_text: bool,
}

struct Builder<'s> {
    xml: Xml,
    met: Met,
    limits: Limits,
    open: Vec<Open<'s>>,
    names: Names<'s>,
    attributes: Attributes<'s>,
    /// Where the text being collected begins, followed by that text.
    pending: Option<usize>,
    text: String,
    /// How many elements are open that are nested too deeply.
    too_deep: usize,
    /// The last node, if the next event may be merged into it.
    last: Option<(Kind, NodeId)>,
    is_xhtml: bool,
    is_feed: bool,
    title: Title,
    /// Whether there has been any text or link.
    has_content: bool,
}

impl<'s> Builder<'s> {
    fn new(bytes: usize, limits: Limits) -> Builder<'s> {
        let xml = Xml {
            tree: Tree::empty(bytes),
            links: HashMap::new(),
            bases: HashMap::new(),
            instructions: Vec::new(),
            read_to: bytes,
            fault: None,
            unsafe_entity: None,
            escaped_html: None,
            ends: Vec::new(),
        };
        Builder {
            xml,
            met: Met::default(),
            limits,
            open: Vec::new(),
            names: Names::default(),
            attributes: Vec::new(),
            pending: None,
            text: String::new(),
            too_deep: 0,
            last: None,
            is_xhtml: false,
            is_feed: false,
            title: Title::default(),
            has_content: false,
        }
    }

    fn finish(mut self, source: &Reader<'_>) -> Xml {
        if self.met.nodes.is_none()
            && let Some(fault) = source.fault()
        {
            self.xml.fault = Some(fault);
            self.xml.read_to = fault.at;
        }
        self.flush();
        let end = place(self.xml.read_to);
        for open in &self.open {
            self.xml.ends[open.id.at()] = end;
        }
        self.xml.tree.meet(self.met);
        self.xml.unsafe_entity = source.unsafe_entity().map(str::to_owned);
        self.xml
    }

    fn take(&mut self, found: Found<'s>, source: &mut Reader<'s>) {
        let Found { event, start, end } = found;
        match event {
            Event::Start(name) => self.start(name, start, source),
            Event::End => self.end(start),
            Event::Text(text) | Event::Section(text) => {
                self.gather(start, |all| all.push_str(text));
            }
            Event::Character(one) => self.gather(start, |all| all.push(one)),
            Event::Entity(written) => {
                let mut text = String::new();
                source.expand(written, " ", &mut text);
                self.hear(source.hidden(), start, true);
                self.gather(start, |all| all.push_str(&text));
            }
            Event::Comment(text) => {
                self.append(New::Comment(text), start, end, Traits::default());
            }
            Event::Instruction(target, data) => {
                self.repeat(New::Instruction, start);
                self.hear([(target, data)], start, false);
            }
            Event::Declaration => {
                self.repeat(New::Instruction, start);
                self.hear(source.hidden(), start, true);
            }
        }
    }

    /// Records the processing instructions for robots, passed as targets and data.
    fn hear<T: AsRef<str>>(
        &mut self,
        instructions: impl IntoIterator<Item = (T, T)>,
        at: usize,
        in_entity: bool,
    ) {
        for (_, data) in instructions.into_iter().filter(|(target, _)| target.as_ref() == "robots")
        {
            self.flush();
            let (data, place, late) = (data.as_ref().to_owned(), place(at), self.has_content);
            self.xml.instructions.push(Instruction { data, place, late, in_entity });
        }
    }

    fn gather(&mut self, at: usize, append: impl FnOnce(&mut String)) {
        if self.too_deep > 0 {
            self.repeat(New::LeftOut, at);
            return;
        }
        self.pending.get_or_insert(at);
        append(&mut self.text);
    }

    /// Creates a node for the collected text.
    fn flush(&mut self) {
        let Some(at) = self.pending.take() else { return };
        let text = std::mem::take(&mut self.text);
        let is_blank = text.trim_ascii().is_empty();
        let in_title = self.title.open.is_some();
        let is_hidden = in_title || self.is_no_text(&text, at);
        self.title.has_text |= in_title && !is_blank;
        self.has_content |= !is_hidden && !is_blank;
        let traits = if is_hidden { Traits::HIDDEN } else { Traits::default() };
        self.append(New::Text(&text), at, at, traits);
        self.text = text;
        self.text.clear();
    }

    /// Whether a text of the innermost element is not part of the document's text.
    fn is_no_text(&mut self, text: &str, at: usize) -> bool {
        let Some(open) = self.open.last() else { return false };
        let is_escaped = open.content == Content::Html && has_tags(text);
        if is_escaped {
            self.xml.escaped_html.get_or_insert(place(at));
        }
        is_escaped || open.is_verbatim || open.content == Content::Address
    }

    /// Appends a node, after any collected text. Returns `None` if there are too many nodes.
    fn append(&mut self, new: New<'_>, start: usize, end: usize, traits: Traits) -> Option<NodeId> {
        self.flush();
        if self.xml.tree.len() >= self.limits.nodes as usize {
            self.fill(start);
            return None;
        }
        let parent = self.open.last().map_or(Tree::ROOT, |open| open.id);
        self.last = None;
        Some(self.xml.tree.append(parent, new, (place(start), place(end)), traits))
    }

    /// Stops reading because a limit was exceeded.
    fn fill(&mut self, at: usize) {
        if self.met.nodes.is_none() {
            self.met.nodes = Some(place(at));
            self.xml.read_to = at;
        }
    }

    /// Appends a node for an event without content; consecutive ones share a node.
    fn repeat(&mut self, new: New<'_>, at: usize) -> Option<NodeId> {
        self.flush();
        let kind = if matches!(new, New::LeftOut) { Kind::LeftOut } else { Kind::Instruction };
        if let Some((_, last)) = self.last.filter(|(last, _)| *last == kind) {
            return Some(last);
        }
        let id = self.append(new, at, at, Traits::default());
        self.last = id.map(|id| (kind, id));
        id
    }

    /// Reads the attributes of the element that begins; a limit must not hide a mark.
    fn read_attributes(&mut self, at: usize, source: &mut Reader<'s>) -> Attributes<'s> {
        let mut attributes = std::mem::take(&mut self.attributes);
        let most = self.limits.attributes as usize;
        let mut cut = false;
        let fits = source.attributes(&mut attributes, |number, name| {
            cut |= number >= most;
            number < most || KEPT_ATTRIBUTES.contains(&name) || name.starts_with("xmlns")
        });
        if cut {
            self.met.attributes.get_or_insert(place(at));
        }
        if !fits {
            self.fill(at);
        }
        attributes
    }

    fn start(&mut self, name: &'s str, at: usize, source: &mut Reader<'s>) {
        if self.open.len() >= self.limits.depth as usize {
            self.too_deep(name, at, source);
            return;
        }
        let attributes = self.read_attributes(at, source);
        self.element(name, at, &attributes);
        self.attributes = attributes;
    }

    fn element(&mut self, name: &'s str, at: usize, attributes: &Attributes<'s>) {
        let declared = self.names.declare(attributes);
        let (prefix, local) = name.rsplit_once(':').unwrap_or(("", name));
        let space = self.names.of(prefix).unwrap_or(Namespace::None);
        let mut is_html = space == Namespace::Xhtml || (space == Namespace::None && self.is_xhtml);
        if self.open.is_empty() && (space == Namespace::Xhtml || local == "html") {
            is_html = true;
            self.is_xhtml = true;
        }
        let around = self.open.last().is_some_and(|open| open.extended);
        let (mut href, extended) = self.link(local, space, attributes, around, is_html);
        let (content, url) = self.in_feed(local, space, attributes);
        href = href.or(url);
        let name = if is_html { lower_case(local) } else { Cow::Borrowed(local) };
        let is_link = href.is_some() || content == Content::Address;
        let traits = Traits::of_xml(&name, is_html, is_html || self.is_xhtml, is_link);
        let new = New::Element(&name, self.marks(space, href.is_some(), attributes));
        let Some(id) = self.append(new, at, at + 1, traits) else { return };
        self.xml.ends.resize(id.at() + 1, 0);
        if let Some(base) = of(attributes, "xml:base") {
            self.xml.bases.insert(id, base.to_owned());
        }
        if let Some(href) = href {
            self.xml.links.insert(id, href.to_owned());
            self.has_content = true;
        }
        if is_html && name == "title" && !self.title.has_text {
            self.title.open.get_or_insert(id);
        }
        let is_verbatim = self.open.last().is_some_and(|open| open.is_verbatim)
            || (self.is_xhtml && matches!(&*name, "script" | "style"))
            || (is_html && name != "title" && is_hidden(&name));
        self.open.push(Open { id, declared, extended, is_verbatim, content });
    }

    /// Returns how the text of an element is to be read, and its address if it is an RSS element
    /// with one.
    fn in_feed<'a>(
        &mut self,
        local: &str,
        space: Namespace,
        attributes: &'a Attributes<'s>,
    ) -> (Content, Option<&'a str>) {
        let Some(around) = self.open.last() else {
            self.is_feed = matches!(local, "rss" | "RDF" | "feed");
            return (Content::Text, None);
        };
        if !self.is_feed {
            return (Content::Text, None);
        }
        let of_atom = space == Namespace::Atom;
        let kind = of(attributes, if of_atom { "type" } else { "isPermaLink" });
        let around = self.xml.tree.name(around.id);
        let one = InFeed { space, local, around, kind };
        (one.content(), of(attributes, "url").filter(|_| one.has_url()))
    }

    /// Returns the attributes that may be relevant to the scan.
    fn marks<'a>(
        &self,
        space: Namespace,
        is_link: bool,
        attributes: &'a Attributes<'s>,
    ) -> Vec<(Cow<'a, str>, &'a str)> {
        let has_rel = matches!(space, Namespace::Atom | Namespace::Svg) && is_link;
        if !has_rel && !self.is_xhtml {
            return Vec::new();
        }
        // SVG and MathML in XHTML may be marked as well.
        let has_all = self.is_xhtml && !(has_rel && space == Namespace::Atom);
        let those = attributes.iter().filter(|(name, _)| has_all || *name == "rel");
        those.map(|(name, value)| (lower_case(name), &**value)).collect()
    }

    /// Skips an element that is nested too deeply.
    fn too_deep(&mut self, name: &'s str, at: usize, source: &mut Reader<'s>) {
        self.met.depth.get_or_insert(place(at));
        self.too_deep += 1;
        let within = self.repeat(New::LeftOut, at);
        let local = name.rsplit(':').next().unwrap_or_default();
        // A META element says how the whole document is to be treated, wherever it is.
        if let Some(within) = within.filter(|_| local.eq_ignore_ascii_case("meta")) {
            let attributes = self.read_attributes(at, source);
            let lower = |(name, value): &(&'s str, Cow<'s, str>)| (lower_case(name), value.clone());
            let owned: Vec<_> = attributes.iter().map(lower).collect();
            let borrowed = owned.iter().map(|(name, value)| (name.clone(), &**value)).collect();
            let bounds = (place(at), place(at + 1));
            self.xml.tree.append(
                within,
                New::Element("meta", borrowed),
                bounds,
                Traits::OF_DOCUMENT,
            );
            self.attributes = attributes;
        }
    }

    fn end(&mut self, at: usize) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            self.repeat(New::LeftOut, at);
            return;
        }
        self.flush();
        self.last = None;
        let Some(open) = self.open.pop() else { return };
        if open.content == Content::Address {
            self.address(open.id);
        }
        self.names.forget(&open.declared);
        self.xml.ends[open.id.at()] = place(at);
        if self.xml.tree.name(open.id) == "noindex" {
            self.xml.tree.noindex_ends(place(at));
        }
        self.title.open = self.title.open.filter(|id| *id != open.id);
    }

    /// Turns an element whose text is an address into a link.
    fn address(&mut self, id: NodeId) {
        let tree = &self.xml.tree;
        let Some(first) = tree.node(id).first_child else { return };
        let text = tree.text(first).trim_ascii();
        if tree.node(first).kind == Kind::Text && !text.is_empty() {
            self.xml.links.insert(id, text.to_owned());
            self.has_content = true;
        }
    }

    /// Returns the address of an element, as written, and whether it is an extended link.
    ///
    /// Simple links and the locators of extended ones have an href (`XLink` 1.0 section 5; 1.1
    /// treats an href without a type as a simple link). So do the links of Atom and the anchors of
    /// XHTML and of SVG, where href takes precedence over that of XLink (SVG 2, section 16.3).
    fn link<'a>(
        &self,
        local: &str,
        space: Namespace,
        attributes: &'a Attributes<'s>,
        extended: bool,
        is_html: bool,
    ) -> (Option<&'a str>, bool) {
        let of_xlink = |wanted: &str| {
            let mut each = attributes.iter().filter_map(|(key, value)| {
                let (prefix, name) = key.split_once(':')?;
                let known = self.names.of(prefix);
                let is_xlink =
                    known == Some(Namespace::XLink) || (known.is_none() && prefix == "xlink");
                (name == wanted && is_xlink).then_some(&**value)
            });
            each.next_back()
        };
        if space == Namespace::Svg
            && local == "a"
            && let Some(href) = of(attributes, "href")
        {
            return (Some(href), extended);
        }
        let href = of_xlink("href");
        match of_xlink("type").or(href.map(|_| "simple")).unwrap_or_default() {
            "extended" => return (None, true),
            "simple" => return (href, extended),
            "locator" if extended => return (href, extended),
            _ => {}
        }
        let is_anchor = is_html && ["a", "area"].iter().any(|one| local.eq_ignore_ascii_case(one));
        let leads = is_anchor || (space == Namespace::Atom && local == "link");
        (of(attributes, "href").filter(|_| leads), extended)
    }
}

fn of<'a>(attributes: &'a Attributes<'_>, wanted: &str) -> Option<&'a str> {
    attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| &**value)
}

fn lower_case(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::copy_xml;
    use super::*;
    use crate::page::{Plan, facts, scan_xml};

    proptest! {
        /// Any text has a tree, well-formed or not, and without marks the copy equals the document.
        #[test]
        fn any_text_has_a_tree(
            text in "(<(/|!|\\?|!--|!\\[CDATA\\[|!DOCTYPE )?|[ae:;&#x1='\"/>? \né\u{1}\\[\\]-]{0,3}|-->|\\?>|\\]\\]>|&e;|<a b='c'>|</a>|<!DOCTYPE a \\[<!ENTITY e 'x'>\\]>){0,12}",
        ) {
            let xml = parse_xml(&text, &Limits::default());
            prop_assert!(xml.read_to <= text.len());
            let facts = facts(&xml.tree, &["noindex".to_owned()]);
            let _ = scan_xml(&xml, &facts, &Plan::default());
            let copy = copy_xml(&xml, &text, &Plan::default());
            let whole = if xml.tree.len() > 1 { &text[..xml.read_to] } else { "" };
            prop_assert_eq!(copy.text, whole);
        }
    }

    #[test]
    fn defaults_have_a_limit() {
        let long = "c".repeat(100_000);
        let many = "<a/>".repeat(100);
        let text = format!("<!DOCTYPE r [<!ATTLIST a b CDATA '{long}'>]><r>{many}</r>");
        let xml = parse_xml(&text, &Limits::default());
        assert!(xml.tree.met().nodes.is_some());
        assert!(xml.read_to < text.len());
    }

    #[test]
    fn declarations_and_instructions_in_a_row_are_one_node() {
        let text = format!("<?a?>{}<r><!-- c --></r>", "<?b?>\n".repeat(1000));
        assert_eq!(parse_xml(&text, &Limits::default()).tree.len(), 4);
    }
}

//! The reader, which splits a text into events.

use crate::steps;
use std::collections::HashSet;

use super::Wrong;
use super::careful::forbid;
use super::characters::{first_foreign, is_space};
use super::cursor::Cursor;
use super::declarations::{Content, Declarations, Entity, Hidden, MALFORMED_REFERENCE, UNPARSED};
use super::reference::{Reference, append_entity, reference};
use super::subset::{declaration, doctype};

pub use super::declarations::Attributes;

/// A part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'s> {
    /// The start of an element, with its name; [`Reader::attributes`] returns its attributes.
    Start(&'s str),
    /// The end of the innermost open element.
    End,
    /// A text without references.
    Text(&'s str),
    /// A character written as a reference.
    Character(char),
    /// A reference to an entity, as written: `&nbsp;`.
    Entity(&'s str),
    /// The content of a CDATA section.
    Section(&'s str),
    /// The content of a comment.
    Comment(&'s str),
    /// A processing instruction: its target and its data.
    Instruction(&'s str, &'s str),
    /// The XML declaration, the beginning or end of the document type, or a declaration in it.
    Declaration,
}

/// An event with its position. An empty element ends where its tag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'s> {
    /// The event.
    pub event: Event<'s>,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// The first token that is not well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong with it.
    pub what: &'static str,
    /// Its first byte, which is where reading stopped.
    pub at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// At the beginning, the only place where an XML declaration is allowed.
    Beginning,
    /// Before the document type.
    Prolog,
    /// Within the internal subset.
    Subset,
    /// After the document type.
    Typed,
    /// Within the root element.
    Content,
    /// After the root element.
    Epilog,
}

/// Up to this many attributes are checked for duplicates by comparing them with each other.
const FEW: usize = 16;

/// Reads a text in which all line ends are LF.
pub struct Reader<'s> {
    text: &'s str,
    /// Where the text ends, or the position of the first character that a document may not contain.
    end: usize,
    at: usize,
    stage: Stage,
    /// The names of the open elements.
    open: Vec<&'s str>,
    /// The attributes of the last tag, as written.
    pub(super) written: Vec<(&'s str, &'s str)>,
    /// Whether the last tag was an empty-element tag, whose end event comes next.
    ends: bool,
    pub(super) declared: Declarations<'s>,
    /// The processing instructions in entities since the last call of [`Reader::hidden`].
    hidden: Vec<Hidden>,
    /// Whether the text is that of an entity rather than a document.
    is_entity: bool,
    fault: Option<Fault>,
}

impl<'s> Reader<'s> {
    /// Creates a reader at the beginning of a text; a byte order mark is skipped.
    #[must_use]
    pub fn new(text: &'s str) -> Reader<'s> {
        Reader {
            text,
            end: first_foreign(text).unwrap_or(text.len()),
            at: if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 },
            stage: Stage::Beginning,
            open: Vec::new(),
            written: Vec::new(),
            ends: false,
            declared: Declarations::new(text.len()),
            hidden: Vec::new(),
            is_entity: false,
            fault: None,
        }
    }

    /// Creates a reader for the text of an entity, in content or in the internal subset.
    pub(super) fn within(text: &'s str, in_subset: bool) -> Reader<'s> {
        let stage = if in_subset { Stage::Subset } else { Stage::Content };
        // The element that contains the entity does not begin in its text.
        let open = if in_subset { Vec::new() } else { vec![""] };
        Reader { stage, open, is_entity: true, ..Reader::new(text) }
    }

    /// Returns the fault, once reading has reached it.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Goes on reading behind a fault, for documents of which the rest is still of use.
    ///
    /// `at` is where the next token begins, and `open` has the names of the elements around it, at
    /// least one; `None` leaves those that are open. The fault is forgotten.
    pub fn resume(&mut self, at: usize, open: Option<&[&'s str]>) {
        if let Some(open) = open {
            self.open.clear();
            self.open.extend_from_slice(open);
            self.stage = Stage::Content;
        }
        if at > self.end {
            let foreign = first_foreign(&self.text[at..]);
            self.end = foreign.map_or(self.text.len(), |found| at + found);
        }
        (self.at, self.ends, self.fault) = (at, false, None);
    }

    /// Returns the first entity so far that is not read because it is too long, contains markup, is
    /// made of others, or is external.
    #[must_use]
    pub fn unsafe_entity(&self) -> Option<&'s str> {
        self.declared.unsafe_entity
    }

    /// Appends what a reference to an entity stands for in a text. `written` is the reference as
    /// [`Event::Entity`] reports it. The result is a short text that the internal subset declares,
    /// `gap` for anything else that it declares, or else what HTML defines.
    pub fn expand(&mut self, written: &'s str, gap: &str, text: &mut String) {
        let name = &written[1..written.len() - 1];
        match self.declared.content(name) {
            Content::Text(plain) => text.push_str(&plain),
            Content::Gap => {
                text.push_str(gap);
                self.look_into(written);
            }
            Content::Undeclared => append_entity(written, text),
        }
    }

    /// Collects the processing instructions in the entity that a reference names.
    pub(super) fn look_into(&mut self, written: &str) {
        self.declared.in_entity(&written[1..written.len() - 1], &mut self.hidden);
    }

    /// Returns the processing instructions, as targets and data, in entities referred to since the
    /// last call.
    pub fn hidden(&mut self) -> Vec<Hidden> {
        std::mem::take(&mut self.hidden)
    }

    /// Returns the number of open elements.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Collects the attributes of the element that begins, both written and default. Returns
    /// `false` if they are more than the document may have.
    ///
    /// If an attribute that addresses robots contains an entity that is not read, it forbids.
    /// `wanted` selects written attributes by their number and name.
    pub fn attributes(
        &mut self,
        attributes: &mut Attributes<'s>,
        mut wanted: impl FnMut(usize, &str) -> bool,
    ) -> bool {
        attributes.clear();
        let Some(element) = self.open.last() else { return true };
        let mut unread = Vec::new();
        for (number, (name, written)) in self.written.iter().enumerate() {
            if wanted(number, name) {
                unread.extend(self.declared.unread(written).map(|entity| (*name, entity)));
                attributes.push((name, self.declared.value_of(element, name, written)));
            }
        }
        self.declared.defaults(element, &self.written, attributes, &mut unread);
        if let Some(entity) = forbid(element, attributes, &unread) {
            self.declared.unsafe_entity.get_or_insert(entity);
        }
        !self.declared.is_full()
    }

    fn read(&mut self) -> Result<Option<Found<'s>>, Wrong> {
        if self.stage != Stage::Content {
            let rest = &self.text.as_bytes()[self.at..self.end];
            let blank = rest.iter().take_while(|byte| is_space(**byte)).count();
            self.at += blank;
            if blank > 0 && self.stage == Stage::Beginning {
                self.stage = Stage::Prolog;
            }
        }
        let rest = &self.text.as_bytes()[self.at..];
        if self.at == self.end && !rest.is_empty() {
            return Err(FOREIGN);
        }
        let mut cursor = Cursor::new(self.text, self.at);
        let event = match rest {
            [] if self.stage == Stage::Epilog => return Ok(None),
            [] if self.is_entity && self.open.len() <= 1 => return Ok(None),
            [] if self.open.is_empty() => return Err("there is no element"),
            [] => return Err("an element does not end"),
            [b'<', b'!', b'-', b'-', ..] => comment(&mut cursor)?,
            [b'<', b'?', ..] => self.instruction(&mut cursor)?,
            _ if self.stage == Stage::Subset => self.in_subset(&mut cursor)?,
            [b'<', b'!', ..] => self.section_or_type(&mut cursor)?,
            [b'<', b'/', ..] => self.end_tag(&mut cursor)?,
            [b'<', ..] => self.start_tag(&mut cursor)?,
            _ if self.stage != Stage::Content => {
                return Err("there is text outside of the root element");
            }
            [b'&', ..] => self.reference(&mut cursor)?,
            _ => characters(&mut cursor)?,
        };
        if self.stage == Stage::Beginning {
            self.stage = Stage::Prolog;
        }
        let found = Found { event, start: self.at, end: cursor.at() };
        match event {
            _ if found.end <= self.end => Ok(Some(found)),
            // The text before a foreign character counts.
            Event::Text(_) => {
                let event = Event::Text(&self.text[self.at..self.end]);
                Ok(Some(Found { event, end: self.end, ..found }))
            }
            _ => Err(FOREIGN),
        }
    }

    /// Reads a processing instruction (production 16), or the XML declaration (23).
    fn instruction(&mut self, cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
        let wrong = "a processing instruction is malformed";
        cursor.eat("<?");
        let target = cursor.name().ok_or(wrong)?;
        if target == "xml" && self.stage == Stage::Beginning {
            self.declared.standalone = xml_declaration(cursor)?;
            return Ok(Event::Declaration);
        }
        if target.eq_ignore_ascii_case("xml") {
            return Err("there is an XML declaration that is not at the beginning");
        }
        if cursor.eat("?>") {
            return Ok(Event::Instruction(target, ""));
        }
        if !cursor.space() {
            return Err(wrong);
        }
        let data = cursor.up_to("?>").ok_or("a processing instruction does not end")?;
        Ok(Event::Instruction(target, data))
    }

    fn section_or_type(&mut self, cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
        if self.stage == Stage::Content && cursor.eat("<![CDATA[") {
            let inside = cursor.up_to("]]>").ok_or("a CDATA section does not end")?;
            return Ok(Event::Section(inside));
        }
        if !matches!(self.stage, Stage::Beginning | Stage::Prolog) {
            return Err("there is a declaration where none may stand");
        }
        self.stage = if doctype(cursor)? { Stage::Subset } else { Stage::Typed };
        Ok(Event::Declaration)
    }

    /// Reads a declaration of the internal subset (production 28b), or the end of the subset.
    fn in_subset(&mut self, cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
        if cursor.eat("]") {
            cursor.space();
            if !cursor.eat(">") {
                return Err("the document type does not end behind its subset");
            }
            self.stage = Stage::Typed;
        } else if cursor.eat("%") {
            let name = cursor.name().ok_or(MALFORMED_REFERENCE)?;
            if !cursor.eat(";") {
                return Err(MALFORMED_REFERENCE);
            }
            // A parameter entity that is not read may declare anything (section 5.1).
            let is_read =
                !self.declared.standalone && self.declared.in_parameter(name, &mut self.hidden);
            if !is_read {
                self.declared.pass_over(name);
            }
        } else {
            declaration(cursor, &mut self.declared)?;
        }
        Ok(Event::Declaration)
    }

    /// Reads a start tag or an empty-element tag (productions 40 and 44).
    fn start_tag(&mut self, cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
        if self.stage == Stage::Epilog {
            return Err("there is a second root element");
        }
        let wrong = "a tag is malformed";
        cursor.eat("<");
        let name = cursor.name().ok_or(wrong)?;
        self.written.clear();
        loop {
            let is_spaced = cursor.space();
            self.ends = cursor.eat("/>");
            if self.ends || cursor.eat(">") {
                break;
            }
            let attribute = cursor.name().filter(|_| is_spaced).ok_or(wrong)?;
            cursor.space();
            if !cursor.eat("=") {
                return Err(wrong);
            }
            cursor.space();
            let value = cursor.literal().ok_or(wrong)?;
            self.declared.check(value)?;
            self.written.push((attribute, value));
        }
        if has_double(&self.written) {
            return Err("an attribute stands twice in one tag");
        }
        self.open.push(name);
        self.stage = Stage::Content;
        Ok(Event::Start(name))
    }

    /// Reads an end tag (production 42).
    fn end_tag(&mut self, cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
        cursor.eat("</");
        let name = cursor.name().ok_or("an end tag is malformed")?;
        cursor.space();
        if !cursor.eat(">") {
            return Err("an end tag is malformed");
        }
        if self.open.last() != Some(&name) {
            return Err(UNMATCHED);
        }
        self.leave();
        Ok(Event::End)
    }

    fn leave(&mut self) {
        self.open.pop();
        if self.open.is_empty() {
            self.stage = Stage::Epilog;
        }
    }

    fn reference(&self, cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
        let rest = cursor.rest();
        let (named, length) = reference(rest).ok_or(MALFORMED_REFERENCE)?;
        let written = &rest[..length];
        cursor.eat(written);
        match named {
            Reference::Number(one) | Reference::Predefined(one) => Ok(Event::Character(one)),
            Reference::Entity(name) => match self.declared.entity_of(name) {
                Some(Entity::Unparsed) => Err(UNPARSED),
                _ => Ok(Event::Entity(written)),
            },
        }
    }
}

impl<'s> Iterator for Reader<'s> {
    type Item = Found<'s>;

    fn next(&mut self) -> Option<Found<'s>> {
        if self.fault.is_some() {
            return None;
        }
        if std::mem::take(&mut self.ends) {
            self.leave();
            return Some(Found { event: Event::End, start: self.at, end: self.at });
        }
        match self.read() {
            Ok(found) => {
                self.at = found.map_or(self.at, |found| found.end);
                found
            }
            Err(what) => {
                self.ends = false;
                self.fault = Some(Fault { what, at: self.at });
                None
            }
        }
    }
}

/// What is wrong with an end tag of another element.
pub const UNMATCHED: Wrong = "an end tag does not match the element that is open";

const FOREIGN: Wrong = "there is a character that XML does not have";

fn comment<'s>(cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
    cursor.eat("<!--");
    let inside = cursor.up_to("--").ok_or("a comment does not end")?;
    let wrong = "there is a -- in a comment";
    cursor.eat(">").then_some(Event::Comment(inside)).ok_or(wrong)
}

/// Reads text up to the next tag, reference or fault.
fn characters<'s>(cursor: &mut Cursor<'s>) -> Result<Event<'s>, Wrong> {
    let rest = cursor.rest();
    let bytes = rest.as_bytes();
    let mut end = 0;
    while let Some(found) = memchr::memchr3(b'<', b'&', b']', &bytes[end..]) {
        steps::count(found + 1);
        end += found;
        if bytes[end] != b']' || bytes[end..].starts_with(b"]]>") {
            let text = &rest[..end];
            if text.is_empty() {
                return Err("there is a ]]> in a text");
            }
            cursor.eat(text);
            return Ok(Event::Text(text));
        }
        end += 1;
    }
    steps::count(rest.len() - end);
    cursor.eat(rest);
    Ok(Event::Text(rest))
}

/// Reads the XML declaration after `<?xml`. Returns whether the document is standalone (section
/// 2.9).
fn xml_declaration(cursor: &mut Cursor<'_>) -> Result<bool, Wrong> {
    let is_version = |version: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
        !version.is_empty() && version.bytes().all(is_plain)
    };
    let is_encoding = |name: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        name.starts_with(|one: char| one.is_ascii_alphabetic()) && name.bytes().all(is_plain)
    };
    let version = pseudo_attribute(cursor, "version")?;
    let encoding = pseudo_attribute(cursor, "encoding")?;
    let standalone = pseudo_attribute(cursor, "standalone")?;
    cursor.space();
    let is_right = cursor.eat("?>")
        && version.is_some_and(is_version)
        && encoding.is_none_or(is_encoding)
        && matches!(standalone, None | Some("yes" | "no"));
    if is_right { Ok(standalone == Some("yes")) } else { Err(MALFORMED_DECLARATION) }
}

const MALFORMED_DECLARATION: Wrong = "the XML declaration is malformed";

/// Reads white space, a name, an equals sign and a value, if the name comes next.
fn pseudo_attribute<'s>(cursor: &mut Cursor<'s>, name: &str) -> Result<Option<&'s str>, Wrong> {
    if !cursor.rest().trim_ascii_start().starts_with(name) {
        return Ok(None);
    }
    let is_right = cursor.space() && cursor.eat(name);
    cursor.space();
    let is_right = is_right && cursor.eat("=");
    cursor.space();
    let value = cursor.literal().filter(|_| is_right);
    value.map(Some).ok_or(MALFORMED_DECLARATION)
}

/// Whether two attributes have the same name.
fn has_double(attributes: &[(&str, &str)]) -> bool {
    steps::count(attributes.len());
    if attributes.len() <= FEW {
        steps::count(attributes.len() * attributes.len());
        let mut each = attributes.iter().enumerate();
        return each
            .any(|(number, (name, _))| attributes[..number].iter().any(|one| one.0 == *name));
    }
    let mut names = HashSet::with_capacity(attributes.len());
    !attributes.iter().all(|(name, _)| names.insert(*name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(text: &str) -> (Vec<Event<'_>>, Option<Fault>) {
        let mut reader = Reader::new(text);
        let events = reader.by_ref().map(|found| found.event).collect();
        (events, reader.fault())
    }

    #[test]
    fn a_document_is_what_stands_in_it() {
        let text = "<?xml version='1.0'?><!DOCTYPE a [<!-- b --><?c?>]><a d='e'>f&lt;&nbsp;<![CDATA[<g>]]><h/></a>\n<?i  j ?>";
        let (found, fault) = events(text);
        let expected = [
            Event::Declaration,
            Event::Declaration,
            Event::Comment(" b "),
            Event::Instruction("c", ""),
            Event::Declaration,
            Event::Start("a"),
            Event::Text("f"),
            Event::Character('<'),
            Event::Entity("&nbsp;"),
            Event::Section("<g>"),
            Event::Start("h"),
            Event::End,
            Event::End,
            Event::Instruction("i", "j "),
        ];
        assert_eq!((found.as_slice(), fault), (expected.as_slice(), None));
    }

    #[test]
    fn attributes_have_their_values() {
        let text = "<!DOCTYPE a [<!ENTITY e 'x\ny'><!ENTITY e 'no'><!ENTITY big '&e;'><!ATTLIST a t NMTOKENS #IMPLIED d CDATA ' &e; '>]>\
                    <a t='  1  &e; ' c=' 1\t&#9;&big;&none;&amp;'/>";
        let mut reader = Reader::new(text);
        reader.find(|found| matches!(found.event, Event::Start(_))).expect("an element");
        let mut attributes = Attributes::new();
        assert!(reader.attributes(&mut attributes, |_, _| true));
        let found: Vec<_> = attributes.iter().map(|(name, value)| (*name, &**value)).collect();
        assert_eq!(found, [("t", "1 x y"), ("c", " 1 \t&"), ("d", " x y ")]);
        assert_eq!(reader.unsafe_entity(), Some("big"));
    }

    #[test]
    fn declarations_behind_a_parameter_entity_count_where_a_document_stands_alone() {
        for (standalone, expected) in [("no", ""), ("yes", "x")] {
            let text = format!(
                "<?xml version='1.0' standalone='{standalone}'?><!DOCTYPE a [%p;<!ENTITY e 'x'>]><a b='&e;'/>"
            );
            let mut reader = Reader::new(&text);
            reader.find(|found| matches!(found.event, Event::Start(_))).expect("an element");
            let mut attributes = Attributes::new();
            reader.attributes(&mut attributes, |_, _| true);
            assert_eq!(attributes[0].1, expected);
        }
    }

    #[test]
    fn a_fault_is_at_the_first_token_that_is_wrong() {
        for (good, rest) in [
            ("", ""),
            ("", "a"),
            ("", "<?xml?>"),
            ("<!DOCTYPE r [", ">"),
            ("\n", "<?xml version='1.0'?><r/>"),
            ("<r>", ""),
            ("<r>a", "]]></r>"),
            ("<r>a", "&b</r>"),
            ("<r>a", "\u{1}</r>"),
            ("<r>a", "<b c='\u{1}'/></r>"),
            ("<r>a", "<![CDATA[b"),
            ("<r>", "<!-- a -- b --></r>"),
            ("<r>", "<a b='1'c='2'/></r>"),
            ("<r>", "<a b='1' b='2'/></r>"),
            ("<r>", "<a b='<'/></r>"),
            ("<r>", "</s>"),
            ("<r>", "<?XML a?></r>"),
            ("<r/>", "<r/>"),
            ("<r/>", "a"),
            ("<!DOCTYPE r [<!ENTITY a SYSTEM 'b' NDATA c>]><r>", "&a;</r>"),
            ("<!DOCTYPE r [<!ENTITY a SYSTEM 'b'>]>", "<r c='&a;'/>"),
            ("<!DOCTYPE r [<!ENTITY a '&#60;'>]>", "<r c='&a;'/>"),
            ("<!DOCTYPE r [", "<!ENTITY a '%b;'>]><r/>"),
        ] {
            let text = format!("{good}{rest}");
            let (_, fault) = events(&text);
            assert_eq!(fault.map(|fault| fault.at), Some(good.len()), "{text}");
        }
    }

    #[test]
    fn what_attributes_grow_to_has_a_limit() {
        let refs = "&e;".repeat(1_000_000);
        let text = format!("<!DOCTYPE a [<!ENTITY e '{}'>]><a b='{refs}'/>", "x".repeat(64));
        let mut reader = Reader::new(&text);
        reader.find(|found| matches!(found.event, Event::Start(_))).expect("an element");
        let mut attributes = Attributes::new();
        assert!(!reader.attributes(&mut attributes, |_, _| true));
        assert!(attributes[0].1.len() < 6 * text.len());
    }

    proptest! {
        /// Each event begins where the one before ends, or after white space.
        #[test]
        fn places_are_in_order(text in "(<(/|!|\\?|!--|!\\[CDATA\\[|!DOCTYPE )?|[ae:;&#x1='\"/>? \né\u{1}\\[\\]-]{0,3}|-->|\\?>|\\]\\]>|&e;|<a b='c'>|</a>){0,12}") {
            let mut reader = Reader::new(&text);
            let mut at = 0;
            for found in reader.by_ref() {
                prop_assert!(is_blank(&text, at, found.start) && found.end >= found.start);
                at = found.end;
            }
            let end = reader.fault().map_or(text.len(), |fault| fault.at);
            prop_assert!(is_blank(&text, at, end));
        }
    }

    fn is_blank(text: &str, from: usize, to: usize) -> bool {
        text[from..to].bytes().all(is_space)
    }
}

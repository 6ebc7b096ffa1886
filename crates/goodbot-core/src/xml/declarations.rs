//! What the internal subset declares of entities and attributes, and the values that follow from it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Wrong;
use super::characters::is_space;
use super::reference::{Reference, append_entity, reference};

/// An entity may stand for this many characters.
pub const LONGEST_ENTITY: usize = 64;

/// What an entity stands for.
#[derive(Debug)]
pub(super) enum Entity {
    /// A replacement text, in which references to characters are replaced (section 4.4.5).
    Text(String),
    /// What stands elsewhere, and is not fetched.
    External,
    /// What is no XML.
    Unparsed,
}

/// The attributes that are declared for an element.
#[derive(Debug, Default)]
struct Declared<'s> {
    names: HashSet<&'s str>,
    /// Those that are lists of tokens.
    tokens: HashSet<&'s str>,
    /// Those that have a value where none is written, each with the first entity in it that is not read.
    defaults: Vec<(&'s str, String, Option<&'s str>)>,
}

/// What entities and defaults add to attributes may have this many bytes and four times those of the
/// document, each default with [`OF_EACH`] for what else it takes.
const ADDED_TO_ANY: usize = 1 << 20;
const OF_EACH: usize = 64;

/// What a document declares.
#[derive(Debug)]
pub(super) struct Declarations<'s> {
    /// Whether the document says that nothing elsewhere changes it (section 2.9).
    pub(super) standalone: bool,
    /// Whether further declarations have no effect: behind a parameter entity, which is not read, only
    /// those of a document that stands alone have one (section 5.1).
    ended: bool,
    entities: HashMap<&'s str, Entity>,
    /// The parameter entities that are written in the document, by what they are replaced with.
    pub(super) parameters: HashMap<&'s str, String>,
    attributes: HashMap<&'s str, Declared<'s>>,
    /// The first entity that is not read: it is too long, has markup, is made of others, or stands
    /// elsewhere.
    pub(super) unsafe_entity: Option<&'s str>,
    /// How many bytes entities and defaults may still add to attributes; nothing, once they would have
    /// added more.
    room: Option<usize>,
    /// How many bytes of entities in texts may still be read.
    pub(super) room_in_texts: usize,
}

/// What a reference in a text stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content<'d> {
    /// A text.
    Text(Cow<'d, str>),
    /// Something that is not read.
    Gap,
    /// What nobody declares.
    Undeclared,
}

/// Attributes with their values, in the order in which they are written.
pub type Attributes<'s> = Vec<(&'s str, Cow<'s, str>)>;

impl<'s> Declarations<'s> {
    /// Nothing declared yet in a document of so many bytes.
    pub(super) fn new(bytes: usize) -> Declarations<'s> {
        Declarations {
            standalone: false,
            ended: false,
            entities: HashMap::new(),
            parameters: HashMap::new(),
            attributes: HashMap::new(),
            unsafe_entity: None,
            room: Some(bytes.saturating_mul(4) + ADDED_TO_ANY),
            room_in_texts: bytes.saturating_mul(4) + ADDED_TO_ANY,
        }
    }

    /// Whether entities and defaults would add more than the document may take.
    pub(super) fn is_full(&self) -> bool {
        self.room.is_none()
    }

    fn charge(&mut self, bytes: usize) {
        self.room = self.room.and_then(|room| room.checked_sub(bytes));
    }

    /// Passes over a reference to a parameter entity.
    pub(super) fn pass_over(&mut self, name: &'s str) {
        if self.parameters.contains_key(name) {
            self.unsafe_entity.get_or_insert(name);
        }
        self.ended = !self.standalone;
    }

    /// Declares an entity; the first declaration counts (section 4.2). Of a parameter entity only the
    /// processing instructions are read.
    pub(super) fn entity(&mut self, name: &'s str, entity: Entity, is_parameter: bool) {
        if self.ended {
            return;
        }
        if let Entity::Text(text) = &entity
            && (is_unsafe(text) || (!is_parameter && text.contains('<')))
        {
            self.unsafe_entity.get_or_insert(name);
        }
        if !is_parameter {
            self.entities.entry(name).or_insert(entity);
        } else if let Entity::Text(text) = entity {
            self.parameters.entry(name).or_insert(text);
        }
    }

    /// What a reference in a text stands for.
    pub(super) fn content(&mut self, name: &'s str) -> Content<'_> {
        if matches!(self.entities.get(name), None | Some(Entity::Unparsed)) {
            return Content::Undeclared;
        }
        let read = plain_of(&self.entities, name).filter(|text| {
            let room = self.room_in_texts.checked_sub(text.len());
            self.room_in_texts = room.unwrap_or(self.room_in_texts);
            room.is_some()
        });
        if let Some(text) = read {
            return Content::Text(text);
        }
        self.unsafe_entity.get_or_insert(name);
        Content::Gap
    }

    /// What an entity reads as, if it is short and nothing but text.
    pub(super) fn plain_of(&self, name: &str) -> Option<Cow<'_, str>> {
        plain_of(&self.entities, name)
    }

    /// The first entity in the value of an attribute that is not read, and that HTML does not name.
    pub(super) fn unread(&self, written: &'s str) -> Option<&'s str> {
        let begins = memchr::memchr_iter(b'&', written.as_bytes());
        let mut entities = begins.filter_map(|at| match reference(&written[at..])? {
            (Reference::Entity(name), length) => Some((name, &written[at..at + length])),
            _ => None,
        });
        entities.find(|(name, written)| !self.is_read(name, written)).map(|(name, _)| name)
    }

    fn is_read(&self, name: &str, written: &str) -> bool {
        if self.entities.contains_key(name) {
            return self.plain_of(name).is_some();
        }
        let mut text = String::new();
        append_entity(written, &mut text);
        !text.is_empty()
    }

    /// Declares an attribute; the first declaration counts (section 3.3).
    pub(super) fn attribute(
        &mut self,
        element: &'s str,
        name: &'s str,
        is_tokens: bool,
        default: Option<&'s str>,
    ) {
        if self.ended {
            return;
        }
        let default = default.map(|default| {
            (name, self.charged(default, is_tokens).into_owned(), self.unread(default))
        });
        let declared = self.attributes.entry(element).or_default();
        if !declared.names.insert(name) {
            return;
        }
        if is_tokens {
            declared.tokens.insert(name);
        }
        declared.defaults.extend(default);
    }

    /// Appends the attributes that an element has by default, but for those that are written; to `unread`
    /// those in which an entity is not read.
    pub(super) fn defaults(
        &mut self,
        element: &str,
        written: &[(&'s str, &'s str)],
        attributes: &mut Attributes<'s>,
        unread: &mut Vec<(&'s str, &'s str)>,
    ) {
        let Some(declared) = self.attributes.get(element) else { return };
        if declared.defaults.is_empty() {
            return;
        }
        let known: HashSet<&str> = written.iter().map(|(name, _)| *name).collect();
        let defaults = declared.defaults.iter().filter(|(name, ..)| !known.contains(name));
        for (name, value, entity) in defaults {
            let bytes = name.len() + value.len() + OF_EACH;
            self.room = self.room.and_then(|room| room.checked_sub(bytes));
            if self.room.is_none() {
                return;
            }
            attributes.push((name, Cow::Owned(value.clone())));
            unread.extend(entity.map(|entity| (*name, entity)));
        }
    }

    /// The value of an attribute of an element.
    pub(super) fn value_of(&mut self, element: &str, name: &str, written: &'s str) -> Cow<'s, str> {
        let is_tokens = !self.attributes.is_empty()
            && self.attributes.get(element).is_some_and(|one| one.tokens.contains(name));
        self.charged(written, is_tokens)
    }

    fn charged<'t>(&mut self, written: &'t str, is_tokens: bool) -> Cow<'t, str> {
        let value = self.value(written, is_tokens);
        self.charge(value.len().saturating_sub(written.len()));
        value
    }

    /// What a name stands for, if that is declared.
    pub(super) fn entity_of(&self, name: &str) -> Option<&Entity> {
        self.entities.get(name)
    }

    /// Checks the value of an attribute (sections 3.1 and 4.1).
    pub(super) fn check(&self, written: &str) -> Result<(), Wrong> {
        let mut rest = written;
        while let Some(at) = memchr::memchr2(b'<', b'&', rest.as_bytes()) {
            rest = &rest[at..];
            if rest.starts_with('<') {
                return Err("there is a < in the value of an attribute");
            }
            let (named, length) = reference(rest).ok_or(MALFORMED_REFERENCE)?;
            if let Reference::Entity(name) = named {
                match self.entity_of(name) {
                    Some(Entity::External) => {
                        return Err("an attribute refers to an external entity");
                    }
                    Some(Entity::Unparsed) => return Err(UNPARSED),
                    Some(Entity::Text(text)) if !is_unsafe(text) && text.contains('<') => {
                        return Err("an attribute refers to an entity with a <");
                    }
                    _ => {}
                }
            }
            rest = &rest[length..];
        }
        Ok(())
    }

    /// The value of an attribute that was checked (section 3.3.3); too long, if there is no room for it.
    fn value<'t>(&self, written: &'t str, is_tokens: bool) -> Cow<'t, str> {
        let is_plain = |byte: u8| byte != b'&' && (byte == b' ' || !is_space(byte));
        if !is_tokens && written.bytes().all(is_plain) {
            return Cow::Borrowed(written);
        }
        let most = written.len() + self.room.unwrap_or(0);
        let mut value = String::with_capacity(written.len());
        let mut rest = written;
        while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
            value.push_str(&rest[..at]);
            rest = &rest[at..];
            let found = reference(rest);
            match found {
                None => value.push(' '),
                Some((Reference::Number(one) | Reference::Predefined(one), _)) => value.push(one),
                Some((Reference::Entity(name), _)) => {
                    if let Some(text) = self.plain_of(name)
                        && value.len() <= most
                    {
                        value.extend(text.chars().map(blank));
                    }
                }
            }
            rest = &rest[found.map_or(1, |(_, length)| length)..];
        }
        value.push_str(rest);
        if is_tokens {
            value = value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        }
        Cow::Owned(value)
    }
}

pub(super) const MALFORMED_REFERENCE: Wrong = "a reference is malformed";
pub(super) const UNPARSED: Wrong = "there is a reference to what is no XML";

/// Whether a replacement text is too long, or made of other entities.
fn is_unsafe(text: &str) -> bool {
    if text.chars().nth(LONGEST_ENTITY).is_some() || text.contains('%') {
        return true;
    }
    let mut references = text.match_indices('&').map(|(at, _)| reference(&text[at..]));
    !references.all(|found| matches!(found, Some((Reference::Predefined(_), _))))
}

fn plain_of<'e>(entities: &'e HashMap<&str, Entity>, name: &str) -> Option<Cow<'e, str>> {
    match entities.get(name) {
        Some(Entity::Text(text)) => plain(text),
        _ => None,
    }
}

/// What a replacement text reads as, if it is short and nothing but text.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    if is_unsafe(text) || text.contains('<') {
        return None;
    }
    let Some(mut at) = text.find('&') else { return Some(Cow::Borrowed(text)) };
    let (mut plain, mut rest) = (String::new(), text);
    loop {
        plain.push_str(&rest[..at]);
        let (Reference::Predefined(one), length) = reference(&rest[at..])? else { return None };
        plain.push(one);
        rest = &rest[at + length..];
        let Some(next) = rest.find('&') else { break };
        at = next;
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

fn blank(one: char) -> char {
    if one.is_ascii() && is_space(one as u8) { ' ' } else { one }
}

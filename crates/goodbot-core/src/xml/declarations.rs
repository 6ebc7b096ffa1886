//! The entities and attributes that the internal subset declares, and the values that follow from
//! them.

use crate::steps;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Wrong;
use super::characters::is_space;
use super::reference::{Reference, append_entity, reference};

/// The most characters that an entity may stand for.
pub const LONGEST_ENTITY: usize = 64;

/// A processing instruction within an entity: its target and its data.
pub(super) type Hidden = (String, String);

/// The value of an entity.
#[derive(Debug)]
pub(super) enum Entity {
    /// A replacement text, with its character references replaced (section 4.4.5).
    Text(String),
    /// An external entity, which is not fetched.
    External,
    /// An unparsed entity, which is not XML.
    Unparsed,
}

/// The attributes declared for an element.
#[derive(Debug, Default)]
struct Declared<'s> {
    names: HashSet<&'s str>,
    /// The attributes that are lists of tokens.
    tokens: HashSet<&'s str>,
    /// The attributes with a default value, each with the first entity in it that is not read.
    defaults: Vec<(&'s str, String, Option<&'s str>)>,
}

/// How many bytes entities and defaults may add to the attributes of a document, in addition to
/// four times its own bytes. Each default also counts [`OF_EACH`] bytes of overhead.
const ADDED_TO_ANY: usize = 1 << 20;
const OF_EACH: usize = 64;

/// The declarations of a document.
#[derive(Debug)]
pub(super) struct Declarations<'s> {
    /// Whether the document says that no external declarations affect it (section 2.9).
    pub(super) standalone: bool,
    /// Whether further declarations are ignored. After a parameter entity that is not read,
    /// declarations only count if the document is standalone (section 5.1).
    ended: bool,
    entities: HashMap<&'s str, Entity>,
    /// The parameter entities that the document declares, with their replacement texts.
    pub(super) parameters: HashMap<&'s str, String>,
    attributes: HashMap<&'s str, Declared<'s>>,
    /// The first entity that is not read because it is too long, contains markup, is made of
    /// others, or is external.
    pub(super) unsafe_entity: Option<&'s str>,
    /// How many bytes entities and defaults may still add to attributes, or `None` once the limit
    /// was exceeded.
    room: Option<usize>,
    /// How many bytes of entities in texts may still be read.
    pub(super) room_in_texts: usize,
}

/// What a reference in a text stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content<'d> {
    /// A text.
    Text(Cow<'d, str>),
    /// Content that is not read.
    Gap,
    /// An entity that is not declared.
    Undeclared,
}

/// Attributes with their values, in the order in which they are written.
pub type Attributes<'s> = Vec<(&'s str, Cow<'s, str>)>;

impl<'s> Declarations<'s> {
    /// Creates an empty set of declarations for a document of this many bytes.
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

    /// Whether entities and defaults exceed what they may add to the document.
    pub(super) fn is_full(&self) -> bool {
        self.room.is_none()
    }

    fn charge(&mut self, bytes: usize) {
        self.room = self.room.and_then(|room| room.checked_sub(bytes));
    }

    /// Skips a reference to a parameter entity.
    pub(super) fn pass_over(&mut self, name: &'s str) {
        if self.parameters.contains_key(name) {
            self.unsafe_entity.get_or_insert(name);
        }
        self.ended = !self.standalone;
    }

    /// Declares an entity; the first declaration counts (section 4.2). Only the processing
    /// instructions of a parameter entity are read.
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

    /// Returns what a reference in a text stands for.
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

    /// Returns the text of an entity, if it is short and contains only text.
    pub(super) fn plain_of(&self, name: &str) -> Option<Cow<'_, str>> {
        plain_of(&self.entities, name)
    }

    /// Returns the first entity in an attribute value that is not read and that HTML does not
    /// define.
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

    /// Appends the default attributes of an element, except for those that are written. Those that
    /// contain an entity that is not read are added to `unread`.
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
        steps::count(written.len() + declared.defaults.len());
        let known: HashSet<&str> = written.iter().map(|(name, _)| *name).collect();
        let defaults = declared.defaults.iter().filter(|(name, ..)| !known.contains(name));
        for (name, value, entity) in defaults {
            steps::count(1 + value.len());
            let bytes = name.len() + value.len() + OF_EACH;
            self.room = self.room.and_then(|room| room.checked_sub(bytes));
            if self.room.is_none() {
                return;
            }
            attributes.push((name, Cow::Owned(value.clone())));
            unread.extend(entity.map(|entity| (*name, entity)));
        }
    }

    /// Returns the value of an attribute of an element.
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

    /// Returns the entity with a name, if it is declared.
    pub(super) fn entity_of(&self, name: &str) -> Option<&Entity> {
        self.entities.get(name)
    }

    /// Checks an attribute value for errors (sections 3.1 and 4.1).
    pub(super) fn check(&self, written: &str) -> Result<(), Wrong> {
        let mut rest = written;
        while let Some(at) = memchr::memchr2(b'<', b'&', rest.as_bytes()) {
            steps::count(at + 1);
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

    /// Returns the value of an attribute that was checked (section 3.3.3). It stops expanding
    /// entities soon after there is no more room for them.
    fn value<'t>(&self, written: &'t str, is_tokens: bool) -> Cow<'t, str> {
        let is_plain = |byte: u8| byte != b'&' && (byte == b' ' || !is_space(byte));
        steps::count(written.len());
        if !is_tokens && written.bytes().all(is_plain) {
            return Cow::Borrowed(written);
        }
        let most = written.len() + self.room.unwrap_or(0);
        let mut value = String::with_capacity(written.len());
        let mut rest = written;
        while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
            steps::count(at + 1);
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
                        steps::count(text.len());
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

/// Whether a replacement text is too long or refers to other entities.
fn is_unsafe(text: &str) -> bool {
    steps::count(text.len().min(LONGEST_ENTITY));
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

/// Returns the text of a replacement text, if it is short and contains only text.
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

//! What the internal subset declares of entities and attributes, and the values that follow from it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Wrong;
use super::characters::is_space;
use super::reference::{Reference, reference};

/// An entity may stand for this many characters. A reference has three bytes at least, so that the
/// attributes of a document grow to some twenty times its size at most.
pub const LONGEST_ENTITY: usize = 64;

/// What an entity stands for.
#[derive(Debug)]
pub(super) enum Entity {
    /// A text; nothing, if it is unsafe.
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
    /// Those that have a value where none is written.
    defaults: Vec<(&'s str, String)>,
}

/// What a document declares.
#[derive(Debug, Default)]
pub(super) struct Declarations<'s> {
    /// Whether the document says that nothing elsewhere changes it (section 2.9).
    pub(super) standalone: bool,
    /// Whether further declarations have no effect: behind a parameter entity, which is not read, only
    /// those of a document that stands alone have one (section 5.1).
    ended: bool,
    entities: HashMap<&'s str, Entity>,
    attributes: HashMap<&'s str, Declared<'s>>,
    /// The first entity that is too long or made of others.
    pub(super) unsafe_entity: Option<&'s str>,
}

/// Attributes with their values, in the order in which they are written.
pub type Attributes<'s> = Vec<(&'s str, Cow<'s, str>)>;

impl<'s> Declarations<'s> {
    /// Passes over a reference to a parameter entity.
    pub(super) fn pass_over(&mut self) {
        self.ended = !self.standalone;
    }

    /// Declares an entity; the first declaration counts (section 4.2). A parameter entity is never
    /// replaced: it is only looked at.
    pub(super) fn entity(&mut self, name: &'s str, entity: Entity, is_parameter: bool) {
        if self.ended {
            return;
        }
        let entity = match entity {
            Entity::Text(text) if is_unsafe(&text) => {
                self.unsafe_entity.get_or_insert(name);
                Entity::Text(String::new())
            }
            entity => entity,
        };
        if !is_parameter {
            self.entities.entry(name).or_insert(entity);
        }
    }

    /// Declares an attribute; the first declaration counts (section 3.3).
    pub(super) fn attribute(
        &mut self,
        element: &'s str,
        name: &'s str,
        is_tokens: bool,
        default: Option<&str>,
    ) {
        if self.ended {
            return;
        }
        let default = default.map(|default| self.value(default, is_tokens).into_owned());
        let declared = self.attributes.entry(element).or_default();
        if !declared.names.insert(name) {
            return;
        }
        if is_tokens {
            declared.tokens.insert(name);
        }
        declared.defaults.extend(default.map(|default| (name, default)));
    }

    /// The attributes that an element has by default, but for those that are written.
    pub(super) fn defaults(
        &self,
        element: &str,
        written: &[(&'s str, &'s str)],
    ) -> impl Iterator<Item = (&'s str, &str)> {
        let declared = self.attributes.get(element);
        let defaults = declared.map_or(&[][..], |declared| declared.defaults.as_slice());
        let known: HashSet<&str> = match defaults {
            [] => HashSet::new(),
            _ => written.iter().map(|(name, _)| *name).collect(),
        };
        let missing = defaults.iter().filter(move |(name, _)| !known.contains(name));
        missing.map(|(name, value)| (*name, value.as_str()))
    }

    /// Whether an attribute of an element is a list of tokens.
    pub(super) fn is_tokens(&self, element: &str, name: &str) -> bool {
        !self.attributes.is_empty()
            && self.attributes.get(element).is_some_and(|one| one.tokens.contains(name))
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
                    Some(Entity::Text(text)) if text.contains('<') => {
                        return Err("an attribute refers to an entity with a <");
                    }
                    _ => {}
                }
            }
            rest = &rest[length..];
        }
        Ok(())
    }

    /// The value of an attribute that was checked (section 3.3.3).
    pub(super) fn value<'t>(&self, written: &'t str, is_tokens: bool) -> Cow<'t, str> {
        let is_plain = |byte: u8| byte != b'&' && (byte == b' ' || !is_space(byte));
        if !is_tokens && written.bytes().all(is_plain) {
            return Cow::Borrowed(written);
        }
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
                    if let Some(Entity::Text(text)) = self.entity_of(name) {
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

fn is_unsafe(text: &str) -> bool {
    text.chars().nth(LONGEST_ENTITY).is_some() || text.contains(['&', '%'])
}

fn blank(one: char) -> char {
    if one.is_ascii() && is_space(one as u8) { ' ' } else { one }
}

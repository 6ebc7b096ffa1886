//! The document type and the declarations of its internal subset (XML 1.0, sections 2.8, 3.2 to
//! 3.4, 4.2 and 4.7). The reader itself handles comments and processing instructions.

use super::Wrong;
use super::cursor::Cursor;
use super::declarations::{Declarations, Entity};
use super::reference::{Reference, reference};
use crate::steps;

const MALFORMED_ATTRIBUTE: Wrong = "the declaration of an attribute is malformed";

/// Reads the beginning of a document type. Returns whether an internal subset follows.
pub(super) fn doctype(cursor: &mut Cursor<'_>) -> Result<bool, Wrong> {
    let wrong = "the document type is malformed";
    let begins = cursor.eat("<!DOCTYPE") && cursor.space() && cursor.name().is_some();
    if !begins {
        return Err(wrong);
    }
    if cursor.space() && !matches!(cursor.byte(), Some(b'[' | b'>')) {
        external(cursor, false).ok_or(wrong)?;
        cursor.space();
    }
    if cursor.eat("[") {
        return Ok(true);
    }
    if cursor.eat(">") { Ok(false) } else { Err(wrong) }
}

/// Reads a declaration.
pub(super) fn declaration<'s>(
    cursor: &mut Cursor<'s>,
    declared: &mut Declarations<'s>,
) -> Result<(), Wrong> {
    let (read, wrong) = if cursor.eat("<!ENTITY") {
        (entity(cursor, declared), "the declaration of an entity is malformed")
    } else if cursor.eat("<!ATTLIST") {
        return attributes(cursor, declared);
    } else if cursor.eat("<!ELEMENT") {
        (element(cursor), "the declaration of an element is malformed")
    } else if cursor.eat("<!NOTATION") {
        (notation(cursor), "the declaration of a notation is malformed")
    } else {
        (None, "there is no declaration where one is due")
    };
    read.and_then(|()| end(cursor)).ok_or(wrong)
}

fn end(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.space();
    cursor.eat(">").then_some(())
}

fn space(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.space().then_some(())
}

/// Reads an external identifier (production 75) or, for a notation, a public identifier alone (83).
fn external(cursor: &mut Cursor<'_>, of_notation: bool) -> Option<()> {
    if cursor.eat("PUBLIC") {
        space(cursor)?;
        cursor.literal().filter(|id| id.bytes().all(is_public))?;
        let is_spaced = cursor.space();
        if of_notation && !matches!(cursor.byte(), Some(b'"' | b'\'')) {
            return Some(());
        }
        is_spaced.then_some(())?;
    } else {
        cursor.eat("SYSTEM").then_some(())?;
        space(cursor)?;
    }
    cursor.literal().map(|_| ())
}

/// Whether a public identifier may contain a byte (production 13).
fn is_public(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(&byte)
}

fn entity<'s>(cursor: &mut Cursor<'s>, declared: &mut Declarations<'s>) -> Option<()> {
    space(cursor)?;
    let is_parameter = cursor.eat("%");
    if is_parameter {
        space(cursor)?;
    }
    let name = cursor.name()?;
    space(cursor)?;
    let entity = if let Some(written) = cursor.literal() {
        Entity::Text(entity_text(written)?)
    } else {
        external(cursor, false)?;
        if cursor.space() && !is_parameter && cursor.eat("NDATA") {
            space(cursor)?;
            cursor.name()?;
            Entity::Unparsed
        } else {
            Entity::External
        }
    };
    declared.entity(name, entity, is_parameter);
    Some(())
}

/// Returns the replacement text of an entity, with its character references replaced (section
/// 4.4.5), or `None` if it is malformed. It may not contain a reference to a parameter entity
/// (section 2.8).
fn entity_text(written: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = written;
    while let Some(at) = memchr::memchr2(b'&', b'%', rest.as_bytes()) {
        steps::count(at + 1);
        text.push_str(&rest[..at]);
        let (named, length) = reference(&rest[at..])?;
        match named {
            Reference::Number(one) => text.push(one),
            _ => text.push_str(&rest[at..at + length]),
        }
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Some(text)
}

fn attributes<'s>(cursor: &mut Cursor<'s>, declared: &mut Declarations<'s>) -> Result<(), Wrong> {
    let wrong = MALFORMED_ATTRIBUTE;
    let element = space(cursor).and_then(|()| cursor.name()).ok_or(wrong)?;
    loop {
        let is_spaced = cursor.space();
        if cursor.eat(">") {
            return Ok(());
        }
        let name = cursor.name().filter(|_| is_spaced).ok_or(wrong)?;
        let is_tokens = kind(cursor).ok_or(wrong)?;
        let default = default(cursor)?;
        if let Some(written) = default {
            declared.check(written)?;
        }
        declared.attribute(element, name, is_tokens, default);
    }
}

/// Reads the type of an attribute and the white space around it. Returns whether it is not CDATA
/// (section 3.3.1).
fn kind(cursor: &mut Cursor<'_>) -> Option<bool> {
    space(cursor)?;
    let mut is_tokens = true;
    if cursor.byte() == Some(b'(') {
        group(cursor, Cursor::token)?;
    } else {
        match cursor.name()? {
            "CDATA" => is_tokens = false,
            "NOTATION" => {
                space(cursor)?;
                group(cursor, Cursor::name)?;
            }
            "ID" | "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NMTOKEN" | "NMTOKENS" => {}
            _ => return None,
        }
    }
    space(cursor).map(|()| is_tokens)
}

/// Reads names in parentheses, separated by bars.
fn group<'s>(
    cursor: &mut Cursor<'s>,
    name: impl Fn(&mut Cursor<'s>) -> Option<&'s str>,
) -> Option<()> {
    cursor.eat("(").then_some(())?;
    loop {
        cursor.space();
        name(cursor)?;
        cursor.space();
        if cursor.eat(")") {
            return Some(());
        }
        cursor.eat("|").then_some(())?;
    }
}

/// Reads the default value of an attribute, as written, if it has one (section 3.3.2).
fn default<'s>(cursor: &mut Cursor<'s>) -> Result<Option<&'s str>, Wrong> {
    if cursor.eat("#REQUIRED") || cursor.eat("#IMPLIED") {
        return Ok(None);
    }
    let is_right = !cursor.eat("#FIXED") || cursor.space();
    let literal = cursor.literal().filter(|_| is_right);
    literal.map(Some).ok_or(MALFORMED_ATTRIBUTE)
}

fn notation(cursor: &mut Cursor<'_>) -> Option<()> {
    space(cursor)?;
    cursor.name()?;
    space(cursor)?;
    external(cursor, true)
}

/// Reads the declaration of an element and its content model (section 3.2).
fn element(cursor: &mut Cursor<'_>) -> Option<()> {
    space(cursor)?;
    cursor.name()?;
    space(cursor)?;
    if cursor.eat("EMPTY") || cursor.eat("ANY") {
        return Some(());
    }
    cursor.eat("(").then_some(())?;
    cursor.space();
    if cursor.eat("#PCDATA") { mixed(cursor) } else { children(cursor) }
}

/// Reads the part of a content model after `(#PCDATA` (production 51).
fn mixed(cursor: &mut Cursor<'_>) -> Option<()> {
    let mut has_names = false;
    loop {
        cursor.space();
        if cursor.eat(")") {
            let is_repeated = cursor.eat("*");
            return (is_repeated || !has_names).then_some(());
        }
        cursor.eat("|").then_some(())?;
        cursor.space();
        cursor.name()?;
        has_names = true;
    }
}

/// Reads the part of a content model after its first parenthesis (productions 47 to 50).
fn children(cursor: &mut Cursor<'_>) -> Option<()> {
    // The separator in each open group, a bar or a comma, once it is known.
    let mut open: Vec<Option<u8>> = vec![None];
    loop {
        cursor.space();
        if cursor.eat("(") {
            open.push(None);
            continue;
        }
        cursor.name()?;
        often(cursor);
        loop {
            cursor.space();
            let divider = open.last_mut()?;
            if cursor.eat(")") {
                open.pop();
                often(cursor);
                if open.is_empty() {
                    return Some(());
                }
                continue;
            }
            let found = cursor.byte().filter(|byte| matches!(byte, b'|' | b','))?;
            if *divider.get_or_insert(found) != found {
                return None;
            }
            cursor.eat(if found == b'|' { "|" } else { "," });
            break;
        }
    }
}

/// Reads an occurrence indicator, if there is one.
fn often(cursor: &mut Cursor<'_>) {
    let _ = cursor.eat("?") || cursor.eat("*") || cursor.eat("+");
}

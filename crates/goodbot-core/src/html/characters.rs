//! Character references (HTML 13.2.5.72 to 13.2.5.80).

use crate::steps;
use html5ever::tendril::StrTendril;
use markup5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The length of the longest name of a reference, including its `;`.
const LONGEST_NAME: usize = 33;

/// Returns the characters for the reference at the beginning of a text and the length of the
/// reference, or `None` if the text does not begin with one.
pub(crate) fn reference(text: &str, in_attribute: bool) -> Option<(String, usize)> {
    match text.as_bytes().get(1)? {
        b'#' => numeric(text),
        octet if octet.is_ascii_alphanumeric() => named(text, in_attribute),
        _ => None,
    }
}

/// Finds the longest name in the table that matches (HTML 13.2.5.73).
fn named(text: &str, in_attribute: bool) -> Option<(String, usize)> {
    let octets = &text.as_bytes()[1..];
    let word = octets.iter().take(LONGEST_NAME);
    let letters = word.take_while(|octet| octet.is_ascii_alphanumeric()).count();
    let most = letters + usize::from(octets.get(letters) == Some(&b';'));
    steps::count(most);
    // The table also has prefixes of names, which stand for no characters.
    let found = (1..=most).rev().find_map(|length| {
        let name = &text[1..=length];
        NAMED_ENTITIES.get(name).filter(|(first, _)| *first != 0).map(|pair| (*pair, length))
    });
    let ((first, second), length) = found?;
    let ended = octets[length - 1] == b';';
    let next = octets.get(length);
    // For historical reasons, `?a=1&copy=2` does not contain a copyright sign.
    if in_attribute && !ended && next.is_some_and(|o| *o == b'=' || o.is_ascii_alphanumeric()) {
        return None;
    }
    let characters = [first, second].into_iter().filter(|code| *code != 0);
    Some((characters.filter_map(char::from_u32).collect(), length + 1))
}

/// Reads a numeric reference such as `&#65;` or `&#x41;` (HTML 13.2.5.75 to 13.2.5.80).
fn numeric(text: &str) -> Option<(String, usize)> {
    let rest = &text.as_bytes()[2..];
    let (radix, skipped) = match rest.first()? {
        b'x' | b'X' => (16, 1),
        _ => (10, 0),
    };
    let is_digit = |octet: &&u8| char::from(**octet).is_digit(radix);
    let digits = rest[skipped..].iter().take_while(is_digit);
    let mut code: u32 = 0;
    let mut count = 0;
    for octet in digits {
        steps::count(1);
        let digit = char::from(*octet).to_digit(radix).unwrap_or(0);
        code = code.saturating_mul(radix).saturating_add(digit).min(0x11_0000);
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let length = 2 + skipped + count;
    let ended = text.as_bytes().get(length) == Some(&b';');
    Some((character(code).to_string(), length + usize::from(ended)))
}

/// Returns the character with a number (HTML 13.2.5.80).
fn character(code: u32) -> char {
    let replaced = (code >= 0x80)
        .then(|| C1_REPLACEMENTS.get(code as usize - 0x80).copied().flatten())
        .flatten();
    match code {
        0 => char::REPLACEMENT_CHARACTER,
        _ => replaced.or_else(|| char::from_u32(code)).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// Returns the value of an attribute that contains references or NULs.
pub(crate) fn attribute_value(text: &str) -> StrTendril {
    let mut value = StrTendril::with_capacity(u32::try_from(text.len()).unwrap_or(0));
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'&', 0, &text.as_bytes()[at..]) {
        steps::count(found + 1);
        value.push_slice(&text[at..at + found]);
        at += found;
        if text.as_bytes()[at] == 0 {
            value.push_char(char::REPLACEMENT_CHARACTER);
            at += 1;
            continue;
        }
        if let Some((characters, length)) = reference(&text[at..], true) {
            value.push_slice(&characters);
            at += length;
        } else {
            value.push_char('&');
            at += 1;
        }
    }
    value.push_slice(&text[at..]);
    value
}

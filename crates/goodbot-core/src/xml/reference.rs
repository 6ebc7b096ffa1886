//! References to characters and entities (XML 1.0, sections 4.1 and 4.6).

use markup5ever::data::NAMED_ENTITIES;

use super::characters::{is_character, name_length};

/// The target of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference<'s> {
    /// A character, by its number.
    Number(char),
    /// One of the five entities that XML predefines.
    Predefined(char),
    /// Another entity.
    Entity(&'s str),
}

/// Reads the reference at the beginning of a text. Returns its target and its length.
pub(super) fn reference(text: &str) -> Option<(Reference<'_>, usize)> {
    let inner = text.strip_prefix('&')?;
    if let Some(number) = inner.strip_prefix('#') {
        let end = memchr::memchr(b';', number.as_bytes())?;
        return Some((Reference::Number(numbered(&number[..end])?), end + "&#;".len()));
    }
    let length = name_length(inner);
    if length == 0 || inner.as_bytes().get(length) != Some(&b';') {
        return None;
    }
    let name = &inner[..length];
    let named = match name {
        "lt" => Reference::Predefined('<'),
        "gt" => Reference::Predefined('>'),
        "amp" => Reference::Predefined('&'),
        "quot" => Reference::Predefined('"'),
        "apos" => Reference::Predefined('\''),
        _ => Reference::Entity(name),
    };
    Some((named, length + "&;".len()))
}

/// Returns the character with a number, which is hexadecimal after an `x` and decimal otherwise.
fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| char::from(byte).is_digit(radix)) {
        return None;
    }
    // A number that overflows is not a character.
    char::from_u32(u32::from_str_radix(digits, radix).ok()?).filter(|one| is_character(*one))
}

/// Appends the characters that HTML defines for a reference such as `&nbsp;`, if it defines any
/// (HTML 13.5).
pub fn append_entity(written: &str, text: &mut String) {
    if let Some((first, second)) = NAMED_ENTITIES.get(written.trim_start_matches('&')) {
        let codes = [*first, *second].into_iter().filter(|code| *code != 0);
        text.extend(codes.filter_map(char::from_u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        let read = |text| reference(text).map(|(named, _)| named);
        assert_eq!(read("&lt;b"), Some(Reference::Predefined('<')));
        assert_eq!(read("&#38;"), Some(Reference::Number('&')));
        assert_eq!(read("&#x1F600;"), Some(Reference::Number('\u{1F600}')));
        assert_eq!(reference("&é.1;c"), Some((Reference::Entity("é.1"), "&é.1;".len())));
        let long = format!("&#{}65;", "0".repeat(50));
        assert_eq!(read(&long), Some(Reference::Number('A')));
        for wrong in [
            "&",
            "&;",
            "& a;",
            "&a",
            "&#;",
            "&#x;",
            "&#+5;",
            "&#X41;",
            "&#0;",
            "&#xD800;",
            "&#xFFFE;",
            "&#99999999999;",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn html_names_entities() {
        let mut text = String::new();
        for written in ["&nbsp;", "&NotEqualTilde;", "&no-such;"] {
            append_entity(written, &mut text);
        }
        assert_eq!(text, "\u{A0}\u{2242}\u{338}");
    }
}

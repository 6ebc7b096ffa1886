//! Character classes (XML 1.0, sections 2.2 and 2.3).

/// Whether a byte is white space (production 3).
#[must_use]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Whether a document may contain a character (production 2).
pub(super) fn is_character(one: char) -> bool {
    matches!(one, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Whether a name may begin with a character (production 4).
fn starts_name(one: char) -> bool {
    matches!(one,
        ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}' | '\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// Whether a name may contain a character (production 4a).
fn is_in_name(one: char) -> bool {
    starts_name(one)
        || matches!(one,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}' | '\u{2040}')
}

/// Returns the length of the name token at the beginning of a text (production 7).
pub(super) fn token_length(text: &str) -> usize {
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let plain = bytes.iter().position(|byte| !is_plain(byte)).unwrap_or(bytes.len());
    if bytes.get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    let rest = &text[plain..];
    plain + rest.find(|one| !is_in_name(one)).unwrap_or(rest.len())
}

/// Returns the length of the name at the beginning of a text, or zero if there is none (production
/// 5).
pub(super) fn name_length(text: &str) -> usize {
    if text.chars().next().is_some_and(starts_name) { token_length(text) } else { 0 }
}

/// How many bytes are checked at once.
const TOGETHER: usize = 64;

/// Returns the position of the first character that a document may not contain.
pub(super) fn first_foreign(text: &str) -> Option<usize> {
    // A control character, or the first byte of U+FFFE and U+FFFF.
    let is_odd = |byte: u8| {
        let is_control = byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r';
        is_control || byte == 0xEF
    };
    let mut at = 0;
    for bytes in text.as_bytes().chunks(TOGETHER) {
        if bytes.iter().fold(false, |odd, byte| odd | is_odd(*byte)) {
            let places = bytes.iter().enumerate().filter(|(_, byte)| is_odd(**byte));
            let foreign = |place: &usize| !text[*place..].chars().next().is_some_and(is_character);
            if let Some(found) = places.map(|(place, _)| at + place).find(foreign) {
                return Some(found);
            }
        }
        at += bytes.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_foreign_character_is_found(text in "([ -~\t\n]{0,70}[\u{1}-\u{9}\u{EFF0}-\u{FFFF}é]?){0,3}") {
            let plain = text.char_indices().find(|(_, one)| !is_character(*one));
            prop_assert_eq!(first_foreign(&text), plain.map(|(place, _)| place));
        }

        #[test]
        fn a_name_is_as_long_as_its_characters(text in "[a:0.\u{B7}\u{D7}é \u{2040}]{0,9}") {
            let of_token: usize = text.chars().take_while(|one| is_in_name(*one)).map(char::len_utf8).sum();
            prop_assert_eq!(token_length(&text), of_token);
            let is_name = text.chars().next().is_some_and(starts_name);
            prop_assert_eq!(name_length(&text), if is_name { of_token } else { 0 });
        }
    }
}

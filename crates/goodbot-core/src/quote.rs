//! Limits on quoting foreign text: messages are read by people and stored for each URL.

/// The most bytes of a line that a message quotes.
pub const MOST_QUOTED: usize = 256;

/// The most bytes of a name that a message quotes.
pub const LONGEST_NAME: usize = 60;

/// Returns the longest prefix of a text that has at most `most` bytes and ends between characters.
#[must_use]
pub fn prefix(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the beginning of a text, with an ellipsis if anything was cut off.
#[must_use]
pub fn quoted(text: &str, most: usize) -> String {
    let shown = prefix(text, most);
    let rest = if shown.len() < text.len() { "\u{2026}" } else { "" };
    format!("{shown}{rest}")
}

/// Returns the beginning of foreign bytes, in quotes.
pub(crate) fn in_quotes(text: &[u8]) -> String {
    let shown = &text[..text.len().min(LONGEST_NAME)];
    let more = if shown.len() < text.len() { "..." } else { "" };
    format!("\"{}{more}\"", String::from_utf8_lossy(shown).escape_debug())
}

/// Formats a number for people: `10,000`.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        assert_eq!([7, 999, 1_000, 512_014].map(thousands), ["7", "999", "1,000", "512,014"]);
    }

    #[test]
    fn characters_stay_whole() {
        assert_eq!(quoted("abc", 3), "abc");
        assert_eq!(quoted("abcd", 3), "abc\u{2026}");
        assert_eq!(prefix("aü", 2), "a");
    }
}

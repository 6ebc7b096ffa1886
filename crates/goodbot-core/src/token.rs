//! Tokens of HTTP: methods, and the names of header fields (RFC 9110 section 5.6.2).

/// Whether a token can have a byte.
///
/// ```
/// use goodbot_core::token::is_token_byte;
/// assert!(b"X-Robots-Tag".iter().all(|byte| is_token_byte(*byte)));
/// assert!(!is_token_byte(b':') && !is_token_byte(b' ') && !is_token_byte(0xE9));
/// ```
#[must_use]
pub fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

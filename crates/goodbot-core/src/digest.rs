//! The digest by which stores address bytes.
//!
//! Source: FIPS 180-4, SHA-256.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of some bytes.
///
/// ```
/// use goodbot_core::digest::sha256;
/// assert_eq!(sha256(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[must_use]
pub fn sha256(content: &[u8]) -> [u8; 32] {
    Sha256::digest(content).into()
}

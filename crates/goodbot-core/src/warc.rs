//! Records of WARC files: a head, a block with its digest, packed as one member of gzip.
//!
//! Source: WARC 1.1 sections 4 and 5.8, annex D.2; RFC 1952.

use sha1::{Digest, Sha1};

use crate::deflate;

/// The bytes of a SHA-1.
const DIGEST: usize = 20;

/// The letters of Base32 (RFC 4648 section 6).
const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns a digest of 20 bytes in the form that archives use, without padding.
///
/// ```
/// use goodbot_core::warc::{sha1, written};
/// assert_eq!(written(&sha1(&[b""])), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
/// ```
#[must_use]
pub fn written(digest: &[u8; DIGEST]) -> String {
    let mut text = String::from("sha1:");
    for five in digest.as_chunks::<5>().0 {
        let bits = five.iter().fold(0_u64, |bits, octet| bits << 8 | u64::from(*octet));
        for place in (0..8).rev() {
            text.push(char::from(LETTERS[(bits >> (5 * place) & 31) as usize]));
        }
    }
    text
}

/// Returns the SHA-1 of some bytes in several pieces; archives use it to compare contents.
#[must_use]
pub fn sha1(pieces: &[&[u8]]) -> [u8; DIGEST] {
    let mut state = Sha1::new();
    for piece in pieces {
        state.update(piece);
    }
    state.finalize().into()
}

/// Makes a record and packs it.
///
/// # Arguments
///
/// - `fields`: the version and the lines of the header fields that come first, each with its end.
/// - `content_type`: the type of the block.
/// - `block`: the block in pieces.
/// - `level`: the level of compression, from 0 to 9.
#[must_use]
pub fn record(fields: &[u8], content_type: &[u8], block: &[&[u8]], level: u32) -> Vec<u8> {
    let digest = written(&sha1(block));
    let length: usize = block.iter().map(|piece| piece.len()).sum();
    let digest = format!("WARC-Block-Digest: {digest}\r\nContent-Type: ");
    let length = format!("\r\nContent-Length: {length}\r\n\r\n");
    let mut pieces = vec![fields, digest.as_bytes(), content_type, length.as_bytes()];
    pieces.extend_from_slice(block);
    pieces.push(b"\r\n\r\n");
    deflate::gzip(&pieces.concat(), level)
}

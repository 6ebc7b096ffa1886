//! Records of WARC files: a head, a block with its digest, packed as one member of gzip.
//!
//! Source: WARC 1.1 sections 4 and 5.8, annex D.2; RFC 1952.

use std::fmt::Write;

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

/// A record to be made. Its block is a head and a payload, either of which may be absent.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord<'a> {
    /// The type, such as `response`.
    pub kind: &'a str,
    /// The identifier: a UUID.
    pub id: [u8; 16],
    /// The lines of the header fields that come first, each with its end.
    pub fields: &'a [u8],
    /// The type of the block.
    pub content_type: &'a [u8],
    /// The head of a message, or the whole block.
    pub head: &'a [u8],
    /// The payload of a message; its digest is a field. None: the block has no payload of its own.
    pub payload: Option<&'a [u8]>,
}

/// Returns 16 random bytes as a UUID of version 4 (RFC 9562 section 5.4).
///
/// ```
/// assert_eq!(goodbot_core::warc::uuid4([0xff; 16])[6..9], [0x4f, 0xff, 0xbf]);
/// ```
#[must_use]
pub fn uuid4(mut random: [u8; 16]) -> [u8; 16] {
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    random
}

/// Makes a record, and packs it at a level from 0 to 9; returns it with the digest of its payload, or
/// else of its block.
#[must_use]
pub fn record(new: &NewRecord<'_>, level: u32) -> (Vec<u8>, [u8; DIGEST]) {
    let NewRecord { kind, id, fields, content_type, head, payload } = *new;
    let mut content = Vec::with_capacity(1024 + head.len() + payload.map_or(0, <[u8]>::len));
    let mut line = |pieces: &[&[u8]]| pieces.iter().for_each(|piece| content.extend(*piece));
    line(&[b"WARC/1.1\r\nWARC-Type: ", kind.as_bytes()]);
    line(&[b"\r\nWARC-Record-ID: <urn:uuid:", hyphenated(&id).as_bytes(), b">\r\n", fields]);
    let of_payload = payload.map(|payload| sha1(&[payload]));
    if let Some(digest) = of_payload {
        line(&[b"WARC-Payload-Digest: ", written(&digest).as_bytes(), b"\r\n"]);
    }
    let block = [head, payload.unwrap_or_default()];
    let of_block = sha1(&block);
    line(&[b"WARC-Block-Digest: ", written(&of_block).as_bytes()]);
    line(&[b"\r\nContent-Type: ", content_type]);
    let length = block[0].len() + block[1].len();
    line(&[b"\r\nContent-Length: ", length.to_string().as_bytes(), b"\r\n\r\n"]);
    line(&[block[0], block[1], b"\r\n\r\n"]);
    (deflate::gzip(&content, level), of_payload.unwrap_or(of_block))
}

/// Returns a UUID as text (RFC 9562 section 4).
fn hyphenated(id: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (place, octet) in id.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{octet:02x}");
    }
    text
}

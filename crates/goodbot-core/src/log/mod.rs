//! Access logs of web servers: bytes in, requests out.
//!
//! A [`Format`] says where in a line which field stands. It is made of a name, of nginx'
//! `log_format`, of Apache's `LogFormat`, of the fields of a W3C extended log, or of a mapping for
//! lines of JSON. A [`Lines`] cuts blocks of bytes into lines, in bounded memory. An [`Entry`]
//! borrows from its line: nothing is copied until a text is decoded.
//!
//! A line that does not have the form of its format is reported and never stops the reading.

mod apache;
mod entry;
mod format;
mod instant;
mod json;
mod known;
mod lines;
mod nginx;
#[cfg(test)]
mod tests;
mod text;
mod w3c;

pub use entry::{Entry, Refused, Slot};
pub use format::{Format, Malformed};
pub use instant::{Micros, instant};
pub use known::{KNOWN, Known, detect, known};
pub use lines::{Line, Lines, MOST_LINE_BYTES};
pub use text::{Escapes, Text};

//! Access logs of web servers: bytes in, requests out.
//!
//! A [`Format`] says where in a line which field stands. It is made of a name, of nginx'
//! `log_format`, of Apache's `LogFormat`, of the fields of a W3C extended log, or of a mapping for
//! lines of JSON. A [`Lines`] cuts blocks of bytes into lines, in bounded memory. An [`Entry`]
//! borrows from its line: nothing is copied until a text is decoded. A [`Scan`] reads blocks with
//! several threads, keeps the requests of robots as columns, and sums up the rest.
//!
//! A line that does not have the form of its format is reported and never stops the reading.

mod agent_table;
mod client_address;
mod days;
mod entry;
mod format;
mod instant;
mod known;
mod lines;
mod requests;
mod scan;
mod site_map;
mod tally;
#[cfg(test)]
mod tests;
mod text;

pub use agent_table::{LONGEST_AGENT, MOST_AGENTS, Sender};
pub use days::Day;
pub use entry::{Entry, Reading, Refused, Slot};
pub use format::{Format, Malformed};
pub use instant::{Micros, instant};
pub use known::{KNOWN, Known, detect, detect_in, known};
pub use lines::{Line, Lines, MOST_LINE_BYTES};
pub use requests::{Repeated, Requests, Texts};
pub use scan::{Counts, LONGEST_TARGET, MOST_SHOWN, MOST_SHOWN_BYTES, Scan, Unread, Wanted};
pub use site_map::Site;
pub use tally::Tally;
pub use text::{Escapes, Text};

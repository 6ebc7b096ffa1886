//! As of which day goodbot's knowledge is, and what it says of a word that it does not know.
//!
//! The documents themselves are in `goodbot.knowledge`, in Python, whose test compares the day.

use std::fmt::Display;

/// The day on which the newest of the documents was read that goodbot implements.
pub const KNOWN_AS_OF: &str = "2026-11-29";

/// Returns the sentence on a word that no known document defines: the one place that has it.
///
/// The day says how old the answer is: a newer document may define the word.
#[must_use]
pub fn not_known(shown: impl Display) -> String {
    format!("{shown} is not known to goodbot as of {KNOWN_AS_OF}")
}

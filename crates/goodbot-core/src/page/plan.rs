//! What the marks of a page mean: the decisions of the caller, in the form that the scan needs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::named::named;

named! {
    /// An act that a mark can forbid for a part of a page.
    pub enum Act {
        /// Indexing the text.
        Index = "index",
        /// Following the links.
        Follow = "follow",
        /// Describing the target of a link by the text of the link.
        Anchor = "anchor",
        /// Keeping it in a copy.
        Archive = "archive",
        /// Quoting it.
        Snippet = "snippet",
    }
}

impl Act {
    /// How many acts there are.
    pub const COUNT: usize = Act::ALL.len();

    /// Returns the set that contains only this act: one bit.
    #[must_use]
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The meaning of a class.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassMark {
    /// The acts that it forbids, as bits.
    pub forbids: u8,
    /// The acts that it allows again within an element that forbids them.
    pub allows: u8,
    /// Whether it names the robot; it then overrides a class for all robots on the same element.
    pub specific: bool,
    /// Whether a nested element can allow again; false for marks that can only forbid.
    pub nests: bool,
    /// The row in the caller's table.
    pub row: u16,
}

/// The meaning of an attribute, whatever its value.
#[derive(Clone, Debug)]
pub struct AttributeMark {
    /// Its name, in lower case.
    pub name: String,
    /// The elements on which it counts; empty for all elements.
    pub elements: Vec<String>,
    /// The acts that it forbids, as bits.
    pub forbids: u8,
    /// The row in the caller's table.
    pub row: u16,
}

/// The meaning of a relation (`rel`) on a link.
#[derive(Clone, Copy, Debug)]
pub struct RelationMark {
    /// The acts that it forbids, as bits.
    pub forbids: u8,
    /// Whether a class on the same element overrides it.
    pub yields: bool,
    /// The row in the caller's table.
    pub row: u16,
}

/// A range of bytes in the source in which acts are forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// The acts that are forbidden, as bits.
    pub forbids: u8,
    /// The row in the caller's table.
    pub row: u16,
}

/// What marks mean, wherever they are: pages may share a table.
#[derive(Clone, Debug, Default)]
pub struct MarkTable {
    /// The classes, by name.
    pub classes: HashMap<String, ClassMark>,
    /// The classes `robotN-…`, by the part after the number, with their meaning if the number is
    /// not known to belong to any robot. Empty if such classes have no meaning at all.
    pub numbered: HashMap<String, ClassMark>,
    /// The numbers known to belong to a robot, as written.
    pub numbers: HashSet<String>,
    /// The attributes.
    pub attributes: Vec<AttributeMark>,
    /// The relations of links, by name in lower case.
    pub relations: HashMap<String, RelationMark>,
}

/// What the marks of a page mean.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The marks.
    pub table: Arc<MarkTable>,
    /// The regions of the source; those of one row do not overlap.
    pub regions: Vec<Region>,
    /// The URL that links are resolved against.
    pub base: String,
    /// The most links.
    pub most_links: usize,
    /// The most runs.
    pub most_runs: usize,
    /// The most bytes that the resolved URLs of all links may take together.
    pub most_url_bytes: usize,
    /// The positions of elements and comments that address robots: a copy keeps them wherever they
    /// are.
    pub kept: HashSet<u32>,
}

/// What decided an act for a part of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The row in the caller's table.
    pub row: u16,
    /// Whether it allows the act.
    pub allows: bool,
    /// The position of the mark in the text.
    pub place: u32,
}

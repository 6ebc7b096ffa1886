//! What the marks of a page mean: the caller's decisions, as the scan needs them.

use std::collections::{HashMap, HashSet};

use crate::named::named;

named! {
    /// An act that a part of a page can forbid.
    pub enum Act {
        /// To index the text.
        Index = "index",
        /// To follow the links.
        Follow = "follow",
        /// To describe a link's target by the text of the link.
        Anchor = "anchor",
        /// To keep it in a copy.
        Archive = "archive",
        /// To quote it.
        Snippet = "snippet",
    }
}

impl Act {
    /// How many acts there are.
    pub const COUNT: usize = Act::ALL.len();

    /// The set that holds this act alone: one bit.
    #[must_use]
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A class that means something.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassMark {
    /// The acts that it forbids, as bits.
    pub forbids: u8,
    /// The acts that it allows again within an element that forbids them.
    pub allows: u8,
    /// Whether it names the robot: it then outweighs one that names all, on the same element.
    pub specific: bool,
    /// Whether an element within can allow again: not so for marks that know only "no".
    pub nests: bool,
    /// The row of the caller's table.
    pub row: u16,
}

/// An attribute that means something, whatever its value.
#[derive(Clone, Debug)]
pub struct AttributeMark {
    /// Its name, in lower case.
    pub name: String,
    /// The elements on which it counts; all, if there are none.
    pub elements: Vec<String>,
    /// The acts that it forbids, as bits.
    pub forbids: u8,
    /// The row of the caller's table.
    pub row: u16,
}

/// A relation (`rel`) that means something on a link.
#[derive(Clone, Copy, Debug)]
pub struct RelationMark {
    /// The acts that it forbids, as bits.
    pub forbids: u8,
    /// Whether a class on the same element outweighs it.
    pub yields: bool,
    /// The row of the caller's table.
    pub row: u16,
}

/// A part of the source, from one byte to another, in which acts are forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Its first byte.
    pub start: u32,
    /// The byte behind its last.
    pub end: u32,
    /// The acts that are forbidden, as bits.
    pub forbids: u8,
    /// The row of the caller's table.
    pub row: u16,
}

/// What the marks of a page mean.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The classes, by name.
    pub classes: HashMap<String, ClassMark>,
    /// The classes `robotN-…`, by what stands behind the number: what they mean where nobody is known
    /// to have the number. Empty where such classes mean nothing at all.
    pub numbered: HashMap<String, ClassMark>,
    /// The numbers that are known to be some robot's, as written.
    pub numbers: HashSet<String>,
    /// The attributes.
    pub attributes: Vec<AttributeMark>,
    /// The relations of links, by name in lower case.
    pub relations: HashMap<String, RelationMark>,
    /// The parts of the source; those of one row do not overlap.
    pub regions: Vec<Region>,
    /// The URL that links are resolved against.
    pub base: String,
    /// The most links, and the most runs.
    pub most_links: usize,
    /// The most runs.
    pub most_runs: usize,
    /// The most bytes that the resolved URLs of all links take together.
    pub most_url_bytes: usize,
    /// Where the elements and comments stand that speak to robots: a copy keeps them wherever they are.
    pub kept: HashSet<u32>,
}

/// What decided an act for a part of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The row of the caller's table.
    pub row: u16,
    /// Whether it allows.
    pub allows: bool,
    /// Where the mark stands in the text.
    pub place: u32,
}

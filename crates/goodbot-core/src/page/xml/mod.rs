//! Parses XML documents into the same kind of tree that HTML is parsed into.
//!
//! A document is read as far as it is well-formed. Entities in texts are replaced by what the
//! document declares, if that is short and only text, or else by what HTML defines. The limits on
//! nodes and depth are those of HTML.

mod copy;
mod feeds;
mod names;
mod reader;

use std::collections::HashMap;

use crate::html::{NodeId, Tree};
use crate::xml::Fault;

pub use copy::{Copy, copy_xml};
pub use reader::parse_xml;

/// A parsed XML document.
#[derive(Debug)]
pub struct Xml {
    /// Its nodes. The end position of an element is the byte after its first.
    pub tree: Tree,
    /// The elements that are links by `XLink`, XHTML or Atom, each with its address as written.
    pub links: HashMap<NodeId, String>,
    /// The elements that have an `xml:base`.
    pub bases: HashMap<NodeId, String>,
    /// The robots processing instructions.
    pub instructions: Vec<Instruction>,
    /// The byte where reading ended.
    pub read_to: usize,
    /// What is not well-formed, if that ended reading.
    pub fault: Option<Fault>,
    /// The first entity that was not read.
    pub unsafe_entity: Option<String>,
    /// Where the first text of a feed begins that is escaped HTML, which is not read.
    pub escaped_html: Option<u32>,
    /// Where the end tag of each element begins, indexed by node.
    ends: Vec<u32>,
}

/// A robots processing instruction.
#[derive(Debug)]
pub struct Instruction {
    /// Its data, after the target.
    pub data: String,
    /// Where it begins.
    pub place: u32,
    /// Whether it comes after text or a link.
    pub late: bool,
    /// Whether it is in an entity, and `place` is that of the reference.
    pub in_entity: bool,
}

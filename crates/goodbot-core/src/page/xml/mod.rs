//! Documents of XML: to the tree that the scan of HTML walks.
//!
//! The document is read as far as it is well-formed. Entities in texts are what the document declares, as
//! far as that is short and nothing but text, or else what HTML names. A document has at most as many
//! nodes as one of HTML, and is read in the same depth.

mod copy;
mod feeds;
mod names;
mod reader;

use std::collections::HashMap;

use crate::html::{NodeId, Tree};
use crate::xml::Fault;

pub use copy::{Copy, copy_xml};
pub use reader::parse_xml;

/// A document of XML.
#[derive(Debug)]
pub struct Xml {
    /// Its nodes. Of an element the place of its end is the byte behind its first.
    pub tree: Tree,
    /// The elements that are links, by `XLink`, XHTML or Atom, each with its address as written.
    pub links: HashMap<NodeId, String>,
    /// The elements that have an `xml:base`.
    pub bases: HashMap<NodeId, String>,
    /// The robots processing instructions.
    pub instructions: Vec<Instruction>,
    /// The byte at which the reading ended.
    pub read_to: usize,
    /// What is not well-formed, if the reading ended there.
    pub fault: Option<Fault>,
    /// The first entity that is not read.
    pub unsafe_entity: Option<String>,
    /// Where the first text of a feed begins that is HTML in disguise, and is not read.
    pub escaped_html: Option<u32>,
    /// Of each element, by its number, where its end tag begins.
    ends: Vec<u32>,
}

/// A robots processing instruction.
#[derive(Debug)]
pub struct Instruction {
    /// What stands behind its target.
    pub data: String,
    /// Where it begins.
    pub place: u32,
    /// Whether it stands behind text or a link.
    pub late: bool,
}

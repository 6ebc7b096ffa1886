//! Documents of XML: to the tree that the scan of HTML walks.
//!
//! The caller says up to where a document is well-formed, which is expat's to find; here that part is
//! read, and nothing is checked again. Entities in texts are those that HTML names; those in attributes
//! are those that the document declares and the caller lets pass. A reference of four bytes becomes at
//! most what the caller lets pass, and the attributes of all elements have a limit in bytes.

mod copy;
mod names;
mod reader;
mod source;

use std::collections::HashMap;

use crate::html::{NodeId, Tree};

use super::base::Unresolved;

pub use copy::{Copy, copy_xml};
pub use reader::parse_xml;

/// Where elements stand deeper than a limit, if they do; as far as a document is well-formed.
#[must_use]
pub fn deeper_than(text: &str, most: usize) -> Option<usize> {
    source::deeper_than(text, most)
}

/// The elements that are links, each with where it leads.
pub type Links = HashMap<NodeId, Target>;

/// Where a link leads, by the base of its element.
#[derive(Debug)]
pub struct Target {
    /// The URL; the address as written, if it was not resolved.
    pub url: String,
    /// Why it was not resolved, if it was not.
    pub unresolved: Option<Unresolved>,
}

/// A document of XML.
#[derive(Debug)]
pub struct Xml {
    /// Its nodes. Of an element the place of its end is the byte behind its first.
    pub tree: Tree,
    /// What was a link by XLink, XHTML or Atom.
    pub links: Links,
    /// The robots processing instructions.
    pub instructions: Vec<Instruction>,
    /// The byte at which the reading ended.
    pub read_to: usize,
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

/// What a document declares, as far as the caller lets it pass.
#[derive(Debug, Default)]
pub struct Declarations {
    /// Entities, by name, with what they stand for.
    pub entities: HashMap<String, String>,
    /// Attributes, by element: name, whether it is a list of tokens, its default.
    pub attributes: HashMap<String, Vec<(String, bool, Option<String>)>>,
}

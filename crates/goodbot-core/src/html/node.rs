//! The types that describe a node: its number, kind, namespace and position.

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The document, or the container for the contents of a template.
    Document,
    /// The document type.
    Doctype,
    /// An element.
    Element,
    /// A text.
    Text,
    /// A comment.
    Comment,
    /// In XML, an instruction, or the boundary of a CDATA section.
    Instruction,
    /// In XML, content that is nested too deeply; a META element in it is its child.
    LeftOut,
}

/// The namespace of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// HTML.
    Html,
    /// SVG.
    Svg,
    /// `MathML`.
    MathMl,
}

/// The position at which each limit was first exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Elements were nested too deeply.
    pub depth: Option<u32>,
    /// There were too many nodes.
    pub nodes: Option<u32>,
    /// A tag had too many attributes.
    pub attributes: Option<u32>,
}

impl Met {
    /// The names of the limits.
    pub const LIMITS: [&'static str; 3] = ["depth", "nodes", "attributes"];

    /// Returns where each limit was first exceeded, in the order of [`Met::LIMITS`].
    #[must_use]
    pub fn places(self) -> [Option<u32>; 3] {
        [self.depth, self.nodes, self.attributes]
    }
}

/// Converts a byte offset in a text of at most 4 GiB.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

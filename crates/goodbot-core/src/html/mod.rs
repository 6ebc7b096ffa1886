//! HTML: a text to the tree that the HTML standard builds (HTML 13.2).
//!
//! The tree is built by html5ever's `TreeBuilder`, which knows where a missing end tag is implied and
//! where a misplaced one leads. The tokens are our own: measured on 200 pages, html5ever's tokenizer
//! takes two thirds of its time, byte by byte, where `memchr` finds the end of a text at once; and
//! only a tokenizer can bound the attributes of one tag and tell where a token stands.
//!
//! Bounds, for any text at all: [`Limits`] says how deep elements may stand, how many nodes there may
//! be and how many attributes a tag may have. A tag costs at most the depth (to look for what it
//! closes), so that time is linear in the bytes, with the depth as the factor in the worst case.

mod bounded;
mod characters;
mod markup;
mod names;
mod node;
mod raw;
#[cfg(test)]
mod reference;
mod sink;
mod tag;
mod tokenizer;
mod tree;

use html5ever::tree_builder::TreeBuilderOpts;

pub use bounded::Limits;
pub use names::{BLOCKS, HIDDEN, INLINE_IN_XML, Traits, is_block};
pub(crate) use node::place;
pub use node::{Kind, Met, NodeId, Space};
pub(crate) use tag::KEPT_ATTRIBUTES;
pub(crate) use tree::New;
pub use tree::{Node, Tree};

/// Reads a document. Places in the tree are bytes of the text in which line ends are LF.
#[must_use]
pub fn parse(text: &str, limits: &Limits) -> Tree {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = bounded::Bounded::new(sink::Sink::new(text.len()), options, *limits);
    tokenizer::Tokenizer::new(text, builder, limits.attributes as usize).run()
}

/// A text with line ends as LF alone, if it has others (HTML 13.2.3.5; XML 1.0 section 2.11).
#[must_use]
pub fn normalised(text: String) -> String {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    text.replace("\r\n", "\n").replace('\r', "\n")
}

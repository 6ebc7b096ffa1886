//! The tree builder within bounds: html5ever has none of its own.

use std::cell::Cell;
use std::collections::HashMap;

use html5ever::LocalName;
use html5ever::interface::Tracer;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::node::{NodeId, place};
use super::sink::Sink;
use super::tree::Tree;

/// What a document may not exceed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How deep elements may stand in each other; what stands deeper is passed over.
    pub depth: u32,
    /// How many nodes there may be; what comes behind is passed over. The attributes of all nodes have
    /// at most four times the bytes of the text and a megabyte, or the same happens.
    pub nodes: u32,
    /// How many attributes a tag may have; what comes behind is passed over, but for those that marks
    /// and directives are made of.
    pub attributes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 512, nodes: 1_000_000, attributes: 256 }
    }
}

/// After so many tags the open elements are counted again.
const COUNTED_EVERY: u32 = 16;

/// A tree builder that passes over what would exceed the limits.
pub(crate) struct Bounded {
    builder: TreeBuilder<NodeId, Sink>,
    limits: Limits,
    tags: u32,
    /// Whether the elements that are open are too many for another.
    deep: bool,
    /// The start tags that were passed over for that and have not ended, innermost last.
    passed_over: Vec<LocalName>,
    /// How often each name is among them.
    passed_names: HashMap<LocalName, u32>,
}

/// Counts the elements that the builder holds on to.
struct Counter(Cell<u32>);

impl Tracer for Counter {
    type Handle = NodeId;

    fn trace_handle(&self, _: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}

impl Bounded {
    pub(crate) fn new(sink: Sink, options: TreeBuilderOpts, limits: Limits) -> Bounded {
        Bounded {
            builder: TreeBuilder::new(sink, options),
            limits,
            tags: 0,
            deep: false,
            passed_over: Vec::new(),
            passed_names: HashMap::new(),
        }
    }

    /// Hands a token on, which begins at a place and ends before another.
    pub(crate) fn token(
        &mut self,
        token: Token,
        start: usize,
        end: usize,
    ) -> TokenSinkResult<NodeId> {
        if self.is_too_much(&token, start, end) {
            return TokenSinkResult::Continue;
        }
        let text = if let Token::CharacterTokens(text) = &token { text.len() } else { 0 };
        self.builder.sink.begin(start, end, text);
        let result = self.builder.process_token(token, 0);
        self.builder.sink.finish();
        result
    }

    fn is_too_much(&mut self, token: &Token, start: usize, end: usize) -> bool {
        let Token::TagToken(tag) = token else {
            // What stands too deep is left out: the marks around it were not read. A comment may be a
            // mark itself, and reach beyond.
            return match token {
                Token::CharacterTokens(_) => self.is_deep() || self.is_full(start),
                Token::CommentToken(_) => self.is_full(start),
                _ => false,
            };
        };
        self.tags += 1;
        if self.tags.is_multiple_of(COUNTED_EVERY) || self.deep {
            let counter = Counter(Cell::new(0));
            self.builder.trace_handles(&counter);
            self.deep = counter.0.get() > self.limits.depth;
        }
        if tag.kind == TagKind::EndTag {
            return self.is_end_of_passed_over(&tag.name);
        }
        if self.is_deep() && !is_read_otherwise(tag) {
            self.builder.sink.met(|met| met.depth.get_or_insert(place(start)));
            if &*tag.name == "noindex" {
                self.builder.sink.noindex(place(end), false);
            }
            if !is_void(tag) {
                self.passed_over.push(tag.name.clone());
                *self.passed_names.entry(tag.name.clone()).or_default() += 1;
            }
            return true;
        }
        // META says how everything is to be treated, wherever it stands.
        &*tag.name != "meta" && self.is_full(start)
    }

    fn is_deep(&self) -> bool {
        self.deep || !self.passed_over.is_empty()
    }

    /// Whether an end tag ends a start tag that was passed over; if it does not, it ends what stands
    /// around all of them.
    fn is_end_of_passed_over(&mut self, name: &LocalName) -> bool {
        if self.passed_names.get(name).is_none_or(|count| *count == 0) {
            self.passed_over.clear();
            self.passed_names.clear();
            return false;
        }
        while let Some(other) = self.passed_over.pop() {
            if let Some(count) = self.passed_names.get_mut(&other) {
                *count -= 1;
            }
            if other == *name {
                break;
            }
        }
        true
    }

    fn is_full(&self, start: usize) -> bool {
        let full = self.builder.sink.is_full(self.limits.nodes);
        if full {
            self.builder.sink.met(|met| met.nodes.get_or_insert(place(start)));
        }
        full
    }

    /// Notices that a tag had more attributes than the limit.
    pub(crate) fn cut_attributes(&self, start: usize) {
        self.builder.sink.met(|met| met.attributes.get_or_insert(place(start)));
    }

    /// Notices an end tag that marks what stands before it, whether or not it closes an element.
    pub(crate) fn noindex_end(&self, start: usize) {
        self.builder.sink.noindex(place(start), true);
    }

    /// Whether what follows may be a CDATA section.
    pub(crate) fn is_foreign(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }

    pub(crate) fn finish(self) -> Tree {
        self.builder.end();
        self.builder.sink.into_tree()
    }
}

/// Elements that are never open (HTML 13.1.2).
fn is_void(tag: &Tag) -> bool {
    matches!(
        &*tag.name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements whose content is told by another way of reading, which must not be read as markup; and
/// META, which says how the rest is to be treated wherever it stands.
fn is_read_otherwise(tag: &Tag) -> bool {
    matches!(
        &*tag.name,
        "iframe"
            | "meta"
            | "noembed"
            | "noframes"
            | "plaintext"
            | "script"
            | "style"
            | "textarea"
            | "title"
            | "xmp"
    )
}

//! The tree builder with limits; html5ever has none of its own.

use crate::steps;
use std::cell::Cell;
use std::collections::HashMap;

use html5ever::LocalName;
use html5ever::interface::Tracer;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::node::{NodeId, place};
use super::sink::Sink;
use super::tree::Tree;

/// The limits that apply to a document.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How deeply elements may be nested; deeper ones are skipped.
    pub depth: u32,
    /// How many nodes there may be; anything after that is skipped. The same happens once the
    /// attributes of all nodes together take more than four times the bytes of the text plus a
    /// megabyte.
    pub nodes: u32,
    /// How many attributes a tag may have; further ones are skipped, except for those that marks
    /// and directives use.
    pub attributes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 512, nodes: 1_000_000, attributes: 256 }
    }
}

/// The open elements are recounted after this many tags.
const COUNTED_EVERY: u32 = 16;

/// A tree builder that skips whatever would exceed the limits.
pub(crate) struct Bounded {
    builder: TreeBuilder<NodeId, Sink>,
    limits: Limits,
    tags: u32,
    /// Whether too many elements are open to open another.
    deep: bool,
    /// The start tags skipped because of the depth that have not ended yet, innermost last.
    passed_over: Vec<LocalName>,
    /// How often each name occurs among them.
    passed_names: HashMap<LocalName, u32>,
}

/// Counts the elements that the builder holds.
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

    /// Passes a token on to the builder; `start` and `end` are its positions in the text.
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
            // Text that is too deep is skipped, because the marks around it were not read. A
            // comment may itself be a mark that applies beyond its element.
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
            steps::count(counter.0.get() as usize);
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
        // META says how the whole page is to be treated, wherever it is.
        &*tag.name != "meta" && self.is_full(start)
    }

    fn is_deep(&self) -> bool {
        self.deep || !self.passed_over.is_empty()
    }

    /// Whether an end tag closes a skipped start tag. If it does not, it closes an element around
    /// all of them.
    fn is_end_of_passed_over(&mut self, name: &LocalName) -> bool {
        if self.passed_names.get(name).is_none_or(|count| *count == 0) {
            self.passed_over.clear();
            self.passed_names.clear();
            return false;
        }
        while let Some(other) = self.passed_over.pop() {
            steps::count(1);
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

    /// Records that a tag had more attributes than the limit.
    pub(crate) fn cut_attributes(&self, start: usize) {
        self.builder.sink.met(|met| met.attributes.get_or_insert(place(start)));
    }

    /// Records a `</noindex>`, which ends a marked part whether or not it closes an element.
    pub(crate) fn noindex_end(&self, start: usize) {
        self.builder.sink.noindex(place(start), true);
    }

    /// Whether a CDATA section may follow.
    pub(crate) fn is_foreign(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }

    pub(crate) fn finish(self) -> Tree {
        self.builder.end();
        self.builder.sink.into_tree()
    }
}

/// Whether an element is void, so that it never stays open (HTML 13.1.2).
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

/// Whether the tokenizer reads the content of an element in another mode, so that it must not be
/// read as markup. Also true for META, which says how the whole page is to be treated, wherever it
/// is.
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

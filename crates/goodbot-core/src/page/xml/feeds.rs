//! Feeds: RSS has its links as text, and both RSS and Atom contain HTML as escaped text.
//!
//! Source: RSS 2.0; RSS 1.0 and its module `content`; RFC 4287 (Atom), section 3.1.

use super::names::Namespace;

/// How the text of an element is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// As text.
    Text,
    /// As an address, which makes the element a link.
    Address,
    /// As text that may be escaped HTML.
    Html,
}

/// The context of an element in a feed.
#[derive(Clone, Copy)]
pub(super) struct InFeed<'a> {
    pub(super) space: Namespace,
    pub(super) local: &'a str,
    /// The name of its parent.
    pub(super) around: &'a str,
    /// The attribute `type` in Atom, or `isPermaLink` in RSS.
    pub(super) kind: Option<&'a str>,
}

impl InFeed<'_> {
    /// Returns how the text of the element is to be read.
    pub(super) fn content(self) -> Content {
        let in_item = matches!(self.around, "channel" | "item" | "image" | "textinput");
        match self.space {
            Namespace::None | Namespace::Rss if in_item => match self.local {
                "link" | "comments" => Content::Address,
                // It is an address unless `isPermaLink` says otherwise.
                "guid" if self.kind != Some("false") => Content::Address,
                "description" => Content::Html,
                _ => Content::Text,
            },
            Namespace::RssContent if self.local == "encoded" => Content::Html,
            Namespace::Atom if self.kind == Some("html") => Content::Html,
            _ => Content::Text,
        }
    }

    /// Whether the attribute `url` of the element is an address.
    pub(super) fn has_url(self) -> bool {
        let of_item = matches!((self.around, self.local), ("item", "enclosure" | "source"));
        self.space == Namespace::None && of_item
    }
}

/// Whether a text contains tags.
pub(super) fn is_html(text: &str) -> bool {
    let begins = |behind: &str| {
        behind.starts_with(|one: char| one.is_ascii_alphabetic() || matches!(one, '/' | '!'))
    };
    text.match_indices('<').any(|(at, _)| begins(&text[at + 1..]))
}

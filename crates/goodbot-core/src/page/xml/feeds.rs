//! Feeds: RSS has its links as texts, and feeds of both kinds have HTML as text.
//!
//! Source: RSS 2.0; RSS 1.0 and its module `content`; RFC 4287 (Atom), section 3.1.

use super::names::Namespace;

/// What the text of an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A text to be read.
    Text,
    /// An address, which makes a link of the element.
    Address,
    /// What may be HTML in disguise.
    Html,
}

/// Where an element of a feed stands, and what it is called.
#[derive(Clone, Copy)]
pub(super) struct InFeed<'a> {
    pub(super) space: Namespace,
    pub(super) local: &'a str,
    /// The name of the element around it.
    pub(super) around: &'a str,
    /// The attribute `type`, of Atom, or `isPermaLink`, of RSS.
    pub(super) kind: Option<&'a str>,
}

impl InFeed<'_> {
    /// What the text of the element is.
    pub(super) fn content(self) -> Content {
        let in_item = matches!(self.around, "channel" | "item" | "image" | "textinput");
        match self.space {
            Namespace::None | Namespace::Rss if in_item => match self.local {
                "link" | "comments" => Content::Address,
                // It is an address unless it says otherwise.
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

/// Whether a text has tags in it.
pub(super) fn is_html(text: &str) -> bool {
    let begins = |behind: &str| {
        behind.starts_with(|one: char| one.is_ascii_alphabetic() || matches!(one, '/' | '!'))
    };
    text.match_indices('<').any(|(at, _)| begins(&text[at + 1..]))
}

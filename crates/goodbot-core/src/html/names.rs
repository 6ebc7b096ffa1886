//! Properties that follow from the name of an element, computed once when it is created.

use super::node::Space;

/// A set of properties of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u8);

impl Traits {
    /// The element begins and ends a block.
    pub const BLOCK: Traits = Traits(1);
    /// Its content is not visible text.
    pub const HIDDEN: Traits = Traits(2);
    /// White space in it is preserved.
    pub const VERBATIM: Traits = Traits(4);
    /// It is a link, a refresh or an image, or its name is itself a mark.
    pub const SCANNED: Traits = Traits(8);
    /// It describes the document as a whole.
    pub const OF_DOCUMENT: Traits = Traits(16);
    /// It is a heading of the first level.
    pub const HEADING: Traits = Traits(32);
    /// It loads a resource, such as an image.
    pub const LOADS: Traits = Traits(64);

    /// Whether any of the given traits is in the set.
    #[must_use]
    pub fn are(self, others: Traits) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns the traits of an element in XML, where no name hides its content. `in_xhtml` says
    /// that the element is XHTML or is within XHTML: it then breaks a line where it does in HTML.
    /// Elements with unknown names are blocks.
    pub(crate) fn of_xml(name: &str, is_html: bool, in_xhtml: bool, is_link: bool) -> Traits {
        let breaks = if in_xhtml { is_block(name) } else { !is_inline_in_xml(name) };
        let mut traits = if breaks { Traits::BLOCK.0 } else { 0 };
        if is_link
            || matches!(name, "a" | "area" | "img" | "noindex")
            || (is_html && name == "meta")
        {
            traits |= Traits::SCANNED.0;
        }
        if matches!(name, "pre" | "textarea" | "listing" | "xmp") {
            traits |= Traits::VERBATIM.0;
        }
        let speaks = matches!(name, "meta" | "link" | "base" | "head" | "title" | "noindex");
        if is_html && speaks {
            traits |= Traits::OF_DOCUMENT.0;
        }
        Traits(traits | if is_html { of_content(name) } else { 0 })
    }

    pub(crate) fn of(name: &str, space: Space) -> Traits {
        let in_html = space == Space::Html;
        let mut traits = if is_block(name) { Traits::BLOCK.0 } else { 0 };
        if in_html && is_hidden(name) {
            traits |= Traits::HIDDEN.0;
        }
        traits |= match name {
            "a" | "area" | "img" | "noindex" => Traits::SCANNED.0,
            "meta" if in_html => Traits::SCANNED.0,
            "pre" | "textarea" | "listing" | "xmp" if in_html => Traits::VERBATIM.0,
            _ => 0,
        };
        let speaks =
            matches!(name, "meta" | "link" | "base" | "head" | "title" | "script" | "noscript");
        // `<noindex>` tags are paired by position, wherever they are.
        if (in_html && speaks) || name == "noindex" {
            traits |= Traits::OF_DOCUMENT.0;
        }
        Traits(traits | if in_html { of_content(name) } else { 0 })
    }
}

/// Returns the traits of HTML elements that an inventory lists.
fn of_content(name: &str) -> u8 {
    match name {
        "h1" => Traits::HEADING.0,
        "img" | "script" | "iframe" | "frame" | "source" | "track" | "video" | "audio"
        | "embed" | "object" | "input" => Traits::LOADS.0,
        _ => 0,
    }
}

macro_rules! names {
    ($(#[doc = $doc:literal])+ $list:ident, $is:ident: $($name:literal)|+) => {
        $(#[doc = $doc])+
        pub const $list: &[&str] = &[$($name),+];

        $(#[doc = $doc])+
        #[must_use]
        pub fn $is(name: &str) -> bool {
            matches!(name, $($name)|+)
        }
    };
}

names! {
    /// The HTML elements whose content is not visible text.
    HIDDEN, is_hidden: "script" | "style" | "template" | "title" | "noframes" | "noembed" | "iframe" | "datalist" | "audio" | "video" | "canvas" | "rp"
}

names! {
    /// The elements of HTML and XHTML that begin and end a block; all others are inline (HTML 15.3,
    /// "display: block" and its relatives).
    BLOCKS, is_block: "address" | "article" | "aside" | "blockquote" | "body" | "br" | "button" | "caption" | "center" | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing" | "main" | "menu" | "nav" | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search" | "section" | "select" | "summary" | "table" | "tbody" | "td" | "textarea" | "tfoot" | "th" | "thead" | "tr" | "ul" | "xmp"
}

names! {
    /// The elements that are inline in XML other than XHTML, where such names often mean what they
    /// mean in HTML.
    INLINE_IN_XML, is_inline_in_xml: "a" | "abbr" | "acronym" | "b" | "bdo" | "big" | "cite" | "code" | "dfn" | "em" | "font" | "i" | "kbd" | "q" | "s" | "samp" | "small" | "span" | "strike" | "strong" | "sub" | "sup" | "tt" | "u" | "var" | "noindex"
}

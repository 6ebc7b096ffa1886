//! The locutions: the texts that replace what may not be kept, placed where a parser leaves them.

/// The replacement for a small part: "We suggest replacing small excluded segments with an
/// ellipsis" (Robot Exclusion Profile, Examples).
const SHORT: &str = "[…]";

/// The replacement for a large part: "some locution ... no matter what the size" (the same).
const LONG: &str = "[This part of the page may not be archived.]";

/// The replacement for the text of an image.
pub(crate) const IMAGE: &str = "[This image may not be archived.]";

/// The size in bytes from which a part is large. It is the usual length of a quotation: "a size
/// comparable to the segments the search engine normally uses for summaries".
const LARGE: u32 = 160;

/// Whether an element is kept without its own content, so that its surroundings stay in place.
pub(crate) fn is_frame(name: &str) -> bool {
    matches!(name, "html" | "head" | "body" | "frameset" | "title")
}

/// Whether an element shows nothing, so that its omission is not visible.
pub(crate) fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "col"
            | "colgroup"
            | "frame"
            | "link"
            | "meta"
            | "param"
            | "script"
            | "source"
            | "style"
            | "track"
    )
}

/// Returns the elements that must surround a text in an element of this name so that a parser
/// leaves it there (HTML 13.2.6), or `None` if no text is allowed.
pub(crate) fn around(container: &str) -> Option<&'static [&'static str]> {
    Some(match container {
        "html" | "head" | "colgroup" | "" => return None,
        "table" | "tbody" | "thead" | "tfoot" => &["tr", "td"],
        "tr" => &["td"],
        "ul" | "ol" | "menu" | "dir" => &["li"],
        "dl" => &["dd"],
        "select" | "optgroup" | "datalist" => &["option"],
        "frameset" => &["noframes"],
        _ => &[],
    })
}

/// Whether an element may be placed in another one that holds no text; if not, a parser would move
/// it.
pub(crate) fn may_stand_in(name: &str, container: &str) -> bool {
    let known: &[&str] = match container {
        "table" => &["caption", "tbody", "thead", "tfoot", "tr"],
        "tbody" | "thead" | "tfoot" => &["tr"],
        "tr" => &["td", "th"],
        "ul" | "ol" | "menu" | "dir" => &["li"],
        "dl" => &["dt", "dd"],
        "select" | "datalist" => &["option", "optgroup"],
        "optgroup" => &["option"],
        _ => return around(container).is_some_and(<[_]>::is_empty),
    };
    known.contains(&name)
}

/// Returns the locution for a part of this many bytes.
pub(crate) fn for_part(bytes: u32) -> &'static str {
    if bytes < LARGE { SHORT } else { LONG }
}

/// Returns a locution as written into an element with the given name; `prefix` is put before the
/// names of the elements that surround it.
pub(crate) fn written(locution: &str, container: &str, prefix: &str) -> Option<String> {
    let around = around(container)?;
    let mut text = String::new();
    for name in around {
        text.extend(["<", prefix, name, ">"]);
    }
    text.push_str(locution);
    for name in around.iter().rev() {
        text.extend(["</", prefix, name, ">"]);
    }
    Some(text)
}

/// Returns what to keep of an attribute of an element that may not be kept itself: what determines
/// how the page is read, such as its marks and the profile that gives them a meaning, and the shape
/// of a table.
pub(crate) fn kept(element: &str, attribute: &str, value: &str) -> Option<String> {
    let is_kept = match attribute {
        "class" => return robots_classes(value),
        "data-nosnippet" => return Some(String::new()),
        "profile" => element == "head",
        "colspan" | "rowspan" => matches!(element, "td" | "th"),
        _ => false,
    };
    is_kept.then(|| value.to_owned())
}

/// Returns the classes that address robots.
fn robots_classes(value: &str) -> Option<String> {
    let spoken = value.split_ascii_whitespace().filter(|class| class.starts_with("robot"));
    let spoken = spoken.collect::<Vec<_>>();
    (!spoken.is_empty()).then(|| spoken.join(" "))
}

/// Whether META and LINK use an attribute to address robots.
pub(crate) fn speaks(attribute: &str) -> bool {
    matches!(attribute, "name" | "http-equiv" | "property" | "content" | "rel" | "href" | "type")
}

#[cfg(test)]
mod tests {
    use super::{for_part, may_stand_in, written};

    #[test]
    fn a_locution_stands_where_a_parser_leaves_it() {
        assert_eq!(written("x", "p", "").as_deref(), Some("x"));
        assert_eq!(written("x", "tr", "h:").as_deref(), Some("<h:td>x</h:td>"));
        assert_eq!(written("x", "ol", "").as_deref(), Some("<li>x</li>"));
        assert_eq!(written("x", "head", ""), None);
        assert!(may_stand_in("td", "tr") && !may_stand_in("form", "table"));
        assert!(may_stand_in("div", "body") && !may_stand_in("div", "head"));
        assert_ne!(for_part(159), for_part(160));
    }
}

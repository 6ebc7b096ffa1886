//! What stands in the place of a part that may not be kept, and where a parser leaves it.

/// What stands for a small part: "We suggest replacing small excluded segments with an ellipsis" (Robot
/// Exclusion Profile, Examples).
const SHORT: &str = "[…]";

/// What stands for a large part: "some locution ... no matter what the size" (the same).
const LONG: &str = "[This part of the page may not be archived.]";

/// What stands for the text of an image.
pub(crate) const IMAGE: &str = "[This image may not be archived.]";

/// From how many bytes on a part is large: as long as a quotation usually is, "a size comparable to the
/// segments the search engine normally uses for summaries".
const LARGE: u32 = 160;

/// The elements that are kept, without what they say, so that what stands around them stays where it is.
pub(crate) fn is_frame(name: &str) -> bool {
    matches!(name, "html" | "head" | "body" | "frameset" | "title")
}

/// The elements that show nothing, so that nothing is missing where they are left out.
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

/// The elements that stand around a text in an element of this name, so that a parser leaves it there
/// (HTML 13.2.6); nothing, where no text may stand.
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

/// Whether an element may stand in another that holds no text: else a parser would move it.
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

/// The locution for a part of so many bytes.
pub(crate) fn for_part(bytes: u32) -> &'static str {
    if bytes < LARGE { SHORT } else { LONG }
}

/// Writes a locution into an element of a name; `prefix` stands before the names of elements around it.
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

/// What is kept of an attribute of an element that may not be kept itself: what says how the page is to
/// be read, as the marks on it and the profile that gives them a meaning, and the shape of a table.
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

/// The classes that speak to robots.
fn robots_classes(value: &str) -> Option<String> {
    let spoken = value.split_ascii_whitespace().filter(|class| class.starts_with("robot"));
    let spoken = spoken.collect::<Vec<_>>();
    (!spoken.is_empty()).then(|| spoken.join(" "))
}

/// The attributes by which META and LINK speak.
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

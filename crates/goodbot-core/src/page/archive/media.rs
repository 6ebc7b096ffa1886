//! Images and other media that may not be kept: the copy shows them from their original address.
//!
//! "Preventing images from being stored by search engines, forcing them to be retrieved from the
//! originating website" (Robot Exclusion Profile, Examples).

use super::super::base::Base;

/// Whether an element shows an external resource.
pub(crate) fn is_media(name: &str) -> bool {
    matches!(name, "img" | "picture" | "source" | "video" | "audio" | "object" | "embed")
}

/// The role of an attribute of such an element in a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is the URL of what is shown.
    Url,
    /// It lists several URLs, each for a size.
    Several,
    /// It says how the media is shown.
    Shape,
}

fn use_of(element: &str, attribute: &str) -> Option<Use> {
    match (element, attribute) {
        ("object" | "picture", "src" | "srcset") => None,
        ("object", "data") | ("video", "poster") | (_, "src") => Some(Use::Url),
        ("img" | "source", "srcset") => Some(Use::Several),
        (_, "width" | "height" | "sizes" | "media" | "type" | "controls") => Some(Use::Shape),
        _ => None,
    }
}

/// Resolves the URLs of media, within a limit on their total size.
pub(crate) struct Urls {
    base: Base,
    room: usize,
}

impl Urls {
    pub(crate) fn new(base: &str, room: usize) -> Urls {
        Urls { base: Base::new(base), room }
    }

    /// Enters an element with a base of its own. Returns the base around it (XML Base, section 4).
    pub(crate) fn enter(&mut self, written: &str) -> Base {
        let base = Base::new(self.base.resolve(written).as_deref().unwrap_or(written));
        std::mem::replace(&mut self.base, base)
    }

    /// Leaves such an element.
    pub(crate) fn leave(&mut self, around: Base) {
        self.base = around;
    }

    /// Returns what to keep of an attribute. URLs are made absolute; those that are not on the Web,
    /// such as `data:` URLs, are dropped because they contain what may not be kept.
    pub(crate) fn kept(&mut self, element: &str, attribute: &str, value: &str) -> Option<String> {
        match use_of(element, attribute)? {
            Use::Url => self.absolute(value.trim_ascii()),
            Use::Several => self.several(value),
            Use::Shape => Some(value.to_owned()),
        }
    }

    fn absolute(&mut self, href: &str) -> Option<String> {
        let url = self.base.resolve(href).ok()?;
        let is_of_web = url.starts_with("https://") || url.starts_with("http://");
        self.room = if is_of_web { self.room.checked_sub(url.len())? } else { return None };
        Some(url)
    }

    /// Returns the candidates of a `srcset`, each with its descriptor after the URL (HTML
    /// 4.8.4.2.2).
    fn several(&mut self, value: &str) -> Option<String> {
        let is_between = |one: char| one.is_ascii_whitespace() || one == ',';
        let mut rest = value.trim_start_matches(is_between);
        let mut kept: Vec<String> = Vec::new();
        while !rest.is_empty() {
            let end = rest.find(|one: char| one.is_ascii_whitespace()).unwrap_or(rest.len());
            let (written, behind) = rest.split_at(end);
            let url = written.trim_end_matches(',');
            let descriptor = if url.len() < written.len() { "" } else { descriptor_of(behind) };
            if let Some(url) = self.absolute(url) {
                kept.push([&url, " ", descriptor.trim_ascii()].concat().trim_end().to_owned());
            }
            rest = behind[descriptor.len()..].trim_start_matches(is_between);
        }
        (!kept.is_empty()).then(|| kept.join(", "))
    }
}

/// Returns the descriptor after the URL of a candidate, up to the comma that ends it; commas in
/// parentheses do not.
fn descriptor_of(behind: &str) -> &str {
    let mut depth = 0_u32;
    for (at, one) in behind.bytes().enumerate() {
        match one {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return &behind[..at],
            _ => {}
        }
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::Urls;

    #[test]
    fn urls_are_absolute_and_of_the_web() {
        let mut urls = Urls::new("https://a.example/x/", 1_000);
        assert_eq!(
            urls.kept("img", "src", " y.png ").as_deref(),
            Some("https://a.example/x/y.png")
        );
        assert_eq!(urls.kept("img", "src", "data:image/png;base64,AA"), None);
        assert_eq!(urls.kept("img", "title", "secret"), None);
        assert_eq!(urls.kept("object", "data", "/z").as_deref(), Some("https://a.example/z"));
        let several = urls.kept("source", "srcset", ", a.png 1x,b,c.png 2x (1, 2), data:x, d.png");
        let expected = "https://a.example/x/a.png 1x, https://a.example/x/b,c.png 2x (1, 2), \
                        https://a.example/x/d.png";
        assert_eq!(several.as_deref(), Some(expected));
    }

    #[test]
    fn urls_take_no_more_room_than_there_is() {
        let mut urls = Urls::new("https://a.example/", 50);
        assert!(urls.kept("img", "src", "/1234567890").is_some());
        assert!(urls.kept("img", "src", "/1234567890").is_none());
    }
}

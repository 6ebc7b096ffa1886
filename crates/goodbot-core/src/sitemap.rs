//! XML sitemaps, and the feeds that may replace them: parses a text into its entries.
//!
//! Names are compared without their prefix, in either case and in any namespace, because sitemaps
//! are often written by hand. But an element whose prefix differs from that of its parent, such as
//! `image:loc`, belongs to another vocabulary and says nothing about the page. The caller decides
//! what an entry is worth.
//!
//! Source: sitemaps.org, protocol 0.9; RSS 2.0; RFC 4287.

use std::ops::Range;

use crate::named::named;
use crate::xml::{Attributes, Event, Fault, Reader};

/// The most elements of one sitemap: forty for each of its entries.
const MOST_ELEMENTS: usize = 2_000_000;

/// The greatest depth of nested elements.
const MOST_OPEN: usize = 1_000;

/// The most characters of an address or a date that are kept.
const LONGEST_TEXT: usize = 4_096;

named! {
    /// What kind of document it is.
    #[derive(Default)]
    pub enum Form {
        /// A sitemap.
        UrlSet = "urlset",
        /// An index of sitemaps.
        Index = "index",
        /// A feed of RSS or Atom.
        Feed = "feed",
        /// Something else.
        #[default]
        None = "none",
    }
}

named! {
    /// What an entry refers to.
    pub enum Kind {
        /// A page.
        Url = "url",
        /// A sitemap.
        Sitemap = "sitemap",
    }
}

named! {
    /// A limit that ended the parsing.
    pub enum Limit {
        /// There are too many elements, or too much is added to their attributes.
        Elements = "elements",
        /// Elements are nested too deeply.
        Depth = "depth",
    }
}

/// An entry; its texts are in [`Sitemap::texts`].
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it refers to.
    pub kind: Kind,
    /// Its address, as written.
    pub address: Range<usize>,
    /// When it was modified, as written; empty if not stated.
    pub modified: Range<usize>,
    /// Where it begins.
    pub place: usize,
}

/// Entries without an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutAddress {
    /// How many there are.
    pub count: usize,
    /// Where the first begins.
    pub place: usize,
    /// How many entries with an address come before it.
    pub behind: usize,
}

/// The parsed document.
#[derive(Debug, Default)]
pub struct Sitemap {
    /// What kind of document it is.
    pub form: Form,
    /// The entries that have an address.
    pub entries: Vec<Entry>,
    /// The texts of the entries.
    pub texts: String,
    /// The entries that have no address.
    pub without_address: Option<WithoutAddress>,
    /// The limit that ended the parsing, and where.
    pub limit: Option<(Limit, usize)>,
    /// What is not well-formed, if the parser got that far.
    pub fault: Option<Fault>,
    /// The first entity that is refused as unsafe.
    pub unsafe_entity: Option<String>,
}

/// Parses a document whose line ends are LF alone; it stops one entry after the first `most`.
#[must_use]
pub fn read_sitemap(text: &str, most: usize) -> Sitemap {
    let mut source = Reader::new(text);
    let mut scan = Scan::default();
    let mut goes_on = true;
    while goes_on && scan.out.entries.len() <= most {
        let Some(found) = source.next() else { break };
        match found.event {
            Event::Start(name) => goes_on = scan.start(name, found.start, &mut source),
            Event::End => scan.end(),
            Event::Text(text) | Event::Section(text) => scan.text(text),
            Event::Character(one) => scan.text(one.encode_utf8(&mut [0; 4])),
            Event::Entity(written) => scan.entity(written, &mut source),
            Event::Comment(_) | Event::Instruction(..) | Event::Declaration => {}
        }
    }
    // If an entry is cut off, its address counts if it is complete.
    if let Some(entry) = scan.entry.take().filter(|entry| entry.address.is_some()) {
        scan.add(entry);
    }
    let mut out = scan.out;
    out.fault = source.fault();
    out.unsafe_entity = source.unsafe_entity().map(str::to_owned);
    out
}

/// What the text of an element states about its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Address,
    Modified,
}

impl Role {
    /// Returns the role of an element. In Atom, `link` has its address in `href`.
    fn of(outer: &str, name: &str) -> Option<Role> {
        match (outer, name) {
            ("url" | "sitemap", "loc") | ("item", "link") => Some(Role::Address),
            ("url" | "sitemap", "lastmod")
            | ("item", "pubdate")
            | ("entry", "updated" | "modified") => Some(Role::Modified),
            _ => None,
        }
    }
}

/// The entry being parsed, and its depth.
struct Open {
    kind: Kind,
    address: Option<Range<usize>>,
    modified: Option<Range<usize>>,
    place: usize,
    depth: usize,
}

/// The text being collected for an entry, and the depth of its element.
struct Gathered {
    role: Role,
    depth: usize,
    text: String,
    /// How many more characters of it may be kept.
    room: usize,
}

#[derive(Default)]
struct Scan<'s> {
    out: Sitemap,
    /// The elements that are open: prefix and name, in lower case.
    open: Vec<(String, String)>,
    elements: usize,
    entry: Option<Open>,
    gathered: Option<Gathered>,
    attributes: Attributes<'s>,
}

impl<'s> Scan<'s> {
    /// Handles the start of an element; returns whether parsing continues.
    fn start(&mut self, name: &str, at: usize, source: &mut Reader<'s>) -> bool {
        self.elements += 1;
        if self.elements > MOST_ELEMENTS {
            self.entry = None;
            return self.stop(Limit::Elements, at);
        }
        if self.open.len() == MOST_OPEN {
            return self.stop(Limit::Depth, at);
        }
        let lower = name.to_lowercase();
        let (prefix, local) = lower.rsplit_once(':').unwrap_or(("", &lower));
        let depth = self.open.len() + 1;
        let goes_on = match self.open.last() {
            None => {
                self.out.form = form_of(local);
                self.out.form != Form::None
            }
            Some((outer_prefix, outer)) => {
                if let Some(kind) = kind_of(outer, local) {
                    let (address, modified) = (None, None);
                    self.entry = Some(Open { kind, address, modified, place: at, depth });
                    true
                } else if self.gathered.is_none() && outer_prefix == prefix {
                    let within = (outer.clone(), local.to_owned());
                    self.within(&within, depth, at, source)
                } else {
                    true
                }
            }
        };
        self.open.push((prefix.to_owned(), local.to_owned()));
        goes_on
    }

    /// Handles the start of an element that may describe the entry; returns whether parsing continues.
    fn within(
        &mut self,
        (outer, name): &(String, String),
        depth: usize,
        at: usize,
        source: &mut Reader<'s>,
    ) -> bool {
        let Some(entry) = &mut self.entry else { return true };
        if (outer.as_str(), name.as_str()) == ("entry", "link") {
            let wanted = |_, name: &str| matches!(name, "rel" | "href");
            if !source.attributes(&mut self.attributes, wanted) {
                self.entry = None;
                return self.stop(Limit::Elements, at);
            }
            let of = |wanted| self.attributes.iter().find(|(name, _)| *name == wanted);
            // The page itself, not where it is edited or copied (RFC 4287 section 4.2.7.2).
            if of("rel").is_none_or(|(_, rel)| rel == "alternate") && entry.address.is_none() {
                let href = of("href").map_or("", |(_, href)| &**href);
                let start = self.out.texts.len();
                keep(&mut self.out.texts, href, LONGEST_TEXT);
                entry.address = Some(start..self.out.texts.len());
            }
        } else if let Some(role) = Role::of(outer, name) {
            let (text, room) = (String::new(), LONGEST_TEXT);
            self.gathered = Some(Gathered { role, depth, text, room });
        }
        true
    }

    fn text(&mut self, text: &str) {
        if let Some(gathered) = &mut self.gathered {
            gathered.room -= keep(&mut gathered.text, text, gathered.room);
        }
    }

    fn entity(&mut self, written: &'s str, source: &mut Reader<'s>) {
        let mut text = String::new();
        source.expand(written, "", &mut text);
        self.text(&text);
    }

    fn end(&mut self) {
        let depth = self.open.len();
        if let Some(gathered) = self.gathered.take_if(|gathered| gathered.depth == depth)
            && let Some(entry) = &mut self.entry
        {
            let said = match gathered.role {
                Role::Address => &mut entry.address,
                Role::Modified => &mut entry.modified,
            };
            if said.is_none() {
                let start = self.out.texts.len();
                self.out.texts.push_str(&gathered.text);
                *said = Some(start..self.out.texts.len());
            }
        }
        if let Some(entry) = self.entry.take_if(|entry| entry.depth == depth) {
            self.add(entry);
        }
        self.open.pop();
    }

    fn add(&mut self, entry: Open) {
        let Open { kind, address, modified, place, .. } = entry;
        if let Some(address) = address {
            let modified = modified.unwrap_or_default();
            self.out.entries.push(Entry { kind, address, modified, place });
        } else {
            let behind = self.out.entries.len();
            let none = WithoutAddress { count: 0, place, behind };
            self.out.without_address.get_or_insert(none).count += 1;
        }
    }

    fn stop(&mut self, limit: Limit, at: usize) -> bool {
        self.out.limit = Some((limit, at));
        false
    }
}

/// Keeps the beginning of a text, at most `most` characters; returns how many were kept.
fn keep(texts: &mut String, text: &str, most: usize) -> usize {
    let mut kept = 0;
    texts.extend(text.chars().take(most).inspect(|_| kept += 1));
    kept
}

fn form_of(root: &str) -> Form {
    match root {
        "urlset" => Form::UrlSet,
        "sitemapindex" => Form::Index,
        "rss" | "rdf" | "feed" => Form::Feed,
        _ => Form::None,
    }
}

/// Returns what a nested element refers to, if it is an entry.
fn kind_of(outer: &str, name: &str) -> Option<Kind> {
    match (outer, name) {
        ("urlset" | "sitemapindex", "url") | ("channel" | "rdf", "item") | ("feed", "entry") => {
            Some(Kind::Url)
        }
        ("urlset" | "sitemapindex", "sitemap") => Some(Kind::Sitemap),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Kind, String, String)> {
        let read = read_sitemap(text, 10);
        let of = |entry: &Entry| {
            let text = |range: &Range<usize>| read.texts[range.clone()].to_owned();
            (entry.kind, text(&entry.address), text(&entry.modified))
        };
        read.entries.iter().map(of).collect()
    }

    fn url(address: &str, modified: &str) -> (Kind, String, String) {
        (Kind::Url, address.to_owned(), modified.to_owned())
    }

    #[test]
    fn entries_are_read_in_each_form() {
        let of = "<s:urlset xmlns:s='u'><s:url><s:loc> a&amp;<![CDATA[b]]> </s:loc><i:loc>c</i:loc><s:LastMod>d</s:LastMod></s:url></s:urlset>";
        assert_eq!(read(of), [url(" a&b ", "d")]);
        let of =
            "<sitemapindex><sitemap><loc>a</loc></sitemap><url><loc>b</loc></url></sitemapindex>";
        let sitemap = (Kind::Sitemap, "a".to_owned(), String::new());
        assert_eq!(read(of), [sitemap, url("b", "")]);
        let of = "<feed><entry><link rel='edit' href='a'/><link href='b'/><updated>c</updated></entry></feed>";
        assert_eq!(read(of), [url("b", "c")]);
        let of = "<rss><channel><item><link>a</link><pubDate>b</pubDate></item></channel></rss>";
        assert_eq!(read(of), [url("a", "b")]);
    }

    #[test]
    fn limits_end_the_reading() {
        let deep = format!("<urlset><url><loc>a</loc>{}", "<x>".repeat(2_000));
        let found = read_sitemap(&deep, 10);
        assert_eq!(found.limit.map(|(limit, _)| limit), Some(Limit::Depth));
        assert_eq!((found.entries.len(), found.fault), (1, None));
        let many = format!("<urlset>{}", "<url><loc>a</loc></url>".repeat(50));
        assert_eq!(read_sitemap(&many, 10).entries.len(), 11);
        let found = read_sitemap(&format!("<urlset>{}</urlset>", "<url/>".repeat(50)), 10);
        let without = WithoutAddress { count: 50, place: "<urlset>".len(), behind: 0 };
        assert_eq!(found.without_address, Some(without));
        let long = "\u{e9}".repeat(LONGEST_TEXT + 1);
        let found = read(&format!("<urlset><url><loc>{long}</loc></url></urlset>"));
        assert_eq!(found[0].1.chars().count(), LONGEST_TEXT);
    }
}

//! Sitemaps in XML, and the feeds that may stand for them: a text to the entries in it.
//!
//! Names count without their prefix, in either case, in whatever namespace: sitemaps are written by
//! hand. But what has another prefix than the element around it, such as `image:loc`, is of another
//! vocabulary, and says nothing of the page. What an entry is worth, the caller decides.
//!
//! Source: sitemaps.org, protocol 0.9; RSS 2.0; RFC 4287.

use std::ops::Range;

use crate::named::named;
use crate::xml::{Attributes, Event, Fault, Reader};

/// The most elements of one sitemap: forty for each of its entries.
const MOST_ELEMENTS: usize = 2_000_000;

/// The most elements within one another.
const MOST_OPEN: usize = 1_000;

/// The most characters of an address or a date that are kept.
const LONGEST_TEXT: usize = 4_096;

named! {
    /// What a document is.
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
    /// What an entry names.
    pub enum Kind {
        /// A page.
        Url = "url",
        /// A sitemap.
        Sitemap = "sitemap",
    }
}

named! {
    /// A limit that ends the reading.
    pub enum Limit {
        /// There are too many elements, or too much that is added to their attributes.
        Elements = "elements",
        /// They are nested too deep.
        Depth = "depth",
    }
}

/// An entry, with its texts in [`Sitemap::texts`].
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it names.
    pub kind: Kind,
    /// Its address, as written.
    pub address: Range<usize>,
    /// When it was modified, as written; empty, if it does not say.
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
    /// How many entries with an address stand before it.
    pub behind: usize,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Sitemap {
    /// What it is.
    pub form: Form,
    /// The entries that have an address.
    pub entries: Vec<Entry>,
    /// The texts of the entries.
    pub texts: String,
    /// The entries that have none.
    pub without_address: Option<WithoutAddress>,
    /// The limit that ended the reading, and where.
    pub limit: Option<(Limit, usize)>,
    /// What is not well-formed, if the reading came to it.
    pub fault: Option<Fault>,
    /// The first entity that is not read.
    pub unsafe_entity: Option<String>,
}

/// Reads a document in which line ends are LF alone; no entry behind the first `most`, but for one.
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
    // Of an entry that is broken off the address counts, if it is whole.
    if let Some(entry) = scan.entry.take().filter(|entry| entry.address.is_some()) {
        scan.add(entry);
    }
    let mut out = scan.out;
    out.fault = source.fault();
    out.unsafe_entity = source.unsafe_entity().map(str::to_owned);
    out
}

/// What the text of an element says of its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Address,
    Modified,
}

impl Role {
    /// Of Atom, `link` has its address in `href`.
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

/// The entry that is being read, and how deep it stands.
struct Open {
    kind: Kind,
    address: Option<Range<usize>>,
    modified: Option<Range<usize>>,
    place: usize,
    depth: usize,
}

/// The text that is being gathered for an entry, and how deep its element stands.
struct Gathered {
    role: Role,
    depth: usize,
    text: String,
    /// How many characters of it may still be kept.
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
    /// An element begins; whether the reading goes on.
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

    /// An element that may say something of the entry begins; whether the reading goes on.
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
            // The page itself, not where it is edited or repeated (RFC 4287 section 4.2.7.2).
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

/// Keeps the beginning of a text, of so many characters at most; how many it has.
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

/// What an element in another names, if it is an entry.
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

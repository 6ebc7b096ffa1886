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
use crate::xml::{Attributes, Event, Fault, Reader, UNMATCHED};

/// The most elements of one sitemap: forty for each of its entries.
const MOST_ELEMENTS: usize = 2_000_000;

/// The greatest depth of nested elements.
const MOST_OPEN: usize = 1_000;

/// The most characters of an address or a date that are kept.
const LONGEST_TEXT: usize = 4_096;

/// The most versions in other languages that are kept.
const MOST_VERSIONS: usize = 50_000;

/// The most characters of a language tag that are kept.
const LONGEST_TAG: usize = 64;

/// How many bytes may be searched for the next entry behind faults: so many times the length of the
/// text, and this many more. Where something has no end, a fault costs as much as the rest of the
/// text; where an end tag does not match, it costs what is skipped.
const SEARCHES: usize = 128;
const SEARCHED_AT_LEAST: usize = 256 * 1024 * 1024;

/// What is wrong with a reference that nothing declares.
const UNDECLARED: &str = "an entity is not declared";

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

/// A page that an entry names as its version in a language; its texts are in [`Sitemap::texts`].
#[derive(Clone, Debug)]
pub struct Version {
    /// The number of the entry.
    pub entry: usize,
    /// The language, as written.
    pub language: Range<usize>,
    /// The address, as written.
    pub address: Range<usize>,
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
    /// The versions of pages in other languages, at most [`MOST_VERSIONS`].
    pub versions: Vec<Version>,
    /// The texts of the entries.
    pub texts: String,
    /// The entries that have no address.
    pub without_address: Option<WithoutAddress>,
    /// The limit that ended the parsing, and where.
    pub limit: Option<(Limit, usize)>,
    /// What is not well-formed first. Reading goes on at the next entry.
    pub fault: Option<Fault>,
    /// How many faults there are, of those that were reached.
    pub faults: usize,
    /// Whether reading ended at a fault, with entries that may come behind it.
    pub is_cut: bool,
    /// The first entity that is refused as unsafe.
    pub unsafe_entity: Option<String>,
}

/// Parses a document whose line ends are LF alone; it stops one entry after the first `most`.
#[must_use]
pub fn read_sitemap(text: &str, most: usize) -> Sitemap {
    let mut source = Reader::new(text);
    let mut scan = Scan::default();
    let mut room = SEARCHES.saturating_mul(text.len()).saturating_add(SEARCHED_AT_LEAST);
    let mut goes_on = true;
    while goes_on && scan.out.entries.len() <= most {
        let Some(found) = source.next() else {
            let Some(fault) = source.fault() else { break };
            scan.out.fault.get_or_insert(fault);
            scan.out.faults += 1;
            if scan.goes_on_behind(fault, text, &mut room, &mut source) {
                continue;
            }
            break;
        };
        match found.event {
            Event::Start(name) => goes_on = scan.start(name, found.start, &mut source),
            Event::End => scan.end(),
            Event::Text(text) | Event::Section(text) => scan.text(text),
            Event::Character(one) => scan.text(one.encode_utf8(&mut [0; 4])),
            Event::Entity(written) => scan.entity(written, found.start, &mut source),
            Event::Declaration => scan.has_type |= text[found.start..].starts_with("<!DOCTYPE"),
            Event::Comment(_) | Event::Instruction(..) => {}
        }
    }
    // If an entry is cut off, its address counts if it is complete.
    if let Some(entry) = scan.entry.take().filter(|entry| entry.address.is_some()) {
        scan.add(entry);
    }
    let mut out = scan.out;
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
    /// Whether there is a document type, which may declare entities.
    has_type: bool,
    /// The elements that are open: prefix and name, in lower case.
    open: Vec<(String, String)>,
    elements: usize,
    entry: Option<Open>,
    gathered: Option<Gathered>,
    attributes: Attributes<'s>,
    /// The names, as written, of the elements that are open.
    written: Vec<&'s str>,
    /// The elements around the entries, as written, once one has begun: where reading goes on
    /// behind a fault.
    around: Vec<&'s str>,
}

impl<'s> Scan<'s> {
    /// Handles the start of an element; returns whether parsing continues.
    fn start(&mut self, name: &'s str, at: usize, source: &mut Reader<'s>) -> bool {
        self.elements += 1;
        if self.elements > MOST_ELEMENTS {
            self.entry = None;
            return self.stop(Limit::Elements, at);
        }
        if self.open.len() == MOST_OPEN {
            return self.stop(Limit::Depth, at);
        }
        let (prefix, local) = &prefix_and_name(name);
        let depth = self.open.len() + 1;
        let goes_on = match self.open.last() {
            None => {
                self.out.form = form_of(local);
                self.out.form != Form::None
            }
            Some((outer_prefix, outer)) => {
                if let Some(kind) = self.kind_here(prefix, outer_prefix, outer, local) {
                    // An entry that does not end before the next one begins ends there.
                    if let Some(before) = self.entry.take() {
                        self.add(before);
                    }
                    self.gathered = None;
                    if self.around.is_empty() {
                        self.around.clone_from(&self.written);
                    }
                    let (address, modified) = (None, None);
                    self.forget_versions();
                    self.entry = Some(Open { kind, address, modified, place: at, depth });
                    true
                } else if self.gathered.is_none()
                    && (outer.as_str(), local.as_str()) == ("url", "link")
                {
                    self.version(at, source)
                } else if self.gathered.is_none() && outer_prefix == prefix {
                    let within = (outer.clone(), local.to_owned());
                    self.within(&within, depth, at, source)
                } else {
                    true
                }
            }
        };
        self.open.push((prefix.to_owned(), local.to_owned()));
        self.written.push(name);
        goes_on
    }

    /// Returns what an element refers to, if it is an entry: within the list, or within an entry
    /// that is alike and lacks its end.
    fn kind_here(
        &self,
        prefix: &str,
        outer_prefix: &str,
        outer: &str,
        local: &str,
    ) -> Option<Kind> {
        kind_of(outer, local).or_else(|| {
            let entry = self.entry.as_ref()?;
            let is_alike = outer == local && outer_prefix == prefix;
            (is_alike && entry.depth == self.open.len()).then_some(entry.kind)
        })
    }

    /// Returns whether a search may cost so much, and counts it.
    fn pay(&mut self, cost: usize, room: &mut usize) -> bool {
        let left = room.checked_sub(cost);
        self.out.is_cut |= left.is_none();
        *room = left.unwrap_or(0);
        left.is_some()
    }

    /// Goes on behind a fault, if there is something that can still be read; returns whether.
    ///
    /// A character that should be escaped stands for itself, as in `?a=1&b=2`. At any other fault
    /// the entry ends, which counts if its address is whole, and the next one begins.
    fn goes_on_behind(
        &mut self,
        fault: Fault,
        text: &'s str,
        room: &mut usize,
        source: &mut Reader<'s>,
    ) -> bool {
        if self.around.is_empty() {
            return false;
        }
        let rest = &text[fault.at..];
        if let Some(literal) = ["&", "]]>"].into_iter().find(|one| rest.starts_with(*one))
            && source.depth() > 0
        {
            // A number is searched for its semicolon, which may be at the end of the text.
            if !rest.starts_with("&#") || self.pay(rest.len(), room) {
                self.text(literal);
                source.resume(fault.at + literal.len(), None);
                return true;
            }
            return false;
        }
        self.gathered = None;
        if let Some(entry) = self.entry.take().filter(|entry| entry.address.is_some()) {
            self.add(entry);
        }
        let Some(next) = next_entry(rest) else { return false };
        let cost = if fault.what == UNMATCHED { next } else { rest.len() };
        if !self.pay(cost, room) {
            return false;
        }
        self.written.clone_from(&self.around);
        self.open = self.around.iter().map(|name| prefix_and_name(name)).collect();
        source.resume(fault.at + next, Some(&self.around));
        true
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
                let href = of("href").map_or("", |(_, href)| href.trim());
                if !href.is_empty() {
                    let start = self.out.texts.len();
                    keep(&mut self.out.texts, href, LONGEST_TEXT);
                    entry.address = Some(start..self.out.texts.len());
                }
            }
        } else if let Some(role) = Role::of(outer, name) {
            let (text, room) = (String::new(), LONGEST_TEXT);
            self.gathered = Some(Gathered { role, depth, text, room });
        }
        true
    }

    /// Handles the start of an element that names a version in another language; returns whether
    /// parsing continues.
    ///
    /// Source: Google, localized versions of your pages (xhtml:link in sitemaps).
    fn version(&mut self, at: usize, source: &mut Reader<'s>) -> bool {
        if self.entry.is_none() || self.out.versions.len() == MOST_VERSIONS {
            return true;
        }
        let wanted = |_, name: &str| matches!(name, "rel" | "hreflang" | "href");
        if !source.attributes(&mut self.attributes, wanted) {
            self.entry = None;
            return self.stop(Limit::Elements, at);
        }
        let of = |wanted| self.attributes.iter().find(|(name, _)| *name == wanted);
        let Some((_, language)) = of("hreflang") else { return true };
        if of("rel").is_some_and(|(_, rel)| rel.trim().eq_ignore_ascii_case("alternate")) {
            let texts = &mut self.out.texts;
            let start = texts.len();
            keep(texts, language.trim(), LONGEST_TAG);
            let middle = texts.len();
            keep(texts, of("href").map_or("", |(_, href)| href.trim()), LONGEST_TEXT);
            let (language, address) = (start..middle, middle..texts.len());
            let entry = self.out.entries.len();
            self.out.versions.push(Version { entry, language, address, place: at });
        }
        true
    }

    /// Forgets the versions of an entry that did not count.
    fn forget_versions(&mut self) {
        let entries = self.out.entries.len();
        let known = self.out.versions.partition_point(|one| one.entry < entries);
        self.out.versions.truncate(known);
    }

    fn text(&mut self, text: &str) {
        if let Some(gathered) = &mut self.gathered {
            // The blanks around a URL are no part of it.
            let text = if gathered.text.is_empty() { text.trim_start() } else { text };
            gathered.room -= keep(&mut gathered.text, text, gathered.room);
        }
    }

    /// Handles a reference to an entity. Without a document type nothing can declare it (XML 1.0
    /// section 4.1, "Entity Declared"); it stands for what HTML defines all the same.
    fn entity(&mut self, written: &'s str, at: usize, source: &mut Reader<'s>) {
        if !self.has_type {
            self.out.fault.get_or_insert(Fault { what: UNDECLARED, at });
            self.out.faults += 1;
        }
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
            let text = gathered.text.trim_end();
            if said.is_none() && !text.is_empty() {
                let start = self.out.texts.len();
                self.out.texts.push_str(text);
                *said = Some(start..self.out.texts.len());
            }
        }
        if let Some(entry) = self.entry.take_if(|entry| entry.depth == depth) {
            self.add(entry);
        }
        self.open.pop();
        self.written.pop();
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

/// Returns the prefix and the local name of an element, in lower case.
fn prefix_and_name(written: &str) -> (String, String) {
    let lower = written.to_lowercase();
    match lower.rsplit_once(':') {
        Some((prefix, local)) => (prefix.to_owned(), local.to_owned()),
        None => (String::new(), lower),
    }
}

/// The names of the elements that are entries.
const ENTRIES: [&str; 4] = ["url", "sitemap", "item", "entry"];

/// What holds no entry, even if it looks like one, and how it ends.
const WITHOUT_ENTRIES: [(&str, &str); 2] = [("<!--", "-->"), ("<![CDATA[", "]]>")];

/// Returns where the next entry begins behind a fault, which is at the beginning of a text.
fn next_entry(text: &str) -> Option<usize> {
    let mut at = 0;
    // Whether a comment, and a section, may end behind this position.
    let mut ends = [true; 2];
    loop {
        let rest = &text[at..];
        let skipped = WITHOUT_ENTRIES.iter().zip(&mut ends).find_map(|((start, end), ends)| {
            let inside = rest.strip_prefix(start).filter(|_| *ends)?;
            let found = memchr::memmem::find(inside.as_bytes(), end.as_bytes());
            *ends = found.is_some();
            found.map(|length| start.len() + length + end.len())
        });
        if at > 0 && skipped.is_none() && begins_entry(rest) {
            return Some(at);
        }
        let from = at + skipped.unwrap_or_else(|| rest.chars().next().map_or(0, char::len_utf8));
        at = from + memchr::memchr(b'<', text.as_bytes().get(from..)?)?;
    }
}

/// Whether a text begins with the start tag of an entry, in any namespace.
fn begins_entry(text: &str) -> bool {
    let name = text.strip_prefix('<').unwrap_or_default();
    let is_end = |byte: u8| byte.is_ascii_whitespace() || b"<>/=&".contains(&byte);
    let length = name.bytes().take(LONGEST_NAME).take_while(|byte| !is_end(*byte)).count();
    let local = name.get(..length).map(|name| prefix_and_name(name).1);
    local.is_some_and(|local| ENTRIES.contains(&local.as_str()))
}

/// The most bytes of the name of an entry that is looked for.
const LONGEST_NAME: usize = 100;

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
        assert_eq!(read(of), [url("a&b", "d")]);
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
    fn versions_belong_to_the_entry_around_them() {
        let of = |language: &str, address: &str| {
            format!("<x:link rel='alternate' hreflang='{language}' href='{address}'/>")
        };
        let text = format!(
            "<urlset>{}<url>{}</url><url><loc>a</loc>{}<x:link rel=\"edit\" hreflang='fr' href='e'/></url><url>{}<loc>b</loc></url></urlset>",
            of("it", "0"),
            of("de", "1"),
            of("en", " 2 "),
            of("fr", "3")
        );
        let read = read_sitemap(&text, 10);
        let found: Vec<_> = read
            .versions
            .iter()
            .map(|one| {
                (one.entry, &read.texts[one.language.clone()], &read.texts[one.address.clone()])
            })
            .collect();
        assert_eq!(found, [(0, "en", "2"), (1, "fr", "3")]);
    }

    #[test]
    fn what_can_be_read_is_read_behind_faults() {
        let a = "<url><loc>a</loc></url>";
        let z = "<url><loc>z</loc></url></urlset>";
        for (between, count, faults) in [
            ("<url><loc>b?c=1&d=2&e</loc></url>", 3, 2),
            ("<url><loc>b<</loc></url>", 2, 1),
            ("<url><loc>b</url>", 2, 1),
            ("<url><loc>b</loc><lastmod></url>", 3, 1),
            ("<url><loc>b</loc>", 3, 1),
            ("<url a><loc>b</loc></url>", 2, 1),
            ("<!-- -- <url><loc>b</loc></url> -->", 2, 1),
            ("</urlset><urlset>", 2, 1),
            ("<url><loc>b\u{1}</loc></url>", 2, 1),
            ("</x></y>", 2, 1),
            ("<url a/><!-- <url><loc>b</loc></url> --><![CDATA[<url>]]>", 2, 1),
            ("<url a/><!-- <url><loc>b</loc></url>", 3, 1),
            ("<url><loc></loc></url><url><loc> \n </loc></url>", 2, 0),
            ("<url><loc>b&eacute;&amp;c&none;</loc></url>", 3, 2),
        ] {
            let text = format!("<urlset>{a}{between}{z}");
            let found = read_sitemap(&text, 10);
            assert_eq!((found.entries.len(), found.faults), (count, faults), "{text}");
            assert_eq!(found.fault.is_some(), faults > 0, "{text}");
            assert_eq!(&found.texts[..1], "a");
            assert!(found.texts.ends_with('z'), "{text}");
        }
        let found = read_sitemap("<urlset><url><loc>b?c=1&d=2</loc></url></urlset>", 10);
        assert_eq!(found.texts, "b?c=1&d=2");
    }

    #[test]
    fn many_faults_cost_no_more_than_some_passes_over_the_text() {
        for (part, is_cut) in [("<url '", true), ("&#", true), ("&", false), ("</x>", false)] {
            let text = format!("<urlset><url><loc>a</loc></url>{}", part.repeat(2_000_000));
            let found = read_sitemap(&text, 10);
            assert_eq!(found.is_cut, is_cut, "{part}");
            assert!(found.faults < 400 || !is_cut, "{}", found.faults);
            assert_eq!(found.entries.len(), 1);
        }
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

//! What a site's owner wants to know of a page: language, heading, words, and what it loads.

use std::collections::HashSet;

use crate::html::{NodeId, Tree};
use crate::named::named;
use crate::simhash::Words;

use super::base::Base;
use super::facts::Facts;
use super::marks::{CauseNumber, Marks};
use super::run::{Run, Runs};

/// The most resources and alternates that are listed; others are counted.
const MOST_LISTED: usize = 200;

/// The most bytes of the URLs that are listed.
const MOST_URL_BYTES: usize = 16 * 1024;

/// The longest language tag, in bytes. RFC 5646 section 4.4.1 wants room for 35.
const LONGEST_LANGUAGE: usize = 35;

named! {
    /// What a resource is to the page that loads it.
    pub enum ResourceKind {
        /// A style sheet.
        Style = "style",
        /// A script.
        Script = "script",
        /// An image.
        Image = "image",
        /// A page within the page.
        Frame = "frame",
        /// Audio, video, or a text track of them.
        Media = "media",
        /// A plug-in.
        Object = "object",
    }
}

/// A resource that a page loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// Its URL, resolved.
    pub url: String,
}

/// The first H1 of a page, as the scan finds it.
#[derive(Clone, Debug, Default)]
pub(super) struct Heading {
    /// The runs of its text: the indexes of the first one and of the one after the last.
    pub(super) runs: (usize, usize),
    /// The alternative texts of its images.
    pub(super) alt: String,
}

/// What a site's owner wants to know of a page.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// The language tag of the root element, if it resembles one.
    pub language: Option<String>,
    /// The text of the first H1, without what a mark keeps out of the index or out of quotations.
    pub heading: String,
    /// Whether a mark withholds a part of that text.
    pub withheld: bool,
    /// How many H1 there are.
    pub headings: u32,
    /// How many words of text there are that no mark keeps out of the index.
    pub words: u32,
    /// The hash of these words; `None` if there are none.
    pub simhash: Option<u64>,
    /// The resources with HTTP or HTTPS URLs, each once, in page order.
    pub resources: Vec<Resource>,
    /// The versions of the page in other languages: language tag and URL, in page order.
    pub alternates: Vec<(String, String)>,
    /// How many resources and alternates are not listed.
    pub more: u32,
}

/// Returns the inventory of a page that was scanned.
pub(super) fn inventory(
    tree: &Tree,
    facts: &Facts,
    base: &Base,
    marks: &Marks<'_>,
    runs: Runs<'_>,
    heading: &Heading,
) -> Inventory {
    let mut words = Words::default();
    for run in runs.runs.iter().filter(|run| !marks.forbids(run.causes[0])) {
        words.add(run.in_texts(runs.texts));
    }
    let mut listed = Listed { base, room: MOST_URL_BYTES, more: 0 };
    let alternates = alternates(facts, &mut listed);
    let resources = resources(tree, facts, &mut listed);
    Inventory {
        language: language(tree),
        heading: heading_text(runs, marks, heading),
        withheld: heading_runs(runs, heading).iter().any(|run| is_withheld(marks, run.causes)),
        words: words.count(),
        simhash: words.simhash(),
        resources,
        alternates,
        more: listed.more,
        ..Inventory::default()
    }
}

/// Whether a mark keeps a text out of the index, out of copies or out of quotations.
pub(super) fn is_withheld(marks: &Marks<'_>, causes: [CauseNumber; 3]) -> bool {
    causes.iter().any(|cause| marks.forbids(*cause))
}

fn heading_runs<'s>(runs: Runs<'s>, heading: &Heading) -> &'s [Run] {
    runs.runs.get(heading.runs.0..heading.runs.1).unwrap_or_default()
}

fn heading_text(runs: Runs<'_>, marks: &Marks<'_>, heading: &Heading) -> String {
    let shown = heading_runs(runs, heading).iter().filter(|run| !is_withheld(marks, run.causes));
    let words: Vec<&str> =
        shown.flat_map(|run| run.in_texts(runs.texts).split_ascii_whitespace()).collect();
    if words.is_empty() {
        return heading.alt.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    words.join(" ")
}

/// Returns the language of the root element.
fn language(tree: &Tree) -> Option<String> {
    let mut next = tree.node(Tree::ROOT).first_child;
    while let Some(id) = next {
        if !tree.name(id).is_empty() {
            let tag = tree.attribute(id, "lang").or_else(|| tree.attribute(id, "xml:lang"))?;
            return resembling(tag.trim_ascii());
        }
        next = tree.node(id).next;
    }
    None
}

/// Returns a language tag if it resembles one: what is wrong with `en_GB` is for the caller to say.
fn resembling(tag: &str) -> Option<String> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = 1..=LONGEST_LANGUAGE;
    (length.contains(&tag.len()) && tag.bytes().all(is_letter)).then(|| tag.to_owned())
}

/// Lists URLs within bounds.
struct Listed<'b> {
    base: &'b Base,
    room: usize,
    more: u32,
}

impl Listed<'_> {
    /// Resolves an address; `None` if it is not an HTTP or HTTPS URL, or if there is no room for it.
    fn resolve(&mut self, address: &str, listed: usize) -> Option<String> {
        let url = self.base.resolve(address.trim_ascii()).ok()?;
        if !(url.starts_with("https://") || url.starts_with("http://")) {
            return None;
        }
        let room = self.room.checked_sub(url.len()).filter(|_| listed < MOST_LISTED);
        let Some(room) = room else {
            self.more = self.more.saturating_add(1);
            return None;
        };
        self.room = room;
        Some(url)
    }
}

/// Returns the LINK elements that name the page in other languages (HTML 4.6.7.1).
fn alternates(facts: &Facts, listed: &mut Listed<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for link in facts.links.iter().filter(|link| link.in_head && !link.hreflang.is_empty()) {
        let is_alternate = has_word(&link.rel, "alternate");
        let Some(language) = resembling(link.hreflang.trim_ascii()) else { continue };
        if is_alternate && let Some(url) = listed.resolve(&link.href, found.len()) {
            found.push((language, url));
        }
    }
    found
}

fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(word))
}

fn resources(tree: &Tree, facts: &Facts, listed: &mut Listed<'_>) -> Vec<Resource> {
    let of_links = facts.links.iter().filter_map(|link| Some((of_link(&link.rel)?, &*link.href)));
    let of_elements = facts.loading.iter().flat_map(|id| of_element(tree, *id));
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let mut found: Vec<Resource> = Vec::new();
    for (kind, address) in of_links.chain(of_elements) {
        // `data:` URLs are long and have no place of their own.
        let is_skipped = address.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        if address.is_empty() || is_skipped || !seen.insert((kind.slug(), address)) {
            continue;
        }
        if let Some(url) = listed.resolve(address, found.len()) {
            found.push(Resource { kind, url });
        }
    }
    found
}

fn of_link(rel: &str) -> Option<ResourceKind> {
    if has_word(rel, "stylesheet") {
        return (!has_word(rel, "alternate")).then_some(ResourceKind::Style);
    }
    has_word(rel, "icon").then_some(ResourceKind::Image)
}

/// Returns the addresses that an element loads, as written.
fn of_element(tree: &Tree, id: NodeId) -> impl Iterator<Item = (ResourceKind, &str)> {
    let get = |name: &str| tree.attribute(id, name);
    // The first candidate stands for all: browsers choose one, and all are on the same server.
    let srcset = || get("srcset")?.split_ascii_whitespace().next().map(|one| one.trim_matches(','));
    let (kind, address) = match tree.name(id) {
        "script" => (ResourceKind::Script, get("src")),
        "img" => (ResourceKind::Image, get("src").or_else(srcset)),
        "input" => {
            let is_image = get("type").is_some_and(|kind| kind.eq_ignore_ascii_case("image"));
            (ResourceKind::Image, get("src").filter(|_| is_image))
        }
        "source" => match get("src") {
            Some(address) => (ResourceKind::Media, Some(address)),
            None => (ResourceKind::Image, srcset()),
        },
        "iframe" | "frame" => (ResourceKind::Frame, get("src")),
        "object" => (ResourceKind::Object, get("data")),
        "embed" => (ResourceKind::Object, get("src")),
        _ => (ResourceKind::Media, get("src")),
    };
    let poster = get("poster").filter(|_| tree.name(id) == "video");
    let poster = poster.map(|address| (ResourceKind::Image, address));
    address.map(|address| (kind, address)).into_iter().chain(poster)
}

//! Finds runs of text and links, each with what decided how it may be used.

use crate::steps;
use std::ops::Range;

use crate::address::LONGEST_URL;
use crate::html::{Kind, NodeId, Traits, Tree};
use crate::named::named;
use crate::quote::prefix;

use super::base::{Base, Unresolved};
use super::described::described;
use super::facts::Facts;
use super::inventory::{Heading, Inventory, inventory, is_withheld};
use super::marks::{CauseNumber, Marks, State};
use super::plan::{Act, Cause, Plan, RelationMark};
use super::refresh::refresh_target;
use super::run::{Run, Runs};
use super::xml::Xml;

named! {
    /// The kind of a link.
    pub enum LinkKind {
        /// An element that readers follow: `<a href>`, `<area href>`, or an `XLink` or Atom link.
        Link = "link",
        /// `<meta http-equiv=refresh>`, which leads to another page.
        HtmlRefresh = "html-refresh",
        /// A header field Refresh; the scan itself finds none.
        HeaderRefresh = "header-refresh",
    }
}

/// A link.
#[derive(Clone, Debug)]
pub struct Link {
    /// The kind of the link.
    pub kind: LinkKind,
    /// The resolved URL, or the beginning of the address as written if it was not resolved.
    pub url: String,
    /// Why it was not resolved, if it was not.
    pub unresolved: Option<Unresolved>,
    /// The range of its text in [`Scan::link_texts`].
    pub text: Range<u32>,
    /// The places in its text, in characters, of the spaces at which a part is missing, because
    /// that part must not be indexed with the target: no phrase continues there.
    pub gaps: Vec<u32>,
    /// Its relations, as written.
    pub rel: String,
    /// Its reverse relations, as written.
    pub rev: String,
    /// What decided whether it may be followed, and whether its text may describe its target.
    pub causes: [CauseNumber; 2],
    /// Whether a mark explicitly allows its text to describe its target, and overrides what forbids
    /// following it.
    pub explicit: bool,
    /// Where it begins in the source.
    pub place: u32,
}

/// The contents of a page.
#[derive(Debug, Default)]
pub struct Scan {
    /// The runs, in page order.
    pub runs: Vec<Run>,
    /// The texts of the runs.
    pub texts: String,
    /// The links, in page order.
    pub links: Vec<Link>,
    /// The texts of the links.
    pub link_texts: String,
    /// The causes that decided, to which the other fields refer by number.
    pub causes: Vec<Cause>,
    /// Where classes of one element contradict each other.
    pub conflicts: Vec<u32>,
    /// The position of the first class that neither forbids nor allows, but would under another
    /// plan.
    pub idle: Option<u32>,
    /// Unknown classes that look as if they address robots: each listed once, with its position.
    pub strangers: Vec<(String, u32)>,
    /// What decided whether the title, description and keywords may each be indexed, archived and
    /// quoted.
    pub described: [[CauseNumber; 3]; 3],
    /// Whether there are more links or runs than the plan allows.
    pub cut: bool,
    /// What a site's owner wants to know of the page.
    pub inventory: Inventory,
}

impl Scan {
    /// Returns the text of a run.
    #[must_use]
    pub fn text(&self, run: &Run) -> &str {
        run.in_texts(&self.texts)
    }

    /// Returns the text of a link.
    #[must_use]
    pub fn link_text(&self, link: &Link) -> &str {
        &self.link_texts[link.text.start as usize..link.text.end as usize]
    }
}

/// Finds the runs and links of a page.
#[must_use]
pub fn scan(tree: &Tree, facts: &Facts, plan: &Plan) -> Scan {
    scan_with(tree, None, facts, plan)
}

/// Finds the runs and links of an XML document.
#[must_use]
pub fn scan_xml(xml: &Xml, facts: &Facts, plan: &Plan) -> Scan {
    scan_with(&xml.tree, Some(xml), facts, plan)
}

fn scan_with(tree: &Tree, xml: Option<&Xml>, facts: &Facts, plan: &Plan) -> Scan {
    let mut scanner = Scanner {
        tree,
        xml,
        plan,
        base: Base::new(&plan.base),
        bases: Vec::new(),
        url_room: plan.most_url_bytes,
        out: Scan::default(),
        marks: Marks::new(plan),
        block: true,
        space: false,
        split: false,
        open_links: Vec::new(),
        headings: 0,
        open_heading: None,
        heading: Heading::default(),
    };
    scanner.walk();
    let Scanner { mut out, mut marks, heading, headings, base, .. } = scanner;
    let runs = Runs { runs: &out.runs, texts: &out.texts };
    out.inventory = Inventory { headings, ..inventory(tree, facts, &base, &marks, runs, &heading) };
    out.described = described(tree, facts, &mut marks);
    // The ancestors of those elements were visited twice.
    marks.conflicts.sort_unstable();
    marks.conflicts.dedup();
    (out.causes, out.conflicts, out.idle) = (marks.causes, marks.conflicts, marks.idle);
    out.strangers = marks.strangers;
    out
}

struct Scanner<'t> {
    tree: &'t Tree,
    /// What XML has in addition to its tree: links that HTML does not have, and the bases of
    /// elements.
    xml: Option<&'t Xml>,
    plan: &'t Plan,
    /// The base of the document.
    base: Base,
    /// The enclosing elements with a base of their own, innermost last.
    bases: Vec<(NodeId, Base)>,
    /// How many bytes the URLs of further links may take.
    url_room: usize,
    out: Scan,
    marks: Marks<'t>,
    /// Whether a block has begun or ended since the last text.
    block: bool,
    /// Whether there was white space since the last text of this block.
    space: bool,
    /// Whether a marked element has begun or ended since the last text: its content is a run of its
    /// own.
    split: bool,
    /// The open links, with the texts collected for them.
    open_links: Vec<(NodeId, usize, String)>,
    /// How many H1 there are so far.
    headings: u32,
    /// The first H1, while it is open.
    open_heading: Option<NodeId>,
    heading: Heading,
}

/// The most links that are open at once. The standard closes one before it opens the next, except
/// where elements such as tables come between them.
const MOST_OPEN_LINKS: usize = 4;

impl Scanner<'_> {
    fn walk(&mut self) {
        let tree = self.tree;
        // The states of the enclosing elements, outermost first.
        let mut states = vec![State::default()];
        let mut next = tree.node(Tree::ROOT).first_child;
        while let Some(id) = next {
            steps::count(1);
            let node = tree.node(id);
            let around = states[states.len() - 1];
            match node.kind {
                Kind::Text if node.traits.are(Traits::HIDDEN) => {}
                Kind::Text => self.text(id, around),
                Kind::Comment => self.region_begins(node.end, around),
                Kind::Element if !node.traits.are(Traits::HIDDEN) => {
                    let state = self.enter(id, around);
                    if node.first_child.is_some() {
                        states.push(state);
                        next = node.first_child;
                        continue;
                    }
                    self.leave(id);
                }
                _ => {}
            }
            next = self.behind(id, &mut states);
        }
    }

    /// Returns the node after a subtree, and leaves the elements that end there.
    fn behind(&mut self, from: NodeId, states: &mut Vec<State>) -> Option<NodeId> {
        let mut id = from;
        loop {
            let node = self.tree.node(id);
            if node.next.is_some() {
                return node.next;
            }
            id = node.parent.filter(|parent| *parent != Tree::ROOT)?;
            states.pop();
            self.leave(id);
        }
    }

    fn enter(&mut self, id: NodeId, around: State) -> State {
        let tree = self.tree;
        let node = tree.node(id);
        self.breaks(node.traits);
        if let Some(written) = self.xml.and_then(|xml| xml.bases.get(&id)) {
            self.rebase(id, written);
        }
        let mut state = around;
        state.verbatim |= node.traits.are(Traits::VERBATIM);
        let marked = self.marks.mark(tree, id, &mut state);
        if marked & Act::Index.bit() != 0 {
            self.gap(node.start, state);
        }
        if marked & (Act::Index.bit() | Act::Anchor.bit()) != 0 {
            self.link_gap(node.start, state);
        }
        if node.traits.are(Traits::HEADING) {
            self.heading_begins(id);
        }
        if node.traits.are(Traits::SCANNED) {
            let name = tree.name(id);
            if name == "noindex" {
                self.split = true;
                self.region_begins(node.end, state);
            }
            let is_link = self.xml.is_some_and(|xml| xml.links.contains_key(&id));
            if is_link || (matches!(name, "a" | "area") && tree.attribute(id, "href").is_some()) {
                self.link(id, state);
            } else if name == "img" {
                self.image(id, state);
            } else if name == "meta" {
                self.refresh(id, state);
            }
        }
        state
    }

    /// Separates the words around the beginning or the end of a block, in the text of the page and
    /// in those of the links around it.
    fn breaks(&mut self, traits: Traits) {
        if !traits.are(Traits::BLOCK) {
            return;
        }
        self.block = true;
        for (_, _, gathered) in &mut self.open_links {
            if !gathered.is_empty() && !gathered.ends_with(' ') {
                gathered.push(' ');
            }
        }
    }

    /// Enters an element with a base of its own, which is resolved against the base around it (XML
    /// Base, section 4).
    fn rebase(&mut self, id: NodeId, written: &str) {
        let around = self.bases.last().map_or(&self.base, |(_, base)| base);
        let base = Base::new(around.resolve(written).as_deref().unwrap_or(written));
        self.bases.push((id, base));
    }

    fn text(&mut self, id: NodeId, state: State) {
        let text = self.tree.text(id);
        let place = self.tree.node(id).start;
        steps::count(text.len() * (1 + self.open_links.len()));
        if !self.open_links.is_empty() {
            let describes = self.may_describe(place, state);
            for (_, number, gathered) in &mut self.open_links {
                // If the text of a link may not be used at all, the verdict on the link says so.
                let [_, anchor] = self.out.links[*number].causes;
                if describes || self.marks.forbids(anchor) {
                    gathered.push_str(text);
                } else {
                    omit(gathered);
                }
            }
        }
        if text.bytes().all(|octet| octet.is_ascii_whitespace()) {
            self.space |= !text.is_empty();
            return;
        }
        if self.out.runs.len() >= self.plan.most_runs {
            self.out.cut = true;
            return;
        }
        let causes = self.text_causes(place, state);
        self.run(causes, place);
        let texts = &mut self.out.texts;
        if state.verbatim {
            texts.push_str(text);
        } else {
            self.space = collapse(text, self.space, texts);
        }
        self.extend_last_run();
    }

    /// Whether text at a position may be part of a link's text, which is indexed with the target.
    /// Text that a mark keeps out of the index may not, unless that mark concerns the index of this
    /// page alone.
    fn may_describe(&mut self, place: u32, state: State) -> bool {
        if state.is_silent() && self.plan.regions.is_empty() {
            return true;
        }
        let anchor = self.marks.cause(Act::Anchor, place, state);
        let index = Marks::of_state(Act::Index, state);
        let is_outweighed =
            state.denials[Act::Index as usize] == 0 && self.is_nearer(anchor, index);
        !self.marks.forbids(anchor)
            && (!self.marks.forbids(index) || is_outweighed)
            && !self.marks.region_of_index_and_more(place)
    }

    /// Whether a mark explicitly says that link texts describe their targets, and is nearer than
    /// another mark: "the link target document is to be indexed under the anchor text" is the
    /// purpose of that class (Robot Exclusion Profile, robots-anchortext).
    fn is_nearer(&self, anchor: CauseNumber, other: CauseNumber) -> bool {
        let of = |number: CauseNumber| self.marks.causes.get((number as usize).checked_sub(1)?);
        of(anchor).is_some_and(|anchor| {
            anchor.allows && of(other).is_none_or(|other| other.place <= anchor.place)
        })
    }

    fn text_causes(&mut self, place: u32, state: State) -> [CauseNumber; 3] {
        if state.is_silent() && self.plan.regions.is_empty() {
            return [0; 3];
        }
        [Act::Index, Act::Archive, Act::Snippet].map(|act| self.marks.cause(act, place, state))
    }

    /// Ensures that the last run is one to which text with these causes can be added.
    fn run(&mut self, causes: [CauseNumber; 3], place: u32) {
        let same = self.out.runs.last().is_some_and(|last| last.causes == causes);
        let split = std::mem::take(&mut self.split);
        let goes_on = same && !split;
        if self.block || !goes_on {
            let at = end_of(&self.out.texts);
            let block = self.block;
            self.out.runs.push(Run { text: at..at, block, causes, place });
        }
        self.space &= !self.block;
        self.block = false;
    }

    fn extend_last_run(&mut self) {
        let end = end_of(&self.out.texts);
        if let Some(last) = self.out.runs.last_mut() {
            last.text.end = end;
        }
    }

    /// Marks an omission here, even if nothing is omitted: an empty element that is not to be
    /// indexed separates the words around it (Robot Exclusion Profile, Phrases).
    fn gap(&mut self, place: u32, state: State) {
        if self.out.runs.len() < self.plan.most_runs {
            let causes = self.text_causes(place, state);
            self.run(causes, place);
        }
    }

    /// Marks an omission in the texts of the open links, even if nothing is omitted, unless what
    /// stands here may describe their targets.
    fn link_gap(&mut self, place: u32, state: State) {
        if !self.open_links.is_empty() && !self.may_describe(place, state) {
            steps::count(self.open_links.len());
            for (_, _, gathered) in &mut self.open_links {
                omit(gathered);
            }
        }
    }

    fn region_begins(&mut self, place: u32, state: State) {
        let [index, anchor] = [Act::Index, Act::Anchor]
            .map(|act| self.marks.region(act, place).is_some_and(|(_, start)| start == place));
        if index {
            self.gap(place, state);
        }
        if index || anchor {
            self.link_gap(place, state);
        }
    }

    fn link(&mut self, id: NodeId, state: State) {
        let tree = self.tree;
        let stated = self.xml.and_then(|xml| xml.links.get(&id)).map(String::as_str);
        let Some(href) = stated.or_else(|| tree.attribute(id, "href")) else { return };
        if !self.add_link(LinkKind::Link, href, id, state) {
            return;
        }
        let text = tree.attribute(id, "alt").filter(|_| tree.name(id) == "area");
        if self.open_links.len() < MOST_OPEN_LINKS {
            let number = self.out.links.len() - 1;
            self.open_links.push((id, number, text.unwrap_or_default().to_owned()));
        }
    }

    /// Adds a link for a META element that leads to another page without a click (HTML 4.2.5.3).
    fn refresh(&mut self, id: NodeId, state: State) {
        let get = |name: &str| self.tree.attribute(id, name);
        if get("http-equiv").is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case("refresh"))
            && let Some(address) = get("content").and_then(refresh_target)
        {
            self.add_link(LinkKind::HtmlRefresh, address, id, state);
        }
    }

    /// Adds a link, if there is room. Returns whether there was.
    fn add_link(&mut self, kind: LinkKind, href: &str, id: NodeId, state: State) -> bool {
        if self.out.links.len() >= self.plan.most_links {
            self.out.cut = true;
            return false;
        }
        let tree = self.tree;
        let place = tree.node(id).start;
        let rel = tree.attribute(id, "rel").unwrap_or_default();
        let follow = self.follow(rel, place, state);
        let anchor = self.marks.cause(Act::Anchor, place, state);
        let explicit = self.is_nearer(anchor, follow)
            && state.denials[Act::Follow as usize] == 0
            && !self.relations(rel).any(|mark| !mark.yields);
        let href = href.trim_ascii();
        let (url, unresolved) = match self.resolve(href) {
            Ok(url) => (url, None),
            Err(why) => (prefix(href, LONGEST_URL).to_owned(), Some(why)),
        };
        self.out.links.push(Link {
            kind,
            url,
            unresolved,
            text: 0..0,
            gaps: Vec::new(),
            rel: rel.to_owned(),
            rev: tree.attribute(id, "rev").unwrap_or_default().to_owned(),
            causes: [follow, anchor],
            explicit,
            place,
        });
        true
    }

    /// Resolves a link. Once a URL does not fit into the remaining room, no further links are
    /// resolved, since they could not be kept.
    fn resolve(&mut self, href: &str) -> Result<String, Unresolved> {
        if self.url_room == 0 {
            return Err(Unresolved::OverBudget);
        }
        let base = self.bases.last().map_or(&self.base, |(_, base)| base);
        let url = base.resolve(href)?;
        let room = self.url_room.checked_sub(url.len());
        self.url_room = room.unwrap_or(0);
        room.map(|_| url).ok_or(Unresolved::OverBudget)
    }

    /// Returns what decides whether a link may be followed. The nearest mark counts, so a class
    /// that allows it overrides a relation only on the same element, and of the relations only
    /// `nofollow`, which has no profile (Robot Exclusion Profile, Precedence).
    fn follow(&mut self, rel: &str, place: u32, state: State) -> CauseNumber {
        let said = self.marks.cause(Act::Follow, place, state);
        if self.marks.forbids(said) {
            return said;
        }
        let is_here = said != 0 && self.marks.causes[said as usize - 1].place == place;
        let found = self.relations(rel).find(|mark| !(is_here && mark.yields));
        match found {
            Some(mark) => self.marks.number(Cause { row: mark.row, allows: false, place }),
            None => said,
        }
    }

    /// Returns the relations that forbid following a link: "a space- or comma-separated list"
    /// (Google, qualify outbound links).
    fn relations(&self, rel: &str) -> impl Iterator<Item = RelationMark> {
        let words = rel.split(|c: char| c.is_ascii_whitespace() || c == ',');
        let known =
            words.filter_map(|word| self.plan.table.relations.get(&word.to_ascii_lowercase()));
        known.copied().filter(|mark| mark.forbids & Act::Follow.bit() != 0)
    }

    fn heading_begins(&mut self, id: NodeId) {
        if self.headings == 0 {
            self.open_heading = Some(id);
            self.heading.runs = (self.out.runs.len(), self.out.runs.len());
        }
        self.headings += 1;
    }

    /// Adds the alternative text of an image to the texts of the link and of the heading around it.
    fn image(&mut self, id: NodeId, state: State) {
        if self.open_heading.is_some() {
            let causes = self.text_causes(self.tree.node(id).start, state);
            let alt = self.tree.attribute(id, "alt").filter(|_| !is_withheld(&self.marks, causes));
            self.heading.alt.push_str(alt.unwrap_or_default());
            self.heading.alt.push(' ');
        }
        if self.open_links.is_empty() {
            return;
        }
        let describes = self.may_describe(self.tree.node(id).start, state);
        if let (Some((_, _, text)), Some(alt)) =
            (self.open_links.last_mut(), self.tree.attribute(id, "alt"))
        {
            if !describes {
                omit(text);
                return;
            }
            text.push(' ');
            text.push_str(alt);
            text.push(' ');
        }
    }

    fn leave(&mut self, id: NodeId) {
        let traits = self.tree.node(id).traits;
        self.breaks(traits);
        if self.bases.last().is_some_and(|(based, _)| *based == id) {
            self.bases.pop();
        }
        if self.open_heading == Some(id) {
            self.open_heading = None;
            self.heading.runs.1 = self.out.runs.len();
        }
        if !traits.are(Traits::SCANNED) {
            return;
        }
        self.split |= self.tree.name(id) == "noindex";
        if self.open_links.last().is_some_and(|(open, _, _)| *open == id)
            && let Some((_, number, text)) = self.open_links.pop()
        {
            let texts = &mut self.out.link_texts;
            let start = end_of(texts);
            let gaps = append_link_text(&text, texts);
            let link = &mut self.out.links[number];
            (link.text, link.gaps) = (start..end_of(texts), gaps);
        }
    }
}

/// What stands for a missing part while the text of a link is gathered. No document has this
/// character: HTML replaces it, and XML forbids it.
const MISSING: char = '\0';

/// Marks that a part of a gathered text is missing.
fn omit(gathered: &mut String) {
    if !gathered.ends_with(MISSING) {
        gathered.push(MISSING);
    }
}

/// Appends the gathered text of a link. Returns the places, in characters, of the spaces at which a
/// part is missing.
fn append_link_text(gathered: &str, out: &mut String) -> Vec<u32> {
    let mut gaps = Vec::new();
    steps::count(gathered.len());
    let mut length = 0;
    for part in gathered.split(MISSING).map(str::trim_ascii).filter(|part| !part.is_empty()) {
        if length > 0 {
            gaps.push(length);
            out.push(' ');
            length += 1;
        }
        let start = out.len();
        collapse(part, false, out);
        length += u32::try_from(out[start..].chars().count()).unwrap_or(u32::MAX - length);
    }
    gaps
}

fn end_of(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Appends a text with each run of white space collapsed to one space. `space` says whether there
/// was white space before it; returns whether white space ends it.
fn collapse(text: &str, mut space: bool, out: &mut String) -> bool {
    let octets = text.as_bytes();
    if is_collapsed(octets) {
        if space {
            out.push(' ');
        }
        out.push_str(text);
        return false;
    }
    let mut at = 0;
    while at < octets.len() {
        if octets[at].is_ascii_whitespace() {
            space = true;
            at += 1;
            continue;
        }
        if space {
            out.push(' ');
            space = false;
        }
        // Single spaces between words are copied together with the words.
        let start = at;
        while at < octets.len() && !(octets[at].is_ascii_whitespace() && is_broad(octets, at)) {
            at += 1;
        }
        out.push_str(&text[start..at]);
    }
    space
}

/// Whether a text has words with single spaces between them, and no other white space. All of it is
/// read without a branch, several bytes at a time.
fn is_collapsed(octets: &[u8]) -> bool {
    let (Some(first), Some(last)) = (octets.first(), octets.last()) else { return false };
    let others = octets.iter().fold(0, |found, octet| found | u8::from(*octet < b' '));
    let is_space = |octet: &u8| u8::from(*octet == b' ');
    let pairs = octets.iter().zip(&octets[1..]);
    let doubled = pairs.fold(0, |found, (one, next)| found | (is_space(one) & is_space(next)));
    others == 0 && doubled == 0 && *first != b' ' && *last != b' '
}

/// Whether the white space at a position is more than a single space between two words.
fn is_broad(octets: &[u8], at: usize) -> bool {
    octets[at] != b' ' || octets.get(at + 1).is_none_or(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn white_space_is_collapsed(text in "([a-zé ]|[ \\t\\n]{2}){0,12}", space in any::<bool>()) {
            let mut collapsed = "x".to_owned();
            let ends = collapse(&text, space, &mut collapsed);
            let is_led = space || text.starts_with(|c: char| c.is_ascii_whitespace());
            let words: Vec<_> = text.split_ascii_whitespace().collect();
            let gap = if is_led && !words.is_empty() { " " } else { "" };
            prop_assert_eq!(collapsed, format!("x{gap}{}", words.join(" ")));
            let ended = text.ends_with(|c: char| c.is_ascii_whitespace());
            prop_assert_eq!(ends, ended || (words.is_empty() && space));
        }
    }
}

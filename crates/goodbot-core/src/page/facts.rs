//! What a page says about itself; the caller needs this before it can interpret the marks.

use crate::html::{Kind, NodeId, Space, Traits, Tree};
use crate::steps;

/// The most JSON-LD scripts and elements that load resources that are reported. What may forbid something is always reported; only
/// the limit on nodes bounds it.
const MOST: usize = 10_000;

/// The most NOSCRIPT elements whose text is kept: they can contain each other.
const MOST_NOSCRIPTS: usize = 16;

/// The most META elements with a VALUE that are reported; VALUE has no meaning.
const MOST_VALUED: usize = 1_000;

/// The most elements and scripts that lead to other pages which are reported.
const MOST_LEADING: usize = 1_000;

/// The most nodes within a form, or within an element with the role of a link, that are considered.
const MOST_WITHIN: usize = 1_000;

/// What scripts take for the address of an A, which has no HREF before they run.
const OF_SCRIPTS: [&str; 7] =
    ["routerlink", "[routerlink]", "ng-href", "data-ng-href", ":href", "v-bind:href", "ui-sref"];

/// The elements of which an address that is data is taken for a link without further signs.
const PRESSED: [&str; 5] = ["button", "li", "td", "th", "tr"];

/// The fields of a form in which nothing is typed or chosen.
const BUTTONS: [&str; 4] = ["hidden", "submit", "button", "image"];

/// The beginnings of what may be an address in a script.
const ADDRESSES: [&str; 6] = ["'/", "\"/", "`/", "'http", "\"http", "`http"];

/// The most bytes of a script that are kept: those that only lead to another page are short.
const LONGEST_SCRIPT: usize = 2_048;

/// The longest comment that is reported, in bytes: marks are short.
const LONGEST_COMMENT: usize = 256;

/// A META element.
#[derive(Clone, Debug)]
pub struct Meta {
    /// Its name, or the name of its property.
    pub name: String,
    /// Its content.
    pub content: String,
    /// Whether it has an `http-equiv` instead of a name.
    pub http_equiv: bool,
    /// Whether it is in the HEAD.
    pub in_head: bool,
    /// Its position.
    pub place: u32,
    /// The element.
    pub node: NodeId,
}

/// A LINK element.
#[derive(Clone, Debug, Default)]
pub struct HeadLink {
    /// Its relations.
    pub rel: String,
    /// The address it leads to, as written.
    pub href: String,
    /// The media type of its target.
    pub media_type: String,
    /// Its NAME. The workshop of 1996 gave LINK a NAME and a CONTENT.
    pub name: String,
    /// Its CONTENT.
    pub content: String,
    /// The language of its target.
    pub hreflang: String,
    /// Whether it is in the HEAD.
    pub in_head: bool,
    /// Its position.
    pub place: u32,
}

/// A comment that the caller asked for.
#[derive(Clone, Debug)]
pub struct Comment {
    /// Its text, without leading and trailing white space.
    pub text: String,
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl Comment {
    /// Returns the data of a robots processing instruction, if HTML has turned one into this
    /// comment (HTML 13.2.5.6): `?robots …?`.
    #[must_use]
    pub fn instruction(&self) -> Option<&str> {
        let data = self.text.strip_prefix("?robots")?;
        let data = data.strip_suffix('?').unwrap_or(data);
        let inner = data.trim_ascii_start();
        (inner.is_empty() || inner.len() < data.len()).then_some(inner)
    }
}

/// A script that may lead to another page.
#[derive(Clone, Debug)]
pub struct LeadingScript {
    /// What runs it: an element that is pressed or loaded, by its name; empty for a SCRIPT element.
    pub element: String,
    /// Its beginning.
    pub script: String,
    /// Its position.
    pub place: u32,
}

/// An element that leads to a page and is no A with an HREF.
#[derive(Clone, Debug)]
pub struct Unlinked {
    /// Its name.
    pub element: String,
    /// The attribute that has the address; `role` if none has it.
    pub attribute: String,
    /// The value of that attribute.
    pub address: String,
    /// Its position.
    pub place: u32,
}

/// What a page says about itself.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The title.
    pub title: String,
    /// The element that contains the title.
    pub title_node: Option<NodeId>,
    /// The first `base href`.
    pub base: Option<String>,
    /// The `profile` of the HEAD.
    pub profile: Option<(String, u32)>,
    /// The META elements, in page order.
    pub metas: Vec<Meta>,
    /// The META elements with a VALUE instead of a CONTENT: name, value, position.
    pub valued: Vec<(String, String, u32)>,
    /// The LINK elements.
    pub links: Vec<HeadLink>,
    /// The comments that begin with a word that the caller asked for.
    pub comments: Vec<Comment>,
    /// Where each `<noindex>` ends and each `</noindex>` begins, in order: the position, and
    /// whether it is an end tag.
    pub noindex: Vec<(u32, bool)>,
    /// The texts of the JSON-LD scripts, with their positions.
    pub json_ld: Vec<(String, u32)>,
    /// The scripts that are licences of RSL (RSL 1.0 section 4.6.2): text, position, whether in the HEAD.
    pub rsl_licenses: Vec<(String, u32, bool)>,
    /// The texts of NOSCRIPT elements, each with its position: what is there without scripts only.
    pub noscripts: Vec<(String, u32)>,
    /// The scripts that speak of a location, in page order.
    pub leading: Vec<LeadingScript>,
    /// The elements that lead to a page and are no A with an HREF, in page order.
    pub unlinked: Vec<Unlinked>,
    /// How many forms and elements with the role of a link were looked into.
    looked_into: usize,
    /// The elements that load resources, in page order.
    pub(super) loading: Vec<NodeId>,
}

/// Collects what a page says about itself. `watched` are the first words of the comments to report,
/// in lower case.
#[must_use]
pub fn facts(tree: &Tree, watched: &[impl AsRef<str>]) -> Facts {
    let mut facts = Facts::default();
    let mut next = tree.node(Tree::ROOT).first_child;
    let mut in_head: Option<NodeId> = None;
    while let Some(id) = next {
        steps::count(1);
        let node = tree.node(id);
        if node.traits.are(Traits::LOADS) && facts.loading.len() < MOST {
            facts.loading.push(id);
        }
        if node.kind == Kind::Element {
            facts.attributes(tree, id);
        }
        match node.kind {
            Kind::Element if node.traits.are(Traits::OF_DOCUMENT) => {
                if tree.name(id) == "head" && in_head.is_none() {
                    in_head = Some(id);
                }
                facts.element(tree, id, in_head.is_some());
            }
            Kind::Comment => facts.comment(tree, id, watched),
            _ => {}
        }
        next = node.first_child.or_else(|| following(tree, id, &mut in_head));
    }
    facts.ends(tree);
    facts
}

/// Returns the node after a subtree; clears `in_head` on leaving the HEAD.
fn following(tree: &Tree, from: NodeId, in_head: &mut Option<NodeId>) -> Option<NodeId> {
    let mut id = from;
    loop {
        if *in_head == Some(id) {
            *in_head = None;
        }
        let node = tree.node(id);
        if node.next.is_some() {
            return node.next;
        }
        id = node.parent?;
    }
}

impl Facts {
    fn element(&mut self, tree: &Tree, id: NodeId, in_head: bool) {
        match tree.name(id) {
            "meta" => self.meta(tree, id, in_head),
            "link" => self.link(tree, id, in_head),
            "base" if self.base.is_none() => {
                self.base = tree.attribute(id, "href").map(str::to_owned);
            }
            "head" if self.profile.is_none() => {
                let profile = tree.attribute(id, "profile");
                self.profile = profile.map(|profile| (profile.to_owned(), tree.node(id).start));
            }
            "title" if self.title.is_empty() => {
                self.title = text_of(tree, id);
                self.title_node = Some(id);
            }
            "noindex" => self.noindex.push((tree.node(id).end, false)),
            "script" => self.script(tree, id, in_head),
            "noscript" if !in_head && self.noscripts.len() < MOST_NOSCRIPTS => {
                self.noscripts.push((text_of(tree, id), tree.node(id).start));
            }
            _ => {}
        }
    }

    /// Keeps what is run when an element is pressed, or the BODY has been loaded, if it may lead to
    /// another page, and addresses that are in no HREF. An A with an HREF leads there without it.
    fn attributes(&mut self, tree: &Tree, id: NodeId) {
        let element = tree.name(id);
        for (attribute, value) in tree.attributes(id) {
            let is_linking = match attribute {
                "onclick" => {
                    let words: &[&str] = if element == "a" { &ADDRESSES } else { &[] };
                    self.pressed(tree, id, value, words);
                    false
                }
                "onload" if element == "body" => {
                    self.pressed(tree, id, value, &[]);
                    false
                }
                "onchange" if element == "select" => {
                    self.pressed(tree, id, value, &[]);
                    false
                }
                "href" => !matches!(element, "a" | "area" | "link" | "base"),
                "data-href" => !has_address(tree, id) && is_pressed(tree, id),
                "role" => {
                    value.trim().eq_ignore_ascii_case("link")
                        && !matches!(element, "a" | "area")
                        && tree.attribute(id, "data-href").is_none()
                        && !self.has_within(tree, id, is_link)
                }
                name if OF_SCRIPTS.contains(&name) => element == "a" && !has_address(tree, id),
                _ => false,
            };
            if is_linking && tree.node(id).space == Space::Html {
                self.unlinked(tree, id, attribute, value);
            }
        }
        let is_sent = element == "form" && method_of(tree, id).eq_ignore_ascii_case("get");
        if let Some(action) = tree.attribute(id, "action").filter(|_| is_sent)
            && !self.has_within(tree, id, is_field)
        {
            self.unlinked(tree, id, "action", action);
        }
    }

    /// Keeps a script that runs when an element is pressed or loaded, unless its HREF leads to a page.
    fn pressed(&mut self, tree: &Tree, id: NodeId, script: &str, words: &[&str]) {
        if !has_address(tree, id) {
            let words = [&["location", "open("], words].concat();
            self.lead(tree.name(id), script, &words, tree.node(id).start);
        }
    }

    /// Keeps an address that is in no HREF of an A.
    fn unlinked(&mut self, tree: &Tree, id: NodeId, attribute: &str, address: &str) {
        if self.unlinked.len() < MOST_LEADING {
            self.unlinked.push(Unlinked {
                element: tree.name(id).to_owned(),
                attribute: attribute.to_owned(),
                address: beginning(address).to_owned(),
                place: tree.node(id).start,
            });
        }
    }

    /// Whether one of the nodes within an element is of a kind, as far as it is looked into; true
    /// if it is not.
    fn has_within(
        &mut self,
        tree: &Tree,
        element: NodeId,
        is_wanted: impl Fn(&Tree, NodeId) -> bool,
    ) -> bool {
        self.looked_into += 1;
        if self.looked_into > MOST_LEADING {
            return true;
        }
        let mut next = tree.node(element).first_child;
        for _ in 0..MOST_WITHIN {
            let Some(id) = next else { return false };
            steps::count(1);
            if is_wanted(tree, id) {
                return true;
            }
            next = tree.node(id).first_child.or_else(|| behind(tree, id, element));
        }
        true
    }

    /// Keeps a script that may lead to another page.
    fn lead(&mut self, element: &str, script: &str, words: &[&str], place: u32) {
        steps::count(script.len());
        let has = |word: &&str| memchr::memmem::find(script.as_bytes(), word.as_bytes()).is_some();
        if self.leading.len() == MOST_LEADING || !words.iter().any(has) {
            return;
        }
        let (element, script) = (element.to_owned(), beginning(script).to_owned());
        self.leading.push(LeadingScript { element, script, place });
    }

    /// Keeps the text of a script that is data, or that may lead to another page.
    fn script(&mut self, tree: &Tree, id: NodeId, in_head: bool) {
        if let Some(text) = tree.node(id).first_child.filter(|_| is_program(tree, id)) {
            self.lead("", tree.text(text), &["location"], tree.node(id).start);
        }
        let kind = tree.attribute(id, "type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim(); // without its parameters
        let start = tree.node(id).start;
        if kind.eq_ignore_ascii_case("application/ld+json") && self.json_ld.len() < MOST {
            self.json_ld.push((text_of(tree, id), start));
        }
        if kind.eq_ignore_ascii_case("application/rsl+xml") && self.rsl_licenses.len() < MOST {
            self.rsl_licenses.push((text_of(tree, id), start, in_head));
        }
    }

    fn meta(&mut self, tree: &Tree, id: NodeId, in_head: bool) {
        let get = |name: &str| tree.attribute(id, name);
        let named = get("name").filter(|name| !name.trim().is_empty());
        let http_equiv = get("http-equiv").filter(|_| named.is_none());
        let Some(name) = named.or(http_equiv).or_else(|| get("property")) else { return };
        if let (None, Some(value)) = (get("content"), get("value"))
            && self.valued.len() < MOST_VALUED
        {
            self.valued.push((name.trim().to_owned(), value.to_owned(), tree.node(id).start));
        }
        self.metas.push(Meta {
            name: name.trim().to_owned(),
            content: get("content").unwrap_or_default().to_owned(),
            http_equiv: http_equiv.is_some(),
            in_head,
            place: tree.node(id).start,
            node: id,
        });
    }

    fn link(&mut self, tree: &Tree, id: NodeId, in_head: bool) {
        let get = |name: &str| tree.attribute(id, name).unwrap_or_default().to_owned();
        self.links.push(HeadLink {
            rel: get("rel"),
            href: get("href"),
            media_type: get("type"),
            name: get("name"),
            content: get("content"),
            hreflang: get("hreflang"),
            in_head,
            place: tree.node(id).start,
        });
    }

    fn comment(&mut self, tree: &Tree, id: NodeId, watched: &[impl AsRef<str>]) {
        let text = tree.text(id).trim();
        if text.len() > LONGEST_COMMENT {
            return;
        }
        let lower = text.to_ascii_lowercase();
        if watched.iter().any(|word| lower.starts_with(word.as_ref())) {
            let node = tree.node(id);
            let (start, end) = (node.start, node.end);
            self.comments.push(Comment { text: text.to_owned(), start, end });
        }
    }

    fn ends(&mut self, tree: &Tree) {
        self.noindex.extend_from_slice(tree.noindex());
        self.noindex.sort_unstable();
    }
}

/// Returns the beginning of a text that is kept.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_SCRIPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Whether an element has an HREF that leads to another place than the page itself and is no script.
fn has_address(tree: &Tree, id: NodeId) -> bool {
    let href = tree.attribute(id, "href").unwrap_or_default().trim();
    !(href.is_empty() || href.starts_with('#') || is_script(href))
}

/// Whether an element is a link that robots follow.
fn is_link(tree: &Tree, id: NodeId) -> bool {
    matches!(tree.name(id), "a" | "area") && has_address(tree, id)
}

/// Whether an element is one that readers press: by its name, its role, or what it does then.
fn is_pressed(tree: &Tree, id: NodeId) -> bool {
    let role = tree.attribute(id, "role").unwrap_or_default().trim();
    PRESSED.contains(&tree.name(id))
        || role.eq_ignore_ascii_case("link")
        || tree.attributes(id).any(|(name, _)| matches!(name, "onclick" | "tabindex"))
}

/// Returns how a form is sent (HTML 4.10.19.6).
fn method_of(tree: &Tree, id: NodeId) -> &str {
    let method = tree.attribute(id, "method").unwrap_or_default().trim();
    if ["post", "dialog"].iter().any(|one| method.eq_ignore_ascii_case(one)) {
        method
    } else {
        "get"
    }
}

/// Whether something can be typed or chosen in an element of a form.
fn is_field(tree: &Tree, id: NodeId) -> bool {
    let kind = tree.attribute(id, "type").unwrap_or_default().trim();
    match tree.name(id) {
        "textarea" | "select" => true,
        "input" => !BUTTONS.iter().any(|one| kind.eq_ignore_ascii_case(one)),
        _ => false,
    }
}

/// Whether an address is a script.
fn is_script(href: &str) -> bool {
    href.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
}

/// Whether a SCRIPT element has a program of its own (HTML 4.12.1.1).
fn is_program(tree: &Tree, id: NodeId) -> bool {
    let kind = tree.attribute(id, "type").unwrap_or_default().trim();
    let runs = ["", "module", "text/javascript", "application/javascript"];
    tree.attribute(id, "src").is_none() && runs.iter().any(|one| kind.eq_ignore_ascii_case(one))
}

/// Returns the text of an element, with white space collapsed.
fn text_of(tree: &Tree, element: NodeId) -> String {
    let mut text = String::new();
    let mut next = tree.node(element).first_child;
    while let Some(id) = next {
        let node = tree.node(id);
        steps::count(1);
        if node.kind == Kind::Text {
            steps::count(tree.text(id).len());
            text.push_str(tree.text(id));
        }
        // Most of these elements contain only text; NOSCRIPT and an XHTML title may contain others.
        next = node.first_child.or_else(|| behind(tree, id, element));
    }
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the node after a subtree, within an element.
fn behind(tree: &Tree, from: NodeId, element: NodeId) -> Option<NodeId> {
    let mut id = from;
    while id != element {
        let node = tree.node(id);
        if node.next.is_some() {
            return node.next;
        }
        id = node.parent?;
    }
    None
}

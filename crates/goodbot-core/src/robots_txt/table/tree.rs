//! A tree of how patterns begin, which answers for a column of URLs.
//!
//! A path leads down the tree by its bytes, as far as any pattern begins like it. Each node knows the
//! best of the plain rules on the way to it: a path matches these because it begins with their patterns.
//! The other rules are listed where the fixed beginnings of their patterns end, and are tried. The tree
//! takes several times the memory of the rules and is made in one sorting, so that it pays for many URLs.

use super::super::words::{HIGHS, LOWS, nonzero};
use super::entries::Entry;
use super::literals::{ALL, Literal, Literals, literal_of};
use super::{Row, flag};

/// No node, and no rule.
const NONE: u32 = u32::MAX;

/// The fewest rules that begin alike, but not as nearly all paths do, whose literals are searched at once.
const LEAST_SEARCHED: usize = 3;

/// How many bytes of a label, and how many first bytes of children, are compared at once.
const WORD: usize = size_of::<u64>();

/// A node, as large as a line of the machine's cache.
#[derive(Debug)]
#[repr(align(64))]
struct Node {
    /// The first bytes of its label, and which of them count.
    word: u64,
    mask: u64,
    /// The first bytes of its children, the last one repeated; of more than eight children, none.
    children: u64,
    /// Where its label begins, and its length.
    label: u32,
    length: u32,
    /// Its first child, if it has up to eight; else the place of its row in `rows`.
    first: u32,
    count: u16,
    /// The best plain rule on the way to it.
    best: u32,
    /// The lowest node from this one up that has other rules.
    with_others: u32,
    /// The same from its parent up.
    above: u32,
    /// Where its other rules begin and end.
    others: (u32, u32),
}

/// A rule that is tried.
#[derive(Debug)]
struct Other {
    place: u32,
    /// The bit of the literal that a path must contain for it to match; 0 if there is none.
    needed: u64,
    /// Whether every path does match that leads here and contains it.
    suffices: bool,
}

/// The tree of a table.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    labels: Vec<u8>,
    /// The children of nodes that have many, by their first bytes.
    rows: Vec<[u32; 256]>,
    /// The rules that are tried, those of each node by rank.
    others: Vec<Other>,
    /// The search for the literals that they need.
    literals: Option<Literals>,
    /// The node whose label is a slash alone, with which nearly all paths begin.
    slash: Option<usize>,
}

/// A rule, as the tree is made.
struct Item<'a> {
    /// How any path begins that the rule can match.
    head: Vec<u8>,
    /// Whether every path that begins so does match.
    plain: bool,
    order: (u32, u32),
    /// What else each of these paths contains.
    literal: Option<Literal<'a>>,
}

impl<'a> Item<'a> {
    fn of(place: u32, row: &Row<'a>) -> Item<'a> {
        let special =
            flag::WILD | flag::SHELL | flag::WHOLE | flag::ORIGIN | flag::OPENED | flag::QUERY;
        let plain = row.flags & special == 0;
        let ends = |byte: &u8| match byte {
            b'*' => row.flags & flag::WILD != 0,
            // Behind it the bytes may be compared in two spellings.
            b'?' => !plain,
            _ => false,
        };
        let fixed = match row.flags & flag::SHELL {
            0 => row.kept.split(ends).next().unwrap_or_default(),
            // A shell pattern may begin with anything.
            _ => b"",
        };
        let root: &[u8] = if row.flags & flag::ROOTED != 0 { b"/" } else { b"" };
        let head = [root, fixed].concat();
        Item { head, plain, order: (row.rank, place), literal: literal_of(row) }
    }
}

impl Tree {
    /// Makes the tree of rules, which come in the order of their places.
    pub(super) fn new<'a>(rows: impl Iterator<Item = Row<'a>>) -> Tree {
        let mut items: Vec<Item<'a>> =
            (0..).zip(rows).map(|(place, row)| Item::of(place, &row)).collect();
        items.sort_unstable_by(|one, other| {
            let order = || (one.plain, one.order).cmp(&(other.plain, other.order));
            one.head.cmp(&other.head).then_with(order)
        });
        let mut tree = Tree {
            nodes: Vec::new(),
            labels: Vec::new(),
            rows: Vec::new(),
            others: Vec::new(),
            literals: None,
            slash: None,
        };
        let mut literals = Vec::new();
        let mut orders = vec![(u32::MAX, NONE)];
        tree.nodes.push(Node::new(0, b""));
        // The rules from each node down, and how long the way to it is: children lie side by side.
        let mut below = vec![(0..items.len(), 0)];
        let mut at = 0;
        while at < tree.nodes.len() {
            let (range, depth) = below[at].clone();
            let own = items[range.clone()].partition_point(|item| item.head.len() == depth);
            let (own, rest) = items[range.clone()].split_at(own);
            orders[at] = tree.enter(at, own, orders[at]);
            let tried = || {
                own.iter()
                    .filter(|item| !item.plain)
                    .map(|item| item.literal.map(|literal| literal.text))
            };
            // A search takes longer than trying one or two.
            let pays = depth <= b"/".len() || tried().flatten().count() >= LEAST_SEARCHED;
            literals.extend(tried().map(|literal| literal.filter(|_| pays)));
            let mut start = range.end - rest.len();
            let mut firsts = Vec::new();
            let first = tree.nodes.len();
            for group in rest.chunk_by(|one, other| one.head[depth] == other.head[depth]) {
                let label = shared(&group[0].head, &group[group.len() - 1].head, depth);
                firsts.push(label[0]);
                let mut child = Node::new(tree.labels.len(), label);
                child.above = tree.nodes[at].with_others;
                tree.labels.extend_from_slice(label);
                tree.nodes.push(child);
                orders.push(orders[at]);
                below.push((start..start + group.len(), depth + label.len()));
                start += group.len();
            }
            tree.link(at, first, &firsts);
            at += 1;
        }
        if let Some((search, needed)) = Literals::new(&literals) {
            tree.literals = Some(search);
            for (other, needed) in tree.others.iter_mut().zip(needed) {
                other.needed = needed;
            }
        }
        let is_slash = |node: &Node| node.length == 1 && node.word == u64::from(b'/');
        tree.slash = tree.nodes.get(1).is_some_and(is_slash).then_some(1);
        tree
    }

    /// Enters the rules of a node; returns the order of the best plain one on the way to it.
    fn enter(&mut self, at: usize, own: &[Item<'_>], above: (u32, u32)) -> (u32, u32) {
        let start = narrowed(self.others.len());
        let tried = own.iter().filter(|item| !item.plain);
        self.others.extend(tried.map(|item| Other {
            place: item.order.1,
            needed: 0,
            suffices: item.literal.is_some_and(|literal| literal.suffices),
        }));
        let end = narrowed(self.others.len());
        let plain = own.iter().filter(|item| item.plain).map(|item| item.order);
        let best = plain.chain([above]).min().unwrap_or(above);
        let node = &mut self.nodes[at];
        node.others = (start, end);
        node.best = best.1;
        node.with_others = if start < end { narrowed(at) } else { node.above };
        best
    }

    /// Links a node with its children, which begin with these bytes.
    fn link(&mut self, at: usize, first: usize, firsts: &[u8]) {
        let node = &mut self.nodes[at];
        node.count = u16::try_from(firsts.len()).unwrap_or(u16::MAX);
        node.first = narrowed(first);
        let Some(last) = firsts.last() else { return };
        if firsts.len() <= WORD {
            let mut bytes = [*last; WORD];
            bytes[..firsts.len()].copy_from_slice(firsts);
            node.children = u64::from_le_bytes(bytes);
            return;
        }
        let mut row = [NONE; 256];
        for (child, byte) in (first..).zip(firsts) {
            row[usize::from(*byte)] = narrowed(child);
        }
        node.first = narrowed(self.rows.len());
        self.rows.push(row);
    }

    /// Returns how many rules are tried on every path.
    #[inline]
    pub(super) fn tried_on_all(&self) -> usize {
        let (start, end) = self.nodes[0].others;
        (end - start) as usize
    }

    /// Returns the place of the rule that decides; `matches` says whether one of the other rules matches,
    /// and `is_only_path` whether no rule is compared with another spelling of the path.
    #[inline]
    pub(super) fn first<E: Entry>(
        &self,
        entries: &[E],
        path: &[u8],
        is_only_path: bool,
        matches: impl Fn(usize) -> bool,
    ) -> usize {
        let node = self.reached(path);
        let order = |place: u32| match entries.get(place as usize) {
            Some(entry) => (entry.rank(), place),
            None => (u32::MAX, NONE),
        };
        let literals = self.literals.as_ref().filter(|_| is_only_path);
        let search = || literals.map_or(ALL, |literals| literals.within(path));
        let mut within = None;
        let mut best = node.best;
        let mut next = node.with_others;
        while let Some(node) = self.nodes.get(next as usize) {
            let others = node.others.0 as usize..node.others.1 as usize;
            for Other { place, needed, suffices } in &self.others[others] {
                let mut is_found = false;
                if *needed != 0 {
                    let within = *within.get_or_insert_with(search);
                    if needed & within == 0 {
                        continue;
                    }
                    is_found = within != ALL;
                }
                if order(best) <= order(*place) {
                    break;
                }
                if (is_found && *suffices) || matches(*place as usize) {
                    best = *place;
                    break;
                }
            }
            next = node.above;
        }
        best as usize
    }

    /// Returns the lowest node to which a path leads.
    #[inline]
    fn reached(&self, path: &[u8]) -> &Node {
        let (mut node, mut rest) = match (path, self.slash) {
            ([b'/', rest @ ..], Some(slash)) => (&self.nodes[slash], rest),
            _ => (&self.nodes[0], path),
        };
        while let Some(child) = self.child(node, rest) {
            let length = child.length as usize;
            if (word(rest) ^ child.word) & child.mask != 0 || rest.len() < length {
                break;
            }
            if length > WORD && !self.rest_is_same(child, rest) {
                break;
            }
            (node, rest) = (child, &rest[length..]);
        }
        node
    }

    /// Whether a text begins with the label of a node, given that its first word is the same.
    #[inline]
    fn rest_is_same(&self, node: &Node, text: &[u8]) -> bool {
        let (start, length) = (node.label as usize, node.length as usize);
        let label = &self.labels[start..start + length];
        if length <= 2 * WORD {
            // The last word overlaps the first one.
            return label.last_chunk::<WORD>() == text[..length].last_chunk::<WORD>();
        }
        label[WORD..] == text[WORD..length]
    }

    /// Returns the child of a node whose first byte comes next.
    #[inline]
    fn child(&self, node: &Node, rest: &[u8]) -> Option<&Node> {
        let byte = *rest.first()?;
        let child = match usize::from(node.count) {
            0 => return None,
            1..=WORD => {
                let found = !nonzero(node.children ^ (LOWS * u64::from(byte))) & HIGHS;
                if found == 0 {
                    return None;
                }
                node.first as usize + found.trailing_zeros() as usize / WORD
            }
            _ => self.rows[node.first as usize][usize::from(byte)] as usize,
        };
        self.nodes.get(child)
    }
}

impl Node {
    fn new(start: usize, label: &[u8]) -> Node {
        let length = label.len().min(WORD);
        let mask = if length == 0 { 0 } else { u64::MAX >> (8 * (WORD - length)) };
        Node {
            word: word(label) & mask,
            mask,
            children: 0,
            label: narrowed(start),
            length: narrowed(label.len()),
            first: NONE,
            count: 0,
            best: NONE,
            with_others: NONE,
            above: NONE,
            others: (0, 0),
        }
    }
}

/// Returns the first bytes of a text, filled up with zeros.
#[inline]
fn word(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => text.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    }
}

/// Returns what two texts share from a position on.
fn shared<'a>(one: &'a [u8], other: &[u8], from: usize) -> &'a [u8] {
    let pairs = one[from..].iter().zip(&other[from..]);
    let length = pairs.take_while(|(one, other)| one == other).count();
    &one[from..from + length]
}

/// Narrows a count of what is made of a file, whose positions fit in 32 bits.
fn narrowed(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(NONE)
}

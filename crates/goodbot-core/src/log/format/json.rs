//! Lines of JSON: the values at the paths of a mapping, without a tree.
//!
//! Source: RFC 8259.

use super::super::entry::{Fields, Refused, SLOTS, Slot};
use super::super::text::{Escapes, Text};
use super::Malformed;

/// The most pairs of a mapping.
const MOST_PAIRS: usize = 128;
/// The greatest depth of nested values.
const DEEPEST: usize = 64;

/// Which value is which field: a tree of the keys on the way to each.
#[derive(Clone, Debug)]
pub(in crate::log) struct Mapping {
    /// The nodes; the first is the line itself.
    nodes: Vec<Node>,
    /// Whether texts are percent-encoded.
    is_encoded: bool,
}

/// A value on the way to one that is wanted.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The keys below it, those of the same length together, and where they lead.
    below: Vec<(Vec<u8>, usize)>,
    /// The pairs that end here: their places in the mapping, and what the value is.
    pairs: Vec<(u8, Slot)>,
}

impl Mapping {
    pub(in crate::log) fn new(pairs: &[(&str, Slot)]) -> Result<Mapping, Malformed> {
        if pairs.len() > MOST_PAIRS {
            return Err(Malformed::Many);
        }
        let mut nodes = vec![Node::default()];
        for (place, (path, slot)) in (0_u8..).zip(pairs) {
            let mut node = 0;
            for key in path.split('.') {
                node = below(&nodes[node], key.as_bytes()).unwrap_or_else(|| {
                    let next = nodes.len();
                    let keys = &mut nodes[node].below;
                    let at = keys.partition_point(|(known, _)| known.len() < key.len());
                    keys.insert(at, (key.as_bytes().to_vec(), next));
                    nodes.push(Node::default());
                    next
                });
            }
            nodes[node].pairs.push((place, *slot));
        }
        Ok(Mapping { nodes, is_encoded: false })
    }

    /// Returns where a key leads; one with dots may be a whole path.
    fn below(&self, node: usize, key: &[u8]) -> Option<usize> {
        let step = |node: usize, key: &[u8]| below(&self.nodes[node], key);
        step(node, key).or_else(|| {
            memchr::memchr(b'.', key)?;
            key.split(|byte| *byte == b'.').try_fold(node, step)
        })
    }

    /// Returns the same for lines whose texts are percent-encoded.
    pub(in crate::log) fn encoded(self) -> Mapping {
        Mapping { is_encoded: true, ..self }
    }

    /// How a text is escaped.
    fn escapes(&self, slot: Slot) -> Escapes {
        match slot {
            _ if !self.is_encoded => Escapes::Json,
            Slot::UserAgent | Slot::Referer => Escapes::JsonForm,
            _ => Escapes::JsonPercent,
        }
    }
}

/// Returns where a key leads.
fn below(node: &Node, key: &[u8]) -> Option<usize> {
    let from = node.below.partition_point(|(known, _)| known.len() < key.len());
    let same = node.below[from..].iter().take_while(|(known, _)| known.len() == key.len());
    same.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, next)| *next)
}

/// Reads a line.
pub(in crate::log) fn read<'l>(
    mapping: &Mapping,
    line: &'l [u8],
    fields: &mut Fields<'l>,
) -> Result<(), Refused> {
    let first = [u8::MAX; SLOTS];
    let mut cursor = Cursor { mapping, rest: line.trim_ascii(), fields, first };
    if cursor.rest.first() != Some(&b'{') {
        return Err(Refused::Form);
    }
    cursor.value(Some(0), 0).filter(|()| cursor.rest.is_empty()).ok_or(Refused::Form)
}

/// Returns time, level, logger, and the rest of a line of Caddy's encoder for consoles; `None` if it is not
/// one. Columns are separated by tabs, and the level may have a colour.
pub(in crate::log) fn console(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut columns = line.splitn(4, |byte| *byte == b'\t');
    let (time, level, logger) = (columns.next()?, columns.next()?, columns.next()?);
    let level = level.rsplit(|byte| *byte == 0x1b).find(|part| part.len() > 4).unwrap_or(level);
    let level = memchr::memchr(b'm', level).map_or(level, |end| &level[end + 1..]);
    let is_level = !level.is_empty() && level.iter().all(u8::is_ascii_alphabetic);
    let begins = time.first().is_some_and(u8::is_ascii_digit);
    (is_level && begins).then_some((time, logger, columns.next().unwrap_or_default()))
}

/// Reads a line of Caddy's encoder for consoles. Returns whether it has fields.
pub(in crate::log) fn read_console<'l>(
    mapping: &Mapping,
    line: &'l [u8],
    fields: &mut Fields<'l>,
) -> Result<bool, Refused> {
    let (time, logger, rest) = console(line).ok_or(Refused::Form)?;
    let Some(place) = memchr::memmem::find(rest, b"\t{") else { return Ok(false) };
    for (slot, written) in [(Slot::Time, time), (Slot::Logger, logger)] {
        fields.put(slot, Text { written, escapes: Escapes::None });
    }
    read(mapping, &rest[place + 1..], fields)?;
    Ok(true)
}

struct Cursor<'m, 'l, 'f> {
    mapping: &'m Mapping,
    rest: &'l [u8],
    fields: &'f mut Fields<'l>,
    /// The place of the pair that filled each slot: of two, the first of the mapping counts, wherever
    /// they stand in the line. Caddy writes the address that connected before that of the client.
    first: [u8; SLOTS],
}

impl<'l> Cursor<'_, 'l, '_> {
    /// Skips white space, and returns the next byte without consuming it.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn consume(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.rest = &self.rest[1..])
    }

    /// Reads a value; a node is the one that the keys on the way here led to.
    fn value(&mut self, node: Option<usize>, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' if depth < DEEPEST => self.object(node, depth),
            b'[' if depth < DEEPEST => self.array(node, depth),
            b'{' | b'[' => None,
            b'"' => {
                let written = self.string()?;
                self.found(node, Text { written, escapes: Escapes::Json });
                Some(())
            }
            _ => {
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                let end = self.rest.iter().position(is_end).unwrap_or(self.rest.len());
                let (written, rest) = self.rest.split_at(end);
                self.rest = rest;
                let is_number =
                    written.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
                if !is_number && !matches!(written, b"true" | b"false" | b"null") {
                    return None;
                }
                // nginx writes nothing for a variable without a value (log_format, escape=json).
                if written.is_empty() && depth == 0 {
                    return None;
                }
                if !matches!(written, b"" | b"null") {
                    self.found(node, Text { written, escapes: Escapes::None });
                }
                Some(())
            }
        }
    }

    fn found(&mut self, node: Option<usize>, text: Text<'l>) {
        let Some(node) = node.filter(|_| !text.is_absent()) else { return };
        for (place, slot) in &self.mapping.nodes[node].pairs {
            let first = &mut self.first[*slot as usize];
            if place < first {
                *first = *place;
                let escapes = if text.escapes == Escapes::Json {
                    self.mapping.escapes(*slot)
                } else {
                    text.escapes
                };
                self.fields.replace(*slot, Text { escapes, ..text });
            }
        }
    }

    fn object(&mut self, node: Option<usize>, depth: usize) -> Option<()> {
        self.consume(b'{')?;
        if self.peek()? == b'}' {
            return self.consume(b'}');
        }
        loop {
            self.peek()?;
            let key = self.string()?;
            self.consume(b':')?;
            let inner = node.and_then(|node| self.mapping.below(node, key));
            self.value(inner, depth + 1)?;
            if self.peek()? == b'}' {
                return self.consume(b'}');
            }
            self.consume(b',')?;
        }
    }

    /// Reads an array: its first value counts, since a header field may have several.
    fn array(&mut self, node: Option<usize>, depth: usize) -> Option<()> {
        self.consume(b'[')?;
        if self.peek()? == b']' {
            return self.consume(b']');
        }
        let mut node = node;
        loop {
            self.element(node, depth)?;
            node = None;
            if self.peek()? == b']' {
                return self.consume(b']');
            }
            self.consume(b',')?;
        }
    }

    /// Reads an element of an array, to which the same path leads. Nested arrays and objects lead on
    /// to nothing: the depth of their paths would be wrong.
    fn element(&mut self, node: Option<usize>, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' => self.value(None, depth + 1),
            _ => self.value(node, depth),
        }
    }

    fn string(&mut self) -> Option<&'l [u8]> {
        let inner = self.rest.strip_prefix(b"\"")?;
        let mut from = 0;
        loop {
            let found = from + memchr::memchr2(b'"', b'\\', &inner[from..])?;
            if inner[found] == b'"' {
                self.rest = &inner[found + 1..];
                return Some(&inner[..found]);
            }
            from = found + 2;
            inner.get(from..)?;
        }
    }
}

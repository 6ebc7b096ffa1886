//! One line with a rule: turns its value into a pattern and adds it to the table.

use crate::steps;
use std::ops::Range;

use crate::dialect::{
    AbsolutePaths, Dialect, Dollar, EmptyAllow, EmptyDisallow, Escapes, Extent, IndexHtml, Nul,
    PathsPerLine, Star,
};
use crate::escape::{Form, Side};
use crate::field::Field;

use super::line;
use super::parse::Record;
use super::reference::{self, Reference};
use super::special::Special;
use super::table::{Builder, Table, flag, is_wild};

/// Returns the paths of a line that the dialect treats one by one, if there are several.
///
/// "I know people do it in practice, but nowhere in the Standard does it say you can. Yes, we should
/// handle it." (Koster, 4 June 1996). `/My Documents/` is one path: to be careful, a line is divided
/// only if every part could be a path, and never so that it allows more.
pub(crate) fn parts(
    value: &[u8],
    paths_per_line: PathsPerLine,
    allow: bool,
) -> Option<impl Iterator<Item = &[u8]>> {
    let words =
        || value.split(|octet| line::is_space(*octet)).filter(|word: &&[u8]| !word.is_empty());
    let divides = match paths_per_line {
        PathsPerLine::One => false,
        PathsPerLine::WhiteSpace => true,
        PathsPerLine::Careful => !allow && words().all(|word| word[0] == b'/'),
    };
    (divides && words().nth(1).is_some()).then(words)
}

/// The counts that Conner's decision needs (Conner 1996, Disallow).
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) allow: usize,
    pub(crate) disallow: usize,
    pub(crate) wild_allow: usize,
}

/// Adds rules to a table.
pub(crate) struct RuleLines<'a> {
    text: &'a [u8],
    reader: &'a Dialect,
    form: Form,
    /// Whether lines must be rebuilt from their parts, or kept as written.
    keeps_texts: bool,
    table: Builder,
    pub(crate) counts: Counts,
    /// Lines that cannot be rebuilt from their parts: number, and where they begin in the text.
    pub(crate) written: Vec<(u32, Range<usize>)>,
    /// The origins of rules that apply to only some, by where their patterns begin.
    pub(crate) origins: Vec<(u32, Vec<String>)>,
    rewritten: Vec<u8>,
}

/// A pattern that is being added to the table.
#[derive(Clone, Copy)]
struct Draft {
    record: Record,
    flags: u16,
}

impl<'a> RuleLines<'a> {
    pub(crate) fn new(
        text: &'a [u8],
        reader: &'a Dialect,
        records: impl Iterator<Item = &'a Record>,
        keeps_texts: bool,
    ) -> RuleLines<'a> {
        let is_rule = |record: &&Record| matches!(record.field(), Field::Allow | Field::Disallow);
        let count =
            |(rules, octets), record: &Record| (rules + 1, octets + record.value(text).len());
        let (rules, octets) = records.filter(is_rule).fold((0, 0), count);
        RuleLines {
            text,
            reader,
            form: Form::of(reader),
            keeps_texts,
            table: Builder::new(reader, rules, octets),
            counts: Counts::default(),
            written: Vec::new(),
            origins: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> (Table, Vec<(u32, Range<usize>)>) {
        (self.table.finish(), self.written)
    }

    /// Adds the rules of one line.
    pub(crate) fn line(&mut self, record: Record, allow: bool) {
        if allow {
            self.counts.allow += 1;
        } else {
            self.counts.disallow += 1;
        }
        let value = record.value(self.text);
        let flags = if allow { flag::ALLOW } else { 0 };
        if value.is_empty() {
            self.empty(record, allow);
            return;
        }
        let is_one_too = self.reader.paths_per_line != PathsPerLine::WhiteSpace;
        let parts = parts(value, self.reader.paths_per_line, allow);
        if is_one_too || parts.is_none() {
            self.rule(Draft { record, flags }, value);
        }
        for part in parts.into_iter().flatten() {
            self.rule(Draft { record, flags: flags | flag::PART | flag::WRITTEN }, part);
        }
    }

    /// Handles a line without a path.
    fn empty(&mut self, record: Record, allow: bool) {
        let allows_all = match allow {
            true => self.reader.empty_allow == EmptyAllow::AllowsAll,
            false => self.reader.empty_disallow == EmptyDisallow::AllowsAll,
        };
        if allows_all {
            let written = if allow { 0 } else { flag::WRITTEN };
            self.push(Draft { record, flags: flag::ALLOW | written }, b"", 0);
        }
    }

    fn rule(&mut self, draft: Draft, value: &[u8]) {
        steps::count(value.len() + 1);
        let allow = draft.flags & flag::ALLOW != 0;
        let special = Special::of(value);
        // The part of an Allow value before a NUL could allow more than was meant.
        let is_careful = self.reader.nul == Nul::Careful;
        if allow && is_careful && special.has(Special::FOREIGN) && value.contains(&0) {
            return;
        }
        if self.reader.absolute_paths == AbsolutePaths::SameOrigin {
            self.reference(draft, value);
            return;
        }
        if self.needs_rewriting(&special) {
            self.rewritten_pattern(draft, value);
        } else {
            self.plain_pattern(draft, value, &special);
        }
    }

    /// Adds a value that is resolved against the address of robots.txt; a value that names another
    /// server, or none, is skipped (WWW::RobotRules, parse).
    fn reference(&mut self, mut draft: Draft, value: &[u8]) {
        let Some(Reference { path, origins }) = reference::resolve(value) else { return };
        if let Some(origins) = origins {
            if origins.is_empty() {
                return;
            }
            draft.flags |= flag::ORIGIN;
            self.origins.push((self.table.next_start(), origins));
        }
        self.rewritten_pattern(draft, &path);
    }

    /// Whether a pattern is compared in a spelling other than its own.
    fn needs_rewriting(&self, special: &Special) -> bool {
        match self.reader.escapes {
            Escapes::None => false,
            Escapes::Rfc9309 | Escapes::ExceptSlash => special.has(Special::PERCENT),
            Escapes::Google => special.has(Special::PERCENT | Special::FOREIGN),
            Escapes::Unsafe => true,
        }
    }

    /// Adds a pattern that is compared as written: the common case.
    fn plain_pattern(&mut self, mut draft: Draft, value: &[u8], special: &Special) {
        let cut = self.ending(value, special, &mut draft.flags);
        let pattern = &value[..value.len() - cut];
        let octets = match special.has(Special::FOREIGN) {
            true => self.form.octets(pattern) + cut,
            false => value.len(),
        };
        if special.has(Special::QUESTION) && self.reader.escapes == Escapes::Rfc9309 {
            draft.flags |= flag::QUERY;
        }
        self.push(draft, pattern, octets);
        self.index_html(draft, value);
    }

    /// Adds a pattern that is compared in a spelling other than its own.
    fn rewritten_pattern(&mut self, mut draft: Draft, written: &[u8]) {
        draft.flags |= flag::WRITTEN;
        let special = Special::of(written);
        let plain = self.rewrite(draft, written, &special, None);
        if self.reader.escapes == Escapes::Rfc9309 && special.has(Special::QUESTION) {
            draft.flags |= flag::OPENED | flag::ALSO;
            self.rewrite(draft, written, &special, Some(&plain));
        }
        self.rewritten = plain;
        self.index_html(draft, written);
    }

    /// Adds a pattern in the spelling that is compared, and returns it; with `plain`, adds the spelling
    /// with an unescaped query, if that differs from it.
    fn rewrite(
        &mut self,
        mut draft: Draft,
        written: &[u8],
        special: &Special,
        plain: Option<&[u8]>,
    ) -> Vec<u8> {
        let mut pattern = std::mem::take(&mut self.rewritten);
        pattern.clear();
        let cut = self.ending(written, special, &mut draft.flags);
        let open = plain.is_some();
        let side = match draft.flags & flag::SHELL {
            0 => Side::Pattern,
            _ => Side::ShellPattern,
        };
        self.form.write(&written[..written.len() - cut], side, open, &mut pattern);
        if plain != Some(pattern.as_slice()) {
            if special.has(Special::QUESTION) && self.reader.escapes == Escapes::Rfc9309 {
                draft.flags |= flag::QUERY;
            }
            let octets = self.form.octets(&pattern) + cut;
            self.push(draft, &pattern, octets);
        }
        pattern
    }

    /// Recognises the end of a pattern, `$` or stars, and sets the flags for its meaning. Returns
    /// how many bytes to remove.
    fn ending(&self, pattern: &[u8], special: &Special, flags: &mut u16) -> usize {
        let mut rest = pattern;
        if self.reader.dollar == Dollar::End && rest.last() == Some(&b'$') {
            rest = &rest[..rest.len() - 1];
            *flags |= flag::WHOLE | flag::DOLLAR;
        }
        match self.reader.star {
            Star::Literal => {}
            Star::Wildcard if !special.has(Special::STAR) => {}
            Star::Wildcard => {
                let stars = rest.iter().rev().take_while(|octet| **octet == b'*').count();
                if stars > 0 && *flags & flag::WHOLE == 0 {
                    // A star at the end is redundant: a pattern is a prefix anyway (RFC 9309
                    // section 2.2.3: 0 or more).
                    rest = &rest[..rest.len() - stars];
                    *flags |= flag::TRAILING_STAR | if stars > 1 { flag::WRITTEN } else { 0 };
                }
                *flags |= if rest.contains(&b'*') { flag::WILD } else { 0 };
            }
            Star::Shell => {
                *flags |= if special.has(Special::SHELL) { flag::WILD | flag::SHELL } else { 0 };
            }
        }
        if self.reader.extent == Extent::Whole && *flags & flag::TRAILING_STAR == 0 {
            *flags |= flag::WHOLE;
        }
        pattern.len() - rest.len()
    }

    /// Adds a rule for a directory: `Allow: /x/index.html` also allows `/x/` itself
    /// (google/robotstxt, HandleAllow).
    fn index_html(&mut self, draft: Draft, written: &[u8]) {
        if self.reader.index_html == IndexHtml::Literal || draft.flags & flag::ALLOW == 0 {
            return;
        }
        let Some(slash) = memchr::memrchr(b'/', written) else { return };
        if !written[slash..].starts_with(b"/index.htm") {
            return;
        }
        let mut pattern = Vec::new();
        self.form.write(&written[..=slash], Side::Pattern, false, &mut pattern);
        let wild = if pattern.contains(&b'*') { flag::WILD } else { 0 };
        let flags = flag::ALLOW | flag::WRITTEN | flag::WHOLE | flag::ALSO | wild;
        let octets = pattern.len() + 1;
        self.push(Draft { flags, ..draft }, &pattern, octets);
    }

    fn push(&mut self, draft: Draft, pattern: &[u8], octets: usize) {
        let Draft { record, mut flags } = draft;
        let line = record.line();
        if self.keeps_texts && flags & flag::WRITTEN == 0 {
            flags |= self.spelling(record, flags);
        }
        let is_written = self.keeps_texts && flags & flag::WRITTEN != 0;
        if is_written && self.written.last().is_none_or(|last| last.0 != line) {
            self.written.push((line, line::around(self.text, record.start())));
        }
        if flags & flag::ALLOW != 0 && is_wild(flags) {
            self.counts.wild_allow += 1;
        }
        self.table.push(pattern, flags, line, octets);
    }

    /// Returns how a line is written that can be rebuilt from its parts: `Allow: x`, `allow:x` and the like.
    fn spelling(&self, record: Record, flags: u16) -> u16 {
        let (start, end) = (record.start(), record.start() + record.value(self.text).len());
        let ends = self.text.get(end).is_none_or(|octet| matches!(octet, b'\n' | b'\r'));
        let space = start > 0 && self.text[start - 1] == b' ';
        let head = &self.text[..start - usize::from(space)];
        let (written, name): (Option<&[u8]>, &[u8]) = match flags & flag::ALLOW != 0 {
            true => (head.last_chunk::<7>().map(|head| &head[..]), b"allow:"),
            false => (head.last_chunk::<10>().map(|head| &head[..]), b"disallow:"),
        };
        // The first line of a file has no line end before it.
        let Some([before, field @ ..]) = written else { return flag::WRITTEN };
        let begins = matches!(before, b'\n' | b'\r');
        let lower = field[0] >= b'a';
        let known = field[0] | 0x20 == name[0] && field[1..] == name[1..];
        if !(ends && begins && known) {
            return flag::WRITTEN;
        }
        (if lower { flag::LOWER } else { 0 }) | (if space { 0 } else { flag::NO_SPACE })
    }
}

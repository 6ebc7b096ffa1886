//! The texts that rules keep, in one block: names, sitemaps, and lines as they are written.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use crate::packed::packed;
use crate::verdict::PackedGroup;

/// The texts that rules keep, joined together: the robot, the groups obeyed (as lines
/// `number agent`, a blank line between groups), the sitemaps, and the lines kept as written.
///
/// The URLs of sitemaps mostly begin and end alike: each is a line that begins with two characters, for
/// how many bytes it shares with the beginning and with the end of the one before it.
#[derive(Debug)]
pub(crate) struct Texts {
    all: Arc<str>,
    robot: u32,
    groups: u32,
    sitemaps: u32,
    /// Lines that cannot be rebuilt from their parts: number, and where they begin.
    written: Box<[(u32, u32)]>,
}

packed!(Texts { all, robot, groups, sitemaps, written });

/// What the first sitemap is compared with: most begin and end so.
const USUAL_SITEMAP: &str = "https://www./sitemap.xml";

/// How many bytes the groups and sitemaps of most files take.
const USUAL_REST: usize = 64;

/// The character for no shared bytes; those behind it stand for one, two, and so on.
const NONE_SHARED: u8 = b' ';

/// The most bytes that are shared: the last character that takes one byte stands for them.
const MOST_SHARED: usize = (b'~' - NONE_SHARED) as usize;

impl Texts {
    /// Returns how many bytes the texts take in memory, beside their own record.
    pub(crate) fn size(&self) -> usize {
        self.all.len() + size_of_val(&*self.written)
    }

    /// Returns the robot, as the caller named it.
    pub(crate) fn robot(&self) -> &str {
        &self.all[..self.robot as usize]
    }

    /// Returns the groups that are obeyed.
    pub(crate) fn groups(&self) -> &str {
        &self.all[self.robot as usize..self.groups as usize]
    }

    /// Returns a group, which is a part of [`Texts::groups`], without a copy of its text.
    pub(crate) fn share(&self, group: &str) -> PackedGroup {
        let start = group.as_ptr().addr() - self.all.as_ptr().addr();
        PackedGroup::new(&self.all, start..start + group.len())
    }

    /// Iterates over the sitemaps.
    pub(crate) fn sitemaps(&self) -> impl Iterator<Item = String> {
        let lines = self.all[self.groups as usize..self.sitemaps as usize].split_terminator('\n');
        let mut url = USUAL_SITEMAP.to_owned();
        lines.map(move |line| {
            let (codes, middle) = line.split_at_checked(2).unwrap_or_default();
            let mut shared =
                codes.bytes().map(|code| usize::from(code.saturating_sub(NONE_SHARED)));
            let (first, last) = (shared.next().unwrap_or(0), shared.next().unwrap_or(0));
            let start = url.get(..first).unwrap_or_default();
            let end = url.get(url.len().saturating_sub(last)..).unwrap_or_default();
            url = [start, middle, end].concat();
            url.clone()
        })
    }

    /// Returns a line that was kept as written.
    pub(crate) fn written_line(&self, line: u32) -> Option<&str> {
        let place = self.written.binary_search_by_key(&line, |(number, _)| *number).ok()?;
        let start = self.written[place].1 as usize;
        let end = self.written.get(place + 1).map_or(self.all.len(), |next| next.1 as usize);
        Some(&self.all[start..end])
    }
}

/// Texts that are being joined, in the order of [`Texts`].
pub(crate) struct TextsBuilder<'a> {
    all: String,
    robot: u32,
    groups: u32,
    /// The sitemap before the next one.
    before: &'a str,
    /// Whether any texts are kept.
    pub(crate) keeps: bool,
}

impl<'a> TextsBuilder<'a> {
    pub(crate) fn new(robot: &str, keeps: bool) -> TextsBuilder<'a> {
        let mut all = String::with_capacity(if keeps { robot.len() + USUAL_REST } else { 0 });
        all.push_str(if keeps { robot } else { "" });
        let robot = end_of(&all);
        TextsBuilder { all, robot, groups: robot, before: USUAL_SITEMAP, keeps }
    }

    pub(crate) fn next_group(&mut self) {
        if end_of(&self.all) > self.robot {
            self.all.push('\n');
        }
    }

    /// Adds the robots that a line names, which may be 250,000.
    pub(crate) fn agents<'b>(&mut self, line: u32, agents: impl Iterator<Item = &'b [u8]>) {
        if !self.keeps {
            return;
        }
        let start = self.all.len();
        let mut number = None;
        for agent in agents {
            if let Some(end) = number {
                self.all.extend_from_within(start..end);
            } else {
                // Writing to a string never fails.
                let _ = write!(self.all, "{line} ");
                number = Some(self.all.len());
            }
            self.push(agent);
            self.all.push('\n');
        }
    }

    pub(crate) fn end_of_groups(&mut self) {
        self.groups = end_of(&self.all);
    }

    pub(crate) fn sitemap(&mut self, url: &'a [u8]) {
        // What is replaced in other texts is not compared.
        let text = std::str::from_utf8(url).unwrap_or_default();
        let first = shared_beginning(self.before, text);
        let last = shared_end(&self.before[first..], &text[first..]);
        self.all.extend([first, last].map(code));
        self.push(&url[first..url.len() - last]);
        self.all.push('\n');
        self.before = text;
    }

    fn push(&mut self, octets: &[u8]) {
        // The common case, in a faster way.
        match std::str::from_utf8(octets) {
            Ok(text) => self.all.push_str(text),
            Err(_) => self.all.push_str(&String::from_utf8_lossy(octets)),
        }
    }

    /// Adds the lines to be kept as written.
    pub(crate) fn finish(mut self, text: &[u8], written: &[(u32, Range<usize>)]) -> Texts {
        let sitemaps = end_of(&self.all);
        let octets: usize = written.iter().map(|(_, line)| line.len()).sum();
        self.all.reserve_exact(octets);
        let mut starts = Vec::with_capacity(written.len());
        for (number, line) in written {
            starts.push((*number, end_of(&self.all)));
            self.push(&text[line.clone()]);
        }
        let TextsBuilder { all, robot, groups, .. } = self;
        Texts { all: all.into(), robot, groups, sitemaps, written: starts.into() }
    }
}

/// Returns the character for a number of shared bytes.
fn code(shared: usize) -> char {
    char::from(NONE_SHARED + u8::try_from(shared).unwrap_or(0))
}

/// Returns how many bytes two texts share at their beginning, up to a whole character.
fn shared_beginning(one: &str, other: &str) -> usize {
    let same = shared(one.bytes(), other.bytes());
    (0..=same).rev().find(|end| other.is_char_boundary(*end)).unwrap_or(0)
}

/// Returns how many bytes they share at their end.
fn shared_end(one: &str, other: &str) -> usize {
    let same = shared(one.bytes().rev(), other.bytes().rev());
    let is_whole = |count: &usize| other.is_char_boundary(other.len() - count);
    (0..=same).rev().find(is_whole).unwrap_or(0)
}

fn shared(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take(MOST_SHARED).take_while(|(one, other)| one == other).count()
}

/// Texts are parts of a file, whose positions fit in 32 bits.
fn end_of(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;
    use crate::robots_txt::RobotsTxt;
    use proptest::prelude::*;

    /// Many verdicts on a group of many robots have its text once.
    #[test]
    fn verdicts_share_the_text_of_their_group() {
        let file = "User-agent: a\nUser-agent: b\nDisallow: /\n\nUser-agent: a\nDisallow: /c\n";
        let rules = RobotsTxt::parse(file.as_bytes(), Arc::new(dialects::RFC_9309))
            .rules_for("a")
            .expect("a name");
        let before = Arc::strong_count(&rules.texts.all);
        let verdicts: Vec<_> = ["/", "/c"].map(|url| rules.verdict(url.as_bytes())).into();
        let groups: Vec<_> =
            verdicts.iter().map(|one| one.group.as_ref().expect("a group")).collect();
        assert_eq!(Arc::strong_count(&rules.texts.all), before + verdicts.len());
        assert_eq!(
            [groups[0].info(9).agents, groups[1].info(9).agents],
            [vec!["a", "b"], vec!["a"]]
        );
    }

    proptest! {
        /// Sitemaps are read as they were added, whatever they share.
        #[test]
        fn sitemaps_are_read_as_they_were_added(
            urls in prop::collection::vec("(https://www\\.)?(a|é|\u{fffd}|日){0,60}[a-z/]{0,99}", 0..9),
            odd in prop::collection::vec(prop::collection::vec(any::<u8>().prop_filter("no line end", |byte| *byte != b'\n'), 0..9), 0..5),
        ) {
            let all: Vec<Vec<u8>> = urls.iter().map(|url| url.clone().into_bytes()).chain(odd).collect();
            let mut texts = TextsBuilder::new("ExampleBot", true);
            texts.end_of_groups();
            for url in all.iter().chain(all.iter().rev()) {
                texts.sitemap(url);
            }
            let texts = texts.finish(b"", &[]);
            let lossy = |url: &Vec<u8>| String::from_utf8_lossy(url).into_owned();
            let expected: Vec<String> = all.iter().chain(all.iter().rev()).map(lossy).collect();
            prop_assert_eq!(texts.sitemaps().collect::<Vec<_>>(), expected);
        }
    }
}

//! Which of many names a User-Agent contains: all of them at once, in time linear in its length.
//!
//! The names come from the caller; the core knows no robot. A name counts where it stands by itself:
//! `Yeti` is not in `Yetisports`, and `Googlebot` is in `Googlebot/2.1`.

use aho_corasick::{AhoCorasick, MatchKind};

/// How many bytes of a User-Agent are read. What servers accept in a line of a header is shorter
/// (Apache: `LimitRequestFieldSize` 8,190), so only what is meant to cost much is longer.
pub const LONGEST_USER_AGENT: usize = 8_192;

/// What precedes a name that only says whom a robot resembles: `FreshRSS/1.11 like Googlebot`.
const RESEMBLES: &[u8] = b"like ";

/// Finds names in User-Agents. It is built once, and answers without allocating.
#[derive(Debug)]
pub struct UserAgentNames {
    automaton: AhoCorasick,
}

impl UserAgentNames {
    /// Builds it from names, which are compared without regard to the case of ASCII letters. Names
    /// that are empty are never found.
    ///
    /// # Errors
    ///
    /// The names are too many for the automaton, which has room for millions of bytes.
    pub fn new<N: AsRef<[u8]>>(names: &[N]) -> Result<UserAgentNames, String> {
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(names)
            .map_err(|error| error.to_string())?;
        Ok(UserAgentNames { automaton })
    }

    /// Returns the position of the longest name in a User-Agent, and of several the first that it
    /// contains. The longest is the most specific: `Googlebot-News` rather than `Googlebot`.
    ///
    /// At most [`LONGEST_USER_AGENT`] bytes are read.
    #[must_use]
    pub fn longest(&self, user_agent: &[u8]) -> Option<usize> {
        let text = &user_agent[..user_agent.len().min(LONGEST_USER_AGENT)];
        let mut best: Option<(usize, usize, usize)> = None;
        for found in self.automaton.find_overlapping_iter(text) {
            let (start, end) = (found.start(), found.end());
            let is_better = best.is_none_or(|(length, place, _)| {
                end - start > length || (end - start == length && start < place)
            });
            if is_better && end > start && stands_by_itself(text, start, end) {
                best = Some((end - start, start, found.pattern().as_usize()));
            }
        }
        best.map(|(_, _, name)| name)
    }
}

/// Whether a name is a whole product of the text, and the robot's own.
fn stands_by_itself(text: &[u8], start: usize, end: usize) -> bool {
    let joins = |left: u8, right: u8| left.is_ascii_alphanumeric() && right.is_ascii_alphanumeric();
    let (before, after) = (&text[..start], &text[end..]);
    // What follows a hyphen belongs to a longer name: Fake-Googlebot is not Googlebot.
    let letter = |octet: u8| if matches!(octet, b'-' | b'_') { b'a' } else { octet };
    let begins = before.last().is_none_or(|last| !joins(letter(*last), text[start]));
    let ends = !text[end - 1].is_ascii_alphanumeric() || !goes_on(before.is_empty(), after);
    let resembles = before.len() >= RESEMBLES.len()
        && before[before.len() - RESEMBLES.len()..].eq_ignore_ascii_case(RESEMBLES);
    begins && ends && !resembles
}

/// How a second word begins that is no part of a name: an address, or the User-Agent of a browser.
const OTHER_STARTS: [&[u8]; 3] = [b"http", b"www.", b"mozilla/"];

/// Whether what follows a known name makes it a longer one, of a robot that is not known:
/// `AdsBot-Google-clone` is not AdsBot-Google, whose exceptions are its own.
///
/// Product tokens are compared whole (RFC 9309 section 2.2.1). What HTTP allows in a product
/// (`tchar`, RFC 9110 section 5.6.2) continues one too, with letters or digits behind it, and so
/// does a second word at the beginning of a text, as in `Foo Bot`.
fn goes_on(is_first: bool, after: &[u8]) -> bool {
    let in_name = |octet: &u8| {
        octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_') || !octet.is_ascii()
    };
    let rest = after.iter().position(|octet| !b".:@=~!#$%&'*+^`|".contains(octet));
    let spaces = after.iter().position(|octet| !matches!(octet, b' ' | b'\t'));
    match (rest, spaces) {
        (Some(at), _) if at > 0 || in_name(&after[0]) => in_name(&after[at]),
        (_, Some(at)) if at > 0 && is_first => {
            let word = &after[at..];
            let is_other = |start: &&[u8]| {
                word.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
            };
            let is_word = word[0].is_ascii_alphabetic() || !word[0].is_ascii();
            is_word && !OTHER_STARTS.iter().any(is_other)
        }
        _ => false,
    }
}

/// Words with which robots describe themselves, where they end a word: `AhrefsBot`, `Baiduspider`.
const ROBOT_WORDS: [&[u8]; 8] =
    [b"bot", b"robot", b"robots", b"spider", b"crawler", b"crawl", b"scraper", b"archiver"];
/// Products of people that end like that: a maker of phones.
const OTHER_WORDS: [&[u8]; 1] = [b"cubot"];
/// How a robot refers to its page.
const LINKS: [&[u8]; 2] = [b"+http://", b"+https://"];

/// Whether a User-Agent says of itself that it is a robot: by a word that ends in one for robots, or
/// by a link behind a plus sign, as robots give it. Anyone can write either.
///
/// At most [`LONGEST_USER_AGENT`] bytes are read.
#[must_use]
pub fn calls_itself_robot(user_agent: &[u8]) -> bool {
    let text = user_agent[..user_agent.len().min(LONGEST_USER_AGENT)].to_ascii_lowercase();
    let is_robot = |word: &[u8]| {
        ROBOT_WORDS.iter().any(|end| word.ends_with(end)) && !OTHER_WORDS.contains(&word)
    };
    text.split(|byte| !byte.is_ascii_alphabetic()).any(is_robot)
        || LINKS.iter().any(|link| memchr::memmem::find(&text, link).is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 5] = ["Googlebot", "Googlebot-News", "Yeti", "Daum/", "FreshRSS"];

    fn built<N: AsRef<[u8]>>(names: &[N]) -> UserAgentNames {
        UserAgentNames::new(names).expect("the names are few")
    }

    fn found(user_agent: &str) -> Option<&'static str> {
        let names = built(&NAMES);
        names.longest(user_agent.as_bytes()).map(|place| NAMES[place])
    }

    #[test]
    fn the_longest_name_that_stands_by_itself_is_found() {
        assert_eq!(found("Mozilla/5.0 (compatible; googlebot/2.1)"), Some("Googlebot"));
        assert_eq!(found("GOOGLEBOT-NEWS"), Some("Googlebot-News"));
        assert_eq!(found("Fake-Googlebot/2.1"), None);
        assert_eq!(found("Yetisports/1.0"), None);
        assert_eq!(found("FreshRSS/1.11.2 (Linux) like Googlebot"), Some("FreshRSS"));
        assert_eq!(found("Daum/4.1"), Some("Daum/"));
        assert_eq!(found("Daum"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn a_longer_name_is_another_robot() {
        for other in [
            "Googlebot-Newspaper",
            "Googlebot-clone/1.0",
            "Googlebot_clone",
            "Googlebot2",
            "Googlebot.clone",
            "Googlebot:clone",
            "Googlebot+clone",
            "Googlebot-",
            "Googlebot\u{e9}",
            "Googlebot clone/1.0",
            "Googlebot \t clone",
            "Mozilla/5.0 (compatible; Googlebot-clone/2.1; +https://example.com/bot)",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
        for same in [
            "Googlebot/2.1",
            "Googlebot 2.1",
            "Googlebot+(+https://example.com/)",
            "Googlebot.",
            "Googlebot https://example.com/bot",
            "Googlebot Mozilla/5.0",
            "Mozilla/5.0 (compatible; Googlebot)",
            "Example (Googlebot for tests)",
        ] {
            assert_eq!(found(same), Some("Googlebot"), "{same}");
        }
    }

    #[test]
    fn of_two_names_of_one_length_the_first_in_the_text_is_found() {
        let names = built(&["one-bot", "two-bot"]);
        assert_eq!(names.longest(b"two-bot/1 one-bot"), Some(1));
        assert_eq!(names.longest(b"one-bot/1 two-bot"), Some(0));
    }

    #[test]
    fn robots_say_what_they_are() {
        for robot in [
            "ExampleBot/1.0",
            "Mozilla/5.0 (compatible; example-crawler)",
            "Baiduspider+(x)",
            "example (+https://example.com/about)",
            "SOMEBOT",
        ] {
            assert!(calls_itself_robot(robot.as_bytes()), "{robot}");
        }
        for other in [
            "",
            "Mozilla/5.0 (Linux; CUBOT X30) Firefox/1",
            "Bottle/1.0",
            "curl/8",
            "https://a.example",
        ] {
            assert!(!calls_itself_robot(other.as_bytes()), "{other}");
        }
        assert!(!calls_itself_robot(&[&vec![b'x'; LONGEST_USER_AGENT][..], b" bot"].concat()));
    }

    #[test]
    fn an_empty_name_is_never_found() {
        let names = built(&["", "a-bot"]);
        assert_eq!(names.longest(b"something"), None);
        assert_eq!(names.longest(b"a-bot"), Some(1));
    }

    #[test]
    fn what_is_behind_the_bound_is_not_read() {
        let mut long = vec![b' '; LONGEST_USER_AGENT - 4];
        long.extend(b"Yeti Googlebot");
        let names = built(&NAMES);
        assert_eq!(names.longest(&long), Some(2));
        assert_eq!(names.longest(&vec![b'\0'; 1 << 20]), None);
    }

    /// The same, slow and simple: every name at every place.
    fn reference(names: &[String], text: &str) -> Option<usize> {
        let lower = text.to_ascii_lowercase();
        let mut best: Option<(usize, usize, usize)> = None;
        for (which, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            for start in 0..text.len() {
                if !lower[start..].starts_with(&name.to_ascii_lowercase()) {
                    continue;
                }
                let end = start + name.len();
                let key = (usize::MAX - name.len(), start, which);
                if stands_by_itself(text.as_bytes(), start, end) && best.is_none_or(|one| key < one)
                {
                    best = Some(key);
                }
            }
        }
        best.map(|(_, _, which)| which)
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_reference(
            names in proptest::collection::btree_set("[ab-]{0,4}", 1..6),
            text in "(like |[abAB/. +-]){0,20}",
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let fast = built(&names).longest(text.as_bytes());
            prop_assert_eq!(fast, reference(&names, &text));
        }
    }
}

//! Names of robots: extracted from what the caller passes, compared with User-agent values.

use std::fmt;

use crate::dialect::{
    AgentMatch, AgentVersion, AgentsPerLine, Dialect, EmptyAgent, RobotName, StarAgent,
};

/// Why a robot's name cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// There is none.
    Empty,
    /// It is a URL: the arguments are probably swapped.
    LooksLikeUrl(String),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Empty => f.write_str(
                "the robot has no name; pass its product token (such as \"ExampleBot\") or its User-Agent",
            ),
            NameError::LooksLikeUrl(given) => write!(
                f,
                "{given:?} looks like a URL, not a robot; a robot is a name such as \"ExampleBot\", and comes after the URL"
            ),
        }
    }
}

impl std::error::Error for NameError {}

/// A robot's name, in the form used to find groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The name in lower case, without version or anything after it.
    pub(crate) whole: Vec<u8>,
    /// The length of its leading product token (RFC 9309 section 2.2.1: `A-Za-z_-`).
    token: usize,
}

impl Name {
    /// Extracts the name from a product token or a whole User-Agent string.
    pub(crate) fn read(given: &str, choice: RobotName) -> Result<Name, NameError> {
        let given = given.trim();
        if given.is_empty() {
            return Err(NameError::Empty);
        }
        if token_length(given.as_bytes()) == given.len() {
            // A product token has nothing that needs to be looked for.
            return Ok(Name::of(given));
        }
        let scheme = given.split("://").next().filter(|scheme| scheme.len() < given.len());
        let is_scheme = |text: &str| text.bytes().all(|octet| octet.is_ascii_alphanumeric());
        if given.starts_with('/') || scheme.is_some_and(is_scheme) {
            return Err(NameError::LooksLikeUrl(given.chars().take(200).collect()));
        }
        let name = match choice {
            RobotName::FirstWord => {
                let word = given.split_ascii_whitespace().next().unwrap_or(given);
                word.split('/').next().unwrap_or(word)
            }
            RobotName::Product => product(given),
        };
        // A string such as "(x)" has no product; it is compared unchanged.
        let name = if name.is_empty() { given } else { name };
        Ok(Name::of(name))
    }

    pub(crate) fn of(name: &str) -> Name {
        let whole = name.to_ascii_lowercase().into_bytes();
        let token = token_length(&whole);
        Name { whole, token }
    }

    /// The length of its leading product token.
    pub(crate) fn token(&self) -> usize {
        self.token
    }

    /// Whether this is `*`: the caller asks what robots without a group of their own must obey.
    pub(crate) fn is_default(&self) -> bool {
        self.whole == b"*"
    }

    /// Whether a value can be equal to this name in google/robotstxt: `IsValidUserAgentToObey`.
    pub(crate) fn is_product_token(&self) -> bool {
        self.token == self.whole.len()
    }
}

/// Returns the product that a User-Agent string names.
///
/// Browsers' names are borrowed: in `Mozilla/5.0 (compatible; ExampleBot/1.0; +https://...)` the robot's
/// name follows `compatible;`, or precedes the address of its page.
///
/// `Mozilla/5.0 (X11; Linux) Foo-crawler/1.0 (+https://...)` is Foo-crawler: the name before a comment
/// that holds only an address.
#[must_use]
pub fn product(given: &str) -> &str {
    let named =
        if given.starts_with("Mozilla/") { borrowed(given).unwrap_or(given) } else { given };
    named.split(['/', '(', ')', ';', ',', '[']).next().unwrap_or(named).trim()
}

fn borrowed(given: &str) -> Option<&str> {
    if let Some((_, rest)) = given.split_once("compatible;") {
        return Some(rest.trim_start());
    }
    let address = given.find("+http")?;
    let comment = given[..address].rfind('(')? + 1;
    let name = given[comment..address].trim_end_matches([' ', ';', ',']);
    if name.trim().is_empty() {
        return given[..comment - 1].split_ascii_whitespace().next_back();
    }
    Some(name.rsplit(';').next().unwrap_or(name).trim())
}

pub(crate) fn token_length(name: &[u8]) -> usize {
    name.iter()
        .take_while(|octet| octet.is_ascii_alphabetic() || matches!(octet, b'-' | b'_'))
        .count()
}

/// Returns the agents that one User-agent value names.
pub(crate) fn agents(value: &[u8], choice: AgentsPerLine) -> impl Iterator<Item = &[u8]> {
    value
        .split(move |octet| match choice {
            AgentsPerLine::One => false,
            AgentsPerLine::WhiteSpace => super::line::is_space(*octet),
            AgentsPerLine::Comma => *octet == b',',
        })
        .map(<[u8]>::trim_ascii)
        .filter(move |agent| choice == AgentsPerLine::One || !agent.is_empty() || value.is_empty())
}

/// Whether an agent is `*`, which stands for every robot without a group of its own.
pub(crate) fn is_star(agent: &[u8], dialect: &Dialect) -> bool {
    match agent {
        b"*" => true,
        // google/robotstxt, HandleUserAgent: a star and white space, whatever follows.
        [b'*', space, ..] => {
            dialect.star_agent != StarAgent::Alone && super::line::is_space(*space)
        }
        _ => false,
    }
}

/// Whether a value could name a robot, judging by its first byte: this test rejects most values quickly.
pub(crate) fn may_name(value: &[u8], name: &Name, dialect: &Dialect) -> bool {
    let begins_alike = matches!(dialect.agent_match, AgentMatch::Token | AgentMatch::GoogleToken);
    let (Some(first), Some(wanted)) = (value.first(), name.whole.first()) else { return true };
    let separates = |octet: &u8| *octet == b',' || super::line::is_space(*octet);
    !begins_alike || first.eq_ignore_ascii_case(wanted) || value.iter().any(separates)
}

/// Ranks how well an agent names a robot: 0 is not at all, and higher is better.
pub(crate) fn rank(agent: &[u8], name: &Name, dialect: &Dialect) -> u32 {
    if agent.is_empty() {
        return u32::from(dialect.empty_agent == EmptyAgent::Everybody);
    }
    if dialect.agent_match == AgentMatch::GoogleToken {
        return u32::from(agent[..token_length(agent)].eq_ignore_ascii_case(&name.whole));
    }
    rank_in_part(compared(agent, dialect), name, dialect)
}

/// Ranks the same of what is compared of an agent, in a dialect that compares whole names or parts.
pub(crate) fn rank_in_part(agent: &[u8], name: &Name, dialect: &Dialect) -> u32 {
    // An agent that names more of the robot's name is more specific.
    let length = u32::try_from(agent.len()).unwrap_or(u32::MAX);
    let matched = match dialect.agent_match {
        AgentMatch::Token | AgentMatch::GoogleToken => return token_rank(agent, name),
        AgentMatch::RobotContainsRecord => contains(&name.whole, agent),
        AgentMatch::RecordContainsRobot => contains(agent, &name.whole),
        AgentMatch::EitherContains => contains(&name.whole, agent) || contains(agent, &name.whole),
        AgentMatch::RecordIsPrefix => {
            name.whole.get(..agent.len()).is_some_and(|start| start.eq_ignore_ascii_case(agent))
        }
    };
    if matched { length } else { 0 }
}

/// Returns what of an agent is compared: without its version, if the dialect ignores that.
pub(crate) fn compared<'a>(agent: &'a [u8], dialect: &Dialect) -> &'a [u8] {
    match dialect.agent_version {
        AgentVersion::Ignored if dialect.agent_match != AgentMatch::GoogleToken => bare(agent),
        _ => agent,
    }
}

/// The whole name ranks above the leading token: real names that are not product tokens (`MJ12bot`,
/// `360Spider`, `Foo Bot`) are meant as a whole.
pub(crate) const WHOLE: u32 = 2;

fn token_rank(agent: &[u8], name: &Name) -> u32 {
    if agent.eq_ignore_ascii_case(&name.whole) {
        return WHOLE;
    }
    let (token, rest) = agent.split_at(token_length(agent));
    let (own, own_rest) = name.whole.split_at(name.token);
    // `MJ12bot` and `MJ13bot` have the same leading token but are two robots: what follows the
    // token on each side must be further words.
    let same = rest.is_empty() || own_rest.is_empty() || (is_word(rest) && is_word(own_rest));
    u32::from(same && !token.is_empty() && token.eq_ignore_ascii_case(own))
}

/// Whether what follows a leading token is a further word.
pub(crate) fn is_word(rest: &[u8]) -> bool {
    rest.first().is_some_and(u8::is_ascii_whitespace)
}

/// Returns a name without version and comment: `googlebot/1.2`, `googlebot*` and `googlebot (all)`
/// are `googlebot` (Google, user-agent matching; Koster 1994; comments as in RFC 9110 section
/// 5.6.5).
fn bare(agent: &[u8]) -> &[u8] {
    let end = memchr::memchr2(b'/', b'(', agent).unwrap_or(agent.len());
    let name = agent[..end].trim_ascii_end();
    let stars = name.iter().rev().take_while(|octet| **octet == b'*').count();
    let name = &name[..name.len() - stars];
    if name.is_empty() { agent } else { name }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    !part.is_empty()
        && part.len() <= text.len()
        && text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;

    #[test]
    fn names_are_taken_from_user_agent_strings() {
        for (given, name) in [
            ("ExampleBot", "examplebot"),
            ("ExampleBot/1.0 (+https://example.com/bot)", "examplebot"),
            ("Foo Bot/2.0 (x)", "foo bot"),
            ("MJ12bot/v1.4.8", "mj12bot"),
            ("Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)", "gptbot"),
            (
                "Mozilla/5.0 (Macintosh) Version/8.0.2 Safari/600.2.5 (Applebot/0.1; +http://www.apple.com/go/applebot)",
                "applebot",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64)", "mozilla"),
            ("*", "*"),
            ("(x)", "(x)"),
        ] {
            let read = Name::read(given, RobotName::Product).expect("a name");
            assert_eq!(String::from_utf8_lossy(&read.whole), name, "{given}");
        }
        let first = Name::read("Foo Bot/1.0", RobotName::FirstWord).expect("a name");
        assert_eq!(first.whole, b"foo");
    }

    #[test]
    fn urls_and_nothing_are_refused() {
        assert_eq!(Name::read(" ", RobotName::Product), Err(NameError::Empty));
        for given in ["https://example.com/", "/private", "//example.com"] {
            assert!(matches!(
                Name::read(given, RobotName::Product),
                Err(NameError::LooksLikeUrl(_))
            ));
        }
    }

    #[test]
    fn each_way_of_matching_has_its_own_answer() {
        let ranked = |agent: &str, robot: &str, choice| {
            let dialect = Dialect { agent_match: choice, ..dialects::RFC_9309 };
            rank(agent.as_bytes(), &Name::of(robot), &dialect) > 0
        };
        assert!(
            ranked("BOT", "Bot", AgentMatch::Token) && !ranked("bot", "Robot", AgentMatch::Token)
        );
        assert!(ranked("bot", "Spambot", AgentMatch::RobotContainsRecord));
        assert!(!ranked("figtree-crawler", "FigTree", AgentMatch::RobotContainsRecord));
        assert!(ranked("figtree-crawler", "FigTree", AgentMatch::RecordContainsRobot));
        assert!(ranked("figtree-crawler", "FigTree", AgentMatch::EitherContains));
        assert!(ranked("Fred", "Fredsbot", AgentMatch::RecordIsPrefix));
        assert!(!ranked("bot", "Fredsbot", AgentMatch::RecordIsPrefix));
        assert!(!ranked("MJ12bot", "MJ12bot", AgentMatch::GoogleToken));
        assert!(ranked("MJ12bot", "MJ", AgentMatch::GoogleToken));
    }
}

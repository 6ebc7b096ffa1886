//! What is odd about the value of a User-agent line.

use crate::dialect::{AgentsPerLine, Dialect};
use crate::field::Field;
use crate::quote::in_quotes;

use super::agent;
use super::finding::Code;
use super::line;
use super::obedience::{self, Meant, Obedience};
use super::pasted;

/// Words that are part of the names of many robots.
///
/// HTTP: The Definitive Guide, chapter 9, The User-Agent line: `bot` matches Bot, Robot, Bottom-Feeder,
/// Spambot and Dont-Bother-Me.
const PART_OF_MANY: [&str; 14] = [
    "bot",
    "bots",
    "robot",
    "robots",
    "crawl",
    "crawler",
    "spider",
    "agent",
    "scraper",
    "search",
    "web",
    "ai",
    "http",
    "user-agent",
];

/// Returns the findings about the value of a User-agent line, each with its message.
pub(crate) fn of(written: &[u8], value: &[u8], dialect: &Dialect) -> Vec<(Code, String)> {
    if value.is_empty() {
        return vec![(Code::EmptyUserAgent, "the line names no robot".to_owned())];
    }
    quoted(written, value)
        .or_else(|| url(value))
        .or_else(|| user_agent(written, value))
        .or_else(|| several(written, value, dialect))
        .map_or_else(|| each(value, dialect), |one| vec![one])
}

fn names(robots: &[Vec<u8>]) -> Vec<Meant> {
    robots.iter().map(|name| (Field::UserAgent, name.clone())).collect()
}

fn quoted(written: &[u8], value: &[u8]) -> Option<(Code, String)> {
    let bare = pasted::without_quotes(value).filter(|bare| !bare.is_empty())?;
    let who = obedience::clause(written, &names(std::slice::from_ref(&bare)));
    let message = format!("{} has quotation marks{who}; write {}", in_quotes(value), shown(&bare));
    Some((Code::QuotedValue, message))
}

/// Recognises a URL or a path; no robot has such a name.
fn url(value: &[u8]) -> Option<(Code, String)> {
    let lower = value.to_ascii_lowercase();
    let is_url = !value.iter().any(|octet| line::is_space(*octet))
        && [&b"/"[..], b"http://", b"https://", b"www."].iter().any(|head| lower.starts_with(head));
    is_url.then(|| {
        let message = format!(
            "{} is a URL or a path and not the name of a robot, so no robot finds this group; write its product token",
            in_quotes(value)
        );
        (Code::UrlAsName, message)
    })
}

/// Recognises a whole User-Agent string: a product and its version with further products or a comment.
fn user_agent(written: &[u8], value: &[u8]) -> Option<(Code, String)> {
    let text = std::str::from_utf8(value).ok()?;
    let (first, rest) = text.split_once(|one: char| one.is_ascii_whitespace())?;
    let has_version = first.split_once('/').is_some_and(|(_, version)| {
        version.trim_start_matches(['v', 'V']).starts_with(|one: char| one.is_ascii_digit())
    });
    let has_more = rest.contains('(') || rest.contains('/') || text.contains("://");
    let has_address =
        text.contains("(+http") || text.contains("(http") || text.contains("(compatible;");
    if !(has_version && has_more || has_address) {
        return None;
    }
    let product = agent::product(text);
    let is_name = !product.is_empty()
        && !product.eq_ignore_ascii_case("Mozilla")
        && product.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-_.".contains(&octet));
    let (who, cure) = if is_name {
        let meant = [(Field::UserAgent, product.as_bytes().to_vec())];
        (obedience::clause(written, &meant), format!("write {product}"))
    } else {
        (String::new(), "write the product token of the robot".to_owned())
    };
    let message = format!("{} is a whole User-Agent string{who}; {cure}", in_quotes(value));
    Some((Code::UserAgentString, message))
}

fn several(written: &[u8], value: &[u8], dialect: &Dialect) -> Option<(Code, String)> {
    let robots = pasted::several_names(value).or_else(|| {
        let words = agent::agents(value, dialect.agents_per_line).map(<[u8]>::to_vec);
        let words: Vec<Vec<u8>> = words.collect();
        (dialect.agents_per_line == AgentsPerLine::WhiteSpace && words.len() > 1).then_some(words)
    })?;
    let who = obedience::clause(written, &names(&robots));
    let count = robots.len();
    let message = format!("the line names {count} robots{who}; write a line for each");
    Some((Code::SeveralAgents, message))
}

/// Reports each of the agents that the dialect reads.
fn each(value: &[u8], dialect: &Dialect) -> Vec<(Code, String)> {
    let token = |octet: &u8| octet.is_ascii_alphabetic() || matches!(octet, b'-' | b'_');
    let mut found = Vec::new();
    for agent in agent::agents(value, dialect.agents_per_line) {
        if agent::is_star(agent, dialect) && agent != b"*" {
            found.push((Code::InvalidProductToken, format!("{} is read as *", in_quotes(agent))));
        } else if agent != b"*" && !agent.iter().all(token) {
            let message = format!(
                "{} is not a product token; RFC 9309 allows only letters, - and _",
                in_quotes(agent)
            );
            found.push((Code::InvalidProductToken, message));
        } else if PART_OF_MANY.iter().any(|word| agent.eq_ignore_ascii_case(word.as_bytes())) {
            found.extend(part_of_many(agent));
        }
    }
    found
}

/// Reports a name that is part of many others, if some dialect finds it there.
fn part_of_many(name: &[u8]) -> Option<(Code, String)> {
    let other = [b"Example", name].concat();
    let written = [b"User-agent: ", name].concat();
    let found = Obedience::of(&written, &names(std::slice::from_ref(&other)))?;
    let by = obedience::listed(&found.obey);
    let message = format!(
        "{} is part of the names of many robots: by {by}, the group applies to all of them, such as {}",
        in_quotes(name),
        in_quotes(&other)
    );
    (!found.obey.is_empty()).then_some((Code::PartOfManyNames, message))
}

/// Returns a short value as it is, for a message that says what to write.
pub(super) fn shown(value: &[u8]) -> String {
    let quoted = in_quotes(value);
    quoted[1..quoted.len() - 1].to_owned()
}

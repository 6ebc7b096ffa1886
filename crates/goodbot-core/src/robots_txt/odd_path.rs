//! What is odd about the path of a rule.

use crate::dialect::{AbsolutePaths, Dialect, Dollar, PathsPerLine, RobotsTxtItself, Star};
use crate::escape::{Form, Side};
use crate::field::Field;
use crate::quote::in_quotes;

use super::finding::Code;
use super::obedience;
use super::odd_agent;
use super::pasted;
use super::rule_line;
use super::rules::ROBOTS_TXT;
use super::value;

/// Returns the findings about a path, each with its message.
pub(crate) fn of(
    written: &[u8],
    path: &[u8],
    allow: bool,
    dialect: &Dialect,
) -> Vec<(Code, String)> {
    let mut found = Vec::new();
    let field = if allow { Field::Allow } else { Field::Disallow };
    if let Some(bare) = pasted::without_quotes(path) {
        let who = obedience::clause(written, &[(field, bare.clone())]);
        let cure = odd_agent::shown(&bare);
        let message = format!("{} has quotation marks{who}; write {cure}", in_quotes(path));
        return vec![(Code::QuotedValue, message)];
    }
    let mut parts = rule_line::parts(path, dialect.paths_per_line, allow).into_iter().flatten();
    let several = pasted::several_paths(path);
    if let Some(paths) = &several {
        let meant: Vec<_> = paths.iter().map(|part| (field, part.clone())).collect();
        let who = obedience::clause(written, &meant);
        let message = format!("there are {} paths{who}; write a line for each", paths.len());
        found.push((Code::SeveralPaths, message));
    } else if dialect.paths_per_line == PathsPerLine::WhiteSpace && parts.by_ref().count() > 1 {
        let message = "there is white space in the path; each part is read as a path";
        found.push((Code::SeveralPaths, message.to_owned()));
    } else {
        found.extend(not_in_urls(written, path, field));
    }
    let mut parts = rule_line::parts(path, dialect.paths_per_line, allow).into_iter().flatten();
    if names_robots_txt(path, dialect) || parts.any(|part| names_robots_txt(part, dialect)) {
        let message = "/robots.txt itself is always allowed, whatever a rule says; remove the line";
        found.push((Code::RuleForRobotsTxt, message.to_owned()));
    }
    let is_url = several.is_none() && value::is_absolute_url(path);
    if is_url {
        let same = dialect.absolute_paths == AbsolutePaths::SameOrigin;
        let then = if same {
            "it applies to that site only"
        } else {
            "it never matches; write only the path"
        };
        found.push((Code::AbsoluteUrlPattern, format!("the path is a whole URL; {then}")));
    } else if several.is_none() && !path.is_empty() && !can_match(path[0], dialect) {
        let message = format!("{} cannot match: a path must begin with /", in_quotes(path));
        found.push((Code::PatternWithoutSlash, message));
    }
    found
}

/// The most different characters that a message lists.
const MOST_LISTED: usize = 5;

/// Reports characters that a URL has only as escapes (RFC 3986 appendix A), and which dialects compare them
/// with those. Brackets are not among them: clients send them as they are.
fn not_in_urls(written: &[u8], path: &[u8], field: Field) -> Option<(Code, String)> {
    let text = std::str::from_utf8(path).ok()?;
    let is_odd = |character: char| !character.is_ascii() || ODD.contains(character);
    let mut odd: Vec<char> = Vec::new();
    for character in text.chars().filter(|one| is_odd(*one)) {
        if !odd.contains(&character) && odd.len() <= MOST_LISTED {
            odd.push(character);
        }
    }
    let first = *odd.first()?;
    let mut escaped = String::with_capacity(path.len());
    for character in text.chars() {
        if is_odd(character) {
            escaped.push_str(&escape_of(character));
        } else {
            escaped.push(character);
        }
    }
    let who = obedience::clause(written, &[(field, escaped.into_bytes())]);
    let more = if odd.len() > MOST_LISTED { ", ..." } else { "" };
    let shown: Vec<String> = odd.iter().take(MOST_LISTED).map(|one| quoted(*one)).collect();
    let message = format!(
        "a URL has {}{more} only as an escape{who}; write {} for {}",
        shown.join(", "),
        escape_of(first),
        quoted(first)
    );
    Some((Code::CharacterNotInUrls, message))
}

fn quoted(character: char) -> String {
    in_quotes(character.to_string().as_bytes())
}

/// Returns the escape of a character: each byte of its UTF-8 (RFC 3986 section 2.5).
fn escape_of(character: char) -> String {
    let mut room = [0; 4];
    let octets: Vec<String> =
        character.encode_utf8(&mut room).bytes().map(|octet| format!("%{octet:02X}")).collect();
    octets.concat()
}

/// The characters of ASCII that no URL has; control characters have a finding of their own.
const ODD: &str = " \t\"<>\\^`{|}";

/// Whether a path is that of robots.txt, in a dialect that always allows it (HTTP book, chapter 9, The
/// Disallow and Allow lines; RFC 9309 section 2.2.2).
fn names_robots_txt(path: &[u8], dialect: &Dialect) -> bool {
    if dialect.robots_txt_itself == RobotsTxtItself::Ruled {
        return false;
    }
    let path = match dialect.dollar {
        Dollar::End => path.strip_suffix(b"$").unwrap_or(path),
        Dollar::Literal => path,
    };
    let stars = match dialect.star {
        Star::Wildcard => path.iter().rev().take_while(|octet| **octet == b'*').count(),
        Star::Literal | Star::Shell => 0,
    };
    let mut spelling = Vec::new();
    let form = Form::of(dialect);
    form.write(&path[..path.len() - stars], Side::Pattern, false, &mut spelling);
    spelling == ROBOTS_TXT
}

fn can_match(first: u8, dialect: &Dialect) -> bool {
    first == b'/'
        || (first == b'*' && dialect.star != Star::Literal)
        || dialect.absolute_paths == AbsolutePaths::SameOrigin
}

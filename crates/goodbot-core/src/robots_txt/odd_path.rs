//! What is odd about the path of a rule.

use crate::dialect::{AbsolutePaths, Dialect, Dollar, PathsPerLine, RobotsTxtItself, Star};
use crate::escape::{Form, Side};
use crate::quote::in_quotes;

use super::finding::Code;
use super::line;
use super::rule_line;
use super::rules::ROBOTS_TXT;
use super::value;

/// Returns the findings about a path, each with its message.
pub(crate) fn of(path: &[u8], allow: bool, dialect: &Dialect) -> Vec<(Code, String)> {
    let mut found = Vec::new();
    if path.iter().any(|octet| line::is_space(*octet)) {
        let then = several_paths(path, allow, dialect);
        let message = format!("there is white space in the path; {then}");
        found.push((Code::SeveralPaths, message));
    }
    let mut parts = rule_line::parts(path, dialect.paths_per_line, allow).into_iter().flatten();
    if names_robots_txt(path, dialect) || parts.any(|part| names_robots_txt(part, dialect)) {
        let message = "/robots.txt itself is always allowed, whatever a rule says; remove the line";
        found.push((Code::RuleForRobotsTxt, message.to_owned()));
    }
    if value::is_absolute_url(path) {
        let same = dialect.absolute_paths == AbsolutePaths::SameOrigin;
        let then = if same {
            "it applies to that site only"
        } else {
            "it never matches; write only the path"
        };
        found.push((Code::AbsoluteUrlPattern, format!("the path is a whole URL; {then}")));
    } else if !path.is_empty() && !can_match(path[0], dialect) {
        let message = format!("{} cannot match: a path must begin with /", in_quotes(path));
        found.push((Code::PatternWithoutSlash, message));
    }
    found
}

fn several_paths(path: &[u8], allow: bool, dialect: &Dialect) -> &'static str {
    let is_divided = rule_line::parts(path, dialect.paths_per_line, allow).is_some();
    match dialect.paths_per_line {
        PathsPerLine::WhiteSpace => "each part is read as a path",
        PathsPerLine::Careful if is_divided => "each part is read as a path, and so is the whole",
        _ => "it is read as one path; if you meant several, write a line for each",
    }
}

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

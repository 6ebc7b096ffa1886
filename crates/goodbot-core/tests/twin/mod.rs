//! The plain, slow twin: every dialect, written to be read, not to be fast.
//!
//! It shares no code with the engine but the dialects' records. Lines are split, groups are lists,
//! every rule is tried, and the winner is found by comparing all that match.

#![allow(
    clippy::pedantic,
    clippy::style,
    clippy::complexity,
    reason = "plain text, one thought a line"
)]

mod reading;

use goodbot_core::Dialect;
use goodbot_core::dialect::*;
use goodbot_core::dialects;

use reading::{choose, groups, paths_of, version};

#[derive(Clone, Debug)]
struct Rule {
    allow: bool,
    /// As compared: `None` in it is the wildcard.
    pattern: Vec<Option<u8>>,
    whole: bool,
    octets: usize,
    explicit: bool,
    line: usize,
    /// Whether the pattern's query was opened, so that it is compared with the opened path.
    opened: bool,
    origin: Option<String>,
}

/// May the robot fetch the URL?
pub fn allows(text: &[u8], dialect: &Dialect, robot: &str, url: &[u8]) -> bool {
    let limit = dialect.size_limit as usize;
    let over = limit != 0 && text.len() > limit;
    if over && dialect.over_size == OverSize::AllowAll {
        return true;
    }
    if over && dialect.over_size == OverSize::DisallowAll {
        return false;
    }
    let kept = if over && dialect.over_size == OverSize::Cut { cut(text, limit) } else { text };
    let groups = groups(kept, dialect);
    let chosen = choose(&groups, dialect, robot);
    let version_1 = dialects::named("koster1994").expect("koster1994");
    let gated = dialect.version_gate == VersionGate::Conner;
    let is_first = gated
        && chosen.first().is_some_and(|group| version(group, dialect).is_none_or(|v| v.0 == 1));
    let reader: &Dialect = if is_first { &version_1 } else { dialect };
    let mut rules = Vec::new();
    let (mut allow_lines, mut disallow_lines) = (0, 0);
    for group in &chosen {
        for (field, value, line) in &group.fields {
            let allow = match field.as_str() {
                "disallow" => false,
                "allow" if reader.allow_lines == AllowLines::Honoured => true,
                _ => continue,
            };
            if allow {
                allow_lines += 1
            } else {
                disallow_lines += 1
            }
            for path in paths_of(value, dialect) {
                rules.extend(rules_of(&path, allow, *line, reader));
            }
        }
    }
    if dialect.over_rules == OverRules::DisallowAll
        && dialect.rule_limit != 0
        && allow_lines + disallow_lines > dialect.rule_limit as usize
    {
        return false;
    }
    if reader.other_schemes == OtherSchemes::Allowed {
        let scheme: Vec<u8> =
            url.iter().take_while(|o| **o != b':').map(u8::to_ascii_lowercase).collect();
        let named = scheme.len() < url.len()
            && scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.iter().all(|o| o.is_ascii_alphanumeric() || b"+-.".contains(o));
        if named && scheme != b"http" && scheme != b"https" {
            return true;
        }
    }
    let path = path_of(url, reader);
    let plain = normal(&path, reader, true, false);
    let opened = normal(&path, reader, true, path.contains(&b'?'));
    if plain == b"/robots.txt" && reader.robots_txt_itself == RobotsTxtItself::AlwaysAllowed {
        return true;
    }
    let origin = goodbot_core::target::origin(url).ok();
    let matching: Vec<&Rule> = rules
        .iter()
        .filter(|rule| {
            let query = rule.pattern.contains(&Some(b'?')) && reader.escapes == Escapes::Rfc9309;
            let hit = match (rule.opened, query) {
                (true, _) => fits(&rule.pattern, &opened, rule.whole),
                (false, true) => {
                    fits(&rule.pattern, &plain, rule.whole)
                        || fits(&rule.pattern, &opened, rule.whole)
                }
                (false, false) => fits(&rule.pattern, &plain, rule.whole),
            };
            hit && match (&rule.origin, &origin) {
                // `//host/path` has no scheme: it is of no origin that can be known.
                (Some(wanted), _) if wanted.is_empty() => false,
                (Some(wanted), Some(origin)) => wanted == origin,
                _ => true,
            }
        })
        .collect();
    if chosen.is_empty() {
        return true;
    }
    decide(&matching, reader).unwrap_or_else(|| {
        let wild_allows = rules.iter().any(|rule| rule.allow && !rule.explicit);
        !(reader.precedence == Precedence::Conner
            && allow_lines > 0
            && (disallow_lines == 0
                || wild_allows
                || reader.no_match_with_both == NoMatchWithBoth::Deny))
    })
}

fn cut(text: &[u8], limit: usize) -> &[u8] {
    if matches!(text[limit], b'\n' | b'\r') {
        return &text[..limit];
    }
    let mut end = limit;
    while end > 0 && !matches!(text[end - 1], b'\n' | b'\r') {
        end -= 1;
    }
    &text[..end]
}

/// The winner among the rules that match.
fn decide(matching: &[&Rule], dialect: &Dialect) -> Option<bool> {
    match dialect.precedence {
        Precedence::First => matching.iter().min_by_key(|rule| rule.line).map(|rule| rule.allow),
        Precedence::AnyDisallow => {
            if matching.is_empty() {
                None
            } else {
                Some(matching.iter().all(|rule| rule.allow))
            }
        }
        Precedence::Conner => {
            let has = |wanted: &dyn Fn(&Rule) -> bool| matching.iter().any(|rule| wanted(rule));
            if has(&|rule| rule.allow && rule.explicit) {
                Some(true)
            } else if has(&|rule| !rule.allow) {
                Some(false)
            } else if has(&|rule| rule.allow) {
                Some(true)
            } else {
                None
            }
        }
        Precedence::Longest => {
            let longest = matching.iter().map(|rule| rule.octets).max()?;
            let best: Vec<_> = matching.iter().filter(|rule| rule.octets == longest).collect();
            let wins = |allow: bool| best.iter().any(|rule| rule.allow == allow);
            let first = dialect.tie == Tie::Allow;
            Some(if wins(first) { first } else { !first })
        }
    }
}

fn rules_of(written: &[u8], allow: bool, line: usize, dialect: &Dialect) -> Vec<Rule> {
    if written.is_empty() {
        let all = if allow {
            dialect.empty_allow == EmptyAllow::AllowsAll
        } else {
            dialect.empty_disallow == EmptyDisallow::AllowsAll
        };
        let rule = Rule {
            allow: true,
            pattern: vec![],
            whole: false,
            octets: 0,
            explicit: true,
            line,
            opened: false,
            origin: None,
        };
        return if all { vec![rule] } else { vec![] };
    }
    let mut path = written.to_vec();
    let mut origin = None;
    if dialect.absolute_paths == AbsolutePaths::SameOrigin {
        match absolute(written, dialect) {
            None => return vec![],
            Some((found, of)) => {
                path = found;
                origin = of;
            }
        }
    }
    let mut rules = vec![rule_of(&path, allow, line, dialect, false, origin.clone())];
    if dialect.escapes == Escapes::Rfc9309 && path.contains(&b'?') {
        rules.push(rule_of(&path, allow, line, dialect, true, origin));
    }
    if dialect.index_html == IndexHtml::AlsoDirectory && allow {
        if let Some(slash) = path.iter().rposition(|o| *o == b'/') {
            if path[slash..].starts_with(b"/index.htm") {
                let directory = [&path[..=slash], b"$"].concat();
                rules.push(rule_of(&directory, true, line, dialect, false, None));
            }
        }
    }
    rules
}

fn absolute(written: &[u8], dialect: &Dialect) -> Option<(Vec<u8>, Option<String>)> {
    let text = String::from_utf8_lossy(written);
    if written.starts_with(b"//") {
        return Some((path_of(written, dialect), Some(String::new())));
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        let host = rest.chars().next().is_some_and(|c| !"/?#".contains(c));
        if named && host && !written.iter().any(u8::is_ascii_whitespace) {
            let origin = goodbot_core::target::origin(written).unwrap_or_default();
            return Some((path_of(written, dialect), Some(origin)));
        }
    }
    if let Some((scheme, _)) = text.split_once(':') {
        if scheme.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
    }
    if written[0] == b'/' {
        Some((written.to_vec(), None))
    } else {
        Some(([b"/", written].concat(), None))
    }
}

fn rule_of(
    path: &[u8],
    allow: bool,
    line: usize,
    dialect: &Dialect,
    open: bool,
    origin: Option<String>,
) -> Rule {
    let dollar = dialect.dollar == Dollar::End && path.last() == Some(&b'$');
    let body = if dollar { &path[..path.len() - 1] } else { path };
    let wild = dialect.star != Star::Literal;
    let form = normal(body, dialect, false, open);
    // An unescaped star is the wildcard, where there are wildcards; an escaped one is written %2A.
    let pattern: Vec<Option<u8>> =
        form.iter().map(|o| if wild && *o == b'*' { None } else { Some(*o) }).collect();
    let explicit = !pattern.contains(&None);
    let octets = match dialect.escapes {
        Escapes::Rfc9309 | Escapes::ExceptSlash => {
            form.iter().map(|o| if o.is_ascii() { 1 } else { 3 }).sum()
        }
        _ => form.len(),
    };
    let octets: usize = octets + usize::from(dollar);
    Rule {
        allow,
        pattern,
        whole: dollar || dialect.extent == Extent::Whole,
        octets,
        explicit,
        line,
        opened: open,
        origin,
    }
}

/// Every way of matching is tried, shortest first; a table remembers what failed.
fn fits(pattern: &[Option<u8>], path: &[u8], whole: bool) -> bool {
    let mut reachable = vec![false; path.len() + 1];
    reachable[0] = true;
    for element in pattern {
        let mut next = vec![false; path.len() + 1];
        match element {
            None => {
                let mut seen = false;
                for at in 0..=path.len() {
                    seen |= reachable[at];
                    next[at] = seen;
                }
            }
            Some(octet) => {
                for at in 0..path.len() {
                    next[at + 1] = reachable[at] && path[at] == *octet;
                }
            }
        }
        reachable = next;
    }
    if whole { reachable[path.len()] } else { reachable.contains(&true) }
}

fn path_of(url: &[u8], dialect: &Dialect) -> Vec<u8> {
    let from = if url.starts_with(b"//") { 2 } else { 0 };
    let text = &url[from..];
    let early = text.iter().position(|o| b"/?;".contains(o)).unwrap_or(usize::MAX);
    let colon = (0..text.len()).find(|at| text[*at..].starts_with(b"://")).unwrap_or(usize::MAX);
    let hash = text.iter().position(|o| *o == b'#').unwrap_or(usize::MAX);
    let authority =
        if colon != usize::MAX && colon < early && colon < hash { colon + 3 } else { 0 };
    let rest = &text[authority..];
    let rest = rest.split(|o| *o == b'#').next().expect("a part");
    let mut path = match rest.iter().position(|o| b"/?;".contains(o)) {
        None => b"/".to_vec(),
        Some(at) if rest[at] == b'/' => rest[at..].to_vec(),
        Some(at) => [b"/", &rest[at..]].concat(),
    };
    if dialect.query == Query::Excluded {
        path = path.split(|o| *o == b'?').next().expect("a part").to_vec();
    }
    path
}

/// The spelling that is compared.
fn normal(text: &[u8], dialect: &Dialect, url: bool, open: bool) -> Vec<u8> {
    let wild = dialect.star != Star::Literal;
    let mut out = Vec::new();
    let mut query = false;
    let mut at = 0;
    let escape = |octet: u8| format!("%{octet:02X}").into_bytes();
    let uric = |o: u8| o.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]%".contains(&o);
    while at < text.len() {
        let hex = text
            .get(at + 1..at + 3)
            .and_then(|h| std::str::from_utf8(h).ok())
            .filter(|h| h.bytes().all(|o| o.is_ascii_hexdigit()));
        let value = hex.filter(|_| text[at] == b'%').and_then(|h| u8::from_str_radix(h, 16).ok());
        match (dialect.escapes, value) {
            (Escapes::None, _) => out.push(text[at]),
            (Escapes::Google, _) if url => out.push(text[at]),
            (Escapes::Google, Some(value)) => {
                out.extend(escape(value));
                at += 2;
            }
            (Escapes::Google, None) if text[at].is_ascii() => out.push(text[at]),
            (Escapes::Google, None) => out.extend(escape(text[at])),
            (Escapes::Unsafe, _) if uric(text[at]) => out.push(text[at]),
            (Escapes::Unsafe, _) => out.extend(escape(text[at])),
            (Escapes::Rfc9309 | Escapes::ExceptSlash, Some(value)) => {
                at += 2;
                let apart = value == b'/'
                    || (value == b'*' && wild)
                    || (value == b'?' && dialect.escapes == Escapes::Rfc9309);
                let opens = open && query && value != b'*';
                if value == b'%' || (apart && !opens) {
                    out.extend(escape(value))
                } else {
                    out.push(value)
                }
            }
            (Escapes::Rfc9309 | Escapes::ExceptSlash, None) => match text[at] {
                b'%' => out.extend(b"%25"),
                b'*' if url && wild => out.extend(b"%2A"),
                octet => out.push(octet),
            },
        }
        query |= text.get(at) == Some(&b'?') && value.is_none();
        at += 1;
    }
    out
}

//! The simple, slow reference: every dialect, written for readability, not for speed.
//!
//! It shares no code with the engine except the dialects' records. Lines are split, groups are
//! lists, every rule is tried, and the winner is found by comparing all that match.

#![allow(
    clippy::pedantic,
    clippy::style,
    clippy::complexity,
    reason = "plain text, one thought a line"
)]

mod paths;
mod reading;

use goodbot_core::Dialect;
use goodbot_core::dialect::*;
use goodbot_core::dialects;

use paths::{Side, normal, path_of, sent_path};
use reading::{choose, fields_of, groups, paths_of, states_version, version};

#[derive(Clone, Debug)]
struct Rule {
    allow: bool,
    /// The pattern as compared.
    pattern: Vec<Element>,
    whole: bool,
    octets: usize,
    explicit: bool,
    line: usize,
    /// Whether the pattern's query was unescaped, so that it is compared with the unescaped path.
    opened: bool,
    /// Whether it has a `?`.
    query: bool,
    /// The origins that it applies to, if not to all.
    origins: Option<Vec<String>>,
}

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Element {
    AnyRun,
    AnyOne,
    One(u8),
    /// A set of a shell pattern: its ranges, and whether it is negated.
    Set(Vec<(u8, u8)>, bool),
}

/// Whether the robot may fetch the URL, both with the guesses in the file and without them.
pub fn allows(text: &[u8], dialect: &Dialect, robot: &str, url: &[u8]) -> bool {
    [false, true].iter().all(|strict| {
        let groups = groups(kept(text, dialect), dialect, *strict);
        let version_1 = dialects::named("koster1994").expect("koster1994");
        // A group not known to be of one version is read as both.
        let readers: &[&Dialect] = match choose(&groups, dialect, robot).first() {
            Some(group) if dialect.version_gate == VersionGate::Conner => {
                match version(group, dialect) {
                    Some((1, minor)) if minor % 2 == 0 => &[&version_1],
                    Some((2, minor)) if minor % 2 == 0 => &[dialect],
                    None if !states_version(group, dialect) => &[&version_1],
                    _ => &[&version_1, dialect],
                }
            }
            _ => &[dialect],
        };
        let allows = |reader: &&Dialect| allows_once(text, dialect, robot, url, *strict, reader);
        readers.iter().all(allows)
    })
}

fn allows_once(
    text: &[u8],
    dialect: &Dialect,
    robot: &str,
    url: &[u8],
    strict: bool,
    reader: &Dialect,
) -> bool {
    let limit = dialect.size_limit as usize;
    let over = limit != 0 && text.len() > limit;
    let groups = groups(kept(text, dialect), dialect, strict);
    let chosen = choose(&groups, dialect, robot);
    let sent = (reader.url_form == UrlForm::AsSent).then(|| sent_path(url)).flatten();
    if reader.relative_urls == RelativeUrls::Forbidden && sent.is_none() && is_relative(url) {
        return false;
    }
    if over && dialect.over_size == OverSize::AllowAll {
        return true;
    }
    if over && dialect.over_size == OverSize::DisallowAll {
        return false;
    }
    if over && dialect.over_size == OverSize::Cut {
        let read = kept(text, dialect);
        let read = read.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(read);
        if read.iter().all(|octet| b" \t\x0B\x0C\r\n".contains(octet)) {
            return false;
        }
    }
    let mut rules: Vec<Rule> = Vec::new();
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
            if allow && reader.nul == Nul::Careful && value.contains(&0) {
                continue;
            }
            for path in paths_of(value, allow, reader) {
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
    let path = sent.unwrap_or_else(|| path_of(url, reader));
    let until =
        |path: Vec<u8>, octet: u8| path.split(|o| *o == octet).next().unwrap_or_default().to_vec();
    let path = if reader.nul_in_url == NulInUrl::EndsPath { until(path, 0) } else { path };
    let path = if reader.query == Query::Excluded { until(path, b'?') } else { path };
    let plain = normal(&path, reader, Side::Url, false);
    let opened = normal(&path, reader, Side::Url, path.contains(&b'?'));
    if plain == b"/robots.txt" && reader.robots_txt_itself == RobotsTxtItself::AlwaysAllowed {
        return true;
    }
    let origin = goodbot_core::address::origin(url).ok();
    let matching: Vec<&Rule> = rules
        .iter()
        .filter(|rule| {
            let query = rule.query && reader.escapes == Escapes::Rfc9309;
            let hit = match (rule.opened, query) {
                (true, _) => fits(&rule.pattern, &opened, rule.whole),
                (false, true) => {
                    fits(&rule.pattern, &plain, rule.whole)
                        || fits(&rule.pattern, &opened, rule.whole)
                }
                (false, false) => fits(&rule.pattern, &plain, rule.whole),
            };
            hit && match (&rule.origins, &origin) {
                (Some(wanted), Some(origin)) => wanted.contains(origin),
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

/// Returns the fields, other than rules, that apply to the robot: name in lower case, value, line. Those
/// that apply only without the guesses come last.
pub fn fields_for(text: &[u8], dialect: &Dialect, robot: &str) -> Vec<(String, Vec<u8>, usize)> {
    let of = |strict| fields_of(&groups(kept(text, dialect), dialect, strict), dialect, robot);
    let mut fields = of(false);
    let lines: Vec<usize> = fields.iter().map(|field| field.2).collect();
    fields.extend(of(true).into_iter().filter(|field| !lines.contains(&field.2)));
    fields
}

/// Returns the values of Request-rate that apply to the robot, with the guesses and without them.
pub fn rates_for(text: &[u8], dialect: &Dialect, robot: &str) -> [Vec<String>; 2] {
    [false, true].map(|strict| {
        let groups = groups(kept(text, dialect), dialect, strict);
        let fields = fields_of(&groups, dialect, robot).into_iter();
        let rates = fields.filter(|(name, _, _)| name == "request-rate");
        rates.map(|(_, value, _)| String::from_utf8_lossy(&value).into_owned()).collect()
    })
}

/// Returns the part of a file that is parsed.
fn kept<'a>(text: &'a [u8], dialect: &Dialect) -> &'a [u8] {
    let limit = dialect.size_limit as usize;
    let over = limit != 0 && text.len() > limit;
    if over && dialect.over_size == OverSize::Cut { cut(text, limit) } else { text }
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

/// Whether a URL neither begins with a slash nor has a scheme and a host.
fn is_relative(url: &[u8]) -> bool {
    if url.starts_with(b"/") {
        return false;
    }
    let scheme: Vec<u8> = url.iter().copied().take_while(|o| *o != b':').collect();
    let host = url[scheme.len()..].strip_prefix(b"://").and_then(|behind| behind.first());
    let named = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|o| o.is_ascii_alphanumeric() || b"+-.".contains(o));
    !named || host.is_none_or(|first| b"/?#\\".contains(first))
}

/// Returns the outcome of the winner among the rules that match.
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
            query: false,
            origins: None,
        };
        return if all { vec![rule] } else { vec![] };
    }
    let mut path = written.to_vec();
    let mut origins = None;
    if dialect.absolute_paths == AbsolutePaths::SameOrigin {
        match reference(written) {
            None => return vec![],
            Some((found, of)) => {
                path = found;
                origins = of;
            }
        }
    }
    let mut rules = vec![rule_of(&path, allow, line, dialect, false, origins.clone())];
    if dialect.escapes == Escapes::Rfc9309 && path.contains(&b'?') {
        rules.push(rule_of(&path, allow, line, dialect, true, origins));
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

/// Returns the result of `URI->new_abs($value, "http://site/robots.txt")`, in the steps of URI.pm: the
/// path and query, and the origins if a server is named; `None` if there can be none.
fn reference(written: &[u8]) -> Option<(Vec<u8>, Option<Vec<String>>)> {
    let mut value = written.to_vec();
    if value.len() > 1 && value[0] == b'<' && value.ends_with(b">") {
        value = value[1..value.len() - 1].to_vec();
        if value.starts_with(b"URL:") {
            value = value[4..].to_vec();
        }
    }
    if value.len() > 1 && value[0] == b'"' && value.ends_with(b"\"") {
        value = value[1..value.len() - 1].to_vec();
    }
    let value = value.trim_ascii().to_vec();
    let mut scheme = value.iter().position(|o| *o == b':').unwrap_or(0);
    let named = value[..scheme].iter().all(|o| o.is_ascii_alphanumeric() || b"+-.".contains(o))
        && value.first().is_some_and(u8::is_ascii_alphabetic);
    if !named {
        scheme = 0;
    }
    let behind = if scheme > 0 { &value[scheme + 1..] } else { &value[..] };
    if let Some(rest) = behind.strip_prefix(b"//") {
        let host = rest.split(|o| b"/?#".contains(o)).next().expect("a part");
        let path =
            if host.len() == rest.len() { b"/".to_vec() } else { rest[host.len()..].to_vec() };
        let schemes = match scheme {
            0 => vec!["http".to_owned(), "https".to_owned()],
            _ => vec![String::from_utf8_lossy(&value[..scheme]).into_owned()],
        };
        let servers =
            schemes.iter().map(|scheme| format!("{scheme}://{}", String::from_utf8_lossy(host)));
        let odd = host.iter().any(|o| o.is_ascii_control() || *o == b'\\')
            || host.ends_with(b":")
            || String::from_utf8_lossy(host).rsplit_once(':').is_some_and(|(_, port)| {
                port.starts_with('0') && port.chars().all(|c| c.is_ascii_digit())
            });
        let origins: Vec<String> = servers
            .filter(|_| !odd)
            .filter_map(|server| goodbot_core::address::origin(server.as_bytes()).ok())
            .collect();
        return if origins.is_empty() { None } else { Some((path, Some(origins))) };
    }
    if scheme > 0 {
        return None;
    }
    // m,^((?:[^:/?#]+:)?(?://[^/?#]*)?)([^?#]*),
    let mut rest = &value[..];
    let word = rest.iter().take_while(|o| !b":/?#".contains(o)).count();
    if word > 0 && rest.get(word) == Some(&b':') {
        rest = &rest[word + 1..];
        if rest.starts_with(b"//") {
            let server = rest[2..].iter().take_while(|o| !b"/?#".contains(o)).count();
            rest = &rest[2 + server..];
        }
    }
    let path = rest.split(|o| *o == b'?').next().expect("a part");
    let query = &rest[path.len()..];
    if path.is_empty() {
        return Some(([b"/robots.txt", query].concat(), None));
    }
    if path[0] == b'/' {
        let slash: &[u8] = if value[0] == b'/' { b"" } else { b"/" };
        return Some(([slash, &value[..]].concat(), None));
    }
    // The loop of URI::_generic::abs, line by line.
    let mut p: Vec<Vec<u8>> = path.split(|o| *o == b'/').map(<[u8]>::to_vec).collect();
    let mut i = 1;
    while i < p.len() {
        if p[i - 1] == b"." {
            p.remove(i - 1);
            if i > 1 {
                i -= 1;
            }
        } else if p[i] == b".." && p[i - 1] != b".." {
            p.drain(i - 1..=i);
            if i > 1 {
                i -= 1;
                if i == p.len() {
                    p.push(Vec::new());
                }
            }
        } else {
            i += 1;
        }
    }
    if p.last().is_some_and(|last| last == b".") {
        *p.last_mut().expect("the last") = Vec::new();
    }
    Some(([b"/", &p.join(&b'/')[..], query].concat(), None))
}

fn rule_of(
    path: &[u8],
    allow: bool,
    line: usize,
    dialect: &Dialect,
    open: bool,
    origins: Option<Vec<String>>,
) -> Rule {
    let dollar = dialect.dollar == Dollar::End && path.last() == Some(&b'$');
    let body = if dollar { &path[..path.len() - 1] } else { path };
    // A shell pattern is one that has a special character as it is written.
    let shell = dialect.star == Star::Shell && path.iter().any(|o| b"*?[\\".contains(o));
    let form = normal(body, dialect, if shell { Side::Shell } else { Side::Pattern }, open);
    // An unescaped star is the wildcard, if the dialect has wildcards; an escaped one is written %2A.
    let wild = dialect.star == Star::Wildcard;
    let plain = |o: &u8| if wild && *o == b'*' { Element::AnyRun } else { Element::One(*o) };
    let pattern = if shell { shell_elements(&form) } else { form.iter().map(plain).collect() };
    let explicit = !shell && !pattern.contains(&Element::AnyRun);
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
        query: body.contains(&b'?'),
        origins,
    }
}

impl Element {
    fn holds(&self, octet: u8) -> bool {
        match self {
            Element::AnyRun | Element::AnyOne => true,
            Element::One(one) => *one == octet,
            Element::Set(ranges, outside) => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&octet)) != *outside
            }
        }
    }
}

/// Returns the elements of a shell pattern: `*`, `?`, `[a-z]`, `[!a-z]`, `\x`.
fn shell_elements(form: &[u8]) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut rest = form;
    while let Some((octet, behind)) = rest.split_first() {
        rest = behind;
        elements.push(match octet {
            b'*' => Element::AnyRun,
            b'?' => Element::AnyOne,
            b'\\' if !rest.is_empty() => {
                let one = rest[0];
                rest = &rest[1..];
                Element::One(one)
            }
            b'[' => {
                // A set has at least one byte, so its first byte may be the bracket.
                match rest.iter().skip(1).position(|o| *o == b']') {
                    None => Element::One(b'['),
                    Some(at) => {
                        let set = &rest[..at + 1];
                        rest = &rest[at + 2..];
                        set_element(set)
                    }
                }
            }
            octet => Element::One(*octet),
        });
    }
    elements
}

fn set_element(set: &[u8]) -> Element {
    let outside = set.len() > 1 && (set[0] == b'!' || set[0] == b'^');
    let mut rest = if outside { &set[1..] } else { set };
    let mut ranges = Vec::new();
    while !rest.is_empty() {
        if rest.len() > 2 && rest[1] == b'-' {
            ranges.push((rest[0], rest[2]));
            rest = &rest[3..];
        } else {
            ranges.push((rest[0], rest[0]));
            rest = &rest[1..];
        }
    }
    Element::Set(ranges, outside)
}

/// Tries every way of matching, shortest first; a table remembers what failed.
fn fits(pattern: &[Element], path: &[u8], whole: bool) -> bool {
    let mut reachable = vec![false; path.len() + 1];
    reachable[0] = true;
    for element in pattern {
        let mut next = vec![false; path.len() + 1];
        match element {
            Element::AnyRun => {
                let mut seen = false;
                for at in 0..=path.len() {
                    seen |= reachable[at];
                    next[at] = seen;
                }
            }
            one => {
                for at in 0..path.len() {
                    next[at + 1] = reachable[at] && one.holds(path[at]);
                }
            }
        }
        reachable = next;
    }
    if whole { reachable[path.len()] } else { reachable.contains(&true) }
}

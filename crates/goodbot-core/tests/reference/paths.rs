//! The path of a URL that is compared with patterns, and the form in which both are compared.

use goodbot_core::Dialect;
use goodbot_core::dialect::*;

/// Returns the path and query of a URL as a browser would send it, before anything is escaped (URL
/// Standard, "basic URL parser"); `None` for other schemes and for URLs without a host.
pub(super) fn sent_path(url: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<char> = url.iter().map(|octet| char::from(*octet)).collect();
    let text: String = text.into_iter().collect();
    let text = text.trim_matches(|c| c <= ' ').replace(['\t', '\n', '\r'], "");
    let lower = text.to_ascii_lowercase();
    let is_path = url.starts_with(b"/");
    let known = ["http://", "https://", "ftp://"];
    let scheme = match is_path {
        true => url.starts_with(b"//").then_some("//"),
        false => known.into_iter().find(|one| lower.starts_with(one)),
    };
    let rest = match scheme {
        Some(scheme) => {
            let behind = &text[scheme.len()..];
            let end = behind.find(['/', '\\', '?', '#']).unwrap_or(behind.len());
            if end == 0 {
                return None;
            }
            &behind[end..]
        }
        None if is_path => &text,
        None => return None,
    };
    let rest = rest.split('#').next().expect("a part");
    let (path, query) =
        rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    let path = path.replace('\\', "/");
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let mut kept: Vec<&str> = Vec::new();
    for (place, segment) in segments.iter().enumerate() {
        let is_last = place + 1 == segments.len();
        match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
            ".." => {
                kept.pop();
                kept.extend(is_last.then_some(""));
            }
            "." => kept.extend(is_last.then_some("")),
            _ => kept.push(segment),
        }
    }
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let sent = format!("/{}{query}", kept.join("/"));
    Some(sent.chars().map(|c| u8::try_from(u32::from(c)).expect("an octet")).collect())
}

pub(super) fn path_of(url: &[u8], dialect: &Dialect) -> Vec<u8> {
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
    if dialect.missing_path == MissingPath::Nothing && dialect.url_form == UrlForm::AsGiven {
        let start = rest.iter().position(|o| b"/?;".contains(o)).unwrap_or(rest.len());
        path = rest[start..].to_vec();
    }
    path
}

/// What kind of text it is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    Pattern,
    Shell,
    Url,
}

/// Returns the spelling that is compared.
pub(super) fn normal(text: &[u8], dialect: &Dialect, side: Side, open: bool) -> Vec<u8> {
    let wild = dialect.star == Star::Wildcard;
    let url = side == Side::Url;
    let mut out = Vec::new();
    let mut query = false;
    let mut at = 0;
    let escape = |octet: u8| format!("%{octet:02X}").into_bytes();
    let uric = |o: u8| o.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,%".contains(&o);
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
                    if side == Side::Shell && b"*?[\\".contains(&value) {
                        out.push(b'\\');
                    }
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

//! The target of a refresh, either `<meta http-equiv=refresh>` or the header field Refresh.

/// Returns the address in a refresh, as written, or `None` if there is none. A refresh without an
/// address reloads the page, which is not a link.
///
/// HTML 4.2.5.3, "shared declarative refresh steps".
#[must_use]
pub fn refresh_target(content: &str) -> Option<&str> {
    let rest = behind_time(content.trim_ascii_start())?;
    let first = rest.chars().next()?;
    if !matches!(first, ';' | ',') && !first.is_ascii_whitespace() {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let address = quoted(behind_url(rest)).trim_ascii();
    (!address.is_empty()).then_some(address)
}

/// Returns what follows the time. The time is digits, possibly with points; a point may replace the
/// digits.
fn behind_time(content: &str) -> Option<&str> {
    let rest = content.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == content.len() && !rest.starts_with('.') {
        return None;
    }
    Some(rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Returns what follows `url=`, or the whole text if it does not begin with that.
fn behind_url(text: &str) -> &str {
    let Some((word, rest)) = text.split_at_checked(3) else { return text };
    if !word.eq_ignore_ascii_case("url") {
        return text;
    }
    rest.trim_ascii_start().strip_prefix('=').map_or(text, str::trim_ascii_start)
}

/// Returns a text without its leading quote, up to the matching quote.
fn quoted(text: &str) -> &str {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..].split(quote).next().unwrap_or_default(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::refresh_target;

    #[test]
    fn the_address_of_a_refresh_is_read_as_html_has_it() {
        for (content, address) in [
            ("0; url=/x", Some("/x")),
            ("0;URL='/x' y", Some("/x")),
            ("0; url=\"/x", Some("/x")),
            (" 5.5 , Url = /x ", Some("/x")),
            (".5 /x", Some("/x")),
            ("0 url=/x", Some("/x")),
            ("0;url", Some("url")),
            ("0;urlx", Some("urlx")),
            ("0;'/x'", Some("/x")),
            ("0;url=''", None),
            ("0", None),
            ("0;", None),
            ("0 ;", None),
            ("", None),
            ("url=/x", None),
            ("0x; url=/x", None),
            ("-1; url=/x", None),
            ("0; \u{e9}", Some("\u{e9}")),
        ] {
            assert_eq!(refresh_target(content), address, "{content}");
        }
    }
}

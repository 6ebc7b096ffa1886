//! Formats as nginx' `log_format` writes them.
//!
//! Source: nginx, `ngx_http_log_module`, and the variables of `ngx_http_core_module`.

use super::super::entry::Slot;
use super::super::text::Escapes;
use super::header_slots::{of_answer, of_header};
use super::{Format, Malformed, Part};

impl Format {
    /// Makes a format of the string of a `log_format`, and of the escapes that it names.
    ///
    /// # Errors
    ///
    /// When it is not one, or lacks the time or the target.
    pub fn nginx(format: &str, escapes: Escapes) -> Result<Format, Malformed> {
        // HAProxy writes what it captured of a header within braces.
        let is_haproxy = escapes == Escapes::Backslash && format.contains("{$");
        let escapes = if is_haproxy { Escapes::Hash } else { escapes };
        let mut parts = Vec::new();
        let mut rest = format;
        while let Some(place) = rest.find('$') {
            let (literal, after) = rest.split_at(place);
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.as_bytes().to_vec()));
            }
            let (name, behind) = variable(&after[1..])
                .ok_or_else(|| Malformed::Directive(after.chars().take(20).collect()))?;
            parts.push(Part::Field(slot(name)));
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.as_bytes().to_vec()));
        }
        Format::of_parts(&parts, escapes)
    }
}

/// Returns the name of a variable, with or without braces, and the rest.
fn variable(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = if let Some(inner) = text.strip_prefix('{') {
        inner.split_once('}')?
    } else {
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        text.split_at(text.find(|character| !is_part(character)).unwrap_or(text.len()))
    };
    (!name.is_empty()).then_some((name, rest))
}

fn slot(name: &str) -> Slot {
    match name {
        "remote_addr" => Slot::Address,
        "realip_remote_addr" => Slot::Peer,
        "proxy_protocol_addr" => Slot::Reported,
        // No variable of nginx: the form in which load balancers write it.
        "client_and_port" => Slot::AddressAndPort,
        "proxy_add_x_forwarded_for" => Slot::Forwarded,
        "host" | "server_name" => Slot::Host,
        "server_port" => Slot::Port,
        "scheme" => Slot::Scheme,
        "time_local" | "time_iso8601" | "msec" => Slot::Time,
        "request" => Slot::Request,
        "request_method" => Slot::Method,
        "request_uri" => Slot::Target,
        "uri" | "document_uri" => Slot::Path,
        "args" | "query_string" => Slot::Query,
        "status" => Slot::Status,
        "body_bytes_sent" | "bytes_sent" => Slot::Bytes,
        _ => match name.strip_prefix("http_") {
            Some(name) => of_header(name.as_bytes()),
            None => ["sent_http_", "upstream_http_"]
                .iter()
                .find_map(|prefix| name.strip_prefix(prefix))
                .map_or(Slot::Other, |name| of_answer(name.as_bytes())),
        },
    }
}

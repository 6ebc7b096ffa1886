//! Formats that servers write by default, by name, and which of them a log has.

use super::clf::{Before, Clf};
use super::entry::{Entry, Slot};
use super::format::Format;
use super::lines::MOST_LINE_BYTES;
use super::text::Escapes;

/// A format with a name.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Who writes it.
    pub about: &'static str,
    written: Written,
}

#[derive(Clone, Copy, Debug)]
enum Written {
    Clf(&'static str, Clf),
    Nginx(&'static str),
    Json(&'static [(&'static str, Slot)]),
    W3c,
}

/// The formats; of two that read a log equally well, the one that comes first is detected.
pub const KNOWN: &[Known] = &[
    Known {
        name: "combined-with-host-and-port",
        about: "Apache on Debian: vhost_combined",
        written: Written::Clf(
            r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#,
            Clf { before: Before::HostAndPort, is_combined: true },
        ),
    },
    Known {
        name: "combined-with-host",
        about: "Combined behind the name of the host",
        written: Written::Clf(
            r#"%v %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#,
            Clf { before: Before::Host, is_combined: true },
        ),
    },
    Known {
        name: "combined",
        about: "Apache and nginx: combined, also with more fields behind it",
        written: Written::Clf(
            r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#,
            Clf { before: Before::Nothing, is_combined: true },
        ),
    },
    Known {
        name: "common-with-host-and-port",
        about: "Common behind host and port",
        written: Written::Clf(
            r#"%v:%p %h %l %u %t "%r" %>s %b"#,
            Clf { before: Before::HostAndPort, is_combined: false },
        ),
    },
    Known {
        name: "common-with-host",
        about: "Apache: vhost_common, without User-Agent",
        written: Written::Clf(
            r#"%v %h %l %u %t "%r" %>s %b"#,
            Clf { before: Before::Host, is_combined: false },
        ),
    },
    Known {
        name: "common",
        about: "Apache: common, without User-Agent",
        written: Written::Clf(
            r#"%h %l %u %t "%r" %>s %b"#,
            Clf { before: Before::Nothing, is_combined: false },
        ),
    },
    Known {
        name: "w3c",
        about: "W3C extended: IIS, and standard logs of CloudFront",
        written: Written::W3c,
    },
    Known {
        name: "aws-alb",
        about: "Application Load Balancer of AWS",
        written: Written::Nginx(concat!(
            "$type $time_iso8601 $elb $client_and_port $target $a $b $c $status $d $e ",
            "$body_bytes_sent \"$request\" \"$http_user_agent\"",
        )),
    },
    Known {
        name: "aws-elb",
        about: "Classic Load Balancer of AWS",
        written: Written::Nginx(concat!(
            "$time_iso8601 $elb $client_and_port $target $a $b $c $status $d $e $body_bytes_sent ",
            "\"$request\" \"$http_user_agent\"",
        )),
    },
    Known {
        name: "caddy",
        about: "Caddy: JSON",
        written: Written::Json(&[
            ("ts", Slot::Time),
            ("logger", Slot::Logger),
            ("request.client_ip", Slot::Address),
            ("request.remote_ip", Slot::Address),
            ("request.remote_addr", Slot::AddressAndPort),
            ("request.host", Slot::Host),
            ("request.method", Slot::Method),
            ("request.uri", Slot::Target),
            ("request.headers.User-Agent", Slot::UserAgent),
            ("request.headers.Signature", Slot::Signature),
            ("request.headers.Signature-Input", Slot::SignatureInput),
            ("request.headers.Signature-Agent", Slot::SignatureAgent),
            ("resp_headers.Retry-After", Slot::RetryAfter),
            ("request.headers.Referer", Slot::Referer),
            ("request.headers.X-Forwarded-For", Slot::Forwarded),
            ("status", Slot::Status),
            ("size", Slot::Bytes),
        ]),
    },
    Known {
        name: "cloudflare",
        about: "Cloudflare Logpush: HTTP requests, JSON",
        written: Written::Json(&[
            ("EdgeStartTimestamp", Slot::Time),
            ("ClientIP", Slot::Address),
            ("ClientRequestHost", Slot::Host),
            ("ClientRequestScheme", Slot::Scheme),
            ("ClientRequestMethod", Slot::Method),
            ("ClientRequestURI", Slot::Target),
            ("ClientRequestUserAgent", Slot::UserAgent),
            ("ClientRequestReferer", Slot::Referer),
            ("EdgeResponseStatus", Slot::Status),
            ("EdgeResponseBytes", Slot::Bytes),
        ]),
    },
    Known {
        name: "traefik",
        about: "Traefik: JSON",
        written: Written::Json(&[
            ("StartUTC", Slot::Time),
            ("time", Slot::Time),
            ("ClientHost", Slot::Address),
            ("ClientAddr", Slot::AddressAndPort),
            ("RequestHost", Slot::Host),
            ("RequestScheme", Slot::Scheme),
            ("RequestMethod", Slot::Method),
            ("RequestPath", Slot::Target),
            ("request_User-Agent", Slot::UserAgent),
            ("request_Signature", Slot::Signature),
            ("request_Signature-Input", Slot::SignatureInput),
            ("request_Signature-Agent", Slot::SignatureAgent),
            ("downstream_Retry-After", Slot::RetryAfter),
            ("request_Referer", Slot::Referer),
            ("request_X-Forwarded-For", Slot::Forwarded),
            ("DownstreamStatus", Slot::Status),
            ("DownstreamContentSize", Slot::Bytes),
        ]),
    },
    Known {
        name: "fastly",
        about: "Fastly: the JSON that its documentation proposes",
        written: Written::Json(&[
            ("timestamp", Slot::Time),
            ("client_ip", Slot::Address),
            ("host", Slot::Host),
            ("request_method", Slot::Method),
            ("url", Slot::Target),
            ("request_user_agent", Slot::UserAgent),
            ("request_referer", Slot::Referer),
            ("response_status", Slot::Status),
            ("response_body_size", Slot::Bytes),
        ]),
    },
    Known {
        name: "nginx-json",
        about: "nginx with escape=json and its own variables as names",
        written: Written::Json(&[
            ("time_iso8601", Slot::Time),
            ("msec", Slot::Time),
            ("time_local", Slot::Time),
            ("remote_addr", Slot::Address),
            ("http_x_forwarded_for", Slot::Forwarded),
            ("http_host", Slot::Host),
            ("host", Slot::Host),
            ("server_name", Slot::Host),
            ("scheme", Slot::Scheme),
            ("request", Slot::Request),
            ("request_method", Slot::Method),
            ("request_uri", Slot::Target),
            ("http_user_agent", Slot::UserAgent),
            ("http_referer", Slot::Referer),
            ("http_signature", Slot::Signature),
            ("http_signature_input", Slot::SignatureInput),
            ("http_signature_agent", Slot::SignatureAgent),
            ("sent_http_retry_after", Slot::RetryAfter),
            ("status", Slot::Status),
            ("body_bytes_sent", Slot::Bytes),
            ("bytes_sent", Slot::Bytes),
        ]),
    },
    Known {
        name: "json",
        about: "JSON with other usual names: ingress-nginx, Logstash, the Elastic Common Schema, Google Cloud",
        written: Written::Json(USUAL),
    },
];

/// The names that many give to what a server logs, those first that say it best: the example of
/// ingress-nginx, Logstash's patterns for Apache, the Elastic Common Schema, HttpRequest of Google Cloud.
const USUAL: &[(&str, Slot)] = &[
    ("@timestamp", Slot::Time),
    ("time_iso8601", Slot::Time),
    ("time_local", Slot::Time),
    ("msec", Slot::Time),
    ("timestamp", Slot::Time),
    ("time", Slot::Time),
    ("ts", Slot::Time),
    ("date", Slot::Time),
    ("client.ip", Slot::Address),
    ("source.ip", Slot::Address),
    ("source.address", Slot::Address),
    ("httpRequest.remoteIp", Slot::Address),
    ("remote_addr", Slot::Address),
    ("remote_ip", Slot::Address),
    ("client_ip", Slot::Address),
    ("clientip", Slot::Address),
    ("ip", Slot::Address),
    ("http_x_forwarded_for", Slot::Forwarded),
    ("x_forwarded_for", Slot::Forwarded),
    ("x-forwarded-for", Slot::Forwarded),
    ("x-forward-for", Slot::Forwarded),
    ("url.domain", Slot::Host),
    ("http_host", Slot::Host),
    ("vhost", Slot::Host),
    ("domain", Slot::Host),
    ("server_name", Slot::Host),
    ("host", Slot::HostOrMachine),
    ("url.scheme", Slot::Scheme),
    ("scheme", Slot::Scheme),
    ("request", Slot::Request),
    ("http.request.method", Slot::Method),
    ("httpRequest.requestMethod", Slot::Method),
    ("request_method", Slot::Method),
    ("http_method", Slot::Method),
    ("method", Slot::Method),
    ("verb", Slot::Method),
    ("url.original", Slot::Target),
    ("httpRequest.requestUrl", Slot::Target),
    ("request_uri", Slot::Target),
    ("url", Slot::Target),
    ("uri", Slot::Target),
    ("url.path", Slot::Path),
    ("path", Slot::Path),
    ("url.query", Slot::Query),
    ("request_query", Slot::Query),
    ("query_string", Slot::Query),
    ("args", Slot::Query),
    ("http.response.status_code", Slot::Status),
    ("httpRequest.status", Slot::Status),
    ("status", Slot::Status),
    ("status_code", Slot::Status),
    ("response_code", Slot::Status),
    ("response", Slot::Status),
    ("http.response.body.bytes", Slot::Bytes),
    ("httpRequest.responseSize", Slot::Bytes),
    ("body_bytes_sent", Slot::Bytes),
    ("bytes_sent", Slot::Bytes),
    ("bytes", Slot::Bytes),
    ("size", Slot::Bytes),
    ("http.request.referrer", Slot::Referer),
    ("httpRequest.referer", Slot::Referer),
    ("http_referer", Slot::Referer),
    ("http_referrer", Slot::Referer),
    ("referer", Slot::Referer),
    ("referrer", Slot::Referer),
    ("user_agent.original", Slot::UserAgent),
    ("httpRequest.userAgent", Slot::UserAgent),
    ("http_user_agent", Slot::UserAgent),
    ("user_agent", Slot::UserAgent),
    ("useragent", Slot::UserAgent),
    ("agent", Slot::UserAgent),
    ("sent_http_retry_after", Slot::RetryAfter),
    ("retry_after", Slot::RetryAfter),
];

impl Known {
    /// Returns how it is written: a `LogFormat`, a `log_format`, or the paths in a line of JSON and
    /// what stands there.
    #[must_use]
    pub fn written(&self) -> String {
        match self.written {
            Written::Clf(written, _) | Written::Nginx(written) => written.to_owned(),
            Written::Json(pairs) => {
                let pair = |(path, slot): &(&str, Slot)| format!("{path}: {}", slot.slug());
                pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
            }
            Written::W3c => "#Fields: …".to_owned(),
        }
    }

    /// Makes the format; `None` if its row is malformed, which a test excludes.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        match self.written {
            Written::Clf(_, clf) => Some(Format::clf(clf)),
            Written::Nginx(written) => Format::nginx(written, Escapes::Backslash).ok(),
            Written::Json(pairs) => Format::json(pairs).ok(),
            Written::W3c => Some(Format::w3c()),
        }
    }
}

/// Returns the format of a name.
#[must_use]
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// Returns the format in which most of some lines can be read; `None` if none can.
#[must_use]
pub fn detect(lines: &[&[u8]]) -> Option<&'static Known> {
    // Without that, a user's name could be taken for an address: `192.0.2.1 - ann lee [`.
    let has_address = |known: &Known, entry: &Entry<'_>| {
        let has_host =
            matches!(known.written, Written::Clf(_, clf) if clf.before != Before::Nothing);
        !has_host || entry.address().iter().any(|byte| b".:".contains(byte))
    };
    let read = |known: &Known| {
        let mut format = known.format()?;
        let mut has_agents = false;
        let is_entry = |line: &&&[u8]| match format.read(line) {
            Ok(Some(entry)) => {
                has_agents |= entry.has(Slot::UserAgent);
                has_address(known, &entry)
            }
            _ => false,
        };
        let count = lines.iter().filter(is_entry).count();
        // Lines may end before the User-Agent, but not all lines of this format do.
        let is_combined = matches!(known.written, Written::Clf(_, clf) if clf.is_combined);
        Some(if is_combined && !has_agents { (0, false) } else { (count, has_agents) })
    };
    // Of two that read as many lines, the one that finds User-Agents in them reads them better.
    let counted = KNOWN.iter().map(|known| (read(known).unwrap_or_default(), known));
    // The last of equal ones is the maximum, so the order is reversed.
    counted
        .rev()
        .max_by_key(|(found, _)| *found)
        .filter(|((count, _), _)| *count > 0)
        .map(|found| found.1)
}

/// How many lines of a block are examined to detect its format.
const MOST_EXAMINED: usize = 200;

/// Returns the format in which most of the first lines of a block can be read.
#[must_use]
pub fn detect_in(block: &[u8]) -> Option<&'static Known> {
    let mut lines = Vec::new();
    for line in block.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() && line.len() <= MOST_LINE_BYTES {
            lines.push(line);
        }
        if lines.len() == MOST_EXAMINED {
            break;
        }
    }
    detect(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: i64 = 971_211_336_000_000;

    /// Lines of each format, and what they say.
    const LINES: &[(&str, &[&str])] = &[
        (
            "combined",
            &[
                r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23 "-" "ExampleBot/1.0 (\"x\")""#,
                r#"192.0.2.1 - A B [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23 "-" "ExampleBot/1.0 (\"x\")" 0.02 extra"#,
            ],
        ),
        (
            "combined-with-host-and-port",
            &[
                r#"example.com:443 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23 "-" "ExampleBot/1.0 (\"x\")""#,
            ],
        ),
        (
            "combined-with-host",
            &[
                r#"example.com 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23 "-" "ExampleBot/1.0 (\"x\")""#,
            ],
        ),
        ("common", &[r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23"#]),
        (
            "common-with-host-and-port",
            &[
                r#"example.com:80 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23"#,
            ],
        ),
        (
            "common-with-host",
            &[
                r#"example.com 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23"#,
            ],
        ),
        (
            "w3c",
            &[
                "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-bytes",
                "2000-10-10 20:55:36 198.51.100.1 GET /a b 443 - 192.0.2.1 ExampleBot/1.0+(\"x\") 200 23",
                "#Fields: date\ttime\tc-ip\tcs-method\tcs(Host)\tcs-uri-stem\tsc-status\tcs(User-Agent)\tcs-uri-query\tx-host-header\tsc-bytes",
                "2000-10-10\t20:55:36\t192.0.2.1\tGET\td1.example\t/a\t200\tExampleBot/1.0%20(%22x%22)\tb\texample.com\t23",
            ],
        ),
        (
            "aws-alb",
            &[
                r#"h2 2000-10-10T20:55:36.000000Z app/lb/1 192.0.2.1:4711 10.0.0.1:80 0.0 0.1 0.0 200 200 57 23 "GET https://example.com:443/a?b HTTP/2.0" "ExampleBot/1.0 (\"x\")" ECDHE TLSv1.2 arn "Root=1""#,
            ],
        ),
        (
            "aws-elb",
            &[
                r#"2000-10-10T20:55:36.000000Z lb 192.0.2.1:4711 10.0.0.1:80 0.0 0.1 0.0 200 200 57 23 "GET https://example.com:443/a?b HTTP/1.1" "ExampleBot/1.0 (\"x\")" ECDHE TLSv1.2"#,
            ],
        ),
        (
            "caddy",
            &[
                r#"{"level":"info","ts":971211336.0,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","remote_port":"4711","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"example.com","uri":"/a?b","headers":{"Accept":["*/*"],"User-Agent":["ExampleBot/1.0 (\"x\")"]},"tls":{"resumed":false}},"bytes_read":0,"user_id":"","size":23,"status":200,"resp_headers":{"Server":["Caddy"]}}"#,
            ],
        ),
        (
            "cloudflare",
            &[
                r#"{"ClientIP":"192.0.2.1","ClientRequestHost":"example.com","ClientRequestMethod":"GET","ClientRequestURI":"/a?b","ClientRequestUserAgent":"ExampleBot/1.0 (\"x\")","EdgeResponseBytes":23,"EdgeResponseStatus":200,"EdgeStartTimestamp":971211336000000000}"#,
                r#"{"ClientIP":"192.0.2.1","ClientRequestURI":"/a?b","ClientRequestMethod":"GET","ClientRequestUserAgent":"ExampleBot/1.0 (\"x\")","EdgeResponseBytes":23,"EdgeResponseStatus":200,"EdgeStartTimestamp":"2000-10-10T20:55:36Z"}"#,
            ],
        ),
        (
            "traefik",
            &[
                r#"{"ClientAddr":"192.0.2.1:4711","ClientHost":"192.0.2.1","DownstreamContentSize":23,"DownstreamStatus":200,"RequestHost":"example.com","RequestMethod":"GET","RequestPath":"/a?b","StartUTC":"2000-10-10T20:55:36.000000000Z","request_User-Agent":"ExampleBot/1.0 (\"x\")","time":"2000-10-10T20:55:37Z"}"#,
            ],
        ),
        (
            "fastly",
            &[
                r#"{"timestamp":"2000-10-10T20:55:36+0000","client_ip":"192.0.2.1","host":"example.com","url":"/a?b","request_method":"GET","request_user_agent":"ExampleBot/1.0 (\"x\")","response_status":"200","response_body_size":"23"}"#,
            ],
        ),
        (
            "nginx-json",
            &[
                r#"{"time_local":"10/Oct/2000:13:55:36 -0700","remote_addr":"192.0.2.1","request":"GET /a?b HTTP/1.1","status":"200","body_bytes_sent":"23","http_user_agent":"ExampleBot/1.0 (\"x\")"}"#,
            ],
        ),
        (
            "json",
            &[
                r#"{"@timestamp":"2000-10-10T20:55:36Z","client":{"ip":"192.0.2.1"},"url":{"original":"/a?b","path":"/a","query":"b","domain":"example.com"},"http":{"request":{"method":"GET"},"response":{"status_code":200,"body":{"bytes":23}}},"user_agent":{"original":"ExampleBot/1.0 (\"x\")"}}"#,
            ],
        ),
    ];

    #[test]
    fn each_known_format_reads_its_lines_and_is_detected() {
        for (name, lines) in LINES {
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(detect(&lines).expect("a format").name, *name);
            let mut format = known(name).expect("a name").format().expect("well-formed");
            for line in lines.iter().filter(|line| line[0] != b'#') {
                format.read(b"").expect("an empty line");
                let shown = String::from_utf8_lossy(line);
                for directive in lines.iter().filter(|line| line[0] == b'#') {
                    let before = directive.contains(&b'\t') == line.contains(&b'\t');
                    if before {
                        assert!(format.read(directive).expect("a directive").is_none());
                    }
                }
                let entry = format.read(line).expect(&shown).expect(&shown);
                assert_eq!(entry.time, AT, "{shown}");
                assert_eq!(entry.status, Some(200), "{shown}");
                assert_eq!(entry.bytes, Some(23), "{shown}");
                assert_eq!(entry.address(), b"192.0.2.1", "{shown}");
                assert_eq!(entry.method().written, b"GET", "{shown}");
                let target = entry.target().decoded();
                let full = match entry.query().written {
                    b"" => target.into_owned(),
                    query => [&target, &b"?"[..], query].concat(),
                };
                let path = full.strip_prefix(b"https://example.com:443").unwrap_or(&full);
                assert_eq!(path, b"/a?b", "{shown}");
                if !name.starts_with("common") {
                    assert_eq!(entry.user_agent().decoded().as_ref(), b"ExampleBot/1.0 (\"x\")");
                }
            }
        }
        assert_eq!(LINES.len(), KNOWN.len());
    }

    #[test]
    fn what_is_no_log_has_no_format() {
        assert!(
            detect(&[b"User-agent: *", b"Disallow: /", b"", b"{}", b"[]", b"\0\xff"]).is_none()
        );
    }
}

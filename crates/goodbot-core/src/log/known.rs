//! Formats that servers write by default, by name, and which of them a log has.

mod json_formats;

use super::entry::{Entry, Slot};
use super::format::Format;
use super::format::clf::{Before, Clf};
use super::format::relayed;
use super::format::unescaped::Unescaped;
use super::lines::{MOST_LINE_BYTES, without_nuls};
use super::text::Escapes;
use json_formats::{
    AKAMAI, AZURE, CADDY, CLOUDFLARE, CLOUDFRONT, FASTLY, NGINX, Pairs, TRAEFIK, USUAL, VERCEL,
};

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
    Unescaped(&'static str, Unescaped),
    /// JSON behind time, level and logger.
    Console(Pairs),
    Nginx(&'static str),
    Json(Pairs),
    /// JSON whose values are percent-encoded.
    EncodedJson(Pairs),
    W3c,
    /// The same without its first lines, which are these.
    W3cOf(&'static str),
}

/// The formats; of two that read a log equally well, the one that comes first is detected.
pub const KNOWN: &[Known] = &[
    Known {
        name: "hypercorn",
        about: "Hypercorn: its default format, with a decoded path and no query",
        written: Written::Unescaped(
            r#"%h:port %l %u %t "%m %U 1.1" %s %b "%{Referer}i" "%{User-Agent}i""#,
            Unescaped::Hypercorn,
        ),
    },
    Known {
        name: "aiohttp",
        about: "aiohttp.web: its default format",
        written: Written::Unescaped(
            r#"%a %t "%r" %s %b "%{Referer}i" "%{User-Agent}i""#,
            Unescaped::Aiohttp,
        ),
    },
    Known {
        name: "haproxy",
        about: "HAProxy: httplog, with Host and User-Agent captured in this order",
        written: Written::Nginx(concat!(
            "$client_and_port [$time_local] $frontend $server $times $status $bytes_sent $a $b $state ",
            "$connections $queues {$host|$http_user_agent} \"$request\"",
        )),
    },
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
        about: "W3C extended: IIS, and standard logs of CloudFront and Akamai",
        written: Written::W3c,
    },
    Known {
        name: "cloudfront",
        about: "Amazon CloudFront: standard logs without the line #Fields, such as many that were joined",
        written: Written::W3cOf(concat!(
            "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem ",
            "sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) ",
            "x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes ",
            "time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type ",
            "cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte ",
            "x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start ",
            "sc-range-end",
        )),
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
        name: "aws-s3",
        about: "Amazon S3: server access logs",
        written: Written::Nginx(concat!(
            "$owner $bucket [$time_local] $remote_addr $requester $id $operation $key \"$request\" ",
            "$status $error $bytes_sent $size $total $turnaround \"$http_referer\" ",
            "\"$http_user_agent\" $version $host_id $signature $cipher $authentication $http_host",
        )),
    },
    Known {
        name: "istio",
        about: "Istio: its default format",
        written: Written::Nginx(concat!(
            "[$time_iso8601] \"$request\" $status $flags $details $termination \"$failure\" ",
            "$received $bytes_sent $duration $service_time \"$http_x_forwarded_for\" ",
            "\"$http_user_agent\" \"$id\" \"$host\" \"$upstream\" $cluster $upstream_local ",
            "$local $client_and_port $server $route",
        )),
    },
    Known {
        name: "envoy",
        about: "Envoy: its default format",
        written: Written::Nginx(concat!(
            "[$time_iso8601] \"$request\" $status $flags $received $bytes_sent $duration $service_time ",
            "\"$http_x_forwarded_for\" \"$http_user_agent\" \"$id\" \"$host\" \"$upstream\"",
        )),
    },
    Known {
        name: "nginx-proxy-manager",
        about: "Nginx Proxy Manager: proxy hosts",
        written: Written::Nginx(concat!(
            "[$time_local] $cache $upstream_status $status - $request_method $scheme $host ",
            "\"$request_uri\" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] ",
            "[Sent-to $server] \"$http_user_agent\" \"$http_referer\"",
        )),
    },
    Known {
        name: "bunny",
        about: "bunny.net: raw logs of its CDN, which have no method",
        written: Written::Nginx(concat!(
            "$cache|$status|$msec|$bytes_sent|$zone|$remote_addr|$http_referer|$request_uri|$edge|",
            "$http_user_agent|$id|$country",
        )),
    },
    Known {
        name: "google-cloud-storage",
        about: "Google Cloud Storage: usage logs, CSV",
        written: Written::Nginx(concat!(
            r#""$msec","$remote_addr","$type","$region","$request_method","$request_uri","$status","#,
            r#""$received","$bytes_sent","$taken","$host","$http_referer","$http_user_agent","$id","#,
            r#""$operation","$bucket","$object""#,
        )),
    },
    Known { name: "caddy", about: "Caddy: JSON", written: Written::Json(CADDY) },
    Known {
        name: "caddy-console",
        about: "Caddy: its encoder `console`, also with colours: time, level, logger and message before the JSON",
        written: Written::Console(CADDY),
    },
    Known {
        name: "cloudflare",
        about: "Cloudflare Logpush: HTTP requests, JSON",
        written: Written::Json(CLOUDFLARE),
    },
    Known { name: "traefik", about: "Traefik: JSON", written: Written::Json(TRAEFIK) },
    Known {
        name: "fastly",
        about: "Fastly: the JSON that its documentation proposes",
        written: Written::Json(FASTLY),
    },
    Known {
        name: "cloudfront-json",
        about: "Amazon CloudFront: standard logging (v2), JSON",
        written: Written::EncodedJson(CLOUDFRONT),
    },
    Known {
        name: "akamai",
        about: "Akamai: DataStream 2 and Cloud Monitor, JSON",
        written: Written::EncodedJson(AKAMAI),
    },
    Known {
        name: "azure",
        about: "Azure Monitor: access logs of Front Door, Application Gateway and App Service, JSON",
        written: Written::Json(AZURE),
    },
    Known { name: "vercel", about: "Vercel: log drains, NDJSON", written: Written::Json(VERCEL) },
    Known {
        name: "nginx-json",
        about: "nginx with escape=json and its own variables as names",
        written: Written::Json(NGINX),
    },
    Known {
        name: "json",
        about: "JSON with other usual names: ingress-nginx, Logstash, the Elastic Common Schema, Google Cloud, Istio, Kong, Netlify, pino-http",
        written: Written::Json(USUAL),
    },
];

impl Known {
    /// Returns how it is written: a `LogFormat`, a `log_format`, or the paths in a line of JSON and
    /// what stands there.
    #[must_use]
    pub fn written(&self) -> String {
        match self.written {
            Written::Clf(written, _) | Written::Unescaped(written, _) | Written::Nginx(written) => {
                written.to_owned()
            }
            Written::Json(pairs) | Written::Console(pairs) | Written::EncodedJson(pairs) => {
                let pair = |(path, slot): &(&str, Slot)| format!("{path}: {}", slot.slug());
                pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
            }
            Written::W3c => "#Fields: …".to_owned(),
            Written::W3cOf(fields) => fields.to_owned(),
        }
    }

    /// Makes the format; `None` if its row is malformed, which a test excludes.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        match self.written {
            Written::Clf(_, clf) => Some(Format::clf(clf)),
            Written::Unescaped(_, server) => Some(Format::unescaped(server)),
            Written::Console(pairs) => Format::console(pairs).ok(),
            Written::Nginx(written) => Format::nginx(written, Escapes::Backslash).ok(),
            Written::Json(pairs) => Format::json(pairs).ok(),
            Written::EncodedJson(pairs) => Format::encoded_json(pairs).ok(),
            Written::W3c => Some(Format::w3c()),
            Written::W3cOf(fields) => Format::w3c_of(fields).ok(),
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

/// Returns the format in which most of the first lines of a block can be read, or of the lines that these
/// have as texts.
#[must_use]
pub fn detect_in(block: &[u8]) -> Option<&'static Known> {
    let mut lines = Vec::new();
    for line in block.split(|byte| *byte == b'\n') {
        let line = without_nuls(line.strip_suffix(b"\r").unwrap_or(line));
        if !line.is_empty() && line.len() <= MOST_LINE_BYTES {
            lines.push(line);
        }
        if lines.len() == MOST_EXAMINED {
            break;
        }
    }
    detect(&lines).or_else(|| {
        let inner: Vec<Vec<u8>> = lines.iter().filter_map(|line| relayed::within(line)).collect();
        detect(&inner.iter().map(Vec::as_slice).collect::<Vec<_>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: i64 = 971_211_336_000_000;

    /// Lines of each format, and what they say.
    const LINES: &[(&str, &[&str])] = &[
        (
            "hypercorn",
            &[
                r#"[2000-10-10 20:55:36 +0000] [15379] [INFO] 192.0.2.1:4711 - - [10/Oct/2000:20:55:36 +0000] "GET /a?b 1.1" 200 23 "-" "ExampleBot/1.0 ("x")""#,
            ],
        ),
        (
            "aiohttp",
            &[
                r#"192.0.2.1 [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 23 "-" "ExampleBot/1.0 ("x")""#,
            ],
        ),
        (
            "haproxy",
            &[
                r#"<134>Oct 10 20:55:36 haproxy[24303]: 192.0.2.1:34942 [10/Oct/2000:20:55:36.000] f b/s 0/0/1/2/3 200 23 - - ---- 1/1/0/0/0 0/0 {example.com|ExampleBot/1.0 (#22x#22)} "GET /a?b HTTP/1.1""#,
            ],
        ),
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
            "cloudfront",
            &[
                "2000-10-10\t20:55:36\tFRA2\t23\t192.0.2.1\tGET\td1.example\t/a\t200\t-\tExampleBot/1.0%20(%22x%22)\tb\t-\tHit\tid\texample.com\thttps\t23\t0.1\t-\tTLSv1.3\tTLS\tHit\tHTTP/2.0\t-\t-\t4711\t0.1\tHit\ttext/html\t23\t-\t-",
            ],
        ),
        (
            "aws-s3",
            &[
                r#"owner bucket [10/Oct/2000:20:55:36 +0000] 192.0.2.1 - ID WEBSITE.GET.OBJECT a "GET /a?b HTTP/1.1" 200 - 23 23 7 6 "-" "ExampleBot/1.0 (\"x\")" - id - - - www.example.com - - -"#,
            ],
        ),
        (
            "envoy",
            &[
                r#"[2000-10-10T20:55:36.000Z] "GET /a?b HTTP/2" 200 - 0 23 226 100 "192.0.2.1" "ExampleBot/1.0 (\"x\")" "id" "example.com" "10.0.2.1:80""#,
            ],
        ),
        (
            "istio",
            &[
                r#"[2000-10-10T20:55:36.000Z] "GET /a?b HTTP/2" 200 - via_upstream - "-" 0 23 4 3 "192.0.2.1" "ExampleBot/1.0 (\"x\")" "id" "example.com" "10.0.2.1:80" outbound|80||a 10.0.0.1:1 10.0.0.2:80 192.0.2.1:4711 - default"#,
            ],
        ),
        (
            "nginx-proxy-manager",
            &[
                r#"[10/Oct/2000:13:55:36 -0700] - 200 200 - GET https example.com "/a?b" [Client 192.0.2.1] [Length 23] [Gzip -] [Sent-to 10.0.0.4] "ExampleBot/1.0 (\"x\")" "-""#,
            ],
        ),
        (
            "bunny",
            &[
                r#"HIT|200|971211336000|23|390|192.0.2.1|-|https://example.com:443/a?b|WA|ExampleBot/1.0 (\"x\")|322b|DE"#,
            ],
        ),
        (
            "google-cloud-storage",
            &[
                r#""971211336000000","192.0.2.1","1","","GET","/a?b","200","142","23","16000","example.com","","ExampleBot/1.0 (\"x\")","id","GET_Object","bucket","a""#,
            ],
        ),
        (
            "cloudfront-json",
            &[
                r#"{"date":"2000-10-10","time":"20:55:36","x-edge-location":"FRA2","sc-bytes":"23","c-ip":"192.0.2.1","cs-method":"GET","cs(Host)":"d1.example","cs-uri-stem":"/a","sc-status":"200","cs(Referer)":"-","cs(User-Agent)":"ExampleBot/1.0%20(%22x%22)","cs-uri-query":"b","x-host-header":"example.com"}"#,
            ],
        ),
        (
            "akamai",
            &[
                r#"{"version":1,"cp":"1","reqTimeSec":"971211336.000","bytes":"23","cliIP":"192.0.2.1","statusCode":"200","proto":"HTTPS","reqHost":"example.com","reqMethod":"GET","reqPath":"/a","queryStr":"b","UA":"ExampleBot%2F1.0+%28%22x%22%29"}"#,
            ],
        ),
        (
            "azure",
            &[
                r#"{"time":"2000-10-10T20:55:36.000Z","category":"FrontDoorAccessLog","properties":{"httpMethod":"GET","requestUri":"https://example.com:443/a?b","responseBytes":"23","userAgent":"ExampleBot/1.0 (\"x\")","clientIp":"198.51.100.7","socketIp":"192.0.2.1","httpStatusCode":"200"}}"#,
            ],
        ),
        (
            "vercel",
            &[
                r#"{"id":"1","timestamp":971211337000,"source":"edge","host":"x.vercel.app","proxy":{"timestamp":971211336000,"method":"GET","scheme":"https","host":"example.com","path":"/a?b","userAgent":["ExampleBot/1.0 (\"x\")"],"statusCode":200,"clientIp":"192.0.2.1","responseByteSize":23}}"#,
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
            "caddy-console",
            &[
                "2000/10/10 20:55:36.000\t\u{1b}[34mINFO\u{1b}[0m\thttp.log.access.log0\thandled request\t{\"request\": {\"remote_ip\": \"192.0.2.1\", \"method\": \"GET\", \"host\": \"example.com\", \"uri\": \"/a?b\", \"headers\": {\"User-Agent\": [\"ExampleBot/1.0 (\\\"x\\\")\"]}}, \"size\": 23, \"status\": 200}",
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
                assert!(*name == "envoy" || entry.address() == b"192.0.2.1", "{shown}");
                assert!(*name == "bunny" || entry.method().written == b"GET", "{shown}");
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

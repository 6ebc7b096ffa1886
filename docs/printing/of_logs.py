"""The page on the formats of logs, from the core's table."""

from collections.abc import Iterator

from goodbot.site.logs import LOG_FORMATS
from goodbot.site.logs.log_format import LOG_FIELDS
from printing.as_markdown import code, table

__all__ = ["logs_page"]

COLUMNS = {
    "line": ("int64", "The number of the line in its file, from 1"),
    "source": ("dictionary of strings", "The file"),
    "time": ("timestamp[us, UTC]", "When the request came, or was answered: servers differ"),
    "address": ("string", "The address of the client, or its host name"),
    "host": (
        "string",
        "The host, with a port that is not the default one; null if neither the log nor you name one",
    ),
    "scheme": ("string", "`http` or `https`; null if it is not known"),
    "method": ("string", "The method; empty if the line states no request"),
    "target": (
        "string",
        "The target with its query, as sent; bytes that are not UTF-8 are percent-encoded",
    ),
    "status": ("int16", "The status; null if the log has none"),
    "bytes": ("int64", "The bytes that were sent; null if the log has none"),
    "user_agent": ("dictionary of strings", "The User-Agent"),
    "robot": (
        "dictionary of strings",
        "The name of the [known robot](known-robots.md); null for others",
    ),
    "retry_after": ("string", "The field Retry-After of the answer; null in most logs"),
    "challenge": (
        "string",
        "What shows that a firewall answered with a challenge, in a word; null in most logs",
    ),
    "signature": ("string", "The field Signature of the request; null in most logs"),
    "signature_input": ("string", "The field Signature-Input of the request; null in most logs"),
    "signature_agent": ("string", "The field Signature-Agent of the request; null in most logs"),
}


def logs_page() -> Iterator[str]:
    """Yield the formats, and the columns of a table of requests."""
    yield "# Formats of logs"
    yield ""
    yield "For anyone who reads the access logs of a web server with `goodbot.site.logs`."
    yield ""
    yield (
        "Looking for your server? Its row in the first table has the name of the format. Looking "
        "for a format of your own? See [below](#a-format-of-your-own). Looking for a column of the "
        "tables of requests? See [the last table](#tables-of-requests)."
    )
    yield ""
    yield (
        "The format of each file is detected from its first lines; of two that fit equally well, "
        "the first in this table is used. Fields behind those of a format are ignored, but for "
        "addresses in quotation marks behind the User-Agent, which are read as X-Forwarded-For: "
        "nginx' packages write them there. In Common and Combined, each line says for itself "
        "whether it has a User-Agent, and whether a host comes before the address, behind it "
        "(lighttpd), or behind the size."
    )
    yield ""
    yield from table(
        ("Format", "Who writes it", "How it is written"),
        [(code(one.name), one.about, code(one.written)) for one in LOG_FORMATS],
    )
    yield ""
    yield from own_format()
    yield ""
    yield from server_parts()
    yield from result_parts()


def own_format() -> Iterator[str]:
    """Yield how a format is named that is in no row, and how times and hosts are read."""
    yield "## A format of your own"
    yield ""
    yield (
        "Copy the directive from the configuration of the server: `log_format` of nginx, with its "
        "`escape`, or `LogFormat` of Apache. The text of the format alone is understood, too: with "
        "`$` it is one of nginx (if it begins with `{`, written with `escape=json`), with `%` one "
        "of Apache. For other lines of JSON, pass a mapping in JSON from the path "
        'of a value to what it is, such as `{"ts": "time", "req.uri": "target"}`: '
        f"{', '.join(map(code, LOG_FIELDS))}. For a W3C extended log that lacks its "
        "first lines, pass the line that begins with `#Fields:`. A format needs a time and a target, and something "
        "between two fields."
    )
    yield ""
    yield (
        "Times are read in the form of the Common Log Format, as RFC 3339, or as a number of "
        "seconds, milliseconds, microseconds or nanoseconds since 1970. A time that states no zone "
        "is read as UTC: if your server writes local times, let it write the zone, too (`%z`), or "
        "the times are wrong by hours, and with them what an audit says. A log without a host is "
        "about the first of the sites that you name; a host that belongs to one of them has its "
        "scheme and port. A port other than 80 that is not that of a site belongs to another "
        "site, unless you name it as one that the server has behind a proxy (`--server-port`, "
        "`server_ports`)."
    )


def server_parts() -> Iterator[str]:
    """Yield what is said of single servers."""
    yield "## What some servers omit, or write in another form"
    yield ""
    yield (
        "- CloudFront: the standard logs in the output formats `w3c` and JSON are read, and what a "
        "client sent percent-encoded, which CloudFront encodes once more, is decoded once. Parquet "
        "is refused. Real-time logs do not name their fields: name them in the format, in their "
        "order, such as `#Fields: timestamp c-ip sc-status cs-method cs-host cs-uri-stem "
        "cs-user-agent`."
    )
    yield (
        "- Addresses that proxies report: the address that connected counts, unless you say with "
        "`proxies` that it is a proxy's, or the log has no other. Then a field that names the client "
        "alone is the address (X-Real-IP, CF-Connecting-IP, True-Client-IP, `$proxy_protocol_addr`), "
        "or the last address of X-Forwarded-For, which the nearest proxy added; with `proxies=1`, "
        "the list comes before the field, and with `proxies=2`, the last but one counts. "
        "`$realip_remote_addr` and `%{c}a` are used where nothing else is."
    )
    yield (
        "- HAProxy: its log has a User-Agent only where `capture request header` names it, in the "
        "order of these lines. Name the format with it: `$client_and_port [$time_local] $frontend "
        "$server $times $status $bytes_sent $a $b $state $connections $queues "
        '{$host|$http_user_agent} "$request"`.'
    )
    yield (
        "- Logs of Heroku's router, of Squid in its own format, of IIS in its own format, "
        "and of uvicorn have no User-Agent, so that no robot is known in them. Logs of Network Load "
        "Balancers and of AWS WAF do not say how requests were answered. They are refused with what "
        "to do instead."
    )
    yield from named_server_parts()


def named_server_parts() -> Iterator[str]:
    """Yield what is said of Traefik, Caddy and W3C, and of what hands lines on."""
    yield (
        "- Traefik (seen with 3.7.13): in its formats `common` and `genericCLF` only the quotation "
        "marks of Referer and User-Agent are escaped, so that a line is read from its end, too. "
        "Neither they nor `json` have header fields by default. Set `User-Agent` to `keep` in "
        "`accessLog.fields.headers.names`; without it, no robot is known. Lines of `genericCLF` "
        "look like Apache's, so that no note says that Traefik has cleaned their paths."
    )
    yield (
        "- Caddy: of a log that has all of its messages, only those of `http.log.access` are "
        "requests. Times of the kinds `wall`, `wall_milli` and `wall_nano` state no zone, and are "
        "read as UTC; omit `time_format`."
    )
    yield (
        "- W3C: lines need a date. The directive `#Date` is not taken for it, since the lines "
        "below it may be of the next day. Where IIS Advanced Logging writes only `date-local` and "
        "`time-local`, they are read as UTC, and the requests count as without a time zone."
    )
    yield (
        "- What others write before a line is skipped: syslog (RFC 3164 and RFC 5424, on the wire, "
        "in files, and as Fastly writes it), the logs of containers in Kubernetes (`stdout F`), and "
        "`docker compose logs` (`web-1  | `), and PM2. A line may also be a text within a line of JSON: in "
        "`log`, as Docker's driver `json-file` writes it, in `message` (Filebeat) or `textPayload` "
        "(Google Cloud). Lines that a container runtime has split are not joined."
    )
    yield (
        "- Files may be compressed with gzip, bzip2, xz or zstd, and written in UTF-16 with a byte "
        "order mark, as PowerShell does. NULs before a line are skipped: a log that was copied and "
        "truncated has them."
    )
    yield ""


def result_parts() -> Iterator[str]:
    """Yield what is said of lines that cannot be read, and of the tables."""
    yield "## Lines that cannot be read"
    yield ""
    yield (
        "They are counted by reason, the first few are kept to be shown, and the reading goes on: "
        "`form` (not the form of the format), `time` (no time), `value` (a status or a number of "
        "bytes that is none), `length` (longer than 768 KiB). `log_notes` says in words what makes the "
        "requests wrong or useless: no addresses, no User-Agents, or two files that begin with the "
        "same lines, such as a log and its compressed copy, whose requests are counted twice."
    )
    yield ""
    yield "## Tables of requests"
    yield ""
    yield (
        "`LogReader.requests` yields the requests of robots in batches with the Arrow PyCapsule "
        "interface. Requests of people are only counted. A robot is known by its User-Agent, which "
        "anyone can send."
    )
    yield ""
    rows = [(code(name), kind, about) for name, (kind, about) in COLUMNS.items()]
    yield from table(("Column", "Type", "Meaning"), rows)

r"""Files that are no access log in a form that is read: what each is, and what to do.

Scope: from the first bytes of a file to a sentence. What is listed here holds no requests, or says
too little about them to know a robot by.

>>> other_file(b"PK\x03\x04...")
'is a ZIP archive; unpack it'
>>> other_file(b"192.0.2.1 - - [")

Source: Amazon CloudFront Developer Guide, Standard logging (v2), output formats, Real-time logs;
AWS, Access logs for Network Load Balancers, Logging web ACL traffic; HAProxy, HTTP log format;
Heroku, HTTP routing; Squid, native log format; IIS log file format; nginx, `error_log`; Apache
HTTP Server 2.4, Error Log.
"""

import re

__all__ = ["ARCHIVES", "OTHER_LOGS", "archive", "other_file"]

JQ = "write one object on each line, as jq does:"
CAPTURED = (
    "'$client_and_port [$time_local] $frontend $server $times $status $bytes_sent $a $b $state "
    '$connections $queues {$host|$http_user_agent} "$request"\''
)

ARCHIVES = (
    (rb"PAR1", "is a Parquet file; export the log as lines of text"),
    (rb"PK\x03\x04", "is a ZIP archive; unpack it"),
    (rb"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it"),
    (rb"(?s).{257}ustar", "is a tar archive; unpack it"),
    (rb"\x04\x22\x4d\x18", "is compressed with lz4; decompress it"),
    (rb"\x1f\x9d", "is compressed with compress; decompress it"),
)
"""How files begin that have no lines, and what they are."""

OTHER_LOGS = (
    (
        rb"\d{9,10}\.\d{3}\t[^\t\n]*\t",
        (
            "looks like a real-time log of CloudFront, which does not name its fields; name them "
            "in the format, in their order: '#Fields: timestamp c-ip …'"
        ),
    ),
    (
        rb"(?:tls|tcp) \d\.\d \d{4}-\d\d-\d\dT[\d:]+ net/",
        (
            "is a log of a Network Load Balancer, which knows connections and no requests; use the "
            "log of the server behind it"
        ),
    ),
    (
        rb'\{"timestamp":\d+,"formatVersion":\d+,"webaclId"',
        (
            "is a log of AWS WAF, which does not say how requests were answered; use the log of "
            "what it protects: CloudFront, or the load balancer"
        ),
    ),
    (
        rb"[^\n]*heroku\[router\]: ",
        (
            "is a log of Heroku's router, which has no User-Agent; without it, no robot is known. "
            "Let the application write a log"
        ),
    ),
    (
        rb"(?:[^\n]* )?\S+:\d+ \[\d\d/\w{3}/\d{4}:[\d:.]+\] \S+ \S+/\S+ -?\d+/",
        (
            "is a log of HAProxy, which has only the header fields that it captures; capture Host "
            "and User-Agent, in this order, and the log is read. If it captures others, name the "
            f"format, such as {CAPTURED}"
        ),
    ),
    (
        rb"\d{9,10}\.\d{3} +-?\d+ \S+ [A-Z_]+/\d{3} \d+ [A-Z]+ ",
        (
            "is a log of Squid in its own format, which has no User-Agent; without it, no robot is "
            "known. Let Squid write the format combined"
        ),
    ),
    (
        rb"[\d.]+, [^,\n]*, \d+/\d+/\d+, \d+:\d+:\d+, W3SVC",
        (
            "is a log in IIS' own format, which has no User-Agent; without it, no robot is known. "
            "Let IIS write the format W3C"
        ),
    ),
    (
        rb'INFO:\s+\S+:\d+ - "[A-Z]+ ',
        (
            "is a log of uvicorn, which has neither times nor User-Agents; log in the proxy before "
            "it, or with goodbot.site.gate"
        ),
    ),
    (
        rb"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#|\[\w{3} \w{3} +\d+ [\d:.]+ \d{4}\] \[",
        "is an error log; name the access log",
    ),
    (
        rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [\d.:A-Fa-f]+ [A-Z]+ /",
        (
            "looks like a W3C extended log without its first lines; name its fields in the "
            "format, in their order: '#Fields: date time s-ip cs-method …'"
        ),
    ),
    (
        rb"(?i)[^\n\[{]{1,500},[^\n\[{]{0,500}\b(?:c_?ip|client_?ip|status|uri|url|user.?agent)\b",
        (
            "looks like CSV; name the format by its columns, in their order: "
            "'$time_iso8601,$remote_addr,$request_method,$request_uri,$status,$http_user_agent'"
        ),
    ),
    (rb'(?i)\s*\{\s*"records"\s*:', f"is one object of JSON; {JQ} jq -c '.records[]'"),
    (rb"\s*\[\s*\{", f"is one array of JSON; {JQ} jq -c '.[]'"),
    (rb"\s*\{\s*\n", f"has objects of JSON over several lines; {JQ} jq -c ."),
    (rb"(?i)\s*<(?:!doctype|html|\?xml)", "is a document of HTML or XML, and not a log"),
    (rb"(?i)(?:#[^\n]*\n|\s)*user-agent:", "is a robots.txt, and not a log"),
)
"""How files begin that have lines in another form, and what they are."""


def archive(begin: bytes) -> str | None:
    """Return what a file without lines is, and what to do; `None` if it is not known as one."""
    return found_in(ARCHIVES, begin)


def other_file(begin: bytes) -> str | None:
    """Return what a file in which no format was found is; `None` if it is not known."""
    return archive(begin) or found_in(OTHER_LOGS, begin)


def found_in(table: tuple[tuple[bytes, str], ...], begin: bytes) -> str | None:
    """Return the sentence of the first row that fits."""
    return next((fault for pattern, fault in table if re.match(pattern, begin)), None)

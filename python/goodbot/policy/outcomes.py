"""The outcomes of a request for robots.txt: their names and meanings.

Scope: the names, what each means, and which status or failure has which. What an outcome leads to
is in the table of each dialect, in `outcome_tables`.
"""

from goodbot.errors import WrongTypeError, WrongValueError

__all__ = [
    "FAILED",
    "FAILURES",
    "FILES",
    "OUTCOMES",
    "class_outcome",
    "failure_outcome",
    "reasons",
    "status_outcome",
]

OUTCOMES: dict[str, tuple[str, str]] = {
    "found": ("200", "robots.txt was found, and its rules apply."),
    "found-otherwise": ("201, 203 to 299", "A successful response other than 200 has a file."),
    "not-text": ("2xx", "The response is not of a text type."),
    "no-disallow": ("2xx", "The file has no Disallow line."),
    "empty": ("2xx", "The file is empty, or the response has no content (204, 205)."),
    "not-robots-txt": ("2xx", "The content has no robots.txt field: it is a page, or garbage."),
    "unreadable": (
        "2xx",
        "The content is compressed or in UTF-16, so no rule can be read.",
    ),
    "incomplete": ("206, 226", "The server sent only a part of the file, or a difference."),
    "cut-short": ("2xx", "The file exceeds the limit, and no complete line fits within it."),
    "not-yet": ("202", "The request was accepted, but there is no result yet."),
    "challenge": ("any", "A challenge of a firewall came instead of the file."),
    "not-modified": ("304", "The stored copy is current."),
    "not-modified-without-copy": (
        "304",
        "The status is 304, but no such copy is stored, or no condition was sent.",
    ),
    "redirect-not-followed": ("3xx", "A redirect was not followed, although it could be."),
    "redirect-without-location": ("3xx", "A redirect has no Location."),
    "redirect-malformed": ("3xx", "A redirect has an invalid address."),
    "redirect-to-other-scheme": ("3xx", "A redirect leads to neither http nor https."),
    "redirect-loop": ("3xx", "The redirects form a loop."),
    "redirects-too-many": ("3xx", "There are more redirects in a row than are followed."),
    "unauthorized": ("401", "The server requires a password."),
    "payment-required": ("402", "The server requires payment."),
    "forbidden": ("403", "The server refuses access to robots.txt."),
    "not-found": ("404", "There is no robots.txt."),
    "gone": ("410", "robots.txt is gone for good."),
    "too-many-requests": ("429", "The server asks for fewer requests."),
    "legal-reasons": ("451", "robots.txt is withheld for legal reasons."),
    "client-error": ("400 to 499", "The server rejects the request for another reason."),
    "service-unavailable": ("503", "The server cannot respond at the moment."),
    "server-error": ("500 to 599", "The server failed."),
    "informational": ("100 to 199", "An interim response came instead of a final one."),
    "odd-status": ("others", "The number is not an HTTP status."),
    "failure-dns": ("", "The host name could not be resolved."),
    "failure-refused": ("", "The connection was refused."),
    "failure-reset": ("", "The connection was closed early."),
    "failure-tls": ("", "No TLS connection could be made."),
    "failure-timeout": ("", "The request timed out."),
    "failure-too-large": ("", "The response was too large."),
    "failure-bad-encoding": ("", "The content could not be decoded."),
    "failure-protocol-error": ("", "The response was not valid HTTP."),
    "failure-private-address": ("", "The address is not public; no request was made."),
    "failure-blocked-port": ("", "Browsers open no page at this port; no request was made."),
}
"""Every outcome: for which status, and what it means."""

OF_ACCESS: dict[str, str] = {
    "stale-copy": "robots.txt is unreachable; the stored copy still applies.",
    "long-unreachable": "robots.txt has been unreachable for so long that it counts as missing.",
}
"""Reasons other than outcomes: those that depend on the time since an outcome."""

FAILURES: tuple[str, ...] = tuple(
    name.removeprefix("failure-") for name in OUTCOMES if name.startswith("failure-")
)
"""The failures that `Policy.from_failure` knows."""

FAILED: dict[str, str] = {
    "dns": "the host name could not be resolved",
    "refused": "the connection was refused",
    "reset": "the connection was closed early",
    "tls": "no TLS connection could be made",
    "timeout": "the request timed out",
    "too-large": "the response was too large",
    "bad-encoding": "the content could not be decoded",
    "protocol-error": "the response was not valid HTTP",
    "private-address": "the address is not public",
    "blocked-port": "browsers open no page at this port",
}
"""Each failure as the end of a sentence."""

FILES = frozenset({"found", "found-otherwise", "not-text", "no-disallow", "empty"})
"""The outcomes with a file, for which the lifetimes of files are meant."""

OF_STATUS = {
    202: "not-yet",
    304: "not-modified",
    401: "unauthorized",
    402: "payment-required",
    403: "forbidden",
    404: "not-found",
    410: "gone",
    429: "too-many-requests",
    451: "legal-reasons",
    503: "service-unavailable",
}
OF_HUNDRED = {
    1: "informational",
    2: "found",
    3: "redirect-not-followed",
    4: "client-error",
    5: "server-error",
}


def status_outcome(status: int) -> str:
    """Name what a status means, as far as the number tells.

    Args:
        status: The status, any `int`.

    Returns:
        A name in `OUTCOMES`. For a success or a redirect, the content decides further.

    >>> status_outcome(404), status_outcome(418), status_outcome(599), status_outcome(999)
    ('not-found', 'client-error', 'server-error', 'odd-status')

    Source: RFC 9110 section 15.

    """
    return OF_STATUS.get(status) or class_outcome(status)


def class_outcome(status: int) -> str:
    """Name what the class of a status means.

    >>> class_outcome(202)
    'found'
    """
    return OF_HUNDRED.get(status // 100, "odd-status")


def failure_outcome(failure: object) -> str:
    """Name the outcome of a failure.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: It is none of `FAILURES`.

    >>> failure_outcome("dns")
    'failure-dns'
    """
    if not isinstance(failure, str):
        message = f"failure must be one of {', '.join(FAILURES)}, not {type(failure).__name__}"
        raise WrongTypeError(message)
    if failure not in FAILURES:
        message = f"there is no failure {failure[:60]!r}; use one of {', '.join(FAILURES)}"
        raise WrongValueError(message)
    return f"failure-{failure}"


def reasons() -> list[tuple[str, str]]:
    """List every reason that a policy can have, with its meaning.

    >>> dict(reasons())["not-found"]
    'There is no robots.txt.'
    """
    return [*((name, meaning) for name, (_, meaning) in OUTCOMES.items()), *OF_ACCESS.items()]

"""What can come of asking for robots.txt: every outcome has a name, and here is the list of them.

What may live here: the names, what each means, and which status or failure has which. What an
outcome leads to is not here: each dialect has a table of that, in `dialects`.
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
    "found": ("200", "robots.txt was found, and its rules hold."),
    "found-otherwise": ("201, 203 to 299", "A success other than 200 brought a file."),
    "not-text": ("2xx", "What was found is not of a text type."),
    "no-disallow": ("2xx", "What was found has no Disallow line."),
    "empty": ("2xx", "The file is empty, or there is no content (204, 205)."),
    "not-robots-txt": ("2xx", "What was found has no field of robots.txt: a page, or rubbish."),
    "unreadable": (
        "2xx",
        "What was found is compressed or in UTF-16, so that no rule can be read.",
    ),
    "incomplete": ("206, 226", "Only a part of the file was sent, or a difference to it."),
    "cut-short": ("2xx", "The file is over the limit, and no whole line stands within it."),
    "not-yet": ("202", "The request was accepted; there is no answer yet."),
    "challenge": ("any", "A challenge (`cf-mitigated: challenge`) came in place of an answer."),
    "not-modified": ("304", "The stored copy is still what the site has."),
    "not-modified-without-copy": (
        "304",
        "Not modified, but no such copy is stored, or no condition was sent.",
    ),
    "redirect-not-followed": ("3xx", "A redirect that could be followed was not."),
    "redirect-without-location": ("3xx", "A redirect that does not say where to."),
    "redirect-malformed": ("3xx", "A redirect to what is no address."),
    "redirect-to-other-scheme": ("3xx", "A redirect to neither http nor https."),
    "redirect-loop": ("3xx", "A redirect to where the way led already."),
    "redirects-too-many": ("3xx", "More redirects in a row than are followed."),
    "unauthorized": ("401", "The server asks for a password."),
    "payment-required": ("402", "The server asks for payment."),
    "forbidden": ("403", "The server refuses to show robots.txt."),
    "not-found": ("404", "There is no robots.txt."),
    "gone": ("410", "There is no robots.txt any more."),
    "too-many-requests": ("429", "The server asks to be asked less often."),
    "legal-reasons": ("451", "robots.txt is withheld for legal reasons."),
    "client-error": ("400 to 499", "The server rejects the request in another way."),
    "service-unavailable": ("503", "The server is not able to answer at the moment."),
    "server-error": ("500 to 599", "The server failed."),
    "informational": ("100 to 199", "An interim answer came where the final one should be."),
    "odd-status": ("others", "The number is no status of HTTP."),
    "failure-dns": ("", "The name of the host could not be resolved."),
    "failure-refused": ("", "The connection was refused."),
    "failure-reset": ("", "The connection broke off."),
    "failure-tls": ("", "No secure connection came about."),
    "failure-timeout": ("", "No answer came in time."),
    "failure-too-large": ("", "The answer was given up because it was too large."),
    "failure-bad-encoding": ("", "The content could not be decoded."),
    "failure-protocol-error": ("", "The answer was not HTTP."),
    "failure-private-address": ("", "The address is not public, and was not asked."),
}
"""Every outcome: for which status, and what it means."""

OF_ACCESS: dict[str, str] = {
    "stale-copy": "robots.txt is out of reach; the copy that is stored still holds.",
    "long-unreachable": "robots.txt has been out of reach so long that it counts as not there.",
}
"""Reasons beside the outcomes: those that the time since an outcome gives."""

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
}
"""Each failure as the end of a sentence."""

FILES = frozenset({"found", "found-otherwise", "not-text", "no-disallow", "empty"})
"""The outcomes in which there is a file, so that the lives of a file are meant for it."""

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
        A name in `OUTCOMES`. What a success or a redirect comes to, its content tells.

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
        WrongTypeError: It is no `str`.
        WrongValueError: It is none of `FAILURES`.

    >>> failure_outcome("dns")
    'failure-dns'
    """
    if not isinstance(failure, str):
        message = f"failure must be one of {', '.join(FAILURES)}, not {type(failure).__name__}"
        raise WrongTypeError(message)
    if failure not in FAILURES:
        message = f"there is no failure {failure[:60]!r}; give one of {', '.join(FAILURES)}"
        raise WrongValueError(message)
    return f"failure-{failure}"


def reasons() -> list[tuple[str, str]]:
    """List every reason that a policy can have, with its meaning.

    >>> dict(reasons())["not-found"]
    'There is no robots.txt.'
    """
    return [*((name, meaning) for name, (_, meaning) in OUTCOMES.items()), *OF_ACCESS.items()]

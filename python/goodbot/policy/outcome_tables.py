"""The policy dialects: what every outcome means in each, as data.

Scope: the tables, each row with its document, and how to look them up. No other code depends on
which dialect it is.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

from goodbot._core import Dialect
from goodbot.errors import UnknownDialectError, WrongTypeError
from goodbot.http.quoting import shortened
from goodbot.policy.dialects import DAY, LadderStep, Meaning, PolicyDialect, Treatment
from goodbot.policy.outcomes import OUTCOMES, status_outcome

__all__ = [
    "POLICY_DIALECTS",
    "AnswerMeaning",
    "is_about_file",
    "meaning_of",
    "missing_after",
    "policy_dialect",
    "status_table",
]

AnswerMeaning: TypeAlias = Literal["file", "free", "unreachable", "unclear"]
"""`file`: the robots.txt of the site. `free`: there is none, and everything may be fetched.
`unreachable`: the server failed. `unclear`: what the robot got is not in the log."""

OK = 200
EMPTY = frozenset({204, 205})
CLIENT_ERROR, SERVER_ERROR = 4, 5
UNSENT = frozenset({444, 460, 499})
"""Statuses that only a log has, as no answer was sent: the client had left (nginx: 499; load
balancers of AWS: 460), or the server closed the connection (nginx: 444)."""

LONGEST_DEFERRAL = 30 * DAY
"""The most seconds for which a Retry-After delays the next request for robots.txt: as long as an
unreachable robots.txt disallows everything (30 days in RFC 9309 section 2.3.1.4). The pace has a
limit of its own, `goodbot.http.retry_after.LONGEST_RETRY_AFTER`."""

HOUR = 3_600
MINUTE = 60

NOBODY = "no document: goodbot's careful choice"
FOUND = "RFC 9309 section 2.3.1.1"
REDIRECTS = "RFC 9309 section 2.3.1.2"
UNAVAILABLE = "RFC 9309 section 2.3.1.3"
UNREACHABLE = "RFC 9309 section 2.3.1.4"
PARSING = "RFC 9309 section 2.3.1.5"
GOOGLE_STATUS = "Google robots.txt specification, handling of errors and HTTP status codes"
DRAFT = "draft-koster-robots-00 section 3.1"
KOSTER = "Koster 1994, The Format"
ROBOT_UA = "LWP::RobotUA 6.84, simple_request"
YANDEX = "Yandex, robots.txt: HTTP 200 or the site is open"
HTTP = "RFC 9110 section 15"
NOT_YET = "RFC 9110 section 15.3.3; CCBot treats a 202 as an error"
CHALLENGED = "the documents of each vendor of firewalls; goodbot's careful choice"


def rows(treatment: Treatment, source: str, *outcomes: str) -> dict[str, Meaning]:
    """Return several outcomes with the same meaning."""
    return dict.fromkeys(outcomes, Meaning(treatment, source))


def parsed(source: str) -> dict[str, Meaning]:
    """Return the meanings of outcomes with a file whose rules apply."""
    alike = ("found", "found-otherwise", "not-text", "no-disallow")
    return dict.fromkeys(alike, Meaning("parse", source, reason="found"))


FAILURES_OF_THE_NETWORK = (
    "failure-dns",
    "failure-refused",
    "failure-reset",
    "failure-tls",
    "failure-timeout",
    "failure-protocol-error",
)
OWN_REFUSALS = ("failure-too-large", "failure-private-address", "failure-blocked-port")
BAD_REDIRECTS = (
    "redirect-not-followed",
    "redirect-without-location",
    "redirect-malformed",
    "redirect-to-other-scheme",
)
ENDLESS_REDIRECTS = ("redirect-loop", "redirects-too-many")

RFC_9309: dict[str, Meaning] = {
    **parsed(FOUND),
    **rows("parse", FOUND, "empty"),
    # Each line is parsed and none is a rule, so there is nothing to obey.
    **rows("allow-all", PARSING, "not-robots-txt"),
    # A file that cannot be read may contain rules.
    **rows("unreachable", NOBODY, "unreadable", "incomplete", "failure-bad-encoding"),
    # CCBot treats a 202 as an error; a challenge does not say that there is no robots.txt.
    **rows("copy-or-defer", NOT_YET, "not-yet"),
    **rows("copy-or-defer", CHALLENGED, "challenge"),
    **rows("refresh", "RFC 9111 section 4.3.4", "not-modified"),
    **rows("unreachable", NOBODY, "not-modified-without-copy", *BAD_REDIRECTS),
    # A loop is more than five redirects in a row, however short it is.
    **rows("allow-all", f"{REDIRECTS}, MAY", *ENDLESS_REDIRECTS),
    **rows(
        "allow-all",
        f"{UNAVAILABLE}, MAY",
        "unauthorized",
        "payment-required",
        "forbidden",
        "not-found",
        "gone",
        "legal-reasons",
        "client-error",
    ),
    "too-many-requests": Meaning(
        "defer", f"{UNAVAILABLE}, MAY: goodbot's careful choice; RFC 6585 section 4"
    ),
    **rows("unreachable", UNREACHABLE, "service-unavailable", "server-error"),
    # `A status code outside 100 to 599 SHOULD be processed as a 5xx` (RFC 9110 section 15).
    **rows("unreachable", f"{UNREACHABLE}; {HTTP}", "odd-status"),
    **rows("unreachable", f"{UNREACHABLE}: no final answer", "informational"),
    **rows("unreachable", UNREACHABLE, *FAILURES_OF_THE_NETWORK),
    # goodbot itself refused the request; that allows nothing, however long it lasts.
    **rows("disallow-all", NOBODY, *OWN_REFUSALS, "cut-short"),
}
GOOGLE: dict[str, Meaning] = {
    **RFC_9309,
    # Google ignores lines that it cannot read.
    **rows("parse", f"{GOOGLE_STATUS}; file format", "unreadable"),
    **rows("allow-all", f"{GOOGLE_STATUS}: as 404", *ENDLESS_REDIRECTS),
    **rows("unreachable", f"{GOOGLE_STATUS}: bad responses", "failure-bad-encoding"),
    "too-many-requests": Meaning("unreachable", GOOGLE_STATUS, reason="server-error"),
    **rows(
        "unreachable",
        GOOGLE_STATUS,
        "service-unavailable",
        "server-error",
        *FAILURES_OF_THE_NETWORK,
    ),
}
DRAFT_1996: dict[str, Meaning] = {
    **RFC_9309,
    **parsed(f"{DRAFT}: 2xx"),
    **rows("parse", f"{DRAFT}: 2xx", "empty"),
    **rows("allow-all", f"{DRAFT}: nothing in it is a record", "not-robots-txt"),
    **rows("defer", NOBODY, "unreadable", "incomplete", "failure-bad-encoding"),
    **rows("defer", f"{DRAFT}: until a resource is found", *BAD_REDIRECTS, *ENDLESS_REDIRECTS),
    **rows("defer", NOBODY, "not-modified-without-copy"),
    **rows("disallow-all", f"{DRAFT}: access restrictions", "unauthorized", "forbidden"),
    **rows("disallow-all", f"{NOBODY}, as 403", "payment-required", "legal-reasons"),
    **rows("allow-all", f"{DRAFT}: 404", "not-found"),
    **rows("allow-all", "no document: as 404, which it is for good", "gone"),
    **rows("defer", NOBODY, "client-error", "too-many-requests"),
    **rows("defer", f"{DRAFT}: temporary failure", "service-unavailable", "server-error"),
    **rows("defer", f"{DRAFT}: temporary failure", *FAILURES_OF_THE_NETWORK),
    **rows("defer", NOBODY, "informational", "odd-status"),
}
# Koster 1994 mentions no status; the same author's draft is the nearest document that does.
KOSTER_1994: dict[str, Meaning] = {
    **{
        name: replace(one, source=f"Koster 1994 is silent; {one.source}")
        for name, one in DRAFT_1996.items()
    },
    **parsed(KOSTER),
    **rows("allow-all", f"{KOSTER}: an empty file is as if it was not present", "empty"),
    **rows("allow-all", f"{KOSTER}: not present, all robots are welcome", "not-found"),
}
LWP: dict[str, Meaning] = {
    **rows("allow-all", f"{ROBOT_UA}: no success is an empty file", *OUTCOMES),
    **parsed(ROBOT_UA),
    **rows("parse", ROBOT_UA, "incomplete"),
    **rows("allow-all", f"{ROBOT_UA}: not text, or without Disallow", "not-text", "no-disallow"),
    **rows("allow-all", f"{ROBOT_UA}: without Disallow", "empty", "not-robots-txt", "unreadable"),
    **rows("refresh", "RFC 9111 section 4.3.4", "not-modified"),
    # LWP sends no conditions, follows redirects and has no refusals: these rows are not its own.
    **rows("defer", NOBODY, "not-modified-without-copy", "redirect-not-followed"),
    **rows("disallow-all", NOBODY, *OWN_REFUSALS, "failure-bad-encoding", "cut-short"),
    **rows("as-the-class", f"{ROBOT_UA}: a success or none", "not-yet", "challenge"),
}
YANDEX_TABLE: dict[str, Meaning] = {
    **RFC_9309,
    **parsed(YANDEX),
    **rows("parse", YANDEX, "empty"),
    **rows(
        "allow-all",
        YANDEX,
        "found-otherwise",
        "incomplete",
        "unauthorized",
        "payment-required",
        "forbidden",
        "not-found",
        "gone",
        "too-many-requests",
        "legal-reasons",
        "client-error",
        "service-unavailable",
        "server-error",
    ),
    **rows("allow-all", "Yandex, robots.txt: over 500 KB the site is open", "failure-too-large"),
}

RFC_UNREACHABLE = 30 * DAY
RFC_STEPS = (
    # A stored copy may be used longer than 24 hours while the file is unreachable (section 2.4).
    # After 30 days both are a MAY: the copy stays in use; without one, all stays disallowed.
    LadderStep(RFC_UNREACHABLE, with_copy="copy", without_copy="disallow-all"),
    LadderStep(None, with_copy="copy", without_copy="disallow-all"),
)
GOOGLE_STEPS = (
    LadderStep(12 * HOUR, with_copy="disallow-all", without_copy="disallow-all"),
    LadderStep(12 * HOUR + 30 * DAY, with_copy="copy", without_copy="allow-all"),
    LadderStep(None, with_copy="as-the-site", without_copy="as-the-site"),
)

RFC_DIALECT = PolicyDialect(
    name="rfc9309",
    outcomes=RFC_9309,
    ladder=RFC_STEPS,
    default_life=DAY,
    life_rule="seconds",
    heeds=("cache-control", "expires"),
    longest_life=DAY,
    shortest_life=5 * MINUTE,
    negative_life=6 * HOUR,
    first_retry=5 * MINUTE,
    longest_retry=4 * HOUR,
    longest_retry_after=LONGEST_DEFERRAL,
    shared=False,
    revalidates=True,
    redirect_limit=5,
    sources=(
        ("24 hours at most, unless unreachable", "RFC 9309 section 2.4"),
        ("Cache-Control and Expires shorten that", "RFC 9309 section 2.4; RFC 9111 section 4.2"),
        ("unreachable: the copy, else complete disallow", "RFC 9309 sections 2.3.1.4 and 2.4"),
        ("five redirects", "RFC 9309 section 2.3.1.2"),
        ("Retry-After is obeyed up to 30 days", "RFC 9309 section 2.3.1.4 has 30 days"),
        (
            "shortest lifetimes, lifetimes without a file, times of retries",
            "no document: goodbot's",
        ),
    ),
)
DRAFT_DIALECT = replace(
    RFC_DIALECT,
    name="draft1996",
    outcomes=DRAFT_1996,
    ladder=(LadderStep(None, "disallow-all", "disallow-all"),),
    default_life=7 * DAY,
    longest_life=None,
    negative_life=DAY,
    # Neither the draft nor the book has a number; a loop ends sooner.
    redirect_limit=20,
    sources=(
        ("seven days, or what Cache-Control and Expires say", "draft-koster-robots-00 section 3.4"),
        (
            "without a file, lifetimes are shorter",
            "HTTP book, chapter 9: seven days are often too long",
        ),
        (
            "redirects are followed until a file is found: at most 20, no loop",
            "draft-koster-robots-00 section 3.1; the number is that of WHATWG Fetch",
        ),
        ("shortest lifetimes, times of retries", "no document: goodbot's"),
    ),
)
KOSTER_DIALECT = replace(
    DRAFT_DIALECT,
    name="koster1994",
    outcomes=KOSTER_1994,
    default_life=DAY,
    sources=(
        ("one day, the careful end of what is sensible", "Koster, 4 June 1996: 1-7 days"),
        *DRAFT_DIALECT.sources[2:],
    ),
)

POLICY_DIALECTS: dict[str, PolicyDialect] = {
    one.name: one
    for one in (
        RFC_DIALECT,
        replace(
            RFC_DIALECT,
            name="google",
            outcomes=GOOGLE,
            ladder=GOOGLE_STEPS,
            heeds=("max-age",),
            longest_life=None,
            revalidates=False,
            sources=(
                ("24 hours, raised or lowered by max-age", "Google robots.txt specification"),
                ("12 hours, 30 days, then by the site", "Google robots.txt specification, 5xx"),
                ("a GET without condition; five redirects", "Google robots.txt specification"),
                ("shortest lifetimes, lifetimes without a file", "no document: goodbot's"),
            ),
        ),
        KOSTER_DIALECT,
        DRAFT_DIALECT,
        replace(KOSTER_DIALECT, name="conner1996"),
        replace(
            KOSTER_DIALECT,
            name="kollar1996",
            life_rule="utc-day",
            heeds=(),
            sources=(
                ("to the end of the UTC day, a 404 too", "Kollar 1996, as Koster quotes it"),
                *DRAFT_DIALECT.sources[2:],
            ),
        ),
        replace(
            RFC_DIALECT,
            name="lwp",
            outcomes=LWP,
            default_life=365 * DAY,
            longest_life=None,
            negative_life=DAY,
            sources=(
                ("365 days, or what max-age and Expires say", "WWW::RobotRules 6.04, parse"),
                ("without a file, lifetimes are shorter", "no document: goodbot's"),
            ),
        ),
        replace(
            RFC_DIALECT,
            name="yandex",
            outcomes=YANDEX_TABLE,
            sources=(("as RFC 9309: Yandex states no lifetimes", "RFC 9309 section 2.4"),),
        ),
        replace(RFC_DIALECT, name="bing"),
        replace(RFC_DIALECT, name="apple"),
        replace(RFC_DIALECT, name="aipref"),
    )
}
"""Every policy dialect by the name of its dialect, the default first."""


def policy_dialect(name: object) -> PolicyDialect:
    """Return a policy dialect.

    Args:
        name: The name of a dialect; a `goodbot.Dialect`, whose changed choices do not matter here;
            or a `PolicyDialect`, which is returned.

    Raises:
        UnknownDialectError: There is no dialect with this name.
        WrongTypeError: It is something else.

    >>> policy_dialect("draft1996").default_life // 86400
    7
    """
    if isinstance(name, PolicyDialect):
        return name
    if isinstance(name, Dialect):
        name = name.name
    if not isinstance(name, str):
        given = type(name).__name__
        message = f"policy_dialect must be the name of a dialect or a PolicyDialect, not {given}"
        raise WrongTypeError(message)
    # A dialect with changed choices is named after the one that it was made from.
    base = name.partition("+")[0]
    if base not in POLICY_DIALECTS:
        message = (
            f"there is no policy dialect {shortened(base, 60)!r}; pass policy_dialect= one of "
            f"{', '.join(POLICY_DIALECTS)}"
        )
        raise UnknownDialectError(message)
    return POLICY_DIALECTS[base]


@lru_cache(maxsize=4_096)
def meaning_of(status: int | None, dialect: str = "rfc9309") -> AnswerMeaning:
    """Return what the status of robots.txt means to a robot, as far as a log shows it.

    Where only goodbot's own care forbids more than a document does, the document counts: a 429 is
    one of the statuses 400 to 499, after which a robot may access everything. In dialects that
    treat it as unreachable, such as Google's, it is a server error. A status that is not one of an
    answer says nothing: what the robot got is unclear.

    Args:
        status: The status; `None` if the log does not show it.
        dialect: The dialect of the robot.

    >>> [meaning_of(status) for status in (200, 304, 301, 404, 429, 503)]
    ['file', 'file', 'unclear', 'free', 'free', 'unreachable']
    >>> meaning_of(429, "google"), meaning_of(499), meaning_of(999)
    ('unreachable', 'unclear', 'unclear')

    Source: RFC 9309 sections 2.3.1.1 to 2.3.1.4, or the documents of the dialect; RFC 9110 section
    15 (statuses are three digits, the first of them 1 to 5); nginx and AWS for `UNSENT`.

    """
    if status is None or status in UNSENT:
        return "unclear"
    treatment = policy_dialect(dialect).outcomes[status_outcome(status)].treatment
    if status == OK or treatment == "refresh":
        return "file"
    if status in EMPTY:
        return "free"
    if status // 100 == CLIENT_ERROR:
        return "unreachable" if treatment == "unreachable" else "free"
    if status // 100 == SERVER_ERROR:
        return "free" if treatment == "allow-all" else "unreachable"
    # A 206 is a part, a 202 and 1xx are no answer yet, and a redirect leads elsewhere.
    return "unclear"


def is_about_file(status: int | None) -> bool:
    """Return whether a status says whether there is a file: 429 asks for fewer requests alone.

    Source: RFC 6585 section 4.
    """
    return status is None or status_outcome(status) != "too-many-requests"


def missing_after(dialect: object = "rfc9309") -> int:
    """Return how long robots.txt must be unreachable until it may count as missing, in seconds.

    That is the end of the dialect's first step; a dialect whose documents state no time has that of
    RFC 9309.

    >>> missing_after("google") // HOUR, missing_after("draft1996") // DAY
    (12, 30)

    Source: RFC 9309 section 2.3.1.4; Google robots.txt specification, handling of errors and HTTP
    status codes.

    """
    first = policy_dialect(dialect).ladder[0].until
    return RFC_UNREACHABLE if first is None else first


def status_table(dialect: object = "rfc9309") -> list[tuple[str, str, str, str]]:
    """Return what every outcome means in a dialect.

    Args:
        dialect: The name of a dialect, a `goodbot.Dialect`, or a `PolicyDialect`.

    Returns:
        Rows of outcome, the statuses that have it, treatment, source.

    Raises:
        UnknownDialectError: There is no dialect with this name.

    >>> status_table("rfc9309")[0]
    ('found', '200', 'parse', 'RFC 9309 section 2.3.1.1')
    """
    outcomes = policy_dialect(dialect).outcomes
    return [
        (name, statuses, outcomes[name].treatment, outcomes[name].source)
        for name, (statuses, _) in OUTCOMES.items()
    ]

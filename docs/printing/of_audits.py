"""The page on audits of logs, from the tables of outcomes and reasons."""

from collections.abc import Iterator

from goodbot.signatures import PROFILES
from goodbot.site.audit import COLUMNS, NOT_JUDGED, OUTCOMES, PACE_REASONS, REASONS
from goodbot.site.audit.identity import IDENTITY_OUTCOMES, IDENTITY_REASONS, IDENTITY_TESTS
from goodbot.site.audit.request_table import MORE_COLUMNS
from printing.as_markdown import code, table

__all__ = ["audits_page"]

HEAD = """\
# Audits of logs

For anyone who reads the result of `goodbot audit` or `goodbot.site.audit`: what each outcome and each reason means, and which document says so.

Looking for an outcome? See [the first table](#outcomes). Looking for a reason in parentheses? See [the second](#reasons). Looking for *spoofed* or
*verified*? See [who sent a request](#who-sent-a-request). Looking for the columns of a table of requests? See [the last table](#tables-of-requests).

What no audit can know, and what is said then, is [explained apart](../explanation/what-an-audit-cannot-know.md); [audit a log](../how-to/audit-a-log.md) shows how to run one.
"""


def audits_page() -> Iterator[str]:
    """Yield every outcome and reason of an audit."""
    yield from HEAD.splitlines()
    yield ""
    yield "## Outcomes"
    yield ""
    yield from table(("Outcome", "Meaning"), [(code(one), said) for one, said in OUTCOMES.items()])
    yield "## Reasons"
    yield ""
    rows = [
        (code(name), code(one.outcome), one.meaning, one.source) for name, one in REASONS.items()
    ]
    yield from table(("Reason", "Outcome", "Meaning", "Source"), rows)
    yield "## Pace"
    yield ""
    yield (
        "Each wish of a site for the pace of a robot is judged apart: `crawl-delay`, "
        "`request-rate`, `visit-time`, `retry-after` after a 429 or 503, and `gone`, requests for "
        "what was answered with 410."
    )
    yield ""
    paces = [(code(name), code(one), said) for name, (one, said) in PACE_REASONS.items()]
    yield from table(("Reason", "Outcome", "Meaning"), paces)
    yield from sender_parts()
    yield "## What is not judged"
    yield ""
    yield from table(("What", "Why"), list(NOT_JUDGED.items()))
    yield "## Tables of requests"
    yield ""
    yield "`goodbot.site.audit.judge_requests` needs these columns:"
    yield ""
    yield from table(("Column", "Meaning"), [(code(one), said) for one, said in COLUMNS.items()])
    yield "It reads these if they are there:"
    yield ""
    more = [(code(one), said) for one, said in MORE_COLUMNS.items()]
    yield from table(("Column", "Meaning"), more)


def sender_parts() -> Iterator[str]:
    """Yield who may have sent a request, and why."""
    yield "## Who sent a request"
    yield ""
    outcomes = [(code(one), said) for one, said in IDENTITY_OUTCOMES.items()]
    yield from table(("Identity", "Meaning"), outcomes)
    tests = [(code(one), said) for one, said in IDENTITY_TESTS.items()]
    yield from table(("Test", "What it shows"), tests)
    reasons = [(code(name), code(one), said) for name, (one, said) in IDENTITY_REASONS.items()]
    yield from table(("Reason", "Identity", "Meaning"), reasons)
    yield "## Forms of Signature-Agent"
    yield ""
    yield (
        "Drafts of Web Bot Auth changed the field by which a signed request says where its keys "
        "are. All of these are read; the profile says by which one a key was found."
    )
    yield ""
    forms = [(code(one.name), one.about, f"{one.source} ({one.date})") for one in PROFILES.values()]
    yield from table(("Profile", "Form", "Source"), forms)

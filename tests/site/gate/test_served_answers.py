"""How robots.txt is served: validators, 304, HEAD, hosts, and dates at which it changes."""

from datetime import datetime, timedelta, timezone

import pytest

from goodbot.site.gate import GatePolicy, GateRule, Rendered, render
from goodbot.site.gate.served_answers import served

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
CHANGED = datetime(2026, 11, 1, tzinfo=timezone.utc)
OPENS = NOW + timedelta(minutes=10)


def said(*, now: datetime = NOW, host: str | None = None) -> Rendered:
    """Return a site with a rule until a date, and one for one host."""
    closed = GateRule(paths=("/new/",), fetch=False, ends=OPENS)
    staging = GateRule(hosts=("staging.example.com",), fetch=False)
    policy = GatePolicy(
        site="https://example.com",
        rules=(closed, staging),
        last_modified=CHANGED,
        sitemaps=("/map.xml",),
    )
    return render(policy, now=now, host=host)


def ask(
    rendered: Rendered,
    method: str = "GET",
    fields: dict[str, str] | None = None,
    now: datetime = NOW,
) -> tuple[int, dict[str, str], bytes]:
    """Return status, fields and body of the answer for robots.txt."""
    given = fields or {}
    answer = served(rendered, method, "/robots.txt", given.get, now=now)
    assert answer is not None
    return answer.status, dict(answer.headers), answer.body


def test_robots_txt_has_validators_and_a_lifetime() -> None:
    """A copy lives at most until the policy says something else."""
    status, fields, body = ask(said())
    assert (status, fields["Cache-Control"]) == (200, "public, max-age=600")
    assert fields["Last-Modified"] == "Sun, 01 Nov 2026 00:00:00 GMT"
    assert fields["Content-Length"] == str(len(body))
    assert ask(said(now=OPENS), now=OPENS)[1]["Cache-Control"] == "public, max-age=3600"


def test_robots_txt_is_plain_text() -> None:
    """It is served as text/plain (HTTP book, chapter 9), in UTF-8 (RFC 9309 section 2.3)."""
    for method in ("GET", "HEAD"):
        assert ask(said(), method)[1]["Content-Type"] == "text/plain; charset=utf-8"


def test_a_client_of_http_1_0_learns_the_lifetime_too() -> None:
    """Expires says what max-age says (RFC 9111 section 5.3), in a 304 too (RFC 9110 15.4.5)."""
    ends = {NOW: "Tue, 01 Dec 2026 00:10:00 GMT", OPENS: "Tue, 01 Dec 2026 01:10:00 GMT"}
    for now, expires in ends.items():
        assert ask(said(now=now), now=now)[1]["Expires"] == expires
    status, fields, _ = ask(said(), fields={"if-none-match": "*"})
    assert (status, fields["Expires"]) == (304, ends[NOW])


@pytest.mark.parametrize(
    "fields",
    [{"if-none-match": "{tag}"}, {"if-none-match": 'W/"a", W/{tag}'}, {"if-none-match": "*"},
     {"if-modified-since": "Sun, 01 Nov 2026 00:00:00 GMT"}],
)  # fmt: skip
def test_a_current_copy_is_confirmed(fields: dict[str, str]) -> None:
    """By ETag, or by the date if there is no ETag (RFC 9110 section 13.2.2)."""
    tag = ask(said())[1]["ETag"]
    status, found, body = ask(said(), fields={k: v.format(tag=tag) for k, v in fields.items()})
    assert (status, found["ETag"], body) == (304, tag, b"")


def test_an_old_copy_is_replaced() -> None:
    """A tag counts before a date; after a change by date, an older date is no longer current."""
    since = {"if-modified-since": "Sun, 01 Nov 2026 00:00:00 GMT"}
    assert ask(said(), fields={"if-none-match": '"x"', **since})[0] == 200
    assert ask(said(), fields={"if-modified-since": "soon"})[0] == 200
    assert ask(said(now=OPENS), now=OPENS, fields=since)[0] == 200


def test_head_has_the_fields_of_get() -> None:
    """The same fields, and no content (RFC 9110 section 9.3.2)."""
    got, head = ask(said()), ask(said(), "HEAD")
    assert head == (got[0], got[1], b"")
    assert ask(said(), "POST")[0] == 405


def test_hosts_differ() -> None:
    """A rule for one host is in no file of another one, and sitemaps are those of the host."""
    own, other = said(), said(host="staging.example.com")
    assert b"Disallow: /\n" not in own.files["/robots.txt"].body
    assert b"Disallow: /\n" in other.files["/robots.txt"].body
    assert b"https://staging.example.com/map.xml" in other.files["/robots.txt"].body


def test_other_paths_are_not_the_gates() -> None:
    """Everything else is left to the site."""
    assert served(said(), "GET", "/", lambda _: None, now=NOW) is None

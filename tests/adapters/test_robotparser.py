"""The replacement for urllib.robotparser: its cases, plain files, and the differences."""

import time
import urllib.request
import urllib.robotparser
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.adapters.robotparser import Entry, RequestRate, RobotFileParser, RuleLine
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.testing import LoopbackVisit
from goodbot.testing.steps import CLOSE, Pause, ScriptStep
from tests.support import conformance_cases as data
from tests.support.adapter_sites import ROBOTS, URLS, answers, plain_files, says, serving
from tests.support.examples import examples
from tests.support.robots_txt_answers import answered

CASES = [case for case in data.cases("adapters") if case["id"].startswith("robotparser-")]
URL = "https://example.com/robots.txt"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def parsed(text: str | bytes) -> RobotFileParser:
    """Read a text with the adapter."""
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return parser


def peer(text: str) -> urllib.robotparser.RobotFileParser:
    """Read a text with the original."""
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(text.splitlines())
    return parser


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_cases_hold(case: data.Case) -> None:
    """Each answer follows the documents."""
    parser = parsed(case["content"].decode())
    for robot, url, allowed in case.get("checks", []):
        assert parser.can_fetch(robot, url) is allowed, (robot, url)
    if "robot" in case:
        assert parser.crawl_delay(case["robot"]) == case.get("delay")
        rate = RequestRate(*case["rate"]) if "rate" in case else None
        assert parser.request_rate(case["robot"]) == rate
        assert parser.site_maps() == case.get("sitemaps")
    if "text" in case:
        assert str(parser) == case["text"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_original_answers_so_too_but_for_the_departures(case: data.Case) -> None:
    """A listed difference is real: the original answers as the case says.

    In a Python whose parser follows RFC 9309, the difference is gone, and the test says so.
    """
    original = peer(case["content"].decode())
    checks = case.get("checks", [])
    answers = [original.can_fetch(robot, url) for robot, url, _ in checks]
    ours = [allowed for _, _, allowed in checks]
    assert answers == case.get("departs", ours) or ("departs" in case and answers == ours)


@examples(300)
@given(plain_files(), ROBOTS, st.lists(URLS, min_size=1, max_size=8))
def test_on_plain_files_both_answer_alike(text: str, robot: str, urls: list[str]) -> None:
    """Apart from the listed differences, which `plain_files` avoids, the answers are the same."""
    ours, theirs = parsed(text), peer(text)
    for url in urls:
        assert ours.can_fetch(robot, url) is theirs.can_fetch(robot, url), url
    values: Any = theirs  # its types say str, and it gives int
    assert ours.crawl_delay(robot) == values.crawl_delay(robot)
    assert ours.request_rate(robot) == values.request_rate(robot)
    assert ours.site_maps() == theirs.site_maps()


def test_every_public_name_of_the_original_is_there() -> None:
    """Every method and attribute of the original exists, with the same arguments."""
    original = urllib.robotparser.RobotFileParser(URL)
    ours = RobotFileParser(URL)
    names = {name for name in dir(original) if not name.startswith("_")}
    assert names <= set(dir(ours))
    for name in ("url", "host", "path", "allow_all", "disallow_all", "last_checked"):
        assert getattr(ours, name) == getattr(original, name)
    assert (ours.entries, ours.default_entry, ours.sitemaps) == ([], None, [])
    assert str(ours) == ""


def test_groups_are_there_in_every_version() -> None:
    """By name in lower case, with all that the file says; Python has them from 3.15 on."""
    text = (
        "User-agent: A\nDisallow: /x\n\nUser-agent: b\nUser-agent: a\nCrawl-delay: 2\n"
        "Disallow: /y\n\nUser-agent: *\nDisallow: /z\n"
    )
    groups = parsed(text).groups
    assert list(groups) == ["a", "b", "*"]
    assert [rule.path for rule in groups["a"].rulelines] == ["/x", "/y"]
    assert (groups["a"].delay, groups["*"].delay) == (2, None)
    theirs: Any = getattr(peer(text), "groups", groups)
    assert {name: [rule.path for rule in one.rulelines] for name, one in theirs.items()} == {
        name: [rule.path for rule in one.rulelines] for name, one in groups.items()
    }


def test_a_request_may_be_the_url() -> None:
    """As in Python 3.15."""
    parser = RobotFileParser()
    parser.set_url(urllib.request.Request(URL))
    assert (parser.url, parser.host, parser.path) == (URL, "example.com", "/robots.txt")


TWICE = "User-agent: {0}\nDisallow: /a\n\nUser-agent: {0}\nDisallow: /b"
DIFFERENCES = [
    # The text, the robot, the URL; then the answers of Python 3.13 and 3.15, and here.
    ("User-agent: *\nDisallow: /a\nAllow: /a/b", "B", "/a/b", False, True, True),
    ("User-agent: *\nDisallow: /aa*c\nAllow: /aab12", "B", "/aab12345c", True, False, True),
    ("User-agent: *\nDisallow: /*.x", "B", "/q.x", True, False, False),
    ("User-agent: *\nDisallow: /a$b", "B", "/a$b", False, True, False),
    ("User-agent: Bot\nDisallow: /", "ExampleBot", "/a", False, False, True),
    (TWICE.format("B"), "B", "/b", True, False, False),
    (TWICE.format("*"), "B", "/b", True, False, False),
    ("User-agent: *\n\nDisallow: /a", "B", "/a", True, False, False),
    ("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "a", "/x", True, True, False),
    ("User-agent: *\nDisallow: /a%2Fb", "B", "/a/b", False, False, True),
    ("User-agent: *\nDisallow: /a%23b", "B", "/a#b", False, False, True),
    ("User-agent: *\nDisallow: /", "B", "/robots.txt", False, True, True),
    ("User-agent: *\nDisalow: /", "B", "/a", True, True, False),
]


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row[0][-20:])
def test_each_version_answers_as_the_table_says(
    row: tuple[str, str, str, bool, bool, bool],
) -> None:
    """The parser of this interpreter is one of the two; one that has `groups` is the later."""
    text, robot, url, before, since, here = row
    original = peer(text)
    expected = since if hasattr(original, "groups") else before
    assert original.can_fetch(robot, url) is expected
    assert parsed(text).can_fetch(robot, url) is here


def test_nothing_is_allowed_before_there_is_a_file() -> None:
    """Without a file nothing is allowed, even after `modified`, and there is no pace."""
    parser = RobotFileParser()
    assert (parser.can_fetch("ExampleBot", "/"), parser.mtime()) == (False, 0)
    assert parser.crawl_delay("ExampleBot") is None
    assert parser.request_rate("ExampleBot") is None
    assert parser.site_maps() is None
    before = time.time()
    parser.modified()
    assert before <= parser.mtime() <= time.time()
    assert not parser.can_fetch("ExampleBot", "/")


def test_the_switches_come_before_the_file() -> None:
    """The caller may set `disallow_all` and `allow_all`; the former overrides the latter."""
    parser = parsed("User-agent: *\nDisallow: /a")
    parser.allow_all = True
    assert parser.can_fetch("ExampleBot", "/a")
    parser.disallow_all = True
    assert not parser.can_fetch("ExampleBot", "/b")


def test_entries_are_there_to_look_at() -> None:
    """Groups by name in the order of the file; those for `*` are merged."""
    text = (
        "User-agent: a\nUser-agent: b\nAllow: /x\nCrawl-delay: 1.5\nCrawl-delay: pears\n"
        "User-agent: *\nDisallow: /y\nRequest-rate: 1/5\nRequest-rate: 1/1m\nRequest-rate: x\n"
        "User-agent: *\nDisallow:\n"
    )
    parser = parsed(text)
    assert parser.entries == [Entry(["a", "b"], [RuleLine("/x", allowance=True)], 1.5)]
    assert parser.default_entry is not None
    assert parser.default_entry.useragents == ["*"]
    assert parser.default_entry.req_rate == RequestRate(1, 60)
    assert parser.default_entry.rulelines[0] == RuleLine("/y", allowance=False)


def test_misuse_is_told() -> None:
    """A single string, swapped arguments and the URL of another file raise."""
    parser = RobotFileParser("https://example.com/other.txt")
    with pytest.raises(goodbot.WrongTypeError, match=r"text\.splitlines\(\)"):
        parser.parse("User-agent: *")
    parser.parse([])
    with pytest.raises(goodbot.RobotNameError, match="comes after the URL"):
        parser.can_fetch("https://example.com/a", "ExampleBot")
    with pytest.raises(goodbot.WrongValueError, match=r"example\.com/robots\.txt"):
        parser.read()
    with pytest.raises(goodbot.NoOriginError):
        RobotFileParser("").read()
    with pytest.raises(goodbot.UnknownDialectError):
        RobotFileParser(dialect="no-such")


@given(st.lists(st.text(st.characters()), max_size=6), st.text(st.characters(), min_size=1))
def test_foreign_lines_never_raise(lines: list[str], path: str) -> None:
    """Any text can be parsed, including surrogates."""
    parser = RobotFileParser()
    parser.parse(lines)
    assert parser.can_fetch("ExampleBot", "/" + path) in {True, False}
    assert isinstance(str(parser), str)


def test_lines_of_octets_and_of_text_are_the_same() -> None:
    """Bytes that are not UTF-8 survive `surrogateescape`; line ends are removed."""
    line = b"Disallow: /caf\xe9"
    texts = ["User-agent: *\r\n", line.decode("utf-8", "surrogateescape")]
    for lines in (texts, [b"User-agent: *", line]):
        parser = RobotFileParser()
        parser.parse(lines)
        assert not parser.can_fetch("ExampleBot", "/caf%E9")


# Reading.


CLOSED = (False, True, False, False)
OPEN = (True, False, True, True)
RULED = (False, False, False, True)


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("polite", RULED),
        ("moved", RULED),
        ("moved-elsewhere", RULED),
        ("latin-1", RULED),
        ("not-found", OPEN),
        ("redirect-loop", OPEN),
        ("unauthorized", CLOSED),
        ("forbidden", CLOSED),
        ("too-many-requests", CLOSED),
        ("unavailable", CLOSED),
        ("broken", CLOSED),
        ("dropped", CLOSED),
        ("utf-16", CLOSED),
    ],
)
def test_read_takes_a_site_as_its_policy_does(
    behaviour: str, expected: tuple[bool, bool, bool, bool]
) -> None:
    """A failed fetch is not permission; 401 and 403 disallow everything, as in the original."""
    with serving(behaviour) as site:
        parser = RobotFileParser(f"{site.origin}/robots.txt")
        parser.read()
        private = parser.can_fetch("ExampleBot", f"{site.origin}/private/a")
        public = parser.can_fetch("ExampleBot", f"{site.origin}/public")
        assert (parser.allow_all, parser.disallow_all, private, public) == expected
        assert parser.mtime() > 0
        assert parser.policy is not None
        assert site.visits[0].field("Accept-Encoding") == "identity"


@pytest.mark.parametrize("behaviour", ["self-signed", "plain-text-for-tls"])
def test_without_a_secure_connection_nothing_is_allowed(behaviour: str) -> None:
    """A self-signed certificate, and plain text instead of TLS."""
    with serving(behaviour) as site:
        parser = RobotFileParser(f"{site.origin}/robots.txt")
        parser.read()
        assert parser.policy is not None
        assert parser.policy.outcome == "failure-tls"
        assert not parser.can_fetch("ExampleBot", f"{site.origin}/public")


def test_a_second_read_forgets_the_first_answer() -> None:
    """A site that recovers is allowed again; one that fails keeps its last file."""
    replies: Iterator[RobotsTxtAnswer] = iter(
        [
            RobotsTxtAnswer(failure="dns"),
            answered(200, (), b"User-agent: *\nDisallow: /a"),
            answered(500, (), b""),
            answered(404, (), b""),
        ]
    )
    clock = iter(NOON + timedelta(hours=n) for n in range(99))
    parser = RobotFileParser(URL, clock=lambda: next(clock))
    seen = []
    for _ in range(4):
        parser.read(opener=lambda *_: next(replies))
        seen.append((parser.can_fetch("B", "/a"), parser.can_fetch("B", "/b")))
    assert seen == [(False, False), (False, True), (False, True), (True, True)]
    assert parser.last_checked > NOON.timestamp()


def test_what_401_means_can_be_chosen() -> None:
    """The default is that of the original; a policy dialect can change it."""
    for named, allowed in ((None, False), ("rfc9309", True), ("draft1996", False)):
        parser = RobotFileParser(URL, policy_dialect=named)
        parser.read(opener=lambda *_: answered(401, (), b""))
        assert parser.can_fetch("B", "/") is allowed


def test_another_address_forgets_the_copy() -> None:
    """The copy of one origin is never used for another."""
    file = answered(200, (), b"User-agent: *\nDisallow: /a")
    replies: Iterator[RobotsTxtAnswer] = iter([file, RobotsTxtAnswer(failure="timeout")])
    parser = RobotFileParser(URL)
    parser.read(opener=lambda *_: next(replies))
    parser.set_url("https://other.example/robots.txt")
    parser.read(opener=lambda *_: next(replies))
    assert not parser.can_fetch("B", "/b")


def stalls(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Start an answer and then send nothing."""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\n"
    yield Pause(30)


def drips(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Send a header byte by byte, each of them in time."""
    yield b"HTTP/1.1 200 OK\r\nX: "
    for _octet in range(100):
        yield Pause(0.05)
        yield b"x"


def breaks_off(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Close the connection in the middle of an answer."""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\n"
    yield CLOSE


def babbles(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Answer with something that is not HTTP."""
    yield b"hello\r\n\r\n"
    yield CLOSE


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        (stalls, "timeout"),
        (drips, "timeout"),
        (breaks_off, "protocol-error"),
        (babbles, "protocol-error"),
    ],
)
def test_an_answer_without_its_end_is_a_failure(script: Any, failure: str) -> None:  # noqa: ANN401
    """Half a file may lack its Disallow lines."""
    with serving(answers(script)) as site:
        parser = RobotFileParser(f"{site.origin}/robots.txt")
        parser.read(seconds=0.2)
        assert parser.policy is not None
        assert parser.policy.outcome == f"failure-{failure}"
        assert not parser.can_fetch("ExampleBot", "/")


def test_a_large_file_is_read_to_the_limit() -> None:
    """At least 500 KiB are read, and a line that the limit cuts has no effect."""
    head = b"User-agent: *\nDisallow: /a\n"
    with serving(says(200, head + b"# more\n" * 300_000 + b"Disallow: /behind\n")) as site:
        parser = RobotFileParser(f"{site.origin}/robots.txt")
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/a")
    assert parser.can_fetch("ExampleBot", "/behind")
    assert parser.robots_txt is not None
    assert LIMIT - 10 < len(parser.robots_txt.content) <= LIMIT


def test_where_nobody_listens_nothing_is_allowed() -> None:
    """A refused connection is not permission."""
    parser = RobotFileParser("http://127.0.0.1:1/robots.txt")
    parser.read(seconds=5)
    assert not parser.can_fetch("ExampleBot", "/")

"""What verdicts say: those of rules, of policies and of the operator."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import goodbot
from goodbot.policy import FAILURES, Hold
from tests.words.writing import entries

AT = datetime(2025, 1, 1, 12, tzinfo=timezone.utc)
ORIGIN = "https://a.example"
ROBOTS = f"{ORIGIN}/robots.txt"

FILE = """\
User-agent: *
Disallow: /private
Allow: /private/open
Disallow: /same
Allow: /same
Disallow: /*.php$

User-agent: ExampleBot
User-agent: a
User-agent: b
User-agent: c
Disallow: /drafts
"""
ONLY_NAMED = "User-agent: OtherBot\nDisallow: /\n"
LONG = f"User-agent: *\nDisallow: /{'a' * 330}\n"
STAND_IN = "User-agent: Googlebot\nDisallow: /news\n"
HISTORIC = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n"

# The file, the dialect, the robot, and the URLs.
QUESTIONS = [
    (FILE, "rfc9309", "*", ["/private/x", "/private/open", "/same", "/a.php", "/", "/robots.txt"]),
    (FILE, "rfc9309", "ExampleBot", ["/private", "/drafts/1", f"{ORIGIN}/robots.txt"]),
    (FILE, "rfc9309", "ExampleBot/1.0 (+https://bot.example/)", ["/drafts/1"]),
    (FILE, "rfc9309", "ExampleBot", ["mailto:a@a.example", "drafts/1"]),
    (FILE, "rfc9309", "OtherBot", ["/private/x", "/a"]),
    (ONLY_NAMED, "rfc9309", "ExampleBot", ["/a"]),
    (ONLY_NAMED, "rfc9309", "*", ["/a"]),
    ("", "rfc9309", "ExampleBot", ["/a"]),
    (LONG, "rfc9309", "ExampleBot", [f"/{'a' * 330}"]),
    (STAND_IN, "rfc9309", "Googlebot-News", ["/news"]),
    (STAND_IN, "apple", "Applebot", ["/news"]),
    (HISTORIC, "koster1994", "ExampleBot", ["/a/b", "/b"]),
    (HISTORIC, "draft1996", "ExampleBot", ["/a/b", "/b"]),
    (HISTORIC, "conner1996", "ExampleBot", ["/a/b", "/b"]),
]

# Statuses that policies tell apart, with header fields where they matter.
ANSWERS: list[tuple[int, dict[str, str], bytes]] = [
    (200, {}, b"User-agent: *\nDisallow: /page\n"),
    (200, {}, b""),
    (200, {}, b"<!doctype html><p>Not found"),
    (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08\x00rubbish"),
    *((status, {}, b"") for status in (202, 206, 301, 304, 401, 403, 404, 410, 418, 429, 451)),
    (302, {"Location": "/a"}, b""),
    *((status, {}, b"") for status in (500, 503, 999)),
    (403, {"cf-mitigated": "challenge"}, b""),
]


def of_rules() -> Iterator[tuple[str, str]]:
    """Yield the verdict on each question, and how the rules were chosen and weighed."""
    for text, dialect, robot, urls in QUESTIONS:
        robots = goodbot.RobotsTxt(text, dialect=dialect)
        yield f"{robot} ({dialect}): which group?", str(robots.rules_for(robot).selection)
        for url in urls:
            shown = url if len(url) < 60 else f"{url[:40]}..."
            verdict = robots.verdict(url, robot)
            yield f"{robot} ({dialect}), {shown}", str(verdict)
            for one in verdict.considered:
                yield f"    considered: line {one.rule.line}", one.why


def of_policies() -> Iterator[tuple[str, str]]:
    """Yield the verdict after each kind of answer, and after each failure."""
    for url in (f"{ORIGIN}/page", ROBOTS):
        for status, headers, body in ANSWERS:
            policy = goodbot.Policy.from_response(ROBOTS, status, headers, body, now=AT)
            shown = " ".join(f"{name}: {value}" for name, value in headers.items())
            yield f"{status} {shown}".strip(), str(policy.verdict(url, "ExampleBot"))
        for failure in FAILURES:
            policy = goodbot.Policy.from_failure(ROBOTS, failure, now=AT)
            yield failure, str(policy.verdict(url, "ExampleBot"))


def after_failures() -> Iterator[tuple[str, str]]:
    """Yield the verdicts while robots.txt stays unreachable, with a stored copy and without."""
    found = goodbot.Policy.from_response(
        ROBOTS, 200, {}, b"User-agent: *\nDisallow: /page\n", now=AT
    )
    for name, first in (("with a copy", found), ("without a copy", None)):
        previous = first
        for days in (1, 20, 40):
            previous = goodbot.Policy.from_failure(
                ROBOTS, "timeout", previous=previous, now=AT + timedelta(days=days)
            )
            yield (
                f"{name}, after {days} days",
                str(previous.verdict(f"{ORIGIN}/page", "ExampleBot")),
            )


def of_the_operator() -> Iterator[tuple[str, str]]:
    """Yield what follows from blocks and pauses."""
    for hold in (
        Hold.of(f"{ORIGIN}/", "block", why="they asked us", by="ada", at=AT),
        Hold.of(f"{ORIGIN}/page", "block", why="an endless calendar", at=AT),
        Hold.of(f"{ORIGIN}/", "pause", why="", at=AT),
    ):
        yield str(hold), str(hold.verdict(f"{ORIGIN}/page", "ExampleBot", "rfc9309"))


def lines() -> Iterator[str]:
    """Yield verdicts by what decides."""
    yield from entries("Rules of robots.txt", of_rules())
    yield from entries("Answers to a request for robots.txt, by status or failure", of_policies())
    yield from entries("robots.txt out of reach", after_failures())
    yield from entries("The operator of the robot", of_the_operator())

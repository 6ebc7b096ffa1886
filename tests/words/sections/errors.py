"""What exceptions say when an argument is wrong, and when a visit is not made."""

from collections.abc import Iterator
from datetime import datetime, timezone

import pytest

import goodbot
from goodbot.errors import Deferred, Disallowed
from goodbot.policy import Hold
from tests.public.test_misuse import MISUSES
from tests.words.writing import entries

AT = datetime(2025, 1, 1, 12, tzinfo=timezone.utc)
URL = "https://a.example/page"


def misuses() -> Iterator[tuple[str, str]]:
    """Yield the message of each misuse that the promises try."""
    for error, misuse, _ in MISUSES:
        with pytest.raises(error) as caught:
            misuse()
        yield error.__name__, str(caught.value)


def refusals() -> Iterator[tuple[str, str]]:
    """Yield what a robot raises when a site or its operator forbids or defers a visit."""
    robots = goodbot.RobotsTxt("User-agent: *\nDisallow: /page")
    answered = goodbot.Policy.from_response(
        "https://a.example/robots.txt", 200, {}, robots.content, now=AT
    )
    failed = goodbot.Policy.from_failure("https://a.example/robots.txt", "private-address", now=AT)
    hold = Hold.of("https://a.example/", "block", why="they asked us", by="ada", at=AT)
    for name, verdict in (
        ("by a rule", answered.verdict(URL, "ExampleBot")),
        ("by the operator", hold.verdict(URL, "ExampleBot")),
        ("by the guard of this machine", failed.verdict(URL, "ExampleBot")),
    ):
        yield f"Disallowed {name}", str(Disallowed(verdict))
    yield "Deferred until a time", str(Deferred(URL, AT, "crawl-delay", "Not now."))
    yield "Deferred for good", str(Deferred(URL, None, "beyond-patience", "Never."))


def lines() -> Iterator[str]:
    """Yield the messages."""
    yield from entries("Wrong arguments", misuses())
    yield from entries("Visits that are not made", refusals())

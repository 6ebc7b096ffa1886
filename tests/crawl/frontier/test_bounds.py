"""The bounds of a crawl: what they exclude, when they end it, and their patterns."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goodbot.crawl.frontier.bounds import REACHED, SKIP_REASONS, Bounds
from goodbot.crawl.frontier.patterns import Pattern, comparable
from goodbot.errors import NoOriginError, WrongTypeError, WrongValueError
from tests.support import conformance_cases as data
from tests.support.work import lines_run

A = "https://a.example"


PATTERNS = [case for case in data.cases("crawl") if case["id"].startswith("pattern-")]


@pytest.mark.parametrize("case", PATTERNS, ids=lambda case: str(case["id"]))
def test_a_pattern_matches_as_in_robots_txt(case: data.Case) -> None:
    """Prefixes, `*`, a final `$` and escapes work for paths and for whole URLs."""
    pattern, url = case["pattern"], case["url"]
    assert Pattern(pattern).fits(comparable(url)) is case["matches"], (pattern, url)
    held = Bounds(any_origin=True, exclude=(pattern,))
    assert (held.refuses(url, A, 1) == "excluded") is case["matches"]


def plainly(pattern: str, text: str) -> bool:
    """Compare character by character, trying every end of `*`: slow, and obviously correct."""
    if pattern in ("", "*"):
        return True
    if pattern == "$":
        return not text
    if pattern[0] == "*":
        return any(plainly(pattern[1:], text[at:]) for at in range(len(text) + 1))
    return text[:1] == pattern[0] and plainly(pattern[1:], text[1:])


@settings(deadline=None)
@given(st.text("ab*", max_size=7), st.booleans(), st.text("ab", max_size=10))
def test_the_matcher_agrees_with_the_reference(middle: str, to_end: bool, path: str) -> None:  # noqa: FBT001
    """The leftmost search gives the same result as trying every place."""
    pattern = f"/{middle}{'$' if to_end else ''}"
    assert Pattern(pattern).fits(comparable(f"{A}/{path}")) is plainly(pattern, f"/{path}")
    whole = f"*{middle}{'$' if to_end else ''}"
    assert Pattern(whole).fits(comparable(f"{A}/{path}")) is plainly(whole, f"{A}/{path}")


def test_a_hostile_pattern_takes_a_few_steps_for_each_star() -> None:
    """With many `*` and a URL that almost matches, the cost is linear, not exponential."""
    pattern, url = Pattern("/" + "*a" * 1_000 + "b$"), comparable(f"{A}/{'a' * 100_000}")
    assert not pattern.fits(url)
    assert lines_run(lambda: pattern.fits(url)) < 10 * 1_000
    pattern, url = Pattern("/" + "*aaab" * 400), comparable(f"{A}/{'aaab' * 20_000}")
    assert pattern.fits(url)
    assert lines_run(lambda: pattern.fits(url)) < 10 * 400


@given(st.text(max_size=30))
def test_any_url_can_be_compared(text: str) -> None:
    """Any text either matches or does not; it never raises, even with a lone surrogate."""
    assert Pattern("*").fits(comparable(text))
    assert Pattern("/x").fits(comparable(text)) in {True, False}


@pytest.mark.parametrize("pattern", ["shop", "", "ftp://a.example/", " /a", "/" * 2_049])
def test_an_invalid_pattern_is_refused(pattern: str) -> None:
    """A word without `/` would silently match nothing; the message says how to fix it."""
    with pytest.raises(WrongValueError, match=r"must begin with|at most 2,048"):
        Pattern(pattern)


# Bounds.


def test_a_url_within_all_bounds_is_not_left_out() -> None:
    """Such a URL has no reason to be skipped."""
    held = Bounds(include=["/shop/"], exclude=["/shop/cart"], depth=3, origins=[A])  # type: ignore[arg-type]
    assert held.refuses(f"{A}/shop/lamp", A, 3) is None


@pytest.mark.parametrize(
    ("url", "depth", "expected"),
    [
        (f"{A}/shop/{'x' * 3000}", 1, "url-too-long"),
        ("https://b.example/shop/", 1, "other-origin"),
        (f"{A}/shop/", 4, "too-deep"),
        (f"{A}/shop/cart", 1, "excluded"),
        (f"{A}/shop/cart", 0, "excluded"),
        (f"{A}/news/", 1, "not-included"),
        (f"{A}/", 0, None),
    ],
)
def test_what_is_left_out_has_a_reason(url: str, depth: int, expected: str | None) -> None:
    """Each bound has its slug; start URLs need not match an include pattern."""
    held = Bounds(depth=3, include=("/shop/",), exclude=("/shop/cart",), origins=frozenset([A]))
    origin = url[: url.index("/", 8)]
    assert held.refuses(url, origin, depth) == expected
    assert expected is None or expected in SKIP_REASONS


def test_every_origin_is_another_until_it_is_said_where_to_stay() -> None:
    """Bounds without origins allow no origin, unless `any_origin` is set."""
    assert Bounds().refuses(f"{A}/", A, 0) == "other-origin"
    anywhere = Bounds(any_origin=True)
    assert anywhere.refuses("https://b.example/", "https://b.example", 1) is None


def test_origins_are_put_in_normal_form() -> None:
    """Origins may be given as any URL on them."""
    held = Bounds(origins=["HTTPS://A.example:443/x"])  # type: ignore[arg-type]
    assert held.origins == frozenset([A])


def test_none_means_no_limit() -> None:
    """Without limits no URL is too deep or too long, and no crawl is too large."""
    free = Bounds(depth=None, url_length=None, any_origin=True)
    assert free.refuses(f"{A}/{'x' * 10_000}", A, 10_000) is None
    assert free.reached(10**9, 10**15, 1e12) is None


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ((9, 99, 0.9), None),
        ((10, 0, 0.0), "page-limit"),
        ((0, 100, 0.0), "byte-limit"),
        ((0, 0, 1.0), "time-limit"),
        ((11, 200, 5.0), "page-limit"),
    ],
)
def test_a_crawl_ends_at_its_first_bound(
    done: tuple[int, int, float], expected: str | None
) -> None:
    """The first limit that is reached is reported."""
    assert Bounds(pages=10, bytes=100, seconds=1.0).reached(*done) == expected
    assert expected is None or expected in REACHED


WRONG: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"pages": 0}, WrongValueError),
    ({"pages": True}, WrongTypeError),
    ({"pages": 1.5}, WrongTypeError),
    ({"depth": -1}, WrongValueError),
    ({"bytes": 0}, WrongValueError),
    ({"url_length": 0}, WrongValueError),
    ({"seconds": 0}, WrongValueError),
    ({"seconds": float("nan")}, WrongValueError),
    ({"seconds": "1"}, WrongTypeError),
    ({"include": "/shop/"}, WrongTypeError),
    ({"exclude": [0]}, WrongTypeError),
    ({"exclude": ["shop"]}, WrongValueError),
    ({"origins": "https://a.example"}, WrongTypeError),
    ({"origins": ["a.example"]}, NoOriginError),
    ({"any_origin": "yes"}, WrongTypeError),
    ({"any_origin": True, "origins": [A]}, WrongValueError),
]


@pytest.mark.parametrize(("values", "error"), WRONG)
def test_an_invalid_bound_is_refused(values: dict[str, Any], error: type[Exception]) -> None:
    """A mistake raises at once, not after the crawl."""
    with pytest.raises(error):
        Bounds(**values)


def test_bounds_survive_being_written() -> None:
    """Bounds are stored with the crawl as JSON, and read back unchanged."""
    held = Bounds(
        pages=5, seconds=1.5, include=("/a",), exclude=("*.pdf$",), origins=frozenset([A])
    )
    assert Bounds.from_dict(json.loads(json.dumps(held.as_dict()))) == held
    assert Bounds.from_dict(json.loads(json.dumps(Bounds().as_dict()))) == Bounds()
    with pytest.raises(WrongValueError, match="no bound 'speed'"):
        Bounds.from_dict({"speed": 1})

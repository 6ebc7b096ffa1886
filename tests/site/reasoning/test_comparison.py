"""The comparison of two sets of rules names every pair of lines that decide differently."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.site.reasoning import RulesComparison, compare, first_difference, is_same

SHORT = ["/" + "".join(parts) for n in range(4) for parts in itertools.product("/ab.?", repeat=n)]
"""Every path of up to four letters."""

PATTERNS = st.lists(st.sampled_from(["/", "a", "b", "*", "?", "."]), max_size=4).map("".join)
LINES = st.lists(
    st.builds(
        "{}: /{}{}".format,
        st.sampled_from(["Allow", "Disallow"]),
        PATTERNS,
        st.sampled_from(["", "$"]),
    ),
    max_size=4,
)


def rules(*lines: str, dialect: str = "rfc9309") -> goodbot.Rules:
    """Return the rules of a file with one group for everyone."""
    text = "\n".join(["User-agent: *", *lines])
    return goodbot.RobotsTxt(text, dialect=dialect).rules_for("ExampleBot")


def pairs(found: RulesComparison) -> list[tuple[str, int | None, int | None]]:
    """Return the path and the lines of each difference."""
    return [
        (
            one.path,
            one.before.rule.line if one.before.rule else None,
            one.after.rule.line if one.after.rule else None,
        )
        for one in found.differences
    ]


@pytest.mark.parametrize(
    ("before", "after", "effect", "expected"),
    [
        (["Disallow: /a"], ["Disallow: /a"], "same", []),
        (["Disallow: /a", "Disallow: /a/b"], ["Disallow: /a*"], "same", []),
        (["Disallow: /%61"], ["Disallow: /a"], "same", []),
        (["Disallow: /a"], ["Disallow: /a/"], "laxer", [("/a", 2, None)]),
        (["Disallow: /"], ["Disallow: /", "Allow: /b"], "laxer", [("/b", 2, 3)]),
        (["Allow: /b", "Disallow: /"], ["Allow: /b$", "Disallow: /"], "stricter", [("/ba", 2, 3)]),
        (["Disallow: /a"], ["Disallow: /b"], "both", [("/a", 2, None), ("/b", None, 2)]),
        # RFC 9309 section 2.2.2: both match /a.b, and the longer rule decides.
        (["Disallow: /a*"], ["Disallow: /a*", "Allow: /*.b"], "laxer", [("/a.b", 2, 3)]),
        # A path with two dots between slashes is never asked about, so this rule does nothing.
        (["Disallow: /a/../b"], [], "same", []),
        # Section 2.2.2, Figure 4: behind the question mark, %2F is compared as a slash.
        (["Disallow: /?a=%2F"], ["Disallow: /?a=/"], "same", []),
        # The query begins where no rule wants a question mark, and its %2F is a slash for one rule.
        (
            ["Disallow: /*/a"],
            ["Disallow: /*/a", "Disallow: /*/a?x"],
            "stricter",
            [("/?%2Fa?x", None, 3)],
        ),
        (
            ["Disallow: /a%2Fb"],
            ["Disallow: /a/b"],
            "both",
            [("/a/b", None, 2), ("/a%2Fb", 2, None)],
        ),
    ],
)
def test_a_change_is_named_with_its_lines(
    before: list[str], after: list[str], effect: str, expected: list[tuple[str, object, object]]
) -> None:
    """Each pair of lines that decide differently has one shortest path; no other pair has any."""
    found = compare(rules(*before), rules(*after))
    assert (found.effect, pairs(found)) == (effect, expected)
    assert found.is_complete
    assert is_same(rules(*before), rules(*after)) is (effect == "same")


@given(LINES, LINES)
def test_trying_every_short_path_finds_nothing_else(before: list[str], after: list[str]) -> None:
    """The differences on short paths are those that are named; every path named is a difference."""
    one, other = rules(*before), rules(*after)
    found = compare(one, other)
    assert found.is_complete
    urls = [f"https://h{difference.path}" for difference in found.differences]
    assert all(one.allows(url) != other.allows(url) for url in urls)
    named = {(before, after) for _, before, after in pairs(found)}
    for path in SHORT:
        verdicts = one.verdict(f"https://h{path}"), other.verdict(f"https://h{path}")
        if verdicts[0].allowed != verdicts[1].allowed:
            lines = tuple(verdict.rule.line if verdict.rule else None for verdict in verdicts)
            assert lines in named, path
    first = first_difference(one, other)
    assert (first is None) == (not found)
    if first is not None:
        assert len(first.path) == len(found.differences[0].path)


def test_a_file_of_two_readings_is_compared_in_both() -> None:
    """A misspelt User-agent line is a guess: what either reading disallows is disallowed."""
    group = "User-agnet: a\nAllow: /p\nDisallow: /\n"
    before = "User-agent: *\nDisallow: /\nUser-agent: z\nDisallow: /zz\n" + group
    after = "User-agent: *\nDisallow: /\n" + group
    one, other = (goodbot.RobotsTxt(text).rules_for("a") for text in (before, after))
    differ = one.allows("https://h/p") != other.allows("https://h/p")
    assert bool(compare(one, other)) is differ
    assert is_same(one, other) is (not differ)


def test_dialects_can_be_compared() -> None:
    """The first rule decides in 1996, the longest since RFC 9309."""
    lines = ["Allow: /a", "Disallow: /a/b"]
    found = compare(rules(*lines, dialect="draft1996"), rules(*lines))
    assert pairs(found) == [("/a/b", 2, 3)]
    assert found.effect == "stricter"


def test_a_search_that_does_not_end_says_so() -> None:
    """Within too few steps, sameness is unknown, and so is the effect."""
    lines = [f"Disallow: /*{a}*{b}" for a in "abcd" for b in "efgh"]
    one, other = rules(*lines), rules(*lines, "Allow: /*abcd*abcd*abcd")
    assert is_same(one, other, most_states=0) is None
    found = compare(one, other, most_states=0)
    assert (found.is_complete, found.effect) == (False, "unknown")


@pytest.mark.parametrize(
    ("dialect", "before", "after", "paths"),
    [
        ("lwp", "Disallow: /b", "Disallow: /b\nDisallow: /%62", []),
        ("lwp", "", "Disallow: /%62", ["/%62"]),
        ("google", "Disallow: /~a", "Disallow: /%7Ea", ["/~a"]),
        ("google", "", "Disallow: /x/../b", []),
        ("google", "", "Disallow: /*.", ["/a."]),
        ("google", "Disallow: /", "Disallow: /\nAllow: /%61", []),
        ("google", "", 'Disallow: /"', []),
        ("google", "", "Disallow: /%22", ["/%22"]),
    ],
)
def test_a_difference_is_one_for_goodbot_verdict(
    dialect: str, before: str, after: str, paths: list[str]
) -> None:
    """Also in dialects that compare a URL as it is passed: robots pass it as they send it."""
    files = [
        goodbot.RobotsTxt(f"User-agent: *\n{text}", dialect=dialect) for text in (before, after)
    ]
    rules = [one.rules_for("ExampleBot") for one in files]
    found = compare(*rules)
    assert ([one.path for one in found.differences], found.is_complete) == (paths, True)
    assert is_same(*rules) is not bool(paths)
    first = first_difference(*rules)
    assert (first is None) is not bool(paths)
    for one in found.differences:
        asked = [goodbot.verdict(file, one.url, "ExampleBot").allowed for file in files]
        assert asked == [one.before.allowed, one.after.allowed]

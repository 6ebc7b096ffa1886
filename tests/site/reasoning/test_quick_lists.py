"""What the core lists without objects is what its objects say, in every dialect."""

from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import (
    RobotsTxt,
    dialect,
    dialects,
    first_considered,
    group_starts,
    limits_exceeded,
    rule_lines,
    stated_fields,
)
from tests.support.examples import examples

LINES = [
    "User-agent: *",
    "User-agent: a, b",
    "User-agent: a",
    "user-agent:b",
    "Disallow: /",
    "disallow:/a*$",
    "Disallow : /a /b  /a",
    "Allow: /a/**",
    "Allow: /%61?x",
    "Allow:",
    "Disalow: /é\x00b",
    "Disallow: https://a.example/a",
    "Crawl-delay: 5",
    "Comment: a: b # c",
    "Content-Usage: /a train-ai=n",
    "License:",
    "Robot-version: 2.0.0",
    "Colour: \udcff blue",
    "",
    "# c",
]
FILES = st.lists(st.sampled_from(LINES), max_size=12)
PATHS = ("/", "/a", "/a/b?x", "/%61?x", "/robots.txt", "/b")
LIMITS = {"too-large", "line-too-long", "too-many-rules"}


@examples(150)
@given(FILES, st.integers(0, 3))
def test_lists_are_those_of_the_objects(lines: list[str], most: int) -> None:
    """Rules, groups, fields, and the rules that match a path."""
    content = "\n".join(lines).encode("utf-8", "surrogateescape")
    for name in (one.name for one in dialects()):
        file = RobotsTxt(content, dialect=name)
        for robot in ("a", "zq"):
            rules = file.rules_for(robot)
            every = list(rules)
            said = [f"{rule.field}: {rule.pattern}" for rule in every]
            assert rule_lines(rules) == ([rule.line for rule in every], said)
            groups = rules.selection.groups
            assert group_starts(rules) == [one.lines[0] for one in groups if one.lines]
            fields = [(field, value) for field, value, _ in file.fields_for(robot)]
            text = "".join(f"{field}: {value}\n" for field, value in fields)
            assert stated_fields(file, robot) == (text, sum(len(value) for _, value in fields))
            for path in PATHS:
                verdict = rules.verdict(path)
                matching = [one.rule for one in verdict.considered]
                first = [(one.field, one.pattern, one.line) for one in matching[:most]]
                assert first_considered(rules, path, most) == (
                    verdict.allowed, first, len(matching)
                )  # fmt: skip


@examples(50)
@given(FILES, st.sampled_from([0, 3_000, 12_000]))
def test_limits_are_those_among_the_findings(lines: list[str], repeats: int) -> None:
    """Also in a file with so many findings that not all of them are listed."""
    text = "\n".join([*lines, *["Disalow: /a", "Allow : /"] * repeats, "x" * 17_000, ""])
    content = text.encode("utf-8", "surrogateescape")
    small = dialect("google").replace(name="small", size_limit="40", line_limit="12")
    for one in (*dialects(), small):
        file = RobotsTxt(content, dialect=one)
        expected = [found for found in file.findings if found.code in LIMITS]
        assert limits_exceeded(file) == expected

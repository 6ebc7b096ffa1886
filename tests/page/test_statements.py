"""Statements of header fields and META elements: what is not read says nothing."""

from hypothesis import given
from hypothesis import strategies as st

from goodbot.page import Page
from goodbot.page.dialects import PAGE_DIALECTS, page_dialect
from goodbot.page.directives import DIRECTIVES
from goodbot.page.finding_codes import Findings
from goodbot.page.header import link_values
from goodbot.page.near_misses import FIELDS, METAS
from goodbot.page.resolving import join
from goodbot.page.robot_names import robot_of
from goodbot.page.statements import (
    ALONE,
    HEADERS,
    may_be_for_robots,
    read_metas,
    statements_of_headers,
    statements_of_metas,
)

NAMES = [*ALONE, *HEADERS, *METAS, "robots", "google", "tdm-policy", "tdm-x", "og:title"]
NAMES += ["googlebot", "googlebot-news", "ExampleBot", "otherspider", "description", " Robot "]
KNOWN_FIELDS = [*HEADERS, *FIELDS, "tdm-reservation", "x-robot-tags", "content-signal", "etag"]
FIELD = st.one_of(
    st.sampled_from(KNOWN_FIELDS),
    st.text("abcdefrobtsxgtdm-_", max_size=12),
    st.just("robots" * 50),
)
CONTENT = st.sampled_from(
    ["", "none", "noindex, nofollow", "notranslate", "index=1; x", "examplebot: noindex", "lamps"]
)


@given(
    metas=st.lists(
        st.tuples(
            st.one_of(st.sampled_from(NAMES), st.text(max_size=8), st.just("bot" * 40)),
            CONTENT,
            st.booleans(),
            st.booleans(),
            st.integers(1, 9),
        ),
        max_size=6,
    ),
    robot=st.sampled_from(["*", "ExampleBot", "Googlebot-News", "og:title"]),
    dialect=st.sampled_from(sorted(PAGE_DIALECTS)),
)
def test_metas_that_are_passed_over_say_nothing(
    metas: list[tuple[str, str, bool, bool, int]], robot: str, dialect: str
) -> None:
    """Statements and findings are the same as if every element of every page were read."""
    known = page_dialect(dialect)
    quick, plain = Findings(), Findings()
    found = statements_of_metas(metas, robot_of(robot, known), known, quick)
    assert found == read_metas(metas, robot_of(robot, known), known, plain)
    assert (quick.list, quick.others) == (plain.list, plain.others)


@given(fields=st.lists(st.tuples(FIELD, CONTENT), max_size=4))
def test_headers_that_are_passed_over_say_nothing(fields: list[tuple[str, str]]) -> None:
    """Fields of which none may be for robots have neither statements nor findings."""
    findings = Findings()
    robot = robot_of("ExampleBot", page_dialect("google"))
    if not may_be_for_robots(frozenset(name for name, _ in fields)):
        assert not statements_of_headers(fields, robot, findings)
        assert not findings.list


LINKS = st.lists(
    st.sampled_from([
        "<https://a.example/wp-json/>; rel=https://api.w.org/", "</l>; rel=license",
        "</m>; Rel=LICENSE",
        '</n>; rel="li\\cense"; type="application/rsl+xml"', '</o>; rel="canonic\\al"',
        '</p>; rel="alternate"; hreflang="d\\e"', '</q>; rel="\\alternate"; HrefLang=de', "license",
        "</r>; rel=canonical, </s>; rel=profile", "</t>; rel=next; title=license",
    ]),
    max_size=3,
)  # fmt: skip


@given(LINKS)
def test_link_lines_that_are_passed_over_say_nothing(values: list[str]) -> None:
    """What is read of the Link header is the same as if every line were read."""
    headers = [("Link", value) for value in values]
    page = Page("https://a.example/", b"<p>a", headers=headers)
    every = [one for value in values for one in link_values(value)]
    relations = [
        (relation, target)
        for target, parameters in every
        for relation in parameters.get("rel", "").lower().split()
    ]
    related = {relation: join(page.url, target) for relation, target in reversed(relations)}
    assert page.canonical == related.get("canonical")
    licences = [join(page.url, target) for relation, target in relations if relation == "license"]
    assert list(page.usage.licenses) == list(dict.fromkeys(licences))
    of_rsl = [
        join(page.url, target)
        for target, parameters in every
        if "license" in parameters.get("rel", "").lower().split() and parameters.get("type")
    ]
    assert [one.value for one in page.usage.lines] == list(dict.fromkeys(of_rsl))
    alternates = [
        join(page.url, target)
        for target, parameters in every
        if "hreflang" in parameters and "alternate" in parameters.get("rel", "").lower().split()
    ]
    assert [url for _, url in page.facts.alternates] == alternates


def test_no_directive_contradicts_itself() -> None:
    """`conflicts` compares nothing if there is only one statement."""
    assert all(set(row.forbids).isdisjoint(row.allows) for row in DIRECTIVES.values())

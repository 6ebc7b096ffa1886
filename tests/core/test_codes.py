"""Names and numbers that Rust and Python both use are written in the core and read in Python."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import goodbot
from goodbot import _core
from goodbot.cli.shared import findings as cli_findings
from goodbot.cli.shared import live_sites, warnings
from goodbot.crawl.index.query import FINDING_CODES as OF_QUERIES
from goodbot.http.address import UrlFault
from goodbot.pace.constraints import FINDING_CODES as OF_THE_PACE
from goodbot.page import Page, marks, resolving
from goodbot.page.finding_codes import FINDING_CODES as OF_PAGES
from goodbot.page.finding_codes import NOT_READ, Severity
from goodbot.page.page_facts import ResourceKind
from goodbot.page.plan import CorePlan, Plan
from goodbot.page.readers.marked import LIMITS
from goodbot.page.verdict import ACTS, Act
from goodbot.policy import classify
from goodbot.policy.finding_codes import FINDING_CODES as OF_POLICIES
from goodbot.sitemaps.finding_codes import FINDING_CODES as OF_SITEMAPS

PACKAGE = Path(goodbot.__file__).parent
STUB = PACKAGE / "_core.pyi"
FILES = sorted(PACKAGE.rglob("*.py"))


def aliases() -> dict[str, tuple[str, ...]]:
    """Return what each alias of the stub that lists names has, under its name in the core."""
    found = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.target.id.removeprefix("_")).lower()
            found[name] = tuple(texts(node.value))
    return {name: names for name, names in found.items() if names}


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts in an expression, in order."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


@pytest.mark.parametrize("name", aliases())
def test_the_stub_lists_the_names_of_the_core(name: str) -> None:
    """Comparing with a name that the core does not have is therefore a type error."""
    assert aliases()[name] == _core.CODES[name]


def test_every_list_of_the_core_is_compared() -> None:
    """Every list that the core exports is in the stub, or Python reads or names it elsewhere."""
    assert get_args(ResourceKind) == _core.CODES["resource_kind"]
    read = {"field", "finding", "log_field", "resource_kind"}
    assert set(_core.CODES) - read == set(aliases())


def test_the_stub_lists_names_nowhere_else() -> None:
    """A list of names in an annotation would not be compared with anything."""
    tree = ast.parse(STUB.read_text())
    nodes = [node for node in tree.body if not isinstance(node, ast.AnnAssign)]
    literals = [
        set(texts(one.slice))
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Subscript) and ast.unparse(one.value) == "Literal"
    ]
    assert [names for names in literals if names - {""}] == []


def test_the_names_of_python_are_those_of_the_core() -> None:
    """The names that Python writes out for its own types are those of the core."""
    assert get_args(UrlFault) == ("", *_core.CODES["url_fault"])
    assert get_args(resolving.Why) == ("", *_core.CODES["unresolved"])
    assert get_args(Severity) == _core.CODES["severity"]
    assert set(cli_findings.STYLES) == set(_core.CODES["severity"])
    assert set(LIMITS) == set(_core.PAGE_LIMITS) == set(_core.CODES["limit"])
    assert _core.CODES["reason"] == tuple(slug for slug, _ in goodbot.reasons())
    assert _core.CODES["field"] == tuple(name for name, *_ in goodbot.fields())
    assert _core.CODES["finding"] == tuple(code for code, _, _ in goodbot.finding_codes())


def test_every_kind_of_line_and_way_of_selection_occurs() -> None:
    """A name in a list that no value has would be dead."""
    every = b"\n# comment\nDisallow: /\nFancy: x\nx\n"
    kinds = {line.kind for line in goodbot.RobotsTxt(every).lines}
    assert kinds == set(_core.CODES["line_kind"])
    assert _core.CODES["selection_way"] == tuple(slug for slug, _ in goodbot.selection_ways())


def test_acts_have_one_order() -> None:
    """The acts of parts come first among all, and their bits are in the order of the core."""
    assert get_args(Act) == tuple(ACTS)
    assert tuple(ACTS)[: len(_core.PART_ACTS)] == _core.PART_ACTS == _core.CODES["part_act"]
    bits = [getattr(marks, act.upper()) for act in _core.PART_ACTS]
    assert bits == [1 << place for place in range(len(bits))]
    of_runs = {act for act in _core.PART_ACTS if hasattr(_core.Run, act)}
    of_links = {act for act in _core.PART_ACTS if hasattr(_core.Link, act)}
    assert of_runs | of_links == set(_core.PART_ACTS)
    assert not of_runs & of_links


WRITTEN = {
    "class": "<p class='{0}'>a</p>",
    "attribute": "<div {0}>a</div>",
    "element": "<{0}>a<{1}>",
    "comments": "<!--{0}-->a<!--{1}-->",
    "relation": "<a href=/b rel='{0}'>a</a>",
}
"""How the marks that need no profile are written around a text."""


@pytest.mark.parametrize(
    "mark", [mark for mark in marks.MARKS if mark.form in WRITTEN], ids=lambda mark: mark.name
)
def test_a_mark_decides_the_acts_of_its_row(mark: marks.Mark) -> None:
    """The bits that Python writes mean the same acts to the core."""
    body = WRITTEN[mark.form].format(*mark.written)
    page = Page("https://a.example/", f"<p><a href=/b>b</a> {body}", marks=[mark.name])
    parts = [page.runs[-1], *page.links[1:]]
    for number, act in enumerate(_core.PART_ACTS):
        for part in parts:
            if hasattr(part, act):
                assert bool(getattr(part, act)) is not bool(mark.forbids >> number & 1), act


@pytest.mark.parametrize("table", [OF_PAGES, OF_POLICIES, OF_SITEMAPS, OF_QUERIES, OF_THE_PACE])
def test_every_finding_has_a_severity_of_the_core(table: dict[str, tuple[str, str]]) -> None:
    """A severity that the core does not know would have no place in any list."""
    assert {severity for severity, _ in table.values()} <= set(_core.CODES["severity"])


def test_codes_that_are_looked_for_exist() -> None:
    """Every code that Python compares findings with is in some table."""
    own = set(_core.CODES["finding"])
    assert own >= classify.NOT_READABLE
    assert own >= classify.NO_ROBOTS_TXT
    assert warnings.NO_ROBOTS_TXT == classify.NO_ROBOTS_TXT | classify.NOT_READABLE
    assert set(OF_POLICIES) >= live_sites.NOT_ROBOTS_TXT
    assert set(OF_PAGES) >= NOT_READ


def test_the_core_reads_the_plan_that_python_makes() -> None:
    """Each entry of the plan is read, and no missing entry is."""
    read = set()

    class Recorded(dict[str, object]):
        """A plan that records which of its entries are read."""

        def __getitem__(self, name: str) -> object:
            read.add(name)
            return super().__getitem__(name)

    decided = goodbot.page.dialects.page_dialect("google")
    plan = Plan(decided, frozenset()).as_dict("https://a.example/")
    _core.parse_html(b"<p>a", None, []).scan(Recorded(plan))  # type: ignore[arg-type]
    assert read == set(plan) == set(CorePlan.__annotations__)


def test_defaults_are_those_of_the_core() -> None:
    """The dialect and the vocabulary that apply if none is named."""
    newest, default = goodbot.vocabularies()[0][0], goodbot.RobotsTxt(b"").dialect.name
    for of_use in (Page.__init__, _core.content_usage, goodbot.Rules.usage):
        assert inspect.signature(of_use).parameters["vocabulary"].default == newest
    for of_access in (goodbot.Policy.from_response, goodbot.Policy.from_failure, goodbot.Robot):
        assert inspect.signature(of_access).parameters["dialect"].default == default

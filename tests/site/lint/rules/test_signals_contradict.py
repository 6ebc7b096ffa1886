"""Contradictions between signals: within robots.txt, and with each other document of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import goodbot
from goodbot.content_use import SPECIFICATIONS
from goodbot.content_use.obeyed_file import ObeyedFile
from goodbot.content_use.site_statements import StatedLines, stated_lines
from goodbot.content_use.sources import Uses, UseSources
from goodbot.site.lint import SiteSignals, lint
from goodbot.site.lint.rules.signals_contradict import MOST_LINES
from tests.support.live_sites import ask

if TYPE_CHECKING:
    from pathlib import Path

YES = "User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /cart/\n"
URL = "https://example.com/a"
LICENSE = "https://example.com/license.xml"
RSL = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
<prohibits type="usage">ai-train</prohibits></license></content></rsl>"""


def found(
    file: str, signals: SiteSignals | None = None
) -> list[tuple[int, str | None, tuple[int, ...]]]:
    """Return the contradictions: their line, path and other lines."""
    report = lint(file, signals=signals)
    chosen = [one for one in report.findings if one.code == "signals-contradict"]
    return [(one.line, one.path, one.others) for one in chosen]


def page(html: str = "", **header: str) -> SiteSignals:
    """Return a page as signals of a site."""
    fields = {name.replace("_", "-"): value for name, value in header.items()}
    return SiteSignals(page=goodbot.Page(URL, html, headers=fields))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (YES + "Content-Usage: train-ai=n\n", [(2, "/", (4,))]),
        (YES + "Content-Usage: train-ai=y\n", []),
        (YES + "Content-Usage: search=n\n", []),
        (YES + "Content-Usage: /a/ train-ai=n\n", [(2, "/a/", (4,))]),
        (YES + "\nUser-agent: __usage_ai-training\nDisallow: /\n", [(2, "/", (6,))]),
        (YES + "\nUser-agent: __usage_ai-training\nDisallow: /cart/\n", [(2, "/cart/", (6,))]),
        (YES + "\nUser-agent: __usage_ai-training\nAllow: /\n", []),
        # A licence that was not read contradicts nothing yet.
        (f"License: {LICENSE}\n{YES}", []),
        # Another robot has other statements, and neither contradicts the other.
        (YES + "\nUser-agent: ExampleBot\nContent-Usage: train-ai=n\nAllow: /\n", []),
    ],
)
def test_within_robots_txt(
    file: str, expected: list[tuple[int, str | None, tuple[int, ...]]]
) -> None:
    """Only opposite statements on one use, to one robot, on one path."""
    assert found(file) == expected


@pytest.mark.parametrize(
    "signals",
    [
        SiteSignals(tdmrep=b'[{"location": "/", "tdm-reservation": 1}]'),
        page(tdm_reservation="1"),
        page(Content_Usage="train-ai=n"),
        page(X_Robots_Tag="noai"),
        page('<meta name="robots" content="noai">'),
        page('<meta name="tdm-reservation" content="1">'),
        page(f'<script type="application/rsl+xml">{RSL.decode()}</script>'),
    ],
    ids=["tdmrep", "header", "usage", "tag", "meta", "tdm-meta", "inline"],
)
def test_with_each_document(signals: SiteSignals) -> None:
    """Content-Signal allows what the other document of the site reserves."""
    assert [line for line, _, _ in found(YES, signals)] == [2]


GRANTS = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
<permits type="usage">all</permits></license></content></rsl>"""
ALLOWS: dict[str, tuple[str, SiteSignals]] = {
    "content-usage": ("Content-Usage: train-ai=y\n", SiteSignals()),
    "content-signal": ("Content-Signal: ai-train=yes\n", SiteSignals()),
    "tdmrep": ("", SiteSignals(b'[{"location": "/", "tdm-reservation": 0}]')),
    "rsl": (f"License: {LICENSE}\n", SiteSignals(licenses={LICENSE: GRANTS})),
}
"""What allows training, by specification: lines of the group for everyone, and other documents."""
RESERVES: dict[str, tuple[str, SiteSignals]] = {
    "content-usage": ("Content-Usage: train-ai=n\n", SiteSignals()),
    "content-signal": ("Content-Signal: ai-train=no\n", SiteSignals()),
    "purpose-token": ("\nUser-agent: __usage_ai-training\nDisallow: /\n", SiteSignals()),
    "robots-meta": ("", page(X_Robots_Tag="noai")),
    "tdmrep": ("", SiteSignals(b'[{"location": "/", "tdm-reservation": 1}]')),
    "rsl": (f"License: {LICENSE}\n", SiteSignals(licenses={LICENSE: RSL})),
}
"""What reserves it."""
PAIRS = [(one, other) for one in ALLOWS for other in RESERVES if one != other]


@pytest.mark.parametrize(("allows", "reserves"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_each_pair_of_specifications(allows: str, reserves: str) -> None:
    """Whatever two specifications state opposite things about training, both are named."""
    (first, one), (second, other) = ALLOWS[allows], RESERVES[reserves]
    signals = SiteSignals(
        one.tdmrep or other.tdmrep, {**one.licenses, **other.licenses}, one.page or other.page
    )
    file = f"User-agent: *\nDisallow: /cart/\n{first}{second}"
    report = lint(file, signals=signals)
    said = [one.message for one in report.findings if one.code == "signals-contradict"]
    names = [SPECIFICATIONS[allows][0], SPECIFICATIONS[reserves][0]]
    assert any(all(name in message for name in names) for message in said), said


def test_with_a_licence() -> None:
    """The licence that robots.txt names prohibits what Content-Signal allows."""
    signals = SiteSignals(licenses={LICENSE: RSL})
    assert found(f"License: {LICENSE}\n{YES}", signals) == [(3, "/", (1,))]


def test_a_reservation_and_a_licence_agree() -> None:
    """Nobody may without an agreement, says each; an agreement is to be had."""
    priced = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
<permits type="usage">ai-train</permits><payment type="crawl"/></license></content></rsl>"""
    signals = SiteSignals(b'[{"location": "/", "tdm-reservation": 1}]', {LICENSE: priced})
    no = YES.replace("=yes", "=no")
    assert found(f"License: {LICENSE}\n{no}", signals) == []
    assert [line for line, _, _ in found(f"License: {LICENSE}\n{YES}", signals)] == [3]


def test_what_agrees_is_no_finding() -> None:
    """Several statements that say the same do not contradict each other."""
    no = YES.replace("=yes", "=no") + "Content-Usage: train-ai=n\n"
    signals = SiteSignals(tdmrep=b'[{"location": "/", "tdm-reservation": 1}]')
    assert found(no, signals) == []


def test_the_command_reads_the_documents(tmp_path: Path) -> None:
    """Files are named by options; their contradictions have the line of robots.txt."""
    file, tdmrep = tmp_path / "robots.txt", tmp_path / "tdmrep.json"
    file.write_text(YES)
    tdmrep.write_text('[{"location": "/", "tdm-reservation": 1}]')
    status, output, _ = ask("lint", str(file), "--tdmrep", str(tdmrep))
    assert (status, "signals-contradict" in output) == (1, True)
    status, output, _ = ask("lint", str(file), "--header", "X-Robots-Tag: noai")
    assert (status, "signals-contradict" in output) == (1, True)
    assert ask("lint", str(file))[0] == 0


@pytest.mark.parametrize("field", ["Content-Usage: /a train-ai=", "Content-Signal: /a ai-train="])
def test_a_group_with_another_statement_for_a_path_is_not_the_default(field: str) -> None:
    """Without the group the robot would read another answer on that path."""
    group = "User-agent: {}\n" + field + "{}\nDisallow: /cart/\n"
    yes, no = ("y", "n") if "Usage" in field else ("yes", "no")
    differ = f"{group.format('*', yes)}\n{group.format('ExampleBot', no)}"
    alike = f"{group.format('*', no)}\n{group.format('ExampleBot', no)}"
    codes = [[one.code for one in lint(text).findings] for text in (differ, alike)]
    assert [("same-as-default" in found) for found in codes] == [False, True]


@pytest.mark.parametrize(
    "file",
    [
        "".join(f"Content-Usage: /{n} train-ai=n\n" for n in range(15_000)),
        "".join(f"Content-Signal: /{n} ai-train=no\n" for n in range(12_000)),
        "".join(
            f"\nUser-agent: b{n}\nAllow: /{n}\n" + f"Content-Usage: /{n}/ train-ai=n\n" * 18
            for n in range(600)
        ),
    ],
)
def test_the_statements_of_a_large_file_are_read_a_few_times(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each robot once, and then so often that the lines read stay within a bound."""
    answers, robots = [], []

    def answer(sources: UseSources) -> Uses:
        assert isinstance(sources.robots_txt, ObeyedFile)
        assert sources.robots_txt.stated is not None
        answers.append(sources.robots_txt.stated.total)
        return answer_before(sources)

    def stated(robots_txt: goodbot.RobotsTxt, robot: str) -> StatedLines:
        robots.append(robot)
        return stated_lines(robots_txt, robot)

    answer_before = UseSources.answer
    monkeypatch.setattr(UseSources, "answer", answer)
    monkeypatch.setattr("goodbot.content_use.obeyed_file.stated_lines", stated)
    lint(f"User-agent: *\nContent-Signal: ai-train=yes\n{file}Disallow: /cart/\n")
    assert answers
    assert sum(answers) < MOST_LINES
    assert len(robots) == len(set(robots))


GROUP = "User-agent: *\nAllow: /\n"


@pytest.mark.parametrize(
    ("lines", "line", "others", "counts"),
    [
        ("Content-Signal: ai-train=no\nContent-Signal: ai-train=yes", 4, (3,), "'ai-train=no'"),
        ("Content-Signal: ai-train=yes\nContent-Signal: AI-Train=no", 3, (4,), "'ai-train=no'"),
        ("Content-Signal: ai-train=yes, ai-train=no", 3, (), "'ai-train=no'"),
        ("Content-Usage: train-ai=n\nContent-Usage: train-ai=y", 4, (3,), "'train-ai=n'"),
        ("Content-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n", 3, (4,), "'train-ai=n'"),
        ("Content-Signal: use=full\nContent-Signal: use=immediate", 3, (4,), "'use=immediate'"),
        ("Content-Signal: /a use=full\nContent-Signal: /a use=reference", 3, (4,), "use=reference"),
    ],
)  # fmt: skip
def test_within_one_specification(
    lines: str, line: int, others: tuple[int, ...], counts: str
) -> None:
    """The finding names both lines, and says that the stricter one counts."""
    [one] = [one for one in lint(f"{GROUP}{lines}\n").findings if one.code == "signals-contradict"]
    assert (one.line, one.others) == (line, others)
    assert counts in one.message
    assert all(f"line {number}" in one.message for number in (others and (line, *others)))
    robots = goodbot.RobotsTxt(f"{GROUP}{lines}\n")
    uses = goodbot.uses(URL, robots_txt=robots)
    name, _, value = counts.strip("'").partition("=")
    if name == "use":
        assert uses.level is not None
        assert uses.level.level == value
    else:
        assert uses.train.status == "reserved"


@pytest.mark.parametrize(
    "lines",
    [
        "Content-Signal: ai-train=no\nContent-Signal: search=yes",
        "Content-Signal: ai-train=no\nContent-Signal: ai-train=no",
        "Content-Signal: /a ai-train=no\nContent-Signal: ai-train=yes",
        "Content-Usage: train-ai=n\nContent-Usage: /a train-ai=y",
        "Content-Usage: ai-use=n\nContent-Usage: train-ai=y",
        "Content-Signal: use=full\nContent-Signal: use=maybe",
        "Content-Signal: ai-train=no\n\nUser-agent: B\nContent-Signal: ai-train=yes\nAllow: /",
    ],
)
def test_what_is_no_contradiction_within_one_specification(lines: str) -> None:
    """Other uses, other paths, other robots, and the same said twice."""
    assert found(f"{GROUP}{lines}\n") == []


def test_lines_before_all_groups_count_for_a_group_without_any() -> None:
    """Two of them contradict each other there; a group with a line of its own reads neither."""
    before = "Content-Signal: ai-train=no\nContent-Signal: ai-train=yes\n"
    assert found(f"{before}{GROUP}") == [(2, None, (1,))]
    assert found(f"{before}{GROUP}Content-Signal: search=yes\n") == []

"""What does not permit: cut licences, records within bounds, robots that read a file otherwise."""

from __future__ import annotations

import pytest

import goodbot
from goodbot.content_use import read_license, read_tdmrep
from goodbot.content_use.page_statements import MOST_PACKED, PageStatements, unpack_statements
from goodbot.content_use.site_statements import path_of_signals
from goodbot.content_use.statement import UseStatement

URL = "https://example.com/private/x"
RSL = (
    "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>"
    "<{0} type='usage'>{1}</{0}></license></content></rsl>"
)


@pytest.mark.parametrize(
    ("kind", "words"),
    [("prohibits", " " * 4_200 + "ai-train ai-input"), ("permits", " " * 4_093 + "allxyz")],
)
def test_a_list_of_uses_is_never_cut(kind: str, words: str) -> None:
    """A prohibition would be missing, and an unknown word would be a known one."""
    found = read_license(RSL.format(kind, words))
    assert found.fault is not None
    assert "4,096" in found.fault


def test_a_record_within_bounds_permits_no_more() -> None:
    """Ranks are not always comparable: what allows is kept only where nothing restricts."""
    many = [
        UseStatement("train", "reserved", "rsl", f"licence {n}", "", None, None, (n, 0))
        for n in range(MOST_PACKED + 6)
    ]
    permitting = UseStatement("train", "allowed", "rsl", "licence", "", None, None, (10_000, 1))
    unranked = UseStatement("ground", "reserved", "rsl", "licence", "", None, None, ())
    other = UseStatement("ground", "allowed", "rsl", "licence", "", None, None, (1, 1))
    packed = PageStatements(said=(*many, permitting, unranked, other)).pack()
    assert packed is not None
    kept = unpack_statements(packed).said
    assert {(one.use, one.says) for one in kept} == {("train", "reserved"), ("ground", "reserved")}


def test_content_usage_is_about_what_the_robot_may_fetch() -> None:
    """By its own reading of the file: DuckDuckBot takes the first rule that matches."""
    file = goodbot.RobotsTxt(
        b"User-agent: *\nDisallow: /private\nAllow: /private/open\nContent-Usage: train-ai=y\n"
    )
    url = "https://example.com/private/open"
    found = goodbot.uses(url, robots_txt=file, robot="DuckDuckBot")
    assert found.access is not None
    assert not found.access.allowed
    assert found.train.status == "unknown"
    assert goodbot.uses(url, robots_txt=file, robot="ExampleBot").train.status == "allowed"


def test_content_usage_is_told_where_only_other_robots_must_not_fetch() -> None:
    """A pattern that DuckDuckBot does not read keeps it from nothing, and hides no reservation."""
    file = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /*.pdf\nContent-Usage: train-ai=n\n")
    url = "https://example.com/x.pdf"
    assert goodbot.uses(url, robots_txt=file, robot="DuckDuckBot").train.status == "reserved"
    assert goodbot.uses(url, robots_txt=file, robot="ExampleBot").train.status == "unknown"


@pytest.mark.parametrize("content", ['{"location": "/", "tdm-reservation": 1}', "null", "{", "5"])
def test_a_tdmrep_that_is_no_array_stops_a_permission(content: str) -> None:
    """It could not be read, and it may reserve the use."""
    assert not read_tdmrep(content).is_whole
    file = goodbot.RobotsTxt(b"User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n")
    found = goodbot.uses(URL, robots_txt=file, tdmrep=content)
    assert (found.train.status, found.train.reason) == ("unknown", "tdmrep-not-read")


def test_only_white_space_of_http_is_stripped() -> None:
    """The core reads a name with another control character as another name."""
    assert path_of_signals("/a \x1fai-train=yes")[1] == "\x1fai-train=yes"
    file = goodbot.RobotsTxt(
        b"User-agent: *\nContent-Signal: /private \x1fai-train=yes\nAllow: /\n"
    )
    assert goodbot.uses(URL, robots_txt=file).train.status == "unknown"


@pytest.mark.parametrize("answers", ["ai-train=n", "AI-Train = nope", "ai-train=", "ai-train"])
def test_an_unknown_answer_at_a_path_leaves_no_permission(answers: str) -> None:
    """By the core and by the statements alike."""
    lines = f"Content-Signal: ai-train=yes\nContent-Signal: /private/ {answers}\n"
    file = goodbot.RobotsTxt(f"User-agent: *\n{lines}Allow: /\n")
    assert "ai-train" not in file.rules_for("*").usage(URL).content_signal
    assert goodbot.uses(URL, robots_txt=file).train.status == "unknown"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/rsl+xml; charset=utf-8", "reserved"),
        ("Application/RSL+XML ;a=b", "reserved"),
        ("application/rsl+xmlx", "unknown"),
    ],
)
def test_the_type_of_an_inline_licence_may_have_parameters(kind: str, status: str) -> None:
    """As that of a link may."""
    licence = RSL.format("prohibits", "ai-all").replace("url='/'", "url=''")
    page = goodbot.Page(URL, f"<head><script type='{kind}'>{licence}</script></head><p>x".encode())
    assert goodbot.uses(URL, page).train.status == status

"""The table of known robots: every fact has a source, families are complete, and lookups help."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from printing import of_known_robots
from printing.of_known_robots import (
    COMPILED,
    RowError,
    compiled,
    problems_of,
    rows_of,
    wrong_values,
)

import goodbot
from goodbot import bots
from goodbot.bots.robot_table import RobotTable, table
from goodbot.errors import WrongTypeError, WrongValueError

ROBOTS = bots.every()
SOURCES = {"here": {"title": "A page", "url": "https://a.example/", "read": "2026-11-22"}}
DAY = re.compile(r"20\d\d-\d\d-\d\d")


def test_the_compiled_table_is_current() -> None:
    """What the package loads is what known-robots/ says; `make docs` compiles it."""
    assert COMPILED.read_text(encoding="utf-8") == compiled()


def test_the_table_is_large() -> None:
    """It has at least 150 robots, and a way of verification for more than 62."""
    assert len(ROBOTS) >= 150
    assert sum(robot.is_verifiable for robot in ROBOTS) >= 62


def test_every_known_fact_has_a_source_and_a_day() -> None:
    """A fact without a source is not in the table, nor is a source without a fact."""
    for robot in ROBOTS:
        facts = [name for name in robot.as_dict() if name != "sources"]
        known = {name for name in facts if getattr(robot, name) not in {None, ()}}
        # That requests come under its name is the rule; only the exception is stated.
        assert robot.sources.keys() | {"fetches"} == known | {"fetches"}, robot.name
        for source in robot.sources.values():
            assert source.url.startswith(("https://", "http://"))
            assert DAY.fullmatch(source.read)


FAMILIES = {
    "Google": [
        "Googlebot",
        "Googlebot-Image",
        "Googlebot-News",
        "Googlebot-Video",
        "Storebot-Google",
        "Google-InspectionTool",
        "GoogleOther",
        "GoogleOther-Image",
        "GoogleOther-Video",
        "Google-CloudVertexBot",
        "Google-Extended",
        "APIs-Google",
        "AdsBot-Google",
        "AdsBot-Google-Mobile",
        "Mediapartners-Google",
        "Google-Safety",
        "FeedFetcher-Google",
        "Google-Read-Aloud",
        "Google-Site-Verification",
        "Google-NotebookLM",
    ],
    "Microsoft": ["bingbot", "msnbot", "adidxbot", "BingPreview", "MicrosoftPreview"],
    "Apple": ["Applebot", "Applebot-Extended"],
    "OpenAI": ["GPTBot", "OAI-SearchBot", "ChatGPT-User", "OAI-AdsBot"],
    "Anthropic": ["ClaudeBot", "Claude-User", "Claude-SearchBot"],
    "Perplexity": ["PerplexityBot", "Perplexity-User"],
    "Meta": ["meta-externalagent", "meta-externalfetcher", "facebookexternalhit", "FacebookBot"],
    "Amazon": ["Amazonbot", "Amzn-SearchBot", "Amzn-User"],
    "Mistral": ["MistralAI-User", "MistralAI-Index", "MistralAI-Training"],
    "DuckDuckGo": ["DuckDuckBot", "DuckAssistBot"],
    "Common Crawl": ["CCBot"],
    "ByteDance": ["Bytespider"],
}


@pytest.mark.parametrize("operator", FAMILIES)
def test_the_family_of_an_operator_is_complete(operator: str) -> None:
    """Every robot that the operator's pages name is in the table."""
    names = {robot.name for robot in bots.by_operator(operator)}
    assert set(FAMILIES[operator]) <= names


def test_the_family_of_yandex_is_large() -> None:
    """Its pages and the lists name more than thirty, which all obey the group of Yandex too."""
    yandex = bots.by_operator("Yandex")
    assert len(yandex) >= 30
    assert all(robot.dialect == "yandex" and robot.hosts for robot in yandex)


def test_tokens_are_in_the_order_in_which_they_are_tried() -> None:
    """The most specific token comes first, as Google, Bing, Apple and Yandex document it."""
    assert bots.get("Googlebot-Image").tokens == ("Googlebot-Image", "Googlebot")
    assert bots.get("GoogleOther-Video").tokens == ("GoogleOther-Video", "GoogleOther")
    assert bots.get("bingbot").tokens == ("bingbot", "msnbot")
    assert bots.get("Applebot").tokens == ("Applebot", "Googlebot")
    assert bots.get("YandexImages").tokens == ("YandexImages", "Yandex")


def test_what_is_heeded_and_ignored_is_known_by_field() -> None:
    """Crawl-delay: Bing reads it, Google does not, and of many it is not known."""
    assert bots.get("bingbot").reads == ("Crawl-delay",)
    assert bots.get("Googlebot").ignores == ("Crawl-delay",)
    assert bots.get("LinkedInBot").reads == bots.get("LinkedInBot").ignores == ()
    assert bots.get("AdsBot-Google").ignores_star
    assert not bots.get("Googlebot").ignores_star
    assert bots.get("LinkedInBot").ignores_star is None


def test_a_token_without_a_fetcher_has_no_user_agent() -> None:
    """No request comes under the names Google-Extended and Applebot-Extended."""
    tokens = [robot.name for robot in ROBOTS if not robot.fetches]
    assert tokens == ["Applebot-Extended", "Google-Extended"]
    assert bots.of_user_agent("Google-Extended/1.0") is None


def test_lookups() -> None:
    """Robots are found by name, by operator and by purposes, in any case of letters."""
    assert bots.get("GOOGLEBOT-news").name == "Googlebot-News"
    assert bots.get("Facebot").name == "FacebookBot"
    assert {"GPTBot", "ClaudeBot", "CCBot"} <= {one.name for one in bots.by_purpose("ai-training")}
    both = bots.by_purpose("user-triggered", "feed")
    assert {"FeedFetcher-Google"} <= {one.name for one in both} < {one.name for one in ROBOTS}
    assert [one.name for one in bots.by_operator("perplexity")] == [
        "Perplexity-User",
        "PerplexityBot",
    ]
    assert goodbot.bots is bots


def test_a_set_has_the_robots_of_any_of_its_purposes() -> None:
    """`goodbot check --robots` names the same sets; a purpose is a set, too."""
    ai = {one.name for one in bots.by_set("ai")}
    kinds = [{one.name for one in bots.by_purpose(f"ai-{kind}")} for kind in ("training", "search")]
    assert ai == kinds[0] | kinds[1]
    assert ai not in kinds
    assert bots.by_set("all") == list(bots.every())
    assert bots.by_set("seo") == bots.by_purpose("seo")
    with pytest.raises(WrongValueError, match=r"'A\.I\.'; use one of ai, all, search"):
        bots.by_set("A.I.")
    with pytest.raises(WrongTypeError, match="name must be a str"):
        bots.by_set(7)  # type: ignore[arg-type]


def test_an_unknown_name_names_the_nearest() -> None:
    """Each lookup says what was probably meant; without anything near, it says no more."""
    with pytest.raises(WrongValueError, match="did you mean ClaudeBot"):
        bots.get("ClaudBot")
    with pytest.raises(WrongValueError, match="'xqzw' is known; 'goodbot bots' lists all"):
        bots.get("xqzw")
    with pytest.raises(WrongValueError, match="did you mean OpenAI"):
        bots.by_operator("Open AI")
    with pytest.raises(WrongValueError, match="use one of search, ai-training"):
        bots.by_purpose("ai")
    with pytest.raises(WrongTypeError, match="name must be a str"):
        bots.get(7)  # type: ignore[arg-type]


def test_values_as_plain_values() -> None:
    """`as_dict` is JSON, with the source of each fact."""
    shown = json.loads(json.dumps(bots.get("GPTBot").as_dict()))
    assert shown["addresses"][0]["url"] == "https://openai.com/gptbot.json"
    assert shown["sources"]["tokens"]["read"] == "2026-11-22"
    assert shown["ignores_star"] is None


def test_import_loads_neither_the_table_nor_its_room() -> None:
    """`import goodbot` does not load the room; the table is read when it is first used."""
    program = (
        "import goodbot, sys; print('goodbot.bots' in sys.modules);"
        "goodbot.bots; from goodbot.bots.robot_table import table;"
        "print(table.cache_info().currsize);"
        "goodbot.bots.get('GPTBot'); print(len(table().records))"
    )
    done = subprocess.run(  # noqa: S603 - a program of ours
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # And of all robots, only the one that was asked for is made.
    assert done.stdout.split() == ["False", "0", "1"]


def test_robots_with_the_same_list_share_it() -> None:
    """Equal lists of addresses are one object, which is fetched once."""
    assert bots.get("Googlebot").addresses[0] is bots.get("GoogleOther").addresses[0]
    assert table().robot(0) is table().robot(0)
    assert isinstance(table(), RobotTable)


# Rows that are wrong.


@pytest.mark.parametrize(
    ("fact", "problem"),
    [
        ({"purpose": ["search"]}, "no fact purpose"),
        ({"purposes": ["selling"]}, "no purpose selling"),
        ({"purposes": []}, "must be a list that is not empty"),
        ({"dialect": "klingon"}, "no dialect 'klingon'"),
        ({"reads": ["Crawl-speed"]}, "no field Crawl-speed"),
        ({"fetches": False, "user_agents": ["A"]}, "nothing is fetched"),
        ({"addresses": ["http://a.example/list"]}, "must be fetched by https"),
        ({"from": {"tokens": "here"}}, "a source of tokens, which it does not state"),
        ({"operator": "A", "from": {"operator": "there"}}, "no source 'there'"),
        ({}, "states nothing"),
    ],
)
def test_a_wrong_row_is_refused(fact: dict[str, object], problem: str) -> None:
    """The compiler says what is wrong with a row."""
    row = {"name": "A", "source": "here", "from": {}, **fact}
    assert any(problem in one for one in [*problems_of(row, SOURCES), *wrong_values(row)])


def test_a_wrong_row_is_named(tmp_path: Path) -> None:
    """The message has the file and the robot."""
    rows = tmp_path / "a.toml"
    rows.write_text(
        '[[robot]]\nname = "ABot"\npurposes = ["x"]\nsource = "here"\n', encoding="utf-8"
    )
    with pytest.raises(RowError, match=r"a\.toml: ABot: there is no purpose x"):
        list(rows_of(rows, SOURCES))


def test_two_robots_with_one_name_are_refused() -> None:
    """Names and texts of User-Agents are unique, whatever the case of their letters."""
    rows = [{"name": "A", "user_agents": ["one"]}, {"name": "B", "user_agents": ["ONE"]}]
    with pytest.raises(RowError, match="one: two robots"):
        of_known_robots.check_uniqueness(rows)

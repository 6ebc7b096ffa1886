"""Policies, known robots, and the decisions of the operator, over HTTP."""

from typing import Any

import pytest

from goodbot import bots
from goodbot.service import Service
from goodbot.store import MemoryStore
from tests.service.test_turns import told
from tests.support.json_output import validator
from tests.support.robot_sites import OTHER, SITE, run, site_with
from tests.support.service_client import open_service, request

RULES = "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n"


def test_a_policy_is_what_the_command_prints() -> None:
    """`goodbot policy --store --json` has the same schema."""
    site = site_with(RULES)

    async def steps(service: Service) -> None:
        target = f"/v1/policies?url={SITE}/a&robot=ExampleBot"
        unknown = await request(service, "GET", target)
        assert (unknown.status, unknown.json["type"]) == (404, "/v1/problems/unknown-site")
        assert site.visits == []
        content = {"url": f"{SITE}/a", "robot": "ExampleBot"}
        found = (await request(service, "POST", "/v1/policies", content)).json
        assert found["came_from"] == "site"
        assert found["robot"] == "ExampleBot"
        assert found["asks"]["crawl_delay"] == 5
        assert [one["reason"] for one in found["history"]] == ["found"]
        again = (await request(service, "GET", target)).json
        assert again["came_from"] == "store"
        for one in (found, again):
            assert not list(validator("policy").iter_errors(one))
        assert len(site.visits) == 1

    told(site, steps, store=MemoryStore())


@pytest.mark.parametrize(
    "content", [{}, {"url": ""}, {"url": "nonsense"}, {"url": SITE, "robot": ""}, {"urls": [SITE]}]
)
def test_a_wrong_question_about_a_policy_is_400(content: object) -> None:
    """Nothing is requested."""
    site = site_with(RULES)

    async def steps(service: Service) -> int:
        return (await request(service, "POST", "/v1/policies", content)).status

    assert told(site, steps) == 400
    assert site.visits == []


def test_known_robots_are_listed_as_the_command_does() -> None:
    """All, or one by its name."""

    async def steps(service: Service) -> None:
        listed = (await request(service, "GET", "/v1/robots")).json["robots"]
        assert [one["name"] for one in listed] == [one.name for one in bots.every()]
        for one in listed:
            assert not list(validator("bots").iter_errors(one))
        [found] = (await request(service, "GET", "/v1/robots?name=gptbot")).json["robots"]
        assert found["name"] == "GPTBot"
        assert (await request(service, "GET", "/v1/robots?name=NoSuchBot")).status == 400
        assert (await request(service, "GET", "/v1/robots?x=1")).status == 400

    told(site_with(""), steps)


def test_blocks_and_pauses_have_the_words_of_the_command() -> None:
    """What is decided applies at once, and can be listed and taken back."""
    site, store = site_with(""), MemoryStore()

    async def decide(service: Service, words: str, **content: str) -> Any:  # noqa: ANN401  as JSON has it
        return await request(service, "POST", f"/v1/{words}", content)

    async def verdicts(service: Service) -> list[str]:
        content = {"urls": [f"{SITE}/a", f"{OTHER}/a"]}
        rows = (await request(service, "POST", "/v1/verdicts", content)).json["verdicts"]
        return [row["reason"] for row in rows]

    async def main() -> None:
        async with open_service(site, store=store) as service:
            assert await verdicts(service) == ["no-group", "no-group"]
            blocked = await decide(service, "block/add", place=SITE, why="they asked us", by="ada")
            assert blocked.json["kind"] == "block"
            paused = await decide(service, "pause", place=OTHER, why="they are moving")
            assert paused.json["kind"] == "pause"
            assert await verdicts(service) == ["operator-block", "operator-pause"]
            listed = (await request(service, "GET", "/v1/block/list")).json["holds"]
            assert [one["scope"] for one in listed] == [SITE, OTHER]
            for one in listed:
                assert not list(validator("robot block list").iter_errors(one))
            removed = await decide(service, "block/remove", place=f"{SITE}/")
            assert removed.json == {"removed": SITE}
            assert (await decide(service, "resume", place=OTHER)).json == {"resumed": OTHER}
            assert await verdicts(service) == ["no-group", "no-group"]
            for words in ("block/remove", "resume"):
                answer = await decide(service, words, place=SITE)
                assert (answer.status, answer.json["type"]) == (404, "/v1/problems/not-held")
            for words, content, said in [
                ("block/add", {"place": SITE}, "'why' is missing"),
                ("block/add", {"why": "x"}, "'place' is missing"),
                ("block/add", {"place": "nonsense", "why": "x"}, "is not an absolute"),
                ("pause", {"place": f"{SITE}/a"}, "only a whole site"),
                ("resume", {"place": SITE, "why": "x"}, "no key 'why'"),
            ]:
                answer = await decide(service, words, **content)
                assert answer.status == 400
                assert said.lower() in answer.json["detail"].lower()

    run(main())

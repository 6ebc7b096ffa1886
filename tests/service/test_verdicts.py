"""Questions about many URLs and robots: what is answered, and what is asked of sites."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import goodbot
from goodbot.content_use.statement import USES
from goodbot.errors import StoreUnavailableError
from goodbot.service import questions
from goodbot.service.asgi import LARGEST_BODY
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import Answer, FakeSite
from tests.support.robot_sites import OTHER, SITE, run, site_with
from tests.support.service_client import Answered, open_service, request

RULES = (
    "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n\n"
    "User-agent: OtherBot\nDisallow: /\n\nContent-Signal: ai-train=no\n"
)


def ask(site: FakeSite, content: object, **options: Any) -> Answered:  # noqa: ANN401  as `open_service`
    """Return the answer to one question, of a service that knows nothing yet."""

    async def main() -> Answered:
        async with open_service(site, **options) as service:
            return await request(service, "POST", "/v1/verdicts", content)

    return run(main())


def test_a_verdict_has_reason_line_dialect_source_and_times() -> None:
    """Everything that a worker needs to log, and to come back."""
    answer = ask(site_with(RULES), {"urls": [f"{SITE}/private/x"], "robots": ["ExampleBot"]})
    assert answer.status == 200
    [found] = answer.json["verdicts"]
    turn = found.pop("next_visit")
    assert found == {
        "url": f"{SITE}/private/x",
        "robot": "ExampleBot",
        "verdict": "disallowed",
        "allowed": False,
        "reason": "rule-disallows",
        "source": "robots.txt line 2",
        "line": 2,
        "dialect": "rfc9309",
        "until": "2026-01-02T00:00:00+00:00",
        "retry_at": None,
    }
    assert (turn["reason"], turn["line"], turn["wait"]) == ("crawl-delay", 3, 5.0)


def test_each_robot_is_asked_about_each_url() -> None:
    """URL by URL, in the order of the question."""
    content = {"urls": [f"{SITE}/a", f"{SITE}/private"], "robots": ["ExampleBot", "OtherBot"]}
    rows = ask(site_with(RULES), content).json["verdicts"]
    assert [(row["url"], row["robot"], row["verdict"]) for row in rows] == [
        (f"{SITE}/a", "ExampleBot", "allowed"),
        (f"{SITE}/a", "OtherBot", "disallowed"),
        (f"{SITE}/private", "ExampleBot", "disallowed"),
        (f"{SITE}/private", "OtherBot", "disallowed"),
    ]


@pytest.mark.parametrize("robot", ["ExampleBot", "Googlebot-News", "AdsBot-Google", "*"])
@pytest.mark.parametrize("path", ["/a", "/private", "/%70rivate", "/x/../private", "/robots.txt"])
def test_the_answer_is_that_of_goodbot_verdict(robot: str, path: str) -> None:
    """The same question has one answer."""
    site = site_with("User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /private\n")
    [found] = ask(site, {"urls": [SITE + path], "robots": [robot]}).json["verdicts"]

    async def main() -> goodbot.Verdict:
        async with goodbot.robot.RobotsTxtReader(fetcher=site, clock=site.clock) as reader:
            return goodbot.verdict(await reader.policy(SITE), SITE + path, robot)

    expected = run(main())
    assert (found["allowed"], found["reason"], found["source"], found["dialect"]) == (
        expected.allowed,
        expected.reason,
        expected.source,
        expected.dialect,
    )


def test_robots_txt_is_requested_once_however_many_ask() -> None:
    """Also while it is on its way, and for another robot."""
    site = FakeSite({"/robots.txt": Answer(body=RULES.encode(), seconds=3)})

    async def main() -> list[Answered]:
        async with open_service(site) as service:
            asked = [
                request(
                    service,
                    "POST",
                    "/v1/verdicts",
                    {"urls": [f"{SITE}/{number}"], "robots": [f"Robot{number % 5}"]},
                )
                for number in range(200)
            ]
            found = await asyncio.gather(*asked)
            again = await request(service, "POST", "/v1/verdicts", {"urls": [f"{SITE}/again"]})
            return [*found, again]

    answers = run(main())
    assert {answer.json["verdicts"][0]["verdict"] for answer in answers} == {"allowed"}
    assert [visit.path for visit in site.visits] == ["/robots.txt"]


def test_get_asks_no_site() -> None:
    """A web page can make a browser send it; what is not known is `unknown`."""
    site = site_with(RULES)
    target = f"/v1/verdicts?robot=ExampleBot&url={quote(SITE + '/private')}"

    async def main() -> None:
        async with open_service(site) as service:
            before = (await request(service, "GET", target)).json
            assert (before["verdict"], before["allowed"]) == ("unknown", False)
            assert site.visits == []
            await request(service, "POST", "/v1/verdicts", {"urls": [SITE]})
            for _ in range(2):  # from the policy, and as it was rendered then
                after = (await request(service, "GET", target)).json
                assert (after["verdict"], after["line"]) == ("disallowed", 2)
            assert len(site.visits) == 1

    run(main())


def test_a_site_whose_name_begins_like_that_of_a_known_one_is_another() -> None:
    """Also if the URL has no path behind the name, however it is asked about."""
    site = site_with(RULES)

    async def main() -> None:
        async with open_service(site) as service:
            urls = [f"{SITE}/private", f"{SITE}m", f"{SITE}:44?/", f"{SITE}%", f"{SITE}"]
            for _ in range(2):
                answer = await request(service, "POST", "/v1/verdicts", {"urls": urls[:1]})
                assert answer.json["verdicts"][0]["verdict"] == "disallowed"
                found = []
                for url in urls:
                    one = await request(service, "GET", f"/v1/verdicts?url={quote(url, '')}")
                    found.append(one.json.get("verdict", one.status))
                assert found == ["disallowed", "unknown", "unknown", 400, "allowed"]
                answer = await request(service, "POST", "/v1/verdicts", {"urls": urls, "wait": 0})
                found = [one["verdict"] for one in answer.json["verdicts"]]
                assert found == ["disallowed", "unknown", "unknown", "unknown", "allowed"]

    run(main())


def test_get_answers_from_the_store(tmp_path: Path) -> None:
    """What another process put there is known."""
    site = site_with(RULES)
    with SQLiteStore(tmp_path / "robots.db") as store:
        ask(site, {"urls": [SITE]}, store=store)

        async def main() -> Answered:
            async with open_service(site, store=store) as service:
                return await request(service, "GET", f"/v1/verdicts?url={SITE}/private")

        assert run(main()).json["verdict"] == "disallowed"
    assert len(site.visits) == 1


@pytest.mark.parametrize(
    ("robots_txt", "reason"),
    [
        (503, "service-unavailable"),
        (Answer(failure="timeout"), "failure-timeout"),
        (Answer(failure="private-address"), "failure-private-address"),
    ],
)
def test_unknown_is_never_allowed(robots_txt: int | Answer, reason: str) -> None:
    """A failure to fetch robots.txt, whatever the cause, is no permission."""
    site = FakeSite({"/robots.txt": robots_txt})
    [found] = ask(site, {"urls": [f"{SITE}/a"], "wait": 2}).json["verdicts"]
    assert (found["verdict"], found["allowed"]) == ("unknown", False)
    assert found["reason"] == reason


def test_a_slow_site_is_unknown_when_the_wait_is_over() -> None:
    """The answer says how long it waited."""
    [found] = ask(SlowSite({}), {"urls": [f"{SITE}/a"], "wait": 0.05}).json["verdicts"]
    assert (found["verdict"], found["allowed"], found["reason"]) == ("unknown", False, "unknown")
    assert found["source"] == "robots.txt of the site was not fetched within 0.05 seconds"


class SlowSite(FakeSite):
    """A site that does not answer within the time of a test."""

    async def fetch(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401  as FakeSite has it
        """Wait until the request is cancelled."""
        await asyncio.Event().wait()


@pytest.mark.parametrize(
    "text",
    ["nonsense", "ftp://a.example/", "//a.example/x", "", "http://", f"{SITE}/\ud800", "x\udcff"],
)
def test_what_is_no_url_is_unknown(text: str) -> None:
    """One bad URL does not spoil the answers about the others."""
    rows = ask(site_with(""), {"urls": [text, f"{SITE}/a"]}).json["verdicts"]
    assert [row["verdict"] for row in rows] == ["unknown", "allowed"]
    assert rows[0]["reason"] == "no-origin"
    assert "http" in rows[0]["source"]


def test_half_a_surrogate_pair_spoils_no_batch() -> None:
    """Also if all else is known, and in a long answer."""
    urls = [f"{SITE}/a", f"{SITE}/\ud800", *(f"{SITE}/{n}" for n in range(600))]

    async def main() -> list[Answered]:
        async with open_service(site_with("")) as service:
            return [
                await request(service, "POST", "/v1/verdicts", {"urls": some})
                for some in (urls[:2], urls[:2], urls, urls)
            ]

    for answer in run(main()):
        words = [row["verdict"] for row in answer.json["verdicts"]]
        assert words == ["allowed", "unknown", *["allowed"] * (len(words) - 2)]


def test_the_operator_may_decide_while_a_site_is_asked() -> None:
    """What was acknowledged meanwhile holds for the answer."""
    site = site_with(Answer(body=b"", seconds=5))

    async def main() -> list[Answered]:
        async with open_service(site) as service:

            async def block() -> None:
                await site.clock.sleep(1)
                added = await request(
                    service, "POST", "/v1/block/add", {"place": SITE, "why": "theirs"}
                )
                assert added.status == 200

            fields = {"x-goodbot-url": f"{SITE}/a"}
            verdict, egress, _, allowed = await asyncio.gather(
                request(service, "POST", "/v1/verdicts", {"urls": [f"{SITE}/a"]}),
                request(service, "POST", "/v1/egress", {}, fields),
                block(),
                service._robot.may_fetch(f"{SITE}/a"),  # noqa: SLF001  the same race
            )
            assert not allowed
            return [verdict, egress]

    verdict, egress = run(main())
    assert verdict.json["verdicts"][0]["reason"] == "operator-block"
    assert egress.status == 403


class GatedSite(FakeSite):
    """A site that answers once its gate is open."""

    gate = asyncio.Event()

    async def fetch(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401  as FakeSite has it
        """Wait for the gate."""
        await self.gate.wait()
        return await super().fetch(*args, **options)


def test_a_site_that_is_slower_than_a_question_becomes_known() -> None:
    """It is asked once, and its answer is there for the next question."""
    site = GatedSite({"/robots.txt": "User-agent: *\nDisallow: /a"})

    async def main() -> list[str]:
        site.gate = asyncio.Event()
        async with open_service(site) as service:
            words = []
            for _ in range(3):
                asked = {"urls": [f"{SITE}/a"], "wait": 0.05}
                answer = await request(service, "POST", "/v1/verdicts", asked)
                words.append(answer.json["verdicts"][0]["verdict"])
                if len(words) > 1:
                    site.gate.set()
            return words

    assert run(main()) == ["unknown", "unknown", "disallowed"]
    assert len(site.visits) == 1


def test_a_dot_at_the_end_of_a_host_lifts_no_decision() -> None:
    """It is the root of names: the same host."""

    async def main() -> Answered:
        async with open_service(site_with("")) as service:
            decided = {"place": f"{SITE}/members*", "why": "theirs"}
            await request(service, "POST", "/v1/block/add", decided)
            await request(service, "POST", "/v1/pause", {"place": f"{OTHER}."})
            urls = ["https://a.example./members/1", f"{OTHER}/", "https://a.example./x"]
            return await request(service, "POST", "/v1/verdicts", {"urls": urls})

    rows = run(main()).json["verdicts"]
    assert [row["reason"] for row in rows] == ["operator-block", "operator-pause", "no-group"]
    assert rows[1]["next_visit"] is None, "a site that is paused has no next visit"


def test_uses_are_answered_from_robots_txt() -> None:
    """One answer per use, with its statement; the page itself was not read."""
    content = {"urls": [f"{SITE}/a"], "uses": True}
    site = site_with("User-agent: *\nContent-Signal: ai-train=no\n")
    [found] = ask(site, content).json["verdicts"]
    assert set(found["uses"]) == set(USES)
    assert found["uses"]["train"]["status"] == "reserved"
    assert found["uses"]["train"]["said"]["place"] == "robots.txt, line 2"
    assert found["uses"]["ground"]["status"] == "unknown"


def test_an_explained_answer_is_that_of_the_command() -> None:
    """With every key of a verdict."""
    [found] = ask(site_with(RULES), {"urls": [f"{SITE}/a"], "explain": True}).json["verdicts"]
    assert found["answer"]["sentence"].startswith("Allowed: no rule matches")
    assert found["answer"]["rules"]["group"]["agents"] == ["*"]


def test_a_time_is_answered_from_the_history() -> None:
    """By the robots.txt that held then; before the first one, nothing is known."""
    site, store = site_with(RULES), MemoryStore()
    ask(site, {"urls": [SITE]}, store=store)
    first = site.clock.now()
    site.routes["/robots.txt"] = "User-agent: *\nDisallow: /other\n"
    run(site.clock.sleep(2 * 86_400))
    ask(site, {"urls": [SITE]}, store=store)

    def then(days: float) -> dict[str, Any]:
        at = (first + timedelta(days=days)).isoformat()
        content = {"urls": [f"{SITE}/private"], "time": at}
        found: dict[str, Any] = ask(site, content, store=store).json["verdicts"][0]
        return found

    assert then(-1)["verdict"] == "unknown"
    assert then(0.5)["verdict"] == "disallowed"
    assert then(2.5)["verdict"] == "allowed"
    assert len(site.visits) == 2


def test_a_block_of_the_operator_is_disallowed_without_a_request() -> None:
    """A pause defers: neither is permission."""
    site, store = site_with(""), MemoryStore()

    async def main() -> list[Any]:
        async with open_service(site, store=store) as service:
            await service._robot.block(SITE, "they asked us")  # noqa: SLF001  as another process would
            await service._robot.pause(OTHER)  # noqa: SLF001  as above
            content = {"urls": [f"{SITE}/a", f"{OTHER}/a"]}
            found: list[Any] = (await request(service, "POST", "/v1/verdicts", content)).json[
                "verdicts"
            ]
            return found

    blocked, paused = run(main())
    assert (blocked["verdict"], blocked["reason"]) == ("disallowed", "operator-block")
    assert (paused["verdict"], paused["reason"]) == ("unknown", "operator-pause")
    assert site.visits == []


class LostStore(MemoryStore):
    """A store whose disk is gone from some time on."""

    is_lost = False

    def holds(self) -> Any:  # noqa: ANN401  as MemoryStore has it
        """Fail once it is lost."""
        if self.is_lost:
            message = "robots.db cannot be read; check its disk"
            raise StoreUnavailableError(message)
        return super().holds()


def test_a_store_that_is_gone_is_503_and_never_permission() -> None:
    """Also for what is still in memory."""
    site, store = site_with(""), LostStore()

    async def main() -> None:
        async with open_service(site, store=store) as service:
            known = await request(service, "POST", "/v1/verdicts", {"urls": [f"{SITE}/a"]})
            assert known.json["verdicts"][0]["verdict"] == "allowed"
            store.is_lost = True
            await site.clock.sleep(2)
            for method, target in [
                ("POST", "/v1/verdicts"),
                ("GET", f"/v1/verdicts?url={SITE}/a"),
                ("GET", "/ready"),
            ]:
                answer = await request(service, method, target, {"urls": [f"{SITE}/a"]})
                assert answer.status == 503
                assert answer.headers["retry-after"] == "5"
                assert "check its disk" in answer.json["detail"]
            assert (await request(service, "GET", "/health")).status == 200

    run(main())


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"{", 400, "not valid JSON"),
        (b"[" * 100_000, 400, "not valid JSON"),
        (b"\xff", 400, "not valid JSON"),
        ([], 400, "not an object"),
        ({}, 400, "'urls' is empty"),
        ({"urls": []}, 400, "'urls' is empty"),
        ({"urls": "https://a.example/"}, 400, "must be an array of strings"),
        ({"urls": [1]}, 400, "must be an array of strings"),
        ({"urls": ["/"], "robot": "x"}, 400, "no key 'robot'; the keys are urls, robots"),
        ({"urls": [SITE], "robots": [""]}, 400, "name"),
        ({"urls": [SITE], "robots": ["https://a.example/"]}, 400, "URL"),
        ({"urls": [SITE], "robots": ["a" * 600]}, 400, "512 characters"),
        ({"urls": [SITE], "robots": ["a\ud800"]}, 400, "surrogate"),
        ({"urls": [SITE], "wait": 10**400}, 400, "from 0 to 60"),
        ({"urls": [SITE], "time": "0001-01-01T00:00:00+23:59"}, 400, "must be like"),
        ({"urls": [SITE], "time": "9999-12-31T23:59:59-23:59"}, 400, "must be like"),
        ({"urls": [SITE], "wait": True}, 400, "a number of seconds"),
        ({"urls": [SITE], "wait": 1e9}, 400, "from 0 to 60 seconds"),
        (b'{"urls": ["https://a.example/"], "wait": NaN}', 400, "from 0 to 60 seconds"),
        ({"urls": [SITE], "time": "2026-01-01T00:00:00"}, 400, "distance from UTC"),
        ({"urls": ["/"] * (questions.MOST_URLS + 1)}, 413, "at most 10,000"),
        ({"urls": ["/"] * 2_000, "robots": ["x"] * 100}, 413, "200,000 verdicts"),
        ({"urls": ["/"] * 500, "uses": True}, 413, "at most 200"),
        (b" " * (LARGEST_BODY + 1), 413, "2,097,152 bytes"),
        ({"urls": [f"https://{n}.example/" for n in range(1_000)], "robots": ["x"] * 50}, 413,
         "1,000 sites and 50 robots"),
    ],
)  # fmt: skip
def test_a_fault_of_the_request_is_a_problem_with_its_cure(
    content: object, status: int, words: str
) -> None:
    """RFC 9457; nothing is asked of any site."""
    site = site_with("")
    answer = ask(site, content)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json
    assert set(problem) == {"type", "title", "status", "detail", "cure"}
    assert problem["status"] == status
    assert words in problem["detail"]
    assert site.visits == []


def test_a_query_has_the_bounds_of_a_content() -> None:
    """Also of the name of a robot, which is kept with what is known of the site."""

    async def main() -> list[int]:
        async with open_service(site_with("")) as service:
            paths = ("/v1/verdicts", "/v1/policies")
            asked = [f"{path}?url={SITE}/&robot={'a' * 600}" for path in paths]
            return [(await request(service, "GET", one)).status for one in asked]

    assert run(main()) == [400, 400]


def test_what_is_known_is_counted_once() -> None:
    """However many ask about it at the same time when it must be reckoned anew."""

    async def main() -> None:
        async with open_service(site_with("")) as service:
            asker = service._asker  # noqa: SLF001  its counts show nowhere else
            assert asker is not None
            sizes = set()
            for _ in range(5):
                asker.forget(SITE)
                asked = {"urls": [f"{SITE}/a"], "robots": ["ExampleBot"]}
                await asyncio.gather(
                    *[request(service, "POST", "/v1/verdicts", asked) for _ in range(8)]
                )
                sizes.add(asker._size)  # noqa: SLF001  as above
            assert len(sizes) == 1
            assert asker._origins == {SITE: ["ExampleBot"]}  # noqa: SLF001  as above

    run(main())


def test_too_many_waiting_sites_are_429(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the time after which to try again."""
    monkeypatch.setattr("goodbot.service.asking.MOST_QUEUED", 2)
    answer = ask(site_with(""), {"urls": [f"https://{n}.example/" for n in range(3)]})
    assert (answer.status, answer.headers["retry-after"]) == (429, "1")


def test_a_client_that_leaves_ends_its_request() -> None:
    """The request for robots.txt is cancelled when nobody waits any more."""

    async def main() -> None:
        async with open_service(SlowSite({})) as service:
            asker = service._asker  # noqa: SLF001  what it waits for shows here
            assert asker is not None
            asked = {"urls": [f"https://{n}.example/" for n in range(50)], "wait": 60}
            answer = await request(
                service, "POST", "/v1/verdicts", asked, leaves=lambda: asker.queued == 50
            )
            assert (answer.status, asker.queued) == (0, 0)
            assert not service._robot._policies._tasks  # noqa: SLF001  as above

    run(main())


@pytest.mark.stress
def test_ten_thousand_urls_are_answered_in_one_question() -> None:
    """In the order of the question, each with its own line."""
    lines = "".join(f"Disallow: /{n}/\n" for n in range(100))
    urls = [f"{SITE}/{n % 200}/{n}" for n in range(10_000)]
    rows = ask(site_with(f"User-agent: *\n{lines}"), {"urls": urls}).json["verdicts"]
    assert [row["url"] for row in rows] == urls
    assert all(
        (row["verdict"], row["line"])
        == (("disallowed", n % 200 + 2) if n % 200 < 100 else ("allowed", None))
        for n, row in enumerate(rows)
    )


def test_memory_is_bounded_however_many_sites_are_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The oldest are reckoned anew."""
    monkeypatch.setattr("goodbot.service.asking.MOST_STANDINGS", 100 * 10_000)

    async def main() -> None:
        async with open_service(site_with("")) as service:
            for start in range(0, 500, 50):
                urls = [f"https://{start + n}.example/" for n in range(50)]
                await request(service, "POST", "/v1/verdicts", {"urls": urls})
            asker = service._asker  # noqa: SLF001  its size shows here
            assert asker is not None
            assert len(asker._standings) <= 150  # noqa: SLF001  as above
            assert asker._origins.keys() == {origin for origin, _ in asker._standings}  # noqa: SLF001  as above

    run(main())

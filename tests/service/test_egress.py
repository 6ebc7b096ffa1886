"""Answers for a gateway: 204 lets a request through, and nothing else does."""

import pytest

from goodbot.service import Service
from tests.service.test_turns import told
from tests.support.robot_sites import OTHER, SITE, site_with
from tests.support.service_client import Answered, request

RULES = "User-agent: *\nDisallow: /private\n\nUser-agent: OpenBot\nAllow: /\nDisallow:\n\n"
SHUT = "User-agent: *\nDisallow: /\n"


def ask(robots_txt: object, **headers: str) -> Answered:
    """Return the answer to a gateway about the site, or another one that is paused."""

    async def steps(service: Service) -> Answered:
        await service._robot.pause(OTHER)  # noqa: SLF001  as another process would
        await service._robot.block("https://c.example/members*", "theirs")  # noqa: SLF001  as above
        named = {f"x-goodbot-{name}": value for name, value in headers.items()}
        return await request(service, "POST", "/v1/egress", {}, named)

    answer = told(site_with(robots_txt), steps)
    assert isinstance(answer, Answered)
    return answer


@pytest.mark.parametrize(
    ("robots_txt", "headers", "status", "reason"),
    [
        (RULES, {"url": f"{SITE}/a"}, 204, "no-rule-matches"),
        (RULES, {"url": f"{SITE}/private"}, 403, "rule-disallows"),
        (RULES, {"url": f"{SITE}/x/../private"}, 403, "rule-disallows"),
        (RULES, {"url": f"{SITE}/private", "robot": "OpenBot/1.0"}, 204, "rule-allows"),
        (503, {"url": f"{SITE}/a"}, 403, "service-unavailable"),
        ("", {"url": f"{OTHER}/a"}, 403, "operator-pause"),
        # Only the origin of an encrypted request is known: what holds for a part of it is not.
        (RULES, {"authority": "a.example:443"}, 403, "partly-disallowed"),
        (RULES, {"authority": "a.example:443", "robot": "OpenBot"}, 204, "rule-allows"),
        (SHUT, {"authority": "a.example"}, 403, "rule-disallows"),
        (f"{SHUT}Allow: /open\n", {"authority": "a.example"}, 403, "partly-disallowed"),
        (404, {"authority": "a.example"}, 204, "not-found"),
        (503, {"authority": "a.example"}, 403, "service-unavailable"),
        ("", {"authority": "b.example:443"}, 403, "operator-pause"),
        (SHUT, {"url": f"{SITE}/a", "robot": "AdsBot-Google"}, 403, "rule-disallows"),
        # nginx passes the target on as it came, here in UTF-8.
        ("User-agent: *\nDisallow: /\u00e4", {"url": f"{SITE}/\u00e4"}, 403, "rule-disallows"),
        # The operator has blocked a part of it.
        ("", {"url": "https://c.example/members/1"}, 403, "operator-block"),
        ("", {"authority": "c.example:443"}, 403, "partly-disallowed"),
    ],
)
def test_the_status_is_the_answer(
    robots_txt: object, headers: dict[str, str], status: int, reason: str
) -> None:
    """With the reason in a field, for the log of the gateway."""
    answer = ask(robots_txt, **headers)
    assert (answer.status, answer.headers["x-goodbot-reason"]) == (status, reason)
    if reason == "partly-disallowed":
        assert "only the origin" in answer.headers["x-goodbot-source"]


@pytest.mark.parametrize(
    "headers",
    [{}, {"url": ""}, {"url": "nonsense"}, {"url": SITE, "authority": "a.example"},
     {"authority": "a b"}, {"url": SITE, "robot": "https://a.example/"}],
)  # fmt: skip
def test_a_question_without_a_url_is_no_permission(headers: dict[str, str]) -> None:
    """400, which a gateway does not let through."""
    assert ask("", **headers).status == 400

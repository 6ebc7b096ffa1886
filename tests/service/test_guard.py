"""Who may talk to the service: no web page, no other host name, and nobody without the token."""

from typing import Any

import pytest

from goodbot.errors import WrongValueError
from goodbot.service import Service
from goodbot.service.guard import Guard
from goodbot.service.problems import PROBLEMS
from tests.support.robot_sites import SITE, run, site_with
from tests.support.service_client import HOST, Answered, open_service, request

TOKEN = "correct-horse-battery"  # noqa: S105  of a test
QUESTION = {"urls": [f"{SITE}/a"]}


def send(
    method: str = "POST",
    target: str = "/v1/verdicts",
    headers: dict[str, str] | None = None,
    **options: Any,  # noqa: ANN401  as `open_service`
) -> tuple[Answered, int]:
    """Send one request; return the answer, and how many requests sites saw."""
    site = site_with("")

    async def main() -> Answered:
        async with open_service(site, **options) as service:
            return await request(service, method, target, QUESTION, headers)

    return run(main()), len(site.visits)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8470", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8470", "[::1]"]
)
def test_the_names_of_loopback_are_its_own(host: str) -> None:
    """With any port, because it may be forwarded."""
    answer, visits = send(headers={"host": host})
    assert (answer.status, visits) == (200, 1)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8470", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "",
     "localhost.", "[::1", "::1", "127.0.0.1:", "127.0.0.1:8470:1", "localhost:http"],
)  # fmt: skip
def test_an_unknown_host_is_refused(host: str) -> None:
    """A name that a stranger points at loopback (DNS rebinding) is not one of its own."""
    for method in ("GET", "POST"):
        answer, visits = send(method, headers={"host": host})
        assert (answer.status, visits) == (421, 0)
        assert answer.json["type"] == "/v1/problems/unknown-host"


def test_two_hosts_are_refused() -> None:
    """Whichever one a proxy in front of it took."""
    fields = [(b"host", b"localhost"), (b"host", b"evil.example")]
    refused = Guard().check("GET", fields, is_public=False)
    assert refused is not None
    assert refused.slug == "unknown-host"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_site_gets_no_answer(headers: dict[str, str]) -> None:
    """Neither to a GET nor to a POST, and no site is asked."""
    for method in ("GET", "POST"):
        answer, visits = send(method, f"/v1/verdicts?url={SITE}/a", headers=headers)
        assert (answer.status, visits) == (403, 0)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "",
             "text/plain; application/json"]
)  # fmt: skip
def test_what_a_form_can_send_has_no_effect(kind: str) -> None:
    """An older browser sends neither Origin nor Sec-Fetch-Site with a form."""
    answer, visits = send(headers={"content-type": kind})
    assert (answer.status, visits) == (415, 0)


def test_no_preflight_is_answered() -> None:
    """So CORS lets no script of another site send JSON."""
    answer, _ = send(
        "OPTIONS",
        headers={"access-control-request-method": "POST", "origin": f"http://{HOST}"},
    )
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_its_own_page_may_ask() -> None:
    """A browser names the origin in a POST."""
    answer, _ = send(headers={"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"})
    assert answer.status == 200


def test_no_answer_is_stored_or_embedded() -> None:
    """Whatever a browser would make of it."""
    answer, _ = send()
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "given",
    [None, "", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", "Bearer",
     "Bearer é"],
)  # fmt: skip
def test_a_token_is_required(given: str | None) -> None:
    """Only health and readiness are answered without it."""
    headers = {} if given is None else {"authorization": given}
    answer, visits = send(headers=headers, token=TOKEN)
    assert (answer.status, visits) == (401, 0)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert send("GET", "/health", headers, token=TOKEN)[0].status == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_the_token_opens(scheme: str) -> None:
    """RFC 9110 section 11.1: the scheme has no case."""
    assert send(headers={"authorization": f"{scheme} {TOKEN}"}, token=TOKEN)[0].status == 200


@pytest.mark.parametrize("token", ["", "short", "not of ASCII: ééééé", "a line\nand another"])
def test_a_weak_token_is_refused(token: str) -> None:
    """The message says how to make one."""
    with pytest.raises(WrongValueError, match="token_urlsafe"):
        Guard(token=token)


def test_a_mounted_service_has_the_paths_below_its_place() -> None:
    """As Starlette and others pass it on: the whole path, and where the application is mounted."""

    async def main() -> None:
        async with open_service(site_with("")) as service:
            sent = []

            async def receive() -> Any:  # noqa: ANN401  as ASGI has it
                return {"type": "http.request", "body": b""}

            async def keep(message: Any) -> None:  # noqa: ANN401  as ASGI has it
                sent.append(message)

            scope = {
                "type": "http",
                "method": "GET",
                "path": "/robots/health",
                "root_path": "/robots",
                "query_string": b"",
                "headers": [(b"host", b"localhost")],
            }
            await service(scope, receive, keep)
            assert sent[0]["status"] == 200

    run(main())


def test_a_service_that_is_not_open_says_how_to_open_it() -> None:
    """Not every framework runs the lifespan of what is mounted in it."""

    async def main() -> None:
        async with open_service(site_with("")) as opened:
            closed = Service(opened._robot)  # noqa: SLF001  one that nobody opened
            answer = await request(closed, "POST", "/v1/verdicts", QUESTION)
            assert "async with" in answer.json["detail"]

    run(main())


@pytest.mark.parametrize("slug", PROBLEMS)
def test_each_problem_is_described_at_its_type(slug: str) -> None:
    """What `type` names can be read."""
    answer, _ = send("GET", f"/v1/problems/{slug}")
    assert answer.json["title"] == PROBLEMS[slug].title


@pytest.mark.parametrize(
    ("method", "target", "status", "allow"),
    [
        ("GET", "/nowhere", 404, None),
        ("GET", "/v1/problems/nothing", 404, None),
        ("DELETE", "/v1/verdicts", 405, "GET, HEAD, POST"),
        ("POST", "/health", 405, "GET, HEAD"),
        ("GET", "/v1/verdicts", 400, None),
        ("GET", "/v1/verdicts?url=a&url=b", 400, None),
        ("GET", "/v1/verdicts?url=nonsense", 400, None),
        ("GET", "/v1/verdicts?url=https://a.example/&x=1", 400, None),
        ("GET", "/v1/verdicts?url=https://a.example/&robot=", 400, None),
    ],
)
def test_other_requests_are_problems(
    method: str, target: str, status: int, allow: str | None
) -> None:
    """Each with its status."""
    answer, _ = send(method, target)
    assert answer.status == status
    assert answer.headers.get("allow") == allow

"""The OpenAPI document: it has every path, its examples hold, and random requests keep to it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from jsonschema import Draft202012Validator

from goodbot.robot import RobotsTxtReader
from goodbot.service import Service
from goodbot.testing import FakeSite
from tests.support.examples import examples
from tests.support.houses import need
from tests.support.robot_sites import run, site_with
from tests.support.service_api import document
from tests.support.service_client import open_service, request
from tests.support.waiting import wait_until

RULES = "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n"


NO_URL = {"/v1/turns/{id}", "/v1/problems/{slug}", "/v1/block/list", "/health", "/ready"}
"""Paths whose requests have neither URLs nor names of robots."""


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield each operation with its method and path."""
    for path, methods in document()["paths"].items():
        for method, one in methods.items():
            yield method.upper(), path, one


def schema_of(described: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with what it refers to."""
    return {**described, "components": document()["components"]}


def test_the_document_has_every_path_of_the_application() -> None:
    """And no other."""
    service = Service(RobotsTxtReader(fetcher=FakeSite({})))
    paths = {("GET", path) for path in service._gets} | {("POST", path) for path in service._posts}  # noqa: SLF001  its tables of paths
    templates = {("POST", "/v1/turns/{id}"), ("GET", "/v1/problems/{slug}")}
    assert {(method, path) for method, path, _ in operations()} == paths | templates


def test_every_example_is_as_its_schema_says() -> None:
    """Those of requests, parameters and answers."""
    checked = 0
    for _, _, one in operations():
        contents = [*one.get("requestBody", {}).get("content", {}).values()]
        for answer in one["responses"].values():
            contents += answer.get("content", {}).values()
        described = [*contents, *one.get("parameters", [])]
        for part in described:
            shown = [part["example"]] if "example" in part else []
            shown += [example["value"] for example in part.get("examples", {}).values()]
            for example in shown:
                Draft202012Validator(schema_of(part["schema"])).validate(example)
                checked += 1
    assert checked > 100


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in operations()])
def test_every_example_of_a_request_is_answered(method: str, path: str) -> None:
    """With what the document says; `request` checks it."""
    one = document()["paths"][path][method.lower()]
    content = one.get("requestBody", {}).get("content", {}).get("application/json", {})
    parameters = one.get("parameters", [])
    headers = {
        part["name"].lower(): part["example"]
        for part in parameters
        if part["in"] == "header" and "example" in part  # one that is in place of another has none
    }
    given = {part["name"]: part["example"] for part in parameters if part["in"] != "header"}
    target = path.format(**given)
    query = "&".join(f"{name}={given[name]}" for name in given if f"{{{name}}}" not in path)

    async def main() -> int:
        async with open_service(site_with(RULES)) as service:
            answer = await request(
                service,
                method,
                f"{target}?{query}" if query else target,
                content.get("example"),
                headers,
            )
            return answer.status

    assert run(main()) in {200, 201, 403, 404}


@contextmanager
def served(service: Service) -> Iterator[str]:
    """Serve the application in a thread; yield its address."""
    import uvicorn  # noqa: PLC0415  not in every environment

    server = uvicorn.Server(uvicorn.Config(service, port=0, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.stress
@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in operations()])
def test_random_requests_keep_to_the_document(method: str, path: str) -> None:
    """By schemathesis: what is allowed is not refused, what is not is, and no answer is a surprise.

    The sites are in memory, so that no request leaves the machine.
    """
    need("schemathesis", "uvicorn")
    import schemathesis  # noqa: PLC0415  slow to load, and not in every environment
    from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: PLC0415  as above

    site = site_with(RULES)
    with served(Service(RobotsTxtReader(fetcher=site, clock=site.clock))) as base:
        schema = schemathesis.openapi.from_url(f"{base}/openapi.json")
        # Not every string is a URL or the name of a robot, which no schema can say.
        excluded: list[Any] = [] if path in NO_URL else [positive_data_acceptance]
        tried = 0

        @examples(100, suppress_health_check=list(HealthCheck))
        @given(case=schema[path][method].as_strategy())
        def check(case: schemathesis.Case[Any]) -> None:
            nonlocal tried
            tried += 1
            case.call_and_validate(base_url=base, excluded_checks=excluded)

        check()
    assert tried

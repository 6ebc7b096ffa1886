"""`Service`, the ASGI application: which path is which question."""

import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from goodbot.address_lists.plain_robot import plain_robot
from goodbot.bots import every, get
from goodbot.errors import GoodbotError, MisuseError, StoreError
from goodbot.http.asgi_types import ASGIApp, ASGIReceive, ASGIScope, ASGISend
from goodbot.live.plain_policy import plain_site_policy
from goodbot.robot import Robot
from goodbot.robot.turn_lending import TurnLender
from goodbot.service.asgi import (
    JSON_TYPE,
    ClientLeftError,
    ContentRoom,
    CountedReceive,
    finish_or_leave,
    read_body,
    send_answer,
    send_parts,
)
from goodbot.service.asking import Asker
from goodbot.service.decisions import add_block, list_holds, pause_site, remove_block, resume_site
from goodbot.service.egress import read_header
from goodbot.service.guard import LOOPBACK_NAMES, Guard
from goodbot.service.metrics import METRICS_TYPE, Metrics
from goodbot.service.page_files import PAGE_FIELDS, PAGE_FILES, read_page_file
from goodbot.service.problems import (
    BUSY,
    FAILED,
    INVALID,
    MEDIA_TYPE,
    NO_METHOD,
    NO_STORE,
    NOT_ALLOWED,
    NOT_FOUND,
    PROBLEMS,
    ServiceProblem,
    describe_problem,
)
from goodbot.service.questions import (
    FetchQuestion,
    check_names,
    read_object,
    read_query,
    read_question,
    read_site,
)
from goodbot.service.turns import LEASE_SECONDS, Turns
from goodbot.store.group_commit import GroupCommit
from goodbot.store.sqlite_file import SQLiteFile

__all__ = ["Service"]

LOG = logging.getLogger("goodbot.service")

MOST_REQUESTS = 1_024
"""How many requests are worked on at the same time."""
MOST_CONTENT = 64 * 1024 * 1024
"""How many bytes the contents of those requests may have together."""
QUERY = "The query needs url=, and may have robot=; escape their values as a form."
Decide: TypeAlias = Callable[[Robot, Mapping[str, Any]], Awaitable[dict[str, Any]]]
RequestHandler: TypeAlias = Callable[[ASGIScope, CountedReceive, ASGISend], Awaitable[None]]
RETRY_SOON = ((b"retry-after", b"1"),)
GONE = ((b"retry-after", b"5"),)


class Service:
    r"""An ASGI application that answers "may I fetch?" for programs in any language.

    `goodbot serve` runs it; another application may mount it. It opens its robot when the server
    starts (the lifespan of ASGI); where it is mounted, enter it yourself with `async with`.

    Args:
        robot: Who fetches robots.txt: a `goodbot.Robot`, or a
            `goodbot.robot.RobotsTxtReader`, which fetches nothing else. The service opens it.
        name: The robot that is asked about if a question names none.
        hosts: The host names by which the service may be addressed, without ports.
        token: The secret that each request must have; `None` if none is needed, which is right for
            loopback only.
        assistants: Whether AI assistants find tools at `/mcp`; see `goodbot.service.assistant`.
            Requires `pip install 'goodbot[mcp]'`.
        on_open: Called when the service is open.

    Raises:
        WrongValueError: The token is shorter than 16 characters, or not of ASCII.

    >>> import asyncio, json
    >>> from goodbot.robot import RobotsTxtReader
    >>> from goodbot.testing import FakeSite
    >>> site = FakeSite({"/robots.txt": "User-agent: *\nDisallow: /private"})
    >>> async def ask(body: bytes) -> bytes:
    ...     request = {"type": "http.request", "body": body}
    ...     sent = []
    ...     async def receive(): return request
    ...     async def send(message): sent.append(message.get("body", b""))
    ...     reader = RobotsTxtReader(fetcher=site, clock=site.clock)
    ...     async with Service(reader) as service:
    ...         headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    ...         scope = {"type": "http", "method": "POST", "path": "/v1/verdicts",
    ...                  "query_string": b"", "headers": headers}
    ...         await service(scope, receive, send)
    ...     return b"".join(sent)
    >>> answer = json.loads(asyncio.run(ask(b'{"urls": ["https://a.example/private"]}')))
    >>> answer["verdicts"][0]["verdict"], answer["verdicts"][0]["source"]
    ('disallowed', 'robots.txt line 2')

    """

    def __init__(
        self,
        robot: Robot,
        *,
        name: str = "*",
        hosts: Collection[str] = LOOPBACK_NAMES,
        token: str | None = None,
        assistants: bool = False,
        on_open: Callable[[], object] | None = None,
    ) -> None:
        """Check the arguments; nothing is opened yet."""
        self._robot = robot
        self._name = name
        self._on_open = on_open
        self._has_assistants = assistants
        self._assistants: ASGIApp | None = None
        self._files = AsyncExitStack()
        self._guard = Guard(hosts, token=token)
        self._asker: Asker | None = None
        self._metrics = Metrics()
        self._working = 0
        self._contents = ContentRoom(MOST_CONTENT, RETRY_SOON)
        self._turns: Turns | None = None
        self._commits: GroupCommit | None = None
        self._posts: dict[str, RequestHandler] = {
            "/v1/block/add": self._deciding(add_block),
            "/v1/block/remove": self._deciding(remove_block),
            "/v1/egress": self._post_egress,
            "/v1/pause": self._deciding(pause_site),
            "/v1/policies": self._post_policy,
            "/v1/resume": self._deciding(resume_site),
            "/v1/turns": self._post_turn,
            "/v1/verdicts": self._post_verdicts,
        }
        self._gets: dict[str, RequestHandler] = {
            "/v1/block/list": self._get_holds,
            "/v1/policies": self._get_policy,
            "/v1/robots": self._get_robots,
            "/v1/verdicts": self._get_verdict,
            "/health": self._get_health,
            "/metrics": self._get_metrics,
            "/openapi.json": self._get_openapi,
            "/ready": self._get_ready,
        }

    async def __aenter__(self) -> "Service":  # noqa: PYI034  Self is of Python 3.11
        """Open the robot."""
        store: Any = self._robot._context.store  # noqa: SLF001  the robot is the service's own
        if isinstance(store, SQLiteFile):
            self._commits = GroupCommit(store)
        await self._robot.__aenter__()
        self._asker = Asker(self._robot)
        self._turns = Turns(TurnLender(self._robot, LEASE_SECONDS), self._asker)
        if self._has_assistants:
            await self._open_assistants(self._asker)
        if self._on_open is not None:
            self._on_open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the robot."""
        await self._files.aclose()
        if self._asker is not None:
            await self._asker.close()
        self._asker = self._turns = None
        await self._robot.close()
        if self._commits is not None:
            self._commits.shutdown()

    async def _open_assistants(self, asker: Asker) -> None:
        """Open the application of the tools for AI assistants."""
        from goodbot.service.assistant import assistant_app  # noqa: PLC0415  an extra

        app = assistant_app(asker, self._robot, self._name)
        await self._files.enter_async_context(app.router.lifespan_context(app))
        self._assistants = app

    async def __call__(self, scope: ASGIScope, receive: ASGIReceive, send: ASGISend) -> None:
        """Answer one request, or follow the lifespan of the server; failures become problems."""
        if scope["type"] != "http":
            await self._live(scope, receive, send)
            return
        self._working += 1
        counted = self._contents.count(receive)
        try:
            await self._handler(scope)(scope, counted, send)
        except ClientLeftError:
            pass
        except ServiceProblem as problem:
            await self._refuse(send, problem)
        except StoreError as error:
            await self._refuse(send, ServiceProblem(NO_STORE, sentence(error), GONE))
        except MisuseError as error:
            await self._refuse(send, ServiceProblem(INVALID, sentence(error)))
        except Exception:
            LOG.exception("a request to %s failed", scope["path"])
            await self._refuse(send, ServiceProblem(FAILED))
        finally:
            self._working -= 1
            self._contents.leave(counted)

    async def _live(self, scope: ASGIScope, receive: ASGIReceive, send: ASGISend) -> None:
        """Open the robot when the server starts, and close it when it ends; nothing else lives."""
        if scope["type"] != "lifespan":
            await send({"type": "websocket.close", "code": 1008})
            return
        await receive()
        try:
            await self.__aenter__()
        except GoodbotError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.__aexit__(None, None, None)
        await send({"type": "lifespan.shutdown.complete"})

    async def _refuse(self, send: ASGISend, problem: ServiceProblem) -> None:
        """Send a problem, and count it."""
        self._metrics.problems[problem.slug] += 1
        await send_answer(send, problem.status, MEDIA_TYPE, problem.body(), problem.fields)

    def _handler(self, scope: ASGIScope) -> RequestHandler:
        """Return what answers a request.

        Raises:
            ServiceProblem: The request is refused.

        """
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        path = path_of(scope)
        refused = self._guard.check(method, scope["headers"], is_public=path in PUBLIC)
        if refused is not None:
            raise refused
        if self._working > MOST_REQUESTS:
            raise ServiceProblem(BUSY, fields=RETRY_SOON)
        if path == "/mcp" and self._assistants is not None:
            self._metrics.requests[path] += 1
            return self._assistants
        handlers = {"GET": self._gets, "POST": self._posts}.get(method, {})
        found = handlers.get(path)
        if found is not None:
            self._metrics.requests[path] += 1
            return found
        if method == "GET" and path in PAGE_FILES:
            return self._get_page
        if method == "GET" and path.startswith("/v1/problems/"):
            return self._get_problem
        if path.startswith("/v1/turns/"):
            if method == "POST":
                self._metrics.requests["/v1/turns/{id}"] += 1
                return self._post_end
            raise ServiceProblem(NO_METHOD, fields=[(b"allow", b"POST")])
        others = [("GET, HEAD", self._gets), ("POST", self._posts)]
        allowed = ", ".join(names for names, paths in others if path in paths)
        if not allowed:
            raise ServiceProblem(NOT_FOUND)
        raise ServiceProblem(NO_METHOD, fields=[(b"allow", allowed.encode())])

    def _opened(self) -> Asker:
        """Return what answers.

        Raises:
            MisuseError: The service is not open.

        """
        if self._asker is None:
            message = "the service is not open; let the server run its lifespan, or use async with"
            raise MisuseError(message)
        return self._asker

    # Verdicts.

    async def _get_verdict(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Answer about one URL from what is known; no site is asked."""
        asker = self._opened()
        given = read_query(scope["query_string"])
        url, robot = given.pop("url", ""), given.pop("robot", self._name)
        if given or not url:
            raise ServiceProblem(INVALID, QUERY)
        check_names([robot])
        standing = asker.at_once(url, robot)
        if standing is not None:
            row = standing.render(url, self._metrics.verdicts)
            await send_answer(send, 200, JSON_TYPE, row.encode())
            return
        answers = await asker.ask(FetchQuestion([url], [robot], wait=0.0), fetches=False)
        row = answers.row(url, asker.origin(url), robot, self._metrics.verdicts)
        await send_answer(send, 200, JSON_TYPE, row.encode())

    async def _post_verdicts(
        self, scope: ASGIScope, receive: CountedReceive, send: ASGISend
    ) -> None:
        """Answer about many URLs and robots; sites that are not known are asked."""
        asker = self._opened()
        question = read_question(read_object(await read_body(scope, receive)), self._name)
        answers = await asker.warm_answers(question)
        if answers is not None:
            content = b"".join(answers.parts(self._metrics.verdicts))
            await send_answer(send, 200, JSON_TYPE, content)
            return
        answers = await finish_or_leave(asker.ask(question, fetches=True), receive)
        await send_parts(send, JSON_TYPE, answers.parts(self._metrics.verdicts))

    async def _post_egress(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:
        """Answer a gateway by the status: 204 to let a request through, or 403."""
        asker = self._opened()
        url, robot, is_whole = read_header(scope["headers"], self._name)
        await read_body(scope, receive)
        is_allowed, verdict, reason = await finish_or_leave(
            asker.may_leave(url, robot, is_whole=is_whole), receive
        )
        said = verdict.source if reason == verdict.reason else WHOLE_ORIGIN
        fields = [
            (b"x-goodbot-reason", field_value(reason)),
            (b"x-goodbot-source", field_value(said)),
        ]
        if is_allowed:
            await send({"type": "http.response.start", "status": 204, "headers": fields})
            await send({"type": "http.response.body", "body": b""})
            return
        raise ServiceProblem(NOT_ALLOWED, f"{robot} may not fetch {url}: {said}.", fields)

    # Policies, robots, and decisions of the operator.

    async def _get_policy(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Answer what is known of the robots.txt of a site; the site is not asked."""
        given = read_query(scope["query_string"])
        url, robot = given.pop("url", ""), given.pop("robot", self._name)
        if given or not url:
            raise ServiceProblem(INVALID, QUERY)
        check_names([robot])
        await self._send_policy(send, url, robot, 0.0)

    async def _post_policy(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:
        """Answer what the robots.txt of a site means; the site is asked if it is not known."""
        given = read_object(await read_body(scope, receive))
        url, robot, wait = read_site(given, self._name)
        await finish_or_leave(self._send_policy(send, url, robot, wait), receive)

    async def _send_policy(self, send: ASGISend, url: str, robot: str, wait: float) -> None:
        """Send what the robots.txt of a site means for a robot."""
        asker = self._opened()
        found, turn, is_new = await asker.policy(url, robot, wait, fetches=wait > 0)
        plain = plain_site_policy(
            found,
            came_from="site" if is_new else "store",
            now=asker.now(),
            asks_as=self._robot.identity.user_agent,
            turn=turn,
        )
        await send_json(send, plain)

    async def _get_robots(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """List the known robots, or describe one."""
        given = read_query(scope["query_string"])
        name = given.pop("name", None)
        if given:
            raise ServiceProblem(INVALID, "The query may have name= and nothing else.")
        robots = list(every()) if name is None else [get(name)]
        await send_json(send, {"robots": [plain_robot(one) for one in robots]})

    async def _get_holds(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """List the blocks and pauses of the operator."""
        self._opened()
        await send_json(send, await list_holds(self._robot))

    def _deciding(self, decide: Decide) -> RequestHandler:
        """Return what answers a request by which the operator decides something."""

        async def answer(scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:
            self._opened()
            given = read_object(await read_body(scope, receive))
            await send_json(send, await decide(self._robot, given))

        return answer

    # Turns.

    async def _post_turn(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:
        """Lend a turn, or say when to ask again."""
        turns = self._lending
        given = read_object(await read_body(scope, receive))
        number, answer = await finish_or_leave(
            turns.begin(given, self._name), receive, turns.give_back
        )
        self._metrics.turns[answer["turn"]] += 1
        body = json.dumps(answer).encode()
        if number:
            place = scope.get("root_path", "") + f"/v1/turns/{number}"
            await send_answer(send, 201, JSON_TYPE, body, [(b"location", place.encode())])
        else:
            await send_answer(send, 200, JSON_TYPE, body)

    async def _post_end(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:
        """End a turn, with its result."""
        given = read_object(await read_body(scope, receive))
        answer = await self._lending.end(path_of(scope).removeprefix("/v1/turns/"), given)
        self._metrics.turns["ended"] += 1
        await send_json(send, answer)

    @property
    def _lending(self) -> Turns:
        self._opened()
        assert self._turns is not None  # noqa: S101  it is open
        return self._turns

    # The service itself.

    async def _get_health(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Answer that the service runs."""
        await send_json(send, {"status": "ok"})

    async def _get_ready(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Answer whether the store can be read."""
        await self._opened().holds()
        await send_json(send, {"status": "ready"})

    async def _get_metrics(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Send the counts of the service, for Prometheus."""
        gauges = {
            "goodbot_requests_working": self._working,
            "goodbot_sites_waiting": self._opened().queued,
            "goodbot_sites_known": len(self._opened()),
            "goodbot_turns_out": len(self._lending),
        }
        await send_answer(send, 200, METRICS_TYPE, self._metrics.text(gauges).encode())

    async def _get_page(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Send a file of the page, which asks the service itself."""
        path = path_of(scope)
        kind = PAGE_FILES[path].media_type
        await send_answer(send, 200, kind, read_page_file(path), PAGE_FIELDS)

    async def _get_openapi(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Send the description of this API."""
        await send_answer(send, 200, JSON_TYPE, openapi_document())

    async def _get_problem(self, scope: ASGIScope, receive: CountedReceive, send: ASGISend) -> None:  # noqa: ARG002  as all have it
        """Describe a type of problems."""
        slug = path_of(scope).removeprefix("/v1/problems/")
        if slug not in PROBLEMS:
            raise ServiceProblem(NOT_FOUND)
        await send_json(send, describe_problem(slug))


PUBLIC = frozenset({"/health", "/openapi.json", "/ready", *PAGE_FILES})
"""Paths that need no token: they say nothing of any site."""


WHOLE_ORIGIN = "a part of the origin is disallowed, and only the origin of the request is known"


def field_value(text: str) -> bytes:
    """Return a text as the value of a field: printable ASCII of bounded length."""
    ascii_text = text.encode("ascii", "replace").decode()[:200]
    return "".join(one if one.isprintable() else "?" for one in ascii_text).encode()


@cache
def openapi_document() -> bytes:
    """Return the OpenAPI document, which is printed from the code (docs/printing/of_service.py)."""
    return (Path(__file__).parent / "openapi.json").read_bytes()


def path_of(scope: ASGIScope) -> str:
    """Return the path of a request below the place where the service is mounted."""
    path, root = scope["path"], scope.get("root_path", "")
    inner: str = path[len(root) :] if root and path.startswith(root) else path
    return inner


def sentence(error: GoodbotError) -> str:
    """Return the message of an error as a sentence."""
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith('.') else '.'}"


async def send_json(send: ASGISend, plain: Any) -> None:  # noqa: ANN401  what JSON has
    """Send plain values as JSON."""
    await send_answer(send, 200, JSON_TYPE, json.dumps(plain).encode())

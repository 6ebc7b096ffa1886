r"""A transport adapter for requests that checks robots.txt before each request.

    import requests
    from goodbot.adapters.requests import RobotsAdapter
    session = requests.Session()
    session.headers["User-Agent"] = "ExampleBot/1.0"
    adapter = RobotsAdapter()
    session.mount("https://", adapter)
    session.mount("http://", adapter)

Each request, and each hop of a redirect, is checked under its own User-Agent. robots.txt is fetched
once for each origin and again when `goodbot.policy` no longer considers it fresh. A request that
is not allowed raises `RefusedByRobotsError`, which is a `requests.RequestException` and carries the
verdict. A robots.txt that cannot be fetched forbids everything (RFC 9309 section 2.3.1.4).

The adapter wraps another one, which sends everything, including the requests for robots.txt, with
the proxies and certificates of the request. It does not pause between requests.
"""

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

from goodbot._core import Verdict
from goodbot.adapters.policy_cache import (
    PolicyCache,
    TimeFunction,
    drive,
    has_robots_txt,
    question_headers,
    utc_now,
)
from goodbot.adapters.reply_reading import (
    SECONDS,
    FailureKinds,
    ReplyReader,
    failure_of,
    read_reply,
)
from goodbot.adapters.sender import Sender, as_text
from goodbot.errors import GoodbotError
from goodbot.missing import needs
from goodbot.policy import Policy, PolicyDialect
from goodbot.policy.inquiry import Question
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures.signing import SignatureDemand

with needs("requests"):
    import requests
    import urllib3
    from requests.adapters import BaseAdapter, HTTPAdapter

__all__ = ["RefusedByRobotsError", "RobotsAdapter"]

PIECE = 64 * 1024

KINDS: FailureKinds = (
    (requests.Timeout, "timeout"),
    (urllib3.exceptions.TimeoutError, "timeout"),
    (requests.exceptions.SSLError, "tls"),
    (requests.exceptions.InvalidURL, "protocol-error"),
    (requests.ConnectionError, "refused"),
    (urllib3.exceptions.ProtocolError, "reset"),
    (requests.RequestException, "protocol-error"),
    (urllib3.exceptions.HTTPError, "protocol-error"),
)
"""Which exception of requests means which failure."""


class RefusedByRobotsError(GoodbotError, requests.RequestException):
    """A request that is forbidden, by robots.txt or because robots.txt could not be fetched.

    Args:
        verdict: The reason; the message is its URL and its sentence.
        request: The request that was not sent.

    """

    def __init__(self, verdict: Verdict, request: requests.PreparedRequest | None = None) -> None:
        """Use the URL and the sentence of the verdict as the message."""
        requests.RequestException.__init__(self, f"{verdict.url}: {verdict}", request=request)
        self.verdict = verdict

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the verdict only, because a request may hold a stream."""
        return RefusedByRobotsError, (self.verdict,)


class RobotsAdapter(BaseAdapter):
    r"""A transport adapter that checks robots.txt before it sends a request.

    Threads may share it: one of them fetches the robots.txt of an origin, and the others wait.

    Args:
        adapter: The adapter that sends; a `requests.adapters.HTTPAdapter` by default.
        robot: The robot's name, for the check and as User-Agent; by default each request's
            User-Agent. One that contains the name is sent as it is.
        contact: The email address of its operator, sent as From unless a request has that field.
        dialect: The name of a dialect: `rfc9309`, `google`, ...
        policy_dialect: What statuses mean, if not what `dialect` says.
        seconds: How long fetching a robots.txt may take.
        clock: Returns the time as an aware `datetime`.
        identity: The identity by which requests are signed, or its folder
            ('goodbot robot identity new').

    Raises:
        UnknownDialectError: There is no dialect of this name.
        WrongValueError: `contact` is not an email address.

    >>> import asyncio, requests
    >>> from goodbot.testing import LoopbackSite
    >>> def get(url):
    ...     with requests.Session() as session:
    ...         session.mount("http://", RobotsAdapter(robot="ExampleBot"))
    ...         try:
    ...             return session.get(url).status_code
    ...         except requests.RequestException as error:
    ...             return error.verdict.reason
    >>> async def main():
    ...     async with LoopbackSite() as site:
    ...         return await asyncio.to_thread(get, f"{site.origin}/private/a")
    >>> asyncio.run(main())
    'rule-disallows'

    Source: RFC 9309; requests documentation, Transport Adapters.
    """

    def __init__(
        self,
        adapter: BaseAdapter | None = None,
        *,
        robot: str | None = None,
        contact: str | None = None,
        dialect: str = "rfc9309",
        policy_dialect: str | PolicyDialect | None = None,
        seconds: float = SECONDS,
        clock: TimeFunction = utc_now,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
    ) -> None:
        """Wrap an adapter."""
        super().__init__()
        choices: dict[str, Any] = {"dialect": dialect, "policy_dialect": policy_dialect}
        self._cache = PolicyCache(threading.Lock, clock, **choices)
        self._adapter = HTTPAdapter() if adapter is None else adapter
        self._sender = Sender(robot, contact, identity, clock)
        self._seconds = seconds

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002  as requests has it
        timeout: Any = None,  # noqa: ANN401  as requests has it
        verify: bool | str = True,  # noqa: FBT001, FBT002  as requests has it
        cert: Any = None,  # noqa: ANN401  as requests has it
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Send the request if it is allowed.

        Raises:
            RefusedByRobotsError: The request is not allowed.
            RobotNameError: The request has no User-Agent, and `robot` was not passed.

        """
        url = request.url or ""
        options = {"timeout": timeout, "verify": verify, "cert": cert, "proxies": proxies}
        if has_robots_txt(url):
            robot = self._sender.identify(request.headers)
            verdict = self.policy(request, **options).may_fetch(url, robot)
            if not verdict.allowed:
                raise RefusedByRobotsError(verdict, request)
        return self._send(request, stream=stream, **options)

    def _send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # noqa: ANN401  those of `send`
        """Send a request; if its answer asks for another signature, once more with that."""
        response = self._adapter.send(self._signed(request), **options)
        demand = self._sender.demanded(
            response.status_code,
            response.headers.items(),
            request.url or "",
            request.method or "GET",
            fields_of(request),
        )
        if demand is None:
            return response
        response.close()
        return self._adapter.send(self._signed(request, demand), **options)

    def _signed(
        self, request: requests.PreparedRequest, demand: SignatureDemand | None = None
    ) -> requests.PreparedRequest:
        """Return a request as it is sent; a copy, so that no redirect takes the signature along."""
        url, method = request.url or "", request.method or "GET"
        proof = self._sender.proof(url, method, fields_of(request), demand)
        if not proof:
            return request
        copy = request.copy()
        copy.headers.update(dict(proof))
        return copy

    def policy(self, request: requests.PreparedRequest, **options: Any) -> Policy:  # noqa: ANN401  those of `send`
        """Return the policy of the request's origin; one thread fetches it, the others wait."""
        url = request.url or ""
        self._sender.identify(request.headers)
        with self._cache.lock(url):
            return self._cache.fresh(url) or drive(
                self._cache.ask(url),
                lambda question: self._fetch(question, request, options),
            )

    def _fetch(
        self, question: Question, cause: requests.PreparedRequest, options: dict[str, Any]
    ) -> RobotsTxtAnswer:
        deadline = time.monotonic() + self._seconds
        fields = question_headers(question, cause.headers)
        prepared = requests.Request("GET", question.url, headers=fields).prepare()
        options = {**options, "timeout": options["timeout"] or self._seconds}
        try:
            response = self._send(prepared, stream=True, **options)
            try:
                return read_reply(
                    ReplyReader(response.status_code, response.raw.headers.items()),
                    # Not `stream`, which waits for a whole piece from a site that sends a byte
                    # at a time.
                    iter(lambda: response.raw.read1(PIECE, decode_content=False), b""),
                    deadline,
                )
            finally:
                response.close()
        except Exception as error:
            failure = failure_of(error, KINDS)
            if failure is None:
                raise
            return failure

    def close(self) -> None:
        """Close the wrapped adapter."""
        self._adapter.close()


def fields_of(request: requests.PreparedRequest) -> list[tuple[str, str]]:
    """Return the header fields of a request as pairs of text."""
    return [(name, as_text(value)) for name, value in request.headers.items()]

"""Middleware for WSGI: Flask and others.

    from goodbot.site.gate import read_policy
    from goodbot.site.gate.middleware.wsgi import WSGIGate
    app.wsgi_app = WSGIGate(app.wsgi_app, read_policy(Path("gate.toml").read_bytes()))

Source: PEP 3333.
"""

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from goodbot.http.request_target import IN_PATHS, request_target
from goodbot.site.gate.access_log import AccessLog
from goodbot.site.gate.field_merging import merge_fields
from goodbot.site.gate.gate_policy import GatePolicy
from goodbot.site.gate.middleware.log_entry import write_entry
from goodbot.site.gate.page_fields import GateFields
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.served_answers import FieldOf

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["WSGIGate"]


class WSGIGate:
    """A WSGI application that serves a policy, and passes other requests on.

    Args:
        app: The application behind it.
        policy: The policy, or a `RequestGate`.
        log: Where requests are logged, if they are.

    """

    def __init__(
        self,
        app: "WSGIApplication",
        policy: GatePolicy | RequestGate,
        *,
        log: AccessLog | None = None,
    ) -> None:
        """Render the policy."""
        self.app = app
        self.gate = policy if isinstance(policy, RequestGate) else RequestGate(policy)
        self.log = log

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer a request, or pass it on."""
        field, target = fields_of(environ), target_of(environ)
        method, peer = environ["REQUEST_METHOD"], environ.get("REMOTE_ADDR")
        routed = routed_path(environ)
        decision = self.gate.decide(method, field("host"), target, field, peer, routed)
        begun = AnswerBegun(start_response, decision.fields)
        if decision.answer is not None:
            answer = decision.answer
            words = f"{answer.status} {HTTPStatus(answer.status).phrase}"
            begun.start(words, list(answer.headers))
            body: Iterable[bytes] = [b"" if method == "HEAD" else answer.body]
        else:
            body = self.app(environ, begun.start)
        if self.log is None:
            return body
        request = (method, target, environ.get("SERVER_PROTOCOL", "HTTP/1.1"), peer)
        return LoggedBody(body, begun, self.log, self.gate, request, field)


class AnswerBegun:
    """Adds header fields to an answer when it begins, and notes its status."""

    __slots__ = ("fields", "passed_on", "status")

    def __init__(self, start_response: "StartResponse", fields: GateFields) -> None:
        """Keep what to add."""
        self.passed_on, self.fields, self.status = start_response, fields, 500

    def start(self, status: str, headers: list[tuple[str, str]], *failed: Any) -> Any:  # noqa: ANN401  as PEP 3333 has it
        """Begin the answer."""
        self.status = int(status[:3])
        return self.passed_on(status, merge_fields(headers, self.fields), *failed)


class LoggedBody:
    """The content of an answer, which is logged when it has been sent."""

    def __init__(
        self,
        body: Iterable[bytes],
        begun: AnswerBegun,
        log: AccessLog,
        gate: RequestGate,
        request: tuple[str, str, str, str | None],
        field: FieldOf,
    ) -> None:
        """Keep all of it."""
        self.body, self.begun, self.size = body, begun, 0
        self.entry: Callable[[tuple[int, int]], None] = lambda answer: write_entry(
            log, gate, request, field, answer
        )

    def __iter__(self) -> Iterator[bytes]:
        """Pass the content on."""
        for piece in self.body:
            self.size += len(piece)
            yield piece

    def close(self) -> None:
        """Close the content, and log the request."""
        try:
            close = getattr(self.body, "close", None)
            if close is not None:
                close()
        finally:
            self.entry((self.begun.status, self.size))


def fields_of(environ: "WSGIEnvironment") -> FieldOf:
    """Return what looks fields up (PEP 3333, environ Variables)."""

    def field(name: str) -> str | None:
        key = name.upper().replace("-", "_")
        found = environ.get(key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}")
        return found if isinstance(found, str) else None

    return field


def target_of(environ: "WSGIEnvironment") -> str:
    """Return the target as it was sent, as far as the server says so."""
    for name in ("RAW_URI", "REQUEST_URI"):
        raw = str(environ.get(name, ""))
        if request_target(raw).path.startswith("/"):
            return raw
    return routed_path(environ)


def routed_path(environ: "WSGIEnvironment") -> str:
    """Return the path by which the application chooses a page, with its query."""
    written = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    path, query = quote(written.encode("latin-1"), IN_PATHS) or "/", environ.get("QUERY_STRING")
    return f"{path}?{query}" if query else path

"""Middleware for ASGI: Starlette, FastAPI, Quart and others.

    from goodbot.site.gate import read_policy
    from goodbot.site.gate.middleware.asgi import ASGIGate
    app = ASGIGate(app, read_policy(Path("gate.toml").read_bytes()))

Source: ASGI specification, HTTP & WebSocket protocol, version 2.4.
"""

from collections.abc import Iterable
from urllib.parse import quote

from goodbot.http.asgi_types import ASGIApp, ASGIMessage, ASGIReceive, ASGIScope, ASGISend
from goodbot.http.request_target import IN_PATHS
from goodbot.site.gate.access_log import AccessLog
from goodbot.site.gate.field_merging import merge_fields
from goodbot.site.gate.gate_policy import GatePolicy
from goodbot.site.gate.middleware.log_entry import write_entry
from goodbot.site.gate.page_fields import GateFields
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.served_answers import FieldOf, ServedAnswer

__all__ = ["ASGIGate"]


class ASGIGate:
    """An ASGI application that serves a policy, and passes other requests on.

    Args:
        app: The application behind it.
        policy: The policy, or a `RequestGate`.
        log: Where requests are logged, if they are.

    """

    def __init__(
        self, app: ASGIApp, policy: GatePolicy | RequestGate, *, log: AccessLog | None = None
    ) -> None:
        """Render the policy."""
        self.app = app
        self.gate = policy if isinstance(policy, RequestGate) else RequestGate(policy)
        self.log = log

    async def __call__(self, scope: ASGIScope, receive: ASGIReceive, send: ASGISend) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        field = fields_of(scope["headers"])
        target = target_of(scope)
        client = scope.get("client")
        peer = client[0] if client else None
        method = scope["method"]
        routed = routed_path(scope)
        decision = self.gate.decide(method, field("host"), target, field, peer, routed)
        sent = AnswerSent(send, decision.fields) if decision.fields or self.log else None
        try:
            if decision.answer is not None:
                await send_answer(decision.answer, method, sent.send if sent else send)
            else:
                await self.app(scope, receive, sent.send if sent else send)
        finally:
            if self.log is not None and sent is not None:
                version = f"HTTP/{scope.get('http_version', '1.1')}"
                request = (method, target, version, peer)
                write_entry(self.log, self.gate, request, field, (sent.status, sent.size))


class AnswerSent:
    """Adds header fields to an answer that passes, and counts its bytes."""

    __slots__ = ("extra", "passed_on", "size", "status")

    def __init__(self, send: ASGISend, fields: GateFields) -> None:
        """Keep what to add. An answer that never begins is a failure of the site: 500."""
        self.passed_on, self.extra = send, fields
        self.status, self.size = 500, 0

    async def send(self, message: ASGIMessage) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.extra:
                message = {**message, "headers": self.with_extra(message.get("headers", ()))}
        elif message["type"] == "http.response.body":
            self.size += len(message.get("body", b""))
        await self.passed_on(message)

    def with_extra(self, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Return the fields of an answer with those of the gate."""
        held = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
        return [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in merge_fields(held, self.extra)
        ]


def fields_of(headers: list[tuple[bytes, bytes]]) -> FieldOf:
    """Return what looks fields up; several lines of one field are one list."""
    single = dict(headers)
    has_several = len(single) < len(headers)

    def field(name: str) -> str | None:
        wanted = name.encode()
        value = single.get(wanted)
        if value is None or not has_several:
            return None if value is None else value.decode("latin-1")
        return ", ".join(one.decode("latin-1") for key, one in headers if key == wanted)

    return field


def target_of(scope: ASGIScope) -> str:
    """Return the target as it was sent, as far as the server says so."""
    raw, query = scope.get("raw_path"), scope.get("query_string")
    if not raw:
        return routed_path(scope)
    path = raw.decode("latin-1").partition("?")[0]
    return f"{path}?{query.decode('latin-1')}" if query else path


def routed_path(scope: ASGIScope) -> str:
    """Return the path by which the application chooses a page, with its query."""
    query = scope.get("query_string")
    path = quote(scope["path"], IN_PATHS)
    return f"{path}?{query.decode('latin-1')}" if query else path


async def send_answer(answer: ServedAnswer, method: str, send: ASGISend) -> None:
    """Send an answer of the gate; to HEAD without content."""
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if method == "HEAD" else answer.body
    await send({"type": "http.response.body", "body": body})

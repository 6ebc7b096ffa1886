"""Middleware and a template tag for Django.

    # settings.py
    GOODBOT_GATE = BASE_DIR / "gate.toml"
    MIDDLEWARE = ["goodbot.site.gate.middleware.django.DjangoGate", ...]
    LIBRARIES = {"goodbot": "goodbot.site.gate.middleware.django"}
    TEMPLATES = [{..., "OPTIONS": {"libraries": LIBRARIES}}]

    {% load goodbot %}{% robots_meta %}

Source: docs.djangoproject.com, Middleware; Custom template tags and filters.
"""

from collections.abc import Awaitable, Callable
from os import PathLike
from pathlib import Path
from typing import Any

from goodbot.errors import WrongTypeError
from goodbot.missing import needs
from goodbot.site.gate.field_merging import join_fields
from goodbot.site.gate.gate_policy import GatePolicy
from goodbot.site.gate.middleware import asgi, wsgi
from goodbot.site.gate.middleware.log_entry import write_entry
from goodbot.site.gate.policy_toml import read_policy
from goodbot.site.gate.request_gate import GateDecision, RequestGate
from goodbot.site.gate.served_answers import FieldOf

with needs("django"):
    from asgiref.sync import iscoroutinefunction, markcoroutinefunction
    from django import conf, template
    from django.http import HttpRequest, HttpResponse
    from django.utils.safestring import SafeString, mark_safe

__all__ = ["DjangoGate", "gate_of_settings", "register", "robots_meta"]

register = template.Library()

Respond = Callable[[HttpRequest], Any]


class DjangoGate:
    """A middleware of Django, for WSGI and ASGI. The setting `GOODBOT_GATE` names the policy.

    Args:
        get_response: What answers the request otherwise.

    Raises:
        WrongTypeError: `GOODBOT_GATE` is missing or is no policy.

    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Respond) -> None:
        """Render the policy."""
        self.get_response = get_response
        self.gate = gate_of_settings()
        self.log = getattr(conf.settings, "GOODBOT_GATE_LOG", None)
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        """Answer a request, or pass it on."""
        request.goodbot_gate = self.gate  # for the template tag
        if self.is_async:
            return self.respond_async(request)
        decision, answer = self.decide(request)
        return self.finished(request, decision, answer or self.get_response(request))

    async def respond_async(self, request: HttpRequest) -> HttpResponse:
        """Do the same for ASGI."""
        decision, answer = self.decide(request)
        return self.finished(request, decision, answer or await self.get_response(request))

    def decide(self, request: HttpRequest) -> tuple[GateDecision, HttpResponse | None]:
        """Return what becomes of a request, and the answer if the gate has one."""
        field, peer = fields_of(request), request.META.get("REMOTE_ADDR")
        method = request.method or "GET"
        target, routed = target_in(request), routed_in(request)
        found = self.gate.decide(method, field("host"), target, field, peer, routed)
        if found.answer is None:
            return found, None
        response = HttpResponse(found.answer.body, status=found.answer.status)
        del response["Content-Type"]
        for name, value in found.answer.headers:
            response[name] = value
        return found, response

    def finished(
        self, request: HttpRequest, decision: GateDecision, response: HttpResponse
    ) -> HttpResponse:
        """Add header fields to an answer, and log it. Those of the site itself stay."""
        for name, value in join_fields(response.items(), decision.fields):
            response[name] = value
        if self.log is not None:
            protocol = request.META.get("SERVER_PROTOCOL", "HTTP/1.1")
            size = 0 if response.streaming else len(response.content)
            peer = request.META.get("REMOTE_ADDR")
            said = (request.method or "GET", target_in(request), protocol, peer)
            write_entry(self.log, self.gate, said, fields_of(request), (response.status_code, size))
        return response


def gate_of_settings() -> RequestGate:
    """Return the gate of the setting `GOODBOT_GATE`: a path, a policy or a gate.

    Raises:
        WrongTypeError: It is something else.

    """
    given = getattr(conf.settings, "GOODBOT_GATE", None)
    if isinstance(given, RequestGate):
        return given
    if isinstance(given, str | PathLike):
        return RequestGate(read_policy(Path(given).read_bytes(), str(given)))
    if isinstance(given, GatePolicy):
        return RequestGate(given)
    message = "GOODBOT_GATE is no policy; set it to the path of gate.toml, or to a GatePolicy"
    raise WrongTypeError(message)


def fields_of(request: HttpRequest) -> FieldOf:
    """Return what looks fields up."""
    found: FieldOf = request.headers.get
    return found


def target_in(request: HttpRequest) -> str:
    """Return the target as it was sent, as far as the server says so."""
    scope = getattr(request, "scope", None)  # of ASGI, whose META has no target as it was sent
    if scope is not None:
        return asgi.target_of(scope)
    return wsgi.target_of(request.META) if "PATH_INFO" in request.META else request.get_full_path()


def routed_in(request: HttpRequest) -> str:
    """Return the path by which Django chooses a view, with its query."""
    scope = getattr(request, "scope", None)
    if scope is not None:
        return asgi.routed_path(scope)
    return wsgi.routed_path(request.META) if "PATH_INFO" in request.META else ""


@register.simple_tag(takes_context=True)  # type: ignore[untyped-decorator]  # Django has no types
def robots_meta(context: template.Context) -> SafeString:
    """Return the META element of the page for who asks for it; empty if there is nothing to say.

    Raises:
        WrongTypeError: The template is rendered without a request, or without the middleware.

    """
    request = getattr(context, "request", None) or context.get("request")
    gate = getattr(request, "goodbot_gate", None)
    if gate is None:
        message = "robots_meta needs a request that came through DjangoGate; pass it to render()"
        raise WrongTypeError(message)
    field = fields_of(request)
    meta = gate.meta(
        field("host"), target_in(request), field("user-agent") or "", routed_in(request)
    )
    return mark_safe(meta)  # noqa: S308  it is escaped where it is written

"""Small sites behind the gate, one for each framework; servers import them by name.

The environment names the policy (`GATE_POLICY`) and the log (`GATE_LOG`).
"""

import os
from pathlib import Path
from typing import Any

from goodbot.site.gate import read_policy
from goodbot.site.gate.access_log import AccessLog
from goodbot.site.gate.middleware.asgi import ASGIGate
from goodbot.site.gate.middleware.wsgi import WSGIGate
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.robot_addresses import RobotAddresses

BODY = "a page"
HELD = {"X-Robots-Tag": "otherbot: nofollow", "Content-Usage": "search=n"}
"""What the view of each site says itself."""


def gate() -> RequestGate:
    """Return the gate. GPTBot is at 8.8.8.0/24 alone."""
    policy = read_policy(Path(os.environ["GATE_POLICY"]).read_bytes())
    addresses = RobotAddresses({"GPTBot": ["8.8.8.0/24"]}, complete=["GPTBot"])
    return RequestGate(policy, addresses=addresses)


def log() -> AccessLog:
    """Return the log."""
    return AccessLog(os.environ["GATE_LOG"], port=80)


def starlette() -> Any:  # noqa: ANN401  an application
    """Return a site of Starlette."""
    from starlette.applications import Starlette  # noqa: PLC0415  one framework a process
    from starlette.middleware import Middleware  # noqa: PLC0415
    from starlette.responses import PlainTextResponse  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    routes = [Route("/{path:path}", lambda _request: PlainTextResponse(BODY, headers=HELD))]
    return Starlette(routes=routes, middleware=[Middleware(ASGIGate, policy=gate(), log=log())])


def fastapi() -> Any:  # noqa: ANN401  an application
    """Return a site of FastAPI."""
    from fastapi import FastAPI  # noqa: PLC0415
    from fastapi.responses import PlainTextResponse  # noqa: PLC0415

    app = FastAPI()
    app.add_middleware(ASGIGate, policy=gate(), log=log())

    @app.get("/{path:path}", response_class=PlainTextResponse)
    def page(path: str) -> PlainTextResponse:  # noqa: ARG001  the same page everywhere
        return PlainTextResponse(BODY, headers=HELD)

    return app


def quart() -> Any:  # noqa: ANN401  an application
    """Return a site of Quart."""
    from quart import Quart  # noqa: PLC0415

    app = Quart(__name__)

    @app.route("/<path:path>")
    async def page(path: str) -> tuple[str, dict[str, str]]:  # noqa: ARG001
        return BODY, HELD

    app.asgi_app = ASGIGate(app.asgi_app, gate(), log=log())  # type: ignore[method-assign,arg-type,assignment]
    return app


def flask() -> Any:  # noqa: ANN401  an application
    """Return a site of Flask."""
    from flask import Flask  # noqa: PLC0415

    app = Flask(__name__)

    @app.route("/<path:path>")
    def page(path: str) -> tuple[str, dict[str, str]]:  # noqa: ARG001
        return BODY, HELD

    app.wsgi_app = WSGIGate(app.wsgi_app, gate(), log=log())  # type: ignore[method-assign]
    return app


def configure_django() -> None:
    """Set Django up: one page, with META robots."""
    from django import setup  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415
    from django.http import HttpResponse  # noqa: PLC0415
    from django.template import engines  # noqa: PLC0415
    from django.urls import re_path  # noqa: PLC0415

    def page(request: Any) -> HttpResponse:  # noqa: ANN401  Django has no types
        text = "{% load goodbot %}{% robots_meta %}" + BODY
        return HttpResponse(engines["django"].from_string(text).render({}, request), headers=HELD)

    libraries = {"goodbot": "goodbot.site.gate.middleware.django"}
    backend = "django.template.backends.django.DjangoTemplates"
    settings.configure(
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=(re_path("", page),),
        MIDDLEWARE=["goodbot.site.gate.middleware.django.DjangoGate"],
        TEMPLATES=[{"BACKEND": backend, "OPTIONS": {"libraries": libraries}}],
        GOODBOT_GATE=gate(),
        GOODBOT_GATE_LOG=log(),
        LOGGING_CONFIG=None,
    )
    setup()


def django_wsgi() -> Any:  # noqa: ANN401  an application
    """Return a site of Django for WSGI."""
    configure_django()
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415

    return get_wsgi_application()


def django_asgi() -> Any:  # noqa: ANN401  an application
    """Return a site of Django for ASGI."""
    configure_django()
    from django.core.asgi import get_asgi_application  # noqa: PLC0415

    return get_asgi_application()

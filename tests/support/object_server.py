"""Object storage by the protocol of S3, in this process: moto, which fails and loses answers."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["BUCKET", "ObjectServer", "S3Request", "object_server"]

BUCKET = "crawls"
KEYS = {
    "AWS_ACCESS_KEY_ID": "robot",
    "AWS_SECRET_ACCESS_KEY": "of-tests-only",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}
"""What the environment of a worker has for a server on loopback."""


class S3Request(NamedTuple):
    """A request that came."""

    method: str
    path: str
    query: str
    if_none_match: str
    copies: bool
    """Whether it is to copy another object."""


class ObjectServer:
    """A server on loopback that may fail."""

    def __init__(self, application: Any) -> None:  # noqa: ANN401  a WSGI application
        """Listen on a free port."""
        from werkzeug.serving import make_server  # noqa: PLC0415  comes with moto

        self._application = application
        self.requests: list[S3Request] = []
        self.losing = 0
        """The answers to so many puts are lost after the object is written."""
        self.failing = 0
        """So many requests are answered with 503 before anything is done."""
        self.slowness = 0.0
        """Seconds that each put takes."""
        self._server = make_server("127.0.0.1", 0, self, threaded=True)
        self.endpoint = f"http://127.0.0.1:{self._server.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401  of WSGI
        """Answer a request."""
        one = S3Request(
            environ["REQUEST_METHOD"],
            environ["PATH_INFO"],
            environ.get("QUERY_STRING", ""),
            environ.get("HTTP_IF_NONE_MATCH", ""),
            "HTTP_X_AMZ_COPY_SOURCE" in environ,
        )
        self.requests.append(one)
        if one.method == "PUT":
            time.sleep(self.slowness)
        if self.failing:
            self.failing -= 1
            start_response("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        answer: Iterable[bytes] = self._application(environ, start_response)
        if self.losing and one.method == "PUT":
            self.losing -= 1
            b"".join(answer)
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return [b""]
        return answer

    def puts(self) -> list[S3Request]:
        """Return the puts of objects."""
        return [one for one in self.requests if one.method == "PUT" and one.path.count("/") > 1]

    def environment(self) -> dict[str, str]:
        """Return what a worker has in its environment."""
        return {**KEYS, "AWS_ENDPOINT_URL": self.endpoint}

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    """Run a server with one bucket, whose keys are in the environment."""
    server = pytest.importorskip("moto.server", reason="needs moto")
    application = server.DomainDispatcherApplication(server.create_backend_app)
    running = ObjectServer(application)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment().items():
            patch.setenv(name, value)
        make_bucket(running.endpoint)
        try:
            yield running
        finally:
            running.close()


def make_bucket(endpoint: str) -> None:
    """Make the bucket: obstore makes none."""
    boto3 = pytest.importorskip("boto3", reason="needs boto3")
    boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket=BUCKET)

"""A real web server for tests: nginx on loopback, with its own configuration."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.support.waiting import HANGS

PROGRAM = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "nginx"
CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 64; }}
http {{
    log_format told '$status $request_uri $sent_http_content_encoding [$http_if_none_match]';
    access_log {folder}/access.log told;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    types {{ text/html html; text/plain txt; }}
    default_type application/octet-stream;
    gzip on; gzip_min_length 1; gzip_types text/plain;
    keepalive_requests {keepalive};
    server {{
        listen 127.0.0.1:{port};
        root {folder}/site;
        location = /moved.html {{ return 301 /lamps.html; }}
        location = /away.html {{ return 302 https://elsewhere.example/; }}
        location = /busy.html {{ add_header Retry-After 1 always; return 503; }}
        location = /broken.html {{ return 500; }}
        location = /after.html {{ access_log off; return 204; }}
        location = /secret.html {{ add_header X-Robots-Tag noindex; }}
        # A range that nobody asked this server for: of a proxy that asks for one by itself.
        location = /part.html {{
            proxy_set_header Range bytes=0-30; proxy_set_header Accept-Encoding "";
            proxy_pass http://127.0.0.1:{port}/ranged.html;
        }}
        location = /whole.html {{
            proxy_set_header Range bytes=0-; proxy_set_header Accept-Encoding "";
            proxy_pass http://127.0.0.1:{port}/ranged.html;
        }}
    }}
}}
"""
TRIES = 200


class Nginx:
    """A running server."""

    def __init__(self, folder: Path, port: int) -> None:
        """Store the folder and the port."""
        self.folder = folder
        self.origin = f"http://127.0.0.1:{port}"

    def requests(self) -> list[list[str]]:
        """Return each request: status, path, encoding of the answer and If-None-Match."""
        # nginx logs a request after its answer, but before it reads the next one.
        with suppress(URLError), urlopen(f"{self.origin}/after.html", timeout=HANGS):  # noqa: S310  of http
            pass
        log = (self.folder / "access.log").read_text(encoding="utf-8")
        return [line.split() for line in log.splitlines()]

    def errors(self) -> str:
        """Return the error log of the server."""
        return (self.folder / "error.log").read_text(encoding="utf-8")


@contextmanager
def nginx(folder: Path, files: dict[str, bytes], keepalive: int = 1000) -> Iterator[Nginx]:
    """Serve files, and answer some paths as the configuration states."""
    for name, content in files.items():
        path = folder / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    port = free_port()
    configuration = folder / "nginx.conf"
    words = CONFIGURATION.format(folder=folder, port=port, keepalive=keepalive)
    configuration.write_text(words, encoding="utf-8")
    command = [
        PROGRAM,
        "-p",
        str(folder),
        "-c",
        str(configuration),
        "-e",
        str(folder / "error.log"),
    ]
    if os.geteuid() == 0:
        command += ["-g", "user root;"]  # so that it can read files that only this user can read
    process = subprocess.Popen(command)  # noqa: S603  an installed program
    try:
        wait_for(port, process)
        yield Nginx(folder, port)
    finally:
        process.terminate()
        process.wait(HANGS)


def free_port() -> int:
    """Return a port on loopback that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server listens."""
    for _ in range(int(HANGS / 0.02)):
        assert process.poll() is None, "the server has ended"
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    message = "the server does not listen"
    raise AssertionError(message)

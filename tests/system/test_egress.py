"""nginx as a forward proxy that asks the service about every request, as the page configures it."""

import asyncio
import http.client
import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from tests.support.live_sites import open_site
from tests.support.name_server import name_server, records
from tests.support.paths import ROOT
from tests.support.service_process import running_service
from tests.support.waiting import HANGS
from tests.system.nginx import PROGRAM, free_port, wait_for

PAGE = ROOT / "docs" / "how-to" / "put-a-gateway-in-front.md"
AROUND = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 64; }}
http {{
    log_format told $request_uri;
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{server}
}}
"""


SITE = """
server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/site.pem; ssl_certificate_key {folder}/site.pem;
    access_log {folder}/site.log told;
    location = /robots.txt {{
        default_type text/plain; return 200 "User-agent: *\\nDisallow: /private\\n";
    }}
    location / {{ return 200 page; }}
}}
"""
"""A site with TLS, in the same nginx."""


@contextmanager
def gateway(
    folder: Path, base: str, *, changes: Mapping[str, str] | None = None, beside: str = ""
) -> Iterator[int]:
    """Run nginx as the page says, in front of a service; yield its port.

    Args:
        folder: Where its files are.
        base: The address of the service.
        changes: What to replace in the server that ends TLS; `None` for the one that does not.
        beside: Further servers.

    """
    found = re.findall(r"^```nginx\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    server = found[0 if changes is None else 1]
    port = free_port()
    for before, after in (changes or {}).items():
        assert before in server
        server = server.replace(before, after)
    server = re.sub(r"127\.0\.0\.1:312[89]", f"127.0.0.1:{port}", server)
    server = server.replace("127.0.0.1:8470", base.removeprefix("http://"))
    path = folder / "nginx.conf"
    path.write_text(AROUND.format(folder=folder, server=server + beside))
    process = subprocess.Popen(  # noqa: S603  an installed program
        [PROGRAM, "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log")]
    )
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(HANGS)


def fetch(port: int, url: str, robot: str = "ExampleBot/1.0") -> tuple[int, str | None]:
    """Fetch a URL by the proxy; return the status and the reason."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS)
    host = url.split("/")[2]
    connection.putrequest("GET", url, skip_host=True)
    for name, value in (("Host", host), ("User-Agent", robot)):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("X-Goodbot-Reason")


def test_what_is_disallowed_does_not_leave(tmp_path: Path) -> None:
    """Whatever the worker would have done; and nothing leaves without an answer."""
    with open_site("polite") as site:
        with running_service("--allow-private") as base, gateway(tmp_path, base) as port:
            assert fetch(port, f"{site.origin}/public") == (200, "no-rule-matches")
            assert fetch(port, f"{site.origin}/private/x") == (403, "rule-disallows")
            assert fetch(port, f"{site.origin}/x/../private/x")[0] == 403
            assert fetch(port, f"{site.origin}/%70rivate/x")[0] == 403
            assert [visit.target for visit in site.visits] == ["/robots.txt", "/public"]
        with gateway(tmp_path, base) as port:  # the service has ended
            assert fetch(port, f"{site.origin}/public")[0] == 500
        assert len(site.visits) == 2


@contextmanager
def named_localhost() -> Iterator[int]:
    """Run a name server that knows `localhost`; yield its port."""
    name = "localhost."
    answers = {(name, "A"): records(f"{name} 60 IN A 127.0.0.1"), (name, "AAAA"): records()}
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = name_server(answers)
    opened = asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(HANGS)
    try:
        yield opened.port
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(HANGS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def fetch_by_tls(port: int, authority: str, path: str, trust: ssl.SSLContext) -> tuple[int, bytes]:
    """Fetch a page as a worker does whose connections a firewall redirects to the gateway."""
    with (
        socket.create_connection(("127.0.0.1", port), HANGS) as plain,
        trust.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        head = f"GET {path} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: ExampleBot/1.0\r\n"
        connection.sendall(f"{head}Connection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    return int(answer.split()[1]), answer


def test_https_is_judged_where_the_gateway_ends_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the whole URL; who has a certificate of a stranger is refused."""
    of_sites, own, stranger = trustme.CA(), trustme.CA(), trustme.CA()
    of_sites.cert_pem.write_to_path(tmp_path / "sites.pem")
    of_sites.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(
        tmp_path / "site.pem"
    )
    own.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(tmp_path / "own.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "sites.pem"))
    trust = ssl.create_default_context()
    own.configure_trust(trust)
    site = free_port()
    with running_service("--allow-private") as base, named_localhost() as names:
        changes = {
            "gateway.pem": f"{tmp_path}/own.pem",
            "gateway.key": f"{tmp_path}/own.pem",
            "/etc/ssl/certs/ca-certificates.crt": f"{tmp_path}/sites.pem",
            "127.0.0.53": f"127.0.0.1:{names}",
        }
        beside = SITE.format(port=site, folder=tmp_path)
        with gateway(tmp_path, base, changes=changes, beside=beside) as port:
            status, answer = fetch_by_tls(port, f"localhost:{site}", "/public", trust)
            assert (status, b"X-Goodbot-Reason: no-rule-matches" in answer) == (200, True)
            status, answer = fetch_by_tls(port, f"localhost:{site}", "/private/x", trust)
            assert (status, b"X-Goodbot-Reason: rule-disallows" in answer) == (403, True)
            seen = (tmp_path / "site.log").read_text().split()
            assert seen == ["/robots.txt", "/public"]
        stranger.cert_pem.write_to_path(tmp_path / "sites.pem")  # the service has read it before
        with gateway(tmp_path, base, changes=changes, beside=beside) as port:
            assert fetch_by_tls(port, f"localhost:{site}", "/public", trust)[0] == 502

"""The middleware in each framework, on uvicorn and gunicorn on loopback."""

import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from goodbot import Page
from tests.support.houses import need
from tests.support.paths import ROOT
from tests.support.waiting import HANGS

POLICY = """
site = "http://site.example"
[[rule]]
paths = ["/private/"]
fetch = false
[[rule]]
uses = { train = false, archive = false }
[[rule]]
robots = ["bingbot"]
delay = 60
uses = { archive = true }
[[rule]]
hosts = ["other.example"]
fetch = false
[enforce]
access = true
delay = true
spoofed = "refuse"
proxies = ["127.0.0.1"]
"""
ASGI = ("starlette", "fastapi", "quart", "django_asgi")
WSGI = ("flask", "django_wsgi")
GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"
BINGBOT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
APPS = "tests.site.gate.middleware.apps"


class Site:
    """A running server."""

    def __init__(self, port: int, log: Path) -> None:
        """Keep the port."""
        self.port, self.log = port, log

    def ask(self, path: str, method: str = "GET", **fields: str) -> tuple[int, dict[str, str], str]:
        """Return status, header fields in lower case, and body of the answer."""
        given = {"Host": "site.example", "User-Agent": PERSON}
        given |= {name.replace("_", "-"): value for name, value in fields.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        try:
            connection.request(method, path, headers=given)
            answer = connection.getresponse()
            body = answer.read().decode()
            found: dict[str, str] = {}
            for name, value in answer.getheaders():  # lines of one field, as a proxy joins them
                key = name.lower()
                found[key] = f"{found[key]}, {value}" if key in found else value
            return answer.status, found, body
        finally:
            connection.close()


@contextmanager
def running(app: str, folder: Path) -> Iterator[Site]:
    """Run a site until the test ends."""
    need(app.partition("_")[0], "uvicorn" if app in ASGI else "gunicorn")
    policy, log = folder / "gate.toml", folder / "access.log"
    policy.write_text(POLICY, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if app in ASGI:
        command = [
            "uvicorn",
            "--factory",
            f"{APPS}:{app}",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        command += ["--no-proxy-headers", "--log-level", "error"]
    else:
        command = ["gunicorn", f"{APPS}:{app}()", "--bind", f"127.0.0.1:{port}"]
        command += ["--log-level", "error", "--worker-tmp-dir", str(folder), "--no-control-socket"]
    environment = os.environ | {"GATE_POLICY": str(policy), "GATE_LOG": str(log)}
    process = subprocess.Popen(  # noqa: S603  an installed server
        [sys.executable, "-m", *command], cwd=ROOT, env=environment
    )
    try:
        wait_for(port, process)
        yield Site(port, log)
    finally:
        process.terminate()
        process.wait(HANGS)


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server listens."""
    for _ in range(int(HANGS / 0.02)):
        assert process.poll() is None, "the server has ended"
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    message = "the server does not listen"
    raise AssertionError(message)


@pytest.fixture(scope="module", params=[*ASGI, *WSGI])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Return the site of each framework in turn."""
    folder = tmp_path_factory.mktemp(request.param)
    with running(request.param, folder) as found:
        yield found


def test_robots_txt_is_served(site: Site) -> None:
    """With validators, to HEAD without content, and by the host that is asked for."""
    status, fields, body = site.ask("/robots.txt")
    assert (status, fields["content-type"]) == (200, "text/plain; charset=utf-8")
    assert "Disallow: /private/\n" in body
    assert site.ask("/robots.txt", If_None_Match=fields["etag"])[0] == 304
    assert site.ask("/robots.txt", "HEAD")[2] == ""
    assert "Disallow: /\n" in site.ask("/robots.txt", Host="other.example")[2]
    assert site.ask("/.well-known/tdmrep.json")[1]["content-type"] == "application/json"


@pytest.mark.parametrize(
    "target",
    ["http://site.example/robots.txt", "/%72obots.txt", "//robots.txt", "/a/../robots.txt"],
)
def test_robots_txt_is_served_in_every_spelling(site: Site, target: str) -> None:
    """RFC 9112 section 3.2.2: servers accept the absolute form; nobody is refused robots.txt."""
    for fields in ({}, {"User_Agent": GPTBOT, "X_Forwarded_For": "9.9.9.9"}):
        status, _, body = site.ask(target, **fields)
        assert (status, body[:11]) == (200, "User-agent:")


def test_pages_have_the_fields_of_who_asks(site: Site) -> None:
    """People and robots see the page; what it says to robots depends on the robot."""
    status, fields, body = site.ask("/a")
    assert (status, body[-6:]) == (200, "a page")
    assert fields["x-robots-tag"] == "noai, noarchive, otherbot: nofollow"
    assert (fields["content-usage"], fields["vary"]) == ("search=n, train-ai=n", "User-Agent")
    other = site.ask("/a", User_Agent=BINGBOT, X_Forwarded_For="8.8.4.4")[1]
    assert other["x-robots-tag"] == "noai, archive, otherbot: nofollow"


def test_what_the_view_says_to_others_hides_nothing(site: Site) -> None:
    """`noarchive` of the policy is read by every robot, as goodbot itself reads the answer."""
    _, fields, body = site.ask("/a")
    for robot in ("Googlebot", "otherbot", "OddBot"):
        page = Page("http://site.example/a", body, headers=list(fields.items()), robot=robot)
        assert not page.archive, robot
        assert bool(page.follow) == (robot != "otherbot")


def test_robots_are_refused_what_robots_txt_disallows_them(site: Site) -> None:
    """Only verified ones, by an address that a declared proxy names; never robots.txt itself."""
    asked = {"User_Agent": GPTBOT, "X_Forwarded_For": "8.8.8.8"}
    status, fields, body = site.ask("/private/a?b", **asked)
    assert (status, fields["cache-control"]) == (403, "no-store")
    assert '"Disallow: /private/"' in body
    assert site.ask("/private/a", "HEAD", **asked)[::2] == (403, "")
    assert site.ask("/a", **asked)[0] == 200
    assert site.ask("/robots.txt", **asked)[0] == 200
    assert site.ask("/private/a")[0] == 200
    assert site.ask("/a", User_Agent=GPTBOT, X_Forwarded_For="9.9.9.9")[0] == 403
    assert site.ask("/robots.txt", User_Agent=GPTBOT, X_Forwarded_For="9.9.9.9")[0] == 200


def test_robots_that_read_delays_must_keep_them(site: Site) -> None:
    """The second request is too early; the answer says when to come again."""
    asked = {"User_Agent": BINGBOT, "X_Forwarded_For": "8.8.4.4"}
    site.ask("/a", **asked)
    status, fields, _ = site.ask("/a", **asked)
    assert status == 429
    assert 0 < int(fields["retry-after"]) <= 60
    assert site.ask("/robots.txt", **asked)[0] == 200


def test_requests_are_logged(site: Site) -> None:
    """A line each, as vhost_combined, with the address that the proxy names."""
    site.ask("/logged?a=%22", X_Forwarded_For="192.0.2.7", User_Agent='a"b')
    for _ in range(500):
        lines = site.log.read_text().splitlines()
        if "/logged?a=%22" in "".join(lines):
            break
        time.sleep(0.02)
    line = next(one for one in lines if "/logged" in one)
    head, _, rest = line.partition(" - - ")
    assert head == "site.example:80 192.0.2.7"
    assert re.search(r'"GET /logged\?a=%22 HTTP/1\.1" 200 \d+ "-" "a\\"b"$', rest)


def test_django_writes_meta(tmp_path: Path) -> None:
    """The template tag says what the header says, to who asks."""
    with running("django_wsgi", tmp_path) as found:
        assert found.ask("/a")[2] == '<meta name="robots" content="noai, noarchive">a page'

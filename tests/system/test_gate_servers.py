"""The snippets of a policy, read by nginx, Apache and Caddy: each says what the middleware says."""

import http.client
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from goodbot import bots
from goodbot.http.request_target import spellings
from goodbot.site.gate import Rendered, read_policy, render
from goodbot.site.gate.snippets import SERVERS
from goodbot.site.gate.snippets.server_rows import FIELDS
from tests.support.waiting import HANGS
from tests.system.nginx import free_port, wait_for

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
POLICY = b"""
site = "http://site.example"
tdm-policy = "https://example.com/a;b'(c)?d=$e&f=%22"
[[rule]]
uses = { train = false, search = true }
[[rule]]
paths = ["/*.pdf$", "/caf\xc3\xa9/", "/a(b)[c]'d;e\\"f{g}", "/p?x=", "/long/'er/*.pdf"]
uses = { search = false, archive = false }
[[rule]]
robots = ["Googlebot", "MyBot"]
uses = { train = true }
[[rule]]
robots = ["Googlebot-News"]
paths = ["/news/"]
uses = { archive = true, train = false }
[[rule]]
purposes = ["ai-training"]
fetch = false
[rsl]
copyright = "Example"
[[rsl.offer]]
uses = ["search"]
payment = "crawl"
amount = "0.01"
currency = "USD"
"""
AGENTS = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0": "*",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "Googlebot",
    "Googlebot-News": "Googlebot-News",
    "Googlebot-Image/1.0": "Googlebot-Image",
    "FreshRSS/1.11.2 (Linux; https://freshrss.org) like Googlebot": "FreshRSS",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3)": "GPTBot",
    "mybot/1.0": "MyBot",
    "": "*",
}
PATHS = (
    *("/", "/a.pdf", "/a.pdf?x", "/caf%c3%a9/x", "/a(b)%5Bc%5D'd;e%22f%7Bg%7Dh", "/p?x=1"),
    *("/p?y", "/news/1", "/long/'er/a.pdf", "/robots.txtx"),
    *("//news/1", "/n%65ws%2F1", "//a%2Epdf", "/%70?x=1"),
)
HEADERS = {"vary", *(one.lower() for one in FIELDS)}

NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log warn; {user}
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    include {folder}/gate-http.conf;
    server {{
        listen 127.0.0.1:{port};
        include {folder}/gate-server.conf;
        location / {{ return 200 "a page"; }}
    }}
}}
"""
APACHE = """
ServerRoot {folder}
ServerName site.example
PidFile {folder}/pid
ErrorLog {folder}/error.log
TypesConfig /dev/null
Listen 127.0.0.1:{port}
{modules}
{user}
<VirtualHost 127.0.0.1:{port}>
    DocumentRoot {folder}/site
    <Directory {folder}/site>
        Require all granted
    </Directory>
    FallbackResource /page.html
    Include {folder}/gate-apache.conf
</VirtualHost>
"""
CADDY = """
{{
    admin off
    auto_https off
    http_port {port}
}}
http://127.0.0.1:{port}, http://site.example:{port} {{
    bind 127.0.0.1
    import {folder}/gate.caddy
    respond "a page"
}}
"""
MODULES = ("mpm_event", "authz_core", "alias", "headers", "expires", "setenvif", "dir", "mime")


def nginx_command(folder: Path, port: int) -> list[str]:
    """Write nginx's configuration; return its command."""
    user = "user root;" if os.geteuid() == 0 else ""
    text = NGINX.format(folder=folder, port=port, user=user)
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def apache_command(folder: Path, port: int) -> list[str]:
    """Write Apache's configuration; return its command."""
    at = "/usr/lib/apache2/modules"
    user = "User www-data" if os.geteuid() == 0 else ""
    modules = "\n".join(f"LoadModule {one}_module {at}/mod_{one}.so" for one in MODULES)
    text = APACHE.format(folder=folder, port=port, modules=modules, user=user)
    (folder / "apache.conf").write_text(text, encoding="utf-8")
    return ["apache2", "-f", str(folder / "apache.conf"), "-DFOREGROUND"]


def caddy_command(folder: Path, port: int) -> list[str]:
    """Write Caddy's configuration; return its command."""
    (folder / "Caddyfile").write_text(CADDY.format(folder=folder, port=port), encoding="utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


COMMANDS: dict[str, Callable[[Path, int], list[str]]] = {
    "nginx": nginx_command,
    "apache": apache_command,
    "caddy": caddy_command,
}


@contextmanager
def running(server: str, said: Rendered, folder: Path) -> Iterator[int]:
    """Run a server with the snippet and the files of a policy; yield its port."""
    files = folder / "my gate"
    for path, file in said.files.items():
        target = files / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.body)
    site = folder / "site"
    site.mkdir()
    (site / "page.html").write_text("a page")
    for name, text in SERVERS[server](said, str(files)).items():
        (folder / name).write_text(text, encoding="utf-8")
    port = free_port()
    program, *rest = COMMANDS[server](folder, port)
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin") or program
    home = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    process = subprocess.Popen([found, *rest], env=home)  # noqa: S603  an installed program
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(HANGS)


def ask(port: int, path: str, agent: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, fields and content of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS)
    try:
        fields = {"Host": f"site.example:{port}", "User-Agent": agent}
        connection.request("GET", path, headers=fields)
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that a server may read as whatever user it runs."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_says_what_the_policy_says(server: str, folder: Path) -> None:
    """To each robot on each path, whatever characters the policy has; robots.txt as rendered."""
    said = render(read_policy(POLICY), now=NOW)
    with running(server, said, folder) as port:
        for agent, name in AGENTS.items():
            known = bots.of_user_agent(agent)
            assert (known.name if known else "*") in {name, "*"}
            for path in PATHS:
                _, fields, _ = ask(port, path, agent)
                said_here = said.fields_for(said.group_of(name), *spellings(path))
                wanted = {k.lower(): v.replace("$", "%24") for k, v in said_here}
                wanted["vary"] = "User-Agent"  # a server cannot know where groups agree
                assert {k: v for k, v in fields.items() if k in HEADERS} == wanted, (agent, path)
        for path, file in said.files.items():
            status, fields, body = ask(port, path, "GPTBot/1.0")
            assert (status, body) == (200, file.body)
            assert fields["content-type"] == file.content_type
            assert "max-age=3600" in fields["cache-control"]
            if server != "caddy":  # for HTTP/1.0; Caddy cannot reckon with times
                date, expires = (
                    parsedate_to_datetime(fields[name]) for name in ("date", "expires")
                )
                assert abs((expires - date).total_seconds() - 3600) <= 1
            assert fields["etag"]

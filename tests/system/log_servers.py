"""Real servers that write access logs, each with its formats."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.support.waiting import HANGS
from tests.system.nginx import free_port, wait_for

NGINX_FORMATS = {
    "default": "log_format {name} '$remote_addr $scheme $host [$time_local] \"$request\" $status '"
    ' \'$body_bytes_sent "$http_referer" "$http_user_agent"\';',
    "json": 'log_format {name} escape=json \'{{"t":"$time_iso8601","a":"$remote_addr","h":"$host",'
    '"s":"$scheme","m":"$request_method","u":"$request_uri","st":$status,"b":$body_bytes_sent,'
    '"x":$upstream_status,"ua":"$http_user_agent"}}\';',
    "own-names": 'log_format {name} escape=json \'{{"time_iso8601":"$time_iso8601",'
    '"remote_addr":"$remote_addr","host":"$host","scheme":"$scheme","request":"$request",'
    '"status":$status,"body_bytes_sent":$body_bytes_sent,"upstream_status":$upstream_status,'
    '"http_user_agent":"$http_user_agent"}}\';',
    "none": 'log_format {name} escape=none "$remote_addr|$scheme|$host|$msec|$request_method|"\n'
    '    "$request_uri|$status|$body_bytes_sent|$http_user_agent";',
}
"""Directives by name; `own-names` is read as a known format."""

NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log crit; {user}
events {{ worker_connections 64; }}
http {{
    {formats}
    access_log {folder}/combined.log;
    {logs}
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    server {{ listen 127.0.0.1:{port}; location / {{ return 200 "a page"; }} }}
}}
"""

APACHE_FORMATS = {
    "whole": r'LogFormat "%h %t %v \"%r\" %>s %B \"%{User-Agent}i\"" whole',
    "parts": r'LogFormat "%a|%{sec}t|%{Host}i|%m|%U|%q|%>s|%O|%{User-Agent}i" parts',
    "target": r'LogFormat "%a %{%Y-%m-%dT%H:%M:%S%z}t \"%m %U%q %H\" %s \"%{User-agent}i\"" target',
}

APACHE = """
ServerRoot {folder}
ServerName site.example
PidFile {folder}/pid
ErrorLog {folder}/error.log
TypesConfig /dev/null
Listen 127.0.0.1:{port}
{modules}
{user}
LogFormat "%v:%p %h %l %u %t \\"%r\\" %>s %O \\"%{{Referer}}i\\" \\"%{{User-Agent}}i\\"" vhost
LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{{Referer}}i\\" \\"%{{User-Agent}}i\\"" combined
CustomLog {folder}/vhost_combined.log vhost
CustomLog {folder}/combined.log combined
{formats}
DocumentRoot {folder}
<Directory {folder}>
    Require all granted
</Directory>
AllowEncodedSlashes NoDecode
FallbackResource /page.html
"""

MODULES = ("mpm_event", "authz_core", "dir", "mime")
CADDY = """
{{
    admin off
    auto_https off
    http_port {port}
    log default {{
        output file {folder}/errors.log
    }}
    log console {{
        output file {folder}/console.log
        format console
        include http.log.access
    }}
}}
http://127.0.0.1:{port}, http://site.example:{port} {{
    bind 127.0.0.1
    log {{
        output file {folder}/caddy.log
    }}
    respond "a page"
}}
"""


HAPROXY = """
global
    nbthread 1
    log stdout format raw local0
defaults
    mode http
    log global
    option httplog
    option dontlognull
    timeout client 20s
    timeout connect 20s
    timeout server 20s
frontend site
    bind 127.0.0.1:{port}
    capture request header Host len 100
    capture request header User-Agent len 200
    http-request return status 200 content-type text/plain string "a page"
"""
ASGI = """
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a page"})
"""
WSGI = """
def app(environ, start):
    start("200 OK", [("Content-Length", "6")])
    return [b"a page"]
"""
AIOHTTP = """
import logging, sys
from aiohttp import web
logging.basicConfig(level=logging.INFO, filename="aiohttp.log", encoding="utf-8")
async def page(request):
    return web.Response(text="a page")
app = web.Application()
app.router.add_get("/{rest:.*}", page)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
TWISTED = """
import sys
from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
class Page(Resource):
    isLeaf = True
    def render_GET(self, request):
        return b"a page"
reactor.listenTCP(int(sys.argv[1]), Site(Page(), logPath=b"twisted.log"), interface="127.0.0.1")
reactor.run()
"""
PYTHON_SERVERS = {
    "hypercorn": (
        ASGI,
        "-m hypercorn --access-logfile hypercorn.log -b 127.0.0.1:{port} server:app",
    ),
    "gunicorn": (WSGI, "-m gunicorn --access-logfile gunicorn.log -b 127.0.0.1:{port} server:app"),
    "aiohttp": (AIOHTTP, "server.py {port}"),
    "twisted": (TWISTED, "server.py {port}"),
}
"""The program of each server that is written in Python, and its arguments."""


def python_command(server: str, folder: Path, port: int) -> list[str]:
    """Write the program of a server; return its command."""
    program, arguments = PYTHON_SERVERS[server]
    (folder / "server.py").write_text(program, encoding="utf-8")
    return [sys.executable, *arguments.format(port=port).split()]


def haproxy_command(folder: Path, port: int) -> list[str]:
    """Write HAProxy's configuration; return its command."""
    (folder / "haproxy.cfg").write_text(HAPROXY.format(port=port), encoding="utf-8")
    return ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")]


def nginx_command(folder: Path, port: int) -> list[str]:
    """Write nginx's configuration; return its command."""
    formats = "\n".join(text.format(name=name) for name, text in NGINX_FORMATS.items())
    logs = "\n".join(f"access_log {folder}/{name}.log {name};" for name in NGINX_FORMATS)
    user = "user root;" if os.geteuid() == 0 else ""
    text = NGINX.format(folder=folder, port=port, user=user, formats=formats, logs=logs)
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def apache_command(folder: Path, port: int) -> list[str]:
    """Write Apache's configuration; return its command."""
    at = "/usr/lib/apache2/modules"
    modules = "\n".join(f"LoadModule {one}_module {at}/mod_{one}.so" for one in MODULES)
    user = "User www-data" if os.geteuid() == 0 else ""
    named = APACHE_FORMATS.items()
    logs = [f"{text}\nCustomLog {folder}/{name}.log {name}" for name, text in named]
    text = APACHE.format(
        folder=folder, port=port, modules=modules, user=user, formats="\n".join(logs)
    )
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
    "haproxy": haproxy_command,
    **{name: partial(python_command, name) for name in PYTHON_SERVERS},
}


@contextmanager
def logging_server(server: str, folder: Path) -> Iterator[int]:
    """Run a server that writes logs into a folder; yield its port. They are whole at the end."""
    port = free_port()
    (folder / "page.html").write_text("a page")
    program, *rest = COMMANDS[server](folder, port)
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin") or program
    home = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with (folder / f"{server}.log").open("ab") as output:
        # HAProxy writes its log there; the others write to a file of their own.
        process = subprocess.Popen(  # noqa: S603  an installed program
            [found, *rest], env=home, cwd=folder, stdout=output if server == "haproxy" else None
        )
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(HANGS)

#!/usr/bin/env bash
# One request, and the lines that four Python servers log for it by default. Hypercorn writes the path decoded and
# without its query, and the version of HTTP without its name; gunicorn and Hypercorn write UTF-8 of a header field
# as if it were ISO 8859-1; gunicorn escapes quotation marks but no backslashes, Twisted both, the others nothing.
# One would have guessed the request line as it was sent, and the escapes of Apache, whose format they all follow.
set -euo pipefail
folder=$(mktemp -d)
cleanup() { jobs -p | xargs -r kill 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap cleanup EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check \
    hypercorn==0.18.0 gunicorn==27.0.1 aiohttp==3.14.5 twisted==26.10.0
cd "$folder"
cat > apps.py <<'END'
async def asgi(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


def wsgi(environ, start):
    start("200 OK", [("Content-Length", "2")])
    return [b"ok"]
END
cat > aio.py <<'END'
import logging, sys
from aiohttp import web

logging.basicConfig(level=logging.INFO, filename="aiohttp.log", format="%(message)s", encoding="utf-8")


async def page(request):
    return web.Response(text="ok")


app = web.Application()
app.router.add_get("/{rest:.*}", page)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
END
cat > twist.py <<'END'
import sys
from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site


class Page(Resource):
    isLeaf = True

    def render_GET(self, request):
        return b"ok"


reactor.listenTCP(int(sys.argv[1]), Site(Page(), logPath=b"twisted.log"), interface="127.0.0.1")
reactor.run()
END
cat > ask.py <<'END'
import re, socket, sys, time

port, log = int(sys.argv[1]), sys.argv[2]
agent = 'Bot (a "b" \\ \u00e9)'.encode()
lines = [b"GET /caf%C3%A9/%2e?x=1 HTTP/1.1", b"Host: a", b"User-Agent: " + agent, b"Connection: close", b"", b""]
for _ in range(300):
    try:
        connection = socket.create_connection(("127.0.0.1", port), timeout=10)
        break
    except OSError:
        time.sleep(0.1)
connection.sendall(b"\r\n".join(lines))
while connection.recv(4096):
    pass
for _ in range(100):
    text = open(log, encoding="utf-8").read()
    found = re.search(r'"(GET .*?)" 200 .*? (?:"-" )"(Bot.*)"', text)
    if found:
        print(f"{found[1]} | {found[2]}")
        break
    time.sleep(0.1)
END
free_port() { venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
status=0
check() {
    local name=$1 port=$2 expected=$3; shift 3
    touch "$name.log"
    venv/bin/python "$@" >"$name.out" 2>&1 &
    local seen; seen=$(venv/bin/python ask.py "$port" "$name.log")
    kill $! 2>/dev/null || true
    echo "$name: $seen"
    [ "$seen" = "$expected" ] || { echo "  changed: it was $expected"; status=1; }
}
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(hypercorn|gunicorn|aiohttp|twisted) '
echo 'guessed: GET /caf%C3%A9/%2e?x=1 HTTP/1.1 | Bot (a \"b\" \\ \xc3\xa9)'
port=$(free_port); check hypercorn "$port" 'GET /café/. 1.1 | Bot (a "b" \ Ã©)' -m hypercorn --access-logfile hypercorn.log -b "127.0.0.1:$port" apps:asgi
port=$(free_port); check gunicorn "$port" 'GET /caf%C3%A9/%2e?x=1 HTTP/1.1 | Bot (a \"b\" \ Ã©)' -m gunicorn --access-logfile gunicorn.log -b "127.0.0.1:$port" apps:wsgi
port=$(free_port); check aiohttp "$port" 'GET /caf%C3%A9/%2e?x=1 HTTP/1.1 | Bot (a "b" \ é)' aio.py "$port"
port=$(free_port); check twisted "$port" 'GET /caf%C3%A9/%2e?x=1 HTTP/1.1 | Bot (a \"b\" \\ \xc3\xa9)' twist.py "$port"
exit $status

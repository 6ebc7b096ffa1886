#!/usr/bin/env bash
# A request whose target is a whole URL (RFC 9112 section 3.2.2: every server must accept it, as proxies send
# it) reaches an ASGI application as the path "http://site.example/a" in three servers of four. One would have
# guessed the path "/a" in all, since the specification of ASGI calls `path` the path of the HTTP request.
set -euo pipefail
folder=$(mktemp -d)
cleanup() { jobs -p | xargs -r kill 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap cleanup EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check \
    uvicorn==0.54.0 hypercorn==0.18.0 daphne==4.2.3 granian==2.8.9
cd "$folder"
cat > app.py <<'END'
async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    body = repr((scope["path"], scope.get("raw_path"))).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})
END
cat > ask.py <<'END'
import http.client, sys, time

for _ in range(300):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=10)
        connection.request("GET", "http://site.example/a", headers={"Host": "site.example"})
        print(connection.getresponse().read().decode())
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("no answer")
END
free_port() { "$folder/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
status=0
check() {
    local name=$1 port=$2 expected=$3; shift 3
    "$folder/venv/bin/python" -m "$@" >"$name.log" 2>&1 &
    local seen; seen=$("$folder/venv/bin/python" ask.py "$port")
    kill $! 2>/dev/null || true
    echo "$name: path and raw_path are $seen (guessed: ('/a', b'/a'))"
    [ "$seen" = "$expected" ] || { echo "  changed: they were $expected"; status=1; }
}
"$folder/venv/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE '^(uvicorn|hypercorn|daphne|granian) '
whole="('http://site.example/a', b'http://site.example/a')"
port=$(free_port); check uvicorn "$port" "$whole" uvicorn app:asgi --lifespan off --port "$port"
port=$(free_port); check hypercorn "$port" "$whole" hypercorn app:asgi --bind "127.0.0.1:$port"
port=$(free_port); check daphne "$port" "$whole" daphne -b 127.0.0.1 -p "$port" app:asgi
port=$(free_port); check granian "$port" "('/a', b'/a')" granian --interface asgi --host 127.0.0.1 --port "$port" app:asgi
exit $status

#!/usr/bin/env bash
# Behind a Unix socket, six servers of Python name the client in four ways: none of them is an address.
# One would have guessed one way for each interface (ASGI: `client` is None; WSGI: no REMOTE_ADDR), so that
# middleware can tell "a local socket" from "an address that I cannot read".
set -euo pipefail
folder=$(mktemp -d)
cleanup() { jobs -p | xargs -r kill 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap cleanup EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check \
    uvicorn==0.54.0 hypercorn==0.18.0 daphne==4.2.3 granian==2.8.9 gunicorn==27.0.1 waitress==3.0.2
cd "$folder"
cat > app.py <<'END'
async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    body = repr(scope.get("client", "absent")).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


def wsgi(environ, start):
    body = repr(environ.get("REMOTE_ADDR", "absent")).encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]
END
cat > ask.py <<'END'
import http.client, socket, sys, time

for _ in range(300):
    try:
        connection = http.client.HTTPConnection("localhost", timeout=10)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(sys.argv[1])
        connection.request("GET", "/")
        print(connection.getresponse().read().decode())
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("no answer")
END
status=0
check() {
    local name=$1 guessed=$2 expected=$3; shift 3
    "$folder/venv/bin/python" -m "$@" >"$name.log" 2>&1 &
    local seen; seen=$("$folder/venv/bin/python" ask.py "$folder/$name.sock")
    kill $! 2>/dev/null || true
    echo "$name: the client is $seen (guessed: $guessed)"
    [ "$seen" = "$expected" ] || { echo "  changed: it was $expected"; status=1; }
}
"$folder/venv/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -iE '^(uvicorn|hypercorn|daphne|granian|gunicorn|waitress) '
check uvicorn None None uvicorn app:asgi --lifespan off --uds "$folder/uvicorn.sock"
check hypercorn None None hypercorn app:asgi --bind "unix:$folder/hypercorn.sock"
check daphne None None daphne -u "$folder/daphne.sock" app:asgi
check granian-asgi None "('', '0')" granian --interface asgi --uds "$folder/granian-asgi.sock" app:asgi
check granian-wsgi "'absent'" "''" granian --interface wsgi --uds "$folder/granian-wsgi.sock" app:wsgi
check gunicorn "'absent'" "''" gunicorn app:wsgi --no-control-socket --bind "unix:$folder/gunicorn.sock"
check waitress "'absent'" "'localhost'" waitress --unix-socket="$folder/waitress.sock" app:wsgi
exit $status

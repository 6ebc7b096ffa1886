#!/usr/bin/env bash
# A shared cache says how old an answer is (Age), and keeps the Date of its origin; a client's cache counts that age
# against max-age (RFC 9111 section 4.2.3). Here hishel 2.0.0, as a shared cache in front of an application, sends an
# answer that is 90 minutes old, and may be 100 (max-age=6000). requests-cache 1.3.3 and aiohttp-client-cache 0.15.0,
# told to follow Cache-Control, still use it an hour later, when it is 150 minutes old: they begin to count when they
# receive it, so each cache on the way adds its own time. CacheControl 0.14.4 asks again, as one would have guessed
# of all three.
set -euo pipefail
folder=$(mktemp -d)
cleanup() { jobs -p | xargs -r kill 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap cleanup EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check 'hishel[async]==2.0.0' uvicorn==0.54.0 \
    requests-cache==1.3.3 aiohttp-client-cache==0.15.0 CacheControl==0.14.4 requests==2.34.2 time-machine==3.6.0
cat > app.py <<'END'
import time
from email.utils import formatdate

from hishel import CacheOptions
from hishel.asgi import ASGICacheMiddleware


async def origin(scope, receive, send):
    fields = [(b"date", formatdate(time.time() - 90 * 60, usegmt=True).encode()), (b"cache-control", b"max-age=6000"),
              (b"content-length", b"4"), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    await send({"type": "http.response.body", "body": b"text"})


shared = ASGICacheMiddleware(origin, rfc=CacheOptions(shared=True))


async def app(scope, receive, send):
    if scope["type"] == "http":
        print("asked by", dict(scope["headers"])[b"user-agent"].decode(), flush=True)
        await shared(scope, receive, send)
END
cat > ask.py <<'END'
import asyncio, sys, time
from datetime import datetime, timedelta, timezone

import aiohttp_client_cache
import requests
import requests_cache
import time_machine
from cachecontrol import CacheControl

url = f"http://127.0.0.1:{sys.argv[1]}/a"
age = None
for _ in range(300):
    try:
        fields = requests.get(url).headers
        if (age := fields.get("Age")) is not None:
            break
    except requests.ConnectionError:
        pass
    time.sleep(0.1)
if age is None:
    sys.exit("changed: the shared cache sends no Age")
print(f"the shared cache sends Cache-Control: {fields['Cache-Control']}, Age: {age}")


def asked(name):
    return open("server.log").read().count(f"asked by {name}\n")


async def aiohttp_cache(later):
    backend = aiohttp_client_cache.CacheBackend(cache_control=True)
    async with aiohttp_client_cache.CachedSession(cache=backend, headers={"User-Agent": "aiohttp-client-cache"}) as session:
        for moment in (None, later):
            with time_machine.travel(moment or datetime.now(timezone.utc)):
                async with session.get(url) as answer:
                    await answer.read()


later = datetime.now(timezone.utc) + timedelta(hours=1)
clients = {"CacheControl": CacheControl(requests.Session()),
           "requests-cache": requests_cache.CachedSession("a", backend="memory", cache_control=True)}
for name, session in clients.items():
    session.headers["User-Agent"] = name
    session.get(url)
    with time_machine.travel(later):
        session.get(url)
asyncio.run(aiohttp_cache(later))
found = {name: asked(name) for name in (*clients, "aiohttp-client-cache")}
for name, count in found.items():
    print(f"{name}: of two requests, one hour apart, {count} reached the shared cache (guessed: 2)")
expected = {"CacheControl": 2, "requests-cache": 1, "aiohttp-client-cache": 1}
sys.exit(0 if found == expected else f"changed: it was {expected}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(hishel|requests-cache|aiohttp-client-cache|cachecontrol) '
port=$(venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
venv/bin/python -m uvicorn app:app --lifespan off --no-date-header --log-level error --port "$port" >server.log 2>server.err &
venv/bin/python ask.py "$port" || { cat server.err; exit 1; }

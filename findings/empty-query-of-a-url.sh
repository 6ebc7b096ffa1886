#!/usr/bin/env bash
# A URL with an empty query, as five clients of Python request it: aiohttp and requests ask for `/a` where `/a?` was
# written, and aiohttp also if yarl is told that the URL is encoded already; httpx, urllib3 and urllib.request send it
# as it is. RFC 3986 section 6.2.3 does not take the two for one URL, and servers and robots.txt may treat them
# differently, so one would have guessed that each client sends what was written.
set -euo pipefail
folder=$(mktemp -d)
cleanup() { jobs -p | xargs -r kill 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap cleanup EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check \
    aiohttp==3.14.5 yarl==1.25.1 httpx==0.28.1 requests==2.34.2 urllib3==2.8.0
cd "$folder"
cat > ask.py <<'END'
import asyncio, http.server, threading
from importlib.metadata import version

import aiohttp, httpx, requests, urllib3, urllib.request
from yarl import URL

asked = []


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/a?"


async def with_aiohttp(given):
    async with aiohttp.ClientSession() as session:
        async with session.get(given):
            pass


asyncio.run(with_aiohttp(url))
asyncio.run(with_aiohttp(URL(url, encoded=True)))
httpx.get(url)
requests.get(url)
urllib3.PoolManager().request("GET", url)
urllib.request.urlopen(url).close()
names = ["aiohttp", "aiohttp, encoded=True", "httpx", "requests", "urllib3", "urllib.request"]
for package in ("aiohttp", "yarl", "httpx", "requests", "urllib3"):
    print(package, version(package))
seen = dict(zip(names, asked, strict=True))
for name, target in seen.items():
    print(f"{name:22} {target}")
without = {name for name, target in seen.items() if target == "/a"}
assert without == {"aiohttp", "aiohttp, encoded=True", "requests"}, without
assert {target for name, target in seen.items() if name not in without} == {"/a?"}
END
"$folder/venv/bin/python" ask.py

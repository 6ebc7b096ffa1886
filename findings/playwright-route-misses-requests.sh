#!/usr/bin/env bash
# Playwright's `context.route("**/*", ...)` is not called for every request of a page in Chromium: speculation rules
# (prefetch), audio worklets, downloads, fetches of a shared worker, and beacons at unload go to the server, some
# under the browser's own name although the context has a `user_agent`.
# One would have guessed that "**/*" routes all, with service workers blocked as the documentation advises.
# A session with the browser itself (Chrome DevTools Protocol, Fetch.enable) sees all of them but the prefetch.
# Needs a Chromium of the system (chromium, chromium-browser or google-chrome).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check playwright==1.65.2
cat > "$folder/try.py" <<'PYTHON'
import asyncio
import http.server
import shutil
import sys
import threading

from playwright.async_api import async_playwright

PAGE = b"""<!doctype html><title>x</title><script type=speculationrules>
{"prefetch": [{"source": "list", "urls": ["/prefetched"], "eagerness": "immediate"}]}</script>
<a href=/download download>a</a><script>
new SharedWorker("/shared.js");
new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule("/audio.js");
addEventListener("pagehide", () => navigator.sendBeacon("/beacon", "x"));
</script>"""
ANSWERS = {
    "/": ("text/html", PAGE),
    "/next": ("text/html", b"next"),
    "/shared.js": ("text/javascript", b"fetch('/by-shared')"),
    "/audio.js": ("text/javascript", b""),
    "/download": ("application/octet-stream", b"x"),
}
asked = {}


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked[self.path] = self.headers["User-Agent"]
        kind, body = ANSWERS.get(self.path, ("text/plain", b""))
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


UNROUTED = {"/prefetched", "/by-shared", "/audio.js", "/download", "/beacon"}


async def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("there is no Chromium")
    routed, paused = set(), set()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        print("playwright 1.65.2, Chromium", browser.version)
        context = await browser.new_context(user_agent="ExampleBot/1.0", service_workers="block")
        session = await browser.new_browser_cdp_session()

        async def at_browser(event):
            paused.add(event["request"]["url"].removeprefix(origin))
            await session.send("Fetch.continueRequest", {"requestId": event["requestId"]})

        async def handler(route):
            routed.add(route.request.url.removeprefix(origin))
            await route.continue_()

        session.on("Fetch.requestPaused", at_browser)
        await session.send("Fetch.enable", {})
        await context.route("**/*", handler)
        page = await context.new_page()
        await page.goto(origin + "/")
        await page.evaluate("document.querySelector('a').click()")
        for _ in range(300):
            if UNROUTED - {"/beacon"} <= set(asked):
                break
            await asyncio.sleep(0.1)
        await page.goto(origin + "/next")
        for _ in range(300):
            if "/beacon" in asked:
                break
            await asyncio.sleep(0.1)
        await browser.close()
    for path, agent in sorted(asked.items()):
        name = "ExampleBot" if agent == "ExampleBot/1.0" else "the browser's own name"
        seen = "route" if path in routed else "nobody" if path not in paused else "only the browser's session"
        print(f"{path}: as {name}; seen by {seen}")
    print("guessed: all as ExampleBot, all seen by route")
    as_before = UNROUTED <= set(asked) and not UNROUTED & routed and UNROUTED - paused == {"/prefetched"}
    sys.exit(0 if as_before else "changed: other requests are routed")


asyncio.run(main())
PYTHON
"$folder/venv/bin/python" "$folder/try.py"

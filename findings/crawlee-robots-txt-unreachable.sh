#!/usr/bin/env bash
# crawlee 1.11.0 with respect_robots_txt_file: if robots.txt is answered with status 503, it crawls nothing, and its code
# cites RFC 9309 section 2.3.1.4 (what cannot be reached is disallowed). If the connection is closed instead of an answer,
# which is the same section's other case, it crawls everything. So it does if one byte of a comment is not UTF-8, where
# section 2.2 has a parser go on line by line: all rules of the file count for nothing. One would have guessed that
# a failure of the network means what a failure of the server means, and that the rules around such a comment are obeyed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check 'crawlee[httpx]==1.11.0' httpx==0.28.1
cat > crawl.py <<'END'
import asyncio, logging, socketserver, sys, threading

from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.http_clients import HttpxHttpClient
from crawlee.storage_clients import MemoryStorageClient

RULES = b"User-agent: *\nDisallow: /private/\n"


def answer(status, body):
    return b"HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
        status, len(body), body)


SITES = {
    "robots.txt is answered with 200": answer(b"200 OK", RULES),
    "robots.txt is answered with 503": answer(b"503 Service Unavailable", b""),
    "the connection is closed instead of an answer": b"",
    "a comment is not UTF-8": answer(b"200 OK", b"# caf\xe9\n" + RULES),
}


def site(robots_txt, asked):
    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            path = self.rfile.readline().split()[1].decode()
            while self.rfile.readline().strip():
                pass
            if path != "/robots.txt":
                asked.append(path)
            self.wfile.write(robots_txt if path == "/robots.txt" else answer(b"200 OK", b"page"))

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


async def crawl(robots_txt):
    asked = []
    origin = site(robots_txt, asked)
    crawler = HttpCrawler(http_client=HttpxHttpClient(), storage_client=MemoryStorageClient(), configure_logging=False,
                          respect_robots_txt_file=True, max_request_retries=0)

    @crawler.router.default_handler
    async def handler(context: HttpCrawlingContext) -> None:
        pass

    await crawler.run([f"{origin}/public/a", f"{origin}/private/a"])
    return sorted(asked)


async def main():
    logging.disable()
    return {name: await crawl(robots_txt) for name, robots_txt in SITES.items()}


seen = asyncio.run(main())
guessed = [["/public/a"], [], [], ["/public/a"]]
both = ["/private/a", "/public/a"]
expected = [["/public/a"], [], both, both]
for (name, asked), better in zip(seen.items(), guessed):
    print(f"{name}: {' '.join(asked) or 'nothing'} (guessed: {' '.join(better) or 'nothing'})")
sys.exit(0 if list(seen.values()) == expected else f"changed: it was {expected}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(crawlee|protego|httpx) '
venv/bin/python crawl.py

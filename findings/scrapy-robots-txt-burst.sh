#!/usr/bin/env bash
# Scrapy with ROBOTSTXT_OBEY: of the requests that wait for one robots.txt, only the first two get its parser; the
# others are sent as if there were no rules. And the status of robots.txt has no effect: what a 500 says is obeyed.
# One would have guessed that all requests that wait are checked, and that a 500 is a failure, not a file.
# (Each coroutine that waits consumes the result of the one Deferred, so the next one gets None.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scrapy==2.19.0
cat > "$folder/try.py" <<'PYTHON'
import http.server
import sys
import threading
import time

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

STATUS = int(sys.argv[1])
RULES = b"User-agent: *\nDisallow: /private/\n"
asked = []


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        is_rules = self.path == "/robots.txt"
        if is_rules:
            time.sleep(1)  # so that the others wait
        body = RULES if is_rules else b"page"
        self.send_response(STATUS if is_rules else 200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()
URLS = [f"http://127.0.0.1:{server.server_port}/private/{number}" for number in range(8)]


class Burst(scrapy.Spider):
    name = "burst"
    custom_settings = {"ROBOTSTXT_OBEY": True, "RETRY_ENABLED": False, "LOG_LEVEL": "CRITICAL",
                       "DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "TELNETCONSOLE_ENABLED": False}

    async def start(self):
        for url in URLS:
            yield scrapy.Request(url, callback=self.parse)

    def parse(self, response):
        pass


process = AsyncCrawlerProcess({"LOG_LEVEL": "CRITICAL"})
process.crawl(Burst)
process.start()
private = sum(path.startswith("/private/") for path in asked)
print(f"scrapy {scrapy.__version__}, robots.txt with status {STATUS}: "
      f"{private} of 8 disallowed pages were requested; guessed: 0")
sys.exit(0 if private == 6 else "changed: it was 6")
PYTHON
"$folder/venv/bin/python" "$folder/try.py" 200
"$folder/venv/bin/python" "$folder/try.py" 500

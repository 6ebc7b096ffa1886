#!/usr/bin/env bash
# warcio 1.8.1's capture_http records what requests 2.34.2 receives. As soon as niquests is installed beside them, which
# no line of the program imports, the same program writes an empty file, without a warning: niquests brings
# urllib3-future, whose installation puts another urllib3 in the place of the one that requests uses, and that one
# sends without http.client, which is what warcio records. One would have guessed that to install a package changes
# nothing for programs that do not import it, or that a capture of nothing is reported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check warcio==1.8.1 requests==2.34.2 urllib3==2.8.0
cat > capture.py <<'END'
from warcio.capture_http import capture_http  # before requests, as its documentation says
import requests
import http.server, sys, threading
from warcio import ArchiveIterator


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"text")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()
with capture_http(sys.argv[1]):
    answer = requests.get(f"http://127.0.0.1:{server.server_port}/a")
with open(sys.argv[1], "rb") as file:
    kinds = [record.rec_type for record in ArchiveIterator(file)]
print(answer.status_code, answer.text, "records:", *kinds)
END
before=$(venv/bin/python -W always capture.py before.warc.gz 2>&1)
venv/bin/pip install -q --disable-pip-version-check niquests==3.21.2 urllib3-future==2.25.904 2>&1 | grep -v '^$' || true
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(warcio|requests|niquests|urllib3[a-z-]*) '
after=$(venv/bin/python -W always capture.py after.warc.gz 2>&1)
echo "before niquests is installed: $before"
echo "afterwards: $after, $(wc -c < after.warc.gz) bytes (guessed: the same as before)"
[ "$before" = "200 text records: response request" ] && [ "$after" = "200 text records:" ] && [ ! -s after.warc.gz ] ||
    { echo "changed: it was \"200 text records: response request\", then \"200 text records:\""; exit 1; }

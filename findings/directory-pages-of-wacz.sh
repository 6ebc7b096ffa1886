#!/usr/bin/env bash
# A WACZ file that py-wacz makes, and that its validator accepts, has a page that the engine of ReplayWeb.page does
# not find: a directory whose URL ends with a slash, if other pages of the index stand between its two keys.
# py-wacz lists https://site.example/dir/ as "example,site)/dir", and the engine looks it up as "example,site)/dir/";
# of an index of several blocks it reads only those in which its own key can be. In an index of one block, the page
# is found. One would have guessed that two tools of one project agree on the key, or that the key decides nothing
# because each line of the index has the URL.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check 'setuptools<81' warcio==1.8.1 wacz==0.6.0
cat > package.json <<'END'
{"private": true, "type": "module",
 "dependencies": {"@webrecorder/wabac": "2.27.1", "fake-indexeddb": "6.2.5", "warcio": "2.4.11"}}
END
npm install --silent --no-audit --no-fund
cat > make.py <<'END'
import io, sys
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

paths = ["/dir/", *(f"/dir-{number:04}" for number in range(int(sys.argv[2])))]
with open(sys.argv[1], "wb") as file:
    writer = WARCWriter(file, gzip=True)
    for path in paths:
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        content = io.BytesIO(f"<title>{path}</title>page".encode())
        writer.write_record(
            writer.create_warc_record(f"https://site.example{path}", "response", payload=content, http_headers=head)
        )
END
cat > replay.mjs <<'END'
import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
import { getSurt } from "warcio";
globalThis.self = globalThis;
self.location = new URL("http://127.0.0.1/");
self.registration = { scope: "http://127.0.0.1/" };
const print = console.log;
console.log = console.warn = console.error = () => {};
const { ArchiveRequest, WorkerLoader } = await import("@webrecorder/wabac/swlib");
const content = new Uint8Array(readFileSync(process.argv[2]));
const file = { sourceUrl: "http://127.0.0.1/a.wacz", name: "a.wacz", size: content.length, extra: { arrayBuffer: content } };
const loader = new WorkerLoader({ addEventListener() {} });
await loader.addCollection({ name: "a", file }, () => {});
const { store } = await loader.loadColl("a");
const seen = [];
for (const url of ["https://site.example/dir/", "https://site.example/dir-0007"]) {
  const request = new ArchiveRequest(`mp_/${url}`, new Request("http://127.0.0.1/"));
  const found = await store.getResource(request, "", { waitUntil() {} }, { noRedirect: true });
  seen.push(`${getSurt(url)} ${found ? "found" : "not found"}`);
}
print(seen.join("; "));
process.exit(0);
END
node --version
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(wacz|warcio|cdxj-indexer|surt) '
status=0
check() {
    local count=$1 expected=$2
    venv/bin/python make.py "$count.warc.gz" "$count"
    venv/bin/wacz create -o "$count.wacz" "$count.warc.gz" >/dev/null 2>&1
    venv/bin/wacz validate -f "$count.wacz" 2>/dev/null | grep -o 'is valid' || { echo "not valid"; status=1; }
    local seen; seen=$(node replay.mjs "$count.wacz")
    echo "with $count other pages: $seen (guessed: both are found)"
    [ "$seen" = "$expected" ] || { echo "  changed: it was $expected"; status=1; }
}
check 100 "example,site)/dir/ found; example,site)/dir-0007 found"
check 9000 "example,site)/dir/ not found; example,site)/dir-0007 found"
exit $status

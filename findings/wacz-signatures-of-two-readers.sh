#!/usr/bin/env bash
# WACZ Signing and Verification 0.1.0 has two forms of a signature: by a bare key ("anonymous"), and by the certificate
# of a domain. wabac 2.27.1 (ReplayWeb.page) verifies the first as ArchiveWeb.page writes it. py-wacz 0.6.0 accepts the
# file without looking at the signature; with --verify-auth it refuses the same file, because authsign 0.6.1 requires
# the fields of a domain. One would have guessed that --verify-auth checks, or at least skips, a form that the document has.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q wacz==0.6.0 authsign==0.6.1 warcio==1.7.5 2>/dev/null || venv/bin/pip install -q wacz==0.6.0 authsign==0.6.1
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @webrecorder/wabac@2.27.1 fake-indexeddb@6.2.8
venv/bin/python - <<'END'
from io import BytesIO
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter
with open("a.warc.gz", "wb") as file:
    writer = WARCWriter(file, gzip=True)
    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.0")
    writer.write_record(writer.create_warc_record("https://example.com/", "response", payload=BytesIO(b"<title>A</title>"), http_headers=head))
END
venv/bin/wacz create -f a.warc.gz -o plain.wacz --detect-pages >/dev/null 2>&1
cat > sign.mjs <<'END'
import { readFileSync, writeFileSync } from "node:fs";
const { subtle } = globalThis.crypto;
const text = (data) => Buffer.from(data).toString("base64");
const digest = JSON.parse(readFileSync("datapackage-digest.json", "utf8"));
const created = JSON.parse(readFileSync("datapackage.json", "utf8")).created;
const pair = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, ["sign", "verify"]);
const made = await subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, new TextEncoder().encode(digest.hash));
digest.signedData = { hash: digest.hash, created, software: "a script", version: "0.1.0",
  signature: text(made), publicKey: text(await subtle.exportKey("spki", pair.publicKey)) };
writeFileSync("datapackage-digest.json", JSON.stringify(digest));
END
cat > verify.mjs <<'END'
import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
globalThis.self = globalThis;
self.location = new URL("http://127.0.0.1/");
self.registration = { scope: "http://127.0.0.1/" };
const print = console.log;
console.log = console.warn = console.error = () => {};
const { WorkerLoader } = await import("@webrecorder/wabac/swlib");
const content = new Uint8Array(readFileSync("signed.wacz"));
const file = { sourceUrl: "http://127.0.0.1/a.wacz", name: "a.wacz", size: content.length, extra: { arrayBuffer: content } };
const loader = new WorkerLoader({ addEventListener() {} });
await loader.addCollection({ name: "a", file }, () => {});
const { store } = await loader.loadColl("a");
const found = (await store.db.getAll("verification")).find((one) => one.id === "signature");
print(`wabac: the signature ${found?.matched === true ? "matches" : "does not match"}`);
process.exit(0);
END
python3 - <<'END'
import subprocess, zipfile
with zipfile.ZipFile("plain.wacz") as old:
    parts = {one.filename: old.read(one) for one in old.infolist()}
for name in ("datapackage.json", "datapackage-digest.json"):
    open(name, "wb").write(parts[name])
subprocess.run(["node", "sign.mjs"], check=True)
parts["datapackage-digest.json"] = open("datapackage-digest.json", "rb").read()
with zipfile.ZipFile("signed.wacz", "w") as new:
    for name, content in parts.items():
        new.writestr(name, content)
END
engine=$(node verify.mjs)
plain=$(venv/bin/wacz validate -f signed.wacz 2>&1 | tail -1) || true
auth=$(venv/bin/wacz validate -f signed.wacz --verify-auth 2>&1) || true
venv/bin/pip list 2>/dev/null | grep -E "^(wacz|authsign) "
echo "$engine"
echo "wacz validate: $plain"
echo "wacz validate --verify-auth: $(tail -1 <<< "$auth")"
grep -A1 -E "^(domain|domainCert|timeSignature|timestampCert)$" <<< "$auth" | grep -v "^--" | cut -c1-60
[[ $engine == *" matches" && $plain == *"is valid" && $auth == *"is invalid"* && $auth == *domainCert* ]] || { echo "The behaviour has changed."; exit 1; }

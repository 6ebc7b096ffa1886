#!/usr/bin/env bash
# wget records a response in chunks as it was sent. Chunks may have extensions, fields may follow them as trailers, and the
# name of the coding has any case (RFC 9112 sections 7, 7.1.1 and 7.1.2). Of such records, warcio 1.8.1 adds the trailers
# to the content of the page, and of "Transfer-Encoding: Chunked" it removes no chunks; warcio.js 2.4.11 does the
# same; FastWARC 2.0.1 fails at extensions and at trailers. One would have guessed that each returns the page that wget
# saved beside its record.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check warcio==1.8.1 fastwarc==2.0.1
npm init -y >/dev/null
npm install --silent --no-audit --no-fund warcio@2.4.11
cat > read.mjs <<'END'
import { createReadStream } from "node:fs";
import { WARCParser } from "warcio";
for await (const record of new WARCParser(createReadStream(process.argv[2])))
  if (record.warcType === "response") console.log(JSON.stringify(await record.contentText()));
END
cat > capture.py <<'END'
import json, socket, subprocess, sys, threading

from fastwarc.warc import ArchiveIterator as FastIterator, WarcRecordType
from warcio import ArchiveIterator

FORMS = {
    "plain": (b"chunked", b"4\r\ntext\r\n0\r\n\r\n"),
    "extension": (b"chunked", b"4;a=b\r\ntext\r\n0\r\n\r\n"),
    "trailer": (b"chunked", b"4\r\ntext\r\n0\r\nX-Checked: yes\r\n\r\n"),
    "case": (b"Chunked", b"4\r\ntext\r\n0\r\n\r\n"),
}
server = socket.create_server(("127.0.0.1", 0))


def serve():
    while True:
        connection, _ = server.accept()
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(4096)
        coding, chunks = FORMS[received.split()[1][1:].decode()]
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: " + coding
                           + b"\r\nConnection: close\r\n\r\n" + chunks)
        connection.close()


def by_warcio(path):
    with open(path, "rb") as file:
        return [one.content_stream().read() for one in ArchiveIterator(file) if one.rec_type == "response"][0].decode()


def by_fastwarc(path):
    try:
        with open(path, "rb") as file:
            (content,) = [one.reader.read() for one in FastIterator(
                file, record_types=WarcRecordType.response, auto_decode="all")]
        return content.decode()
    except OSError as error:
        return f"{type(error).__name__}"


def by_warcio_js(path):
    return json.loads(subprocess.run(["node", "read.mjs", path], check=True, capture_output=True, text=True).stdout)


threading.Thread(target=serve, daemon=True).start()
found = {}
for form in FORMS:
    url = f"http://127.0.0.1:{server.getsockname()[1]}/{form}"
    subprocess.run(["wget", "-q", "-O", "saved", f"--warc-file={form}", url], check=True)
    saved = open("saved").read()
    read = {"warcio": by_warcio, "FastWARC": by_fastwarc, "warcio.js": by_warcio_js}
    for name, function in read.items():
        found[form, name] = content = function(f"{form}.warc.gz")
        print(f"{form}: {name} reads {content!r} (guessed: {saved!r}, as wget saved it)")
expected = {(form, name): "text" for form, name in found}
expected["extension", "FastWARC"] = expected["trailer", "FastWARC"] = "OSError"
expected["trailer", "warcio"], expected["trailer", "warcio.js"] = "text0\r\nChecked: yes\r\n", "textX-Checked: yes\r\n"
expected["case", "warcio"] = expected["case", "warcio.js"] = "4\r\ntext\r\n0\r\n\r\n"
sys.exit(0 if found == expected else f"changed: it was {expected}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(warcio|fastwarc) '
wget --version | head -1
venv/bin/python capture.py

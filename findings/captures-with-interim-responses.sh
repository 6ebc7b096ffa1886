#!/usr/bin/env bash
# A server may send interim responses (100, 103) before the final one; a client reads on until that comes (RFC 9110
# section 15.2). requests passes over a 100 and returns the final 200, but warcio 1.8.1's capture_http writes both into
# one record. warcio itself and FastWARC 2.0.1 then read it back as a response with status 100, whose content begins
# with "HTTP/1.1 200 OK". wget writes only the final response, which both read. One would have guessed that a library
# reads from its own record what its client received, or that the two programs record the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check warcio==1.8.1 fastwarc==2.0.1 requests==2.34.2 urllib3==2.8.0
cat > capture.py <<'END'
from warcio.capture_http import capture_http  # before requests, as its documentation says
import requests
import socket, subprocess, sys, threading
from fastwarc.warc import ArchiveIterator as FastIterator, WarcRecordType
from warcio import ArchiveIterator

FINAL = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntext"
server = socket.create_server(("127.0.0.1", 0))


def serve():
    while True:
        connection, _ = server.accept()
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(4096)
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" + FINAL)
        connection.close()


threading.Thread(target=serve, daemon=True).start()
url = f"http://127.0.0.1:{server.getsockname()[1]}/a"
with capture_http("requests.warc.gz"):
    answer = requests.get(url)
print(f"requests received {answer.status_code} {answer.content}")
subprocess.run(["wget", "-q", "-O", "/dev/null", "--warc-file=wget", url], check=True)
seen = []
for name in ("requests", "wget"):
    with open(f"{name}.warc.gz", "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                seen.append((name, "warcio", record.http_headers.get_statuscode(), record.content_stream().read()))
    with open(f"{name}.warc.gz", "rb") as file:
        for record in FastIterator(file, record_types=WarcRecordType.response):
            status = str(record.http_headers.status_code)
            seen.append((name, "FastWARC", status, record.reader.read()))
for name, reader, status, content in seen:
    print(f"as {name} was recorded, {reader} reads: {status} {content}")
print("guessed: 200 b'text' in all four")
expected = [("requests", "warcio", "100", FINAL), ("requests", "FastWARC", "100", FINAL),
            ("wget", "warcio", "200", b"text"), ("wget", "FastWARC", "200", b"text")]
sys.exit(0 if seen == expected else f"changed: it was {expected}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(warcio|fastwarc|requests|urllib3) '
wget --version | head -1
venv/bin/python capture.py

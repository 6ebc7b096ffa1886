#!/usr/bin/env bash
# Names of fields and of media types have no case (WARC 1.1 section 4; RFC 9110 section 8.3.1); libraries for HTTP write
# "Warc-Type" where the document has "WARC-Type". FastWARC 2.0.1 returns no such record when it is asked for responses, and
# raises nothing; a record with "Content-Type: Application/HTTP" it returns with the HTTP header as a part of the
# content. warcio 1.8.1 reads all three records alike, as one would have guessed of both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check warcio==1.8.1 fastwarc==2.0.1
cat > read.py <<'END'
import io, re, sys

from fastwarc.warc import ArchiveIterator as FastIterator, WarcRecordType
from warcio import ArchiveIterator

BLOCK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"
HEAD = (b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        b"WARC-Target-URI: http://site.example/a\r\nWARC-Date: 2025-01-01T00:00:00Z\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % len(BLOCK))
FORMS = {
    "WARC-Type, application/http": HEAD,
    "Warc-Type": re.sub(rb"(?m)^[A-Za-z-]+(?=:)", lambda name: name[0].title(), HEAD),
    "Application/HTTP": HEAD.replace(b"application/http", b"Application/HTTP"),
}


def by_warcio(file):
    return [record.content_stream().read() for record in ArchiveIterator(file) if record.rec_type == "response"]


def by_fastwarc(file):
    return [record.reader.read() for record in FastIterator(file, record_types=WarcRecordType.response)]


found = {}
for form, head in FORMS.items():
    for name, read in (("warcio", by_warcio), ("FastWARC", by_fastwarc)):
        found[form, name] = seen = read(io.BytesIO(head + BLOCK + b"\r\n\r\n"))
        print(f"{form}: {name} reads {seen} (guessed: {[b'text']})")
expected = {key: [b"text"] for key in found}
expected["Warc-Type", "FastWARC"], expected["Application/HTTP", "FastWARC"] = [], [BLOCK]
sys.exit(0 if found == expected else f"changed: it was {expected}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE '^(warcio|fastwarc) '
venv/bin/python read.py

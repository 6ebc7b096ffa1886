#!/usr/bin/env bash
# Writers of ARC files disagree whether the length of the first record, the description of the file, counts the blank
# line behind it: its definition (ARC 1.0, "version-block") ends with two line ends. warcio reads the file whose length
# does not count it, and of the other only the description: it looks for a line end there, takes the next
# record's line for one, and fails at "HTTP/1.1". One would have guessed that it reads both, or neither.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check warcio==1.8.1
cat > read.py <<'END'
import io, logging
from warcio import ArchiveIterator

logging.disable()
NAMES = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"
RECORD = b"http://site.example/a 192.0.2.1 20250101000000 text/plain %d\n%s\n" % (len(BLOCK), BLOCK)

def read(length):
    head = b"filedesc://x.arc 0.0.0.0 20250101000000 text/plain %d\n" % length
    found = []
    try:
        for record in ArchiveIterator(io.BytesIO(head + NAMES + b"\n" + RECORD)):
            found.append(record.rec_headers.get_header("uri"))
    except Exception as error:
        found.append(type(error).__name__)
    return " ".join(found)

print(f"the blank line not counted: {read(len(NAMES))}")
print(f"the blank line counted: {read(len(NAMES) + 1)}")
END
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep '^warcio '
seen=$(venv/bin/python read.py 2>/dev/null)
echo "$seen"
echo "(guessed: both files have http://site.example/a)"
expected="the blank line not counted: filedesc://x.arc http://site.example/a
the blank line counted: filedesc://x.arc ArchiveLoadFailed"
[ "$seen" = "$expected" ] || { echo "changed: it was"; echo "$expected"; exit 1; }

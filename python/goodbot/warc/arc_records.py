"""The first line of a record of an ARC file, as the fields that a WARC record would have.

Scope: one line. What follows it is read as the block of a WARC record is.

An ARC file is what archives were written in before WARC. Each record begins with a line, and its
last item is the length of what follows. A URL may have spaces, which most crawlers left as they
were, so the line is read from its end.

Source: ARC 1.0, Mike Burner and Brewster Kahle, 1996, also with the fields of its version 2:
https://archive.org/web/researcher/ArcFileFormat.php
"""

import re

__all__ = ["arc_fields"]

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]+")
TIME = re.compile(r"[0-9]{4}(?:[0-9]{2}){0,5}(?:[0-9]{3})?")
LENGTH = re.compile(r"[0-9]{1,15}")
PLACED = re.compile(rf" (?={ADDRESS.pattern} {TIME.pattern} )")
"""Where the URL may end: an address and a time follow."""

VERSIONS = (5, 10)
"""How many items a line has: in version 1, and in version 2."""
DESCRIPTION = "filedesc:"
"""The scheme of the first record, which describes the file."""


def arc_fields(line: bytes) -> dict[str, str] | None:
    r"""Return the fields of a record; `None` if the line is none of a record.

    Args:
        line: The line, with or without its end.

    >>> arc_fields(b"http://a.example/b c 192.0.2.1 20250101000000 text/html 9\n")
    ... # doctest: +NORMALIZE_WHITESPACE
    {'warc-type': 'response', 'warc-target-uri': 'http://a.example/b c',
     'warc-date': '2025-01-01T00:00:00Z', 'warc-ip-address': '192.0.2.1', 'content-length': '9'}

    """
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    length = text.rpartition(" ")[2]
    if not (SCHEME.match(text) and PLACED.search(text) and LENGTH.fullmatch(length)):
        return None
    url, address, time = items_of(text)
    is_description = text.startswith(DESCRIPTION)
    fields = {"warc-type": "warcinfo" if is_description else "response"}
    if url:
        fields |= {"warc-target-uri": url, "warc-date": w3c_date(time)}
    if address.strip("0.:"):
        fields["warc-ip-address"] = address
    return {**fields, "content-length": length}


def items_of(text: str) -> tuple[str, str, str]:
    """Return URL, address and time of a line; empty texts if it does not say where they are."""
    for count in VERSIONS:
        items = text.rsplit(" ", count - 1)
        if len(items) == count and ADDRESS.fullmatch(items[1]) and TIME.fullmatch(items[2]):
            return items[0], items[1], items[2]
    # A type may have spaces, too: `text/html; charset=utf-8`.
    places = [found.start() for found in PLACED.finditer(text)]
    if len(places) != 1:
        return "", "", ""
    address, time = text[places[0] + 1 :].split(" ", 2)[:2]
    return text[: places[0]], address, time


def w3c_date(time: str) -> str:
    """Return the digits of a time as a date of WARC, of the same precision.

    >>> w3c_date("20250102030405"), w3c_date("202501020304"), w3c_date("2025")
    ('2025-01-02T03:04:05Z', '2025-01-02T03:04Z', '2025')
    """
    day = "-".join(filter(None, (time[:4], time[4:6], time[6:8])))
    clock = ":".join(filter(None, (time[8:10], time[10:12], time[12:14])))
    fraction = f".{time[14:]}" if time[14:] else ""
    return f"{day}T{clock}{fraction}Z" if clock else day

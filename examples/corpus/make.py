"""Write a small corpus: robots.txt answers in a WARC file, and a table of captures.

Run it with `python examples/corpus/make.py FOLDER`. It writes `robots.warc.gz`, as a web archive
keeps the robots.txt answers of a crawl, and `captures.parquet`, with the columns of the index that
Common Crawl publishes. Each site is a case of its own; the text beside it says which one. No site
exists, and nothing is fetched. It needs pyarrow: `pip install 'goodbot[columns]'`.
"""  # noqa: INP001  a script of its own

import argparse
import gzip
import hashlib
from datetime import datetime, timezone
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pyarrow.parquet as pq


class Answer(NamedTuple):
    """An answer to a request for a robots.txt."""

    url: str
    day: int
    hour: int
    status: int
    body: str = ""
    location: str = ""


class Capture(NamedTuple):
    """A page that was captured."""

    url: str
    day: int
    hour: int


OPEN = "User-agent: *\nDisallow: /private/\n"
NO_TRAINING = f"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n{OPEN}"

ANSWERS = [
    # Open at first; the owner then disallows two robots that collect training data.
    Answer("https://news.example/robots.txt", 2, 6, 200, OPEN),
    Answer("https://news.example/robots.txt", 3, 6, 200, NO_TRAINING),
    # No robots.txt: everything is allowed.
    Answer("https://shop.example/robots.txt", 2, 6, 404),
    # Out of order: a server error disallows everything, until an answer is known.
    Answer("https://forum.example/robots.txt", 2, 6, 503),
    Answer("https://forum.example/robots.txt", 4, 6, 200, OPEN),
    # The file of another host counts, since robots.txt redirects to it.
    Answer("https://blog.example/robots.txt", 2, 6, 301, "", "https://www.blog.example/robots.txt"),
    Answer("https://www.blog.example/robots.txt", 2, 6, 200, NO_TRAINING),
    # Asked only after its page was captured.
    Answer("https://late.example/robots.txt", 5, 6, 200, OPEN),
    # Asked once, long before its last capture.
    Answer("https://old.example/robots.txt", 1, 6, 200, OPEN),
]

CAPTURES = [
    Capture("https://news.example/2026/harbour", 2, 9),
    Capture("https://news.example/2026/harbour", 3, 9),
    Capture("https://news.example/private/drafts", 2, 9),
    Capture("https://shop.example/lamps", 2, 10),
    Capture("https://forum.example/thread/7", 2, 11),
    Capture("https://forum.example/thread/8", 4, 11),
    Capture("https://blog.example/hello", 2, 12),
    Capture("https://late.example/", 4, 12),
    Capture("https://old.example/about", 1, 13),
    Capture("https://old.example/about", 8, 13),
    Capture("https://old.example/private/list", 8, 13),
    Capture("https://nowhere.example/", 2, 13),
]


def time_of(day: int, hour: int) -> datetime:
    """Return a time in March 2026."""
    return datetime(2026, 3, day, hour, tzinfo=timezone.utc)


def record(number: int, answer: Answer) -> bytes:
    """Return a response record of WARC 1.0, as one gzip member."""
    body = answer.body.encode()
    head = f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\n"
    head += "Content-Type: text/plain\r\n"
    head += f"Location: {answer.location}\r\n" if answer.location else ""
    block = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{number} {answer.url}')}>",
        "WARC-Date": f"{time_of(answer.day, answer.hour):%Y-%m-%dT%H:%M:%SZ}",
        "WARC-Target-URI": answer.url,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return gzip.compress(f"WARC/1.0\r\n{lines}\r\n".encode() + block + b"\r\n\r\n", mtime=0)


def table_of(captures: list[Capture]) -> pa.Table:
    """Return the captures with the columns of Common Crawl's index that say what and when."""
    return pa.table(
        {
            "url": [one.url for one in captures],
            "url_host_name": [one.url.split("/")[2] for one in captures],
            "fetch_time": pa.array(
                [time_of(one.day, one.hour) for one in captures], pa.timestamp("ms", "UTC")
            ),
            "fetch_status": pa.array([HTTPStatus.OK] * len(captures), pa.int16()),
            "content_digest": [hashlib.sha256(one.url.encode()).hexdigest() for one in captures],
            "warc_filename": ["pages.warc.gz"] * len(captures),
            "warc_record_offset": pa.array(range(0, 1000 * len(captures), 1000), pa.int32()),
            "warc_record_length": pa.array([1000] * len(captures), pa.int32()),
        }
    )


def main() -> None:
    """Write both files into a folder."""
    parser = argparse.ArgumentParser(description="Write a small corpus of made-up sites.")
    parser.add_argument("folder", type=Path, help="where robots.warc.gz and captures.parquet go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    records = [record(number, answer) for number, answer in enumerate(ANSWERS)]
    (folder / "robots.warc.gz").write_bytes(b"".join(records))
    pq.write_table(table_of(CAPTURES), folder / "captures.parquet")
    print(f"Wrote {len(ANSWERS)} answers and {len(CAPTURES)} captures to {folder}")  # noqa: T201  a script of its own


if __name__ == "__main__":
    main()

"""Files of logs: compressed, rotated, followed, from standard input, and hostile ones."""

import bz2
import gzip
import lzma
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from goodbot.errors import MissingExtraError, MisuseError, WrongTypeError, WrongValueError
from goodbot.site.logs import LogReader, compression, following, log_files, open_logs
from goodbot.site.logs.compression import CODINGS
from goodbot.site.logs.log_notes import log_notes, why_no_requests
from goodbot.site.logs.other_files import other_file
from tests.support.examples import examples
from tests.support.waiting import HANGS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


COMPRESSED: list[Callable[[bytes], bytes]] = [
    gzip.compress,
    zstd.compress,
    lzma.compress,
    bz2.compress,
]


def line(day: int, target: str = "/a", agent: str = "GPTBot/1.3") -> str:
    """Return a line of the Combined Log Format."""
    when = f"{day:02}/Oct/2000:13:55:36 +0000"
    return f'192.0.2.1 - - [{when}] "GET {target} HTTP/1.1" 200 23 "-" "{agent}"\n'


def targets(reader: LogReader) -> list[str]:
    """Return the targets of all requests."""
    return [str(target) for batch in reader.requests() for target in batch.to_pydict()["target"]]


def test_rotated_logs_are_read_in_the_order_of_time(tmp_path: Path) -> None:
    """Neither names nor compression matter; a file without requests comes last."""
    (tmp_path / "access.log").write_text(line(9, "/new"))
    (tmp_path / "access.log.1").write_bytes(zstd.compress(line(8, "/middle").encode()))
    (tmp_path / "access.log.10.gz").write_bytes(gzip.compress(line(1, "/first").encode()))
    (tmp_path / "access.log.2.gz").write_bytes(
        gzip.compress(line(2, "/a").encode()) + gzip.compress(line(3, "/b").encode()) + b"\0" * 9
    )
    (tmp_path / "access.log.0").write_text("")
    reader = open_logs([tmp_path / "access.log*"])
    assert targets(reader) == ["/first", "/a", "/b", "/middle", "/new"]
    assert reader.counts().damaged == {}
    assert [Path(path).name for path in reader.files][-1] == "access.log.0"
    assert targets(open_logs([tmp_path])) == ["/first", "/a", "/b", "/middle", "/new"]


@pytest.mark.stress
@pytest.mark.parametrize("compress", COMPRESSED)
def test_damaged_files_are_read_as_far_as_possible(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """What comes before the damage counts, and the damage is noted."""
    whole = compress(b"".join(os.urandom(30).hex().encode() + b"\n" for _ in range(25_000)))
    log = tmp_path / "access.log.gz"
    middle = len(whole) * 2 // 3  # bzip2 has blocks of 900 kB
    broken = whole[:middle] + b"\xff" * 100 + whole[middle + 100 :]
    # By default, zstd writes no checksum.
    for content in (whole[:-20_000], *([] if compress is zstd.compress else [broken])):
        log.write_bytes(content)
        counts = open_logs([log]).summarize().counts
        assert 0 < counts.lines < 25_000
        assert list(counts.damaged) == [str(log)]


@pytest.mark.stress
@pytest.mark.parametrize("compress", COMPRESSED)
def test_a_small_file_that_stands_for_a_huge_one_is_one_long_line(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Nothing of it is stored, and the line after it is read."""
    log = tmp_path / "access.log"
    log.write_bytes(compress(b"x" * 50_000_000 + b"\n" + line(1).encode()))
    reader = open_logs([log], "combined")
    assert targets(reader) == ["/a"]
    assert reader.counts().refused["length"] == 1


def test_zstd_without_its_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the extra."""
    log = tmp_path / "access.log.zst"
    log.write_bytes(zstd.compress(b"x"))

    def missing(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(compression, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"goodbot\[encodings\]"):
        open_logs([log]).summarize()


def test_standard_input_is_read_as_it_comes() -> None:
    """`-` needs no file, and the format is detected from the first whole line."""
    program = (
        "from goodbot.site.logs import open_logs; reader = open_logs(['-']);"
        "print(*(t for b in reader.requests() for t in b.to_pydict()['target']))"
    )
    pipe = subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1)  # noqa: S603  a command of this file
    assert pipe.stdin is not None
    text = (line(1, "/one") + line(2, "/two")).encode()
    for part in (text[:3], text[3:80], text[80:-1]):
        pipe.stdin.write(part)
        pipe.stdin.flush()
    out, _ = pipe.communicate(timeout=HANGS)
    assert out.split() == [b"/one", b"/two"]


def test_a_followed_log_is_read_across_rotations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written before and after a log is renamed, or truncated, is read once."""
    log = tmp_path / "access.log"
    log.write_text(line(1, "/1"))

    def steps() -> Iterator[None]:
        append(log, line(2, "/2"))
        yield
        log.rename(tmp_path / "access.log.1")
        append(tmp_path / "access.log.1", line(3, "/3"))
        yield  # there is no log for a while
        log.write_text(line(4, "/4"))
        yield
        yield
        log.write_text("")
        yield
        append(log, line(5, "/5").rstrip("\n"))
        yield

    step = steps()
    done: list[bool] = []

    def sleep(_: float) -> None:
        done.append(True)
        next(step, None)

    monkeypatch.setattr(time, "sleep", sleep)
    reader = open_logs([log])
    batches = reader.requests(follow=True, stop=lambda: len(done) > 7)
    rows = [
        (target, number)
        for batch in batches
        for target, number in zip(
            batch.to_pydict()["target"], batch.to_pydict()["line"], strict=True
        )
    ]
    assert rows == [("/1", 1), ("/2", 2), ("/3", 3), ("/4", 1), ("/5", 1)]


def test_a_followed_log_may_be_unreadable_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands in its place, and whatever the system says, the reading goes on."""
    log = tmp_path / "access.log"
    log.write_text(line(1, "/1"))
    faults: list[bool] = []

    def steps() -> Iterator[None]:
        log.rename(tmp_path / "1.log")
        log.mkdir()
        yield
        log.rmdir()
        os.mkfifo(log)
        yield
        log.unlink()
        log.write_text(line(2, "/2"))
        faults.append(True)  # it cannot be opened yet
        yield
        faults.clear()
        yield
        append(log, line(3, "/3"))
        faults.append(True)  # nor read
        yield
        faults.clear()
        yield

    step, done = steps(), list[bool]()

    def sleep(_: float) -> None:
        done.append(True)
        next(step, None)

    def failing(function: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object, **options: object) -> object:
            if faults:
                message = "access.log cannot be read"
                raise MisuseError(message)
            return function(*arguments, **options)

        return called

    monkeypatch.setattr(time, "sleep", sleep)
    for name in ("opened", "read"):
        monkeypatch.setattr(following, name, failing(getattr(following, name)))
    reader = open_logs([log])
    batches = reader.requests(follow=True, stop=lambda: len(done) > 9)
    assert [one for batch in batches for one in batch.to_pydict()["target"]] == ["/1", "/2", "/3"]


def test_a_pipe_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps nobody waiting, and several writers may come one after the other."""
    log = tmp_path / "access.log"
    os.mkfifo(log)
    done: list[bool] = []

    def sleep(_: float) -> None:
        done.append(True)
        if len(done) in {2, 4}:
            with log.open("w") as file:
                file.write(line(len(done), f"/{len(done)}"))

    monkeypatch.setattr(time, "sleep", sleep)
    batches = open_logs([log]).requests(follow=True, stop=lambda: len(done) > 6)
    assert [one for batch in batches for one in batch.to_pydict()["target"]] == ["/2", "/4"]


def append(path: Path, text: str) -> None:
    """Add to a file."""
    with path.open("a") as file:
        file.write(text)


HOSTILE = [
    b"\0" * 3_000_000 + b"\n",
    b"x" * 3_000_000 + b"\n",
    b'192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] "GET /' + b"x" * 1_000_000 + b' HTTP/1.1" 200 1\n',
    b'192.0.2.1 - - [99/Foo/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 1 "-" "x"\n',
    b'192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 20x 1 "-" "x"\n',
    b'{"ts": ' + b"[" * 50_000 + b"\n",
    b"\xff\xfe\n\r\n\n",
    b'"' * 60_000 + b"\n",
    b"\\" * 60_000 + b"\n",
]


@pytest.mark.parametrize("format", [None, "combined", "w3c", "caddy", "aws-alb"])
def test_hostile_lines_are_counted_and_shown(format: str | None, tmp_path: Path) -> None:  # noqa: A002  as the argument
    """They stop nothing: every line is counted once."""
    log = tmp_path / "access.log"
    content = line(1).encode() * 3 + b"".join(HOSTILE) + line(2, "/last").encode() * 3
    log.write_bytes(content)
    reader = open_logs([log], format)
    found = targets(reader)
    counts = reader.counts()
    requests = counts.robots + counts.unknown_robots + counts.people
    silent = counts.without_request + sum(counts.refused.values())
    assert counts.lines == requests + silent == content.count(b"\n")
    assert counts.refused["length"] == 2
    assert 1 <= len(counts.shown) <= 5
    assert all(len(one.begin) <= 200 for one in counts.shown)
    if format in (None, "combined"):
        assert found[-1] == "/last"
        assert counts.refused["time"] == counts.refused["value"] == 1


@examples(60)
@given(content=st.binary(max_size=3_000), rest=st.binary(max_size=200))
def test_any_bytes_are_read(
    content: bytes, rest: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No file raises, whatever its magic number says, but those in a form that a message names."""
    log = tmp_path_factory.mktemp("logs") / "access.log"
    assume(not any(other_file(one) for one in (content, rest)))
    whole = [compress(rest) for compress in COMPRESSED]
    for magic in (b"", *CODINGS, *log_files.UTF_16, *whole):
        log.write_bytes(magic + content)
        counts = open_logs([log]).summarize().counts
        requests = counts.robots + counts.unknown_robots + counts.people
        silent = counts.without_request + sum(counts.refused.values())
        assert counts.lines == requests + silent


@pytest.mark.stress
def test_more_user_agents_than_are_remembered_are_counted(tmp_path: Path) -> None:
    """Robots are found among them, and their rows are given out."""
    log = tmp_path / "access.log"
    agents = 150_000  # more than eight threads remember
    log.write_text(
        "".join(line(1, f"/{n}", f"GPTBot/{n}") for n in range(agents)) + line(1, "/x", "y")
    )
    reader = open_logs([log])
    assert len(targets(reader)) == agents
    summary = reader.summary()
    assert [(one.robot, one.requests) for one in summary.robots] == [("GPTBot", agents)]
    assert summary.people.requests == 1
    assert len(summary.user_agents) < agents


def test_addresses_that_proxies_report(tmp_path: Path) -> None:
    """The last address is the nearest proxy's; what clients claim comes before it."""
    log = tmp_path / "access.log"
    text = (
        '10.0.0.1 [10/Oct/2000:13:55:36 +0000] "GET /" "GPTBot/1" "1.1.1.1, 192.0.2.9, 10.0.0.2"\n'
    )
    log.write_text(text)
    written = '$remote_addr [$time_local] "$request" "$http_user_agent" "$http_x_forwarded_for"'
    for proxies, address in ((0, "10.0.0.1"), (1, "10.0.0.2"), (2, "192.0.2.9"), (9, "1.1.1.1")):
        (batch,) = open_logs([log], written, proxies=proxies).requests()
        assert batch.to_pydict()["address"] == [address]


@pytest.mark.parametrize(
    ("forwarded", "proxies", "address"),
    [
        ("8.8.8.8, 10.0.0.9", 0, "10.0.0.5"),
        ("8.8.8.8, 10.0.0.9", 1, "10.0.0.9"),
        ("8.8.8.8, 10.0.0.9", 2, "8.8.8.8"),
        ("-", 1, "9.9.9.9"),
        ("-", 0, "10.0.0.5"),
    ],
)
def test_a_field_that_names_the_client_alone(
    forwarded: str, proxies: int, address: str, tmp_path: Path
) -> None:
    """The connection counts unless a proxy is declared; then X-Forwarded-For, then the field."""
    log = tmp_path / "log"
    when = "10/Oct/2000:13:55:36 +0000"
    log.write_text(f'10.0.0.5 [{when}] "GET / HTTP/1.1" "GPTBot/1" "{forwarded}" 9.9.9.9\n')
    written = '$remote_addr [$time_local] "$request" "$http_user_agent" "$http_x_forwarded_for" '
    reader = open_logs([log], f"{written}$http_cf_connecting_ip", proxies=proxies)
    (batch,) = reader.requests()
    assert batch.to_pydict()["address"] == [address]
    assert reader.counts().forwarded == (proxies > 0)


def test_mistakes_say_what_to_do(tmp_path: Path) -> None:
    """Each is an exception of goodbot."""
    log = tmp_path / "access.log"
    log.write_text(line(1))
    with pytest.raises(WrongTypeError, match="list of paths"):
        open_logs(str(log))
    with pytest.raises(WrongValueError, match="no log was given"):
        open_logs([])
    with pytest.raises(MisuseError, match="names no file"):
        open_logs([tmp_path / "missing*"])
    with pytest.raises(WrongValueError, match="not a format of logs"):
        open_logs([log], "combine")
    with pytest.raises(WrongValueError, match="no field for the time"):
        open_logs([log], "$request")
    with pytest.raises(WrongValueError, match="not the URL of a site"):
        open_logs([log], sites=["example"])
    with pytest.raises(WrongValueError, match="must not be -1"):
        open_logs([log], proxies=-1)
    reader = open_logs([log])
    assert reader.counts().lines == 0
    with pytest.raises(MisuseError, match="nothing was read"):
        reader.summary()
    reader.summarize()
    with pytest.raises(MisuseError, match="read already"):
        reader.summarize()


OTHER = [
    (b"PAR1\x15\x04\x15\x10", "Parquet"),
    (b"PK\x03\x04\x14\x00", "ZIP archive; unpack"),
    (b"access.log".ljust(257, b"\0") + b"ustar\x0000", "tar archive; unpack"),
    (b"971186136.250\t192.0.2.1\t0.002\t200\t392\tGET\n", "real-time log.*#Fields: timestamp"),
    (
        (
            b"tls 2.0 2018-12-20T02:59:40 net/my-lb/c6e77e28c25b2234 g3d4b5e8bb8464cd "
            b"72.21.218.154:51341 172.100.100.185:443 5 2 98 246 - arn:aws:acm\n"
        ),
        "Network Load Balancer",
    ),
    (b'{"timestamp":1576280412771,"formatVersion":1,"webaclId":"arn"}\n', "AWS WAF"),
    (
        (
            b'2020-02-21T16:07:34.515030+00:00 heroku[router]: at=info method=GET path="/" '
            b'host=example.com request_id=d7c8 fwd="192.0.2.1" dyno=web.1 connect=6ms status=200\n'
        ),
        "Heroku",
    ),
    (
        (
            b"Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] "
            b'http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"\n'
        ),
        "HAProxy.*capture",
    ),
    (
        (
            b"1286536309.075    108 192.0.2.1 TCP_MISS/200 1868 GET http://www.example.com/ - "
            b"DIRECT/192.0.2.2 text/html\n"
        ),
        "Squid",
    ),
    (
        (
            b"192.168.114.201, -, 03/20/05, 7:55:20, W3SVC2, SALES1, 172.21.13.45, 4502, 163, "
            b"3223, 200, 0, GET, /DeptLogo.gif, -,\n"
        ),
        "IIS' own format",
    ),
    (b'INFO:     127.0.0.1:50370 - "GET / HTTP/1.1" 200 OK\n', "uvicorn"),
    (b"2000/10/10 13:55:36 [error] 7#7: *1 open() failed\n", "error log"),
    (b"[Tue Oct 10 13:55:36.123456 2000] [core:error] [pid 1] x\n", "error log"),
    (
        b"2000-10-10 13:55:36 198.51.100.1 GET /a b=c 443 - 192.0.2.1 GPTBot/1.3 - 200 0 0 15\n",
        "W3C.*#Fields: date time",
    ),
    (b"time,client_ip,method,url,status\n2000-10-10T13:55:36Z,192.0.2.1,GET,/,200\n", "CSV"),
    (b'{"records": [{"time": "2000-10-10T13:55:36Z"}]}', r"jq -c '\.records"),
    (b'[{"time": "2000-10-10T13:55:36Z"}]', r"jq -c '\.\[\]"),
    (b'{\n  "time": "2000-10-10T13:55:36Z"\n}\n', "jq -c"),
    (b"<!DOCTYPE html>\n<title>Log</title>\n", "HTML"),
    (b"# a comment\nUser-agent: *\nDisallow: /\n", "robots.txt"),
]


@pytest.mark.parametrize(("content", "named"), OTHER, ids=lambda one: str(one)[:20])
def test_a_log_of_another_form_says_what_to_do(content: bytes, named: str, tmp_path: Path) -> None:
    """What has no requests, or says too little of them, is not "no line can be read"."""
    log = tmp_path / "log"
    log.write_bytes(content)
    with pytest.raises(MisuseError, match=named):
        open_logs([log]).summarize()


def test_another_file_beside_logs_is_noted(tmp_path: Path) -> None:
    """A folder may have an error log and an archive, too; neither stops the reading."""
    (tmp_path / "access.log").write_text(line(1))
    (tmp_path / "error.log").write_bytes(OTHER[11][0])
    (tmp_path / "old.zip").write_bytes(OTHER[1][0])
    reader = open_logs([tmp_path])
    assert targets(reader) == ["/a"]
    counts = reader.counts()
    assert {Path(path).name for path in counts.unusable} == {"error.log", "old.zip"}
    assert any("error.log is an error log" in note for note in log_notes(counts))
    (tmp_path / "access.log").unlink()
    counts = open_logs([tmp_path]).summarize().counts
    why = why_no_requests(counts, [str(tmp_path)], is_format_given=False)
    assert "old.zip is a ZIP archive; unpack it" in why


def test_a_format_that_is_given_is_tried(tmp_path: Path) -> None:
    """Who names a format knows better than the beginning of a file."""
    log = tmp_path / "log"
    log.write_bytes(OTHER[7][0].replace(b'"GET', b'{example.com|GPTBot/1.3} "GET'))
    written = re.findall(r"'(.*)'", str(other_file(OTHER[7][0])))[0]
    for batch in open_logs([log], written).requests():
        row = {name: value[0] for name, value in batch.to_pydict().items()}
        assert (row["address"], row["host"], row["robot"]) == ("10.0.1.2", "example.com", "GPTBot")
        assert (row["method"], row["target"], row["status"]) == ("GET", "/", 200)
    assert open_logs([log], written).summarize().counts.robots == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_in_utf_16_is_read(encoding: str, tmp_path: Path) -> None:
    """PowerShell writes it when a log is redirected."""
    log = tmp_path / "log"
    mark = "" if encoding == "utf-16" else "\ufeff"
    log.write_bytes((mark + line(1, "/ö") + line(2)).encode(encoding))
    assert targets(open_logs([log])) == ["/ö", "/a"]


def test_nuls_before_a_line_are_skipped(tmp_path: Path) -> None:
    """A log that was copied and truncated has a hole at its beginning."""
    log = tmp_path / "log"
    for count in (1, 5_000, 500_000):
        log.write_bytes(b"\0" * count + line(1).encode() + line(2).encode())
        reader = open_logs([log])
        rows = [batch.to_pydict() for batch in reader.requests()]
        assert [one for row in rows for one in row["address"]] == ["192.0.2.1"] * 2
        assert sum(reader.counts().refused.values()) == 0


def test_a_log_and_its_copy_are_named(tmp_path: Path) -> None:
    """Their requests are counted twice, which a note says; other logs are not suspected."""
    lines = "".join(line(day, f"/{day}") for day in range(1, 20))
    (tmp_path / "a.log").write_text(lines)
    (tmp_path / "a.log.zst").write_bytes(zstd.compress(lines.encode()))
    (tmp_path / "b.log").write_text(lines + line(20))
    (tmp_path / "c.log").write_text(line(1, "/0") + lines)
    (tmp_path / "d.log").write_text(line(1, "/1"))
    (tmp_path / "e.log").write_text("")
    (tmp_path / "f.log").write_text("")
    counts = open_logs([tmp_path]).summarize().counts
    names = [{Path(path).name for path in paths} for paths in counts.repeated]
    assert names == [{"a.log", "a.log.zst", "b.log"}]
    (note,) = log_notes(counts)
    assert "a.log" in note
    assert "more than once" in note
    assert counts.robots == 19 + 19 + 20 + 20 + 1


def test_requests_without_an_address_or_a_user_agent_are_noted(tmp_path: Path) -> None:
    """Nobody could say who sent them, or no robot would be known."""
    log = tmp_path / "log"
    log.write_text('[10/Oct/2000:13:55:36 +0000] "GET /a HTTP/1.1" 200 "GPTBot/1.3"\n')
    reader = open_logs([log], '[$time_local] "$request" $status "$http_user_agent"')
    assert targets(reader) == ["/a"]
    assert reader.counts().without_address == 1
    assert [note[:26] for note in log_notes(reader.counts())] == ["1 request without an addre"]
    reader = open_logs([log], '[$time_local] "$request" $status "$http_cookie"')
    assert targets(reader) == []
    (note,) = log_notes(reader.counts())
    assert note.startswith("no request has a User-Agent, so that no robot is known;")


def test_a_log_without_requests_shows_a_line(tmp_path: Path) -> None:
    """What is wrong with it, shortened and escaped, and what to do."""
    log = tmp_path / "access.log"

    def why(content: str, given: str | None = None) -> str:
        log.write_text(content)
        counts = open_logs([log], given).summarize().counts
        return why_no_requests(counts, ["access.log"], is_format_given=given is not None)

    assert why("no\x1b[31m request\n") == (
        "the only line of access.log is no request: line 1 has no known form "
        "('no\\x1b[31m request'); name the format with log_format="
    )
    assert why(line(1) * 0 + "x\n" * 3, "combined") == (
        "none of the 3 lines of access.log is a request: line 1 does not have the form of the "
        "format ('x'); correct log_format=, or omit it to have the format detected"
    )
    assert "has no time that can be read" in why(line(1).replace("Oct", "Okt"), "combined")
    assert len(why("x" * 10_000)) < 250
    assert why("") == "access.log is empty: there are no requests"
    counts = open_logs([log]).summarize().counts
    assert why_no_requests(counts, ["-"], is_format_given=False).startswith("standard input is")


COMBINED = (
    '192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] "GET /a HTTP/1.1" 200 5 "-" "{agent}"{rest}\n'
)
DOUBTS = {
    "continued": ([("GPTBot/1.3", ""), ("GPTBot/1.3", ' "a" "b"')], "more quotation marks behind"),
    "whole": ([("GPTBot/1.3", ' "a"')] * 2, ""),
    "bare": ([(r"GPTBot/1.3 \ x", ""), (r"GPTBot/1.3 \x41", "")], "does not escape backslashes"),
    "escaped": ([(r"GPTBot/1.3 \\ x", ""), (r"GPTBot/1.3 \x41", "")], ""),
    "traefik": (
        [("GPTBot/1.3", ' 1 "web@docker" "http://192.0.2.8:80" 3ms')],
        "Traefik writes paths",
    ),
}
"""User-Agents and what follows them in the lines of a log, and what is said of it."""


@pytest.mark.parametrize("name", list(DOUBTS))
def test_lines_that_can_be_read_in_two_ways_are_told(name: str, tmp_path: Path) -> None:
    """All lines of a log together show what one of them does not."""
    lines, said = DOUBTS[name]
    log = tmp_path / "access.log"
    log.write_text("".join(COMBINED.format(agent=agent, rest=rest) for agent, rest in lines))
    reader = open_logs([log])
    assert targets(reader) == ["/a"] * len(lines)
    notes = " ".join(log_notes(reader.counts()))
    assert (said in notes) if said else not notes


def test_a_line_that_nobody_escaped_is_told(tmp_path: Path) -> None:
    """No escapes by aiohttp: the shortest reading keeps the robot and its request."""
    log = tmp_path / "access.log"
    begin = '192.0.2.1 [10/Oct/2000:13:55:36 +0000] "GET /a HTTP/1.1" 200 5 "-" "GPTBot/1.3'
    log.write_text(f'{begin}"\n{begin} " 200 5 "-" "x"\n{begin} (a "b" c)"\n')
    reader = open_logs([log])
    assert targets(reader) == ["/a"] * 3
    assert reader.counts().readings["several"] == 1
    (note,) = log_notes(reader.counts())
    assert "1 request with quotation marks that the server did not escape" in note


@pytest.mark.parametrize("size", [16, 100])
def test_long_header_fields_hide_no_request(size: int, tmp_path: Path) -> None:
    """Servers write a byte in up to six; the robot is found in all of the User-Agent."""
    log = tmp_path / "access.log"
    referer = r"\xff" * 1_024 * size
    line = COMBINED.replace('"-"', f'"{referer}"').format(
        agent=f"GPTBot/1.3 {'x' * size * 1_024}", rest=""
    )
    log.write_text(line * 2)
    reader = open_logs([log])
    rows = [batch.to_pydict() for batch in reader.requests()]
    assert [one for row in rows for one in row["robot"]] == ["GPTBot"] * 2
    assert sum(reader.counts().refused.values()) == 0
    assert all(len(str(one)) <= 1_024 for row in rows for one in row["user_agent"])


@pytest.mark.parametrize("format", [None, "combined"])
def test_a_line_that_is_too_long_is_counted_with_its_robot(
    format: str | None,  # noqa: A002  as the argument
    tmp_path: Path,
) -> None:
    """It is not judged, and a note says whose it is."""
    log = tmp_path / "access.log"
    long = COMBINED.format(agent=f"GPTBot/1.3 {'x' * 1_000_000}", rest="")
    log.write_text(long + line(1) + long)
    reader = open_logs([log], format)
    assert targets(reader) == ["/a"]
    counts = reader.counts()
    assert (counts.refused["length"], counts.too_long) == (2, {"GPTBot": 2})
    assert any("GPTBot (2)" in note for note in log_notes(counts))


def test_a_batch_is_bounded_by_its_octets(tmp_path: Path) -> None:
    """Long User-Agents, methods and targets count, too; of the longest, the beginnings are kept."""
    log = tmp_path / "access.log"
    with log.open("w") as file:
        for number in range(6_000):
            line = COMBINED.replace("/a", f"/{number}{'a' * 7_000}").replace("GET", "G" * 9_000)
            file.write(line.format(agent=f"GPTBot/1.3 {number}{'x' * 20_000}", rest=""))
        file.write(COMBINED.replace("/a", f"/{'a' * 9_000}").format(agent="GPTBot/1.3", rest=""))
    sizes = []
    last = ""
    for batch in open_logs([log]).requests():
        row = batch.to_pydict()
        last = str(row["target"][-1])
        columns = [row[name] for name in ("target", "method", "user_agent")]
        sizes.append(sum(len(str(one)) for column in columns for one in column))
    assert max(sizes) < 16 * 1024 * 1024 + 40 * 1024 * 1024
    assert len(sizes) > 1
    assert last == "\u2026/" + "a" * 255


def test_lines_that_cannot_be_read_name_their_file(tmp_path: Path) -> None:
    """Also where files before and between have none; each line has its number in its own file."""
    contents = {
        "a": line(1) + "not a request\n",
        "b": line(2),
        "c": "neither\n" + line(3) + "nor\n",
        "d": line(4),
        "e": line(5) + "no\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    reader = open_logs([tmp_path / name for name in reversed(contents)], "combined")
    targets(reader)
    shown = [(Path(one.source).name, one.line) for one in reader.counts().shown]
    assert shown == [("a", 2), ("c", 1), ("c", 3), ("e", 2)]


MAIN = (
    '{address} - - [10/Oct/2000:13:55:36 +0000] "GET /a HTTP/1.1" 200 5 "-" "GPTBot/1.3" {more}\n'
)


@pytest.mark.parametrize(
    ("more", "proxies", "address", "forwarded"),
    [
        ('"198.51.100.9, 203.0.113.7"', 1, "203.0.113.7", 1),
        ('"198.51.100.9, 203.0.113.7:4711"', 1, "203.0.113.7", 1),
        ('"198.51.100.9, 203.0.113.7"', 2, "198.51.100.9", 1),
        ('"198.51.100.9, 203.0.113.7"', 3, "198.51.100.9", 1),
        ('"198.51.100.9, 203.0.113.7"', 0, "192.0.2.1", 0),
        ('"2001:db8::1"', 1, "2001:db8::1", 1),
        ('"-"', 1, "192.0.2.1", 0),
        ('"3.12"', 1, "192.0.2.1", 0),
        ('"unknown"', 1, "192.0.2.1", 0),
        ("203.0.113.7", 1, "192.0.2.1", 0),
    ],
)
def test_addresses_behind_the_user_agent_are_those_of_proxies(
    more: str, proxies: int, address: str, forwarded: int, tmp_path: Path
) -> None:
    """The format `main` of nginx' packages has X-Forwarded-For there; others have other things."""
    log = tmp_path / "access.log"
    log.write_text(MAIN.format(address="192.0.2.1", more=more))
    reader = open_logs([log], proxies=proxies)
    found = [one for batch in reader.requests() for one in batch.to_pydict()["address"]]
    assert found == [address]
    counts = reader.counts()
    assert (counts.formats[str(log)], counts.forwarded) == ("combined", forwarded)


@pytest.mark.parametrize(
    ("time", "without"),
    [("10/Oct/2000:13:55:36 +0000", 0), ("2000-10-10 13:55:36", 1), ("971211336", 0)],
)
def test_times_without_a_zone_are_counted(time: str, without: int, tmp_path: Path) -> None:
    """They are read as UTC, which the reader should know."""
    log = tmp_path / "access.log"
    log.write_text(f'192.0.2.1 [{time}] "GET /a HTTP/1.1" "GPTBot/1.3"\n')
    reader = open_logs([log], '$remote_addr [$time_local] "$request" "$http_user_agent"')
    reader.summarize()
    assert reader.counts().without_zone == without


def test_what_cannot_be_read_ahead_is_raised_behind_what_was_read() -> None:
    """A block that was read is given out, although the next one was tried meanwhile."""

    def failing() -> Iterator[bytes]:
        yield b"first"
        message = "broken"
        raise MisuseError(message)

    blocks = log_files.FileBlocks(failing(), reads_ahead=True)
    each = iter(blocks)
    assert next(each) == b"first"
    blocks.read_ahead()
    with pytest.raises(MisuseError, match="broken"):
        next(each)


def test_nothing_is_read_ahead_of_a_pipe() -> None:
    """Its writer may keep a reader waiting, while there are lines to give out."""
    read: list[bytes] = []

    def slow() -> Iterator[bytes]:
        for block in (b"first", b"second"):
            read.append(block)
            yield block

    for reads_ahead, count in ((False, 1), (True, 2)):
        read.clear()
        blocks = log_files.FileBlocks(slow(), reads_ahead=reads_ahead)
        assert next(iter(blocks)) == b"first"
        blocks.read_ahead()
        blocks.read_ahead()
        assert len(read) == count


def test_the_core_reads_a_block_whatever_other_work_raises() -> None:
    """The lines of the block are counted, and the error comes behind them."""

    def work() -> None:
        message = "broken"
        raise MisuseError(message)

    reader = open_logs([__file__])
    scan = reader.new_scan(rows=False)
    scan.begin()
    scan.set_format("known", "combined")
    with pytest.raises(MisuseError, match="broken"):
        scan.feed(line(1).encode() * 3, work)
    assert scan.read()[0] == 3

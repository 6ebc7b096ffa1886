"""WWW::RobotRules in Python: its answers, its memory, its file, and a damaged file."""

import sqlite3
import stat
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.adapters.robotrules import Permission, RobotRules, RobotRulesFile
from goodbot.errors import StoreError, StoreUnavailableError

URL = "http://example.com/robots.txt"
FILE = "User-agent: *\nDisallow: /tmp/\n\nUser-agent: foobot\nDisallow: /private\n"


class Time:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        """Start at 0."""
        self.now = 1_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture(params=["memory", "file"])
def rules(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RobotRules]:
    """Return both forms, in memory and in a file."""
    if request.param == "memory":
        yield RobotRules("FooBot/1.2", clock=Time())
    else:
        with RobotRulesFile("FooBot/1.2", str(tmp_path / "rules"), clock=Time()) as opened:
            yield opened


def clock_of(rules: RobotRules) -> Time:
    """Return the clock of the rules."""
    clock = rules._clock  # noqa: SLF001
    assert isinstance(clock, Time)
    return clock


def test_there_are_three_answers(rules: RobotRules) -> None:
    """1, 0 and -1; only 1 is true."""
    assert rules.allowed("http://example.com/") == -1
    assert not rules.allowed("http://example.com/")
    rules.parse(URL, FILE)
    assert rules.allowed("http://example.com/private/a") == 0
    assert rules.allowed("http://example.com/tmp/a") == 1
    assert rules.allowed("http://example.com:80/private") == 0
    assert rules.allowed("http://example.com:8000/") == -1
    assert rules.allowed("https://example.com/") == -1
    assert rules.allowed("mailto:someone@example.com") == 1


def test_a_file_lives_as_long_as_is_said(rules: RobotRules) -> None:
    """A year by default; numbers and datetimes are equivalent; 0 is long past."""
    clock = clock_of(rules)
    rules.parse(URL, FILE)
    assert rules.fresh_until("example.com:80") == clock.now + 365 * 24 * 3600
    aware = datetime.fromtimestamp(clock.now, timezone.utc) + timedelta(seconds=60)
    for until in (clock.now + 60, aware):
        rules.parse(URL, FILE, until)
        assert rules.allowed("http://example.com/") == Permission.ALLOWED
        clock.now += 60
        assert rules.allowed("http://example.com/") == Permission.ALLOWED
        clock.now += 1
        assert rules.allowed("http://example.com/") == Permission.UNKNOWN
        clock.now -= 61
    rules.parse(URL, FILE, 0)
    assert rules.allowed("http://example.com/") == Permission.UNKNOWN


def test_the_program_of_the_book() -> None:
    """One object keeps the rules of several sites apart (HTTP book, Robot Exclusion Perl Code)."""
    rules = RobotRules("SuperRobot/1.0")
    rules.parse("http://www.joes-hardware.com/robots.txt", "User-agent: *\nDisallow: /tmp")
    rules.parse("http://www.marys-antiques.com/robots.txt", "User-agent: *\nDisallow: /private")
    allowed = [
        rules.allowed(f"http://www.{site}.com/{path}")
        for site in ("joes-hardware", "marys-antiques")
        for path in ("tmp/a", "private/a")
    ]
    assert allowed == [0, 1, 1, 0]


def test_another_name_forgets_all(rules: RobotRules) -> None:
    """`agent` returns the previous name; setting the same name forgets nothing."""
    rules.parse(URL, FILE)
    rules.visit("example.com:80", 5.0)
    assert rules.agent() == "FooBot"
    assert rules.agent("FooBot/2.0 (new)") == "FooBot"
    assert rules.allowed("http://example.com/") == 1
    assert rules.agent("BarBot") == "FooBot"
    assert rules.agent() == "BarBot"
    assert rules.allowed("http://example.com/") == -1
    assert rules.no_visits("example.com:80") == 0


def test_visits_are_counted(rules: RobotRules) -> None:
    """Visits are counted and timed, independently of the file."""
    assert rules.last_visit("example.com:80") is None
    rules.visit("example.com:80")
    rules.visit("example.com:80", 7)
    assert rules.no_visits("example.com:80") == 2
    assert rules.last_visit("example.com:80") == 7.0
    rules.parse(URL, FILE)
    assert rules.rules("example.com:80") == ["/private"]
    rules.clear_rules("example.com:80")
    assert rules.rules("example.com:80") == []
    assert rules.allowed("http://example.com/") == -1
    assert rules.no_visits("example.com:80") == 2


def test_it_reads_as_lwp_does(rules: RobotRules) -> None:
    """Allow is not a rule, an empty Disallow allows, and the value is part of the robot's name."""
    rules.parse(URL, "User-agent: foo\nAllow: /a/b\nDisallow: /a\nDisallow:\nDisallow: /c\n")
    answers = [rules.allowed(f"http://example.com{path}") for path in ("/a/b", "/c", "/d")]
    assert answers == [0, 1, 1]
    rules.parse(URL, b"")
    assert rules.allowed("http://example.com/a") == 1


def test_misuse_is_told(rules: RobotRules) -> None:
    """An invalid URL, name, time or content raises."""
    with pytest.raises(goodbot.NoOriginError):
        rules.allowed("/a")
    with pytest.raises(goodbot.NoOriginError):
        rules.parse("http://", "")
    with pytest.raises(goodbot.RobotNameError):
        rules.agent("/1.0")
    with pytest.raises(goodbot.RobotNameError):
        RobotRules("")
    with pytest.raises(goodbot.WrongTypeError):
        rules.parse(URL, 1)  # type: ignore[arg-type]
    with pytest.raises(goodbot.WrongTypeError):
        rules.parse(URL, "", "tomorrow")  # type: ignore[arg-type]
    with pytest.raises(goodbot.WrongValueError):
        rules.parse(URL, "", float("nan"))
    with pytest.raises(goodbot.WrongValueError):
        rules.parse(URL, "", datetime(2026, 1, 1))  # noqa: DTZ001 - naive on purpose
    assert rules.allowed("http://example.com/") == -1


@given(st.text(st.characters()) | st.binary(), st.text(st.characters()))
def test_foreign_content_never_raises(content: str | bytes, path: str) -> None:
    """Any bytes can be parsed."""
    rules = RobotRules("FooBot")
    rules.parse(URL, content)
    assert rules.allowed(f"http://example.com/{path}") in {0, 1}


# The file.


def test_a_file_remembers(tmp_path: Path) -> None:
    """Rules, visits and the name are read again; another robot starts afresh."""
    path = str(tmp_path / "rules")
    with RobotRulesFile("FooBot", path) as rules:
        rules.parse(URL, FILE)
        rules.visit("example.com:80", 5)
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    with RobotRulesFile(None, path) as rules:
        assert rules.agent() == "FooBot"
        assert rules.allowed("http://example.com/private") == 0
        assert rules.last_visit("example.com:80") == 5
    with RobotRulesFile("BarBot", path) as rules:
        assert rules.allowed("http://example.com/private") == -1
    with RobotRulesFile(None, path) as rules:
        assert rules.agent() == "BarBot"
        assert rules.set_aside is None


def test_a_file_without_a_name_or_a_path_is_misuse(tmp_path: Path) -> None:
    """No name at all, no path, a folder as path, and a closed file raise."""
    with pytest.raises(goodbot.RobotNameError):
        RobotRulesFile(None, str(tmp_path / "rules"))
    with pytest.raises(goodbot.WrongValueError):
        RobotRulesFile("FooBot", "")
    with pytest.raises(StoreUnavailableError):
        RobotRulesFile("FooBot", str(tmp_path / "none" / "rules"))
    rules = RobotRulesFile("FooBot", str(tmp_path / "rules"))
    rules.close()
    with pytest.raises(StoreError, match="closed"):
        rules.allowed("http://example.com/")


OTHER_TABLES = b"other tables"


@pytest.mark.parametrize("damage", [b"no database at all " * 99, None, OTHER_TABLES])
def test_a_damaged_file_is_set_aside_and_allows_nothing(tmp_path: Path, damage: Any) -> None:  # noqa: ANN401
    """Its bytes are kept under another name, and a new file is created."""
    path = tmp_path / "rules"
    with RobotRulesFile("FooBot", str(path)) as rules:
        for number in range(20):
            rules.parse(f"http://h{number}.example/robots.txt", FILE * 200)
    if damage == OTHER_TABLES:
        path.unlink()
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE hosts(other)")
        other.close()
    else:
        raw = path.read_bytes()
        path.write_bytes(damage or raw[:4096] + b"\xff" * (len(raw) - 4096))
    before = path.read_bytes()
    with RobotRulesFile("FooBot", str(path)) as rules:
        assert rules.allowed("http://h7.example/") == -1
        assert rules.set_aside == f"{path}.damaged-1"
        rules.parse(URL, FILE)
        assert rules.allowed("http://example.com/private") == 0
    if damage != OTHER_TABLES:  # of those it takes opening to see that they are not ours
        assert (tmp_path / "rules.damaged-1").read_bytes() == before


def test_a_row_of_another_type_is_not_known(tmp_path: Path) -> None:
    """A value of the wrong type allows nothing."""
    path = str(tmp_path / "rules")
    with RobotRulesFile("FooBot", path) as rules:
        rules.parse(URL, "")
        other = sqlite3.connect(path)
        with other:
            other.execute("UPDATE hosts SET content = 'text', visits = 'x', last_visit = 'y'")
        other.close()
        assert rules.allowed("http://example.com/") == -1
        assert rules.no_visits("example.com:80") == 0
        assert rules.last_visit("example.com:80") is None


def test_threads_share_a_file(tmp_path: Path) -> None:
    """No visit is lost."""
    with RobotRulesFile("FooBot", str(tmp_path / "rules")) as rules:

        def visit() -> None:
            for _ in range(20):
                rules.visit("example.com:80")

        threads = [threading.Thread(target=visit) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert rules.no_visits("example.com:80") == 80

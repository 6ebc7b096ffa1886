"""`goodbot audit suggest`, as a whole program."""

import json
from pathlib import Path

import pytest

import goodbot
from tests.support.live_sites import ask

SITE = ("--site", "https://example.com", "-f", "robots.txt")
LINE = '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET {} HTTP/1.1" 200 {} "-" "{}"\n'


@pytest.fixture
def here(tmp_path: Path) -> str:
    """Return a folder with a log and two files."""
    lines = [LINE.format(f"/find?q={one}", 1000, "GPTBot/1.3") for one in range(7)]
    lines += [LINE.format(path, 10, "GPTBot/1.3") for path in ("/", "/private/a", "/robots.txt")]
    lines += [LINE.format("/find?q=a", 500, agent) for agent in ("Bytespider", "Mozilla/5.0")]
    (tmp_path / "access.log").write_text("".join(lines), encoding="utf-8")
    old = "User-agent: *\nDisallow: /private\n"
    (tmp_path / "robots.txt").write_text(old, encoding="utf-8")
    (tmp_path / "new.txt").write_text(f"{old}Disallow: /find\n", encoding="utf-8")
    return str(tmp_path)


def test_a_change_says_what_it_would_have_kept_away(here: str) -> None:
    """Robots that do not obey are shown apart; what was disallowed before is no gain."""
    status, output, complaints = ask(
        "audit", "suggest", "access.log", *SITE, "--change", "new.txt", cwd=here
    )
    assert (status, complaints) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "new.txt would have kept away 7 requests, 7.0 kB."
    assert lines[1] == (
        "  GPTBot: 7 requests, 7.0 kB of 9 requests, 7.0 kB; 1 request disregarded the present file"
    )
    assert "Not counted: Bytespider." in output


def test_without_a_change_lines_are_suggested(here: str) -> None:
    """Each is shown with what to append, and appended it does what it says."""
    status, output, _ = ask("audit", "suggest", "access.log", *SITE, "--json", cwd=here)
    assert status == 0
    found = json.loads(output)["suggestions"]
    assert [one["lines"] for one in found] == [
        ["Disallow: /"],
        ["Disallow: /*?q=", "Disallow: /*&q="],
    ]
    for one in found:
        after = goodbot.RobotsTxt(f"User-agent: *\nDisallow: /private\n\n{one['added']}")
        assert not after.rules_for("GPTBot").allows("/find?q=3")
        assert not after.rules_for("GPTBot").allows("/private/a")
        assert after.rules_for("bingbot").allows("/find?q=3")
    status, output, _ = ask("audit", "suggest", "access.log", *SITE, "--top", "1", cwd=here)
    assert status == 0
    assert output.splitlines()[0] == "Disallow: / for ai-training: 8 requests, 7.0 kB"
    assert "    User-agent: GPTBot" in output.splitlines()


def test_misuse_names_the_cure(here: str) -> None:
    """A log that cannot be read, and standard input for two things, are refused."""
    status, _, complaints = ask("audit", "suggest", "-", *SITE, "--change", "-", cwd=here)
    assert status == 2
    assert "name - once" in complaints
    status, _, complaints = ask("audit", "suggest", "robots.txt", *SITE, cwd=here)
    assert status == 2
    assert "is a robots.txt, and not a log" in complaints

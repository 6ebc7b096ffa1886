"""`--store` and `goodbot robot block` take a URL as well as a path, as whole programs."""

import json
from pathlib import Path

import pytest

from goodbot.testing.steps import always
from tests.support.live_sites import ask, open_site

RULES = b"User-agent: *\nDisallow: /private/\n"
ME = ("--info-url", "https://example.com/bot", "--contact", "bot@example.com")


@pytest.mark.parametrize("text", ["robots.db", "sqlite:///robots.db", "file:robots.db"])
def test_every_spelling_of_a_file_is_the_same_store(text: str, tmp_path: Path) -> None:
    """What `policy` stored, `check` reads, and `diff` and `rules` find."""
    with open_site(always(200, RULES, "Content-Type: text/plain")) as site:
        stored = ask(
            "policy", "--allow-private", "--store", text, f"{site.origin}/", cwd=str(tmp_path)
        )
        assert stored[0] == 0, stored
        assert "History in robots.db\n" in stored[1]
        checked = ask(
            *("check", "--allow-private", "--store", text, f"{site.origin}/private/a"),
            cwd=str(tmp_path),
        )
        assert checked[0] == 1, checked
        assert "robots.db, fetched" in checked[1]
        ruled = ask("rules", "--allow-private", "--store", text, site.origin, cwd=str(tmp_path))
        assert ruled[0] == 0, ruled
        named = f"store:{site.origin}"
        assert ask("diff", "--store", text, named, named, cwd=str(tmp_path))[0] == 0
        assert [visit.target for visit in site.visits] == ["/robots.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["robots.db"]


def test_a_store_in_memory_ends_with_the_command(tmp_path: Path) -> None:
    """No file is left, and nothing can be blocked there."""
    with open_site(always(200, RULES, "Content-Type: text/plain")) as site:
        words = ("policy", "--allow-private", "--store", "memory:", f"{site.origin}/")
        status, output, _ = ask(*words, cwd=str(tmp_path))
    assert status == 0
    assert "History in memory:\n" in output
    assert list(tmp_path.iterdir()) == []
    status, _, told = ask("robot", "block", "list", "memory:", cwd=str(tmp_path))
    assert (status, "ends with this command" in told) == (2, True)


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("redis://robot:secret@host/1", "there is no store for redis://; install a package"),
        ("sqlite://robots.db", "write sqlite:///robots.db"),
        ("memory:robots", "write memory: alone"),
    ],
)
def test_a_url_of_no_store_is_told_before_any_request(text: str, cure: str, tmp_path: Path) -> None:
    """By each verb that has the option, and never with a password."""
    url = "http://127.0.0.1:1/"
    for words in (
        ("check", "--store", text, url),
        ("policy", "--store", text, url),
        ("rules", "--store", text, url),
        ("page", "-r", "ExampleBot", *ME, "--store", text, url),
        ("page", "uses", "-r", "ExampleBot", *ME, "--store", text, url),
        ("lint", "--store", text, url),
        ("robot", "mcp", "-r", "ExampleBot", *ME, "--store", text),
        ("diff", "--store", text, f"store:{url}", f"store:{url}"),
        ("robot", "block", "list", text),
    ):
        status, output, told = ask(*words, cwd=str(tmp_path))
        assert (status, output) == (2, ""), (words, output, told)
        assert cure in " ".join(told.split()), (words, told)
        assert "secret" not in told
    assert list(tmp_path.iterdir()) == []


def test_a_site_is_blocked_in_a_store_by_its_url(tmp_path: Path) -> None:
    """The robots that share it obey; and the block is removed in the same way."""
    (store, site), cwd = ("sqlite:///robots.db", "http://127.0.0.1:1"), str(tmp_path)
    assert ask("policy", "--store", "robots.db", site, cwd=cwd)[0] == 2  # makes the file
    assert (
        ask("robot", "block", "add", store, site, "--why", "a test", "--by", "me", cwd=cwd)[0] == 0
    )
    (listed,) = ask("robot", "block", "list", store, "--json", cwd=cwd)[1].splitlines()
    assert json.loads(listed)["why"] == "a test"
    status, output, _ = ask("check", "--store", store, site, cwd=cwd)
    assert (status, "a test" in output) == (1, True)
    assert ask("robot", "block", "remove", store, site, cwd=cwd)[0] == 0
    assert ask("robot", "block", "list", "robots.db", "--json", cwd=cwd)[1] == ""

"""The Comment lines of a robots.txt reach the user of goodbot, by every verb that reads the file.

Source: Conner 1996, Comment: "All 'Comment:'s in a rule set are to be sent back".
"""

from pathlib import Path

import pytest

from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import always
from tests.support.live_sites import ask, open_site

LOOPBACK = ("--allow-private", "--timeout", "30")
FORMS = (
    ("check",),
    ("check", "--json"),
    ("check", "--csv"),
    ("check", "--markdown"),
    ("check", "-r", "ExampleBot", "-r", "OtherBot"),
)
LIVE = (
    *FORMS,
    ("page", "uses"),
    ("page", "uses", "--json"),
    ("page",),
    ("page", "--json"),
    ("policy",),
)


def rules_with(count: int) -> bytes:
    """Return a robots.txt with a number of comments."""
    lines = "".join(f"Comment: number {at}.\n" for at in range(count))
    return f"User-agent: *\n{lines}Disallow: /private\n".encode()


def shown(count: int, printed: str) -> list[int]:
    """Return how often each comment was printed."""
    return [printed.count(f"number {at}.") for at in range(count)]


@pytest.mark.parametrize("form", LIVE, ids=" ".join)
def test_every_comment_is_sent_back(form: tuple[str, ...]) -> None:
    """Each comment of a site is printed once: in the output, or as a note beside it."""
    with open_site(always(200, rules_with(12), TEXT)) as site:
        _, output, complaints = ask(*form, *LOOPBACK, f"{site.origin}/a")
    assert shown(12, output + complaints) == [1] * 12


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_every_comment_of_a_file_is_sent_back(form: tuple[str, ...], tmp_path: Path) -> None:
    """A file is no different, and its comments are not among the results."""
    file = tmp_path / "robots.txt"
    file.write_bytes(rules_with(12))
    _, output, complaints = ask(*form, "-f", str(file), "/a", "/b")
    assert shown(12, complaints) == [1] * 12
    assert "number" not in output


def test_every_comment_is_sent_back_for_the_uses_of_a_file(tmp_path: Path) -> None:
    """The robots.txt of `--robots-txt` has comments, too."""
    file, page = tmp_path / "robots.txt", tmp_path / "page.html"
    file.write_bytes(rules_with(12))
    page.write_text("<p>Welcome")
    words = ("page", "uses", str(page), "-u", "https://example.com/a", "--robots-txt", str(file))
    assert shown(12, ask(*words)[1]) == [1] * 12


def test_that_comments_are_cut_is_said(tmp_path: Path) -> None:
    """Beyond the bound they are counted, with the command that lists them all."""
    file = tmp_path / "robots.txt"
    file.write_bytes(rules_with(150))
    complaints = ask("check", "-f", str(file), "/a", "/b")[2]
    assert shown(150, complaints) == [1] * 100 + [0] * 50
    assert "50 more; 'goodbot rules' lists them all" in complaints
    assert shown(150, ask("rules", str(file))[1]) == [1] * 150
    with open_site(always(200, rules_with(150), TEXT)) as site:
        _, output, _ = ask("check", *LOOPBACK, f"{site.origin}/a")
    assert shown(150, output) == [1] * 100 + [0] * 50
    assert "50 more; 'goodbot rules' lists them all" in " ".join(output.split())

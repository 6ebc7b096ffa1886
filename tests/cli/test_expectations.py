"""`goodbot test`, as a whole program."""

import json
from pathlib import Path

import pytest

from goodbot.cli.shared.robots import robot_choice
from tests.support.live_sites import ask, open_site
from tests.support.program import bare_environment

ROBOTS = "User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n"
HOLDS = '[[case]]\nrobot = "GPTBot"\nurl = ["/", "/a"]\nallow = false\n'
FAILS = '[[case]]\nrobot = "ExampleBot"\nurl = "/private/a"\nallow = true\nwhy = "It is public."\n'


@pytest.fixture
def here(tmp_path: Path) -> str:
    """Return a folder that has a robots.txt and files of cases."""
    (tmp_path / "robots.txt").write_text(ROBOTS)
    (tmp_path / "holds.toml").write_text(HOLDS)
    (tmp_path / "fails.toml").write_text(HOLDS + FAILS)
    return str(tmp_path)


def test_all_expectations_hold(here: str) -> None:
    """The status is 0, and one line counts them."""
    done = ask("test", "robots.txt", "holds.toml", cwd=here)
    assert done == (0, "2 expectations: all hold\n", "")


def test_a_failure_shows_the_line_that_decided(here: str) -> None:
    """The status is 1; those that hold are shown only with --verbose."""
    status, output, complaints = ask("test", "robots.txt", "fails.toml", cwd=here)
    assert (status, complaints) == (1, "")
    assert output == (
        "FAILED ExampleBot may fetch /private/a (case 2)\n"
        '  Disallowed: line 2, "Disallow: /private/", is the longest match '
        "(group *; dialect rfc9309).\n"
        "  why: It is public.\n"
        "3 expectations: 1 failed\n"
    )
    verbose = ask("test", "robots.txt", "fails.toml", "--verbose", cwd=here)[1]
    assert verbose.count("ok     GPTBot must not fetch") == 2


def test_json_has_every_expectation(here: str) -> None:
    """Each line is an object, and the status is the same."""
    status, output, _ = ask("test", "robots.txt", "fails.toml", "--json", cwd=here)
    found = [json.loads(line) for line in output.splitlines()]
    assert status == 1
    assert [one["holds"] for one in found] == [True, True, False]
    assert (found[2]["why"], found[2]["source"]) == ("It is public.", "robots.txt line 2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("robots.txt", "absent.toml"), "cannot read absent.toml"),
        (("absent.txt", "holds.toml"), "cannot read absent.txt"),
        (("robots.txt", "robots.txt"), "robots.txt: it is not valid TOML"),
        (("robots.txt",), "Missing argument 'CASES'"),
        (("robots.txt", "holds.toml", "-d", "none"), 'there is no dialect "none"'),
        (("-", "holds.toml"), "standard input is empty"),
    ],
)
def test_no_result_is_status_2(here: str, words: tuple[str, ...], message: str) -> None:
    """What cannot be read says so on standard error."""
    status, output, complaints = ask("test", *words, cwd=here)
    assert (status, output) == (2, "")
    assert message in complaints


def test_control_characters_are_escaped(here: str) -> None:
    """Neither the cases nor robots.txt can control the terminal."""
    Path(here, "odd.toml").write_text(FAILS.replace("public", "\\u001b[31m public"))
    Path(here, "odd.txt").write_bytes(b"User-agent: *\nDisallow: /private/\x1b[31m\nDisallow: /p")
    output = ask("test", "odd.txt", "odd.toml", cwd=here)[1]
    assert "\x1b" not in output
    assert "\\x1b[31m public" in output


def test_a_web_page_is_refused_with_strict(here: str) -> None:
    """A page of HTML allows everything, so that expectations may hold by mistake."""
    Path(here, "page.html").write_text("<!DOCTYPE html><html><body>Not found</body></html>")
    Path(here, "open.toml").write_text(HOLDS.replace("false", "true"))
    status, _, complaints = ask("test", "page.html", "open.toml", cwd=here)
    assert (status, "HTML" in complaints) == (0, True)
    status, output, complaints = ask("test", "page.html", "open.toml", "--strict", cwd=here)
    assert (status, output) == (2, "")


def test_a_live_site_is_tested(here: str) -> None:
    """Of a URL, the robots.txt of its site is fetched; the path of the URL does not matter."""
    with open_site("polite") as site:
        words = ("test", f"{site.origin}/a", "fails.toml", "--allow-private")
        status, output, _ = ask(*words, cwd=here)
        visits = [visit.target for visit in site.visits]
    assert (status, visits) == (1, ["/robots.txt"])
    assert output.endswith("3 expectations: 3 failed\n")


def test_a_site_without_a_robots_txt_allows_everything(here: str) -> None:
    """A site may have none, and that is an answer."""
    with open_site("not-found") as site:
        status, output, _ = ask("test", site.origin, "fails.toml", "--allow-private", cwd=here)
    assert (status, "3 expectations: 2 failed" in output) == (1, True)


def test_an_unreachable_site_is_no_result(here: str) -> None:
    """Expectations neither hold nor fail if robots.txt could not be fetched."""
    words = ("test", "http://127.0.0.1:9/", "holds.toml", "--allow-private")
    status, output, complaints = ask(*words, cwd=here)
    assert (status, output) == (2, "")
    assert "http://127.0.0.1:9 gave no robots.txt: " in complaints
    assert "check the host and the port, or name a downloaded file" in complaints


def test_a_file_needs_no_identity(here: str) -> None:
    """Only sites ask who is visiting."""
    done = ask("test", "robots.txt", "holds.toml", cwd=here, env=bare_environment())
    assert done[0] == 0


def test_urls_of_other_sites_are_refused(tmp_path: Path) -> None:
    """The robots.txt of a site says nothing about another one (RFC 9309 section 2.3)."""
    cases = tmp_path / "cases.toml"
    case = '[[case]]\nrobot = "A"\nurl = "https://other.example/a"\nallow = false\n'
    cases.write_text(case, encoding="utf-8")
    status, _, complaints = ask("test", "http://127.0.0.1:9/", str(cases))
    assert status == 2
    assert "with the robots.txt of https://other.example" in complaints


def test_two_names_in_one_text_are_refused(tmp_path: Path) -> None:
    """Each robot has a text of its own."""
    cases = tmp_path / "cases.toml"
    case = '[[case]]\nrobot = "GPTBot, Googlebot"\nurl = "/a"\nallow = false\n'
    cases.write_text(case, encoding="utf-8")
    status, _, complaints = ask("test", "-", str(cases))
    assert status == 2
    assert 'write robot = ["GPTBot", "Googlebot"]' in complaints


def test_another_file_than_the_one_that_the_cases_name_is_a_note(here: str) -> None:
    """The argument is tested; what the cases name is not skipped in silence."""
    Path(here, "named.toml").write_text(f'file = "robots.txt"\n{HOLDS}')
    Path(here, "other.txt").write_text(ROBOTS)
    assert ask("test", "./robots.txt", "named.toml", cwd=here)[2] == ""
    for words, given in ((("other.txt",), ""), (("-",), ROBOTS)):
        status, _, complaints = ask("test", *words, "named.toml", given=given.encode(), cwd=here)
        assert status == 0
        assert complaints.startswith(f"note: {words[0]} is tested, not robots.txt, which named.t")


def test_of_very_many_unknown_names_only_some_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is compared with hundreds of known ones; known names do not count."""
    sought: list[str] = []

    def seek(robot: str) -> str:
        sought.append(robot)
        return ""

    monkeypatch.setattr(robot_choice, "near_miss", seek)
    names = [name for number in range(150) for name in (f"ExampleBot{number}", "GPTBot", "*")]
    robot_choice.note_near_misses(names)
    assert sought == [f"ExampleBot{number}" for number in range(robot_choice.MOST_SOUGHT)]
    assert "only the first 100 names that are not known were compared" in capsys.readouterr().err

"""The plugin for pytest, in projects of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytest_plugins = "pytester"

ROBOTS = "User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /drafts\n"
CASES = """\
file = "robots.txt"
[[case]]
robot = ["ExampleBot", "Googlebot-News"]
url = "/drafts/1"
allow = true
why = "Everyone may read them."
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a project with a robots.txt, and nothing else."""
    pytester.path.joinpath("robots.txt").write_text(ROBOTS)
    return pytester


def write(project: pytest.Pytester, name: str, text: str) -> None:
    """Write a file of the project."""
    project.path.joinpath(name).write_text(text)


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Run the tests of the project, with the plugin once, whether it is installed or not."""
    without = ("goodbot", "cacheprovider", "schemathesis")
    plugins = ("-p", "goodbot.adapters.pytest", *(f"-pno:{name}" for name in without))
    return project.runpytest_inprocess(*plugins, *words)


def test_the_plugin_is_installed() -> None:
    """The distribution names it, so that pytest loads it by itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"goodbot": "goodbot.adapters.pytest"}


def test_each_expectation_is_a_test(project: pytest.Pytester) -> None:
    """A failure shows the line that decided, the family, and why, without a traceback."""
    write(project, "test_robots.toml", CASES)
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "Googlebot-News may fetch /drafts/1: does not hold",
            '*Disallowed: line 5, "Disallow: /drafts", is the longest match (group Googlebot; *',
            "*why: Everyone may read them.",
            "FAILED test_robots.toml::Googlebot-News /drafts/1*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*AssertionError*")


def test_one_expectation_can_be_chosen(project: pytest.Pytester) -> None:
    """-k selects by robot and URL, as for other tests."""
    write(project, "test_robots_of_shop.toml", CASES)
    run(project, "-k", "ExampleBot").assert_outcomes(passed=1, deselected=1)


def test_other_files_are_left_alone(project: pytest.Pytester) -> None:
    """Only the name `test_robots*.toml` is collected, unless a file is named."""
    write(project, "robots.toml", CASES)
    write(project, "cases.toml", CASES)
    write(project, "test_other.toml", "not TOML")
    result = run(project)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    run(project, "cases.toml").assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[case]]\n", "test_robots.toml, case 1: write allow = true or allow = false"),
        (CASES.replace("file =", "fil ="), "there is no key 'fil'; did you mean file?"),
        (CASES.partition("\n")[2], 'write at its beginning, for example: file = "robots.txt"'),
        (CASES.replace("robots.txt", "https://a.example/"), "because tests fetch nothing"),
        (
            CASES.replace("robots.txt", "absent.txt"),
            "file absent.txt cannot be read: No such file or dir*relative to",
        ),
    ],
)
def test_a_wrong_file_is_an_error_with_its_cure(
    project: pytest.Pytester, text: str, message: str
) -> None:
    """The collection fails, and the message says what to write."""
    write(project, "test_robots.toml", text)
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{message}*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_control_characters_are_escaped(project: pytest.Pytester) -> None:
    """A robots.txt cannot control the terminal of who tests it."""
    write(project, "robots.txt", "User-agent: *\nDisallow: /drafts\x1b[31m\nDisallow: /d")
    write(project, "test_robots.toml", CASES.replace("Everyone", "\\u001b[31mEveryone"))
    result = run(project)
    result.assert_outcomes(failed=2)
    assert "\x1b" not in str(result.stdout)


def test_without_such_a_file_the_plugin_loads_nothing(tmp_path: Path) -> None:
    """A project that only has goodbot installed pays for one small module."""
    code = (
        "import sys, pytest; pytest.main(['-q', '-p', 'no:goodbot', '-p', "
        "'goodbot.adapters.pytest', '-p', 'no:cacheprovider']);"
        "print(*sorted(name for name in sys.modules if name.startswith('goodbot')))"
    )
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.splitlines()[-1].split()
    wanted = ["goodbot", "goodbot._core", "goodbot.adapters", "goodbot.adapters.pytest"]
    assert loaded == [*wanted, "goodbot.earlier_names", "goodbot.errors"]

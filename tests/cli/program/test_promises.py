"""What the command line promises always: statuses, pipes, colour, light import."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.exit_status import ExitStatus
from tests.support import program
from tests.support.paths import ROOT
from tests.support.program import GOODBOT
from tests.support.waiting import HANGS

SHOP = str(ROOT / "examples" / "shop" / "robots.txt")
PAGE = str(Path(SHOP).with_name("lamp.html"))
VERBS = (
    "check",
    "rules",
    "page",
    "page uses",
    "dialects",
    "policy",
    "crawl",
    "search",
    "archive show",
    "archive",
    "evidence",
    "report skipped",
    "report",
    "policy",
    "search",
)
FULL = Path("/dev/full")


def run(
    *arguments: str | bytes, given: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the program, with these variables added to an environment that wants no colour of it."""
    return program.run(*arguments, given=given, env=program.bare_environment(**environment))


@pytest.fixture
def many_urls(tmp_path: Path) -> Path:
    """Return a file of a hundred thousand URLs."""
    urls = tmp_path / "urls.txt"
    urls.write_bytes(b"".join(b"/lamps/%d\n" % number for number in range(100_000)))
    return urls


def test_statuses_are_those_that_are_promised() -> None:
    """The numbers are part of the interface."""
    assert [(status.name, status.value) for status in ExitStatus] == [
        ("ALLOWED", 0),
        ("DISALLOWED", 1),
        ("MISUSE", 2),
        ("INCOMPLETE", 3),
        ("INTERRUPTED", 130),
        ("PIPE_CLOSED", 141),
    ]


def test_version_is_that_of_the_package() -> None:
    """--version prints the version of the package."""
    done = run("--version")
    assert (done.returncode, done.stdout.decode().split()) == (0, ["goodbot", goodbot.__version__])


def test_no_arguments_show_the_help() -> None:
    """Without arguments the verbs are shown, and the status says that nothing was asked."""
    for arguments in ((), ("check",), ("policy",), ("rules",)):
        done = run(*arguments)
        assert done.returncode == 2
        assert b"Usage: goodbot" in done.stdout + done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    """The help of each verb says what it does and shows an example that fits 80 columns."""
    done = run(*verb.split(), "--help")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert f"Usage: goodbot {verb}" in text
    assert f"\n    goodbot {verb}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_help_of_the_program_names_every_verb() -> None:
    """The program's help has an example and every verb."""
    text = run("-h").stdout.decode()
    assert "goodbot check --robots-txt" in text
    for verb in VERBS:
        assert f"\n  {verb.split()[0]} " in text


@pytest.mark.parametrize("module", ["click", "rich", "json", "goodbot.cli"])
def test_import_of_the_package_is_light(module: str) -> None:
    """`import goodbot` loads neither the command line nor what it needs."""
    code = f"import goodbot, sys; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603  our own code


def test_rich_is_loaded_only_for_tables() -> None:
    """A question without a table does not wait for rich."""
    code = (
        "import sys; from goodbot.cli.program import run;"
        f"run(['check', '-f', {SHOP!r}, '/a']); run(['rules', {SHOP!r}]);"
        "sys.exit('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603  our own code
    assert done.returncode == 0, done.stderr


def test_closed_pipe_ends_quietly(many_urls: Path) -> None:
    """When the reader goes away, the program ends at once, without a message."""
    command = [*GOODBOT, "check", "-f", SHOP, "--urls", str(many_urls)]
    with subprocess.Popen(command, stdout=-1, stderr=-1) as process:  # noqa: S603  our own program
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"/lamps/0: Allowed: ")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == ExitStatus.PIPE_CLOSED


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_closes_is_told_by_the_status(unbuffered: str, tmp_path: Path) -> None:
    """If only the beginning is read, the status is not 0, also without buffers."""
    many = tmp_path / "robots.txt"
    many.write_text("User-agent: *\n" + "".join(f"Disallow: /{n}\n" for n in range(20_000)))
    words = shlex.join([*GOODBOT, "rules", str(many), "--json"])
    command = f"{words} | head -c 3; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(  # noqa: S602  our own program
        command,
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert done.returncode == ExitStatus.PIPE_CLOSED


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full to write to")
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "-f", SHOP, "/lamps"),
        ("rules", SHOP),
        ("page", PAGE, "-u", "https://antiques.example/lamps"),
        ("dialects",),
        ("--help",),
    ],
)
def test_full_disk_is_told(arguments: tuple[str, ...]) -> None:
    """An output that cannot be written ends with 2 and one line, never with "allowed"."""
    with FULL.open("wb") as full:
        done = program.run(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"Error: the output could not be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_interrupt_ends_quietly() -> None:
    """Ctrl-C leaves with 130 and no traceback, and what was answered is not lost in between."""
    with subprocess.Popen(  # noqa: S603  our own program
        [*GOODBOT, "check", "-f", SHOP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # So much that some of it is printed: then the program is past loading.
        process.stdin.write(b"/lamps\n" * 1000)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"/lamps: Allowed: ")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=HANGS)
    assert process.returncode == ExitStatus.INTERRUPTED
    assert complaints.strip() == b""


def test_colour_is_only_where_it_is_wanted() -> None:
    """A pipe gets no colour; FORCE_COLOR asks for it, and NO_COLOR wins."""
    for arguments in (("check", "-f", SHOP, "/a"), ("check", "-f", SHOP, "-d", "all", "/a")):
        assert b"\x1b" not in run(*arguments).stdout
        assert b"\x1b[32m" in run(*arguments, FORCE_COLOR="1").stdout
        assert b"\x1b" not in run(*arguments, FORCE_COLOR="1", NO_COLOR="1").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_terminal_gets_colour_unless_no_color() -> None:
    """On a terminal there is colour, and none with NO_COLOR or on a dumb one."""
    import pty  # noqa: PLC0415  there is none on Windows

    def seen(**environment: str) -> bytes:
        control, terminal = pty.openpty()
        subprocess.run(  # noqa: S603  our own program
            [*GOODBOT, "check", "-f", SHOP, "/a"],
            stdout=terminal,
            check=True,
            env={"PATH": os.environ["PATH"], "TERM": "xterm"} | environment,
        )
        os.close(terminal)
        with os.fdopen(control, "rb", buffering=0) as screen:
            return screen.read(10_000) or b""

    assert b"\x1b[32m" in seen()
    assert b"\x1b" not in seen(NO_COLOR="1")
    assert b"\x1b" not in seen(TERM="dumb")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "-f", "-", "/a\x1b[2J\x07"),
        ("check", "-f", "-", "-e", "/a\x1b[2J\u202e"),
        ("check", "-f", "-", "-d", "all", "/a\x1b[2J"),
        ("check", "-f", "-", "--json", "/a\x1b[2J"),
        ("check", "-f", "-", "-r", "Bad\x1bBot", "/a"),
        ("check", "-f", "/no/\x1b[2J/file", "/a"),
        ("check", "-f", "-", "-d", "\x1b[2J", "/a"),
        ("rules", "-", "-r", "Bad\x1bBot"),
        ("rules", "-", "--json"),
        ("\x1b[2J",),
    ],
)
def test_no_foreign_octet_steers_the_terminal(arguments: tuple[str, ...]) -> None:
    """No control character of a file, a URL or a name is printed raw, in colour or not."""
    content = (
        b"# \x1b]0;title\x07\nUser-agent: *\nDisallow: /a\x1b[2J\xc2\x9b\xe2\x80\xae\xff\n"
        b"Comment: \x1b[31mred\nDis\x1ballow: /\nSitemap: https://e.example/\x1b[1m\n"
    )
    done = run(*arguments, given=content)
    text = (done.stdout + done.stderr).decode()
    assert text
    assert not set(text) & set("\x00\x07\x1b\r\x7f\x9b\u202e\ufffe")


def test_names_and_contents_that_are_not_utf_8_work(tmp_path: Path) -> None:
    """Any bytes can be a file's name, its content and a URL."""
    name = os.fsencode(tmp_path) + b"/robots-\xe9.txt"
    try:
        with open(name, "wb") as file:  # noqa: PTH123  a path of bytes
            file.write(b"User-agent: *\nDisallow: /caf\xe9\n")
    except OSError:
        pytest.skip("this file system takes only names that are UTF-8")
    done = run("check", "-f", name, b"/caf\xe9")
    assert done.returncode == 1
    done = run("check", "-f", name, "--explain", given=b"/caf\xe9\n")
    assert done.returncode == 1
    assert b"> 2 | Disallow: /caf\\xe9" in done.stdout


def test_output_in_a_small_encoding_works() -> None:
    """Where the output's encoding lacks a character, it is escaped and nothing breaks."""
    done = run("check", "-f", SHOP, "/caf\u00e9/\u2603", PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert done.returncode == 0
    assert b"/caf\\xe9/\\u2603" in done.stdout


def test_closed_output_is_misuse() -> None:
    """Where there is no standard output at all, the status is no permission."""
    code = "import os, sys; os.close(1); os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-c", code, *GOODBOT, "check", "-f", SHOP, "/lamps"]
    done = subprocess.run(command, stderr=-1, check=False)  # noqa: S603  our own program
    assert done.returncode == 2
    assert b"standard output is closed" in done.stderr


def test_words_are_completed_in_a_shell() -> None:
    """The script that completes words in a shell is printed, with the status 0."""
    done = run(_GOODBOT_COMPLETE="zsh_source")
    assert done.returncode == 0
    assert b"compdef" in done.stdout


def test_line_without_end_is_refused() -> None:
    """A URL of megabytes is refused instead of held."""
    done = run("check", "-f", SHOP, given=b"/lamps\n/" + b"a" * 2_000_000)
    assert done.returncode == 2
    assert b"line 2 of the URLs is longer than 1 MiB" in done.stderr


@pytest.mark.stress
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a child so")
def test_memory_does_not_grow_with_the_urls(many_urls: Path, tmp_path: Path) -> None:
    """A hundred thousand URLs take no more memory than one."""
    one_url = tmp_path / "one.txt"
    one_url.write_text("/lamps\n")
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )

    def peak(urls: Path) -> int:
        command = [sys.executable, "-c", code, *GOODBOT, "check", "-f", SHOP, "--urls", str(urls)]
        return int(subprocess.check_output(command))  # noqa: S603  our own program

    assert peak(many_urls) < peak(one_url) + 1_500

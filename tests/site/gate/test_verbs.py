"""`goodbot gate`: what it prints, writes and serves."""

import http.client
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import program
from tests.support.json_output import check_output
from tests.support.waiting import HANGS

POLICY = """
site = "https://example.com"
[[rule]]
paths = ["/private/"]
fetch = false
[[rule]]
robots = ["GPTBot"]
uses = { train = false }
until = 2027-01-01
"""
ROBOTS = """User-agent: GPTBot
Disallow: /private/
Content-Usage: / train-ai=n
Content-Signal: ai-train=no

User-agent: *
Disallow: /private/
"""


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """Return a file with a policy."""
    path = tmp_path / "gate.toml"
    path.write_text(POLICY, encoding="utf-8")
    return str(path)


def run(*arguments: str) -> tuple[int, str, str]:
    """Run `goodbot gate`; its exit status, output and complaints."""
    done = program.run("gate", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_robots_txt_is_printed_as_of_a_time(policy: str) -> None:
    """By default now; with --at, the rules of that day."""
    assert run("render", policy, "--at", "2026-12-01") == (0, ROBOTS, "")
    later = run("render", policy, "--at", "2027-01-01T00:00:00Z")[1]
    assert later == "User-agent: *\nDisallow: /private/\n"


def test_the_fields_of_a_page_are_printed(policy: str) -> None:
    """Header fields and META for one robot, and nothing for those to whom nothing is said."""
    asked = ("render", policy, "--at", "2026-12-01", "--url", "/a")
    assert run(*asked, "--robot", "GPTBot")[1].splitlines() == [
        "X-Robots-Tag: noai",
        "Content-Usage: train-ai=n",
        "Content-Signal: ai-train=no",
        "TDM-Reservation: 1",
        "Vary: User-Agent",
        '<meta name="robots" content="noai">',
    ]
    assert run(*asked)[1] == "Vary: User-Agent\n"


def test_all_files_are_written(policy: str, tmp_path: Path) -> None:
    """Below the folder that --out names."""
    out = tmp_path / "site"
    assert run("render", policy, "--at", "2026-12-01", "--out", str(out))[0] == 0
    assert (out / "robots.txt").read_text() == ROBOTS


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own")
def test_links_below_the_folder_are_not_followed(policy: str, tmp_path: Path) -> None:
    """One that stands for a file is replaced; one that stands for a folder is refused."""
    other, out, linked = tmp_path / "other", tmp_path / "site", tmp_path / "linked"
    other.mkdir()
    out.mkdir()
    linked.symlink_to(out)
    asked = ("render", policy, "--out", str(linked))
    Path(policy).write_text(f"{POLICY}[[rule]]\nuses = {{ train = false }}\n", encoding="utf-8")
    (other / "mine.txt").write_text("mine")
    (out / "robots.txt").symlink_to(other / "mine.txt")
    assert run(*asked)[0] == 0
    assert (out / "robots.txt").read_text().startswith("User-agent: ")
    assert not (out / "robots.txt").is_symlink()
    shutil.rmtree(out / ".well-known")
    (out / ".well-known").symlink_to(other)
    status, _, complaints = run(*asked)
    assert (status, f"{linked / '.well-known'} is a link" in complaints) == (2, True)
    assert [(one.name, one.read_text()) for one in other.iterdir()] == [("mine.txt", "mine")]


def test_a_snippet_is_printed_and_written(policy: str, tmp_path: Path) -> None:
    """Each file with its name; a folder that cannot be named is refused."""
    asked = ("snippet", policy, "nginx", "--at", "2026-12-01", "--files")
    status, output, _ = run(*asked, "/srv/gate")
    assert (status, output.startswith("# gate-http.conf\n")) == (0, True)
    assert '    "~*(?<!like )GPTBot" 0;' in output
    assert '    root "/srv/gate";' in output
    assert run(*asked, "/srv/gate", "--out", str(tmp_path))[0] == 0
    assert (tmp_path / "gate-server.conf").read_text() in output
    assert "use an absolute path" in run(*asked, "gate")[2]


def test_mistakes_are_refused(policy: str) -> None:
    """Two results at once, a file that there is not, a time that is none, a policy that is none."""
    assert "use one of them" in run("render", policy, "--url", "/", "--file", "/x")[2]
    assert "it has /robots.txt" in run("render", policy, "--file", "/x")[2]
    assert "is no time" in run("render", policy, "--at", "soon")[2]
    status, _, complaints = run("render", __file__)
    assert (status, "is not valid TOML" in complaints) == (2, True)


def test_findings_are_listed(policy: str) -> None:
    """With status 1, as text and as JSON; a policy without findings has status 0."""
    status, output, _ = run("check", policy, "--at", "2027-01-02")
    assert status == 1
    assert "Rule 2 ended on 2027-01-01; remove it (ends-later)" in output
    _, output, _ = run("check", policy, "--at", "2027-01-02", "--json")
    codes = [row["code"] for row in check_output("gate-check", output)]
    assert codes == ["ends-later", "ignores-star"]


def test_a_policy_is_served(policy: str) -> None:
    """On loopback, with validators, until it is stopped."""
    command = [sys.executable, "-m", "goodbot", "gate", "serve", policy, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None
        address = process.stderr.readline().partition("http://")[2].partition("/")[0]
        connection = http.client.HTTPConnection(address, timeout=HANGS)
        for method, path, fields, status in (
            ("GET", "/robots.txt", {}, 200),
            ("HEAD", "/robots.txt?a", {}, 200),
            ("GET", "/robots.txt", {"If-None-Match": "*"}, 304),
            ("GET", "/other", {}, 404),
        ):
            connection.request(method, path, headers=fields)
            answer = connection.getresponse()
            body = answer.read()
            assert (answer.status, bool(body)) == (status, method == "GET" and status != 304)
        connection.close()
        process.terminate()
        process.wait(HANGS)


def test_a_file_that_cannot_be_written_whole_stays(policy: str, tmp_path: Path) -> None:
    """Half a robots.txt would allow what the other half forbids."""
    site = tmp_path / "site"
    assert run("render", policy, "--out", str(site))[0] == 0
    before = (site / "robots.txt").read_bytes()
    words = f"ulimit -f 0; exec {shlex.join(program.GOODBOT)} gate render {policy} --out {site}"
    done = subprocess.run(["bash", "-c", words], capture_output=True, check=False)  # noqa: S603, S607  own words
    assert done.returncode == 2
    assert b"robots.txt was not written" in done.stderr
    assert (site / "robots.txt").read_bytes() == before
    assert sorted(one.name for one in site.iterdir()) == ["robots.txt"]


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["render", "--host", "other.example"], "it has example.com"),
        (["check", "--host", "https://example.com"], "it has example.com"),
        (["render", "--url", "https://example.com/a"], "is not a path"),
        (["render", "--out", "POLICY"], "is a file; name a folder"),
        (["serve", "--port", "PORT"], "--port"),
        (["serve", "--bind", "nohost.invalid"], "--bind"),
    ],
)
def test_what_the_policy_or_machine_does_not_have_is_said(
    policy: str, words: list[str], cure: str
) -> None:
    """With what there is, or what to choose instead."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        names = {"POLICY": policy, "PORT": str(taken.getsockname()[1])}
        status, printed, told = run(words[0], policy, *(names.get(one, one) for one in words[1:]))
    assert (status, printed) == (2, "")
    assert cure in told


SPELLINGS = (
    "/robots.txt", "/robots.txt$", "/robots.txt*", "/./robots.txt", "//robots.txt",
    "/a/../robots.txt", "/%72obots%2Etxt", "/%2e/robots.txt", "/a/%2E./robots.txt",
    "/%2Frobots.txt", "/robots.txt?a",
)  # fmt: skip
"""What a server, and the gate, answers with the file: RFC 3986 section 6.2.2."""


@pytest.mark.parametrize(
    ("verb", "spelling"), [("check", one) for one in SPELLINGS] + [("render", SPELLINGS[3])]
)
def test_a_rule_for_robots_txt_is_refused(verb: str, spelling: str, tmp_path: Path) -> None:
    """No such line is ever written: the policy is not valid."""
    path = tmp_path / "gate.toml"
    path.write_text(POLICY.replace("/private/", spelling), encoding="utf-8")
    status, output, complaints = run(verb, str(path))
    assert (status, output) == (2, "")
    assert "rule 1: /robots.txt may always be fetched, and no rule may name it" in complaints
    assert f"remove '{spelling}' from the paths" in complaints


@pytest.mark.parametrize("path", ["/robots.txt.old", "/a/robots.txt", "/robots", "/%2572obots.txt"])
def test_a_rule_beside_robots_txt_is_accepted(path: str, tmp_path: Path) -> None:
    """Other paths, in which the name is only a part."""
    file = tmp_path / "gate.toml"
    file.write_text(POLICY.replace("/private/", path), encoding="utf-8")
    assert run("render", str(file))[0] == 0

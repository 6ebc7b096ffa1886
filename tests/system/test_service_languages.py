"""The programs in docs/how-to/workers-in-other-languages.md, run as they stand."""

import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from goodbot.testing.steps import always
from tests.support.live_sites import open_site
from tests.support.paths import ROOT
from tests.support.service_process import running_service
from tests.support.waiting import HANGS

PAGE = ROOT / "docs" / "how-to" / "workers-in-other-languages.md"
SERVICE, URL = "http://127.0.0.1:8470", "https://example.com/page"
PROGRAMS = {
    "bash": ("ask.sh", ["bash", "ask.sh"], "curl"),
    "javascript": ("ask.mjs", ["node", "ask.mjs"], "node"),
    "go": ("ask.go", ["go", "run", "ask.go"], "go"),
    "java": ("Ask.java", ["java", "Ask.java"], "java"),
}
"""By the language of the page: a file, the command, and what must be installed."""


def programs(language: str) -> list[str]:
    """Return the programs of the page in one language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert found
    return found


def run(text: str, language: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program."""
    name, command, tool = PROGRAMS[language]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed, so the program in {language} was not run")
    (folder / name).write_text(text)
    env = {**os.environ, "GO111MODULE": "off", "GOTOOLCHAIN": "local", "GOFLAGS": ""}
    return subprocess.run(  # noqa: S603  a program of the documentation
        [*command, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=HANGS,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("path", ["/public", "/private/x"])
@pytest.mark.parametrize("language", PROGRAMS)
def test_each_language_gets_the_verdict_and_its_reason(
    language: str, path: str, tmp_path: Path
) -> None:
    """Allowed or not, from a site that goodbot had not asked before."""
    text = programs(language)[0]
    with open_site("polite") as site, running_service("--allow-private") as base:
        done = run(text.replace(SERVICE, base).replace(URL, site.origin + path), language, tmp_path)
        assert done.returncode == 0, done.stderr
        said = (
            ["no-rule-matches"] if path == "/public" else ["disallowed", "rule-disallows", "line"]
        )
        assert all(word in done.stdout for word in said), done.stdout
        assert ("disallowed" in done.stdout) == (path != "/public")
        if language == "java":
            assert done.stdout.startswith("allowed" if path == "/public" else "not allowed")
        fetched = [path] if language == "bash" and path == "/public" else []
        assert [visit.target for visit in site.visits] == ["/robots.txt", *fetched]


@pytest.mark.parametrize("language", PROGRAMS)
def test_without_a_service_nothing_is_allowed(language: str, tmp_path: Path) -> None:
    """It is not there: the program fails, or finds no permission."""
    with open_site("polite") as site, running_service() as base:
        gone = base  # its port is free once it has ended
    text = programs(language)[0].replace(SERVICE, gone).replace(URL, f"{site.origin}/public")
    done = run(text, language, tmp_path)
    assert "allowed" not in done.stdout
    assert site.visits == []


def test_the_worker_in_go_is_polite(tmp_path: Path) -> None:
    """Two of them share one pace, obey, and end each turn."""
    text = programs("go")[1]
    rules = b"User-agent: *\nDisallow: /private\nCrawl-delay: 1\n"
    with (
        open_site(always(200, rules, "Content-Type: text/plain")) as site,
        running_service("--allow-private", "--store", tmp_path / "robots.db") as base,
    ):
        urls = [f"{site.origin}/public?{number}" for number in range(3)]
        words = [urls[0], f"{site.origin}/private/x", *urls[1:]]
        done = run(text.replace(SERVICE, base), "go", tmp_path, *words)
        assert done.returncode == 0, done.stderr
        assert [line.split()[0] for line in done.stdout.splitlines()] == [
            "fetched", "refused", "fetched", "fetched",
        ]  # fmt: skip
        targets = [visit.target for visit in site.visits]
        assert targets == ["/robots.txt", *(f"/public?{number}" for number in range(3))]
        times = [visit.at for visit in site.visits]
        assert all(after - before >= 1 for before, after in pairwise(times))
        agents = {dict(visit.headers)["User-Agent"].split("/")[0] for visit in site.visits[1:]}
        assert agents == {"ExampleBot"}

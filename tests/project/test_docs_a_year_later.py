"""docs/tutorials/a-year-later.md shows what the program prints: its commands are run in order."""

import re
import shlex
import shutil
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.support import program
from tests.support.paths import ROOT
from tests.support.program import environment

FILES = ROOT / "examples" / "a-year-later"
PAGE = (ROOT / "docs" / "tutorials" / "a-year-later.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ([^\n]+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
PAGE_PORT = "8400"
VARIES = re.compile(r"[0-9-]{10} [0-9:]{5,8}|[0-9,]+ bytes|[0-9.]+ seconds|knowledge of [0-9-]+")
"""Times, and lengths of compressed files."""


class Served(SimpleHTTPRequestHandler):
    """Serves a folder, and prints nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  of the library
        """Print nothing."""


def test_the_page_shows_what_the_program_prints(tmp_path: Path) -> None:
    """The output matches word for word, except times and lengths; the site changes in between."""
    site = tmp_path / "site"
    shutil.copytree(FILES / "may", site)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        port = str(server.server_address[1])
        shown = [one for block in BLOCK.findall(PAGE) for one in COMMAND.findall(block)]
        for command, output in shown:
            if "june" in command:
                shutil.copytree(FILES / "june", site, dirs_exist_ok=True)
            if not command.startswith("goodbot "):
                continue
            words = shlex.split(command.replace(PAGE_PORT, port))[1:]
            done = program.run(*words, cwd=tmp_path, env=environment(), stderr=subprocess.STDOUT)
            said = done.stdout.decode().replace(port, PAGE_PORT)
            if words[0] != "crawl":
                assert VARIES.sub("~", said) == VARIES.sub("~", output), command
        server.shutdown()
    verbs = {command.split()[1] for command, _ in shown if command.startswith("goodbot ")}
    assert verbs == {"crawl", "archive", "reconsider", "search", "evidence"}


def test_the_page_shows_what_the_site_says_in_june() -> None:
    """Each file that opts out is on the page."""
    said = [path for path in (FILES / "june").rglob("*") if path.is_file()]
    assert {path.name for path in said} == {"robots.txt", "tdmrep.json"}
    for path in said:
        assert path.read_text(encoding="utf-8") in PAGE, path.name

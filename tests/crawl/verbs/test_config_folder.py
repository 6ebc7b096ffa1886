"""Beside a `goodbot.toml`, verbs that read a crawl need no folder, and a crawl needs no URL."""

import json
from pathlib import Path

import pytest

from goodbot.cli.shared.config_toml import CONFIG_FILE
from tests.support import program
from tests.support.crawls.memory_crawls import SITE, crawl, site_of

URL = f"{SITE}/lamps"
READERS = {
    ("links", "--broken"): "https://a.example/old",
    ("inventory", "--json"): "Lamps",
    ("search", "brass"): "1 page for brass",
    ("search", "brass", "-n", "1"): "1 page for brass",
    ("evidence", f"{SITE}/lamps"): "ExampleBot",
    ("archive", "show", f"{SITE}/lamps"): "Copy of",
    ("report", "-o", "-"): "<!DOCTYPE html>",
    ("report", "skipped"): "https://a.example",
    ("report", "findings"): "page-missing",
    ("archive", "export", "--wacz", "x.wacz"): "x.wacz: 1 page",
    ("report", "compare", "--since", "2020-01-01"): "New URLs: 3",
}
"""Verbs without a folder, and what they print."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl into a folder that a `goodbot.toml` beside it names."""
    folder = tmp_path_factory.mktemp("here")
    home = "<a href=/lamps>Lamps</a> <a href=/old>old</a>"
    site = site_of("", home=home, lamps="<title>Lamps</title>A brass lamp.")
    crawl(folder / "shop", site)
    (folder / CONFIG_FILE).write_text('[crawl]\nout = "shop"\n')
    return folder


@pytest.mark.parametrize("words", READERS)
def test_the_folder_of_the_file_is_read(words: tuple[str, ...], here: Path) -> None:
    """A line on standard error says so."""
    done = program.run(*words, cwd=here)
    assert done.returncode in {0, 1}
    assert READERS[words] in done.stdout.decode()
    assert done.stderr.decode().startswith(f"Reading shop, the folder of {CONFIG_FILE}.\n")


def test_a_folder_that_is_named_comes_first(here: Path) -> None:
    """Nothing is said of the file then, and it may even be invalid."""
    named = program.run("search", "shop", "brass", cwd=here)
    assert (named.returncode, named.stderr) == (0, b"")
    inside = here / "inside"
    inside.mkdir()
    (inside / CONFIG_FILE).write_text("[crawl")
    assert program.run("links", "../shop", cwd=inside).returncode == 0
    done = program.run("links", cwd=inside)
    assert done.returncode == 2
    assert b"is not valid TOML" in done.stderr


def test_without_a_file_the_folder_is_needed(tmp_path: Path) -> None:
    """Its name is missing, or the help is printed if there are no words at all."""
    assert b"Missing argument 'DIR'" in program.run("links", "--broken", cwd=tmp_path).stderr
    assert b"Usage: goodbot links" in program.run("links", cwd=tmp_path).stderr
    assert b"Usage: goodbot crawl" in program.run("crawl", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    "words",
    [("status", URL), ("evidence", URL), ("evidence", URL, "shop"), ("archive", "show", URL, "x")],
)
def test_a_url_is_no_folder(words: tuple[str, ...], tmp_path: Path) -> None:
    """It was named without the folder, or before it."""
    done = program.run(*words, cwd=tmp_path)
    told = f"Error: {URL} is a URL; the folder of the crawl comes first. See goodbot"
    assert (done.returncode, done.stderr.decode().startswith(told)) == (2, True)


def test_the_url_is_missed_apart_from_the_folder(here: Path) -> None:
    """The message names what is missing."""
    assert b"Missing argument 'URL'" in program.run("archive", "show", cwd=here).stderr
    assert b"write the URL to start at" in program.run("crawl", cwd=here).stderr


def test_a_crawl_starts_where_the_file_says(tmp_path: Path) -> None:
    """The URLs of the file hold if the command has none, and no other folder to continue."""
    (tmp_path / CONFIG_FILE).write_text(
        '[crawl]\nstart = ["http://127.0.0.1:9/"]\nout = "shop"\nrobot = "ExampleBot/1.0"\n'
    )

    def run(*words: str) -> program.Done:
        return program.run("crawl", "--json", *words, cwd=tmp_path, env=program.environment())

    first = run()
    assert b"As the config file says: http://127.0.0.1:9/, in the folder shop." in first.stderr
    events = [json.loads(line) for line in first.stdout.splitlines()]
    assert [one["url"] for one in events if one["event"] == "refused"] == ["http://127.0.0.1:9/"]
    assert first.returncode == 2  # the address is private
    other = run("http://127.0.0.1:7/", "--out", "other")
    assert b"config file" not in other.stderr
    resumed = run("--resume", "--out", "other")
    assert b"127.0.0.1:9" not in other.stdout + resumed.stdout


def test_a_crawl_of_the_file_goes_on_by_the_same_command(tmp_path: Path) -> None:
    """`goodbot crawl` alone is enough again and again, for example as a service."""
    told = 'start = ["http://127.0.0.1:9/"]\nout = "shop"\nrobot = "ExampleBot/1.0"\n'
    told += 'info-url = "https://example.com/bot"\ncontact = "bot@example.com"\n'
    (tmp_path / CONFIG_FILE).write_text(f"[crawl]\n{told}")
    words = ("crawl", "--allow-private", "--patience", "0", "--quiet")
    for _ in range(2):
        done = program.run(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert b"The whole crawl: 1 URL (1 queued)." in done.stdout


def test_a_file_of_urls_may_have_comments(tmp_path: Path) -> None:
    """Lines that begin with #, and empty ones."""
    (tmp_path / "sites.txt").write_text("# shops\nhttp://127.0.0.1:9/\n\n  # more\n")
    words = ("crawl", "--urls", "sites.txt", "--robot", "ExampleBot/1.0", "--json")
    done = program.run(*words, cwd=tmp_path, env=program.environment())
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["url"] for one in events if one["event"] == "refused"] == ["http://127.0.0.1:9/"]
    (tmp_path / "sites.txt").write_text("# nothing yet\n")
    assert b"has no URL" in program.run(*words, cwd=tmp_path, env=program.environment()).stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--resume", "--due"), "use one of them"),
        (("--again", "--due"), "--again everything; use one of them"),
        (("--any-origin", "--check-external", SITE), "use one of them"),
    ],
)
def test_contradictions_are_refused(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    """The message says which option does what."""
    done = program.run("crawl", *words, cwd=tmp_path, env=program.environment())
    assert done.returncode == 2
    assert told in done.stderr.decode()


@pytest.mark.parametrize("out", ["../shop", "a/../../shop", "link", "{absolute}"])
def test_a_file_names_no_folder_elsewhere(out: str, tmp_path: Path) -> None:
    """The author of the file does not choose what is read outside, nor through a symbolic link."""
    inside, outside = tmp_path / "inside", tmp_path / "shop"
    crawl(outside, site_of("", home="A brass lamp."))
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / CONFIG_FILE).write_text(f'[crawl]\nout = "{out.format(absolute=outside)}"\n')
    done = program.run("search", "brass", cwd=inside)
    assert done.returncode == 2
    assert b"leaves the current directory" in done.stderr
    assert program.run("search", str(outside), "brass", cwd=inside).returncode == 0

"""Commands that messages suggest repeat what the user typed."""

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from goodbot.cli.advice.suggestion import suggest
from tests.support import program
from tests.support.paths import ROOT

CRAWL = "goodbot crawl --robot ExampleBot/1.0 --out 'a b'"
INFO = "--info-url https://example.com/bot --contact bot@example.com"
FETCH = "curl -sSL -D headers.txt -o page.html https://a.example/x"


@click.command()
@click.argument("words", nargs=-1)
@click.option("-o", "--out", default="crawl")
@click.option("--quiet", is_flag=True)
@click.option("--seconds", type=float)
@click.option("--site", "sites", multiple=True)
@click.option("--contact", envvar="CONTACT")
def verb(**_: object) -> None:
    """Print a suggested command."""
    click.echo(suggest("--out", "other"))
    click.echo(suggest("--site", "c", drop=("words",)))
    click.echo(suggest("DIR", verb="archive list", keep=("quiet",)))


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        ((), ("--out other", "--site c", "DIR")),
        (("-o", "x"), ("--out other", "--site c --out x", "DIR")),
        (("--quiet",), ("--out other --quiet", "--site c --quiet", "DIR --quiet")),
        (("--seconds", "2"), ("--out other --seconds 2", "--site c --seconds 2", "DIR")),
        (("--seconds", "0.1234567"), ("--out other --seconds 0.1234567",)),
        (("--site", "a", "--site", "b c"), ("--out other --site a --site 'b c'",)),
        (("--site", "a"), ("--out other --site a", "--site c --site a")),
        (("a&b", "it's"), ("--out other 'a&b' 'it'\"'\"'s'", "--site c", "DIR")),
        (("--", "-x"), ("--out other -- -x", "--site c", "DIR")),
    ],
)
def test_options_and_arguments_are_repeated(
    words: tuple[str, ...], suggested: tuple[str, ...]
) -> None:
    """Whatever was typed is quoted and repeated; a default or a variable is not."""
    done = CliRunner().invoke(verb, words, env={"CONTACT": "bot@example.com"})
    lines = done.output.splitlines()
    prefixes = ("goodbot ", "goodbot ", "goodbot archive list ")
    wanted = [f"{prefix}{words}" for prefix, words in zip(prefixes, suggested, strict=False)]
    assert lines[: len(wanted)] == wanted


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("check -r Bot --timeout 3 README.md https://a.example/x", "--robots-txt README.md"),
        (
            "check -r Bot --store s.db --contact '' https://a.example/x",
            f"goodbot check {INFO} --robot Bot --store s.db https://a.example/x",
        ),
        (
            "check -d all --json https://a.example/x",
            "goodbot check --robots-txt robots.txt --dialect all --json https://a.example/x",
        ),
        (
            "policy --allow-private -d google --info-url '' https://a.example",
            f"goodbot policy {INFO} --dialect google --allow-private https://a.example",
        ),
        ("policy -r Bot README.md", "goodbot rules README.md --robot Bot"),
        ("policy -r Bot README.md", "goodbot check --robots-txt README.md URL --robot Bot"),
        (
            "crawl -r Bot/1 -o 'a b' --allow-private https://a.example",
            f"goodbot crawl {INFO} --robot Bot/1 --out 'a b' --allow-private https://a.example",
        ),
        (
            "crawl -o 'a b' https://a.example",
            f"{CRAWL.replace(' --out', f' {INFO} --out')} https://a.example",
        ),
        (
            "crawl --robot ExampleBot/1.0 --out 'a b' README.md",
            "goodbot rules README.md --robot ExampleBot/1.0",
        ),
        (
            "robot page -r Bot/1 --owner 'A Ltd'",
            f"goodbot robot page {INFO} --robot Bot/1 --owner 'A Ltd'",
        ),
        (
            "page -r Bot --strict README.md",
            "goodbot page --url https://example.com/page --robot Bot --strict README.md",
        ),
        ("page -r Bot -u https://a.example/x", FETCH),
        (
            "page -r Bot -u https://a.example/x",
            "goodbot page page.html --url https://a.example/x --header @headers.txt --robot Bot",
        ),
        (
            "page -r Bot https://a.example/x",
            f"goodbot page {INFO} --robot Bot https://a.example/x",
        ),
        ("evidence 'a b' --json", "goodbot evidence 'a b' https://example.com/page --json"),
        ("search 'a b' --limit 3", "goodbot search 'a b' lamp --limit 3"),
    ],
)
def test_each_message_suggests_what_the_user_typed(typed: str, suggested: str) -> None:
    """The command is complete: it can be pasted, and nothing that was typed is lost."""
    done = program.run(*shlex.split(typed), env=program.bare_environment(), cwd=ROOT)
    assert done.returncode == 2
    assert suggested in done.stderr.decode()


def test_a_block_that_is_not_there(tmp_path: Path) -> None:
    """The folder is quoted."""
    folder = tmp_path / "a b"
    words = ("-r", "Bot/1", "--out", str(folder), "http://127.0.0.1:9/")
    assert program.run("crawl", *words, env=program.environment()).returncode == 2
    done = program.run("robot", "block", "remove", folder, "https://a.example")
    assert done.returncode == 1
    assert f"goodbot robot block list '{folder}'" in done.stdout.decode()


def test_a_crawl_says_how_to_resume_it(tmp_path: Path) -> None:
    """With what is not stored in its folder: permissions, patience, workers, timeout."""
    folder = str(tmp_path / "a b")
    words = ("-r", "Bot/1", "--out", folder, "--patience", "5", "--workers", "2")
    more = ("--allow-network", "127.0.0.1/32", "--timeout", "2.5", "--quiet")
    done = program.run("crawl", *words, *more, "http://127.0.0.1:9/", env=program.environment())
    told = done.stdout.decode()
    assert (
        f"\n  goodbot crawl --resume --out '{folder}' --workers 2 --patience 5 "
        "--allow-network 127.0.0.1/32 --timeout 2.5 --quiet\n"
    ) in told
    assert f"\n  goodbot report skipped '{folder}'\n" in told
    assert "goodbot report '" not in told, "there is nothing to report"
    done = program.run("crawl", "--resume", "-o", folder, "-q", env=program.environment())
    assert done.returncode == 2
    assert (
        f"goodbot crawl --allow-network 127.0.0.1/32 --out '{folder}' --resume --quiet"
        in done.stderr.decode()
    )

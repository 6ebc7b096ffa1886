"""Every --json has a JSON Schema, and what the program prints is as the schema says."""

import json
from pathlib import Path

import pytest
from printing.of_commands import verbs

from goodbot.crawl.verbs.crawl_view.objects import object_of
from tests.crawl.verbs.test_crawl_views import EVENTS
from tests.support import program
from tests.support.example_sites import crawl_two_shops
from tests.support.json_output import SCHEMAS, check_output, validator, verb_of

VERBS = sorted(
    verb.name.removeprefix("goodbot ")
    for verb in verbs()
    if any("--json" in parameter.opts for parameter in verb.command.params)
)


def test_every_json_has_a_schema_and_every_schema_a_verb() -> None:
    """A new --json comes with its schema."""
    written = sorted(path.stem for path in SCHEMAS.iterdir())
    assert written == [verb.replace(" ", "-") for verb in VERBS]


@pytest.mark.parametrize("verb", VERBS)
def test_a_schema_is_one_of_2020_and_allows_no_other_key(verb: str) -> None:
    """It is valid itself, and each object of it is closed."""
    schema = validator(verb).schema
    assert isinstance(schema, dict)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for name, one in schema["$defs"].items():
        assert one["additionalProperties"] is False or name == "Counts"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl example sites, and return the folder that has the crawl and some files."""
    folder = tmp_path_factory.mktemp("json")
    crawl_two_shops(folder)
    program.run(
        "robot", "block", "add", "shops", "http://127.0.0.1:8300/x", "--why", "y", cwd=folder
    )
    (folder / "robots.txt").write_text(
        "User-agent: *\nDisallow: /a\nCrawl-delay: 2\nRequest-rate: 1/10 0800-1200\n"
        "Visit-time: 0600-0845\nComment: hello\nSitemap: https://a.example/s.xml\n"
        "Content-Usage: train-ai=n\nContent-Signal: ai-train=no\nNoindex: /b\n"
    )
    (folder / "page.html").write_text(
        "<title>T</title><meta name=robots content='max-snippet:20, noarchive'>"
        "<meta name=keywords content='a, b'><link rel=canonical href=/c>"
        "<p class=robots-noindex>x</p><p data-nosnippet>y <a href=/d rel=nofollow>z</a></p>"
    )
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "archive list shops --json",
        "archive check shops --json",
        "archive compact shops --json",
        "archive repair shops --json",
        "robot block list shops --json",
        "check -f robots.txt /a /b --json",
        "check -f robots.txt /a --explain --json",
        "check -f robots.txt /a --dialect all --json",
        "page convert --wish noindex,max-snippet:3 --to pi --json",
        "dialects --json",
        "dialects --knowledge --json",
        "evidence shops http://127.0.0.1:8300/ --json",
        "evidence shops http://127.0.0.1:8300/robots.txt --json",
        "evidence shops http://127.0.0.1:8300/nowhere --json",
        "archive export shops --wacz shops.wacz --json",
        "archive import shops/pages-00001.warc.gz --out imported --robot ExampleBot --json",
        "report findings shops --json",
        "page page.html -u https://a.example/ --json",
        "page profile page.html --json",
        "rules robots.txt --json",
        "search shops the --json",
        "archive show shops http://127.0.0.1:8300/ --json",
        "report skipped shops --json",
        "report skipped shops --urls --json",
    ],
)
def test_what_is_printed_is_as_the_schema_says(folder: Path, words: str) -> None:
    """One line or more, each of which the schema of the verb allows."""
    done = program.run(*words.split(), cwd=folder, env=program.environment())
    verb = verb_of(words.split())
    assert verb is not None
    assert check_output(verb, done.stdout.decode()), done.stderr.decode()


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_of_a_crawl_are_as_the_schema_says(event: object) -> None:
    """Each of them, as `goodbot crawl --json` prints it."""
    assert list(validator("crawl").iter_errors(object_of(event))) == []


FINDING: dict[str, object] = {
    "code": "x", "severity": "info", "message": "m", "line": 1, "column": 0,
}  # fmt: skip
HOLD: dict[str, object] = {"scope": "x", "kind": "block", "why": "", "by": ""}


@pytest.mark.parametrize(
    ("verb", "printed", "fault"),
    [
        ("page profile", {**FINDING, "new": 1}, "'new' was unexpected"),
        ("page profile", {**FINDING, "line": "1"}, "'1' is not of type 'integer'"),
        ("robot block list", {**HOLD, "at": "noon"}, "'noon' is not a 'date-time'"),
        ("robot block list", HOLD, "'at' is a required property"),
    ],
)
def test_what_a_schema_lacks_is_found(verb: str, printed: dict[str, object], fault: str) -> None:
    """A new key, another type, a time that is none, and a key that is gone."""
    with pytest.raises(AssertionError) as caught:
        check_output(verb, json.dumps(printed))
    assert fault in str(caught.value)

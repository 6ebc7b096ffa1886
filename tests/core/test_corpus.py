"""Real robots.txt files, if they are available: none is part of the project.

GOODBOT_CORPUS names the folder; the default is `shared/corpus` beside the repository. It contains
`robots-txt.tar.xz`, one answer for each host, and `google-verdicts.tsv.gz`, the answers of
google/robotstxt.
"""

from __future__ import annotations

import gzip
import itertools
import os
import tarfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import goodbot
from tests.support.examples import some_of, thorough
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(
    os.environ.get("GOODBOT_CORPUS", ROOT.parent / "shared" / "corpus"),
)

pytestmark = pytest.mark.skipif(
    not (FOLDER / "robots-txt.tar.xz").is_file(),
    reason="the corpus of real robots.txt files is not available; set GOODBOT_CORPUS to its folder",
)


@cache
def files() -> dict[str, bytes]:
    """Return every file by its host."""
    with tarfile.open(FOLDER / "robots-txt.tar.xz") as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        opened = [(Path(member.name).name, archive.extractfile(member)) for member in members]
        return {name: file.read() for name, file in opened if file is not None}


def verdicts() -> Iterator[tuple[str, str, str, bool]]:
    """Yield host, robot, URL, and whether google/robotstxt allows it."""
    path = FOLDER / "google-verdicts.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            host, robot, url, allowed = line.rstrip("\n").split("\t")
            yield host, robot, url, allowed == "1"


@thorough
def test_google_agrees_with_the_reference_verdicts() -> None:
    """The google dialect answers what google/robotstxt answers, line by line."""
    corpus = files()
    tried = set(some_of(sorted(corpus)))
    count = 0
    for (host, robot), rows in itertools.groupby(verdicts(), key=lambda row: row[:2]):
        if host not in tried:
            continue
        rules = goodbot.RobotsTxt(corpus[host], dialect="google").rules_for(robot)
        for _, _, url, allowed in rows:
            assert rules.allows(url) is allowed, str(rules.verdict(url))
            count += 1
    assert count > 0


@thorough
@pytest.mark.parametrize("dialect", [dialect.name for dialect in goodbot.dialects()])
def test_every_file_is_read_in_every_dialect(dialect: str) -> None:
    """No file raises, none loses a byte, and each has verdicts, findings and groups."""
    for host, content in some_of(list(files().items())):
        robots = goodbot.RobotsTxt(content, dialect=dialect)
        assert b"".join(line.raw for line in robots.lines) == content, host
        assert len(robots.findings) <= 10_001, host
        rules = robots.rules_for("ExampleBot")
        for rule in itertools.islice(rules, 20):
            verdict = rules.verdict(rule.pattern.replace("*", "x").rstrip("$"))
            assert verdict.allowed is rules.allows(verdict.url), host
            assert str(verdict), host
        assert rules.verdict("https://example.com/").as_dict()["dialect"] == dialect
        assert len(robots.groups) <= len(robots.lines), host

"""Measure the index of a crawl of 100,000 pages: filling it, searching it, and its size.

Run as a program, `search.py [PAGES]` prints the figures; `measure` returns them. The pages are made
from a vocabulary in which the n-th word is as frequent as 1/n (Zipf), which is harder than real
pages: the first words are on nearly every page. The words of searches are drawn in the same way,
except for the worst case: the most frequent words of all. Searches are measured in a new process;
the system has the file in its cache, as after any use. It takes about a minute, and 600 MB in the
folder for temporary files, which are removed.
"""

import datetime as dt
import itertools
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Anchor, Document
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.searching import search

PAGES = 100_000
WORDS = 200
"""The number of words in the text of a page."""
VOCABULARY = 50_000
LINKS = 5
SEARCHES = 100
"""The number of searches of each kind."""
BATCH = 100
"""The number of pages between two refreshes, and in one transaction."""
CHECKED = 1_000
"""The number of pages on which the results are compared with those of a scan of all words."""
NOW = dt.datetime(2025, 1, 1, tzinfo=dt.timezone.utc)

SEARCH_TARGET = 0.050
PUT_TARGET = 0.000_15

ADD = """INSERT INTO urls(id, url, origin, depth, hops, how, state, visited)
    VALUES(?, ?, 1, 0, 0, 'link', 'done', 0)"""
WORST = ['"{0} {1}"', "{0}", "{1}", "{0} {1}", "{0} {1} {2}"]


@dataclass(frozen=True)
class Figures:
    """The results. Times are in seconds, sizes in bytes."""

    pages: int
    bytes_each: float
    """The size of the file, divided by the number of pages."""
    put: float
    """The mean time to put a page, without its entry."""
    describe: float
    """The mean time to store the texts of the links of a page."""
    entry: float
    """The mean time to write the entry of a page, and again after new texts of links."""
    one: float
    """The median time of a search for one word; likewise for the next ones."""
    two: float
    three: float
    phrase: float
    every: float
    """The median time of all these searches."""
    every_worst: float
    """The 99th percentile of all these searches."""
    worst: float
    """The slowest search for the three most frequent words."""
    right: bool
    """Whether searches on fewer pages gave the same results as a scan of all their words."""

    @property
    def targets_met(self) -> bool:
        """Whether searches and filling are within their targets."""
        filled = self.put + self.entry <= PUT_TARGET
        return self.right and self.every <= SEARCH_TARGET and filled


class Words:
    """The vocabulary, and words drawn from it."""

    def __init__(self, seed: int) -> None:
        """Make the vocabulary; it is always the same."""
        self.chance = random.Random(seed)  # noqa: S311 -- the same each time
        names = random.Random(0)  # noqa: S311 -- the same each time
        self.words = [spell(number, names) for number in range(VOCABULARY)]
        self.weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))

    def draw(self, count: int) -> str:
        """Draw words by their frequency."""
        return " ".join(self.chance.choices(self.words, cum_weights=self.weights, k=count))


def spell(number: int, chance: random.Random) -> str:
    """Return the word of a number; each number has its own."""
    letters = "".join(chance.choice("bcdfglmnprst") + chance.choice("aeiou") for _ in range(2))
    return letters + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def pages(count: int) -> Iterator[tuple[int, Document, list[Anchor]]]:
    """Make pages: their numbers, texts and links, many of which lead to the same few pages."""
    words = Words(1)
    for number in range(1, count + 1):
        text = words.draw(WORDS)
        document = Document(words.draw(5), text, text, None, None)
        popular = [words.chance.randrange(1, 21) for _ in range(LINKS - 1)]
        targets = {*popular, words.chance.randrange(1, count + 1)}
        yield number, document, [Anchor(target, words.draw(2)) for target in sorted(targets)]


def fill(folder: str, count: int) -> dict[str, float]:
    """Fill an index as a crawl does; return the seconds for each page, by part."""
    spent = {"put": 0.0, "describe": 0.0, "entry": 0.0}
    with closing(Database(folder, create=True)) as database:
        index = SQLiteIndex(database)
        made = pages(count)
        while batch := list(itertools.islice(made, BATCH)):
            with database.changing() as connection:
                urls = [(number, f"https://a.example/{number}") for number, _, _ in batch]
                connection.executemany(ADD, urls)
                times = [time.perf_counter()]
                for number, document, _ in batch:
                    index.put(number, document)
                times.append(time.perf_counter())
                for number, _, said in batch:
                    index.describe(number, said)
                times.append(time.perf_counter())
                index.refresh(BATCH)
                times.append(time.perf_counter())
            for part, start, end in zip(spent, times, times[1:], strict=False):
                spent[part] += end - start
        start = time.perf_counter()
        index.refresh(count)
        spent["entry"] += time.perf_counter() - start
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    return {part: seconds / count for part, seconds in spent.items()} | {"bytes_each": size / count}


def queries() -> dict[str, list[str]]:
    """Draw the searches of each kind; every phrase is on some page."""
    words = Words(2)
    texts = [document.text.split() for _, document, _ in pages(SEARCHES)]
    starts = [words.chance.randrange(WORDS - 2) for _ in texts]
    return {
        "one": [words.draw(1) for _ in range(SEARCHES)],
        "two": [words.draw(2) for _ in range(SEARCHES)],
        "three": [words.draw(3) for _ in range(SEARCHES)],
        "phrase": [f'"{text[at]} {text[at + 1]}"' for text, at in zip(texts, starts, strict=True)],
        "worst": [one.format(*words.words) for one in WORST],
    }


def ask(folder: str) -> dict[str, float]:
    """Measure searches, in a process of its own."""
    times: dict[str, list[float]] = {}
    with closing(Database(folder)) as database:
        for kind, asked in queries().items():
            times[kind] = []
            for query in asked:
                start = time.perf_counter()
                search(database, query, now=NOW)
                times[kind].append(time.perf_counter() - start)
    worst = max(times.pop("worst"))
    every = [one for kind in times.values() for one in kind]
    return {kind: statistics.median(spent) for kind, spent in times.items()} | {
        "every": statistics.median(every),
        "every_worst": statistics.quantiles(every, n=100)[98],
        "worst": worst,
    }


def differences(count: int = CHECKED) -> list[str]:
    """Compare searches with a scan of all words of fewer pages; return differences as sentences."""
    made = list(pages(count))
    rows = {number: [one.title.split(), one.text.split()] for number, one, _ in made}
    for _, _, said in made:
        for anchor in said:
            rows[anchor.target].append(anchor.text.split())
    # For pages with very many links, not all texts count; popular pages are not compared.
    few = [(number, lines, {*itertools.chain(*lines)}) for number, lines in rows.items()][20:]
    numbers = {number for number, _, _ in few}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, count)
        with closing(Database(folder)) as database:
            for query in itertools.chain.from_iterable(queries().values()):
                hits = search(database, query, now=NOW, limit=count).hits
                found = {int(hit.url.rpartition("/")[2]) for hit in hits} & numbers
                if found != {one for one, lines, every in few if has(lines, every, query)}:
                    wrong.append(f"a search for {query} finds other pages than a scan does")
    return wrong


def has(rows: list[list[str]], every: set[str], query: str) -> bool:
    """Whether a page has all words of a query; those of a phrase, in a row."""
    words = query.strip('"').split()
    if not every.issuperset(words) or not query.startswith('"'):
        return every.issuperset(words)
    return any(row[at : at + len(words)] == words for row in rows for at in range(len(row)))


def measure(count: int = PAGES) -> Figures:
    """Fill an index and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        filled = fill(folder, count)
        command = [sys.executable, str(Path(__file__).resolve()), "ask", folder]
        done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- this very file
        told: dict[str, Any] = json.loads(done.stdout)
    right = not differences(min(count, CHECKED))
    return Figures(pages=count, right=right, **filled, **told)


def main(arguments: list[str]) -> int:
    """Print the figures; return 1 if a target is missed."""
    if arguments[:1] == ["ask"]:
        print(json.dumps(ask(arguments[1])))
        return 0
    figures = measure(int(arguments[0]) if arguments else PAGES)
    for name, value in asdict(figures).items():
        print(f"{name:14} {value:.6g}")
    print(f"{'sqlite':14} {sqlite3.sqlite_version}")
    print(f"{'targets_met':14} {figures.targets_met}")
    return 0 if figures.targets_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""One check from Python, of few rules and of many: its time should not grow with their number.

python benchmarks/many_rules.py   print the results
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import clock
import reference
from corpus import ROBOT
from drawing import Target, at_most, table
from goodbot import RobotsTxt

NUMBERS = (10, 100, 300, 700, 1_000, 1_100, 1_500, 5_000, 17_000)
BOUNDED = (700, 17_000)
"""The numbers of rules with a target."""
SEED = 700
URLS = 20_000
REPEATS = 5
COMPARED = 300
"""URLs for which the plain slow matcher is asked too."""
WORDS = "about account admin api archive blog cart forum help images login news print search tag"


@dataclass(frozen=True)
class ManyRules:
    """The seconds of one check with so many rules, and the answers that are not the reference's."""

    number: int
    seconds: float
    wrong: int


def paths_of(number: int, chance: random.Random) -> list[str]:
    """Return paths of two words and a number, each once."""
    words = WORDS.split()
    return [f"/{chance.choice(words)}/{chance.choice(words)}-{one}/" for one in range(number)]


def one(number: int, repeats: int, compared: int) -> ManyRules:
    """Measure the check with so many rules; of the URLs, half begin with one of them."""
    chance = random.Random(SEED)  # noqa: S311  the same URLs each time
    paths = paths_of(number, chance)
    content = "".join(f"Disallow: {path}\n" for path in ["", *paths]).encode()
    content = b"User-agent: *\n" + content
    rules = RobotsTxt(content).rules_for(ROBOT)
    near = paths_of(number * 2, chance)
    urls = [
        f"https://example.com{chance.choice(paths if turn % 2 else near)}page{turn}?of={turn}"
        for turn in range(URLS)
    ]
    expected = reference.rules_for(content, ROBOT)
    some = urls[:compared]
    wrong = sum(rules.allows(url) != reference.allows(expected, url) for url in some)
    allows = rules.allows

    def check() -> None:
        for url in urls:
            allows(url)

    times = [clock.cpu_time(check) for _ in range(repeats)]
    return ManyRules(number, clock.median(times) / URLS, wrong)


def measure(repeats: int = REPEATS, compared: int = COMPARED) -> list[ManyRules]:
    """Measure every number of rules."""
    return [one(number, repeats, compared) for number in NUMBERS]


def section(rows: Sequence[ManyRules]) -> str:
    """Return the results as Markdown."""
    cells = [(f"{row.number:,}", f"{row.seconds * 1e9:.0f} ns") for row in rows]
    return table(("plain rules", "one check"), cells)


def targets(rows: Sequence[ManyRules]) -> list[Target]:
    """Return every target, with the measured value."""
    return [
        at_most(f"one check, {row.number:,} plain rules", row.seconds * 1e9, 400, " ns")
        for row in rows
        if row.number in BOUNDED
    ]


def wrong(rows: Sequence[ManyRules]) -> list[str]:
    """Return a sentence for each number of rules with answers that differ from the reference."""
    return [f"many rules: {row.wrong} answers of {row.number}" for row in rows if row.wrong]


if __name__ == "__main__":
    print(section(measure()))

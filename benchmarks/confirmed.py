"""Confirm the examples of `goodbot.site.reasoning` by google/robotstxt itself.

Each file is compared with a changed copy and with the next file in the dialect `google`; each path
that is named as a difference must get the same two verdicts from Google's own matcher in C++, which
jwm.robotstxt binds. (fast-robotstxt, a peer of other benchmarks, changes URLs before it compares.)

python benchmarks/confirmed.py [--files N]   print the results
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import corpus
import goodbot
from corpus import ROBOT, generator
from goodbot.site.reasoning import compare
from mutation import mutant

MODULE = "jwm.robotstxt.googlebot"
ABSENT = "Google's matcher was not asked about examples: jwm.robotstxt is not installed."


@dataclass
class Confirmed:
    """What Google's matcher says about the examples."""

    comparisons: int = 0
    examples: int = 0
    wrong: list[str] = field(default_factory=list)

    def check(self, host: str, texts: tuple[bytes, bytes], matcher: Any) -> None:  # noqa: ANN401  untyped
        """Compare two files, and ask the matcher about each example."""
        sides = [goodbot.RobotsTxt(text, dialect="google").rules_for(ROBOT) for text in texts]
        found = compare(*sides)
        self.comparisons += 1
        for one in found.differences:
            self.examples += 1
            answers = [
                matcher.OneAgentAllowedByRobots(text.decode(), ROBOT, one.url) for text in texts
            ]
            if answers != [one.before.allowed, one.after.allowed]:
                self.wrong.append(f"{host}: {one.path}: Google's matcher says {answers}")


def available() -> bool:
    """Return whether the matcher is installed."""
    return find_spec("jwm") is not None and find_spec(MODULE) is not None


def measure(samples: Sequence[corpus.Sample]) -> Confirmed | None:
    """Compare the files of a corpus, as far as they are UTF-8: the matcher reads text.

    Return `None` if the matcher is not installed.
    """
    if not available():
        return None
    found = Confirmed()
    matcher = import_module(MODULE).RobotsMatcher()
    chance = generator("confirmed")
    files = [(one.host, one.content) for one in samples if is_text(one.content)]
    for (host, content), (_, other) in zip(files, files[1:] + files[:1], strict=True):
        changed = mutant(content, chance)
        for after in (changed, other):
            if after is not None:
                found.check(host, (content, after), matcher)
    return found


def is_text(content: bytes) -> bool:
    """Return whether bytes are UTF-8 without NUL, at which the matcher's text would end."""
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


def section(found: Confirmed | None) -> str:
    """Return the results as a sentence of Markdown."""
    if found is None:
        return f"\n{ABSENT}\n"
    return (
        f"\ngoogle/robotstxt itself confirms {found.examples - len(found.wrong):,} of the "
        f"{found.examples:,} examples of {found.comparisons:,} comparisons in the dialect "
        "`google`.\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Confirm examples by Google's matcher.")
    parser.add_argument("--files", type=int, default=None)
    result = measure(corpus.load(parser.parse_args().files).samples)
    print(section(result), *(result.wrong if result else ()), sep="\n")

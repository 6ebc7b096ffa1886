"""Simplify every file of a corpus, and report the bytes saved, what was refused, and the time.

python benchmarks/simplified.py FOLDER [--step N]

benchmarks/SIMPLIFIED.md has the figures of the last run. Each result is proven by
`goodbot.site.reasoning.simplify` itself. Here it is checked once more, in other ways: it is
simplified again, and on paths made of the rules of the file every robot that it names must get the
same in every dialect.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import clock
import goodbot
from corpus import Sample
from drawing import table
from goodbot.site.reasoning import Simplification, simplify
from goodbot.site.reasoning.robot_classes import robot_names

ENDS = ("", "x", "/y.html", "?a=b")
FILLS = ("", "a", "/b/")
MOST_PATHS = 400
PERCENTILES = (0.5, 0.9, 0.99, 1.0)
MILLISECONDS = 1_000


def paths_of(file: goodbot.RobotsTxt) -> list[str]:
    """Return paths that the rules of a file match, and some near them."""
    paths = {
        f"/{rule.pattern.rstrip('$').lstrip('/').replace('*', fill)}{end}": None
        for group in file.groups
        for rule in group.rules
        for fill in (FILLS if "*" in rule.pattern else FILLS[:1])
        for end in ENDS
    }
    step = len(paths) // MOST_PATHS + 1
    return ["/", *list(paths)[::step]]


def disagreements(result: Simplification) -> Iterator[str]:
    """Yield robots that get another answer than before."""
    paths = paths_of(goodbot.RobotsTxt(result.before))
    for dialect in goodbot.dialects():
        sides = [goodbot.RobotsTxt(one, dialect=dialect) for one in (result.before, result.content)]
        names = robot_names(sides[0])
        # Where a part of a name is enough, a robot may have two of the names.
        of_two = (f"{one}~{other}" for one, other in pairwise(names))
        for name in (*names, *of_two, "Unheard"):
            try:
                old, new = (side.rules_for(name) for side in sides)
            except goodbot.RobotNameError:
                continue
            if old.allows_many(paths) != new.allows_many(paths):
                yield f"{name} ({dialect.name})"


@dataclass
class Simplified:
    """What simplifying the files of a corpus came to."""

    files: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, name: str, content: bytes) -> None:
        """Simplify a file, and check the result."""
        found: list[Simplification] = []
        self.seconds.append(clock.cpu_time(lambda: found.append(simplify(content))))
        (result,) = found
        self.files += 1
        counts = self.counts
        counts["bytes"] += len(result.before)
        counts["bytes saved"] += result.saved
        counts["files refused"] += bool(result.refusal)
        counts["files simplified"] += bool(result.changes)
        counts["files with something undecided"] += bool(result.undecided)
        counts["files in which not everything was tried"] += not result.is_complete
        counts.update(f"changes: {change.kind}" for change in result.changes)
        if result.changes:
            again = simplify(result.content)
            counts["files changed when simplified again"] += again.content != result.content
            wrong = list(disagreements(result))
            if wrong:
                self.wrong.append(f"simplify: {name}: {', '.join(wrong)} get another answer")

    @property
    def share(self) -> float:
        """The bytes saved, in percent."""
        return 100 * self.counts["bytes saved"] / max(self.counts["bytes"], 1)

    def percentile(self, share: float) -> float:
        """Return a percentile of the times, in milliseconds."""
        times = sorted(self.seconds)
        return times[int((len(times) - 1) * share)] * MILLISECONDS


def measure(samples: Iterable[Sample]) -> Simplified:
    """Simplify the files of a corpus."""
    found = Simplified()
    for one in samples:
        found.add(one.host, one.content)
    return found


def section(found: Simplified) -> str:
    """Return the results as Markdown."""
    times = ", ".join(f"p{share * 100:g} {found.percentile(share):.1f} ms" for share in PERCENTILES)
    rows = [(name, f"{count:,}") for name, count in found.counts.items()]
    rows += [
        ("share saved", f"{found.share:.1f} %"),
        ("files that disagree", f"{len(found.wrong)}"),
    ]
    return f"{table((f'{found.files:,} files', 'number'), rows)}\nTime of a file: {times}.\n"


def main() -> int:
    """Print the figures; return 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description="Simplify every file of a corpus.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=int, default=1, help="take every so many-th file")
    given = parser.parse_args()
    paths = sorted(path for path in given.folder.rglob("*") if path.is_file())[:: given.step]
    found = measure(Sample(path.name, path.read_bytes(), "", ()) for path in paths)
    print(section(found), *found.wrong, sep="\n")
    return int(bool(found.wrong))


if __name__ == "__main__":
    raise SystemExit(main())

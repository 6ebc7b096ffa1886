"""Simplify every file of a corpus, and report the bytes saved, what was refused, and the time.

python benchmarks/simplified.py FOLDER [--step N]

benchmarks/SIMPLIFIED.md has the figures of the last run. Each result is proven by
`goodbot.reasoning.simplify` itself. Here it is checked once more, in other ways: it is simplified
again, and on paths made of the rules of the file every robot that it names must get the same in
every dialect.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import goodbot
from goodbot.reasoning import WEB_DIALECTS, Simplification, simplify
from goodbot.reasoning.robot_classes import robot_names

ENDS = ("", "x", "/y.html", "?a=b")
FILLS = ("", "a", "/b/")
MOST_PATHS = 400
PERCENTILES = (0.5, 0.9, 0.99, 1.0)


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
    for dialect in WEB_DIALECTS:
        sides = [goodbot.RobotsTxt(one, dialect=dialect) for one in (result.before, result.content)]
        for name in (*robot_names(sides[0]), "Unheard"):
            try:
                old, new = (side.rules_for(name) for side in sides)
            except goodbot.RobotNameError:
                continue
            if old.allows_many(paths) != new.allows_many(paths):
                yield f"{name} ({dialect})"


def main() -> int:
    """Print the figures; return 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description="Simplify every file of a corpus.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=int, default=1, help="take every so many-th file")
    given = parser.parse_args()
    files = sorted(path for path in given.folder.rglob("*") if path.is_file())[:: given.step]
    counts: Counter[str] = Counter()
    seconds = []
    for path in files:
        begun = time.process_time()
        result = simplify(path.read_bytes())
        seconds.append(time.process_time() - begun)
        counts["bytes"] += len(result.before)
        counts["bytes saved"] += result.saved
        counts["files refused"] += bool(result.refusal)
        counts["files simplified"] += bool(result.changes)
        counts["files with something undecided"] += bool(result.undecided)
        counts.update(f"changes: {change.kind}" for change in result.changes)
        if result.changes:
            again = simplify(result.content)
            counts["changed when simplified again"] += again.content != result.content
            wrong = list(disagreements(result))
            counts["files that disagree"] += bool(wrong)
            if wrong:
                print(f"{path.name}: {', '.join(wrong)}")
    print(f"files: {len(files):,}")
    for name, count in counts.items():
        print(f"{name}: {count:,}")
    print(f"bytes saved of those of all files: {counts['bytes saved'] / counts['bytes']:.1%}")
    seconds.sort()
    for one in PERCENTILES:
        print(f"p{one * 100:g}: {seconds[int((len(seconds) - 1) * one)] * 1000:,.1f} ms")
    return int(counts["files that disagree"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())

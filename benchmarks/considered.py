"""Time `Verdict.considered` on files of 500 KiB in which every rule matches."""

from collections.abc import Sequence
from dataclasses import dataclass

import clock
import goodbot

SIZE = 500 * 1024
HEAD = b"User-agent: *\n"
LINES = {
    "equal rules": ("rfc9309", b"Disallow: /\n", "/a"),
    "rules with a star": ("rfc9309", b"Disallow: /*a\n", "/a"),
    "rules with an escape": ("rfc9309", b"Disallow:  /%61\n", "/a"),
    "rules in two spellings": ("rfc9309", b"Disallow: /?\n", "/?a%2Fb"),
}
"""For each case: the dialect, the line that fills the file, and the URL."""


@dataclass(frozen=True)
class Row:
    """One case: the number of rules listed, and the seconds that it took."""

    case: str
    rules: int
    seconds: float


def measure(repeats: int) -> Sequence[Row]:
    """List the rules of each case; return the medians of the repetitions."""
    files = {
        name: (dialect, HEAD + line * (SIZE // len(line)), url)
        for name, (dialect, line, url) in LINES.items()
    }
    many = b"Disallow:" + b" /" * (SIZE // 2)
    steps = b"Disallow: " + b" ".join(b"/" + b"a" * length for length in range(1_000))
    files["one line of many paths"] = ("kollar1996", HEAD + many, "/a")
    files["one line of longer and longer paths"] = ("kollar1996", HEAD + steps, "/" + "a" * 1_000)
    return [_row(name, *file, repeats) for name, file in files.items()]


def _row(case: str, dialect: str, content: bytes, url: str, repeats: int) -> Row:
    rules = goodbot.RobotsTxt(content[:SIZE], dialect=dialect).rules_for("ExampleBot")
    verdict = rules.verdict(url)
    times = [clock.cpu_time(lambda: verdict.considered) for _ in range(repeats)]
    return Row(case, len(verdict.considered), clock.median(times))

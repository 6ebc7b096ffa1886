"""Files designed to do harm: all below 500 KiB, except for one whose single line has 2 MB.

Run as a program, `hostile.py LIBRARY CONTENT URLS` reads one case from two files, in a process of
its own, and prints a line of JSON for each step, so that its caller knows how far it came.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import clock
import memory
import peers
import process_memory
import rust_peer
from corpus import ROBOT, Sample, generator

SIZE = 500 * 1024
LONG = 8192
LINE = 2048
GIBIBYTE = 1 << 30
MEMORY_LIMIT = 2 * GIBIBYTE
REPEATS = 5

LONG_URL = "/" + "a" * (LONG - 1)
Question = tuple[str, bool]
"""A URL, and whether it is allowed."""


@dataclass(frozen=True)
class Case:
    """A file, and URLs whose answers are known."""

    name: str
    meaning: str
    content: bytes
    questions: tuple[Question, ...]
    targeted: bool = True
    """Whether it has targets; the other cases show the stated worst case."""


@dataclass
class Outcome:
    """The results of a library for a case. Times are in seconds; steps not reached are absent."""

    library: str
    case: Case
    parse: float | None = None
    rules: float | None = None
    checks: list[float] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    peak: int | None = None
    stopped: str = ""
    """Why it did not complete, in words; empty if it did."""

    @property
    def worst_check(self) -> float | None:
        """The time of the slowest check, if all were made."""
        return max(self.checks) if len(self.checks) == len(self.case.questions) else None

    @property
    def multiple(self) -> float | None:
        """The additional peak memory, as a multiple of the size of the file."""
        return None if self.peak is None else self.peak / len(self.case.content)

    @property
    def right(self) -> bool:
        """Whether all answers given are the expected ones."""
        expected = [allowed for _, allowed in self.case.questions]
        return self.answers == expected[: len(self.answers)]


def words() -> Iterator[str]:
    """Yield all words made of some letters, short ones first."""
    return (
        "".join(letters)
        for length in count(1)
        for letters in product(ascii_lowercase, repeat=length)
    )


def _filled(line: Callable[[str], str], size: int = SIZE, start: str = "User-agent: *\n") -> bytes:
    """Return lines with a different word each, up to a size."""
    lines = [start]
    length = len(start)
    for word in words():
        lines.append(line(word) + "\n")
        length += len(lines[-1])
        if length > size:
            return "".join(lines[:-1]).encode()
    raise AssertionError


def _stars(pieces: Callable[[int], str]) -> bytes:
    """Return lines of 2 KB: pieces separated by stars, then a `b` and a different word each."""
    body = "*".join(pieces(number) for number in range(LINE))

    def line(word: str) -> str:
        return f"Disallow: /{body[: LINE - 20 - len(word)]}*b{word}"

    return _filled(line)


def _agents_times_rules() -> bytes:
    agents = _filled(lambda word: f"User-agent: {word}", SIZE // 2, f"User-agent: {ROBOT}\n")
    return agents + _filled(lambda word: f"Disallow: /{word}/", SIZE // 2, "")


def _absent_pieces() -> Case:
    """Return a case whose pieces have the same two letters as the URL but do not occur in it."""
    numbers = generator("absent pieces")
    url = "/" + "".join(numbers.choice("ab") for _ in range(LONG - 1))
    pieces = ("".join(numbers.choice("ab") for _ in range(20)) for _ in count())
    absent = (piece for piece in pieces if piece not in url)
    content = _filled(lambda _: f"Disallow: *{next(absent)}")
    meaning = (
        "500 KiB of rules of a star and 20 bytes that the URL of 8 KB does not hold, though both"
        " are made of the same two letters"
    )
    return Case("absent pieces", meaning, content, ((url, True), ("/", True)), targeted=False)


def _late_pieces() -> Case:
    """Return a case of rules with two pieces of the URL, of which the later one comes first."""
    numbers = generator("late pieces")
    url = "/" + "".join(numbers.choice("ab") for _ in range(LONG - 1))

    def line(_: str) -> str:
        late, early = numbers.randint(LONG - 300, LONG - 40), numbers.randint(1, LONG // 2)
        return f"Disallow: /*{url[late : late + 30]}*{url[early : early + 30]}"

    meaning = (
        "500 KiB of rules of two pieces of the URL of 8 KB, the later one first, all of two letters"
    )
    return Case("late pieces", meaning, _filled(line), ((url, True), ("/", True)), targeted=False)


def cases() -> list[Case]:
    """Return all cases, those with targets first."""
    root = ("/", True)
    long = (LONG_URL, True)
    return [*_many_lines(root, long), *_long_lines(root, long), *_further(root, long)]


def _many_lines(root: Question, long: Question) -> list[Case]:
    return [
        Case(
            "three stars",
            "500 KiB of distinct rules with three stars each, and a URL of 8 KB",
            _filled(lambda word: f"Disallow: /*a*a*ab{word}"),
            (long, root, ("/xaxaxabc", False)),
        ),
        Case(
            "agents x rules",
            "one group of 250 KB of agents and 250 KB of rules",
            _agents_times_rules(),
            (("/b", True), root, long, ("/b/c", False)),
        ),
        Case(
            "agents only",
            "500 KiB of User-agent lines, and no rule",
            _filled(lambda word: f"User-agent: {word}", start=""),
            (root, long),
        ),
        Case(
            "bare User-agent lines",
            "500 KiB of User-agent lines without a value, then one rule",
            b"User-agent:\n" * (SIZE // 12 - 3) + b"Disallow: /b\n",
            (root, long, ("/b", True)),
        ),
    ]


def _long_lines(root: Question, long: Question) -> list[Case]:
    return [
        Case(
            "star lines, 1 byte",
            "500 KiB of lines of 2 KB such as /a*a*a*...b, and a URL of 8 KB",
            _stars(lambda _: "a"),
            (long, root),
        ),
        Case(
            "star lines, 2 and 3 bytes",
            "500 KiB of lines of 2 KB such as /aa*aaa*aa*...b, and a URL of 8 KB",
            _stars(lambda number: "aa" + "a" * (number % 2)),
            (long, root),
        ),
        Case(
            "one line of 2 MB",
            "one rule of 2 MB",
            b"User-agent: *\nDisallow: /b\nDisallow: /" + b"a" * 2_000_000 + b"\n",
            (long, root, ("/b", False)),
        ),
    ]


def _further(root: Question, long: Question) -> list[Case]:
    escaped = "/" + "%61" * ((LONG - 1) // 3)
    found = [
        Case(
            "leading star",
            "500 KiB of distinct short rules that begin with a star, and a URL of 8 KB",
            _filled(lambda word: f"Disallow: *b{word}"),
            (long, root, ("/xbc", False)),
        ),
        Case(
            "short rules",
            "500 KiB of distinct short rules, and a URL of 8 KB",
            _filled(lambda word: f"Disallow: /b{word}"),
            (long, root, ("/" + "b" * (LONG - 1), False)),
        ),
        Case(
            "escapes",
            "500 KiB of lines of 2 KB, every byte escaped, and a URL of 8 KB, likewise",
            _filled(lambda word: f"Disallow: /{'%61' * 675}{word}$"),
            ((escaped, True), long, root),
        ),
        Case(
            "merged groups",
            "500 KiB of groups of the same agent, one rule each",
            _filled(lambda word: f"User-agent: {ROBOT}\nDisallow: /b{word}/", start=""),
            (long, root, ("/bc/", False)),
        ),
    ]
    return [*(replace(case, targeted=False) for case in found), _absent_pieces(), _late_pieces()]


def sample_of(case: Case) -> Sample:
    """Return a case as a sample for the Rust program."""
    return Sample(case.name, case.content, "", tuple(url for url, _ in case.questions))


def measure(libraries: Sequence[str], seconds: float, processes: int) -> list[Outcome]:
    """Run each library on each case, in a process of its own, with a limit in seconds."""
    asked = [(library, case) for case in cases() for library in libraries]
    with ThreadPoolExecutor(processes) as pool:
        return list(pool.map(lambda one: run(one[0], one[1], seconds), asked))


def run(library: str, case: Case, seconds: float) -> Outcome:
    """Run one library on one case."""
    with tempfile.TemporaryDirectory() as folder:
        content, urls = Path(folder) / "content", Path(folder) / "urls"
        if library == rust_peer.NAME:
            rust_peer.write([sample_of(case)], content)
        else:
            content.write_bytes(case.content)
        urls.write_text("\n".join(url for url, _ in case.questions))
        return _run(Outcome(library, case), [library, str(content), str(urls)], seconds)


def _run(outcome: Outcome, arguments: list[str], seconds: float) -> Outcome:
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    try:
        done = subprocess.run(command, check=False, capture_output=True, timeout=seconds)  # noqa: S603 -- this very file
    except subprocess.TimeoutExpired as expired:
        _read(outcome, expired.stdout or b"")
        outcome.stopped = f"over {seconds:g} s"
        return outcome
    _read(outcome, done.stdout)
    if done.returncode and not outcome.stopped:
        memory_ended = b"memory" in done.stderr.lower() or done.returncode < 0
        outcome.stopped = "out of memory" if memory_ended else "failed"
    return outcome


def _read(outcome: Outcome, printed: bytes) -> None:
    for line in printed.splitlines():
        if line.endswith(b"}"):
            _take(outcome, json.loads(line))


def _take(outcome: Outcome, step: dict[str, Any]) -> None:
    match step["step"]:
        case "parse":
            outcome.parse = step["seconds"]
        case "rules":
            outcome.rules = step["seconds"]
        case "check":
            outcome.checks.append(step["seconds"])
            outcome.answers.append(step["answer"])
        case "peak":
            outcome.peak = step["bytes"]
        case "error":
            outcome.stopped = f"refused: {step['message'].partition(':')[0]}"


def _say(step: str, **values: object) -> None:
    print(json.dumps({"step": step, **values}), flush=True)


def _goodbot(content: bytes, urls: Sequence[str]) -> None:
    """Measure the peak memory of the first reading, and the medians of the times."""
    import goodbot  # noqa: PLC0415 -- the other processes are not to load it

    def read() -> None:
        rules = goodbot.RobotsTxt(content).rules_for(ROBOT)
        for url in urls:
            rules.allows(url)

    goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a").rules_for(ROBOT).allows("/a")
    _say("peak", bytes=_peak(read))
    robots = goodbot.RobotsTxt(content)
    rules = robots.rules_for(ROBOT)
    _say("parse", seconds=_median(lambda: goodbot.RobotsTxt(content)))
    _say("rules", seconds=_median(lambda: robots.rules_for(ROBOT)))
    for url in urls:
        _say("check", seconds=_median(partial(rules.allows, url)), answer=rules.allows(url))


def _median(work: Callable[[], object]) -> float:
    return clock.median([clock.cpu_time(work) for _ in range(REPEATS)])


def _peer(name: str, encoded: bytes, urls: Sequence[str]) -> None:
    """Measure each step once, because a peer may be slow."""
    peer = peers.by_name(name)
    content = encoded.decode() if peer.takes_text else encoded

    def ask(kept: Any, url: str, answers: list[bool]) -> None:  # noqa: ANN401 -- the library's own type
        answers.append(peer.answer(kept, url))

    def read() -> None:
        kept: list[Any] = [] if peer.keeps else [content]
        if peer.keeps:
            _say("parse", seconds=clock.cpu_time(lambda: kept.append(peer.keep(content))))
        for url in urls:
            answers: list[bool] = []
            taken = clock.cpu_time(partial(ask, kept[0], url, answers))
            _say("check", seconds=taken, answer=answers[0])

    _say("peak", bytes=_peak(read))


def _peak(work: Callable[[], None]) -> int:
    """Return the additional peak memory of a piece of work."""
    before = memory.resident()
    Path("/proc/self/clear_refs").write_text("5")
    work()
    return max(0, process_memory.status("VmHWM") - before)


def main(library: str, content: Path, urls: Path) -> None:
    """Read one case and print each step."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    questions = urls.read_text().split("\n")
    if library == "goodbot":
        _goodbot(content.read_bytes(), questions)
    elif library == rust_peer.NAME:
        program = str(rust_peer.program())
        os.execv(program, [program, "hostile", str(content), ROBOT])  # noqa: S606 -- our own program
    else:
        _peer(library, content.read_bytes(), questions)


if __name__ == "__main__":
    try:
        main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    except MemoryError:
        sys.exit("out of memory")

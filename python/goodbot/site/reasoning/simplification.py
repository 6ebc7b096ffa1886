r"""The smallest file that can be proven to say the same.

Scope: candidates are tried, and what is proven is done. No part of it reads a clock: the same file
gives the same result on every machine.

>>> from goodbot.site.reasoning import simplify
>>> content = b"User-agent: Foo\nDisallow: /a\nDisallow: /a/b\nDisallow: /c*\n"
>>> simplify(content).content
b'User-agent: Foo\nDisallow: /a\nDisallow: /c*\n'

Some dialects read a star as a letter, so it stays, unless only others are asked for:

>>> found = simplify(content, dialects=["rfc9309", "google"])
>>> found.content
b'User-agent: Foo\nDisallow: /a\nDisallow: /c\n'
>>> [(one.kind, one.lines) for one in found.changes]
[('star', (4,)), ('rule', (3,))]
"""

from collections.abc import Callable, Iterator, Sequence

from goodbot._core import Dialect, RobotsTxt
from goodbot._core import dialects as every_dialect
from goodbot.display import short_repr
from goodbot.errors import RobotNameError, WrongTypeError, WrongValueError
from goodbot.garbage import no_collections
from goodbot.lazy_dataclass import dataclass
from goodbot.site.reasoning.dialect_proof import Proof, TooMuch, Version, chosen_dialects
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE
from goodbot.site.reasoning.simplify_edits import STEPS, CandidateFile
from goodbot.site.reasoning.simplify_layout import (
    Edit,
    EditKind,
    NumberedLine,
    content_of,
    edited,
)

__all__ = ["WEB_DIALECTS", "Simplification", "SimplifiedPart", "simplify"]

WEB_DIALECTS = ("rfc9309", "google", "bing", "yandex", "apple", "aipref")
"""The dialects that most robots on the Web read today, for those who do not mind the others. Those
of the 1990s and that of Perl's library compare `*` literally and obey the first group that fits, so
a file that means the same in them, too, can be simplified less."""

MOST_PROOFS = 400
"""The most versions of a file that are tried."""

MOST_WORK = 400_000
"""The most work of all versions that a run tries, together; see `Proof.work`."""

WORK_OF_ALL_RUNS = 4_000_000
"""The most work of all runs."""

STATES_OF_ALL_RUNS = 150_000
"""The most states of all comparisons of all runs."""

MOST_LINES = 15_000
"""The most lines of a file that is simplified: each version has all of them, in each dialect."""

MOST_UNDECIDED = 10
"""The most proofs that may reach their bounds before no more are tried."""

MOST_RUNS = 10
"""How often a file is simplified anew, with bounds of its own, if a run did not try everything."""

MOST_ROUNDS = 6
"""How often the steps are repeated while one of them finds something."""


@dataclass(frozen=True, slots=True, repr=False)
class SimplifiedPart:
    """A part of a file that was simplified, or that might be."""

    kind: EditKind
    """What is simplified."""
    lines: tuple[int, ...]
    """The lines of the original file that it is about, from 1."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return it as a short sentence.

        >>> str(SimplifiedPart("merge", (7, 8)))
        'lines 7 and 8: the group is merged with an equal one'
        """
        numbers = [f"{number:,}" for number in self.lines]
        if len(numbers) == 1:
            return f"line {numbers[0]}: {WORDS[self.kind]}"
        return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}: {WORDS[self.kind]}"


WORDS: dict[EditKind, str] = {
    "rule": "the rule changes nothing",
    "star": "the last or repeated * changes nothing",
    "robot": "the name changes nothing",
    "group": "the group changes nothing",
    "merge": "the group is merged with an equal one",
}


@dataclass(frozen=True, slots=True, repr=False)
class Simplification:
    """A simpler file that says the same to every robot, in each of some dialects."""

    before: bytes
    """The file."""
    content: bytes
    """The simplified file; the same bytes if nothing can be simplified."""
    changes: tuple[SimplifiedPart, ...]
    """What was simplified."""
    undecided: tuple[SimplifiedPart, ...]
    """What stays as it is, because the bounds were reached before it was proven."""
    refusal: str
    """Why nothing was tried; empty if something was."""
    dialects: tuple[str, ...] = ()
    """The dialects in which both say the same."""
    is_complete: bool = True
    """Whether everything was tried. If not, the bounds were reached before, and there may be a
    smaller file."""

    __repr__ = short_repr

    @property
    def saved(self) -> int:
        """How many bytes shorter the file has become."""
        return len(self.before) - len(self.content)


def simplify(
    content: bytes | RobotsTxt, *, dialects: Sequence[str] | None = None
) -> Simplification:
    r"""Return the smallest file that can be proven to say the same as a robots.txt.

    Rules without which every path is decided in the same way are omitted, so are names and groups
    without which their robots would obey the same, and stars that say nothing. Groups with equal
    rules are merged. Comments on lines of their own, the order of the lines, and everything whose
    meaning is unknown are kept.

    Each step is proven before it is done (`is_same`): for all robots that the file names, wholly or
    in part, all others, and known robots with their families; for every path; with pace, hours, use
    and sitemaps; and in each dialect. What only some dialects read as needless stays.

    Args:
        content: The robots.txt.
        dialects: The dialects in which the result must say the same. The first one decides how the
            file is divided into groups. By default every dialect that there is; `WEB_DIALECTS` are
            fewer.

    Returns:
        The result, and what was simplified.

    Raises:
        MisuseError: There is no dialect of a name, none is named, or `content` is something else.

    >>> simplify(b"User-agent: A\nDisallow: /x\n\nUser-agent: B\nDisallow: /x\n").content
    b'User-agent: A\nUser-agent: B\nDisallow: /x\n'

    Source: RFC 9309 section 2.2, or the documents of the dialects.

    """
    whole = content.content if isinstance(content, RobotsTxt) else content
    if not isinstance(whole, bytes):
        message = f"content must be bytes or a RobotsTxt, not {type(content).__name__}"
        raise WrongTypeError(message)
    chosen = every_dialect() if dialects is None else chosen_dialects(dialects)
    if not chosen:
        message = "name at least one dialect"
        raise WrongValueError(message)
    refusal = too_large(whole, chosen)
    if refusal:
        return Simplification(whole, whole, (), (), refusal)
    try:
        with no_collections():
            return settled(whole, chosen)
    except TooMuch as error:
        return Simplification(whole, whole, (), (), str(error))


def settled(content: bytes, dialects: Sequence[Dialect]) -> Simplification:
    """Return the result of simplifying a file until it stays as it is.

    Raises:
        TooMuch: It has more lines, or names more robots, than the bounds.

    """
    lines, done = numbered_lines(content), list[SimplifiedPart]()
    work, states, witnesses = WORK_OF_ALL_RUNS, STATES_OF_ALL_RUNS, list[str]()
    for _ in range(MOST_RUNS):
        proof = Proof(content_of(lines), dialects)
        proof.limit_states(states)
        proof.witnesses.extend(witnesses)
        run = Simplifier(lines, proof, most_work=work)
        done += run.run()
        work, states = work - run.work_done, states - proof.states_taken
        if run.is_settled or min(work, states) <= 0:
            break
        # A smaller file goes further within the same bounds.
        lines, witnesses = run.lines, list(proof.witnesses)
    return Simplification(
        content,
        content_of(run.lines),
        tuple(done),
        tuple(run.undecided),
        "",
        tuple(one.name for one in dialects),
        run.is_complete,
    )


def numbered_lines(content: bytes) -> list[NumberedLine]:
    """Return the lines of a file.

    Raises:
        TooMuch: There are more than the bound.

    """
    # Also a carriage return alone ends a line.
    if content.count(b"\n") + content.count(b"\r") > MOST_LINES:
        count = len(RobotsTxt(content).lines)
        if count > MOST_LINES:
            message = f"it has {count:,} lines, and {MOST_LINES:,} are the most"
            raise TooMuch(message)
    return [NumberedLine(one.number, one.raw) for one in RobotsTxt(content).lines]


def too_large(content: bytes, dialects: Sequence[Dialect]) -> str:
    """Return why a file is too large to be simplified; empty if it is not."""
    limits = (int(one.choices["size_limit"]) for one in dialects)
    limit = min((one for one in limits if one), default=0)
    if not limit or len(content) <= limit:
        return ""
    return (
        f"it has {len(content):,} bytes, and robots read {limit:,} or disagree about the rest; "
        "shorten it"
    )


class Simplifier:
    """The lines of a file while it is simplified."""

    def __init__(self, lines: list[NumberedLine], proof: Proof, *, most_work: int) -> None:
        """Begin with the whole file."""
        self.lines = lines
        self.proof = proof
        self.done: list[SimplifiedPart] = []
        self.undecided: list[SimplifiedPart] = []
        self.proofs_left = MOST_PROOFS
        self.work_left = self.most_work = min(MOST_WORK, most_work)
        self.unknown_left = MOST_UNDECIDED
        self.file: CandidateFile | None = None
        self.is_complete = True

    def run(self) -> list[SimplifiedPart]:
        """Repeat the steps until none finds anything; return what was simplified."""
        for _ in range(MOST_ROUNDS):
            found = len(self.done)
            self.undecided.clear()
            for step in STEPS:
                self.step(step)
            if len(self.done) == found:
                break
            if self.is_spent:
                self.is_complete = False
                break
        return self.done

    @property
    def is_settled(self) -> bool:
        """Whether another run would find nothing: all was tried, or this run found nothing."""
        return not self.done or (self.is_complete and not self.undecided)

    def step(self, step: Callable[[CandidateFile], Iterator[Edit]]) -> None:
        """Try the candidates of one kind."""
        if self.file is None:
            self.file = self.candidates()
        kept: list[Edit] = []
        self.keep(list(step(self.file)), kept)
        self.is_complete &= self.file.is_complete
        if kept:
            self.done += [self.part(edit) for edit in kept]
            self.lines = edited(self.lines, kept)
            self.file = None

    @property
    def work_done(self) -> int:
        """The work of the versions that were tried."""
        return self.most_work - self.work_left

    @property
    def is_spent(self) -> bool:
        """Whether no more versions are tried."""
        left = (self.proofs_left, self.work_left, self.unknown_left, self.proof.states_left)
        return min(left) <= 0

    def candidates(self) -> CandidateFile:
        """Return the file as it is now, for finding candidates."""
        self.work_left -= self.proof.work
        version = Version(content_of(self.lines), self.proof.dialects)
        nothing = Version(b"", self.proof.dialects)

        def same_in(dialect: str, one: str, other: str | None) -> bool:
            try:
                reading = version.reading(dialect, one)
            except RobotNameError:
                return False
            instead = (
                nothing.reading(dialect, EVERYONE_ELSE)
                if other is None
                else version.reading(dialect, other)
            )
            return self.proof.same(reading, instead) is not False

        def same(one: str, other: str | None) -> bool:
            return all(same_in(dialect.name, one, other) for dialect in self.proof.dialects)

        names = list(self.proof.names.values())
        return CandidateFile(list(version.files.values()), names, same)

    def keep(self, edits: list[Edit], kept: list[Edit]) -> None:
        """Append those edits to others that are proven together with them.

        Most candidates are right, so all of them are tried at once, and halves only if they fail.
        """
        if not edits:
            return
        if self.is_spent:
            self.undecided += [self.part(edit) for edit in edits]
            return
        holds = self.proof.holds_for(content_of(edited(self.lines, [*kept, *edits])))
        self.proofs_left -= 1
        self.work_left -= self.proof.work
        self.unknown_left -= holds is None
        if holds:
            kept += edits
        elif len(edits) > 1:
            half = len(edits) // 2
            self.keep(edits[:half], kept)
            self.keep(edits[half:], kept)
        elif holds is None:
            self.undecided.append(self.part(edits[0]))

    def part(self, edit: Edit) -> SimplifiedPart:
        """Return an edit as it is reported: with the lines of the original file."""
        numbers = (self.lines[place].number for place in edit.places)
        return SimplifiedPart(edit.kind, tuple(sorted(numbers)))

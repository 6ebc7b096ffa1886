"""From statements to verdicts: how directives combine when they contradict each other."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, get_args

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.page.dialects import PageDialect
from goodbot.page.directives import DIRECTIVES, IMAGE_SIZES, VALUED
from goodbot.page.verdict import Act, PageVerdict, Source, Statement

__all__ = [
    "SPIDER_BY",
    "CommonVerdicts",
    "DisplayLimits",
    "WholeVerdicts",
    "common_verdicts",
    "conflicts",
    "forbidden_by",
    "is_zero",
    "limits_of",
    "verdicts_of",
]

EVERY: tuple[Act, ...] = get_args(Act)

SPIDER_BY = "spider by"
"""The name of the META element of Kollar, Leavitt and Mauldin, 1996."""


@dataclass(frozen=True, slots=True, repr=False)
class DisplayLimits:
    """The limits on what robots may show of a document."""

    max_snippet: int | None = None
    """The most characters to quote: 0 for none, -1 for no limit, `None` if not stated."""
    max_image_preview: str | None = None
    """The largest preview of images: `none`, `standard` or `large`; `None` if not stated."""
    max_video_preview: int | None = None
    """The most seconds of video: 0 for a still image, -1 for no limit, `None` if not stated."""
    unavailable_after: datetime | None = None
    """The time, in UTC, from which the document must not be shown; `None` if not stated."""
    index_if_embedded: bool = False
    """Whether it may be indexed, despite noindex, as part of a page that embeds it."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        date = self.unavailable_after
        return {
            "max_snippet": self.max_snippet,
            "max_image_preview": self.max_image_preview,
            "max_video_preview": self.max_video_preview,
            "unavailable_after": None if date is None else date.isoformat(),
            "index_if_embedded": self.index_if_embedded,
        }


class ActRow(NamedTuple):
    """The part of a verdict that does not depend on the document and the robot."""

    allowed: bool
    reason: str
    said: Source | None

    @property
    def source(self) -> str:
        """The same as `PageVerdict.source`."""
        return "" if self.said is None else str(self.said)


NOTHING_SAID = ActRow(allowed=True, reason="nothing-said", said=None)

MOST_SHARED = 16
"""The most statements of a document whose verdicts are kept for other documents."""


@dataclass(frozen=True, slots=True, eq=False)
class CommonVerdicts:
    """The verdicts that follow from the same statements; most pages of a site share them."""

    by_act: Mapping[Act, ActRow]
    """The verdict on each act."""
    limits: DisplayLimits
    """The limits on what may be shown."""
    derived: dict[str, Any] = field(default_factory=dict)
    """What was derived from them for one document, and is the same for all that share them."""


class WholeVerdicts(dict[Act, PageVerdict]):
    """The verdicts on one document as a whole, each made when it is first asked for.

    Args:
        common: What documents with the same statements share.
        robot: The robot, as it was named.
        url: The URL of the document.
        dialect: The name of the page dialect.

    """

    __slots__ = ("_by_act", "_of")

    def __init__(self, common: CommonVerdicts, robot: str, url: str, dialect: str) -> None:
        """Make no verdict yet."""
        self._by_act, self._of = common.by_act, (robot, url, dialect)

    def __missing__(self, act: Act) -> PageVerdict:
        """Make a verdict."""
        verdict = self[act] = PageVerdict(act, *self._by_act[act], *self._of)
        return verdict

    def row(self, act: Act) -> PageVerdict | ActRow:
        """Return a verdict, or what it would say if it was not made yet."""
        verdict = self.get(act)
        return self._by_act[act] if verdict is None else verdict


def common_verdicts(statements: Iterable[Statement], dialect: PageDialect) -> CommonVerdicts:
    """Decide each act for every document with the same statements; from a cache if they are few."""
    said = tuple(statements)
    return decided_acts(said, dialect) if len(said) > MOST_SHARED else shared_acts(said, dialect)


def verdicts_of(
    statements: Iterable[Statement], robot: str, url: str, dialect: PageDialect
) -> WholeVerdicts:
    """Decide each act for the document as a whole; see `common_verdicts`."""
    return WholeVerdicts(common_verdicts(statements, dialect), robot, url, dialect.name)


def decided_acts(statements: tuple[Statement, ...], dialect: PageDialect) -> CommonVerdicts:
    """Decide each act.

    If one directive forbids an act and another allows it, the dialect decides which holds. The
    source of a verdict is the first directive that says so.
    """
    forbidding: dict[str, Statement] = {}
    allowing: dict[str, Statement] = {}
    older: dict[str, Statement] = {}
    zero = None
    for one in statements:
        for act in forbidden_by(one, dialect):
            forbidding.setdefault(act, one)
            if one.source.name.lower() == SPIDER_BY:
                older.setdefault(act, one)
        for act in DIRECTIVES[one.directive].allows:
            allowing.setdefault(act, one)
        zero = one if zero is None and is_zero(one) else zero
    if zero is not None:
        forbidding.setdefault("snippet", zero)
    rows = forbidden(forbidding)
    allowed = {act: ActRow(True, "directive-allows", one.source) for act, one in allowing.items()}  # noqa: FBT003
    if dialect.conflicts == "permissive":
        # An engine's rule on its own directives says nothing of an older element.
        rows = {**rows, **allowed, **forbidden(older)}
    else:
        rows = {**allowed, **rows}
    by_act = {act: rows.get(act, NOTHING_SAID) for act in EVERY}
    return CommonVerdicts(by_act, limits_of(statements))


shared_acts = lru_cache(maxsize=256)(decided_acts)


def forbidden(by_act: dict[str, Statement]) -> dict[str, ActRow]:
    """Return the row of a verdict for each act that a statement forbids."""
    return {act: ActRow(False, "directive-forbids", one.source) for act, one in by_act.items()}  # noqa: FBT003


def forbidden_by(statement: Statement, dialect: PageDialect) -> tuple[str, ...]:
    """Return the acts that a statement forbids in a dialect."""
    forbids = DIRECTIVES[statement.directive].forbids
    return (*forbids, *dialect.noindex_forbids) if "index" in forbids else forbids


def is_zero(statement: Statement) -> bool:
    """Return whether a statement is `max-snippet:0`, which means the same as `nosnippet`."""
    return statement.directive == "max-snippet" and statement.value == 0


NO_LIMITS = DisplayLimits()
LIMITING = frozenset({"nosnippet", "indexifembedded", *VALUED})
"""The directives that limit what may be shown."""


def limits_of(statements: Iterable[Statement]) -> DisplayLimits:
    """Return the narrowest of each limit ("the more restrictive robots rule applies")."""
    statements = list(statements)
    names = {one.directive for one in statements}
    if names.isdisjoint(LIMITING):
        return NO_LIMITS
    values: dict[str, list[Any]] = {}
    for one in statements:
        if one.value is not None:
            values.setdefault(one.directive, []).append(one.value)
    snippet = narrowest(values.get("max-snippet", []))
    sizes = values.get("max-image-preview")
    return DisplayLimits(
        max_snippet=0 if "nosnippet" in names else snippet,
        max_image_preview=min(sizes, key=IMAGE_SIZES.index) if sizes else None,
        max_video_preview=narrowest(values.get("max-video-preview", [])),
        unavailable_after=min(values.get("unavailable_after", []), default=None),
        index_if_embedded="indexifembedded" in names and bool(names & {"noindex", "none"}),
    )


def narrowest(numbers: list[int]) -> int | None:
    """Return the smallest number, where -1 means no limit; `None` if there are no numbers."""
    bounded = [number for number in numbers if number >= 0]
    return min(bounded) if bounded else max(numbers, default=None)


def conflicts(statements: Iterable[Statement]) -> list[tuple[Statement, Statement]]:
    """Return pairs of statements of which one forbids an act and the other allows it."""
    statements = list(statements)
    if len(statements) < 2:  # noqa: PLR2004  no directive contradicts itself
        return []
    rows = [DIRECTIVES[one.directive] for one in statements]
    forbidden = {act for row in rows for act in row.forbids}
    contradicted = forbidden.intersection([act for row in rows for act in row.allows])
    return [
        (
            next(one for one in statements if act in DIRECTIVES[one.directive].forbids),
            next(one for one in statements if act in DIRECTIVES[one.directive].allows),
        )
        for act in EVERY
        if act in contradicted
    ]

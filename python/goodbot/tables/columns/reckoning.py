"""From the answers of a table of policies to what the policy layer makes of them.

Scope: from answers to access, reason, lifetime and the copy in force, always by `Policy`, each with
the one before it. Nothing is read or written here. Equal answers are decided once, because a table
may have millions of rows.

Source: RFC 9309 sections 2.3.1 and 2.4, or the documents of the dialect.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from itertools import groupby
from typing import Any, NamedTuple

from goodbot._core import RobotsTxt
from goodbot.http.dates import http_date
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy.answer_policies import answers_of_outages, policy_after
from goodbot.policy.classify import PARTIAL_CONTENT, content_traits
from goodbot.policy.cutting import whole_lines
from goodbot.policy.decide import is_kept
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy.policy import Policy
from goodbot.policy.robots_txt_answer import (
    MATTERING,
    NOT_CAPTURED,
    RobotsTxtAnswer,
    answer_order,
)
from goodbot.tables.columns.fact_rows import (
    Reckoned,
    answers_in_rows,
    check_facts,
    make_table,
    pack_row,
)
from goodbot.tables.columns.schema import DIALECT_KEY, pyarrow

DATES = frozenset({"date", "expires"})
VALIDATORS = frozenset({"etag", "last-modified"})
"""Fields that count for the request after this one only."""
LIFETIMES = frozenset({"cache-control", "expires"})
WITHOUT_LIFETIME = VALIDATORS | {"age", "date"}
"""Fields that count for nothing if no lifetime is stated: the dialect has its own then."""

MOST_REMEMBERED = 100_000
"""How many decisions are remembered; each takes some 500 bytes."""

REDIRECTS = range(300, 400)
SUCCESSES = range(200, 300)

LATEST = datetime(9964, 1, 1, tzinfo=timezone.utc)
"""A lifetime that begins later may be cut by the end of the calendar, so it is that of no other
answer."""


class Lasting(NamedTuple):
    """What follows from an answer, wherever and whenever it came."""

    life: timedelta
    """For how long after the answer."""
    access: str
    reason: str
    has_rules: bool
    """Whether the content of the answer is the copy in force."""


class Reckoner:
    """Reckons policies, and remembers its decisions.

    Args:
        dialect: The name of the dialect.

    Raises:
        UnknownDialectError: There is no dialect of this name.

    """

    def __init__(self, dialect: str = "rfc9309") -> None:
        self.dialect = dialect
        self._dialect = RobotsTxt(b"", dialect=dialect).dialect
        self._ends_with_the_day = policy_dialect(dialect).life_rule == "utc-day"
        self._known: dict[Any, tuple[timedelta, str, str, bool]] = {}

    def reckon(self, answers: Sequence[RobotsTxtAnswer]) -> list[Reckoned]:
        """Return what follows from the answers of one origin.

        Args:
            answers: In the order in which they were learned. Of those of one time, the first is the
                one that later policies follow; see `answer_order`.

        """
        chain = Chain(self)
        found = []
        for _, tied in groupby(answers_of_outages(answers), key=lambda answer: answer.learned):
            group = list(tied)
            found += [self._one(answer, chain) for answer in group]
            chain.add(group[0])
        return found

    def _one(self, answer: RobotsTxtAnswer, chain: "Chain") -> Reckoned:
        """Return what follows from one request, from memory if an equal answer was decided."""
        if not answer.is_known:
            return Reckoned(answer.learned, "unknown", NOT_CAPTURED, False, None, None)  # noqa: FBT003
        if depends_on_others(answer):
            return reckon_columns(self.policy(answer, chain.last()))
        key = self._key(answer)
        known = self._known.get(key)
        if known is not None:
            life, access, reason, has_rules = known
            body = answer.body if has_rules else None
            return Reckoned(answer.answered + life, access, reason, False, None, body)  # noqa: FBT003
        policy = self.policy(answer, chain.last())
        found = reckon_columns(policy)
        # Only a failure or a 304 depends on the policies before it. What was cut is not remembered,
        # since only a part of it counts.
        if policy.failing_since is None and found.body in {None, answer.body}:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            life = found.valid_until - answer.answered
            self._known[key] = (life, found.access, found.reason, found.body is not None)
        return found

    def _key(self, answer: RobotsTxtAnswer) -> tuple[Any, ...]:
        """Return what the decision depends on, with times relative to the answer."""
        now = answer.answered
        fields = deciding_fields(answer.headers, now)
        asked = None if answer.requested is None else now - answer.requested
        day = now if self._ends_with_the_day or now > LATEST else None
        traits = self.traits(answer.status, answer.body, truncated=answer.truncated)
        return answer.status, traits, fields, asked, day

    def traits(
        self, status: int | None, content: bytes, *, truncated: bool
    ) -> tuple[Any, ...] | None:
        """Return all that a decision depends on in the content of an answer; `None` if nothing.

        Args:
            status: The status of the answer.
            content: Its content, as far as it was received.
            truncated: Whether it was cut.

        """
        if status not in SUCCESSES:
            return None
        body, is_lost = whole_lines(content, self._dialect, truncated=truncated)
        robots_txt = RobotsTxt(body, dialect=self._dialect)
        size = len(body) if status == PARTIAL_CONTENT else is_kept(self._dialect, body)
        is_whole = len(body) == len(content)
        return content_traits(body, robots_txt, is_lost=is_lost), size, is_whole

    def lasting(self, answer: RobotsTxtAnswer) -> "Lasting | None":
        """Return what follows from an answer alone, whatever came before it.

        `None` if that depends on more: on the answers before, on the day, or on a part of the
        content that a row has to name.
        """
        if depends_on_others(answer):
            return None
        found = reckon_columns(self.policy(answer, None))
        if self._ends_with_the_day or found.failing_since is not None:
            return None
        if found.body not in {None, answer.body}:
            return None
        life = found.valid_until - answer.answered
        return Lasting(life, found.access, found.reason, found.body is not None)

    def policy(self, answer: RobotsTxtAnswer, previous: Policy | None) -> Policy:
        """Return the policy that follows from an answer.

        Args:
            answer: The answer.
            previous: The policy before it, if one is known.

        """
        return policy_after(answer, previous, dialect=self.dialect)


class Chain:
    """The policy before the next request of an origin, made only if it is needed."""

    def __init__(self, reckoner: Reckoner) -> None:
        self._reckoner = reckoner
        self._policy: Policy | None = None
        self._waiting: list[RobotsTxtAnswer] = []

    def add(self, answer: RobotsTxtAnswer) -> None:
        """Add a request; if its answer is not known, nothing that was known before counts."""
        if answer.is_known:
            self._waiting.append(answer)
        else:
            self._policy = None
            self._waiting.clear()

    def last(self) -> Policy | None:
        """Return the policy of the last request; `None` if there was none."""
        for answer in self._waiting:
            self._policy = self._reckoner.policy(answer, self._policy)
        self._waiting.clear()
        return self._policy


def depends_on_others(answer: RobotsTxtAnswer) -> bool:
    """Return whether what follows depends on more than this answer.

    That holds for a failure also where it has a status: the connection broke after the head.
    """
    is_answered = answer.status is not None and answer.failure is None
    return not is_answered or answer.status == NOT_MODIFIED or answer.status in REDIRECTS


def deciding_fields(
    headers: Sequence[tuple[str, str]], now: datetime
) -> tuple[tuple[str, timedelta | str], ...]:
    """Return the header fields that a decision depends on, with dates relative to now."""
    ignored = VALIDATORS if any(name in LIFETIMES for name, _ in headers) else WITHOUT_LIFETIME
    return tuple(
        (name, since(value, now) if name in DATES else value)
        for name, value in headers
        if name in MATTERING and name not in ignored
    )


def since(date: str, now: datetime) -> timedelta | str:
    """Return the time from now to a date; the text itself if it is no date."""
    time = http_date(date, now=now)
    return date if time is None else time - now


def reckon_columns(policy: Policy) -> Reckoned:
    """Return the columns of a policy."""
    robots_txt = policy.robots_txt
    return Reckoned(
        policy.fresh_until,
        policy.access,
        policy.reason,
        stale=robots_txt is not None and policy.failing_since is not None,
        failing_since=policy.failing_since,
        body=None if robots_txt is None else robots_txt.content,
    )


def reckon(table: Any, dialect: str) -> Any:  # noqa: ANN401  Arrow, of any library
    """Reckon a table of policies again, in another dialect.

    The rows keep their order, so the number of a row means the same row. A 304 answered
    the robot that asked, so it confirms the same copy as in the dialect of the table, even if a
    robot of the other dialect would have had another one (RFC 9110 section 15.4.5).

    Args:
        table: A table of policies with all its facts: anything with the Arrow stream interface.
        dialect: The name of the dialect.

    Returns:
        A `pyarrow.Table` with the columns of the schema.

    Raises:
        MisuseError: The table lacks facts.
        MissingExtraError: pyarrow is not installed.
        UnknownDialectError: There is no dialect of this name.

    """
    pa = pyarrow()
    given = pa.table(table)
    check_facts(given.column_names)
    reckoner = Reckoner(dialect)
    answers = list(answers_in_rows(given))
    order = sorted(
        range(len(answers)),
        key=lambda at: (answers[at].url, answers[at].learned, *answer_order(answers[at])),
    )
    found: list[Reckoned | None] = [None] * len(answers)
    for _, places in groupby(order, key=lambda place: answers[place].url):
        group = list(places)
        for place, one in zip(group, reckoner.reckon([answers[p] for p in group]), strict=True):
            found[place] = one
    pairs = zip(answers, found, strict=True)
    rows = [pack_row(answer, one) for answer, one in pairs if one is not None]
    return make_table(rows, dialect).replace_schema_metadata(
        (given.schema.metadata or {}) | {DIALECT_KEY: dialect.encode()}
    )

"""From the facts of a table of policies to what the policy layer makes of them.

Scope: from facts to access, reason, lifetime and the copy in force, always by `Policy`, each policy
with the one before it. Nothing is read or written here. Equal facts are decided once, because a
table may have millions of rows.

Source: RFC 9309 sections 2.3.1 and 2.4, or the documents of the dialect.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import groupby
from typing import Any, NamedTuple

from goodbot._core import Dialect, RobotsTxt, robots_txt_url
from goodbot.columns.fact_rows import (
    MATTERING,
    NOT_CAPTURED,
    PolicyFacts,
    Reckoned,
    check_facts,
    facts_of,
    row_of,
    table_of,
)
from goodbot.columns.schema import DIALECT_KEY, pyarrow
from goodbot.http.dates import http_date
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy.classify import PARTIAL_CONTENT, content_traits
from goodbot.policy.cutting import whole_lines
from goodbot.policy.decide import is_kept
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy.policy import Policy
from goodbot.policy.policy_timeline import LearnedPolicy

__all__ = [
    "LATEST",
    "LIFETIMES",
    "REDIRECTS",
    "SUCCESSES",
    "WITHOUT_LIFETIME",
    "Lasting",
    "Reckoner",
    "confirmable",
    "deciding_fields",
    "reckon",
    "unknown_from",
]

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
STORED_TAG = ("etag", '"as-stored"')
"""An entity tag for a copy that was confirmed by a response without any."""


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
        """Start with nothing remembered."""
        self.dialect = dialect
        self._dialect = RobotsTxt(b"", dialect=dialect).dialect
        self._ends_with_the_day = policy_dialect(dialect).life_rule == "utc-day"
        self._known: dict[Any, tuple[timedelta, str, str, bool]] = {}

    def reckon(self, facts: Sequence[PolicyFacts]) -> list[Reckoned]:
        """Return what follows from the facts of one origin.

        Args:
            facts: In the order in which they were learned. If several were learned at one time, the
                first of them is the one that later policies follow.

        """
        chain = Chain(self)
        found = []
        for _, tied in groupby(explained(facts), key=lambda one: one.learned):
            group = list(tied)
            found += [self._one(one, chain) for one in group]
            chain.add(group[0])
        return found

    def policies(self, facts: Sequence[PolicyFacts]) -> Iterator[LearnedPolicy]:
        """Yield the policies that follow from the facts of one origin, as `reckon` has them.

        Where nothing is known, there is none; `unknown_from` has the times.
        """
        previous = None
        for at, tied in groupby(explained(facts), key=lambda one: one.learned):
            group = list(tied)
            found = [self.policy(one, previous) for one in group if is_known(one)]
            yield from (LearnedPolicy(at, one) for one in found)
            previous = found[0] if is_known(group[0]) else None

    def _one(self, facts: PolicyFacts, chain: "Chain") -> Reckoned:
        """Return what follows from one request, from memory if equal facts were decided."""
        if not is_known(facts):
            return Reckoned(facts.learned, "unknown", NOT_CAPTURED, False, None, None)  # noqa: FBT003
        if facts.status is None or facts.status == NOT_MODIFIED or facts.status in REDIRECTS:
            return reckoned(self.policy(facts, chain.last()))
        key = self._key(facts)
        known = self._known.get(key)
        if known is not None:
            life, access, reason, has_rules = known
            body = facts.body if has_rules else None
            return Reckoned(facts.answered + life, access, reason, False, None, body)  # noqa: FBT003
        policy = self.policy(facts, chain.last())
        found = reckoned(policy)
        # Only a failure or a 304 depends on the policies before it. What was cut is not remembered,
        # since only a part of it counts.
        if policy.failing_since is None and found.body in {None, facts.body}:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            life = found.valid_until - facts.answered
            self._known[key] = (life, found.access, found.reason, found.body is not None)
        return found

    def _key(self, facts: PolicyFacts) -> tuple[Any, ...]:
        """Return what the decision depends on, with times relative to the answer."""
        now = facts.answered
        fields = deciding_fields(facts.headers, now)
        asked = None if facts.asked is None else now - facts.asked
        day = now if self._ends_with_the_day or now > LATEST else None
        traits = self.traits(facts.status, facts.body, truncated=facts.truncated)
        return facts.status, traits, fields, asked, day

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

    def lasting(self, facts: PolicyFacts) -> "Lasting | None":
        """Return what follows from an answer alone, whatever came before it.

        `None` if that depends on more: on the answers before, on the day, or on a part of the
        content that a row has to name.
        """
        if facts.status is None or facts.status == NOT_MODIFIED or facts.status in REDIRECTS:
            return None
        found = reckoned(self.policy(facts, None))
        if self._ends_with_the_day or found.failing_since is not None:
            return None
        if found.body not in {None, facts.body}:
            return None
        life = found.valid_until - facts.answered
        return Lasting(life, found.access, found.reason, found.body is not None)

    def policy(self, facts: PolicyFacts, previous: Policy | None) -> Policy:
        """Return the policy that follows from a request.

        Args:
            facts: The facts.
            previous: The policy before it, if one is known.

        """
        return self._answered(facts, self._before(facts, previous))

    def _answered(self, facts: PolicyFacts, previous: Policy | None) -> Policy:
        """Return the policy of an answer or a failure."""
        url, now = robots_txt_url(facts.origin), facts.answered
        if facts.status is None:
            return Policy.from_failure(
                url, facts.failure or "protocol-error", now=now, dialect=self.dialect,
                previous=previous, hops=facts.hops,
            )  # fmt: skip
        return Policy.from_response(
            url, facts.status, facts.headers, facts.body, truncated=facts.truncated, now=now,
            dialect=self.dialect, previous=previous, hops=facts.hops, requested=facts.asked,
        )  # fmt: skip

    def _before(self, facts: PolicyFacts, previous: Policy | None) -> Policy | None:
        """Return the policy before a request, with what the row itself knows of it.

        A store does not keep every answer, so the row that a 304 or an outage confirmed may be
        missing; the copy in force and the beginning of the outage are facts of the row itself.
        """
        copy, start = missing_copy(facts, previous), facts.failing_since
        if copy is not None:
            copied = facts._replace(
                status=200, failure=None, body=copy, truncated=False, asked=None,
                answered=start or facts.answered, headers=(*facts.headers, STORED_TAG),
            )  # fmt: skip
            previous = self._answered(copied, None)
        if start is None or start >= facts.answered:
            return previous
        return self._answered(facts._replace(answered=start, asked=None), previous)


class Chain:
    """The policy before the next request of an origin, made only if it is needed."""

    def __init__(self, reckoner: Reckoner) -> None:
        """Start without a policy."""
        self._reckoner = reckoner
        self._policy: Policy | None = None
        self._waiting: list[PolicyFacts] = []

    def add(self, facts: PolicyFacts) -> None:
        """Add a request; if its answer is not known, nothing that was known before counts."""
        if is_known(facts):
            self._waiting.append(facts)
        else:
            self._policy = None
            self._waiting.clear()

    def last(self) -> Policy | None:
        """Return the policy of the last request; `None` if there was none."""
        for facts in self._waiting:
            self._policy = self._reckoner.policy(facts, self._policy)
        self._waiting.clear()
        return self._policy


def is_known(facts: PolicyFacts) -> bool:
    """Return whether an answer or a failure is known, and not only that there was a redirect."""
    return facts.failure != NOT_CAPTURED


def unknown_from(facts: Sequence[PolicyFacts]) -> tuple[datetime, ...]:
    """Return the times from which on nothing is known of an origin."""
    return tuple(one.learned for one in facts if not is_known(one))


def missing_copy(facts: PolicyFacts, previous: Policy | None) -> bytes | None:
    """Return the copy that a row is about, if the policy before it has another one or none.

    A 304 confirms the copy of the robot that asked, also one that does not hold meanwhile, as after
    429. After a failure the newest known copy counts.
    """
    if facts.confirmed is None:
        if previous is None:
            return facts.kept
        is_stored = facts.kept is not None or facts.failing_since is not None
        address = facts.hops[-1] if facts.hops else robots_txt_url(facts.origin)
        is_about = facts.status == NOT_MODIFIED and address == previous.copy_url
        return unnamed_copy(previous) if is_about and not is_stored else None
    is_meant = previous is not None and previous.copy_content == facts.confirmed
    # Of a copy without a validator, no 304 is taken to be about it, unless the row says so.
    is_named = previous is not None and unnamed_copy(previous) is None
    return None if is_meant and is_named else facts.confirmed


def unnamed_copy(previous: Policy) -> bytes | None:
    """Return the copy of a policy that a 304 to another robot confirms without naming it.

    A server sends 304 to a request with a condition, so the robot had a copy. If the last one that
    is known has no validator, it is the only one that can be meant. `None` if there is no copy, or
    if it has validators, which are compared, or if the dialect asks without conditions.

    Source: RFC 9110 section 15.4.5; RFC 9111 section 4.3.4.
    """
    is_named = previous.validators or not previous.policy_dialect.revalidates
    return None if is_named else previous.copy_content


def confirmable(
    previous: Policy, headers: Sequence[tuple[str, str]], dialect: str | Dialect
) -> Policy:
    """Return a policy with a copy that a 304 to another robot confirms; see `unnamed_copy`."""
    copy, at = unnamed_copy(previous), previous.copy_fetched_at
    if copy is None or at is None:
        return previous
    url = robots_txt_url(previous.origin)
    fields = (*headers, STORED_TAG)
    return Policy.from_response(url, 200, fields, copy, now=at, dialect=dialect, hops=previous.hops)


def explained(facts: Sequence[PolicyFacts]) -> Iterator[PolicyFacts]:
    """Yield facts; an outage that began with one of them follows from that one."""
    known = {one.answered for one in facts}
    for one in facts:
        yield one._replace(failing_since=None) if one.failing_since in known else one


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


def reckoned(policy: Policy) -> Reckoned:
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
    facts = list(facts_of(given))
    order = sorted(range(len(facts)), key=lambda place: facts[place][:2])
    found: list[Reckoned | None] = [None] * len(facts)
    for _, places in groupby(order, key=lambda place: facts[place].origin):
        group = list(places)
        for place, one in zip(group, reckoner.reckon([facts[p] for p in group]), strict=True):
            found[place] = one
    rows = [row_of(fact, one) for fact, one in zip(facts, found, strict=True) if one is not None]
    return table_of(rows, dialect).replace_schema_metadata(
        (given.schema.metadata or {}) | {DIALECT_KEY: dialect.encode()}
    )

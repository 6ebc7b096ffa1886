"""What a robot may have known at every time: as intervals, for millions of requests.

Scope: one site, one robot, all times. It finds what `known_copies` finds for one request, which the
tests compare; a week with thousands of requests for robots.txt has few states.

Source: RFC 9309 sections 2.3.1 and 2.4.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from goodbot.history.values_by_time import ValuesByTime
from goodbot.http.instants import DAY
from goodbot.policy.outcome_tables import is_about_file, meaning_of
from goodbot.site.audit.known_copies import list_copies, served_after
from goodbot.site.audit.logged_answer import VERIFIED, LoggedAnswer
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.audit.served_versions import LAST, RobotsVersion, ServedVersions

BLOCKED, ASKED, KNOWN = "blocked", "asked", "known"
Token: TypeAlias = tuple[str, int]
"""What holds during an interval: a kind, and the place of a version (-1 without one)."""
Interval: TypeAlias = tuple[int, int]
"""A first microsecond, and the first one after it."""


class RobotState(NamedTuple):
    """What a robot may have known during a time."""

    in_force: tuple[int, ...]
    """The places of the versions in force; empty if unknown."""
    files: tuple[int, ...]
    """The places of the versions that it could hold."""
    unseen: tuple[int, ...]
    """The places of the versions that a cache may have given it."""
    is_free: bool
    """Whether it could hold an answer that there is no robots.txt."""
    is_unclear: bool
    """Whether it could hold an answer whose content is not known."""
    is_blocked: bool
    """Whether the last answer was a server error, without a copy to use instead."""
    has_asked: bool
    """Whether a request for robots.txt was seen before."""


def request_time(fetch: LoggedAnswer) -> int:
    """Return the time of a request."""
    return fetch.at


class StateTimeline:
    """The states of a robot at a site over time.

    It is about a robot, not about robots.txt, of which `history` is the timeline: which of its
    versions the robot may have held, and when it could fetch none.

    Args:
        history: The robots.txt of the site over time.
        fetches: All requests for robots.txt by the robot's operator, in the order of
            `sorted_fetches`.
        robot: How the robot reads robots.txt.
        identity: Who sent the requests that are judged: see `LoggedAnswer.binds`.
        resolution: That of the clock, in microseconds.
        behind_cdn: See `AuditOptions`.

    """

    def __init__(
        self,
        history: ServedVersions,
        fetches: Sequence[LoggedAnswer],
        robot: RobotReading,
        *,
        identity: str,
        resolution: int,
        behind_cdn: bool,
    ) -> None:
        """Find the intervals, and cut time where one of them begins or ends."""
        self._history, self._robot, self._resolution = history, robot, resolution
        self._identity = identity
        self._places = {id(one): place for place, one in enumerate(history.versions)}
        bound = [fetch for fetch in fetches if fetch.binds(identity)]
        rows = [*self._in_force(), *self._held(fetches)]
        rows += self._failing(fetches, bound, behind_cdn)
        if fetches:
            rows.append(((ASKED, -1), (fetches[0].at, LAST)))
        if behind_cdn:
            rows += self._unseen()
        self._states = compute_states(rows)

    def at(self, time: int) -> RobotState:
        """Return the state at a time, in microseconds since 1970."""
        return self._states.at(time) or NOTHING_KNOWN

    def _in_force(self) -> Iterator[tuple[Token, Interval]]:
        """Yield when each version may have been served."""
        for place, one in enumerate(self._history.versions):
            yield ("force", place), self._find_served(one)
        span = self._history.known_span
        if span is not None:
            yield (KNOWN, -1), (span[0] + self._resolution, span[1] + 1)

    def _find_served(self, version: RobotsVersion, longer: int = 0) -> Interval:
        """Return the times of the log at which a version may have been served."""
        end = LAST if version.end is None else version.end + self._resolution + longer
        return served_after(version, self._resolution), end

    def _held(self, fetches: Iterable[LoggedAnswer]) -> Iterator[tuple[Token, Interval]]:
        """Yield for how long each answer could be used."""
        for fetch in fetches:
            for token, life in self._answers(fetch):
                yield token, (fetch.at, fetch.at + life + self._resolution)

    def _answers(self, fetch: LoggedAnswer) -> list[tuple[Token, int]]:
        """Return what a request may have brought, each with its life."""
        found: list[tuple[Token, int]] = []
        for copy in list_copies(fetch, self._history, self._robot, self._resolution):
            if copy.version is None:
                found.append(((copy.kind, -1), self._robot.default_life))
            else:
                token = ("file", self._places[id(copy.version)])
                found.append((token, self._robot.life(copy.version)))
        return found

    def _failing(
        self,
        fetches: Sequence[LoggedAnswer],
        bound: Sequence[LoggedAnswer],
        behind_cdn: bool,  # noqa: FBT001  one caller
    ) -> Iterator[tuple[Token, Interval]]:
        """Yield what holds while robots.txt is unreachable."""
        if not any(outages(fetches, self._robot.dialect)):
            return
        answers = self._list_received(fetches)
        # The failures of others may help the robot, and forbid nothing.
        for seen in [bound] if bound == fetches else [fetches, bound]:
            for first, last, following in outages(seen, self._robot.dialect):
                since = seen[first].at
                kept = self._find_kept(fetches, since) | (answers.at(since) or frozenset())
                ends = [answer.at for answer in seen[first + 1 : last + 1]] + [following]
                for fetch, then in zip(seen[first : last + 1], ends, strict=True):
                    end = min(fetch.at + DAY + self._resolution, then)
                    free = max(since + self._robot.free_after - self._resolution + 1, fetch.at)
                    yield from ((token, (fetch.at, end)) for token in kept)
                    yield ("free", -1), (free, end)
                    if seen is bound and not behind_cdn:
                        yield (BLOCKED, -1), (fetch.at, end)

    def _list_received(
        self, fetches: Sequence[LoggedAnswer]
    ) -> ValuesByTime[int, frozenset[Token]]:
        """Return the copies that the robot may have stored last, over time.

        Only an answer that binds the sender replaces a copy.
        """
        found: list[frozenset[Token]] = []
        stored: frozenset[Token] = frozenset()
        for fetch in fetches:
            tokens = frozenset(token for token, _ in self._answers(fetch))
            kinds = {kind for kind, _ in tokens}
            if not fetch.binds(self._identity):
                stored |= frozenset(token for token in tokens if token[0] != "free")
            elif "file" in kinds:
                stored = tokens
            elif "unclear" in kinds:
                stored |= tokens
            elif "free" in kinds and is_about_file(fetch.status):
                stored = frozenset()
            found.append(stored)
        return ValuesByTime(tuple(map(request_time, fetches)), tuple(found))

    def _find_kept(self, fetches: Sequence[LoggedAnswer], since: int) -> set[Token]:
        """Return the answers that could be used when an outage began."""
        longest = self._longest_life() + self._resolution
        found = set()
        for place in range(bisect_right(fetches, since, key=request_time) - 1, -1, -1):
            fetch = fetches[place]
            if since - fetch.at >= longest:
                break
            age = since - fetch.at - self._resolution
            found |= {token for token, life in self._answers(fetch) if age < life}
        return found

    def _longest_life(self) -> int:
        """Return the longest life of an answer."""
        lives = [self._robot.life(version) for version in self._history.versions]
        return max([self._robot.default_life, *lives])

    def _unseen(self) -> Iterator[tuple[Token, Interval]]:
        """Yield what a cache may have answered to requests that the log does not show."""
        for place, one in enumerate(self._history.versions):
            yield ("unseen", place), self._find_served(one, self._robot.life(one))
        span = self._history.known_span
        until = LAST if span is None else span[0] + self._robot.default_life + self._resolution
        yield ("unclear", -1), (-LAST, until)


class SenderTimelines:
    """The states of a robot at a site over time, by who sends its requests.

    It chooses between two `StateTimeline`s, because a failure binds only those who received it.

    Args:
        verified: The states for requests of verified senders.
        others: The states for all other requests.

    """

    def __init__(self, verified: StateTimeline, others: StateTimeline) -> None:
        self._verified, self._others = verified, others

    def at(self, time: int, identity: str) -> RobotState:
        """Return the state at a time, in microseconds since 1970, for a sender."""
        return (self._verified if identity == VERIFIED else self._others).at(time)


def outages(fetches: Sequence[LoggedAnswer], dialect: str) -> Iterator[tuple[int, int, int]]:
    """Yield the places of the first and last request of each outage, and when it ended."""
    first = None
    for place, fetch in enumerate(fetches):
        is_failure = meaning_of(fetch.status, dialect) == "unreachable"
        if is_failure and first is None:
            first = place
        elif not is_failure and first is not None:
            yield first, place - 1, fetch.at
            first = None
    if first is not None:
        yield first, len(fetches) - 1, LAST


def compute_states(
    rows: Iterable[tuple[Token, Interval]],
) -> ValuesByTime[int, RobotState]:
    """Return the states over time."""
    changes: dict[int, list[tuple[Token, int]]] = {}
    for token, (start, end) in rows:
        if start < end:
            changes.setdefault(start, []).append((token, 1))
            changes.setdefault(end, []).append((token, -1))
    counts: dict[Token, int] = {}
    starts, states = [-LAST - 1], [NOTHING_KNOWN]
    known: dict[frozenset[Token], RobotState] = {}
    for at in sorted(changes):
        for token, change in changes[at]:
            counts[token] = counts.get(token, 0) + change
            if not counts[token]:
                del counts[token]
        key = frozenset(counts)
        if key not in known:
            known[key] = find_state(key)
        if known[key] is not states[-1]:
            starts.append(at)
            states.append(known[key])
    return ValuesByTime(tuple(starts), tuple(states))


def find_state(tokens: Iterable[Token]) -> RobotState:
    """Return the state in which some tokens hold."""
    places: dict[str, list[int]] = {"force": [], "file": [], "unseen": []}
    others = set()
    for kind, place in sorted(tokens):
        if kind in places:
            places[kind].append(place)
        else:
            others.add(kind)
    return RobotState(
        tuple(places["force"]) if KNOWN in others else (),
        tuple(places["file"]),
        tuple(places["unseen"]),
        "free" in others,
        "unclear" in others,
        BLOCKED in others and not places["file"] and not {"free", "unclear"} & others,
        ASKED in others,
    )


NOTHING_KNOWN = find_state(())
"""The state before anything is known."""

"""How one robot reads the robots.txt of a site: its dialect, its group, and how long copies live.

Scope: one robot, any version. What it holds at a time is in `known_copies`.
"""

from dataclasses import replace
from datetime import timedelta
from functools import lru_cache

from goodbot._core import RobotsTxt
from goodbot._core import dialect as named_dialect
from goodbot.bots import ObeyedRules, rules_for
from goodbot.bots.user_agents import known
from goodbot.http.fields import field_lines
from goodbot.http.instants import DAY, SECOND
from goodbot.http.request_target import asked_url
from goodbot.policy import policy_dialect
from goodbot.policy.lifetimes import file_lifetime
from goodbot.policy.outcome_tables import missing_after
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.served_versions import RobotsVersion

MOST_LIFE = 365 * DAY
"""The longest time for which a copy can be used, whatever Cache-Control says."""


class RobotReading:
    """How a robot reads the robots.txt of a site.

    Args:
        robot: The name of a robot, or a whole User-Agent.
        dialect: The dialect, if the robot's own is not known.
        max_age: See `AuditOptions`.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.
        UnknownDialectError: There is no such dialect.

    """

    def __init__(
        self, robot: str, dialect: str = "rfc9309", max_age: timedelta | None = None
    ) -> None:
        self.name = robot
        self.known = known(robot)
        own = None if self.known is None else self.known.dialect
        self.dialect = own or dialect
        self._dialect = named_dialect(self.dialect)
        table = policy_dialect(self.dialect)
        # A longer life than a day is the robot's right, too, where the server says so: RFC 9309
        # section 2.4 lets it use the cache control of RFC 9111.
        self._policy = replace(table, longest_life=None, life_rule="seconds")
        seconds = 0 if max_age is None else max(int(max_age.total_seconds()), 1)
        self._declared = field_lines(
            [] if not seconds else [("Cache-Control", f"max-age={seconds}")]
        )
        self.default_life = min(max(table.default_life, seconds) * SECOND, MOST_LIFE)
        """How long an answer without a stated lifetime may be used, in microseconds."""
        self.free_after = missing_after(self.dialect) * SECOND
        """How long robots.txt is unreachable until it may count as missing, in microseconds."""
        self._rules: dict[bytes, ObeyedRules] = {}
        self._files: dict[bytes, RobotsTxt] = {}
        self._lives: dict[RobotsVersion, int] = {}

    @property
    def operator(self) -> str:
        """Whose requests for robots.txt serve it, too: its operator; if unknown, its own name."""
        operator = None if self.known is None else self.known.operator
        return f"operator {operator}" if operator else f"robot {self.name.casefold()}"

    def claim(self) -> str | None:
        """Return why the robot is not judged by robots.txt; `None` if it is.

        Returns:
            `does-not-obey` or `user-triggered`, see `REASONS`.

        """
        if self.known is None or self.known.obeys:
            return None
        if self.known.obeys is False:
            return "does-not-obey"
        return "user-triggered" if "user-triggered" in self.known.purposes else None

    def life(self, version: RobotsVersion) -> int:
        """Return how long a copy of a version may be used, in microseconds.

        Source: RFC 9309 section 2.4: 24 hours, or what Cache-Control says; or the documents of the
        dialect.
        """
        found = self._lives.get(version)
        if found is None:
            at, fields = version.since, version.headers
            if not fields and version.seen is None:
                fields = self._declared
            until = file_lifetime(self._policy, fields, at, at, keep=True).until
            found = min(round((until - at).total_seconds()) * SECOND, MOST_LIFE)
            self._lives[version] = found
        return found

    def file(self, content: bytes) -> RobotsTxt:
        """Return a robots.txt as the robot reads it."""
        found = self._files.get(content)
        if found is None:
            found = self._files[content] = parse_once(content, self.dialect)
        return found

    def rules(self, content: bytes) -> ObeyedRules:
        """Return what the robot obeys in a robots.txt."""
        found = self._rules.get(content)
        if found is None:
            found = rules_for(self.file(content), self.name, dialect=self._dialect)
            self._rules[content] = found
        return found

    def allows(self, version: RobotsVersion, path: str) -> bool:
        """Return whether a version allows the robot to fetch a path."""
        return version.content is None or self.rules(version.content).allows(asked_url(path))

    def allows_many(self, version: RobotsVersion, paths: list[str]) -> list[bool]:
        """Return for each path whether a version allows the robot to fetch it."""
        if version.content is None:
            return [True] * len(paths)
        return self.rules(version.content).allows_many(map(asked_url, paths))


@lru_cache(maxsize=64)
def parse_once(content: bytes, dialect: str) -> RobotsTxt:
    """Return a robots.txt in a dialect, read once for all robots: a log may name very many."""
    return RobotsTxt(content, dialect=named_dialect(dialect))


def find_reading(robot: str, options: AuditOptions) -> RobotReading:
    """Return how a robot reads robots.txt in an audit.

    Args:
        robot: The name of a robot, or a whole User-Agent.
        options: How to judge.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.

    """
    return RobotReading(robot, options.dialect, options.max_age)

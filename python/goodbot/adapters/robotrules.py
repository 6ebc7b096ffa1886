r"""WWW::RobotRules in Python, with its methods, its answers and its reading of robots.txt.

    from goodbot.adapters.robotrules import RobotRules

It reads by the dialect `lwp`, which is exactly what WWW::RobotRules 6.x does. What is otherwise:

| point | WWW::RobotRules | here |
| --- | --- | --- |
| -1 as a truth | true | false: `if rules.allowed(url)` must not let in what nobody knows |
| `fresh_until` of 0 | a year from now | long ago, so that nothing is known |
| a URL that is not absolute | 1, with a warning | `NoOriginError` |
| the rules of a robot with a new name | forgotten, with all else | the same |
| the persistent form | WWW::RobotRules::AnyDBM_File | `RobotRulesFile`, a file of SQLite |
| `push_rules`, `dump` | there | not there: files are kept whole, and `rules` lists patterns |
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum
from urllib.parse import urlsplit

from goodbot._core import RobotsTxt, origin
from goodbot.adapters.rules_file import HostRecord, RulesFile
from goodbot.adapters.unix_time import seconds_of
from goodbot.errors import NoOriginError, RobotNameError

__all__ = ["Permission", "RobotRules", "RobotRulesFile"]

YEAR = 365 * 24 * 3600
"""Seconds that a file lives if nobody says how long (WWW::RobotRules, parse)."""

PORTS = {"http": 80, "https": 443}


class Permission(IntEnum):
    """The three answers of `allowed`. Only the first is true.

    >>> Permission.UNKNOWN == -1, bool(Permission.UNKNOWN), bool(Permission.ALLOWED)
    (True, False, True)
    """

    ALLOWED = 1
    FORBIDDEN = 0
    UNKNOWN = -1
    """There is no robots.txt of this host, or it has expired: it is to be fetched and parsed."""

    def __bool__(self) -> bool:
        """Whether the URL may be fetched."""
        return self is Permission.ALLOWED


@dataclass(slots=True)
class InMemory:
    """What is kept of hosts, until the program ends."""

    hosts: dict[str, HostRecord]

    def get(self, netloc: str) -> HostRecord:
        """Give what is kept of a host."""
        return self.hosts.get(netloc, HostRecord())

    def put(self, netloc: str, kept: HostRecord) -> None:
        """Keep it."""
        self.hosts[netloc] = kept

    def clear(self, agent: str) -> None:
        """Forget all: another robot begins."""
        del agent
        self.hosts = {}


class RobotRules:
    r"""The rules of many hosts for one robot, as WWW::RobotRules has them.

    Args:
        agent: The robot. Of `FooBot/1.2 [http://foobot.example; foo@bot.example]` the name is
            `FooBot`.
        clock: Gives the time in seconds since 1970.

    Raises:
        RobotNameError: The name is empty, or looks like a URL.

    >>> rules = RobotRules("FooBot/1.2")
    >>> rules.allowed("http://example.com/private/a")
    <Permission.UNKNOWN: -1>
    >>> rules.parse("http://example.com/robots.txt", "User-agent: *\nDisallow: /private/")
    >>> rules.allowed("http://example.com/private/a"), rules.allowed("http://example.com/")
    (<Permission.FORBIDDEN: 0>, <Permission.ALLOWED: 1>)

    Source: WWW::RobotRules, its documentation.
    """

    def __init__(self, agent: str, *, clock: Callable[[], float] = time.time) -> None:
        """Begin with nothing known."""
        self._agent = short_name(agent)
        self._clock = clock
        self._lock = threading.RLock()
        self._kept: InMemory | RulesFile = InMemory({})

    def parse(
        self, url: str, content: str | bytes, fresh_until: float | datetime | None = None
    ) -> None:
        """Read the robots.txt of a host.

        Args:
            url: The address that it was fetched from.
            content: The file; empty if there is none, which allows all. Do not parse a failure:
                what was not parsed is not known.
            fresh_until: Until when it may be used: seconds since 1970, or an aware `datetime`; a
                year if it is left out.

        Raises:
            NoOriginError: The address has no host.
            WrongTypeError: The content is neither text nor octets.
            WrongValueError: The time is naive, or no number.

        """
        netloc = netloc_of(url)
        octets = content.encode("utf-8", "replace") if isinstance(content, str) else content
        file = RobotsTxt(octets, dialect="lwp")
        until = self._clock() + YEAR if fresh_until is None else seconds_of(fresh_until)
        with self._lock:
            kept = self._kept.get(netloc)
            self._kept.put(netloc, replace(kept, content=file.content, fresh_until=until))

    def allowed(self, url: str) -> Permission:
        """Tell whether the robot may fetch a URL.

        Args:
            url: An absolute URL.

        Returns:
            1 if it may, 0 if it may not, -1 if nothing is known of the host any more. Other schemes
            than http and https are allowed.

        Raises:
            NoOriginError: The URL is not absolute, or has no host.

        """
        scheme = scheme_of(url)
        if scheme not in PORTS:
            return Permission.ALLOWED
        with self._lock:
            kept = self._kept.get(netloc_of(url))
        if kept.content is None or kept.fresh_until is None or kept.fresh_until < self._clock():
            return Permission.UNKNOWN
        allows = RobotsTxt(kept.content, dialect="lwp").allows(url, self._agent)
        return Permission.ALLOWED if allows else Permission.FORBIDDEN

    def agent(self, name: str | None = None) -> str:
        """Give the robot's short name, and set another one: then all that is known is forgotten.

        Args:
            name: The new name, or `None`.

        Returns:
            The name before.

        """
        with self._lock:
            before = self._agent
            if name is not None and short_name(name) != before:
                self._kept.clear(short_name(name))
                self._agent = short_name(name)
        return before

    def visit(self, netloc: str, at: float | None = None) -> None:
        """Note a visit.

        Args:
            netloc: Host and port, such as `example.com:80`.
            at: When, in seconds since 1970; now by default.

        """
        with self._lock:
            kept = self._kept.get(netloc)
            when = self._clock() if at is None else seconds_of(at)
            self._kept.put(netloc, replace(kept, visits=kept.visits + 1, last_visit=when))

    def no_visits(self, netloc: str) -> int:
        """Give the number of visits that were noted."""
        return self._kept.get(netloc).visits

    def last_visit(self, netloc: str) -> float | None:
        """Give when the last visit was, in seconds since 1970; `None` if there was none."""
        return self._kept.get(netloc).last_visit

    def fresh_until(self, netloc: str) -> float | None:
        """Give until when the file of a host may be used; `None` if there is none."""
        return self._kept.get(netloc).fresh_until

    def rules(self, netloc: str) -> list[str]:
        """Give the patterns that the robot may not fetch, as they stand in the file."""
        content = self._kept.get(netloc).content
        file = RobotsTxt(b"" if content is None else content, dialect="lwp")
        return [rule.pattern for rule in file.rules_for(self._agent)]

    def clear_rules(self, netloc: str) -> None:
        """Forget the file of a host; its visits stay."""
        with self._lock:
            kept = self._kept.get(netloc)
            self._kept.put(netloc, replace(kept, content=None, fresh_until=None))


class RobotRulesFile(RobotRules):
    r"""The same, kept in a file: WWW::RobotRules::AnyDBM_File.

    Threads and processes may share the file; of visits that two processes note at one instant, one
    may be lost. What cannot be read of it is not known,
    and so nothing is allowed by it: a damaged file is set aside under the name in `set_aside`, and
    a new one begun. Close it, or use `with`.

    Args:
        agent: The robot; `None` for the one that the file is of. The file of another robot is
            emptied.
        file: The path of the file; it is made if there is none, for its owner only (0600).
        clock: Gives the time in seconds since 1970.

    Raises:
        RobotNameError: There is no name, neither given nor in the file.
        StoreError: The file cannot be opened or written.
        WrongValueError: The path is empty.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with RobotRulesFile("FooBot", f"{folder}/rules") as rules:
    ...         rules.parse("http://example.com/robots.txt", "User-agent: *\nDisallow: /a")
    ...     with RobotRulesFile(None, f"{folder}/rules") as rules:
    ...         rules.agent(), rules.allowed("http://example.com/a")
    ('FooBot', <Permission.FORBIDDEN: 0>)

    Source: WWW::RobotRules::AnyDBM_File, its documentation.
    """

    def __init__(
        self, agent: str | None, file: str, *, clock: Callable[[], float] = time.time
    ) -> None:
        """Open the file."""
        name = None if agent is None else short_name(agent)
        self._file = RulesFile(file)
        try:
            super().__init__(name or self._file.agent() or "", clock=clock)
            if self._file.agent() != self._agent:
                self._file.clear(self._agent)
        except BaseException:
            self._file.close()
            raise
        self._kept = self._file

    @property
    def set_aside(self) -> str | None:
        """The path at which a damaged file now is; `None` if none was damaged."""
        return self._file.set_aside

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> "RobotRulesFile":  # noqa: PYI034  Self is of Python 3.11
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


def short_name(agent: str) -> str:
    """Give the first word of a robot's name, without its version.

    >>> short_name("FooBot/1.2 [http://foobot.example; foo@bot.example]")
    'FooBot'
    """
    RobotsTxt(b"", dialect="lwp").rules_for(agent)  # refuses what is no name
    first = re.search(r"\S+", agent)
    name = first[0].partition("/")[0] if first else ""
    if not name:
        message = 'the robot has no name; give one such as "FooBot"'
        raise RobotNameError(message)
    return name


def scheme_of(url: str) -> str:
    """Give the scheme of a URL.

    Raises:
        NoOriginError: It has none.

    """
    found = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*):", url)
    if found is None:
        message = f"{url[:200]!r} is not absolute; give a URL such as https://example.com/page"
        raise NoOriginError(message)
    return found[1].lower()


def netloc_of(url: str) -> str:
    """Give host and port, by which WWW::RobotRules knows a host.

    >>> netloc_of("https://Example.com/a"), netloc_of("http://[::1]:8000/")
    ('example.com:443', '[::1]:8000')
    """
    parts = urlsplit(origin(url))
    return parts.netloc if parts.port else f"{parts.netloc}:{PORTS.get(parts.scheme, 0)}"

r"""Perl's WWW::RobotRules in Python, with the same methods, answers and reading of robots.txt.

    from goodbot.adapters.robotrules import RobotRules

It uses the dialect `lwp`, which is exactly what WWW::RobotRules 6.x does. The differences:

| point | WWW::RobotRules | here |
| --- | --- | --- |
| -1 as a truth value | true | false: `if rules.allowed(url)` must not allow what is unknown |
| `fresh_until` of 0 | a year from now | long past, so nothing is known |
| a URL that is not absolute | 1, with a warning | `NoOriginError` |
| a new robot name | forgets everything | the same |
| the persistent form | WWW::RobotRules::AnyDBM_File | `RobotRulesFile`, a file of SQLite |
| `push_rules`, `dump` | exist | do not exist: files are kept whole, and `rules` lists patterns |
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
from goodbot.closing import Closing
from goodbot.errors import NoOriginError, RobotNameError

__all__ = ["Permission", "RobotRules", "RobotRulesFile"]

YEAR = 365 * 24 * 3600
"""How many seconds a file stays fresh by default (WWW::RobotRules, parse)."""

PORTS = {"http": 80, "https": 443}


class Permission(IntEnum):
    """The three answers of `allowed`; only `ALLOWED` is true.

    >>> Permission.UNKNOWN == -1, bool(Permission.UNKNOWN), bool(Permission.ALLOWED)
    (True, False, True)
    """

    ALLOWED = 1
    FORBIDDEN = 0
    UNKNOWN = -1
    """This host's robots.txt is missing or has expired; fetch and parse it."""

    def __bool__(self) -> bool:
        """Return whether the URL may be fetched."""
        return self is Permission.ALLOWED


@dataclass(slots=True)
class InMemory:
    """The records of hosts, kept until the program ends."""

    hosts: dict[str, HostRecord]

    def get(self, netloc: str) -> HostRecord:
        """Return the record of a host."""
        return self.hosts.get(netloc, HostRecord())

    def put(self, netloc: str, kept: HostRecord) -> None:
        """Store the record of a host."""
        self.hosts[netloc] = kept

    def clear(self, agent: str) -> None:
        """Delete all records, because the robot changes."""
        del agent
        self.hosts = {}


class RobotRules:
    r"""The rules of many hosts for one robot, like WWW::RobotRules.

    Args:
        agent: The robot. The name in `FooBot/1.2 [http://foobot.example; foo@bot.example]` is
            `FooBot`.
        clock: Returns the time in seconds since 1970.

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
        """Start with no hosts."""
        self._agent = short_name(agent)
        self._clock = clock
        self._lock = threading.RLock()
        self._kept: InMemory | RulesFile = InMemory({})

    def parse(
        self, url: str, content: str | bytes, fresh_until: float | datetime | None = None
    ) -> None:
        """Read the robots.txt of a host.

        Args:
            url: The URL from which it was fetched.
            content: The file; empty if the host has none, which allows everything. Do not pass the
                body of a failed fetch: a host whose file was not parsed stays unknown.
            fresh_until: Until when the file may be used: seconds since 1970, or an aware
                `datetime`; a year from now by default.

        Raises:
            NoOriginError: The URL has no host.
            WrongTypeError: The content is neither `str` nor `bytes`.
            WrongValueError: The time is naive or not a number.

        """
        netloc = netloc_of(url)
        raw = content.encode("utf-8", "replace") if isinstance(content, str) else content
        file = RobotsTxt(raw, dialect="lwp")
        until = self._clock() + YEAR if fresh_until is None else seconds_of(fresh_until)
        with self._lock:
            kept = self._kept.get(netloc)
            self._kept.put(netloc, replace(kept, content=file.content, fresh_until=until))

    def allowed(self, url: str) -> Permission:
        """Return whether the robot may fetch a URL.

        Args:
            url: An absolute URL.

        Returns:
            1 if it is allowed, 0 if it is not, -1 if no fresh file of the host is known. URLs of
            schemes other than http and https are allowed.

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
        """Return the robot's short name, and optionally set a new one, which forgets everything.

        Args:
            name: The new name, or `None` to keep the current one.

        Returns:
            The name before the change.

        """
        with self._lock:
            before = self._agent
            if name is not None and short_name(name) != before:
                self._kept.clear(short_name(name))
                self._agent = short_name(name)
        return before

    def visit(self, netloc: str, at: float | None = None) -> None:
        """Record a visit.

        Args:
            netloc: Host and port, such as `example.com:80`.
            at: The time in seconds since 1970; now by default.

        """
        with self._lock:
            kept = self._kept.get(netloc)
            when = self._clock() if at is None else seconds_of(at)
            self._kept.put(netloc, replace(kept, visits=kept.visits + 1, last_visit=when))

    def no_visits(self, netloc: str) -> int:
        """Return the number of recorded visits."""
        return self._kept.get(netloc).visits

    def last_visit(self, netloc: str) -> float | None:
        """Return the time of the last visit in seconds since 1970, or `None` without visits."""
        return self._kept.get(netloc).last_visit

    def fresh_until(self, netloc: str) -> float | None:
        """Return until when the file of a host may be used, or `None` without a file."""
        return self._kept.get(netloc).fresh_until

    def rules(self, netloc: str) -> list[str]:
        """Return the patterns that the robot must not fetch, as written in the file."""
        content = self._kept.get(netloc).content
        file = RobotsTxt(b"" if content is None else content, dialect="lwp")
        return [rule.pattern for rule in file.rules_for(self._agent)]

    def clear_rules(self, netloc: str) -> None:
        """Forget the file of a host, but keep its visits."""
        with self._lock:
            kept = self._kept.get(netloc)
            self._kept.put(netloc, replace(kept, content=None, fresh_until=None))


class RobotRulesFile(RobotRules, Closing):
    r"""Rules kept in a file, like WWW::RobotRules::AnyDBM_File.

    Threads and processes may share the file. If two processes record a visit at the same instant,
    one of the visits may be lost. A damaged file allows nothing: it is renamed to the path in
    `set_aside`, and a new file is created. Close the object, or use `with`.

    Args:
        agent: The robot; `None` for the robot that the file belongs to. The file of another robot
            is emptied.
        file: The path of the file; a new file is readable by its owner only (0600).
        clock: Returns the time in seconds since 1970.

    Raises:
        RobotNameError: There is no name, neither in `agent` nor in the file.
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
        """The new path of a damaged file, or `None` if no file was damaged."""
        return self._file.set_aside

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def short_name(agent: str) -> str:
    """Return the first word of a robot's name, without its version.

    >>> short_name("FooBot/1.2 [http://foobot.example; foo@bot.example]")
    'FooBot'
    """
    RobotsTxt(b"", dialect="lwp").rules_for(agent)  # raises for an invalid name
    first = re.search(r"\S+", agent)
    name = first[0].partition("/")[0] if first else ""
    if not name:
        message = 'the robot has no name; pass one such as "FooBot"'
        raise RobotNameError(message)
    return name


def scheme_of(url: str) -> str:
    """Return the scheme of a URL.

    Raises:
        NoOriginError: The URL has no scheme.

    """
    found = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*):", url)
    if found is None:
        message = f"{url[:200]!r} is not absolute; pass a URL such as https://example.com/page"
        raise NoOriginError(message)
    return found[1].lower()


def netloc_of(url: str) -> str:
    """Return host and port, the key under which WWW::RobotRules keeps a host.

    >>> netloc_of("https://Example.com/a"), netloc_of("http://[::1]:8000/")
    ('example.com:443', '[::1]:8000')
    """
    parts = urlsplit(origin(url))
    return parts.netloc if parts.port else f"{parts.netloc}:{PORTS.get(parts.scheme, 0)}"

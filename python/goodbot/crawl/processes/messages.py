"""What the face of a crawl and its processes send to each other.

Scope: the messages, and their form as bytes. They go through pipes between a program and the
processes that it started itself, so that pickles are safe here.
"""

import os
import pickle
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias

from goodbot.crawl.folder.shares import Shares
from goodbot.crawl.run.events import Summary
from goodbot.crawl.run.permissions import Permissions
from goodbot.crawl.run.progress import Rest
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.lazy_dataclass import dataclass
from goodbot.robot import Fetched

__all__ = [
    "LENGTH",
    "Begin",
    "Command",
    "Finished",
    "Granted",
    "Lost",
    "Message",
    "Moved",
    "News",
    "ProcessReport",
    "Ready",
    "Wanted",
    "packed",
    "slim",
    "unpacked",
]

LENGTH = 4
"""How many bytes before each message say how long it is."""


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message to a process: what to crawl."""

    folder: str
    """The folder of the crawl."""
    part: int
    """The number of the process, from 0."""
    shares: Shares
    settings: CrawlSettings
    permissions: Permissions
    start: tuple[str, ...]
    """The start URLs of this process."""
    workers: int
    patience: float | None
    timeout: float
    again: bool
    early: bool
    remove: bool
    sends_events: bool
    """Whether anyone listens to events."""
    limits: Mapping[str, bool]
    """Which of `goodbot.crawl.processes.portions.RESOURCES` have a bound."""
    store: str | os.PathLike[str] | None = None
    """The path or the URL of the store that the crawl shares; `None` for those in its folder."""
    identity: str | None = None
    """The folder of the identity by which requests are signed."""


@dataclass(frozen=True, slots=True)
class Granted:
    """To a process: a portion of a bound."""

    resource: str
    size: int


@dataclass(frozen=True, slots=True)
class Command:
    """To a process: do something."""

    do: str
    """`look`: another process found URLs for it. `hand-over`: another one has nothing to do, and
    needs the URLs that this one has found. `return`: return what it does not need of a bound.
    `share`: visit the sites that had their share. `move`: move the account of a site; `moved`: it
    was moved (`part_database`). `hold`: make no further request until `go-on`. `stop`: end the run.
    `end`: all have finished."""
    about: str = ""
    """The number of the other process, the bound, or the reason for stopping."""


@dataclass(frozen=True, slots=True)
class Ready:
    """From a process: it is ready to visit."""

    waiting: int
    removed: int
    disk: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """From a process: the account of a site of another process is needed (`part_database`)."""

    origin: str


@dataclass(frozen=True, slots=True)
class Moved:
    """From a process: the account of a site is where all processes can use it."""

    origin: str


@dataclass(frozen=True, slots=True)
class News:
    """From a process: events and remarks since the last ones, in their order."""

    events: list[Any]


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """From a process: how far it is. All numbers only grow, except `disk` and `waiting`."""

    sent: Mapping[int, int] = field(default_factory=dict)
    """The last committed `seq` for each other process (`goodbot.crawl.frontier.handover`)."""
    received: Mapping[int, int] = field(default_factory=dict)
    """The last `seq` that it has received from each."""
    rest: Rest | None = None
    """Why it rests; `None` if it works."""
    heard: int = 0
    """How many messages have reached it that may end its rest: portions, and orders to `share` and
    to `go-on`."""
    waiting: Mapping[str, int] = field(default_factory=dict)
    """The number of queued URLs of each origin."""
    over: Mapping[str, int] = field(default_factory=dict)
    """What it needs more of, and how much it has used beyond what it got."""
    returned: Mapping[str, int] = field(default_factory=dict)
    """What it returns of each bound."""


@dataclass(frozen=True, slots=True)
class Finished:
    """From a process: its run has ended, in order or by an error."""

    summary: Summary | None
    error: Exception | None = None
    cpu: float = 0.0
    """The seconds of processor time that the run took."""


@dataclass(frozen=True, slots=True)
class Lost:
    """In place of a message: the process is gone without a word."""

    status: int | None
    """Its exit status, or the negative number of the signal that killed it."""


Message: TypeAlias = (
    Begin | Granted | Command | Ready | Wanted | Moved | News | ProcessReport | Finished | Lost
)


def packed(message: Message) -> bytes:
    """Return a message as it is sent, with its length."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(LENGTH, "big") + content


def unpacked(content: bytes) -> Message:
    """Return the message that was sent."""
    message: Message = pickle.loads(content)  # noqa: S301  from a process of our own
    return message


def slim(event: object) -> object:
    """Return an event without the content of its response, which is not needed elsewhere."""
    if isinstance(event, Fetched):
        return replace(event, response=replace(event.response, body=b"", wire=None))
    return event

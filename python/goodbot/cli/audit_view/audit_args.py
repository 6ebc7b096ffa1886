"""The arguments of `goodbot audit`.

Scope: values. The verb makes them of its options.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from goodbot.cli.audit_view.audit_values import AuditView
from goodbot.display import short_repr
from goodbot.errors import MisuseError
from goodbot.file_input import STANDARD_INPUT

__all__ = ["FAILURES", "AuditArgs", "failures_in"]

FAILURES = ("violation", "late", "too-fast", "spoofed")
"""What `--fail-on` can name."""


@dataclass(frozen=True, slots=True)
class AuditArgs:
    """What is audited, and how."""

    logs: tuple[str, ...]
    """Files, folders, patterns, or `-`."""
    policies: tuple[str, ...]
    """Where the robots.txt of the sites is read over time."""
    sites: tuple[str, ...]
    """URLs of the sites; lines without a host are about the first."""
    log_format: str | None = None
    """The format of the log; detected without one."""
    proxies: int = 0
    """How many proxies add an address to X-Forwarded-For."""
    behind_cdn: bool = False
    """Whether a cache may answer requests that the log does not show."""
    addresses: tuple[str, ...] = ()
    """Own lists of addresses: ROBOT=FILE."""
    keys: tuple[str, ...] = ()
    """Own directories of keys: ROBOT=FILE."""
    unknown: bool = False
    """Whether robots that are not known are judged, too, by the names that they give."""
    dns: bool = False
    """Whether name servers may be asked."""
    shortened_log: bool = False
    """Whether the log has shortened addresses."""
    whole_addresses: bool = False
    """Whether addresses are shown in full."""
    server_ports: tuple[int, ...] = ()
    """The ports at which the server listens behind a proxy."""
    max_age: timedelta | None = None
    """The max-age with which the sites serve robots.txt, where their sources do not state it."""
    follow: bool = False
    """Whether to read the log as it grows, until the user interrupts."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check that standard input is one thing only, and not followed.

        Raises:
            MisuseError: It is several, or followed.

        """
        if self.logs.count(STANDARD_INPUT) > 1:
            message = "standard input can be one log only; name - once"
            raise MisuseError(message)
        if self.follow and STANDARD_INPUT in self.logs:
            message = "--follow reads a file as it grows, not standard input; name the file"
            raise MisuseError(message)


def failures_in(view: AuditView, wanted: Sequence[str]) -> list[str]:
    """Return those of `FAILURES` that are wanted and were found.

    Args:
        view: The audit.
        wanted: What `--fail-on` names.

    """
    found = set()
    for robot in view.robots:
        found |= {name for name in ("violation", "late") if robot.outcomes.get(name)}
        found |= {"spoofed"} if robot.reasons.get("spoofed") else set()
    if not all(pace for rows in view.pace.values() for pace in rows):
        found.add("too-fast")
    return [name for name in FAILURES if name in wanted and name in found]

"""What an audit could not use, and what to do about it.

Scope: sentences. Nothing is counted here.
"""

from collections.abc import Iterator

from goodbot.cli.audit_view.audit_values import AuditView, HistorySource
from goodbot.cli.shared.time_format import format_time
from goodbot.http.amounts import counted
from goodbot.logs import log_notes
from goodbot.logs.log_notes import source_name

__all__ = ["audit_notes"]

MOST_NAMES = 5
"""How many names of hosts and files are shown."""


def audit_notes(view: AuditView) -> Iterator[str]:
    """Yield what the log and the policies lack, and what was not judged because of it.

    Args:
        view: The audit.

    """
    log = view.log
    yield from (f"{path} is damaged: {why}" for path, why in log.damaged.items())
    yield from log_notes(log)
    unread = [
        path for path, name in log.formats.items() if name is None and path not in log.unusable
    ]
    if unread:
        yield f"the format of {named(unread)} is not known; name it with --log-format"
    bare = [path for path, name in log.formats.items() if (name or "").startswith("common")]
    if bare and not log.robots and not log.unknown_robots:
        yield (
            f"{named(bare)} has no User-Agent, so that no robot is known in it; let the server "
            "write the format combined"
        )
    if view.proxies and log.robots and not log.forwarded:
        yield (
            "--proxies has no effect: no request of a robot states X-Forwarded-For; if the lines "
            "have it, name the whole format with --log-format"
        )
    if log.without_zone:
        number = counted(log.without_zone, "request")
        yield (
            f"the times of {number} state no time zone and are read as UTC; if the server writes "
            "its local time, let it write the zone too, or what is judged is hours off"
        )
    yield from (note for one in view.policies if (note := coverage_note(view, one)))
    if log.unknown_robots and not view.judges_unknown:
        number = counted(log.unknown_robots, "request")
        yield f"{number} of unknown robots not judged; --unknown judges them"
    if view.other_hosts:
        number = counted(sum(view.other_hosts.values()), "request")
        others = named(list(view.other_hosts))
        yield f"{number} to other sites not judged ({others}); --site names one"


def coverage_note(view: AuditView, source: HistorySource) -> str:
    """Return that nothing is known of robots.txt for the time of the log; empty if something is."""
    history, begins, ends = source.history, view.begins, view.ends
    if begins is None or ends is None or history.known_from is None:
        return ""
    if history.known_from > ends:
        known = f"from {format_time(history.known_from)} on, after the log ends"
    elif history.known_until is not None and history.known_until < begins:
        known = f"until {format_time(history.known_until)}, before the log begins"
    else:
        return ""
    return (
        f"robots.txt of {history.site} is known {known}, so that nothing can be judged; name what "
        "was served then with --policy"
    )


def named(names: list[str]) -> str:
    """Return some names; of many, the first ones."""
    more = ", …" if len(names) > MOST_NAMES else ""
    return ", ".join(map(source_name, names[:MOST_NAMES])) + more

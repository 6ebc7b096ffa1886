"""What an audit could not use, and what to do about it.

Scope: from an audit to sentences. Nothing is read here.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from goodbot.http.amounts import counted
from goodbot.http.instants import format_time
from goodbot.notes import ResultNote
from goodbot.site.audit.log_audit import Audit, PolicySource
from goodbot.site.logs import log_notes
from goodbot.site.logs.log_notes import source_name

DAY = timedelta(days=1)
LONGEST_GAP = timedelta(days=3 * 365)
"""A line that is farther from the others than a log is kept has a wrong time."""
MOST_NAMES = 5
"""How many names of hosts and files are shown."""
IN_PYTHON = {
    "log_format": "log_format=",
    "max_age": "max_age=",
    "policies": "policies=",
    "proxies": "proxies=",
    "server_ports": "server_ports=",
    "sites": "sites=",
    "unknown": "unknown=True",
}
"""What a note says of each setting in Python."""


def note_limits(
    audit: Audit,
    *,
    proxies: int = 0,
    judges_unknown: bool = False,
    sender_notes: Sequence[str] = (),
) -> Iterator[ResultNote]:
    """Yield what the log and the policies lack, and what was not judged because of it.

    Args:
        audit: The audit, whose own notes do not count.
        proxies: How many proxies add an address to X-Forwarded-For.
        judges_unknown: Whether robots that are not known are judged, too.
        sender_notes: What is to be said of lists of addresses, and of signatures.

    """
    for note in list_limits(
        audit, proxies=proxies, judges_unknown=judges_unknown, sender_notes=sender_notes
    ):
        yield note if isinstance(note, ResultNote) else ResultNote(note, IN_PYTHON)


def list_limits(
    audit: Audit, *, proxies: int, judges_unknown: bool, sender_notes: Sequence[str]
) -> Iterator[str]:
    """Yield the same as text, in which `{name}` stands for a setting."""
    log = audit.log
    yield from (f"{path} is damaged: {why}" for path, why in log.damaged.items())
    yield from log_notes(log)
    unread = [
        path for path, name in log.formats.items() if name is None and path not in log.unusable
    ]
    if unread:
        yield f"the format of {list_names(unread)} is not known; name it with {{log_format}}"
    if proxies and log.robots and not log.forwarded:
        yield (
            "{proxies} has no effect: no request of a robot states X-Forwarded-For; if the lines "
            "have it, name the whole format with {log_format}"
        )
    if log.without_zone:
        number = counted(log.without_zone, "request")
        yield (
            f"the times of {number} state no time zone and are read as UTC; if the server writes "
            "its local time, let it write the zone too, or what is judged is hours off"
        )
    yield from (note for policy in audit.policies if (note := note_coverage(audit, policy)))
    if log.unknown_robots and not judges_unknown:
        number = counted(log.unknown_robots, "request")
        yield f"{number} of unknown robots not judged; {{unknown}} judges them"
    yield from sender_notes
    yield from note_beginning(audit)
    yield from note_pace(audit)
    yield from note_outside(audit)
    yield from note_other_sites(audit)


def note_outside(audit: Audit) -> Iterator[str]:
    """Yield that the times of some lines say nothing about when the log begins and ends."""
    log = audit.log
    if not audit.outside or audit.begins is None or audit.ends is None:
        return
    number = counted(audit.outside, "line")
    apart = [
        (format_time(one), one - audit.ends if one > audit.ends else audit.begins - one)
        for one in (log.first, log.last)
        if one is not None and not audit.begins <= one <= audit.ends
    ]
    times = " and ".join(dict.fromkeys(time for time, _ in apart))
    if all(gap > LONGEST_GAP for _, gap in apart):
        verb = "has a time" if audit.outside == 1 else "have times"
        yield (
            f"{number} {verb} far from all others ({times}), as a wrong clock writes; when the log "
            "begins and ends is taken from the others"
        )
        return
    verb = "is" if audit.outside == 1 else "are"
    yield (
        f"{number} {verb} apart from all others ({times}), with days without any request in "
        "between, so that a part of the log may be missing; when the log begins and ends is taken "
        "from the others. Audit a part by itself to judge its requests"
    )


def note_beginning(audit: Audit) -> Iterator[str]:
    """Yield how many requests are unknown because of when the log begins, and what decides it."""
    count = audit.result.reasons.count("log-begins")
    if not count or audit.begins is None:
        return
    number = counted(count, "request")
    verb = "is" if count == 1 else "are"
    yield (
        f"{number} {verb} unknown because a robot may use a copy of robots.txt of before the log "
        f"({life_of_copies(audit)}); {cure_of_beginning(audit, audit.begins)}"
    )


def note_pace(audit: Audit) -> Iterator[str]:
    """Yield for how many requests the pace was not judged because of when the log begins."""
    counts: Counter[str] = Counter()
    for pace in audit.pace:
        if pace.family != "all" and pace.outcome != "unclaimed":
            counts[pace.check] += pace.unjudged
    found = [f"{check} for {counted(count, 'request')}" for check, count in counts.items() if count]
    if found and audit.begins is not None:
        said = (
            f"the pace is not judged ({', '.join(found)}) where a robot may use a copy of "
            f"robots.txt of before the log ({life_of_copies(audit)}), which may not ask for it"
        )
        is_said = "log-begins" in audit.result.reasons
        yield said if is_said else f"{said}; {cure_of_beginning(audit, audit.begins)}"


def life_of_copies(audit: Audit) -> str:
    """Return how long a copy of robots.txt may be used, and what says so."""
    stated = audit.options.max_age
    if stated is None:
        return "24 hours, or what {max_age} says"
    return f"{stated}, as {{max_age}} says"


def cure_of_beginning(audit: Audit, begins: datetime) -> str:
    """Return what to do about requests that are not judged because of when the log begins."""
    late = [
        source.history.site for source in audit.policies
        if (known := source.history.known_from) is not None and known > begins - 2 * DAY
    ]  # fmt: skip
    policy = (
        f" or name what was served earlier at {list_names(late)} with {{policies}}," if late else ""
    )
    return (
        f"name the log of the time before, too,{policy} or, if your server sends robots.txt with "
        "Cache-Control, state its max-age with {max_age}"
    )


def note_other_sites(audit: Audit) -> Iterator[str]:
    """Yield how many requests to other sites, and to other ports of a site, are not judged."""
    ports: dict[str, dict[str, int]] = {}
    others: dict[str, int] = {}
    for host, requests in audit.other_hosts.items():
        site = site_of_name(audit, host)
        if site is None:
            others[host] = requests
        else:
            ports.setdefault(site, {})[host] = requests
    if others:
        number = counted(sum(others.values()), "request")
        names = list_names(list(others))
        yield f"{number} to other sites not judged ({names}); name one with {{sites}}"
    for site, hosts in ports.items():
        number = counted(sum(hosts.values()), "request")
        first, names = next(iter(hosts)), list_names(list(hosts))
        url, port = url_and_port(first)
        if "://" in first:
            yield (
                f"{number} by http and not https, as {site} is named, not judged "
                f"({names}): each has a robots.txt of its own; to judge them, too, "
                f"name {url} with {{sites}}"
            )
            continue
        yield (
            f"{number} to another port than that of {site} not judged ({names}): each "
            f"port has a robots.txt of its own. If a proxy passes requests of {site} to this port, "
            f"name port {port} with {{server_ports}}; if it is another site, name {url} with "
            "{sites}"
        )


def site_of_name(audit: Audit, host: str) -> str | None:
    """Return the site that has the name of a host, at another port; `None` if none has.

    A proxy may end TLS, so that the server knows http only; that it adds TLS is not to be expected.
    """
    if host.startswith("https://"):
        return None
    name = urlsplit(url_and_port(host)[0]).hostname
    return next((site for site in audit.sites if urlsplit(site).hostname == name), None)


def url_and_port(host: str) -> tuple[str, str]:
    """Return the URL of a host as the log names it, and its port.

    >>> url_and_port("example.com:8080"), url_and_port("http://example.com")
    (('http://example.com:8080', '8080'), ('http://example.com', '80'))
    """
    url = host if "://" in host else f"http://{host}"
    try:
        port = urlsplit(url).port
    except ValueError:
        return url, ""
    return url, str(port or (443 if url.startswith("https:") else 80))


def note_coverage(audit: Audit, source: PolicySource) -> str:
    """Return that nothing is known of robots.txt for the time of the log; empty if something is."""
    history, begins, ends = source.history, audit.begins, audit.ends
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
        "was served then with {policies}"
    )


def list_names(names: list[str]) -> str:
    """Return some names; of many, the first ones."""
    more = ", …" if len(names) > MOST_NAMES else ""
    return ", ".join(map(source_name, names[:MOST_NAMES])) + more

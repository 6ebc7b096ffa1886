r"""The audit of logs in one call: robots.txt over time, the log, who sent what, and judgement.

Scope: the order of the steps. `goodbot.site.audit.files` reads, the other modules decide.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import BinaryIO, cast

from goodbot.errors import WrongTypeError
from goodbot.history import PolicyTimeline
from goodbot.http.instants import to_datetime
from goodbot.site.audit.audit_notes import note_limits
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.audited_robot import sum_robots
from goodbot.site.audit.files.policy_sources import PolicyInput, check_sites, read_policies
from goodbot.site.audit.files.robot_log import (
    LogProgress,
    check_logs,
    ignore_progress,
    read_robot_log,
)
from goodbot.site.audit.files.senders import identify_senders
from goodbot.site.audit.log_audit import Audit
from goodbot.site.audit.log_span import DayCount, log_span
from goodbot.site.audit.pace_checks import check_pace
from goodbot.site.audit.table_judging import judge_requests
from goodbot.site.logs.log_files import LogSource


def audit(
    logs: LogSource | Iterable[LogSource],
    policies: PolicyInput | Iterable[PolicyInput],
    sites: str | Iterable[str],
    *,
    log_format: str | None = None,
    proxies: int = 0,
    server_ports: Sequence[int] = (),
    max_age: timedelta | None = None,
    behind_cdn: bool = False,
    unknown: bool = False,
    addresses: Mapping[str, str | os.PathLike[str]] | Sequence[str] = (),
    keys: Mapping[str, str | os.PathLike[str]] | Sequence[str] = (),
    dns: bool = False,
    now: datetime | None = None,
    shortened_log: bool = False,
    whole_addresses: bool = False,
    stop: Callable[[], bool] | None = None,
    progress: LogProgress = ignore_progress,
) -> Audit:
    r"""Judge by the logs of a server whether robots obeyed robots.txt.

    It does what `goodbot audit` does, whose options have the same names, and returns what that
    prints. Logs are read as streams; the rows of robots are kept, those of people are counted.

    Args:
        logs: Paths, folders, patterns such as `access.log*`, `-` for standard input, or binary
            streams: one or several.
        policies: Where the robots.txt of the sites is read over time, one or several: `git:PATH`,
            `FILE@TIME`, a folder with `TIME.txt` or `HOST/TIME.txt`, a store, the folder of a
            crawl, WARC, ARC or WACZ files, a table of policies, or a `PolicyTimeline`.
        sites: URLs of the sites, one or several; lines without a host are about the first.
        log_format: The format of the log: a name such as `combined`, a `log_format` of nginx, a
            `LogFormat` of Apache, or JSON. By default it is detected.
        proxies: How many proxies in front of the server add an address to X-Forwarded-For.
        server_ports: The ports at which the server listens behind a proxy.
        max_age: The max-age with which the sites serve robots.txt, where its source does not state
            it; by default 24 hours.
        behind_cdn: Whether a cache may have answered requests that the log does not show.
        unknown: Whether robots that are not known are judged, too, by the names that they give.
        addresses: Own lists of addresses, a file for each robot, instead of the copies that
            `goodbot bots update` keeps: `{"GPTBot": "gptbot.json"}` or `["GPTBot=gptbot.json"]`.
        keys: The keys of operators, to verify signatures, in the same forms.
        dns: Whether to ask name servers for the names of addresses; else only your cache answers.
        now: The time at which they are asked; only `dns` needs it.
        shortened_log: Whether the log has shortened addresses, so that none can be verified.
        whole_addresses: Whether `Audit.requests` has addresses in full.
        stop: Asked whether to end; with it, the last log is read as it grows.
        progress: Called with what goes on and how many there are: `policies` when the timelines
            are read, `lines` while the log is, `senders` when their addresses are compared, `names`
            when name servers are asked, `requests` when they are judged.

    Raises:
        MisuseError: A source or a log cannot be read, or has nothing of the sites.
        MissingExtraError: What reads them is not installed: `pip install 'goodbot[audit]'`.
        NoOriginError: A site has no origin.
        OSError: A file cannot be read.
        StoreError: A store is damaged.
        WrongTypeError: `logs` or `policies` are something else.
        WrongValueError: There is no such format of logs.

    >>> import io, pathlib, tempfile
    >>> from goodbot.site.audit import audit
    >>> robots = pathlib.Path(tempfile.mkdtemp(), "robots.txt")
    >>> _ = robots.write_text("User-agent: *\nDisallow: /private\n")
    >>> line = '192.0.2.1 - - [{}/Oct/2026:08:00:00 +0000] "GET {} HTTP/1.1" 200 9 "-" "GPTBot"\n'
    >>> log = line.format(10, "/") + line.format(13, "/private/a")
    >>> found = audit(io.BytesIO(log.encode()), f"{robots}@2026-01-31", "https://example.com")
    >>> [(one.robot, one.requests, dict(one.outcomes)) for one in found.robots]
    [('GPTBot', 2, {'unknown': 1, 'violation': 1})]
    >>> found.findings
    ('violation',)
    >>> print(found.judgement(found.robots[0].rows[1]).place)
    line 2, "Disallow: /private", of robots.txt 38ee13a89fd0, in force since 2026-01-31 00:00:00 UTC
    """
    files = list_logs(logs)
    check_logs(files, is_followed=stop is not None)
    origins = check_sites([sites] if isinstance(sites, str) else list(sites))
    sources = read_policies(list_sources(policies), origins)
    progress("policies", len(sources))
    log = read_robot_log(
        files,
        origins,
        log_format=log_format,
        unknown=unknown,
        proxies=proxies,
        server_ports=server_ports,
        stop=stop,
        progress=progress,
    )
    senders = identify_senders(
        log,
        addresses=list_pairs(addresses),
        keys=list_pairs(keys),
        dns=dns,
        now=now,
        shortened_log=shortened_log,
        progress=progress,
    )
    progress("requests", sum(table.num_rows for table in senders.tables))
    # The rows of people are not kept, so the log states itself since when it has all requests.
    span = log_span({day: DayCount(*counts) for day, counts in log.counts.days.items()})
    options = AuditOptions(
        site=origins[0],
        behind_cdn=behind_cdn,
        log_begins=None if span is None else to_datetime(span.begins),
        log_ends=None if span is None else to_datetime(span.ends),
        max_age=max_age,
    )
    timelines = [source.timeline for source in sources]
    result = judge_requests(
        senders.tables, timelines, identities=senders.operators, options=options
    )
    pace = tuple(check_pace(result))
    found = Audit(
        result=result,
        sites=origins,
        policies=sources,
        log=log.counts,
        log_names=log.files,
        robots=sum_robots(result, pace),
        pace=pace,
        senders=senders.identities,
        signatures=senders.signatures,
        other_hosts=dict(log.other_hosts.most_common()),
        outside=0 if span is None else span.outside,
        whole_addresses=whole_addresses,
    )
    notes = note_limits(found, proxies=proxies, judges_unknown=unknown, sender_notes=senders.notes)
    return replace(found, notes=tuple(notes))


def list_logs(logs: LogSource | Iterable[LogSource]) -> list[LogSource]:
    """Return logs, of which there may be a single one; a stream could be read as lines, too."""
    if isinstance(logs, str | os.PathLike):
        return [logs]
    if hasattr(logs, "read"):
        return [cast("BinaryIO", logs)]
    if isinstance(logs, bytes) or not isinstance(logs, Iterable):
        message = (
            f"logs must be a path, a binary stream, or several of them, not {type(logs).__name__}"
        )
        raise WrongTypeError(message)
    return list(logs)


def list_sources(
    policies: PolicyInput | Iterable[PolicyInput],
) -> list[PolicyInput]:
    """Return the sources of policies, of which there may be a single one."""
    if isinstance(policies, str | os.PathLike | PolicyTimeline):
        return [policies]
    found = list(policies) if isinstance(policies, Iterable) else [policies]
    for source in found:
        if not isinstance(source, str | os.PathLike | PolicyTimeline):
            kind = type(source).__name__
            message = f"policies must be paths or timelines, such as git:robots.txt, not {kind}"
            raise WrongTypeError(message)
    return found


def list_pairs(files: Mapping[str, str | os.PathLike[str]] | Sequence[str]) -> list[str]:
    """Return which file is of which robot, as `ROBOT=FILE`."""
    if isinstance(files, Mapping):
        return [f"{robot}={os.fspath(path)}" for robot, path in files.items()]
    return list(files)

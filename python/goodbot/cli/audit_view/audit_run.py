"""The audit of a log, from its arguments to what its outputs show.

Scope: the order of the steps. Each is in a file of its own, and `goodbot.audit` decides.
"""

from collections.abc import Iterable

from goodbot.audit import AuditOptions, PaceJudgement, audit, check_pace
from goodbot.audit.log_span import DayCount, log_span
from goodbot.cli.audit_view.audit_args import AuditArgs
from goodbot.cli.audit_view.audit_log import read_robot_log
from goodbot.cli.audit_view.audit_policies import read_policies, site_origins
from goodbot.cli.audit_view.audit_senders import identify
from goodbot.cli.audit_view.audit_values import AuditView
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.http.instants import to_datetime

__all__ = ["run_audit"]


def run_audit(args: AuditArgs, line: ProgressLine) -> AuditView:
    """Audit a log: read robots.txt over time, then the log, ask who sent what, and judge.

    Args:
        args: What is audited, and how.
        line: Shows how far it is.

    Raises:
        MisuseError: A source or a log cannot be read.
        MissingExtraError: What reads them is not installed.
        NoOriginError: A site has no origin.
        OSError: A file cannot be read.
        StoreError: A store is damaged.
        WrongValueError: There is no such format of logs.

    """
    sites = site_origins(args.sites)
    policies = read_policies(args.policies, sites)
    log = read_robot_log(args, sites, line)
    senders = identify(log, args, line)
    # The rows of people are not kept, so the log states itself since when it has all requests.
    span = log_span({day: DayCount(*counts) for day, counts in log.counts.days.items()})
    options = AuditOptions(
        site=sites[0],
        behind_cdn=args.behind_cdn,
        log_begins=None if span is None else to_datetime(span.begins),
        log_ends=None if span is None else to_datetime(span.ends),
        max_age=args.max_age,
    )
    timelines = [one.timeline for one in policies]
    result = audit(senders.tables, timelines, identities=senders.operators, options=options)
    return AuditView(
        result=result,
        robots=tuple(result.robots()),
        pace=by_robot(check_pace(result)),
        identities=senders.identities,
        log=log.counts,
        log_names=log.files,
        sites=sites,
        policies=policies,
        other_hosts=dict(log.other_hosts.most_common()),
        whole_addresses=args.whole_addresses,
        judges_unknown=args.unknown,
        proxies=args.proxies,
        outside=0 if span is None else span.outside,
        list_notes=senders.notes,
    )


def by_robot(judgements: Iterable[PaceJudgement]) -> dict[str, tuple[PaceJudgement, ...]]:
    """Return the judgements of pace of each robot."""
    found: dict[str, tuple[PaceJudgement, ...]] = {}
    for one in judgements:
        found[one.robot] = (*found.get(one.robot, ()), one)
    return found

r"""The audit of a server's log: did a robot obey the robots.txt that it could know at that minute?

>>> from datetime import datetime, timedelta, timezone
>>> from goodbot.site.audit import RobotRequest, judge
>>> from goodbot.history import PolicyTimeline
>>> day = timedelta(days=1)
>>> start = datetime(2026, 1, 1, tzinfo=timezone.utc)
>>> timeline = PolicyTimeline.declared(
...     "https://example.com", [(start, b"User-agent: *\nDisallow: /private")]
... )
>>> request = RobotRequest("ExampleBot", "/private/a", start + 2 * day, line=812)
>>> found = judge(request, timeline, [], log_begins=start)
>>> found.outcome, found.reason
('violation', 'no-request-seen')

A request is a violation only if no robots.txt that the robot could rightly hold allowed it; what is
not known is never a violation.

`audit` reads logs and whatever has robots.txt over time, and returns what `goodbot audit` prints;
`judge_requests` judges a table. What decides has no clock, no socket and no disk; what reads and
writes is in `goodbot.site.audit.files`. Who sent a request, `goodbot.site.audit.identity` answers
by lists of addresses, DNS and signatures.
"""

from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.audit_outcomes import NOT_JUDGED, OUTCOMES, REASONS, Reason
from goodbot.site.audit.audit_result import AuditResult
from goodbot.site.audit.audited_robot import AuditedRobot, sum_robots
from goodbot.site.audit.declared_served import DeclaredServed
from goodbot.site.audit.files.request_files import write_requests
from goodbot.site.audit.judged_requests import REQUEST_COLUMNS, RequestColumn
from goodbot.site.audit.kept_away import HEEDS, KeptAway, TargetSums, kept_away, request_sums
from goodbot.site.audit.known_copies import HeldCopy
from goodbot.site.audit.log_audit import FINDINGS, Audit, PolicySource
from goodbot.site.audit.log_auditing import audit
from goodbot.site.audit.log_suggestions import LogSuggestions, suggest_from_logs
from goodbot.site.audit.logged_answer import LoggedAnswer
from goodbot.site.audit.pace_checks import check_pace
from goodbot.site.audit.pace_judgement import PACE_REASONS, PaceJudgement
from goodbot.site.audit.request import RobotRequest
from goodbot.site.audit.request_judgement import JudgementPlace, RequestJudgement
from goodbot.site.audit.request_judging import judge
from goodbot.site.audit.request_table import COLUMNS
from goodbot.site.audit.robot_story import RequestsSent, RobotsChanged, RobotsFetched, SiteStory
from goodbot.site.audit.served_versions import RobotsVersion
from goodbot.site.audit.suggesting import Suggestion, suggest
from goodbot.site.audit.table_judging import judge_requests

__all__ = [
    "COLUMNS",
    "FINDINGS",
    "HEEDS",
    "NOT_JUDGED",
    "OUTCOMES",
    "PACE_REASONS",
    "REASONS",
    "REQUEST_COLUMNS",
    "Audit",
    "AuditOptions",
    "AuditResult",
    "AuditedRobot",
    "DeclaredServed",
    "HeldCopy",
    "JudgementPlace",
    "KeptAway",
    "LogSuggestions",
    "LoggedAnswer",
    "PaceJudgement",
    "PolicySource",
    "Reason",
    "RequestColumn",
    "RequestJudgement",
    "RequestsSent",
    "RobotRequest",
    "RobotsChanged",
    "RobotsFetched",
    "RobotsVersion",
    "SiteStory",
    "Suggestion",
    "TargetSums",
    "audit",
    "check_pace",
    "judge",
    "judge_requests",
    "kept_away",
    "request_sums",
    "suggest",
    "suggest_from_logs",
    "sum_robots",
    "write_requests",
]

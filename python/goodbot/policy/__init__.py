"""Policies: what may be fetched from one origin, and until when, after requesting its robots.txt.

>>> from datetime import datetime, timezone
>>> from goodbot.policy import Policy
>>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
>>> policy = Policy.from_response("https://example.com/robots.txt", 429, {}, b"", now=now)
>>> policy.access, policy.reason
('defer', 'too-many-requests')

It decides and does not act: no clock, no socket, no disk.
"""

from goodbot.http.cache_control import CacheControl, cache_control
from goodbot.http.dates import http_date
from goodbot.http.freshness import Freshness, current_age, freshness
from goodbot.http.validators import (
    Validators,
    conditional_headers,
    updated_fields,
    validators_of,
)
from goodbot.lazy_names import lazy_names
from goodbot.policy.decide import ACCESSES
from goodbot.policy.dialects import FALLBACKS, TREATMENTS, LadderStep, Meaning, PolicyDialect
from goodbot.policy.finding_codes import finding_codes
from goodbot.policy.holds import HOLD_REASONS, Hold
from goodbot.policy.outcome_tables import POLICY_DIALECTS, policy_dialect, status_table
from goodbot.policy.outcomes import FAILURES, OUTCOMES, reasons
from goodbot.policy.policy import Policy
from goodbot.policy.redirects import NextHop, next_hop
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = [
    "ACCESSES",
    "FAILURES",
    "FALLBACKS",
    "HOLD_REASONS",
    "OUTCOMES",
    "POLICY_DIALECTS",
    "TREATMENTS",
    "CacheControl",
    "Freshness",
    "Hold",
    "LadderStep",
    "Meaning",
    "NextHop",
    "Policy",
    "PolicyDialect",
    "RobotsTxtAnswer",
    "Validators",
    "cache_control",
    "conditional_headers",
    "current_age",
    "finding_codes",
    "freshness",
    "http_date",
    "next_hop",
    "policy_dialect",
    "reasons",
    "status_table",
    "updated_fields",
    "validators_of",
]

# Earlier places of names, which go on working.
__getattr__ = lazy_names(
    __name__, {}, elsewhere={"goodbot.history": ("LearnedPolicy", "PoliciesThen", "PolicyTimeline")}
)[0]

"""Tables of policies: every robots.txt that was learned, by origin and time, in one file.

Scope: it acts: it reads sources and writes files. What the facts mean, `goodbot.tables.columns` and
the policy layer decide. `build_policies` makes a table, `merge_policies` combines tables,
`policy_timeline` and `policy_rows` read one origin, and `open_policies` opens a table for questions
over columns.

Requires `pip install 'goodbot[columns]'`.
"""

from goodbot.tables.building.build_summary import BuildSummary
from goodbot.tables.building.building import build_policies
from goodbot.tables.building.damaged_files import DamagedSource
from goodbot.tables.building.origin_rows import (
    PolicyRow,
    policy_answers,
    policy_rows,
    policy_timeline,
)
from goodbot.tables.building.robots_timelines import dated_timeline, git_timeline, read_timelines
from goodbot.tables.building.site_timelines import folder_timeline, received_timelines
from goodbot.tables.building.table_merging import merge_policies
from goodbot.tables.building.table_reading import open_policies, open_table

__all__ = [
    "BuildSummary",
    "DamagedSource",
    "PolicyRow",
    "build_policies",
    "dated_timeline",
    "folder_timeline",
    "git_timeline",
    "merge_policies",
    "open_policies",
    "open_table",
    "policy_answers",
    "policy_rows",
    "policy_timeline",
    "read_timelines",
    "received_timelines",
]

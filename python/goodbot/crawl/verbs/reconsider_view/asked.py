"""What `goodbot reconsider` is asked, and by which uses things go."""

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from goodbot.cli.shared.options import SiteOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goodbot.crawl.reconsidering.holdings import FoundSources
    from goodbot.reconsidering import HeldUse, TakedownList, UnknownChoice

__all__ = ["TAKEDOWN", "ReconsiderOptions", "TableColumns", "applied_uses"]

TAKEDOWN = "takedown"
APPLIED = {
    "folder": ("fetch", "archive", "search"),
    "archives": ("fetch", "archive", "train"),
    "tables": ("fetch", "archive", "train"),
}
"""The uses by which things go if none is named: what each kind of source is for."""


class TableColumns(NamedTuple):
    """The names of the columns of tables, as far as they were given."""

    url: str | None = None
    """The URLs; by default `url`."""
    time: str | None = None
    """When they were fetched; by default `fetch_time`, if there is such a column."""
    digests: tuple[str, ...] = ()
    """Digests of the content, for a takedown list."""


class ReconsiderOptions(NamedTuple):
    """What is asked, and in which form the answer is wanted."""

    robot: str
    uses: "Sequence[HeldUse]"
    at: datetime | None
    policies: str | None
    unknown: "UnknownChoice"
    takedown: "TakedownList | None"
    page_dialect: str
    only_gone: bool
    parquet: str | None
    as_json: bool
    as_csv: bool
    site: SiteOptions
    now: datetime
    new: str | None
    """What to write; `None` for a report."""
    replace: bool
    tombstones: bool
    log: str | None
    named_uses: "tuple[HeldUse, ...]"
    """The uses that were named."""
    columns: TableColumns = TableColumns()
    """The columns of tables."""

    @property
    def is_quiet(self) -> bool:
        """Whether rows go to standard output, and nothing else may."""
        return self.as_json or self.as_csv

    @property
    def is_applied(self) -> bool:
        """Whether anything is written but a report."""
        return self.replace or self.new is not None


def applied_uses(found: "FoundSources", asked: ReconsiderOptions) -> "tuple[HeldUse, ...]":
    """Return the uses by which things go."""
    named = asked.named_uses or APPLIED[found.kind]
    listed = (TAKEDOWN,) if asked.takedown is not None else ()
    return (*named, *listed)

"""The policies of sites that a crawl has stored, read back."""

from goodbot.crawl.folder.database import Database
from goodbot.errors import WrongValueError
from goodbot.policy import Policy
from goodbot.store import Record

__all__ = ["policy_in", "stored_policy"]


def stored_policy(database: Database, origin: str) -> Policy | None:
    """Return the latest policy of a site that the crawl has; `None` if it has none."""
    record = database.store.get(origin)
    return None if record is None else policy_in(record)


def policy_in(record: Record) -> Policy | None:
    """Return the policy of a record; `None` if its format is not known."""
    try:
        return Policy.from_record(record)
    except WrongValueError:
        return None

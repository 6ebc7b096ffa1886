"""Which parts of a crawl are not in its folder, because they were passed to `Crawl`.

Scope: the setting that says so. Reading a part that is elsewhere raises, instead of finding
nothing; and a crawl continues with the parts with which it began.
"""

import json
from collections.abc import Collection, Mapping

from goodbot.errors import MisuseError, NotAStoreError
from goodbot.store.packing import REPAIR

__all__ = ["ELSEWHERE", "OF_ARCHIVE", "RECORDS", "parts_elsewhere", "refuse_elsewhere"]

ELSEWHERE = "elsewhere"
"""The setting: a JSON object with the kind of each part, by its name as an argument of `Crawl`."""


RECORDS = ("evidence", "index", "archive", "links", "inventory")
"""The parts with what a crawl found, for readers of all of it."""


OF_ARCHIVE = frozenset({"archive", "warc_place"})
"""The parts without which the folder has no archive that can be read."""


def parts_elsewhere(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the parts that are elsewhere: the kind of each, by its name.

    Args:
        settings: The stored settings of the crawl.

    Raises:
        NotAStoreError: The setting is damaged.

    >>> parts_elsewhere({"elsewhere": '{"index": "MyIndex"}'}), parts_elsewhere({})
    ({'index': 'MyIndex'}, {})
    """
    try:
        found = json.loads(settings.get(ELSEWHERE, "{}"))
        return {str(name): str(kind) for name, kind in found.items()}
    except (ValueError, AttributeError) as error:
        message = f"the setting {ELSEWHERE} of the crawl is damaged; {REPAIR}"
        raise NotAStoreError(message) from error


def refuse_elsewhere(settings: Mapping[str, str], reads: Collection[str], folder: object) -> None:
    """Refuse to read parts that are not in the folder of a crawl.

    Args:
        settings: The stored settings of the crawl.
        reads: The parts to read.
        folder: The folder, for the message.

    Raises:
        MisuseError: One of them is elsewhere.

    """
    needed = {*reads, *OF_ARCHIVE} if "archive" in reads else set(reads)
    for name, kind in parts_elsewhere(settings).items():
        if name in needed:
            message = (
                f"the crawl in {folder} was run with {name}= ({kind}), so this is not in its "
                "folder; ask that instead"
            )
            raise MisuseError(message)

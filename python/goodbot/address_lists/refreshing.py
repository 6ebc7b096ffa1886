"""Fetching the lists of addresses that are due.

Scope: one conditional request for each list, by a fetcher; `goodbot.bots` decides what follows.
"""

from collections.abc import Iterable

from goodbot._core import __version__
from goodbot.address_lists.list_folder import ListFolder
from goodbot.bots import AddressList, KnownRobot
from goodbot.bots.list_copy import ListCopy, copy_after
from goodbot.bots.published_addresses import LARGEST_LIST, PublishedAddresses
from goodbot.display import short_repr
from goodbot.errors import FetchError
from goodbot.http.address import resolve
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Clock, Fetcher, HeaderFields, Limits, Response

__all__ = ["Refreshed", "lists_of", "refresh"]

USER_AGENT = f"goodbot/{__version__}"
"""Who asks: the program. The request is a person's, for a file that is published to be fetched."""

LIMITS = Limits(bytes=LARGEST_LIST + 1, wire_bytes=LARGEST_LIST + 1)
MOST_HOPS = 5
REDIRECTS = {301, 302, 303, 307, 308}


@dataclass(frozen=True, slots=True, repr=False)
class Refreshed:
    """What has become of one list."""

    published: AddressList
    """The list."""
    outcome: str
    """`updated`, `unchanged` (a 304), `fresh` (not requested), `refused` (for its content) or
    `failed`."""
    copy: ListCopy | None
    """The copy that is now in the cache; `None` if there is none."""
    said: PublishedAddresses | None = None
    """What the list said, if it was sent."""
    why: str = ""
    """What failed, in words."""

    __repr__ = short_repr


def lists_of(robots: Iterable[KnownRobot]) -> list[AddressList]:
    """Return the lists of some robots, each once: many robots share theirs."""
    return list(dict.fromkeys(one for robot in robots for one in robot.addresses))


async def refresh(
    published: AddressList,
    fetcher: Fetcher,
    folder: ListFolder,
    clock: Clock,
    who: HeaderFields = (("User-Agent", USER_AGENT),),
) -> Refreshed:
    """Fetch a list if its copy is due, and write the copy. A failure keeps the copy so far.

    Args:
        published: The list.
        fetcher: What fetches, such as `goodbot.net.AiohttpFetcher`.
        folder: Where copies are kept.
        clock: What time it is.
        who: The header fields that identify who asks, such as User-Agent and From.

    Raises:
        StoreUnavailableError: The copy cannot be written.

    """
    previous = folder.read(published.url)
    now = clock.now()
    if previous is not None and not previous.is_due(now):
        return Refreshed(published, "fresh", previous)
    try:
        response = await answer_of(published.url, previous, fetcher, who)
    except FetchError as error:
        return Refreshed(published, "failed", previous, why=str(error))
    answer = (response.status, response.headers, response.body)
    copy, said = copy_after(previous, published, answer, now=clock.now())
    outcome = outcome_of(said, confirmed=copy is not previous)
    if copy is not None and copy is not previous:
        folder.write(copy)
    why = "" if outcome != "failed" else f"the site answered with status {response.status}"
    return Refreshed(published, outcome, copy, said, why)


def outcome_of(said: PublishedAddresses | None, *, confirmed: bool) -> str:
    """Return what has become of a list after an answer."""
    if said is not None and said.problem is not None:
        return "refused"
    if not confirmed:
        return "failed"
    return "updated" if said is not None else "unchanged"


async def answer_of(
    url: str, previous: ListCopy | None, fetcher: Fetcher, who: HeaderFields
) -> Response:
    """Return the answer for a list, after at most five redirects that stay as safe as the list."""
    fields = {**dict(who), "Accept": "application/json, text/plain, text/csv, */*"}
    if previous is not None:
        fields |= previous.conditional_headers()
    secure = url.startswith("https:")
    for _ in range(MOST_HOPS + 1):
        response = await fetcher.fetch(url, headers=tuple(fields.items()), limits=LIMITS)
        target = response.field("location") if response.status in REDIRECTS else None
        address = resolve(url, target)[0] if target else None
        if address is None or (secure and not address[1].startswith("https:")):
            break
        url = address[1]
    return response

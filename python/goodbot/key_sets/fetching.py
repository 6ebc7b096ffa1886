"""Fetching a key set: one request, within bounds, to a public address.

Scope: it acts; `goodbot.signatures` decides what the answer is worth.
"""

from goodbot._core import __version__
from goodbot.errors import FetchError
from goodbot.net import Clock, Fetcher, HeaderFields, Limits
from goodbot.signatures import key_set_id
from goodbot.signatures.key_cache import KeyAnswer, KeyCache, read_answer
from goodbot.signatures.key_set import LARGEST_KEY_SET

__all__ = ["fetch_key_set", "refresh_keys"]

USER_AGENT = f"goodbot/{__version__}"
LIMITS = Limits(seconds=10.0, bytes=LARGEST_KEY_SET, wire_bytes=LARGEST_KEY_SET)
ACCEPT = (
    "application/http-message-signatures-directory+json, application/jwk-set+json, "
    "application/json;q=0.9"
)


async def fetch_key_set(
    url: str,
    fetcher: Fetcher,
    clock: Clock,
    who: HeaderFields = (("User-Agent", USER_AGENT),),
) -> KeyAnswer:
    r"""Fetch a key set. Only an answer of 200 counts, and no redirect is followed.

    Args:
        url: The URL, of https.
        fetcher: What fetches, such as `goodbot.net.AiohttpFetcher`, which connects to public
            addresses only.
        clock: What time it is.
        who: The header fields that identify who asks.

    >>> import asyncio
    >>> from goodbot.testing import FakeClock, FakeSite
    >>> clock = FakeClock()
    >>> site = FakeSite({"/keys": "{}"}, clock=clock)
    >>> answer = asyncio.run(fetch_key_set("https://a.example/keys", site, clock))
    >>> answer.keys is None, answer.why[:35]
    (True, 'this is not a directory of keys wit')

    Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 5.5 and 6.7.

    """
    if key_set_id(url) is None:
        return KeyAnswer(None, None, "it is not a URL of https")
    try:
        response = await fetcher.fetch(url, headers=(*who, ("Accept", ACCEPT)), limits=LIMITS)
    except FetchError as error:
        return KeyAnswer(None, None, str(error).removeprefix(f"{url}: "))
    return read_answer(
        url,
        response.status,
        response.headers,
        response.body,
        now=clock.now(),
        is_cut=response.truncated,
    )


async def refresh_keys(cache: KeyCache, fetcher: Fetcher, clock: Clock) -> None:
    """Fetch the key sets that are due, one after another.

    Args:
        cache: Where they are kept.
        fetcher: What fetches.
        clock: What time it is.

    >>> import asyncio
    >>> from goodbot.signatures.key_cache import KeyCache
    >>> from goodbot.testing import FakeClock, FakeSite
    >>> clock = FakeClock()
    >>> cache = KeyCache(["https://a.example/keys"])
    >>> asyncio.run(refresh_keys(cache, FakeSite({}, clock=clock), clock))
    >>> cache.due(clock.now())
    []

    """
    for url in cache.due(clock.now()):
        answer = await fetch_key_set(url, fetcher, clock)
        cache.learn(url, answer, clock.now())

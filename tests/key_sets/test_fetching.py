"""Key sets are fetched by one request, within bounds."""

from __future__ import annotations

import asyncio

from goodbot.key_sets import fetch_key_set, refresh_keys
from goodbot.signatures.key_cache import KeyCache
from goodbot.signatures.key_set import LARGEST_KEY_SET
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.signatures.test_keys import BODY, KEYID, URL


def test_a_set_is_fetched_by_one_request() -> None:
    """No redirect is followed, and what is too large is not read."""
    clock = FakeClock()
    site = FakeSite(
        {
            "/keys.json": BODY,
            "/away": Answer(status=302, headers=[("Location", "/keys.json")]),
            "/large": BODY + b" " * LARGEST_KEY_SET,
        },
        clock=clock,
    )

    async def fetched(url: str) -> tuple[bool, str]:
        answer = await fetch_key_set(url, site, clock)
        return answer.keys is not None, answer.why

    assert asyncio.run(fetched(URL)) == (True, "")
    assert asyncio.run(fetched("https://agent.example/away"))[0] is False
    assert asyncio.run(fetched("https://agent.example/large"))[0] is False
    assert asyncio.run(fetched("http://agent.example/keys.json")) == (
        False,
        "it is not a URL of https",
    )
    cache = KeyCache([URL])
    asyncio.run(refresh_keys(cache, site, clock))
    assert cache.find(URL, KEYID) is not None
    assert cache.due(clock.now()) == []

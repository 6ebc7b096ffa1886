"""Whether requests that a site received are signed by an identity, each for its own URL."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import KeySet, KeySets, SignedRequest, judge_signatures

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["URL", "leaks", "new_identity", "outcomes"]

URL = "https://bot.example/keys.json"


def new_identity(folder: Path) -> SigningIdentity:
    """Write an identity to a folder, and return it."""
    mine = SigningIdentity.new(URL, datetime.now(timezone.utc))
    mine.write(folder)
    return mine


def outcomes(
    mine: SigningIdentity,
    requests: Iterable[tuple[str, Iterable[tuple[str, str]]]],
    now: datetime | None = None,
) -> set[tuple[str, str | None]]:
    """Return what the published keys say of requests: reasons, and who signed.

    `unsigned` stands for a request without a signature.
    """
    keys = KeySets([KeySet.of(mine.published(), mine.url)])
    at, found = now or datetime.now(timezone.utc), set()
    for url, lines in requests:
        request = SignedRequest.to_url(url, lines=lines)
        judged = judge_signatures(request, at, keys.find, clocks=timedelta(hours=1))
        found |= {(one.reason, one.url) for one in judged} or {("unsigned", None)}
    return found


def leaks(mine: SigningIdentity, texts: Iterable[bytes]) -> bool:
    """Return whether a private key is in a text."""
    pems = [one.key.to_pem() for one in mine.keys]
    pems += [] if mine.archive_key is None else [mine.archive_key.to_pem()]
    secrets = [b"PRIVATE KEY", *(pem.splitlines()[1] for pem in pems)]
    return any(secret in text for text in texts for secret in secrets)

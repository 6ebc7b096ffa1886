"""The key set of a robot of your own, as a gate serves it.

Scope: an answer for its URL, signed anew once an hour.
"""

import os
from datetime import datetime, timedelta

from goodbot.http.address import address_of
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures.messages import normal_authority
from goodbot.site.gate.served_answers import ServedAnswer

__all__ = ["ServedKeySet"]

ANEW = timedelta(hours=1)
METHODS = {"GET", "HEAD"}


class ServedKeySet:
    """Serves the key set of an identity.

    Args:
        identity: The identity, or its folder.

    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 11, 1, tzinfo=timezone.utc)
    >>> keys = ServedKeySet(SigningIdentity.new("https://example.com/keys.json", now))
    >>> keys.answer("GET", "Example.com", "/keys.json", now).status
    200
    >>> keys.answer("GET", "example.com", "/other", now) is None
    True

    Source: draft-ietf-webbotauth-httpsig-protocol-01 section 5.5.1 and appendix B.1.

    """

    def __init__(self, identity: SigningIdentity | str | os.PathLike[str]) -> None:
        """Find where its keys are to be served."""
        self.identity = SigningIdentity.open(identity)
        origin, url = address_of(self.identity.url)
        self.host, self.path = origin.partition("://")[2], url[len(origin) :]
        self._made: tuple[datetime, ServedAnswer] | None = None

    def answer(
        self, method: str, host: str | None, path: str, now: datetime
    ) -> ServedAnswer | None:
        """Return the key set for a request of its URL; `None` for any other.

        Args:
            method: The method.
            host: The host that the request names.
            path: The path with its query, as it was sent.
            now: The time.

        """
        if path != self.path or method not in METHODS:
            return None
        if normal_authority(host, "https") != self.host:
            return None
        made = self._made
        if made is None or not timedelta(0) <= now - made[0] < ANEW:
            header, body = self.identity.served(now)
            length = ("Content-Length", str(len(body)))
            made = self._made = now, ServedAnswer(200, (*header, length), body)
        return made[1]

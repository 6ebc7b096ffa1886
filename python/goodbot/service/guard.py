"""Who may talk to the service, by the header of a request.

Scope: decisions. Any web page can make a browser send requests to loopback, directly or under a
host name that it points there (DNS rebinding). So a request is refused if its Host is not one of
the service's own names, if a browser says that a page of another site sends it (Origin,
Sec-Fetch-Site), and, if it may have an effect (POST), unless it has a media type that neither a
form nor a script of another site can send without a preflight: the service answers none, so CORS
permits nothing. A GET has no effect: it never makes the service send a request.

Source: Fetch Standard, section 3.3 (CORS protocol) and 4.8 (CORS-preflight fetch); Fetch Metadata
Request HeaderPairs, section 2.3; RFC 9110 section 7.2 (Host); RFC 6750 section 2.1 (Bearer).
"""

import hmac
from collections.abc import Collection, Iterable

from goodbot.errors import WrongValueError
from goodbot.service.problems import (
    CROSS_ORIGIN,
    NOT_JSON,
    UNAUTHORIZED,
    UNKNOWN_HOST,
    ServiceProblem,
)

__all__ = ["LOOPBACK_NAMES", "SHORTEST_TOKEN", "Guard"]

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""The host names of a service that only its own machine can reach."""
SHORTEST_TOKEN = 16
"""The fewest characters of a token."""
OWN_PAGES = {b"none", b"same-origin"}
"""The values of Sec-Fetch-Site of requests that no other site's page sends."""
JSON = b"application/json"

HeaderPairs = Iterable[tuple[bytes, bytes]]


class Guard:
    """The rules for one service.

    Args:
        hosts: The host names by which it may be addressed, with any port.
        token: The secret that each request must have; `None` if none is needed.

    Raises:
        WrongValueError: The token is short, or has characters that no header field can have.

    >>> guard = Guard(["127.0.0.1"])
    >>> guard.check("GET", [(b"host", b"127.0.0.1:8470")], is_public=False) is None
    True
    >>> guard.check("GET", [(b"host", b"evil.example")], is_public=False).slug
    'unknown-host'
    """

    def __init__(
        self, hosts: Collection[str] = LOOPBACK_NAMES, *, token: str | None = None
    ) -> None:
        """Check the token."""
        self._hosts = frozenset(one.lower().encode() for one in hosts)
        self._known: set[bytes] = set()
        """Values of Host that were accepted, with their ports."""
        self._token: bytes | None = None
        if token is not None:
            if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
                message = (
                    f"a token needs at least {SHORTEST_TOKEN} characters of ASCII; make one with "
                    "python3 -c 'import secrets; print(secrets.token_urlsafe())'"
                )
                raise WrongValueError(message)
            self._token = b"Bearer " + token.encode()

    def check(self, method: str, headers: HeaderPairs, *, is_public: bool) -> ServiceProblem | None:
        """Return why a request is refused; `None` if it is not.

        Args:
            method: Its method.
            headers: Its header, the names in lower case.
            is_public: Whether the path needs no token.

        """
        host = origin = site = token = kind = b""
        hosts = 0
        for name, value in headers:
            if name == b"host":
                host = value
                hosts += 1
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
            elif name == b"authorization":
                token = value
            elif name == b"content-type":
                kind = value
        if hosts != 1 or (host not in self._known and not self._knows(host)):
            return ServiceProblem(UNKNOWN_HOST)
        if (site and site not in OWN_PAGES) or (origin and not self._is_own(origin, host)):
            return ServiceProblem(CROSS_ORIGIN)
        if self._token is not None and not is_public and not self._has_token(token):
            return ServiceProblem(UNAUTHORIZED, fields=[(b"www-authenticate", b"Bearer")])
        if method == "POST" and kind.partition(b";")[0].strip().lower() != JSON:
            return ServiceProblem(NOT_JSON)
        return None

    def _has_token(self, given: bytes) -> bool:
        """Return whether a field has the token; how long that takes says nothing about it."""
        scheme, _, secret = given.partition(b" ")
        return hmac.compare_digest(scheme.capitalize() + b" " + secret.strip(), self._token or b"")

    def _knows(self, host: bytes) -> bool:
        """Return whether a value of Host names the service."""
        name, colon, port = host.lower().rpartition(b":")
        if not colon or not port.isdigit():
            name = host.lower()
        if name not in self._hosts:
            return False
        if len(self._known) < len(self._hosts) * 8:
            self._known.add(host)
        return True

    @staticmethod
    def _is_own(origin: bytes, host: bytes) -> bool:
        """Return whether a page of the service itself sends the request."""
        return origin.lower() in {b"http://" + host.lower(), b"https://" + host.lower()}

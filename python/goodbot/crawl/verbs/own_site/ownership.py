r"""Whether a site is that of the user: a token that only its owner can publish.

Scope: the token, and whether an answer proves the ownership. Nothing is asked; `now` is passed in.

A person who can write a line into robots.txt could as well allow everything there, so a token in it
gives no new power. Nothing that a crawl sends has the token in it, so that no site
that repeats what it is sent can seem to publish it; and a token for one robot and one origin is
worth nothing for another.

>>> from datetime import timedelta
>>> from goodbot.robot.identity import identity_of
>>> robot = identity_of("ExampleBot/1.0", "https://example.com/bot", "bot@example.com")
>>> token = token_of(b"0" * KEY_BYTES, robot, "https://a.example")
>>> token == token_of(b"0" * KEY_BYTES, robot, "https://b.example")
False
>>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
>>> url, body = "https://a.example/robots.txt", f"{line_of(token)}\nUser-agent: *\nDisallow: /"
>>> policy = Policy.from_response(url, 200, {}, body, now=now)
>>> prove_by_file(policy, token, now).by
'line 1 of its robots.txt'
>>> print(prove_by_file(policy, token, now + timedelta(days=2)))
None
"""

import hmac
import ipaddress
import re
from base64 import b32encode
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import urlsplit

from goodbot.http.instants import format_time
from goodbot.policy import Policy
from goodbot.robot.identity import Identity

__all__ = [
    "KEY_BYTES",
    "LOCALHOST",
    "OwnershipProof",
    "dns_name",
    "host_of",
    "is_loopback",
    "line_of",
    "proof_ends",
    "prove_by_file",
    "prove_by_txt",
    "prove_loopback",
    "record_of",
    "token_of",
]

KEY_BYTES = 32
"""The size of the random key from which tokens are made."""
TOKEN_BYTES = 20
"""The bytes of a token: 32 characters in base32."""
FIELD = "goodbot-own-site"
LABEL = "_goodbot"
"""Where the TXT record is, below the host (RFC 8552: names that begin with `_` are no hosts)."""
LOCALHOST = "localhost"
LONGEST_PROOF = timedelta(days=1)
OK = 200
LINE_ENDS = re.compile(rb"\r\n|\r|\n")
BOM = b"\xef\xbb\xbf"


class OwnershipProof(NamedTuple):
    """That a site belongs to the owner of the token."""

    origin: str
    by: str
    """What proves it, as the end of a sentence."""
    at: datetime
    """When that was seen, in UTC."""

    def permission(self) -> str:
        """Return the permission to fetch what the robots.txt of the site disallows, in words."""
        return (
            f"by permission of the owner of {self.origin} (--own-site), proven by {self.by} at "
            f"{format_time(self.at)}"
        )


def token_of(key: bytes, robot: Identity, origin: str) -> str:
    """Return the token by which the owner of an origin permits a robot.

    The page and the contact of the robot are part of it, because they are sent in every request:
    they cannot contain a token that depends on them.

    Args:
        key: The random key of the owner, `KEY_BYTES` bytes.
        robot: The robot; its version may change.
        origin: The origin.

    """
    parts = (FIELD, robot.product.casefold(), robot.info_url, robot.contact, origin)
    digest = hmac.new(key, "\0".join(parts).encode(), sha256).digest()
    return b32encode(digest[:TOKEN_BYTES]).decode().lower()


def line_of(token: str) -> str:
    """Return the line of robots.txt: a comment, which no robot takes for a rule."""
    return f"# {FIELD}: {token}"


def record_of(token: str) -> str:
    """Return the value of the TXT record."""
    return f"{FIELD}={token}"


def host_of(origin: str) -> str:
    """Return the host of an origin, without brackets."""
    return urlsplit(origin).hostname or ""


def dns_name(origin: str) -> str | None:
    """Return the name of the TXT record of an origin; `None` if its host is an address.

    >>> dns_name("https://www.a.example:8443"), dns_name("http://192.0.2.1")
    ('_goodbot.www.a.example', None)
    """
    host = host_of(origin)
    return None if not host or address_in(host) is not None else f"{LABEL}.{host}"


def is_loopback(origin: str) -> bool:
    """Return whether the host of an origin is a loopback address; a name is none.

    >>> [is_loopback(f"http://{host}") for host in ("127.0.0.9:80", "[::1]", "localhost")]
    [True, True, False]
    """
    address = address_in(host_of(origin))
    return address is not None and address.is_loopback


def address_in(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a host as an address; `None` if it is a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def prove_loopback(origin: str, now: datetime) -> OwnershipProof:
    """Return the proof for a site on this machine, which needs no token."""
    return OwnershipProof(origin, "its loopback address", now.astimezone(timezone.utc))


def proof_ends(policy: Policy) -> datetime:
    """Return when what a policy proves has to be proven anew.

    That is when its robots.txt expires, and after a day at the latest, though some dialects let a
    site say that its robots.txt may be used for longer (RFC 9309 section 2.4: 24 hours).
    """
    return min(policy.fresh_until, policy.fetched_at + LONGEST_PROOF)


def prove_by_file(policy: Policy, token: str, now: datetime) -> OwnershipProof | None:
    """Return the proof that a robots.txt gives; `None` if it gives none.

    Only a robots.txt counts that came whole from the site itself with status 200, and is fresh: not
    one behind a redirect, nor one that a 304 or a failure let stand, of which an earlier answer, or
    another site, may have been the author.

    Args:
        policy: The policy of the site.
        token: The token for this robot and the origin of the policy.
        now: The time, an aware `datetime`.

    """
    is_its_own = policy.status == OK and not policy.hops
    has_come = policy.copy_fetched_at == policy.fetched_at
    if not (is_its_own and has_come and policy.access == "rules" and now < proof_ends(policy)):
        return None
    content = (policy.copy_content or b"").removeprefix(BOM)
    if content.lstrip().startswith(b"<"):  # a page, on which others may have written
        return None
    lines = LINE_ENDS.split(content)
    wanted = line_of(token).encode()
    for number, line in enumerate(lines, 1):
        if hmac.compare_digest(line.strip(b" \t"), wanted):
            return OwnershipProof(
                policy.origin, f"line {number} of its robots.txt", policy.fetched_at
            )
    return None


def prove_by_txt(
    origin: str, values: Iterable[str], token: str, now: datetime
) -> OwnershipProof | None:
    """Return the proof that TXT records give; `None` if they give none.

    Args:
        origin: The origin.
        values: The values of the records at `dns_name` itself, not of a name to which it leads.
        token: The token for this robot and the origin.
        now: When they were asked for, an aware `datetime`.

    """
    wanted = record_of(token).encode()
    if any(hmac.compare_digest(value.strip().encode(), wanted) for value in values):
        by = f"the TXT record of {dns_name(origin)}"
        return OwnershipProof(origin, by, now.astimezone(timezone.utc))
    return None

"""Answers for a gateway in front of workers, such as nginx with `auth_request`: by status alone.

Scope: which question the header of a request is, and what a gateway that sees only the host of a
request (CONNECT) may be told: of a whole origin nothing is known that holds for a part of it.
"""

from collections.abc import Iterable

from goodbot._core import Verdict
from goodbot.bots.asking import ObeyedRules
from goodbot.service.problems import INVALID, ServiceProblem

__all__ = ["PARTLY", "of_origin", "read_header"]

PARTLY = "partly-disallowed"
"""The reason if a part of an origin is disallowed and only the origin is known: no permission."""

URL, AUTHORITY, ROBOT = b"x-goodbot-url", b"x-goodbot-authority", b"x-goodbot-robot"
LONGEST = 16_384


def read_header(headers: Iterable[tuple[bytes, bytes]], robot: str) -> tuple[str, str, bool]:
    """Return the URL, the robot, and whether the question is about the whole origin.

    Raises:
        ServiceProblem: The header names neither a URL nor an authority, or both.

    """
    given: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in {URL, AUTHORITY, ROBOT}:
            if name in given or len(value) > LONGEST:
                detail = f"The field {name.decode()} is there twice, or too long; send it once."
                raise ServiceProblem(INVALID, detail)
            given[name] = value
    if (URL in given) == (AUTHORITY in given):
        detail = (
            "Send X-Goodbot-URL with the URL that is requested, or X-Goodbot-Authority with host "
            "and port of a CONNECT, and not both."
        )
        raise ServiceProblem(INVALID, detail)
    asked = str(given.get(ROBOT, b""), "latin-1") or robot
    if URL in given:
        return escaped(given[URL]), asked, False
    return f"https://{escaped(given[AUTHORITY])}/", asked, True


def escaped(sent: bytes) -> str:
    r"""Return a URL as it was sent, with bytes beyond ASCII escaped: a site reads both alike.

    >>> escaped(b"http://a.example/\xc3\xa4")
    'http://a.example/%C3%A4'

    Source: RFC 3986 section 2.1; RFC 9309 section 2.2.2 (they match the escaped form).
    """
    return "".join(chr(one) if one < 0x80 else f"%{one:02X}" for one in sent)  # noqa: PLR2004  ASCII


def of_origin(rules: ObeyedRules, verdict: Verdict) -> tuple[bool, str]:
    """Return whether all URLs of an origin may be fetched, and the reason.

    Args:
        rules: What the robot obeys there.
        verdict: The verdict on the first page of the origin.

    """
    readings = [one for one in (rules.rules, rules.literal) if one is not None]
    lines = [line for one in readings for line in one if line.pattern]
    closes = any(line.field.lower() != "allow" for line in lines)
    opens = any(line.field.lower() == "allow" for line in lines)
    if closes and (verdict.allowed or opens):
        return False, PARTLY
    return verdict.allowed, verdict.reason

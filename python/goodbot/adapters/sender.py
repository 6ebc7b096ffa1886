"""Who sends the requests of an adapter: the name that is judged, and an email address.

Scope: the fields User-Agent and From of a request and of the robots.txt that is fetched for it.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, MutableMapping
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

from goodbot._core import robot_product
from goodbot.errors import RobotNameError
from goodbot.robot.signing_identity import SigningIdentity, open_identity
from goodbot.signatures.signing import SignatureDemand

__all__ = [
    "SIGNATURE_FIELDS",
    "Sender",
    "as_text",
    "checked_contact",
    "checked_name",
    "note_missing_from",
]

SIGNATURE_FIELDS = ("signature", "signature-input", "signature-agent")
"""The fields that sign a request, in lower case."""
LOG = logging.getLogger("goodbot.adapters")


class Sender:
    """Who sends the requests of an adapter.

    Args:
        robot: The robot's name; `None` for the User-Agent of each request.
        contact: The email address of its operator; `None` for the From of each request.
        identity: The identity by which requests are signed, or its folder.

    Raises:
        WrongTypeError: `contact` is not a `str`.
        WrongValueError: `contact` is not an email address.

    >>> sender = Sender("ExampleBot/1.0", "bot@example.com")
    >>> fields = {"User-Agent": "python-requests/2.32"}
    >>> sender.identify(fields), fields["User-Agent"], fields["From"]
    ('ExampleBot/1.0', 'ExampleBot/1.0', 'bot@example.com')

    Source: RFC 9309 section 2.2.1; RFC 9110 sections 10.1.2 and 10.1.5.
    """

    def __init__(
        self,
        robot: str | None,
        contact: str | None,
        identity: SigningIdentity | str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        """Check the address, and read the identity."""
        self._robot = robot
        self._identity, self._clock = open_identity(identity), clock
        self._contact = None if contact is None else checked_contact(contact)

    def proof(
        self,
        url: str,
        method: str,
        fields: Iterable[tuple[str, str]],
        demand: SignatureDemand | None = None,
    ) -> tuple[tuple[str, str], ...]:
        """Return the fields that sign one request; none without an identity.

        They go into the request that is sent, not into that of the caller, so that no redirect
        takes them to another site.

        Args:
            url: The URL of the request.
            method: Its method.
            fields: Its header.
            demand: What the answer to the same request asked for.

        """
        if self._identity is None:
            return ()
        lines = [line for line in fields if line[0].lower() not in SIGNATURE_FIELDS]
        return self._identity.sign(url, self._clock(), method=method, lines=lines, demand=demand)

    def demanded(
        self,
        status: int,
        headers: Iterable[tuple[str, str]],
        url: str,
        method: str,
        fields: Iterable[tuple[str, str]],
    ) -> SignatureDemand | None:
        """Return the signature that an answer asks for; `None` if there is none to give.

        Then the request is sent once more, with the `proof` for this demand.

        Args:
            status: The status of the answer.
            headers: Its header.
            url: The URL of the request.
            method: Its method.
            fields: Its header.

        """
        if self._identity is None:
            return None
        return self._identity.demanded(status, headers, url, method=method, lines=fields)

    def identify(self, fields: MutableMapping[str, Any]) -> str:
        """Write who sends a request into its header fields, and return the name that is judged.

        A User-Agent that contains the robot's name stays; another one, such as that of a library,
        is replaced by it, so that no site is asked under one name and judged under another.

        Args:
            fields: The header fields of the request, found without regard to case.

        Raises:
            RobotNameError: The request has no User-Agent, and no robot was passed.

        """
        agent = as_text(fields.get("User-Agent"))
        name = checked_name(self._robot or agent)
        if not is_named(name, agent):
            fields["User-Agent"] = name
        if self._contact is not None and not fields.get("From"):
            fields["From"] = self._contact
        if not fields.get("From"):
            note_missing_from("pass contact='you@example.com', or send the field yourself")
        return name


def checked_name(robot: str | None) -> str:
    """Return the name of a robot.

    Raises:
        RobotNameError: It is empty or `None`.

    """
    if not robot:
        message = "the request has no User-Agent; send one, or pass robot='ExampleBot'"
        raise RobotNameError(message)
    return robot


def checked_contact(contact: object) -> str:
    """Return an email address.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: It is not an email address.

    """
    from goodbot.robot.identity import contact_of  # noqa: PLC0415  loads the robot only if needed

    return contact_of(contact)


def as_text(value: str | bytes | None) -> str:
    """Return the value of a field as text; empty if there is none."""
    return value.decode("latin-1") if isinstance(value, bytes) else value or ""


def is_named(robot: str, agent: str) -> bool:
    """Return whether a User-Agent contains the product token of a robot (RFC 9309 section 2.2.1).

    >>> is_named("ExampleBot", "Mozilla/5.0 (compatible; examplebot/1.0)")
    True
    >>> is_named("ExampleBot", "NotExampleBot/1.0"), is_named("*", "python-requests/2.32")
    (False, True)

    """
    product = robot_product(robot)
    if product in {"", "*"}:  # no name that could be sent
        return True
    token = rf"(?i)(?<![a-z0-9_-]){re.escape(product)}(?![a-z0-9_-])"
    return re.search(token, agent) is not None


@lru_cache(maxsize=8)
def note_missing_from(cure: str) -> None:
    """Log once that requests have no From, and what to do."""
    LOG.warning(
        "requests are sent without From, so that no site can write to who runs the robot; %s", cure
    )

"""The identity of a robot: its name, the page that explains it, and its contact address.

Scope: checking these, and the header fields made of them. Without an identity, sites could address
a robot neither in robots.txt nor by email. Only a request for robots.txt itself needs none.
"""

import re
from dataclasses import field
from functools import lru_cache

from goodbot._core import __version__
from goodbot.bots.robot_table import table
from goodbot.display import short_repr
from goodbot.errors import RobotNameError, WrongTypeError, WrongValueError
from goodbot.http.address import resolve
from goodbot.lazy_dataclass import dataclass

__all__ = ["Identity", "identity_of", "program_identity"]

NAME = re.compile(r"([A-Za-z_-]+)(?:/([A-Za-z0-9!#$%&'*+.^_`|~-]+))?")
"""The token by RFC 9309 section 2.2.1, the version by RFC 9110 section 10.1.5."""

ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]"
)
"""A dot-atom at a domain (RFC 5322 section 3.4.1)."""

PROGRAM = "goodbot"
LONGEST = 200
SAFE_URL = re.compile(r"[\x21-\x7e]+")
AUTHORITY_END = re.compile(r"[/?#]")
UNSAFE_IN_COMMENT = set('()\\"<>')

A_BROWSER = "the name of a browser"
A_LIBRARY = "the name of a library"
ANOTHER = "the name of a known robot"

TAKEN: dict[str, tuple[str, ...]] = {
    A_BROWSER: (
        "applewebkit",
        "chrome",
        "chromium",
        "edg",
        "edge",
        "fennec",
        "firefox",
        "gecko",
        "konqueror",
        "links",
        "lynx",
        "mosaic",
        "mozilla",
        "msie",
        "netscape",
        "opera",
        "opr",
        "safari",
        "samsungbrowser",
        "seamonkey",
        "trident",
        "vivaldi",
        "webkit",
    ),
    A_LIBRARY: (
        "aiohttp",
        "apache-httpclient",
        "curl",
        "go-http-client",
        "httpx",
        "java",
        "lwp",
        "libwww-perl",
        "okhttp",
        "python-requests",
        "python-urllib",
        "scrapy",
        "wget",
    ),
}
"""Product tokens that no robot has and that are taken, in lower case. One that continues with `-`,
such as Googlebot-Image, is taken, too; those of robots are in `goodbot.bots`."""


@dataclass(frozen=True, slots=True, repr=False)
class Identity:
    """The identity of a robot, as it is sent to sites.

    >>> identity = identity_of("ExampleBot/1.0", "https://example.com/bot", "bot@example.com")
    >>> identity.headers[0]
    ('User-Agent', 'ExampleBot/1.0 (+https://example.com/bot)')
    >>> identity.headers[1]
    ('From', 'bot@example.com')
    """

    product: str
    """The product token, by which groups of robots.txt are chosen (RFC 9309 section 2.2.1)."""
    version: str | None
    """The version; `None` if the name has none."""
    info_url: str
    """The URL of the page that explains the robot; empty if it names no operator."""
    contact: str
    """The email address of its operator; empty if it names none."""
    headers: tuple[tuple[str, str], ...] = field(init=False, repr=False, compare=False)
    """The header fields of every request; robots SHOULD send From (RFC 9110 section 10.1.2)."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Write the header fields, once for all requests."""
        by_whom = (("From", self.contact),) if self.contact else ()
        object.__setattr__(self, "headers", (("User-Agent", self.user_agent), *by_whom))

    @property
    def name(self) -> str:
        """The product token, followed by a slash and the version if there is one."""
        return self.product if self.version is None else f"{self.product}/{self.version}"

    @property
    def user_agent(self) -> str:
        """The value of User-Agent (RFC 9110 section 10.1.5)."""
        return f"{self.name} (+{self.info_url})" if self.info_url else self.name

    def __str__(self) -> str:
        """Return the value of User-Agent."""
        return self.user_agent


def identity_of(name: object, info_url: object, contact: object) -> Identity:
    """Check the parts of an identity, and return it.

    Raises:
        RobotNameError: `name` is not a product token with or without a version, or is taken.
        WrongTypeError: An argument is not a `str`.
        WrongValueError: `info_url` is not an http or https URL, or `contact` not an email address.

    """
    product, version = name_of(name)
    return Identity(product, version, info_url_of(info_url), contact_of(contact))


def program_identity(info_url: str | None = None, contact: str | None = None) -> Identity:
    """Return the identity of goodbot itself, for robots.txt alone: it may name no operator.

    Args:
        info_url: The URL of the page that explains the robot, if there is one.
        contact: The email address of its operator, if it is known.

    Raises:
        WrongValueError: `info_url` is not an http or https URL, or `contact` not an email address.

    >>> program_identity().headers == (("User-Agent", f"goodbot/{__version__}"),)
    True
    >>> program_identity(contact="bot@example.com").headers[1]
    ('From', 'bot@example.com')
    """
    page = "" if info_url is None else info_url_of(info_url)
    return Identity(PROGRAM, __version__, page, "" if contact is None else contact_of(contact))


def name_of(name: object) -> tuple[str, str | None]:
    """Split a name into product token and version; raise if it is taken or malformed."""
    text = checked_str(name, "name", "ExampleBot/1.0")
    found = NAME.fullmatch(text) if len(text) <= LONGEST else None
    taken = owner_of(text.partition("/")[0].split(" ")[0].casefold())
    if taken is not None:
        message = (
            f"{text[:LONGEST]!r} is {taken}; choose a name of your own, such as 'ExampleBot/1.0', "
            "so that sites can address your robot in robots.txt"
        )
        raise RobotNameError(message)
    if found is None:
        message = (
            f"{text[:LONGEST]!r} is not a valid name; write a product token of letters, '-' and "
            "'_' (RFC 9309 section 2.2.1), with or without a version, such as 'ExampleBot/1.0'; "
            "pass the URL as {info_url}"
        )
        raise RobotNameError(message, {"info_url": "info_url="})
    return found[1], found[2]


def owner_of(product: str) -> str | None:
    """Return who uses a product token already; `None` if it is free."""
    parts = product.split("-")
    beginnings = {"-".join(parts[:size]) for size in range(1, len(parts) + 1)}
    for whose, names in TAKEN.items():
        if beginnings.intersection(names):
            return whose
    return ANOTHER if beginnings & known_tokens() else None


@lru_cache(maxsize=1)
def known_tokens() -> frozenset[str]:
    """Return the names of known robots and the groups that they look for, in lower case."""
    rows = (one for row in table().rows for one in (row["name"], *row.get("tokens", ())))
    # A product token has no dots (RFC 9309 section 2.2.1): archive.org_bot is archive_org_bot.
    return frozenset(token.casefold().replace(".", "_") for token in rows)


def info_url_of(url: object) -> str:
    """Check the URL of the page that explains the robot, and return it."""
    text = checked_str(url, "info_url", "https://example.com/bot")
    fix = "pass the URL of a page that explains the robot, such as 'https://example.com/bot'"
    fits = len(text) <= LONGEST and SAFE_URL.fullmatch(text) and not UNSAFE_IN_COMMENT & set(text)
    address, _ = resolve(None, text if fits else "")
    if address is None:
        message = f"{{info_url}} {text[:LONGEST]!r} is not an http or https URL; {fix}"
        raise WrongValueError(message, {"info_url": "info_url"})
    if "@" in AUTHORITY_END.split(text.partition("://")[2])[0]:
        message = f"{{info_url}} has a user name or password, which every site would see; {fix}"
        raise WrongValueError(message, {"info_url": "info_url"})
    return text


def contact_of(address: object) -> str:
    """Check the contact address, and return it."""
    text = checked_str(address, "contact", "bot@example.com")
    if len(text) > LONGEST or not ADDRESS.fullmatch(text):
        message = (
            f"{{contact}} {text[:LONGEST]!r} is not an email address; pass one that you read, such "
            "as 'bot@example.com'"
        )
        raise WrongValueError(message, {"contact": "contact"})
    return text


def checked_str(value: object, name: str, example: str) -> str:
    """Check that an argument is a `str`, and return it."""
    if not isinstance(value, str):
        message = f"{name} must be a str such as {example!r}, not {type(value).__name__}"
        raise WrongTypeError(message)
    return value

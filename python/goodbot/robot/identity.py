"""Who asks: a robot's name, where it is explained, and whom to write to.

What may live here: checking them, and the header fields that they make. A robot that hides who it
is cannot be told anything, neither by a group of robots.txt nor by mail.
"""

import re
from dataclasses import dataclass

from goodbot.display import short_repr
from goodbot.errors import RobotNameError, WrongTypeError, WrongValueError
from goodbot.http.address import resolve

__all__ = ["Identity", "identity_of"]

NAME = re.compile(r"([A-Za-z_-]+)(?:/([A-Za-z0-9!#$%&'*+.^_`|~-]+))?")
"""RFC 9309 section 2.2.1 for the token, RFC 9110 section 10.1.5 for the version."""

ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]"
)
"""A dot-atom at a domain (RFC 5322 section 3.4.1)."""

LONGEST = 200
SAFE_URL = re.compile(r"[\x21-\x7e]+")
AUTHORITY_END = re.compile(r"[/?#]")
UNSAFE_IN_COMMENT = set('()\\"<>')

A_BROWSER = "a browser's name"
A_LIBRARY = "a library's name"
ANOTHER = "the name of another's robot"

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
    ANOTHER: (
        "adsbot-google",
        "ahrefsbot",
        "amazonbot",
        "anthropic-ai",
        "applebot",
        "archive_org_bot",
        "baiduspider",
        "bingbot",
        "bytespider",
        "ccbot",
        "chatgpt-user",
        "claude-web",
        "claudebot",
        "dotbot",
        "duckduckbot",
        "facebookbot",
        "facebookexternalhit",
        "feedfetcher-google",
        "google-extended",
        "googlebot",
        "googleother",
        "gptbot",
        "ia_archiver",
        "linkedinbot",
        "mediapartners-google",
        "meta-externalagent",
        "msnbot",
        "oai-searchbot",
        "perplexitybot",
        "petalbot",
        "pinterestbot",
        "semrushbot",
        "seznambot",
        "slurp",
        "twitterbot",
        "yandex",
        "yandexbot",
        "yeti",
    ),
}
"""Product tokens that are somebody's, in lower case. One that goes on with `-`, such as
Googlebot-Image, is the same somebody's."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks.

    >>> identity = identity_of("ExampleBot/1.0", "https://example.com/bot", "bot@example.com")
    >>> identity.headers[0]
    ('User-Agent', 'ExampleBot/1.0 (+https://example.com/bot)')
    >>> identity.headers[1]
    ('From', 'bot@example.com')
    """

    product: str
    """The product token, for which robots.txt has groups (RFC 9309 section 2.2.1)."""
    version: str | None
    """The version; `None` if the name has none."""
    info_url: str
    """Where the robot is explained."""
    contact: str
    """Whom to write to: an address of mail."""

    __repr__ = short_repr

    @property
    def name(self) -> str:
        """The product token, with the version behind a slash."""
        return self.product if self.version is None else f"{self.product}/{self.version}"

    @property
    def user_agent(self) -> str:
        """What is sent as User-Agent (RFC 9110 section 10.1.5)."""
        return f"{self.name} (+{self.info_url})"

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What is sent with every request; a robot SHOULD send From (RFC 9110 section 10.1.2)."""
        return (("User-Agent", self.user_agent), ("From", self.contact))

    def __str__(self) -> str:
        """Give what is sent as User-Agent."""
        return self.user_agent


def identity_of(name: object, info_url: object, contact: object) -> Identity:
    """Check who asks.

    Raises:
        RobotNameError: The name is no product token with or without a version, or is somebody
            else's.
        WrongTypeError: An argument is no `str`.
        WrongValueError: The URL is not of http or https, or the address is none.

    """
    product, version = name_of(name)
    return Identity(product, version, info_url_of(info_url), contact_of(contact))


def name_of(name: object) -> tuple[str, str | None]:
    """Take the product token and the version from a name."""
    text = checked_str(name, "name", "ExampleBot/1.0")
    found = NAME.fullmatch(text) if len(text) <= LONGEST else None
    taken = owner_of(text.partition("/")[0].split(" ")[0].casefold())
    if taken is not None:
        message = (
            f"{text[:LONGEST]!r} is {taken}: a robot goes by its own, for which a site can have a "
            "group; give one such as 'ExampleBot/1.0'"
        )
        raise RobotNameError(message)
    if found is None:
        message = (
            f"{text[:LONGEST]!r} is no name of a robot: give a product token of letters, '-' and "
            "'_' (RFC 9309 section 2.2.1), and perhaps a version: 'ExampleBot/1.0'; the address "
            "goes to info_url="
        )
        raise RobotNameError(message)
    return found[1], found[2]


def owner_of(product: str) -> str | None:
    """Tell whose a product token is; `None` if it may be the robot's own."""
    for whose, names in TAKEN.items():
        if any(product == one or product.startswith(f"{one}-") for one in names):
            return whose
    return None


def info_url_of(url: object) -> str:
    """Take the address of the page that explains the robot."""
    text = checked_str(url, "info_url", "https://example.com/bot")
    cure = "give that of a page that explains the robot, such as 'https://example.com/bot'"
    fits = len(text) <= LONGEST and SAFE_URL.fullmatch(text) and not UNSAFE_IN_COMMENT & set(text)
    address, _ = resolve(None, text if fits else "")
    if address is None:
        message = f"info_url {text[:LONGEST]!r} is no URL of http or https; {cure}"
        raise WrongValueError(message)
    if "@" in AUTHORITY_END.split(text.partition("://")[2])[0]:
        message = f"info_url has a name or password, which every site would see; {cure}"
        raise WrongValueError(message)
    return text


def contact_of(address: object) -> str:
    """Take the address to write to."""
    text = checked_str(address, "contact", "bot@example.com")
    if len(text) > LONGEST or not ADDRESS.fullmatch(text):
        message = (
            f"contact {text[:LONGEST]!r} is no address of mail; give one at which somebody reads "
            "what sites write, such as 'bot@example.com'"
        )
        raise WrongValueError(message)
    return text


def checked_str(value: object, name: str, example: str) -> str:
    """Take a text."""
    if not isinstance(value, str):
        message = f"{name} must be a str such as {example!r}, not {type(value).__name__}"
        raise WrongTypeError(message)
    return value

"""Information about a robot for sites: its page in HTML, and its record for lists of robots.

Scope: writing both from the settings of the robot, without clock, disk or network. The examples of
groups are evaluated in the robot's dialect, so that they are true.

Source: Koster, "a description of what strings a particular robot looks for" (Re: Robot Exclusion
Standard Revisited, 4 June 1996); Web Robots Database, the form of a record.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime, timezone
from email.utils import format_datetime
from html import escape
from ipaddress import ip_network

from goodbot._core import RobotsTxt
from goodbot.errors import WrongValueError
from goodbot.html_page import page
from goodbot.http.address import resolve
from goodbot.lazy_dataclass import dataclass
from goodbot.pace import Manners
from goodbot.policy import Policy
from goodbot.robot.identity import Identity
from goodbot.signatures import key_set_id

__all__ = ["RobotCard", "registration", "robot_page"]

SITE = "https://www.example.com"
"""The site in the examples on the page."""

HOST = re.compile(
    r"(?:\*\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+"
    r"[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
)
"""The name of a host, or of all hosts below it (RFC 1123 section 2.1); its last label is not a
number."""

LONGEST_HOST = 253
SAFE_URL = re.compile(r"[\x21-\x7e]{1,200}")

AVAILABILITIES = ("source", "binary", "data", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotCard:
    """Information about a robot for the owners of sites.

    Raises:
        WrongValueError: A text has several lines, `owner_url` is not an http or https URL, or one
            of `addresses` is not an IP address, a network or the name of a host.

    >>> from goodbot.robot.identity import identity_of
    >>> me = identity_of("FooBot/1.0", "https://a.example/bot", "me@a.example")
    >>> card = RobotCard(identity=me)
    >>> [name for name, is_obeyed in card.spellings() if is_obeyed]
    ['FooBot', 'foobot', 'FooBot/1.0', '*']
    """

    identity: Identity
    dialect: str = "rfc9309"
    """The name of the dialect in which it reads robots.txt."""
    manners: Manners = field(default_factory=Manners)
    """The settings of its pace."""
    owner: str = ""
    """The name of its operator."""
    owner_url: str = ""
    """The URL of the operator's own page."""
    description: str = ""
    """What it does and what for, in a few sentences."""
    keys_url: str = ""
    """The URL of the public keys by which its requests are signed; empty if they are not."""
    addresses: tuple[str, ...] = ()
    """The IP addresses, networks or names of hosts from which it sends requests."""
    purpose: str = "indexing"
    """`indexing`, `maintenance` or `statistics`."""
    availability: str = "none"
    """The form in which others can get it: `source`, `binary`, `data` or `none`."""

    def __post_init__(self) -> None:
        """Check that each text is one line, and that URL and addresses are valid."""
        texts = (self.owner, self.owner_url, self.purpose, self.availability, *self.addresses)
        for text in (*texts, self.description.replace("\n", " ")):
            if any(ord(one) < ord(" ") for one in text):
                message = (
                    f"{text[:60]!r} has a line break or control character; write it in one line"
                )
                raise WrongValueError(message)
        check_owner_url(self.owner_url)
        if self.keys_url and key_set_id(self.keys_url) is None:
            url = self.keys_url[:60]
            message = f"keys_url {url!r} is not a URL of https; pass that of your keys"
            raise WrongValueError(message)
        for address in self.addresses:
            check_address(address)

    def spellings(self) -> list[tuple[str, bool]]:
        """Return values of User-agent lines, and whether the robot obeys a group with that line."""
        product = self.identity.product
        names = [product, product.lower(), f"{product}/1.0", product[:-1], f"{product}-News", "*"]
        return [(name, self.obeys(name)) for name in dict.fromkeys(names) if name]

    def obeys(self, name: str) -> bool:
        """Return whether the robot obeys a group with this one User-agent line."""
        text = f"User-agent: {name}\nDisallow: /\n"
        return not RobotsTxt(text, dialect=self.dialect).allows("/page", self.identity.product)


def check_owner_url(url: str) -> None:
    """Check that a URL, if there is one, is an http or https URL, because it becomes a link."""
    if url and (SAFE_URL.fullmatch(url) is None or resolve(None, url)[0] is None):
        message = (
            f"owner_url {url[:60]!r} is not an http or https URL; pass the URL of the operator's "
            "own page, such as 'https://example.com/'"
        )
        raise WrongValueError(message)


def check_address(address: str) -> None:
    """Check that an address has a form that sites can compare with a visitor's."""
    if len(address) <= LONGEST_HOST and HOST.fullmatch(address):
        return
    try:
        if "%" not in address:
            ip_network(address)
            return
    except ValueError:
        pass
    message = (
        f"address {address[:60]!r} is not an IP address, a network or the name of a host; write "
        "one such as 192.0.2.7, 192.0.2.0/24 (the first address of the network), 2001:db8::/32, "
        "crawl.example.com or *.crawl.example.com"
    )
    raise WrongValueError(message)


def robot_page(card: RobotCard, now: datetime) -> str:
    """Return the page that explains a robot, to be published at its `info_url`.

    Args:
        card: The information about the robot.
        now: The time, an aware `datetime`.

    Returns:
        One HTML document. It has no scripts and fetches nothing.

    Raises:
        UnknownDialectError: There is no dialect of this name.

    """
    identity = card.identity
    owner = escape(card.owner or identity.contact)
    if card.owner_url:
        owner = f'<a href="{escape(card.owner_url)}">{owner}</a>'
    about = card.description or f"{identity.product} is a program that visits pages."
    mail = escape(identity.contact)
    body = (
        "<h2>Who operates it</h2>",
        f'<p>{owner}. Write to <a href="mailto:{mail}">{mail}</a>; a person reads it.</p>',
        "<h2>How to recognise it</h2>",
        "<p>It sends these fields with each request:</p>",
        f"<pre>{headers(identity)}</pre>",
        *keys(card.keys_url),
        *addresses(card.addresses),
        "<h2>How to keep it out</h2>",
        *ways_out(card),
        "<h2>Which groups of a robots.txt it obeys</h2>",
        *groups(card),
        "<h2>How often it visits</h2>",
        *pace(card, now),
    )
    as_of = f"As of {now.astimezone(timezone.utc):%Y-%m-%d}."
    lines = (f"{line}\n" for line in body)
    return "".join(page(identity.product, lines, lede=about, foot=as_of, style=STYLE))


def headers(identity: Identity) -> str:
    """Return the header fields that it sends."""
    return "\n".join(escape(f"{name}: {value}") for name, value in identity.headers)


def keys(url: str) -> Iterator[str]:
    """Yield where the keys are by which its requests are signed."""
    if url:
        link = f'<a href="{escape(url)}" rel="jwks">{escape(url)}</a>'
        yield f"<p>It signs each request (Web Bot Auth, RFC 9421) by the keys at {link}.</p>"


def addresses(known: Sequence[str]) -> Iterator[str]:
    """Yield the list of addresses from which it sends requests."""
    if known:
        yield "<p>It sends requests from these addresses only:</p><ul>"
        yield from (f"<li><code>{escape(one)}</code></li>" for one in known)
        yield "</ul>"


def ways_out(card: RobotCard) -> Iterator[str]:
    """Yield the ways to exclude it from a site, from a part of it, and from a page."""
    name = escape(card.identity.product)
    yield "<p>To keep it out of a whole site, write in <code>/robots.txt</code>:</p>"
    yield f"<pre>User-agent: {name}\nDisallow: /</pre>"
    yield "<p>To keep it out of a part of the site:</p>"
    yield f"<pre>User-agent: {name}\nDisallow: /private/</pre>"
    yield "<p>To keep a page out of its index, and its links unfollowed, write in the page or in "
    yield "its header:</p>"
    meta = f'<meta name="{name.lower()}" content="noindex, nofollow">'
    yield f"<pre>{escape(meta, quote=False)}\nX-Robots-Tag: {name.lower()}: noindex, nofollow</pre>"
    yield "<p>To stop its visits at once, write to the address above.</p>"


def groups(card: RobotCard) -> Iterator[str]:
    """Yield examples of User-agent lines, each evaluated in its dialect."""
    dialect = escape(RobotsTxt("", dialect=card.dialect).dialect.title)
    yield f"<p>It reads robots.txt according to <i>{dialect}</i>, and looks for groups named "
    yield f"<b>{escape(card.identity.product)}</b>. For a group with only this line:</p><table>"
    for name, is_obeyed in card.spellings():
        what = "it obeys" if is_obeyed else "it does not obey"
        if name == "*":
            what += ", if no other group names it" if is_obeyed else ""
        yield f"<tr><td><code>User-agent: {escape(name)}</code></td><td>{what}</td></tr>"
    yield "</table>"
    fields = RobotsTxt("", dialect=card.dialect).dialect.choices["fields"].split()
    listed = ", ".join(f"<code>{escape(one)}</code>" for one in fields)
    yield f"<p>It understands these fields: {listed}.</p>"


def pace(card: RobotCard, now: datetime) -> Iterator[str]:
    """Yield how often it visits a site, and how soon it notices a change of robots.txt."""
    manners = card.manners
    fields = RobotsTxt("", dialect=card.dialect).dialect.choices["fields"].split()
    yield "<p>It makes one request at a time to a site. Between two requests it waits "
    yield f"{manners.factor:g} times as long as the last response took, and at least "
    yield f"{seconds(manners.default)}."
    if manners.floor:
        yield f" It never waits less than {seconds(manners.floor)}."
    slower = [one for one in ("crawl-delay", "request-rate", "visit-time") if one in fields]
    if slower:
        named = ", ".join(f"<code>{one}</code>" for one in slower)
        yield f" It obeys {named} in robots.txt."
    yield " If a site responds with 429 or 503, it waits longer.</p>"
    answer = Policy.from_response(f"{SITE}/robots.txt", 200, {}, b"", now=now, dialect=card.dialect)
    until = answer.fresh_until
    if until is not None:
        hours = (until - now).total_seconds() / 3600
        yield f"<p>It obeys a change of robots.txt within {hours:g} hours.</p>"


def seconds(number: float) -> str:
    """Return a number of seconds in words.

    >>> seconds(1.0), seconds(7.5)
    ('1 second', '7.5 seconds')
    """
    return f"{number:g} second{'' if number == 1 else 's'}"


def registration(card: RobotCard, now: datetime) -> str:
    """Return the record of a robot for the Web Robots Database and similar lists.

    Args:
        card: The information about the robot.
        now: The time, an aware `datetime`.

    Returns:
        One line for each field, in the order of the database. Long texts continue in lines that
        begin with a space.

    """
    identity = card.identity
    described = card.description or f"{identity.product} visits pages and obeys robots.txt."
    fields = {
        "robot-id": identity.product.lower(),
        "robot-name": identity.product,
        "robot-cover-url": identity.info_url,
        "robot-details-url": identity.info_url,
        "robot-owner-name": card.owner,
        "robot-owner-url": card.owner_url,
        "robot-owner-email": identity.contact,
        "robot-status": "active",
        "robot-purpose": card.purpose,
        "robot-type": "standalone",
        "robot-platform": "any",
        "robot-availability": card.availability,
        "robot-exclusion": "yes",
        "robot-exclusion-useragent": identity.product,
        "robot-noindex": "yes",
        "robot-host": ", ".join(card.addresses),
        "robot-from": "yes",
        "robot-useragent": identity.user_agent,
        "robot-language": "Python, Rust",
        "robot-description": " ".join(described.split()),
        "robot-history": "",
        "robot-environment": "",
        "modified-date": format_datetime(now.astimezone(timezone.utc), usegmt=True),
        "modified-by": card.owner or identity.contact,
    }
    return "".join(folded(f"{name}: {value}".rstrip()) for name, value in fields.items())


def folded(line: str) -> str:
    """Return a line, folded if it is long, as header fields once were."""
    lines = textwrap.wrap(
        line, 78, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines) + "\n"


STYLE = "header, main, footer { max-width: 50rem; } h2 { margin-top: 2.25rem; }"

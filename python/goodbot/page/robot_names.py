"""The names of a robot, which decide which META elements and header prefixes address it."""

import re
from functools import lru_cache

from goodbot._core import robot_product
from goodbot.errors import RobotNameError, WrongTypeError
from goodbot.http.fields import scalar
from goodbot.page.dialects import PageDialect

__all__ = ["RobotNames", "robot_of"]

TOKEN = re.compile(r"[A-Za-z_-]+")


class RobotNames:
    """A robot, as the names that it answers to.

    >>> from goodbot.page.dialects import page_dialect
    >>> sorted(RobotNames("Googlebot-News/1.0", page_dialect("google")).names)
    ['googlebot', 'googlebot-news']
    """

    def __init__(self, given: object, dialect: PageDialect) -> None:
        """Read the names from a product token or a whole User-Agent string.

        Raises:
            RobotNameError: The string has no name in it, or it is a URL.
            WrongTypeError: `given` is not a `str`.

        """
        if not isinstance(given, str):
            message = f"robot must be a str such as 'ExampleBot', not {type(given).__name__}"
            raise WrongTypeError(message)
        if not given.strip():
            message = (
                "the robot has no name; "
                "pass its product token (such as 'ExampleBot') or its User-Agent"
            )
            raise RobotNameError(message)
        if "://" in given.split()[0]:
            message = f"robot is {given[:200]!r}, a URL; pass the URL of the page as url"
            raise RobotNameError(message)
        self.given = given
        product = (robot_product(scalar(given)) or given.strip()).lower()
        token = TOKEN.match(product)
        self.names = {product} | ({token[0]} if token and len(token[0]) == len(product) else set())
        self.names |= {name for start, name in dialect.aliases if product.startswith(start)}
        self.whole = without_versions(given)

    def __eq__(self, other: object) -> bool:
        """Whether another robot heeds the same names."""
        if not isinstance(other, RobotNames):
            return NotImplemented
        return (self.given, self.names) == (other.given, other.names)

    def __hash__(self) -> int:
        """Return a hash of the name that was given."""
        return hash(self.given)

    def heeds(self, name: str) -> bool:
        """Return whether a name, in lower case, is one of the robot's."""
        return name in self.names

    def is_called(self, name: str) -> bool:
        """Return whether a name of the Robot Exclusion Profile, which may have spaces, is its own.

        Versions, comments and spaces are ignored in both names: a product token has no spaces (RFC
        9110 section 5.6.2), so FooBot is the robot that a page calls "Foo Bot".

        >>> from goodbot.page.dialects import page_dialect
        >>> robot = RobotNames("FooBot/2.1 (+https://foo.example/)", page_dialect("google"))
        >>> [robot.is_called(name) for name in ("FooBot", "foobot/1.0", "Foo Bot", "Foo")]
        [True, True, True, False]

        Source: Robot Exclusion Profile, Specificity (`content="Foo Bot"`).
        """
        plain, product = without_versions(name), robot_product(name).lower()
        ours = {name.replace(" ", "") for name in (*self.names, self.whole)}
        return bool(plain) and bool(ours & {plain.replace(" ", ""), product.replace(" ", "")})


def without_versions(name: str) -> str:
    """Return a name in the form in which names are compared.

    That is without versions and comments, with single spaces, and without regard to case.

    >>> without_versions("Foo  Bot/1.0 (all)")
    'foo bot'
    """
    return " ".join(re.sub(r"/[\w.]+", "", name.partition("(")[0]).split()).casefold()


def robot_of(given: object, dialect: PageDialect) -> RobotNames:
    """Return the robot of a name, from a cache: one robot usually reads many pages.

    Raises:
        RobotNameError: The string has no name in it, or it is a URL.
        WrongTypeError: `given` is not a `str`.

    """
    return known(given, dialect) if isinstance(given, str) else RobotNames(given, dialect)


known = lru_cache(maxsize=256)(RobotNames)

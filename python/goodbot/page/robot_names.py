"""The robot's names: which META elements and header prefixes are addressed to it."""

import re
from functools import lru_cache

from goodbot._core import robot_product
from goodbot.errors import RobotNameError, WrongTypeError
from goodbot.http.fields import scalar
from goodbot.page.dialects import PageDialect

__all__ = ["RobotNames", "robot_of"]

TOKEN = re.compile(r"[A-Za-z_-]+")


class RobotNames:
    """A robot, by the names it heeds.

    >>> from goodbot.page.dialects import page_dialect
    >>> sorted(RobotNames("Googlebot-News/1.0", page_dialect("google")).names)
    ['googlebot', 'googlebot-news']
    """

    def __init__(self, given: object, dialect: PageDialect) -> None:
        """Take the names from a product token or a whole User-Agent string.

        Raises:
            RobotNameError: There is no name in it, or it is a URL.
            WrongTypeError: It is no `str`.

        """
        if not isinstance(given, str):
            message = f"robot must be a str such as 'ExampleBot', not {type(given).__name__}"
            raise WrongTypeError(message)
        if not given.strip():
            message = (
                "the robot has no name; "
                "give its product token (such as 'ExampleBot') or its User-Agent"
            )
            raise RobotNameError(message)
        if "://" in given.split()[0]:
            message = f"{given[:200]!r} looks like a URL, not a robot; the URL comes first"
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
        """Whether a name, in lower case, is one of the robot's."""
        return name in self.names

    def is_called(self, name: str) -> bool:
        """Whether a name of the Robot Exclusion Profile, which may have spaces, is the robot's.

        Versions and comments do not count, neither in the name nor in the robot's own.

        >>> from goodbot.page.dialects import page_dialect
        >>> robot = RobotNames("FooBot/2.1 (+https://foo.example/)", page_dialect("google"))
        >>> [robot.is_called(name) for name in ("FooBot", "foobot/1.0", "Foo Bot", "Foo")]
        [True, True, False, False]

        Source: Robot Exclusion Profile, Specificity (`content="Foo Bot"`).
        """
        plain, product = without_versions(name), robot_product(name).lower()
        return bool(plain) and (plain == self.whole or bool(self.names & {plain, product}))


def without_versions(name: str) -> str:
    """Return a name as it is compared: without versions and comments, with single spaces.

    >>> without_versions("Foo  Bot/1.0 (all)")
    'foo bot'
    """
    return " ".join(re.sub(r"/[\w.]+", "", name.partition("(")[0]).split()).casefold()


def robot_of(given: object, dialect: PageDialect) -> RobotNames:
    """Give the robot of a name; the same robot asks about many pages.

    Raises:
        RobotNameError: There is no name in it, or it is a URL.
        WrongTypeError: It is no `str`.

    """
    return known(given, dialect) if isinstance(given, str) else RobotNames(given, dialect)


known = lru_cache(maxsize=256)(RobotNames)

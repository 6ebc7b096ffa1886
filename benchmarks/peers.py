"""The peers, behind one interface, so that each does the same work.

Each timed loop over URLs calls the peer directly, without any code of the harness in between.
"""

import importlib
import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from corpus import ROBOT, Sample


class Peer:
    """A Python library that answers the same question as goodbot."""

    name: ClassVar[str]
    module: ClassVar[str]
    distribution: ClassVar[str]
    call: ClassVar[str]
    takes_text: ClassVar[bool] = True
    """Whether it reads `str`; then decoding is done beforehand and not timed."""
    keeps: ClassVar[bool] = True
    """Whether there is an object to keep; without one each check parses again."""

    def __init__(self) -> None:
        """Import the library; this fails if the library is not installed."""
        self.library: Any = importlib.import_module(self.module)
        self.version = self._version()

    def _version(self) -> str:
        return importlib.metadata.version(self.distribution)

    def content(self, sample: Sample) -> str | bytes:
        """Return the input of the library for a sample."""
        return sample.text if self.takes_text else sample.content

    def contents(self, samples: Sequence[Sample]) -> list[Any]:
        """Return the inputs of the library for all samples."""
        return [self.content(sample) for sample in samples]

    def parse_one(self, content: str | bytes) -> object:
        """Make the library's object of a file."""
        raise NotImplementedError

    def keep(self, content: str | bytes) -> object:
        """Make the object that a crawler would keep."""
        return self.parse_one(content)

    def parse(self, contents: Sequence[Any]) -> None:
        """Parse each file; timed."""
        raise NotImplementedError

    def check(self, kept: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Check the URLs of each kept object; timed."""
        raise NotImplementedError

    def whole(self, contents: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Parse each file, get the robot's rules, check its URLs; timed."""
        raise NotImplementedError

    def answer(self, kept: object, url: str) -> bool:
        """Return one answer; not timed."""
        raise NotImplementedError


class Goodbot(Peer):
    """goodbot itself, dialect `rfc9309`."""

    name = "goodbot"
    module = "goodbot"
    distribution = "goodbot"
    call = "rules.allows(url)"
    takes_text = False

    def parse_one(self, content: str | bytes) -> object:
        """Make a `RobotsTxt`."""
        return self.library.RobotsTxt(content)

    def keep(self, content: str | bytes) -> object:
        """Make the robot's `Rules`."""
        return self.library.RobotsTxt(content).rules_for(ROBOT)

    def parse(self, contents: Sequence[Any]) -> None:
        """Make a `RobotsTxt` of each file."""
        robots_txt = self.library.RobotsTxt
        for content in contents:
            robots_txt(content)

    def parse_and_select(self, contents: Sequence[Any]) -> None:
        """Make a `RobotsTxt` and the robot's `Rules` of each file."""
        robots_txt = self.library.RobotsTxt
        for content in contents:
            robots_txt(content).rules_for(ROBOT)

    def check(self, kept: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `allows`."""
        for rules, own in zip(kept, urls, strict=True):
            for url in own:
                rules.allows(url)

    def whole(self, contents: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `RobotsTxt`, `rules_for`, `allows`."""
        robots_txt = self.library.RobotsTxt
        for content, own in zip(contents, urls, strict=True):
            rules = robots_txt(content).rules_for(ROBOT)
            for url in own:
                rules.allows(url)

    def answer(self, kept: Any, url: str) -> bool:  # noqa: ANN401 -- the compiled type is the library's
        """Call `allows`."""
        return bool(kept.allows(url))


def _ask_url_first(parser: Any, urls: Sequence[str]) -> None:  # noqa: ANN401 -- the library's own type
    for url in urls:
        parser.can_fetch(url, ROBOT)


def _ask_robot_first(parser: Any, urls: Sequence[str]) -> None:  # noqa: ANN401 -- the library's own type
    for url in urls:
        parser.can_fetch(ROBOT, url)


class Parser(Peer):
    """A library whose parser has `can_fetch`, with its arguments in either order.

    Besides the library's own calls, the timed code has one or two calls for each file and none for
    a check.
    """

    robot_first: ClassVar[bool]

    @property
    def parser_of(self) -> Callable[[Any], Any]:
        """Makes a parser from a text: the library's own function, if it has one."""
        raise NotImplementedError

    @property
    def ask(self) -> Callable[[Any, Sequence[str]], None]:
        """Checks the URLs of one parser."""
        return _ask_robot_first if self.robot_first else _ask_url_first

    def parse_one(self, content: str | bytes) -> object:
        """Make a parser."""
        return self.parser_of(content)

    def parse(self, contents: Sequence[Any]) -> None:
        """Make a parser of each file."""
        parser_of = self.parser_of
        for content in contents:
            parser_of(content)

    def check(self, kept: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `can_fetch`."""
        ask = self.ask
        for parser, own in zip(kept, urls, strict=True):
            ask(parser, own)

    def whole(self, contents: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Make a parser, call `can_fetch`."""
        parser_of, ask = self.parser_of, self.ask
        for content, own in zip(contents, urls, strict=True):
            ask(parser_of(content), own)

    def answer(self, kept: Any, url: str) -> bool:  # noqa: ANN401 -- the library's own type
        """Call `can_fetch`."""
        return bool(kept.can_fetch(*((ROBOT, url) if self.robot_first else (url, ROBOT))))


class Protego(Parser):
    """Protego, Scrapy's parser; in Python."""

    name = "protego"
    module = "protego"
    distribution = "protego"
    call = "can_fetch(url, agent)"
    robot_first = False

    @property
    def parser_of(self) -> Callable[[Any], Any]:
        """`Protego.parse`."""
        parse: Callable[[Any], Any] = self.library.Protego.parse
        return parse


class Robotspy(Parser):
    """robotspy; in Python."""

    name = "robotspy"
    module = "robots"
    distribution = "robotspy"
    call = "can_fetch(agent, url)"
    robot_first = True

    @property
    def parser_of(self) -> Callable[[Any], Any]:
        """`RobotsParser.from_string`."""
        parse: Callable[[Any], Any] = self.library.RobotsParser.from_string
        return parse


class StandardLibrary(Parser):
    """The standard library's `urllib.robotparser`; in Python."""

    name = "urllib.robotparser"
    module = "urllib.robotparser"
    distribution = ""
    call = "can_fetch(agent, url)"
    robot_first = True

    def _version(self) -> str:
        return f"CPython {platform.python_version()}"

    @property
    def parser_of(self) -> Callable[[Any], Any]:
        """`parse` with the lines, which returns nothing."""
        make = self.library.RobotFileParser

        def parse(content: str) -> object:
            parser = make()
            parser.parse(content.splitlines())
            return parser

        return parse


class FastRobotstxt(Peer):
    """fast-robotstxt: a changed google/robotstxt in C++, called through ctypes.

    It parses at each check. Unlike Google's matcher, it reads URLs and patterns as the URL Standard
    does before it compares them (`/%62` is `/b`, `/a/../b` is `/b`), and it knows more fields.
    """

    name = "fast-robotstxt"
    module = "robotstxt"
    distribution = "fast-robotstxt"
    call = "is_allowed(text, agent, url)"
    keeps = False

    def __init__(self) -> None:
        """Make the matcher that reads all files."""
        super().__init__()
        self.matcher: Any = self.library.RobotsMatcher()

    def parse_one(self, content: str | bytes) -> object:
        """Return the text, because there is no other object to keep."""
        return content

    def check(self, kept: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `is_allowed`."""
        matcher = self.matcher
        for content, own in zip(kept, urls, strict=True):
            for url in own:
                matcher.is_allowed(content, ROBOT, url)

    def whole(self, contents: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `is_allowed`."""
        self.check(contents, urls)

    def answer(self, kept: object, url: str) -> bool:
        """Call `is_allowed`."""
        return bool(self.matcher.is_allowed(kept, ROBOT, url))


class TextingRobots(Peer):
    """The binding of texting_robots, which is in Rust; its object is that of one robot."""

    name = "texting-robots-py"
    module = "texting_robots"
    distribution = "texting-robots-py"
    call = "allowed(url)"
    takes_text = False

    def parse_one(self, content: str | bytes) -> object:
        """Make a `Robot`."""
        return self.library.Robot(ROBOT, content)

    def parse(self, contents: Sequence[Any]) -> None:
        """Make a `Robot` of each file."""
        robot = self.library.Robot
        for content in contents:
            robot(ROBOT, content)

    def check(self, kept: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `allowed`."""
        for robot, own in zip(kept, urls, strict=True):
            for url in own:
                robot.allowed(url)

    def whole(self, contents: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Make a `Robot`, call `allowed`."""
        make = self.library.Robot
        for content, own in zip(contents, urls, strict=True):
            robot = make(ROBOT, content)
            for url in own:
                robot.allowed(url)

    def answer(self, kept: Any, url: str) -> bool:  # noqa: ANN401 -- the compiled type is the library's
        """Call `allowed`."""
        return bool(kept.allowed(url))


class Reppy(Peer):
    """reppy: rep-cpp in C++, bound with Cython; only if it can be built."""

    name = "reppy"
    module = "reppy.robots"
    distribution = "reppy"
    call = "allowed(url)"
    takes_text = False

    def parse_one(self, content: str | bytes) -> object:
        """Call `Robots.parse`."""
        return self.library.Robots.parse("https://example.com/robots.txt", content)

    def keep(self, content: str | bytes) -> object:
        """Call `agent` for the robot."""
        return self.library.Robots.parse("https://example.com/robots.txt", content).agent(ROBOT)

    def parse(self, contents: Sequence[Any]) -> None:
        """Call `Robots.parse`."""
        parse = self.library.Robots.parse
        for content in contents:
            parse("https://example.com/robots.txt", content)

    def check(self, kept: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `allowed` of the agent."""
        for agent, own in zip(kept, urls, strict=True):
            for url in own:
                agent.allowed(url)

    def whole(self, contents: Sequence[Any], urls: Sequence[Sequence[str]]) -> None:
        """Call `Robots.parse`, `agent`, `allowed`."""
        parse = self.library.Robots.parse
        for content, own in zip(contents, urls, strict=True):
            agent = parse("https://example.com/robots.txt", content).agent(ROBOT)
            for url in own:
                agent.allowed(url)

    def answer(self, kept: Any, url: str) -> bool:  # noqa: ANN401 -- the library's own type
        """Call `allowed` of the agent."""
        return bool(kept.allowed(url))


PEERS: tuple[type[Peer], ...] = (
    Protego,
    Robotspy,
    StandardLibrary,
    FastRobotstxt,
    TextingRobots,
    Reppy,
)
ABSENT_REPPY = (
    "reppy is not measured: it is not installed, and its newest release, 0.4.14, does not compile"
    " with current compilers and CPython."
)


def available() -> tuple[list[Peer], list[str]]:
    """Return the peers that are installed, and a sentence about each that is not."""
    found: list[Peer] = []
    remarks = []
    for peer in PEERS:
        try:
            found.append(peer())
        except (ImportError, OSError) as error:  # noqa: PERF203 -- each may be absent
            absent = f"{peer.name} is not measured: it cannot be imported ({type(error).__name__})."
            remarks.append(ABSENT_REPPY if peer is Reppy else absent)
    return found, remarks


def by_name(name: str) -> Peer:
    """Return the peer of a name."""
    known: tuple[type[Peer], ...] = (Goodbot, *PEERS)
    return next(peer for peer in known if peer.name == name)()

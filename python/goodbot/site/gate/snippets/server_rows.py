r"""What a web server must decide, in rows: from User-Agents to groups, from paths to header fields.

Scope: a rendered policy to regular expressions and values. Each writer quotes them for its server;
nothing that needs more than quotation marks ever comes here: controls, quotes and backslashes are
refused or escaped when a policy is made.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from goodbot.bots import every
from goodbot.bots.family import tokens_of
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.page_fields import GateFields, PageFields
from goodbot.site.gate.rendered import Rendered
from goodbot.site.gate.robot_groups import obeyed_by

__all__ = [
    "FIELDS",
    "AgentRow",
    "PathRow",
    "ServerRows",
    "SnippetFiles",
    "agent_regex",
    "checked_folder",
    "path_regex",
    "quoted",
    "server_rows",
]

SnippetFiles = dict[str, str]
"""The files of a snippet: their names and content."""

FIELDS = (
    "X-Robots-Tag", "Content-Usage", "Content-Signal", "Link", "TDM-Reservation", "TDM-Policy",
)  # fmt: skip
"""The header fields that a snippet sends."""

FOLDER = re.compile(r"/[A-Za-z0-9 ._/@+,=~-]*")
"""A folder that needs only quotation marks in every configuration."""


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A text of User-Agents, and the number of the group that they obey."""

    text: str
    group: int


@dataclass(frozen=True, slots=True)
class PathRow:
    """For a group: the paths that must all match, and the values of the fields."""

    group: int
    paths: tuple[str, ...]
    values: tuple[str, ...]
    """The values in the order of `FIELDS`; empty where a field is not sent."""


@dataclass(frozen=True, slots=True)
class ServerRows:
    """The rows of a host."""

    prefix: str
    """What the names of variables begin with."""
    agents: tuple[AgentRow, ...]
    """The rows of User-Agents, of which the first that matches counts."""
    default: int
    """The group of everyone else."""
    paths: tuple[PathRow, ...]
    """The rows of paths, of which the first that matches counts."""
    vary: bool
    """Whether groups get different fields."""

    @property
    def fields(self) -> tuple[int, ...]:
        """The numbers of the fields that some row sends."""
        used = range(len(FIELDS))
        return tuple(n for n in used if any(row.values[n] for row in self.paths))


def server_rows(said: Rendered) -> ServerRows:
    """Return the rows of a rendered policy."""
    pages = said.page_fields()
    groups = range(len(said.groups))
    paths = tuple(row for number in groups for row in rows_of(pages, number))
    values = [[row.values for row in paths if row.group == number] for number in groups]
    vary = any(one != values[0] for one in values)
    name = re.sub(r"[^a-z0-9]", "_", said.host)
    agents = tuple(agent_rows(said))
    return ServerRows(f"gate_{name}", agents, len(said.groups) - 1, paths, vary)


def rows_of(pages: PageFields, number: int) -> Iterator[PathRow]:
    """Yield the rows of a group, the longest paths first; before equal ones, both together."""
    parts = [part.path for part in pages.groups[number].rules.parts]
    for place, path in enumerate(parts):
        equal = [one for one in parts[place:] if len(one) == len(path)]
        if place == 0 or len(parts[place - 1]) != len(path):
            for both in combinations(equal, 2):
                if any("*" in one or one.endswith("$") for one in both):
                    yield PathRow(number, both, values_of(pages.stated_to(number, (both,))))
        yield PathRow(number, (path,), values_of(pages.stated_to(number, ((path,),))))


def values_of(fields: GateFields) -> tuple[str, ...]:
    """Return the values of the fields; `$`, which is special to servers, as its escape in URLs."""
    found = dict(fields)
    return tuple(found.get(name, "").replace("$", "%24") for name in FIELDS)


def quoted(value: str) -> str:
    r"""Return a value between quotation marks, as nginx, Apache and Caddy read it.

    >>> print(quoted('<https://example.com/l>; rel="license"'))
    "<https://example.com/l>; rel=\"license\""
    """
    escaped = value.replace('"', '\\"')
    return f'"{escaped}"'


def agent_rows(said: Rendered) -> Iterator[AgentRow]:
    """Yield the texts of User-Agents whose group is not everyone's; the longest first.

    A longer text of everyone's group is listed if it contains one of these, as it would match it.
    """
    last = len(said.groups) - 1
    number_of = {group.tokens[0]: number for number, group in enumerate(said.groups)}
    found: dict[str, int] = {}
    known_tokens = set()
    for robot in every():
        known_tokens |= {token.casefold() for token in tokens_of(robot)}
        rules = said.rules_for(robot).rules
        group = said.groups[last] if rules is None else obeyed_by(rules, said.groups)
        for text in robot.user_agents:
            found[text] = number_of[group.tokens[0]]
    for group in said.groups[:-1]:
        for token in group.tokens:
            if token.casefold() not in known_tokens:
                found.setdefault(token, number_of[group.tokens[0]])
    special = [text.casefold() for text, number in found.items() if number != last]
    for text in sorted(found, key=lambda one: (-len(one), one)):
        if found[text] != last or any(one in text.casefold() for one in special):
            yield AgentRow(text, found[text])


def agent_regex(text: str) -> str:
    """Return the regular expression of a text; a name behind `like` does not count."""
    escaped = "".join(one if one.isalnum() or one in " -_/" else f"\\{one}" for one in text)
    return f"(?<!like ){escaped}"


def path_regex(pattern: str) -> str:
    r"""Return the regular expression of a path pattern, without its beginning.

    It matches every spelling that leads to the same page: servers decode escapes, and read several
    slashes as one, before they choose a page, and a target is matched as it was sent.

    >>> path_regex("/*f$"), path_regex("/%C3%A9")
    ('(?:/|%2[Ff])+.*(?:f|%66)$', '(?:/|%2[Ff])+%[Cc]3%[Aa]9')

    """
    body = pattern.removesuffix("$")
    pieces = re.findall(r"%..|.", body)
    text = "".join(regex_of(piece) for piece in pieces)
    return f"{text}$" if pattern.endswith("$") else text


def regex_of(piece: str) -> str:
    """Return the regular expression of a character or an escape of a pattern."""
    if piece == "*":
        return ".*"
    if piece[0] == "%" and len(piece) > 1:
        return escape_regex(piece[1:])
    if piece == "?":
        return "\\?"  # it begins the query only as it stands
    plain = piece if piece.isalnum() or piece in "/-_~%!&',:;=@" else f"\\{piece}"
    return f"(?:{plain}|{escape_regex(f'{ord(piece):02X}')})" + ("+" if piece == "/" else "")


def escape_regex(digits: str) -> str:
    """Return the regular expression of an escape, in either case."""
    return "%" + "".join(f"[{one}{one.lower()}]" if one.isalpha() else one for one in digits)


def checked_folder(folder: str) -> str:
    """Return the folder of the files, which configurations can name.

    Raises:
        WrongValueError: It is not absolute, or has characters that are special to some server.

    """
    if not FOLDER.fullmatch(folder):
        message = (
            f"{folder[:60]!r} cannot be named in a configuration; use an absolute path of letters, "
            "digits, spaces and . _ - + , = ~ @ such as /srv/gate"
        )
        raise WrongValueError(message)
    return folder.rstrip("/") or "/"

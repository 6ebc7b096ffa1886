"""Known robots: the table compiled from known-robots/, and the page that shows it.

Scope: reading and checking TOML, the compact JSON that the package loads, and Markdown.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import goodbot
from goodbot.bots.known_robot import PURPOSES, KnownRobot
from goodbot.bots.robot_table import RobotTable
from printing.as_markdown import code, table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
ROWS = ROOT / "known-robots"
COMPILED = ROOT / "python" / "goodbot" / "bots" / "table.json"

FACTS = {one.name for one in fields(KnownRobot)} - {"sources"}
ABOUT = {"source", "from", "unknown"}
"""Keys of a row that are no facts: where these come from, and which facts of `shared` do not hold."""
LISTS = ("purposes", "tokens", "reads", "ignores", "user_agents", "addresses", "prefixes", "hosts")


SOURCE_FORM = "a source needs title, url and read, and may have as_of and copy"
NO_FACT = "no fact comes from this source"
SOURCE_KEYS = {"title", "url", "read", "as_of", "copy"}


class RowError(ValueError):
    """A row of known-robots/ is wrong."""

    def __init__(self, where: str, problem: str) -> None:
        """Name the file, and the robot or source."""
        super().__init__(f"{where}: {problem}")


def compiled() -> str:
    """Return the table as the package loads it: a robot a line, sorted by name."""
    sources = tomllib.loads((ROWS / "sources.toml").read_text(encoding="utf-8"))
    for key, source in sources.items():
        if not {"title", "url", "read"} <= source.keys() <= SOURCE_KEYS:
            raise RowError(key, SOURCE_FORM)
    rows = [row for path in sorted(ROWS.glob("*.toml")) for row in rows_of(path, sources)]
    rows.sort(key=lambda row: row["name"].casefold())
    check_uniqueness(rows)
    used = {row["source"] for row in rows} | {one for row in rows for one in row["from"].values()}
    if unused := sources.keys() - used:
        raise RowError(", ".join(sorted(unused)), NO_FACT)
    of_sources = ",\n".join(
        f"  {json.dumps(key)}: {compact(sources[key])}" for key in sorted(sources)
    )
    of_robots = ",\n".join(f"  {compact(row)}" for row in rows)
    return f'{{"sources": {{\n{of_sources}\n}}, "robots": [\n{of_robots}\n]}}\n'


def compact(value: object) -> str:
    """Return JSON on one line; dates as text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def rows_of(path: Path, sources: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the robots of a file, complete."""
    if path.name == "sources.toml":
        return
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    for robot in content["robot"]:
        row = whole_row(content.get("shared", {}), robot)
        for problem in (*problems_of(row, sources), *wrong_values(row)):
            where = f"{path.name}: {robot.get('name', 'a robot without a name')}"
            raise RowError(where, problem)
        yield row


def whole_row(shared: dict[str, Any], robot: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a robot, with those of its file, and the source of each."""
    row = {**shared, **robot}
    unknown = row.pop("unknown", ())
    row = {key: value for key, value in row.items() if key not in unknown}
    if row.get("fetches", True):
        row.setdefault("user_agents", [row["name"]])
    origins = {fact: origin_of(fact, shared, robot) for fact in sorted(row.keys() & FACTS)}
    # Sources of facts that are not stated are kept, to be refused.
    stray = {fact: one for fact, one in robot.get("from", {}).items() if fact not in row}
    row["from"] = {key: one for key, one in origins.items() if one != row.get("source")} | stray
    return row


def origin_of(fact: str, shared: dict[str, Any], robot: dict[str, Any]) -> str | None:
    """Return the source of a fact: of the robot's own, of what the file shares, or by default."""
    if fact in robot.get("from", {}):
        return str(robot["from"][fact])
    is_own = fact in robot or fact not in shared
    if is_own and "source" in robot:
        return str(robot["source"])
    origin: str | None = shared.get("from", {}).get(fact, shared.get("source"))
    return origin


def problems_of(row: dict[str, Any], sources: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the form of a row."""
    if strange := row.keys() - FACTS - ABOUT:
        yield f"there is no fact {', '.join(sorted(strange))}"
    if stray := row["from"].keys() - row.keys():
        yield f"a source of {', '.join(sorted(stray))}, which it does not state"
    for source in {row.get("source"), *row["from"].values()} - sources.keys():
        yield f"there is no source {source!r} in sources.toml"
    if not (row.keys() & FACTS) - {"name", "user_agents"}:
        yield "it states nothing"
    for name in LISTS:
        if name in row and not (isinstance(row[name], list) and row[name]):
            yield f"{name} must be a list that is not empty; leave out what is not known"


def wrong_values(row: dict[str, Any]) -> Iterator[str]:
    """Yield the values of a row that cannot be."""
    if wrong := set(row.get("purposes", ())) - PURPOSES.keys():
        yield f"there is no purpose {', '.join(sorted(wrong))}"
    if row.get("dialect") and row["dialect"] not in {one.name for one in goodbot.dialects()}:
        yield f"there is no dialect {row['dialect']!r}"
    known = {name for name, *_ in goodbot.fields()}
    if wrong := {*row.get("reads", ()), *row.get("ignores", ())} - known:
        yield f"there is no field {', '.join(sorted(wrong))}"
    if row.get("fetches") is False and {"user_agents", "addresses", "hosts"} & row.keys():
        yield "nothing is fetched under its name, so it has no User-Agent and no addresses"
    for one in row.get("addresses", ()):
        url = one if isinstance(one, str) else one.get("url", "")
        if not url.startswith("https://"):
            yield f"a list of addresses must be fetched by https, not {url!r}"


def check_uniqueness(rows: list[dict[str, Any]]) -> None:
    """Raise if two robots share a name, or a text of their User-Agents."""
    names = Counter(row["name"].casefold() for row in rows)
    agents = Counter(one.casefold() for row in rows for one in row.get("user_agents", ()))
    if twice := [name for found in (names, agents) for name, count in found.items() if count > 1]:
        raise RowError(", ".join(twice), "two robots have this name or User-Agent")


# The page.


def known_robots_page() -> Iterator[str]:
    """Yield the table of robots by purpose, then what is known of each operator's."""
    table_of_robots = RobotTable(compiled())
    robots = [table_of_robots.robot(place) for place in range(len(table_of_robots.rows))]
    yield "# Known robots"
    yield ""
    yield (
        "For site owners who meet a name in a log or want to write a group for it: the robots that "
        f"goodbot knows, {len(robots)} in number. Each fact has a source and the day on which it "
        "was read; an empty cell means that it is not known. `goodbot bots NAME` shows the source "
        "of each fact, and `goodbot.bots.get(NAME)` is the same in Python."
    )
    yield ""
    yield "## Purposes"
    yield ""
    counts = Counter(purpose for robot in robots for purpose in robot.purposes)
    rows = [[code(one), meaning, str(counts[one])] for one, meaning in PURPOSES.items()]
    yield from table(["purpose", "meaning", "robots"], rows)
    yield "## Robots"
    yield ""
    yield (
        "*Groups*: the product tokens that a robot looks for in robots.txt, in the order in which "
        "it tries them. *Obeys*: whether it is said to obey robots.txt; *not* `*` means that it "
        "ignores the group for `*`. *Verified by*: how a request under its name can be checked."
    )
    yield ""
    yield from table(
        ["robot", "operator", "purposes", "groups", "obeys", "dialect", "verified by"],
        [row_of_page(robot) for robot in robots],
    )
    yield "## Sources"
    yield ""
    found = {source.url + source.title: source for one in robots for source in one.sources.values()}
    by_title = sorted(found.values(), key=lambda source: source.title.casefold())
    rows = [
        [f"[{one.title}]({one.url})", one.as_of or "", one.read, one.copy or ""] for one in by_title
    ]
    yield from table(["source", "as of", "read", "read in a copy at"], rows)


def row_of_page(robot: KnownRobot) -> list[str]:
    """Return the cells of a robot."""
    obeys = {True: "yes", False: "no", None: ""}[robot.obeys]
    if robot.ignores_star:
        obeys = f"{obeys}, not `*`".removeprefix(", ")
    ways = {
        "addresses": robot.addresses or robot.prefixes,
        "host name": robot.hosts,
        "keys": robot.keys,
    }
    groups = ", then ".join(map(code, robot.tokens))
    return [
        robot.name if robot.fetches else f"{robot.name} (a token only)",
        robot.operator or "",
        ", ".join(robot.purposes),
        groups,
        obeys,
        robot.dialect or "",
        ", ".join(way for way, known in ways.items() if known),
    ]

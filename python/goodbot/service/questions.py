"""What a request asks, checked: from JSON or a query to a question within bounds.

Scope: decisions. Every fault is a `ServiceProblem` that names the key and what to write.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

from goodbot._core import form_pairs
from goodbot.http.fields import is_unicode
from goodbot.lazy_dataclass import dataclass
from goodbot.service.problems import INVALID, TOO_LARGE, ServiceProblem

__all__ = [
    "LONGEST_WAIT",
    "MOST_CELLS",
    "MOST_ROBOTS",
    "MOST_URLS",
    "MOST_USES",
    "USUAL_WAIT",
    "FetchQuestion",
    "check_names",
    "check_texts",
    "read_object",
    "read_query",
    "read_question",
    "read_site",
    "take",
]

MOST_URLS = 10_000
"""The most URLs of one question."""
MOST_ROBOTS = 100
"""The most robots of one question."""
MOST_CELLS = 100_000
"""The most verdicts of one question: URLs times robots."""
MOST_USES = 200
"""The most verdicts of a question that also asks about uses: each takes a millisecond."""
MOST_PARAMETERS = 16
"""The most parameters of a query."""
LONGEST_NAME = 512
"""The most characters of the name of a robot, as in a User-Agent."""
LONGEST_WAIT = 60.0
"""The most seconds that a request may wait."""
USUAL_WAIT = 10.0


@dataclass(frozen=True, slots=True)
class FetchQuestion:
    """May these robots fetch these URLs?"""

    urls: list[str]
    robots: list[str]
    at: datetime | None = None
    """The time that is asked about; `None` for now."""
    wait: float = USUAL_WAIT
    """The most seconds to wait for robots.txt; 0 asks no site."""
    uses: bool = False
    """Whether to answer what the content may be used for, as far as robots.txt says it."""
    explain: bool = False
    """Whether to add the whole answer, as `goodbot check --json --explain` prints it."""


def read_object(body: bytes) -> dict[str, Any]:
    """Return the object in the content of a request.

    Raises:
        ServiceProblem: It is no JSON, or no object.

    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ServiceProblem(INVALID, "The content is not valid JSON.") from None
    if not isinstance(found, dict):
        raise ServiceProblem(INVALID, 'The content is not an object; write {"urls": [...]}.')
    return found


def read_query(query: bytes) -> dict[str, str]:
    """Return the parameters of a query, each of which may be there once.

    Raises:
        ServiceProblem: One is there twice, there are too many, or a byte is not ASCII.

    Source: URL Standard, section 5.1 (application/x-www-form-urlencoded parsing).

    """
    if query.count(b"&") >= MOST_PARAMETERS or not query.isascii():
        raise ServiceProblem(INVALID, "The query cannot be read; escape it as a form.")
    found: dict[str, str] = {}
    for name, value in form_pairs(query):
        if name in found:
            raise ServiceProblem(INVALID, "A parameter of the query is there twice.")
        found[name] = value
    return found


def take(given: Mapping[str, Any], allowed: Mapping[str, type | tuple[type, ...]]) -> None:
    """Check the keys of an object and the types of their values.

    Raises:
        ServiceProblem: A key is unknown, or its value has another type.

    """
    for key, value in given.items():
        kinds = allowed.get(key)
        if kinds is None:
            names = ", ".join(allowed)
            raise ServiceProblem(INVALID, f"There is no key {key[:60]!r}; the keys are {names}.")
        is_number = isinstance(value, bool) and kinds is not bool
        is_whole = kinds is int and isinstance(value, float) and value.is_integer()
        if is_number or not (is_whole or isinstance(value, kinds)):
            names = kinds.__name__ if isinstance(kinds, type) else kinds[-1].__name__
            raise ServiceProblem(INVALID, f"The value of {key!r} must be {WORDS[names]}.")


WORDS = {
    "str": "a string",
    "list": "an array of strings",
    "bool": "true or false",
    "float": "a number of seconds",
    "int": "an integer",
}
KEYS: dict[str, type | tuple[type, ...]] = {
    "urls": list,
    "robots": list,
    "time": str,
    "wait": (int, float),
    "uses": bool,
    "explain": bool,
}


def read_question(given: Mapping[str, Any], robot: str) -> FetchQuestion:
    """Return the question in the content of a request.

    Args:
        given: The content.
        robot: The robot that is asked about if none is named.

    Raises:
        ServiceProblem: It is no question within the bounds.

    """
    take(given, KEYS)
    urls = strings(given, "urls", MOST_URLS)
    robots = strings(given, "robots", MOST_ROBOTS) if "robots" in given else [robot]
    uses = given.get("uses", False)
    explain = given.get("explain", False)
    cells, most = len(urls) * len(robots), MOST_USES if uses or explain else MOST_CELLS
    if cells > most:
        detail = f"These are {cells:,} verdicts (URLs times robots); at most {most:,} are given."
        raise ServiceProblem(TOO_LARGE, detail)
    check_names(robots)
    return FetchQuestion(urls, robots, time_of(given), wait_of(given), uses, explain)


SITE: dict[str, type | tuple[type, ...]] = {"url": str, "robot": str, "wait": (int, float)}


def read_site(given: Mapping[str, Any], robot: str) -> tuple[str, str, float]:
    """Return the URL, the robot and the wait of a question about one site.

    Raises:
        ServiceProblem: It is none within the bounds.

    """
    take(given, SITE)
    url, name = given.get("url", ""), given.get("robot", robot)
    if not url:
        raise ServiceProblem(INVALID, "'url' is missing; write any URL of the site.")
    check_names([name])
    return url, name, wait_of(given)


def strings(given: Mapping[str, Any], key: str, most: int) -> list[str]:
    """Return an array of strings.

    Raises:
        ServiceProblem: It is empty, too long, or has something else.

    """
    found: list[str] = given.get(key, [])
    if not found:
        raise ServiceProblem(INVALID, f"{key!r} is empty; write an array of strings.")
    if len(found) > most:
        raise ServiceProblem(
            TOO_LARGE, f"{key!r} has {len(found):,} items; at most {most:,} are read."
        )
    if not all(type(one) is str for one in found):
        raise ServiceProblem(INVALID, f"The value of {key!r} must be an array of strings.")
    return found


def check_names(robots: list[str]) -> None:
    """Check the lengths of the names of robots.

    Raises:
        ServiceProblem: One is too long.

    """
    if any(len(one) > LONGEST_NAME for one in robots):
        detail = f"A robot's name has at most {LONGEST_NAME} characters; write its product token."
        raise ServiceProblem(INVALID, detail)
    check_texts(robots)


def check_texts(texts: Iterable[str]) -> None:
    """Check that texts can be sent and stored.

    Raises:
        ServiceProblem: One has half of a surrogate pair.

    """
    if not all(map(is_unicode, texts)):
        raise ServiceProblem(INVALID, "A string has half of a surrogate pair; write it as UTF-8.")


def time_of(given: Mapping[str, Any]) -> datetime | None:
    """Return the time that is asked about.

    Raises:
        ServiceProblem: It is no time with its distance from UTC.

    """
    if "time" not in given:
        return None
    try:
        found = datetime.fromisoformat(str(given["time"]).replace("Z", "+00:00"))
        if found.utcoffset() is not None:
            return found.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # such as a time before the year 1 in UTC
        pass
    detail = "The value of 'time' must be like 2026-01-31T12:00:00Z, with its distance from UTC."
    raise ServiceProblem(INVALID, detail)


def wait_of(given: Mapping[str, Any], usual: float = USUAL_WAIT) -> float:
    """Return how long a request may wait.

    Raises:
        ServiceProblem: It is out of bounds.

    """
    wait = given.get("wait", usual)
    if not 0 <= wait <= LONGEST_WAIT:  # before it is a float, which not every number can be
        raise ServiceProblem(INVALID, f"'wait' must be from 0 to {LONGEST_WAIT:g} seconds.")
    return float(wait)

"""Robots whose operator is known to read robots.txt in a dialect of its own.

Scope: facts, each with its source and the date on which it was read, and the note made of them.
"""

import re
from typing import NamedTuple

import click
from click.core import ParameterSource

__all__ = ["KNOWN_ROBOTS", "RobotFamily", "dialect_note", "family_of"]


class RobotFamily(NamedTuple):
    """Who runs some robots, and how it reads robots.txt."""

    operator: str
    dialect: str
    robots: tuple[str, ...]
    """Product tokens in lower case; one that goes on with `-` belongs to the same operator."""
    source: str
    read: str
    """The date on which the source was read."""


KNOWN_ROBOTS = (
    RobotFamily(
        "Google",
        "google",
        (
            "googlebot",
            "google-cloudvertexbot",
            "google-extended",
            "google-inspectiontool",
            "googleother",
            "storebot-google",
            "adsbot-google",
            "apis-google",
            "mediapartners-google",
        ),
        "developers.google.com/search/docs/crawling-indexing/google-common-crawlers",
        "2026-11-22",
    ),
    RobotFamily(
        "Yandex",
        "yandex",
        ("yandex", "yandexbot", "yandeximages", "yandexrenderresourcesbot"),
        "yandex.com/support/webmaster/en/robot-workings/user-agent",
        "2026-11-22",
    ),
    RobotFamily(
        "Bing",
        "bing",
        ("bingbot", "msnbot", "adidxbot", "bingpreview", "microsoftpreview"),
        "www.bing.com/webmaster/help/which-crawlers-does-bing-use-8c184ec0",
        "2026-11-22",
    ),
    RobotFamily("Apple", "apple", ("applebot",), "support.apple.com/119829", "2026-11-22"),
)

TOKEN = re.compile(r"[A-Za-z_-]+")
"""A product token (RFC 9309 section 2.2.1), also within a whole User-Agent."""


def family_of(robot: str) -> RobotFamily | None:
    """Return the operator that a robot's name or User-Agent names; `None` if none is known.

    >>> family_of("Mozilla/5.0 (compatible; Googlebot/2.1)").dialect
    'google'
    >>> family_of("ExampleBot/1.0")

    """
    for token in TOKEN.findall(robot.casefold()):
        for family in KNOWN_ROBOTS:
            if any(token == one or token.startswith(f"{one}-") for one in family.robots):
                return family
    return None


def dialect_note(robot: str, dialect: str) -> str:
    """Return which dialect was used and which one the robot's operator uses.

    It is empty if they are the same, if the operator is not known, or if the user chose the
    dialect.
    """
    family = family_of(robot)
    context = click.get_current_context(silent=True)
    is_chosen = (
        context is not None
        and context.get_parameter_source("dialect") is not ParameterSource.DEFAULT
    )
    if family is None or family.dialect == dialect or is_chosen:
        return ""
    return (
        f"robots.txt is read as {dialect}, and {family.operator} reads it differently; "
        f"for its answer, add --dialect {family.dialect}"
    )

"""URLs that the sitemap lists and robots.txt disallows."""

from collections.abc import Iterator
from dataclasses import dataclass

from goodbot._core import Rules
from goodbot.bots import rules_for
from goodbot.lint.checked_file import CheckedFile, listed, plural
from goodbot.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE"]

SEARCHERS = ("Googlebot", "bingbot")
"""Known robots that read sitemaps, beside all those that no group names."""


@dataclass
class BlockedUrls:
    """The URLs that one line disallows."""

    example: str
    urls: set[str]
    robots: list[str]


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each line that disallows URLs of the sitemap."""
    if not file.sitemap_urls:
        return
    urls = list(dict.fromkeys(file.sitemap_urls))
    found: dict[int, BlockedUrls] = {}
    for robot, rules in readers(file):
        verdicts = rules.verdicts_many(urls)
        for url, allowed, line in zip(urls, verdicts["allowed"], verdicts["line"], strict=True):
            if allowed is False:
                blocked = found.setdefault(line or 0, BlockedUrls(url, set(), []))
                blocked.urls.add(url)
                if robot not in blocked.robots:
                    blocked.robots.append(robot)
    for line, blocked in sorted(found.items()):
        yield problem(line, blocked)


def readers(file: CheckedFile) -> Iterator[tuple[str, Rules]]:
    """Yield the robots that are asked about, with their rules."""
    yield "*", file.default.rules
    for name in SEARCHERS:
        rules = rules_for(file.robots, name).rules
        if rules is not None:
            yield name, rules


def problem(line: int, blocked: BlockedUrls) -> LintProblem:
    """Return the problem."""
    number = len(blocked.urls)
    who = "robots" if "*" in blocked.robots else listed(blocked.robots)
    message = (
        f"This disallows {number:,} {plural(number, 'URL', 'URLs')} of the sitemap for {who}, such "
        f"as {blocked.example[:200]}. Allow {plural(number, 'it', 'them')}, or remove "
        f"{plural(number, 'it', 'them')} from the sitemap."
    )
    return LintProblem(line, message, path=blocked.example, robots=tuple(blocked.robots))


RULE = LintRule(
    code="blocks-sitemap-urls",
    severity="error",
    finds="A rule disallows URLs that the sitemap lists.",
    why="The sitemap asks robots to fetch what the rule disallows: one of them is wrong.",
    example="User-agent: *\nDisallow: /news\n",
    instead="User-agent: *\nDisallow: /news/drafts/\n",
    sitemap=("https://example.com/newsletter",),
    source="sitemaps.org protocol; Google: build and submit a sitemap",
    check=check,
)

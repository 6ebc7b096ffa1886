"""URLs that the sitemap lists and robots.txt disallows."""

from collections.abc import Iterator
from dataclasses import dataclass

from goodbot.bots import ObeyedRules, rules_for
from goodbot.site.lint.checked_file import CheckedFile, listed, plural
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE

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
    for rules in readers(file):
        for url, allowed in zip(urls, rules.allows_many(urls), strict=True):
            if not allowed:
                rule = rules.verdict(url).rule
                line = 0 if rule is None else rule.line
                blocked = found.setdefault(line, BlockedUrls(url, set(), []))
                blocked.urls.add(url)
                if rules.name not in blocked.robots:
                    blocked.robots.append(rules.name)
    for line, blocked in sorted(found.items()):
        yield problem(line, blocked)


def readers(file: CheckedFile) -> Iterator[ObeyedRules]:
    """Yield what the robots obey that are asked about."""
    for name in (EVERYONE_ELSE, *SEARCHERS):
        yield rules_for(file.robots, name)


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

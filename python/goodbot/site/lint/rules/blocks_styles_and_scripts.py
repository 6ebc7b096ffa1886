"""A rule that keeps Google from the style sheets and scripts of pages."""

import re
from collections.abc import Iterator

from goodbot._core import rule_lines
from goodbot.bots import rules_for
from goodbot.site.lint.checked_file import CheckedFile, written
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.sample_paths import SITE, sample_path

__all__ = ["RULE"]

CODE = "blocks-styles-and-scripts"

ROBOT = "Googlebot"
"""The robot that is known to draw pages as browsers do."""

FILE = re.compile(r"\.(?:css|m?js)(?=[*$?]|$)", re.IGNORECASE)
"""A pattern that names style sheets or scripts by their suffix."""

FOLDER = re.compile(
    r"/(?:css|styles?|stylesheets?|js|javascripts?|scripts?|assets|static|dist|themes?|_next|"
    r"wp-includes|wp-content|wp-content/plugins)/?\*?$",
    re.IGNORECASE,
)
"""A pattern for a folder in which style sheets and scripts usually are."""

MOST_TRIED = 1_000
"""The most rules that are tried."""

MOST_COMPARED = 4_000_000
"""How often a path of one of them is compared with a rule, at most: each path with all rules."""

DISALLOW = "Disallow: "

NAMES = ("style.css", "script.js")


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each rule that names such files, with one that it blocks."""
    rules = rules_for(file.robots, ROBOT).rules
    if rules is None or not rules.allows(f"{SITE}/"):
        return  # where pages are disallowed, nobody draws them
    # The core makes an object of each rule, of which a file may have thousands.
    patterns = {
        said.removeprefix(DISALLOW) for said in rule_lines(rules)[1] if said.startswith(DISALLOW)
    }
    naming = set(filter(names_files, patterns))
    if not naming:
        return
    named = [rule for rule in rules if rule.field == "Disallow" and rule.pattern in naming]
    most = min(MOST_TRIED, MOST_COMPARED // max(len(rules), 1))
    for rule in named[:most]:
        for path in candidates(rule.pattern):
            verdict = rules.verdict(SITE + path)
            if verdict.rule == rule:
                message = (
                    f'"{written(rule)}" keeps {ROBOT} from style sheets or scripts such as '
                    f"{path}. Google draws pages as a browser does: allow what they load, for "
                    "example with a longer Allow."
                )
                yield LintProblem(rule.line, message, path=path, robots=(ROBOT,))
                break
    if len(named) > most:
        file.leave_undecided(CODE, [rule.line for rule in named[most:]])


def names_files(pattern: str) -> bool:
    """Return whether a pattern names style sheets or scripts, or a folder of them."""
    return bool(FILE.search(pattern) or FOLDER.search(pattern))


def candidates(pattern: str) -> Iterator[str]:
    """Yield paths of style sheets and scripts that a pattern may match."""
    if FILE.search(pattern):
        yield sample_path(pattern.replace("/*", "/a", 1))
    if FOLDER.search(pattern):
        for name in NAMES:
            if not pattern.endswith("$"):
                yield sample_path(pattern if pattern.endswith(("/", "*")) else f"{pattern}/", name)


RULE = LintRule(
    code=CODE,
    severity="warning",
    finds="A rule disallows style sheets or scripts for Googlebot.",
    why=(
        "Google draws a page before it indexes it. Without its style sheets and scripts it may see "
        "an empty page, or one that does not work on phones."
    ),
    example="User-agent: *\nDisallow: /assets/\n",
    instead="User-agent: *\nDisallow: /assets/\nAllow: /assets/*.css\nAllow: /assets/*.js\n",
    source="Google: understand JavaScript SEO basics; Google: introduction to robots.txt",
    check=check,
)

"""The way from a robots.txt to its findings.

Scope: which rules are asked in which order, and what comments ignore. The rules find.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from goodbot._core import Finding
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.garbage import no_collections
from goodbot.lazy_dataclass import dataclass
from goodbot.site.lint.checked_file import NOT_ROBOTS_TXT, CheckedFile
from goodbot.site.lint.ignore_comments import IgnoreComment, ignore_comments
from goodbot.site.lint.lint_rule import MOST_OF_A_RULE, LintProblem, LintRule, LintSeverity
from goodbot.site.lint.lint_settings import LintSettings
from goodbot.site.lint.registry import LINT_RULES
from goodbot.site.lint.rules import unused_ignore
from goodbot.site.lint.site_signals import SiteSignals

__all__ = ["LintFinding", "LintReport", "lint"]


@dataclass(frozen=True, slots=True, repr=False)
class LintFinding:
    """A finding of lint on a robots.txt."""

    code: str
    """The code of its rule, a key of `LINT_RULES`."""
    severity: LintSeverity
    """How much it matters."""
    line: int
    """The line, from 1; 0 if it is about the file as a whole."""
    column: int
    """The column in bytes, from 1; 0 if it is about the line as a whole."""
    message: str
    """What is wrong, then what to do."""
    path: str | None
    """A path on which it matters; `None` if there is no example."""
    others: tuple[int, ...]
    """Other lines that it is about."""
    robots: tuple[str, ...]
    """The robots that it concerns, `*` for all that no group names; empty if it is all of them."""

    __repr__ = short_repr

    @property
    def rule(self) -> LintRule:
        """The rule, with its explanation."""
        return LINT_RULES[self.code]

    def __str__(self) -> str:
        """Return it as a line of text."""
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.severity}: {self.message} [{self.code}]"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return values | {
            "line": self.line or None,
            "column": self.column or None,
            "others": list(self.others),
            "robots": list(self.robots),
        }


@dataclass(frozen=True, slots=True, repr=False)
class LintReport:
    """The findings of lint on one robots.txt. It is true if some of them fail."""

    findings: tuple[LintFinding, ...]
    """The findings, by line."""
    ignored: int
    """How many findings comments in the file ignore."""
    settings: LintSettings
    """The settings."""

    __repr__ = short_repr

    @property
    def failures(self) -> tuple[LintFinding, ...]:
        """The findings that fail, by the settings."""
        return tuple(one for one in self.findings if self.settings.fails(one.severity))

    def __bool__(self) -> bool:
        """Return whether findings fail."""
        return bool(self.failures)


def lint(
    content: bytes | str,
    *,
    sitemap_urls: Sequence[str] = (),
    answer: Sequence[Finding] = (),
    sitemap_problems: Sequence[str] = (),
    signals: SiteSignals | None = None,
    settings: LintSettings | None = None,
) -> LintReport:
    r"""Check a robots.txt for mistakes.

    Args:
        content: The file.
        sitemap_urls: The URLs that its sitemaps list, which it should not disallow.
        answer: What is odd about the answer that brought the file: `Policy.findings`.
        sitemap_problems: What is wrong with its sitemaps, a clause for each, such as
            `the sitemap a.xml, line 3: the XML is not well-formed; 2 URLs were read`.
        signals: What the site says about uses outside robots.txt, which should not contradict it.
        settings: Which rules are asked; by default all of them.

    Returns:
        The findings. What is said of paths is proven over all paths; where the bounds of a file
        (`MOST_STATES_A_FILE`) do not allow that, a finding `undecided` says so.

    Raises:
        WrongTypeError: `content`, `sitemap_urls` or `sitemap_problems` is something else.

    >>> report = lint("User-agent: *\nDisallow: /a/*.php\nAllow: /a/*.ph*")
    >>> [(one.code, one.line) for one in report.findings]
    [('never-decides', 2)]

    """
    chosen = LintSettings() if settings is None else settings
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    if not isinstance(content, bytes) or isinstance(sitemap_urls, (str, bytes)):
        message = "content is the robots.txt as bytes or str, and sitemap_urls a list of URLs"
        raise WrongTypeError(message)
    if isinstance(sitemap_problems, (str, bytes)):
        message = "sitemap_problems is a list of str; put the text into a list"
        raise WrongTypeError(message)
    file = CheckedFile(content, sitemap_urls, answer, sitemap_problems, signals)
    with no_collections():
        return report_on(file, chosen)


def report_on(file: CheckedFile, chosen: LintSettings) -> LintReport:
    """Return what the chosen rules find."""
    wanted = [rule for rule in chosen.rules() if file.is_robots_txt or rule.code in NOT_ROBOTS_TXT]
    found = [one for rule in wanted for one in findings_of(rule, file)]
    kept, unused = without_ignored(found, list(ignore_comments(file.robots)))
    ignored = len(found) - len(kept)
    if unused_ignore.RULE in wanted:
        file.unused_ignores = [pair for pair in unused if is_in_vain(pair[1], wanted)]
        kept += findings_of(unused_ignore.RULE, file)
    kept.sort(key=lambda one: (one.line, one.column, one.code))
    return LintReport(tuple(kept), ignored, chosen)


def is_in_vain(code: str, wanted: list[LintRule]) -> bool:
    """Whether an unused comment is worth a finding: its rule was asked, or does not exist."""
    return code not in LINT_RULES or any(rule.code == code for rule in wanted)


def findings_of(rule: LintRule, file: CheckedFile) -> list[LintFinding]:
    """Return the findings of one rule, at most `MOST_OF_A_RULE` and one that counts the others."""
    problems = rule.check(file)
    found = [finding(rule, one) for one in islice(problems, MOST_OF_A_RULE)]
    more = sum(one.count for one in problems)
    if more:
        message = f"{more:,} more findings {rule.code} are not listed."
        found.append(finding(rule, LintProblem(0, message)))
    return found


def finding(rule: LintRule, problem: LintProblem) -> LintFinding:
    """Return a problem as a finding."""
    return LintFinding(
        code=rule.code,
        severity=rule.severity,
        line=problem.line,
        column=problem.column,
        message=problem.message,
        path=problem.path,
        others=problem.others,
        robots=problem.robots,
    )


def without_ignored(
    found: list[LintFinding], comments: list[IgnoreComment]
) -> tuple[list[LintFinding], list[tuple[int, str]]]:
    """Return the findings that no comment ignores, and the comments' codes that ignore none.

    The code of a comment that names none is empty.
    """
    ignoring: dict[tuple[int, str], list[int]] = {}
    for comment in comments:
        for code in comment.codes:
            for line in {comment.applies_to, comment.line, 0}:
                ignoring.setdefault((line, code), []).append(comment.line)
    kept = [one for one in found if (one.line, one.code) not in ignoring]
    used = {(line, one.code) for one in found for line in ignoring.get((one.line, one.code), ())}
    named = [(comment.line, code) for comment in comments for code in comment.codes or ("",)]
    return kept, [pair for pair in named if pair not in used]

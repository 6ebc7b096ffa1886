"""Statements on uses that contradict each other: of robots.txt, and of the rest of the site."""

import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlsplit

from goodbot._core import Line
from goodbot.content_use.obeyed_file import obeyed_file
from goodbot.content_use.precedence import UseVerdict
from goodbot.content_use.purpose_tokens import has_purpose_groups
from goodbot.content_use.rsl_reader import read_license
from goodbot.content_use.site_statements import path_of_signals
from goodbot.content_use.sources import UseSources
from goodbot.content_use.statement import SPECIFICATIONS, USES, UseStatement
from goodbot.content_use.tdmrep import read_tdmrep
from goodbot.http.quoting import shortened
from goodbot.site.lint.checked_file import CheckedFile, Obeyed
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.lint.sample_paths import SITE, sample_path
from goodbot.site.lint.stated_twice import contradictory_lines

__all__ = ["RULE"]

STATING = (b"content-usage", b"content-signal", b"license")
"""The fields of robots.txt that state uses."""
MOST_PATHS = 50
"""The most paths on which statements are compared; each reads all of them."""
MOST_CLASSES = 20
"""The most classes of robots for which they are compared."""
MOST_LINES = 60_000
"""The most lines that are read for that, once for each class and path: a thousand comparisons of a
file that states uses in fewer than forty lines."""
LINES_AT_LEAST = 20
"""As how many lines a comparison counts, beside those that are read for it."""
LINE = re.compile(r"robots\.txt, lines? (\d+)")
OPPOSITE = {"allowed": "allows to", "licensed": "asks for a licence to", "reserved": "reserves to"}


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each pair of statements that say opposite things, of one specification or of two."""
    signals = file.signals
    content = file.content.lower()
    has_statements = has_purpose_groups(file.robots) or any(
        name in content and any((line.name or b"").lower() == name for line in file.lines)
        for name in STATING
    )
    if signals.page is None and not has_statements:
        return
    yield from contradictory_lines(file)
    read = {url: read_license(text) for url, text in signals.licenses.items()}
    page = None
    if signals.page is not None:
        from goodbot.content_use.page_reading import statements_of_page  # noqa: PLC0415  slow to load, and seldom needed

        page = statements_of_page(signals.page, None)
    seen, tdmrep = set(), read_tdmrep(signals.tdmrep)
    asked, left = list(addresses(file)), MOST_LINES
    for obeyed in islice(file.obeyed, MOST_CLASSES):
        found = obeyed_file(file.robots, obeyed.names[0], families=False)
        lines = LINES_AT_LEAST + (found.stated.total if found.stated is not None else 0)
        left -= lines
        for path, url in asked:
            left -= lines
            if left < 0:
                return
            of_page = page if signals.page is not None and url == signals.page.url else None
            sources = UseSources(url, obeyed.names[0], of_page, found, tdmrep, read)
            for verdict in sources.answer().verdicts.values():
                for other in contradicting(verdict):
                    said = verdict.said
                    if said is None or (pair := (said.use, str(said), str(other))) in seen:
                        continue
                    seen.add(pair)
                    yield problem(said, other, path, obeyed)


def addresses(file: CheckedFile) -> Iterator[tuple[str, str]]:
    """Yield the paths on which statements are compared, and the URLs that have them."""
    paths = {"/"}
    yield "/", f"{SITE}/"
    for line in file.lines:
        for path in paths_of(line):
            if path not in paths:
                paths.add(path)
                yield path, f"{SITE}{path}"
        if len(paths) == MOST_PATHS:
            break
    if file.signals.page is not None:
        parts = urlsplit(file.signals.page.url)
        yield parts.path or "/", file.signals.page.url


def paths_of(line: Line) -> Iterator[str]:
    """Yield a path that the pattern of a line matches, if it has one."""
    name, value = (line.name or b"").lower(), (line.value or b"").decode("utf-8", "replace")
    if name in {b"content-usage", b"content-signal"}:
        value = path_of_signals(value)[0]
    elif name not in {b"allow", b"disallow"}:
        return
    if value.startswith(("/", "*")):
        yield sample_path(value)


def contradicting(verdict: UseVerdict) -> Iterator[UseStatement]:
    """Yield statements of other specifications that say otherwise, as far as they were read.

    A reservation beside a licence is none of them: both say that nobody may without an agreement,
    and an agreement overrides a preference (draft-ietf-aipref-vocab-08 section 5.2).
    """
    said = verdict.said
    if said is None:
        return
    for one in verdict.conflicts:
        other = one.statement
        is_read = all(each.terms is None or each.terms.is_read for each in (said, other))
        is_of_another = said.specification != other.specification
        is_opposite = said.says != other.says and "allowed" in {said.says, other.says}
        if one.by_choice and is_of_another and is_read and is_opposite:
            yield other


def problem(said: UseStatement, other: UseStatement, path: str, obeyed: Obeyed) -> LintProblem:
    """Return the finding on two statements; it stands at the one of robots.txt that loses."""
    lines = [int(found[1]) for one in (other, said) if (found := LINE.match(one.place))]
    about = USES[said.use]
    message = (
        f"{in_words(other)} {OPPOSITE[other.says]} {about}, and {in_words(said)} "
        f"{OPPOSITE[said.says]} do so. No document orders the two, and the more restrictive one "
        "counts; state the same in both."
    )
    others = tuple(lines[1:])
    robots = () if obeyed.is_default else tuple(obeyed.names)
    return LintProblem(lines[0] if lines else 0, message, path=path, others=others, robots=robots)


def in_words(one: UseStatement) -> str:
    """Return a statement with its specification."""
    return f"'{shortened(one.text, 60)}' ({SPECIFICATIONS[one.specification][0]}; {one.place})"


RULE = LintRule(
    code="signals-contradict",
    severity="warning",
    finds="Two statements on one use contradict each other.",
    why=(
        "Each specification has its readers. A robot that reads only the one that allows will do "
        "what the other one reserves, and in court each side quotes its own. Within one "
        "specification, a robot that reads only the first or the last line may read the wrong one."
    ),
    example=(
        "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=yes, search=yes\n"
        "Disallow: /cart/\n"
    ),
    instead=(
        "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no, search=yes\n"
        "Disallow: /cart/\n"
    ),
    source="goodbot: choice (the more restrictive statement counts)",
    check=check,
)

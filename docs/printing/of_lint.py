"""The page on the rules of lint, from the rules themselves."""

from collections.abc import Iterator

from goodbot.site.lint import (
    LINT_RULES,
    MOST_OF_A_RULE,
    MOST_STATES_A_FILE,
    MOST_STATES_A_PROOF,
    SEVERITIES,
    LintRule,
    lint,
)
from printing.as_markdown import code, table

HEAD = f"""\
# Lint

For owners of sites: every mistake that `goodbot lint` finds in a robots.txt, why it matters, and what to write instead.

Looking for a code? [The table](#rules) links to it; `goodbot lint --explain CODE` prints the same in a terminal. Looking for a way to run it? See
[Lint robots.txt in your CI](../how-to/lint-in-ci.md).

What a rule says of paths is proven over all paths by `goodbot.site.reasoning`. All proofs about one file together consider at most {MOST_STATES_A_FILE:,} states (from 100 to 500 KB
this sinks to half), and one of them at most {MOST_STATES_A_PROOF:,}; so the same file has the same findings on every machine, and a file that is made to be hard takes about as long as an easy one. What is
not known within these bounds is the finding [`undecided`](#undecided). Of one rule, at most {MOST_OF_A_RULE:,} findings are listed.

The comment `# goodbot: ignore=CODE` ignores the findings with this code on its line; if it stands alone, those on the next line that is not a comment. It may
name several codes, separated by commas. A comment that ignores nothing is a finding.

```python
>>> from goodbot.site.lint import lint
>>> report = lint("User-agent: *\\nDisallow: /private/\\n\\nUser-agent: ExampleBot\\nDisallow: /tmp/\\n")
>>> [(one.code, one.line, one.path) for one in report.findings]
[('default-rules-dropped', 4, '/private/')]

```

## Severities
"""


def lint_page() -> Iterator[str]:
    """Yield every rule of lint."""
    yield from HEAD.splitlines()
    yield ""
    yield from table(["severity", "meaning"], [list(row) for row in SEVERITIES.items()])
    yield "## Rules"
    yield ""
    rows = [
        [f"[`{one.code}`](#{one.code})", one.severity, one.finds] for one in LINT_RULES.values()
    ]
    yield from table(["code", "severity", "what it finds"], rows)
    for one in LINT_RULES.values():
        yield from rule_section(one)


def rule_section(rule: LintRule) -> Iterator[str]:
    """Yield one rule with its example."""
    yield f"## {rule.code}"
    yield ""
    yield f"{rule.finds} ({rule.severity})".replace("<", "&lt;")
    yield ""
    yield rule.why.replace("<", "&lt;")
    yield ""
    yield from fenced(rule.shown(rule.example))
    if rule.sitemap:
        yield f"with a sitemap that lists {', '.join(map(code, rule.sitemap))}"
        yield ""
    for one in rule.answer:
        yield f"in an answer with the finding `{one.code}`"
        yield ""
    for problem in rule.sitemap_problems:
        yield f"where {problem}"
        yield ""
    report = lint(
        rule.example,
        sitemap_urls=rule.sitemap,
        sitemap_problems=rule.sitemap_problems,
        answer=rule.answer,
    )
    found = next(one for one in report.findings if one.code == rule.code)
    yield from fenced(str(found))
    yield "Write instead:"
    yield ""
    yield from fenced(rule.shown(rule.instead))
    yield f"Source: {rule.source}."
    yield ""


def fenced(text: str) -> Iterator[str]:
    """Yield a block of text that stays as it is."""
    yield "```text"
    yield from text.splitlines()
    yield "```"
    yield ""

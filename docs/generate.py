"""Print the pages of the documentation that are made from the package's own records.

Scope: how a record becomes Markdown. The records are in the package, and the examples of findings
in conformance/findings.

    python docs/generate.py            writes the pages
    python docs/generate.py --check    names those that are not current, and exits with 1
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from printing.as_markdown import code, table
from printing.entrances import with_entrance
from printing.of_audit_requests import audit_requests_page
from printing.of_audits import audits_page
from printing.of_bounds import bounds_page
from printing.of_commands import command_page, exit_statuses_page
from printing.of_crawl_options import settings_page
from printing.of_crawls import evidence_page, findings_of_crawls, traps_page
from printing.of_documents import document_page
from printing.of_gate import gate_page
from printing.of_inventory import inventory_page
from printing.of_json import json_page, schemas
from printing.of_knowledge import knowledge_page
from printing.of_known_robots import COMPILED, compiled, known_robots_page
from printing.of_lint import lint_page
from printing.of_logs import logs_page
from printing.of_policies import statuses_page
from printing.of_policy_tables import policy_table_page
from printing.of_reconsidering import reconsidering_page
from printing.of_seeds import seeds_page
from printing.of_served import served_page
from printing.of_service import OPENAPI, openapi, service_page
from printing.of_uses import uses_page
from printing.of_verdicts import verdicts_page
from printing.of_visits import pace_page, sites_page

import goodbot
from goodbot.site.lint import LINT_RULES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
HERE = ROOT / "docs" / "reference"
EXAMPLES = ROOT / "conformance" / "findings" / "findings.toml"

NOTICE = (
    "<!-- Printed by docs/generate.py from the package's records. Change those: `make docs`. -->"
)
AS_DEFAULT = "="
LONGEST_EXAMPLE = 400


def dialects_page() -> Iterator[str]:
    """Yield what every dialect chooses, what each choice means, and who says so."""
    every = goodbot.dialects()
    default = every[0]
    yield "# Dialects"
    yield ""
    yield (
        "For anyone who wants to know how a dialect reads robots.txt, and why. A dialect is a "
        "record of named choices. `goodbot.dialect(name)` returns one, and its method `replace` "
        "returns a copy with some choices changed."
    )
    yield ""
    yield from table(
        ["dialect", "what it is"],
        [[f"[`{one.name}`](#{one.name})", one.title] for one in every],
    )
    yield from choices_of(every, default)
    yield from fields_of(every)
    yield "## What the choices mean"
    yield ""
    for choice in goodbot.choices():
        yield from choice_section(choice, every)
    yield "## Who says so"
    yield ""
    for one in every:
        yield from sources_section(one)


def choices_of(every: Sequence[goodbot.Dialect], default: goodbot.Dialect) -> Iterator[str]:
    """Yield the table of choices by dialects."""
    yield "## What each chooses"
    yield ""
    yield f"`{AS_DEFAULT}` is what `{default.name}`, the default, chooses."
    yield ""
    rows = []
    for name, _, _ in goodbot.choices():
        if name == "fields":
            continue
        chosen = [code(default.choices[name])]
        for one in every[1:]:
            same = one.choices[name] == default.choices[name]
            chosen.append(AS_DEFAULT if same else code(one.choices[name]))
        rows.append([f"[`{name}`](#{name})", *chosen])
    yield from table(["choice", *(f"`{one.name}`" for one in every)], rows)


def fields_of(every: Sequence[goodbot.Dialect]) -> Iterator[str]:
    """Yield the table of fields by dialects."""
    yield "## Which fields each reads"
    yield ""
    yield "This is the choice `fields`. [Fields](fields.md) says what each field is for."
    yield ""
    rows = []
    for name, _, _, _ in goodbot.fields():
        read = [name.lower() in one.choices["fields"].split() for one in every]
        rows.append([f"`{name}`", *("read" if flag else "—" for flag in read)])
    yield from table(["field", *(f"`{one.name}`" for one in every)], rows)


def choice_section(
    choice: tuple[str, str, list[tuple[str, str]]], every: Sequence[goodbot.Dialect]
) -> Iterator[str]:
    """Yield one choice: its question, its values, and who chooses each."""
    name, question, values = choice
    yield f"### {name}"
    yield ""
    yield question
    yield ""
    slugs = {value for value, _ in values if is_slug(value)}
    rows = []
    for value, meaning in values:
        # A value that is only described is chosen by every dialect that chooses none of the slugs.
        chosen = {one.name: one.choices[name] for one in every}
        choosers = [
            chooser
            for chooser, choice_made in chosen.items()
            if choice_made == value or (not is_slug(value) and choice_made not in {*slugs, ""})
        ]
        rows.append([code(value) if is_slug(value) else value, meaning, said(choosers)])
    yield from table(["value", "meaning", "chosen by"], rows)


def is_slug(value: str) -> bool:
    """Report whether a value is one that can be passed, rather than the description of one."""
    return " " not in value


def said(names: Sequence[str]) -> str:
    """Return names of dialects as a list."""
    return ", ".join(f"`{name}`" for name in names) or "—"


def sources_section(one: goodbot.Dialect) -> Iterator[str]:
    """Yield the documents of one dialect."""
    yield f"### {one.name}"
    yield ""
    yield f"{one.title}."
    yield ""
    yield from table(["what", "where"], one.sources)


def findings_page() -> Iterator[str]:
    """Yield every code of a finding; lint explains most of them, and the others have an example."""
    codes = goodbot.finding_codes()
    examples = finding_examples()
    yield "# Findings"
    yield ""
    yield (
        "For site owners and programs that check robots.txt: what can be odd about a file. "
        "No content raises an exception: each oddity is a finding, in `RobotsTxt.findings` or, if "
        "it concerns the name of a robot, in `Rules.findings`. The codes are stable. "
        "[Lint](lint.md) explains most of them, each with an example."
    )
    yield ""
    yield from table(
        ["severity", "meaning"],
        [
            ["info", "Good to know."],
            ["warning", "Probably not what the author meant."],
            ["error", "The text has no effect, or not the one that it states."],
        ],
    )
    yield from table(
        ["code", "severity", "meaning"],
        [
            [f"[`{slug}`]({'lint.md' if slug in LINT_RULES else ''}#{slug})", severity, meaning]
            for slug, severity, meaning in codes
        ],
    )
    for slug, severity, meaning in codes:
        if slug in LINT_RULES:
            continue
        yield f"## {slug}"
        yield ""
        yield f"{meaning} ({severity})"
        yield ""
        if slug in examples:
            yield from example_section(slug, examples[slug])
    yield from findings_of_crawls()


def finding_examples() -> dict[str, dict[str, Any]]:
    """Return the first short case of conformance/findings for each code."""
    chosen: dict[str, dict[str, Any]] = {}
    for case in tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["case"]:
        if "robots_txt" in case or "robots_txt_hex" in case:
            content = bytes_of(case)
            if len(content) <= LONGEST_EXAMPLE:
                for finding in goodbot.RobotsTxt(content, dialect=case["dialect"]).findings:
                    if [finding.code, finding.line] in case["findings"]:
                        chosen.setdefault(finding.code, case)
    return chosen


def bytes_of(case: dict[str, Any]) -> bytes:
    """Return the file of a case."""
    if "robots_txt_hex" in case:
        return bytes.fromhex(case["robots_txt_hex"])
    text: str = case["robots_txt"]
    return text.encode()


def example_section(slug: str, case: dict[str, Any]) -> Iterator[str]:
    """Yield a file that has a finding, and the finding."""
    content = bytes_of(case)
    robots = goodbot.RobotsTxt(content, dialect=case["dialect"])
    found = next(finding for finding in robots.findings if finding.code == slug)
    why = case["why"][0].upper() + case["why"][1:]
    yield f"{why}. Source: {case['authority']}.".replace("<", "&lt;")
    yield ""
    yield f"In `{case['dialect']}`, this file"
    yield ""
    yield "```text"
    yield from (printable(line.raw) for line in robots.lines)
    yield "```"
    yield ""
    yield "has the finding"
    yield ""
    yield "```text"
    yield str(found)
    yield "```"
    yield ""


def printable(line: bytes) -> str:
    """Return a line of a file with characters that cannot be printed as escapes of Python."""
    text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
    shown = (character if character.isprintable() else ascii(character)[1:-1] for character in text)
    return "".join(shown)


def reasons_page() -> Iterator[str]:
    """Yield the reasons of verdicts, and the ways in which groups are chosen."""
    yield "# Reasons"
    yield ""
    yield (
        "For programs and people that read verdicts: every `Verdict` has a `reason`, and every "
        "`Selection` a `how`. The slugs are stable."
    )
    yield ""
    yield "## Reasons of verdicts"
    yield ""
    rows = [[code(slug), meaning] for slug, meaning in goodbot.reasons()]
    yield from table(["reason", "meaning"], rows)
    yield "## Ways in which groups are chosen"
    yield ""
    rows = [[code(slug), meaning] for slug, meaning in goodbot.selection_ways()]
    yield from table(["how", "meaning"], rows)


def fields_page() -> Iterator[str]:
    """Yield every field, and the vocabularies of Content-Usage."""
    yield "# Fields"
    yield ""
    yield (
        "For anyone who reads or writes robots.txt: the fields that goodbot knows. "
        "[Dialects](dialects.md#which-fields-each-reads) lists which dialect reads which."
    )
    yield ""
    rows = [
        [code(name), scope, meaning, source] for name, scope, meaning, source in goodbot.fields()
    ]
    yield from table(["field", "applies to", "meaning", "source"], rows)
    yield (
        "Which robots of a group a field is for: "
        "[whose field is it?](../explanation/departures.md#whose-field-is-it)"
    )
    yield ""
    yield "## Vocabularies of Content-Usage"
    yield ""
    yield (
        "The labels that `Rules.usage(url, vocabulary=...)` knows, by revision of "
        "draft-ietf-aipref-vocab, the newest first."
    )
    yield ""
    rows = [
        [code(name), ", ".join(code(label) for label in labels)]
        for name, labels in goodbot.vocabularies()
    ]
    yield from table(["vocabulary", "labels"], rows)


PAGES = {
    "pages.md": document_page,
    "dialects.md": dialects_page,
    "findings.md": findings_page,
    "verdicts.md": verdicts_page,
    "reasons.md": reasons_page,
    "fields.md": fields_page,
    "statuses.md": statuses_page,
    "pace.md": pace_page,
    "sites.md": sites_page,
    "evidence.md": evidence_page,
    "seeds.md": seeds_page,
    "traps.md": traps_page,
    "inventory.md": inventory_page,
    "reconsidering.md": reconsidering_page,
    "crawl-settings.md": settings_page,
    "command.md": command_page,
    "exit-statuses.md": exit_statuses_page,
    "json.md": json_page,
    "bounds.md": bounds_page,
    "known-robots.md": known_robots_page,
    "knowledge.md": knowledge_page,
    "gate.md": gate_page,
    "lint.md": lint_page,
    "audits.md": audits_page,
    "log-formats.md": logs_page,
    "uses.md": uses_page,
    "policy-table.md": policy_table_page,
    "audit-requests.md": audit_requests_page,
    "declared-and-served.md": served_page,
    "service.md": service_page,
}


def printed(name: str) -> str:
    """Return the text of a page."""
    lines = with_entrance(name, list(PAGES[name]()))
    return "\n".join([NOTICE, "", *lines]).rstrip("\n") + "\n"


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page, and the table of known robots, with the text that it should have."""
    yield COMPILED, compiled()
    yield OPENAPI, openapi()
    for name in PAGES:
        yield HERE / name, printed(name)
    for name, text in schemas():
        yield HERE / "schemas" / name, text


def is_current(path: Path, text: str) -> bool:
    """Report whether the page on disk is the page that would be printed."""
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them, and return the exit status."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    if not arguments:
        for path, text in pages():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        return 0
    stale = [path for path, text in pages() if not is_current(path, text)]
    for path in stale:
        is_page = path not in {COMPILED, OPENAPI}
        place, base = ("docs/reference/", HERE) if is_page else ("", ROOT)
        name = f"{place}{path.relative_to(base).as_posix()}"
        print(f"{name} is not current; print it again with `make docs`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

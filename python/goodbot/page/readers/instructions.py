"""The robots processing instruction and META together: which one decides, and findings on both.

Source: A Robots Processing Instruction for XML Documents, 1999, XML-Conformant HTML.
"""

from collections.abc import Iterable

from goodbot._core import HtmlFacts
from goodbot.page.combine import verdicts_of
from goodbot.page.directives import DIRECTIVES
from goodbot.page.finding_codes import Findings
from goodbot.page.pi import Instructions, read_robots_pi
from goodbot.page.readers.arguments import Given
from goodbot.page.statements import statements_of_metas
from goodbot.page.verdict import Source, Statement

SPEAKS_OF = ("index", "follow")
"""The acts that the instruction allows or forbids, in its order."""


def combine_statements(
    facts: HtmlFacts, metas: list[Statement], given: Given, findings: Findings
) -> tuple[list[Statement], bool]:
    """Combine the statements of the instruction and of META in an XML document.

    On index and follow the instruction overrides META ROBOTS. It cannot name a robot, so anything
    that a META element for this robot forbids stays forbidden.

    Returns:
        The statements that hold, and whether there is a legal instruction.

    """
    stated = read_instruction(facts, given, findings)
    if not stated:
        return metas, False
    said = tuple(not DIRECTIVES[statement.directive].forbids for statement in stated)
    if contradicts(said, metas, given):
        message = "the robots PI and META disagree, and in XML the PI holds; make them say the same"
        findings.add("pi-contradicts-meta", message, stated[0].source.line)
    others = [
        statement for statement in metas if not is_about_links(statement) or narrows(statement)
    ]
    narrowed = {
        act
        for statement in others
        if narrows(statement)
        for act in DIRECTIVES[statement.directive].forbids
    }
    kept = [said for said, act in zip(stated, SPEAKS_OF, strict=True) if act not in narrowed]
    return [*kept, *others], True


def read_instruction(facts: HtmlFacts, given: Given, findings: Findings) -> list[Statement]:
    """Return the statements of the first legal instruction in an XML document."""
    instructions = Instructions(given.url, findings, given.lenient)
    stated: list[Statement] = []
    for data, line, is_late, is_in_entity in facts.instructions:
        if not instructions.add(data, line):
            continue
        if is_late:
            message = "the robots PI comes after text or a link; move it before the root element"
            findings.add("late-robots-pi", message, line)
        if is_in_entity:
            message = (
                "the robots PI is in an entity, where robots may miss it; move it out of there"
            )
            findings.add("robots-pi-in-entity", message, line)
        source = Source("pi", "robots PI", line, data)
        stated = [
            Statement(act if may else f"no{act}", None, source)
            for act, may in zip(SPEAKS_OF, instructions.stated or (), strict=True)
        ]
    return stated


def report_in_html(
    facts: HtmlFacts, metas: list[Statement], given: Given, findings: Findings
) -> None:
    """Report instructions in HTML, where they have no effect and META decides."""
    if not facts.instructions:
        return
    read = [(line, read_robots_pi(data)) for data, line, *_ in facts.instructions]
    if not any(is_general(statement) for statement in metas):
        message = "the robots PI has no effect in HTML; write META robots instead"
        findings.add("pi-in-html", message, read[0][0])
        return
    line, said = next(((line, said) for line, said in read if said is not None), (0, None))
    if said is not None and contradicts(said, metas, given):
        message = "the robots PI and META disagree, and in HTML META holds; make them say the same"
        findings.add("pi-contradicts-meta", message, line)


def contradicts(said: Iterable[bool], metas: list[Statement], given: Given) -> bool:
    """Return whether META ROBOTS and an instruction disagree about index or follow.

    META ROBOTS that speaks of neither, such as `noarchive`, allows both.
    """
    general = [statement for statement in metas if statement.source.name.lower() == "robots"]
    whole = verdicts_of(general, "", "", given.dialect)
    return bool(general) and [whole["index"].allowed, whole["follow"].allowed] != list(said)


def forbidden_behind(
    facts: HtmlFacts, given: Given, findings: Findings, *, is_decided: bool
) -> list[Statement]:
    """Return the statements that forbid something after the point where XML is not well-formed.

    Args:
        facts: The facts of the rest, read as HTML.
        given: The arguments of the page.
        findings: The list to which findings on META elements are added.
        is_decided: Whether a legal instruction comes before; then no other one counts.

    """
    metas = [(*meta[:3], True, meta[4]) for meta in facts.metas]
    said = statements_of_metas(metas, given.robot, given.dialect, findings)
    if not is_decided:
        said += read_instruction(facts, given, Findings())
    return [statement for statement in said if DIRECTIVES[statement.directive].forbids]


def is_about_links(statement: Statement) -> bool:
    """Return whether a statement is about an act of the instruction."""
    return is_about(statement.directive)


def is_about(directive: str) -> bool:
    """Return whether a directive is about an act of the instruction.

    >>> is_about("none"), is_about("noarchive"), is_about("unheard-of")
    (True, False, False)
    """
    row = DIRECTIVES.get(directive)
    return row is not None and bool({*row.forbids, *row.allows} & set(SPEAKS_OF))


def is_general(statement: Statement) -> bool:
    """Return whether a statement of META ROBOTS is about an act of the instruction."""
    return statement.source.name.lower() == "robots" and is_about_links(statement)


def narrows(statement: Statement) -> bool:
    """Return whether it forbids one of these acts in a META element for a named robot."""
    is_named = statement.source.name.lower() != "robots"
    return is_named and bool(set(DIRECTIVES[statement.directive].forbids) & set(SPEAKS_OF))

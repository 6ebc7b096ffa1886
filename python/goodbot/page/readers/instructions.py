"""The robots processing instruction beside META: which of them decides, and what is odd about both.

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

__all__ = ["forbidden_behind", "heeded_in_xml", "report_in_html"]

SPEAKS_OF = ("index", "follow")
"""The acts that the instruction speaks of, in its order."""


def heeded_in_xml(
    facts: HtmlFacts, metas: list[Statement], given: Given, findings: Findings
) -> tuple[list[Statement], bool]:
    """Join what the instruction and META say of a document of XML.

    The instruction decides on index and follow against META ROBOTS. It cannot name a robot: what a
    META forbids that names ours stays forbidden.

    Returns:
        The statements that hold, and whether there is a legal instruction.

    """
    stated = stated_by(facts, given, findings)
    if not stated:
        return metas, False
    said = tuple(not DIRECTIVES[one.directive].forbids for one in stated)
    if contradicts(said, metas, given):
        message = "the robots PI and META disagree; the PI is obeyed in XML"
        findings.add("pi-contradicts-meta", message, stated[0].source.line)
    others = [one for one in metas if not speaks_of_links(one) or narrows(one)]
    narrowed = {act for one in others if narrows(one) for act in DIRECTIVES[one.directive].forbids}
    kept = [one for one, act in zip(stated, SPEAKS_OF, strict=True) if act not in narrowed]
    return [*kept, *others], True


def stated_by(facts: HtmlFacts, given: Given, findings: Findings) -> list[Statement]:
    """Return what the first legal instruction of a document of XML states."""
    instructions = Instructions(given.url, findings, given.lenient)
    stated: list[Statement] = []
    for data, line, is_late in facts.instructions:
        if not instructions.add(data, line):
            continue
        if is_late:
            message = "the robots PI should stand before any text and any link"
            findings.add("late-robots-pi", message, line)
        source = Source("pi", "robots PI", line, data)
        stated = [
            Statement(act if may else f"no{act}", None, source)
            for act, may in zip(SPEAKS_OF, instructions.stated or (), strict=True)
        ]
    return stated


def report_in_html(
    facts: HtmlFacts, metas: list[Statement], given: Given, findings: Findings
) -> None:
    """Report instructions in HTML, where META decides and they have no effect."""
    read = [(line, read_robots_pi(data)) for data, line, _ in facts.instructions]
    if not read:
        return
    if not any(is_general(one) for one in metas):
        message = "the robots PI has no effect in HTML; write META robots instead"
        findings.add("pi-in-html", message, read[0][0])
        return
    line, said = next(((line, said) for line, said in read if said is not None), (0, None))
    if said is not None and contradicts(said, metas, given):
        message = "the robots PI and META disagree; META is obeyed in HTML"
        findings.add("pi-contradicts-meta", message, line)


def contradicts(said: Iterable[bool], metas: list[Statement], given: Given) -> bool:
    """Whether META ROBOTS says something else of index and follow than an instruction."""
    general = [one for one in metas if is_general(one)]
    whole = verdicts_of(general, "", "", given.dialect)
    return bool(general) and [whole["index"].allowed, whole["follow"].allowed] != list(said)


def forbidden_behind(
    facts: HtmlFacts, given: Given, findings: Findings, *, is_decided: bool
) -> list[Statement]:
    """Look for what forbids something behind where XML breaks off.

    Args:
        facts: What stands behind, as HTML is read.
        given: What the page is made with.
        findings: Where it is reported what is odd about META elements.
        is_decided: Whether a legal instruction stands before: then no other counts.

    """
    metas = [(*meta[:3], True, meta[4]) for meta in facts.metas]
    said = statements_of_metas(metas, given.robot, given.dialect, findings)
    if not is_decided:
        said += stated_by(facts, given, Findings())
    return [one for one in said if DIRECTIVES[one.directive].forbids]


def speaks_of_links(statement: Statement) -> bool:
    """Whether a statement is about what the instruction speaks of."""
    row = DIRECTIVES[statement.directive]
    return bool({*row.forbids, *row.allows} & set(SPEAKS_OF))


def is_general(statement: Statement) -> bool:
    """Whether a statement is one of META ROBOTS on what the instruction speaks of."""
    return statement.source.name.lower() == "robots" and speaks_of_links(statement)


def narrows(statement: Statement) -> bool:
    """Whether it forbids what the instruction speaks of, in a META that is not the general one."""
    is_named = statement.source.name.lower() != "robots"
    return is_named and bool(set(DIRECTIVES[statement.directive].forbids) & set(SPEAKS_OF))

"""`goodbot rules`: the rules of a robots.txt for one robot, with their meaning."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import choices, options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import LISTED, numbered, print_findings
from goodbot.cli.shared.input_files import is_url
from goodbot.cli.shared.meaning import pace_lines
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.verdict_output import robot_lines, robot_object
from goodbot.content_use.purpose_tokens import purpose_findings, purpose_rules
from goodbot.content_use.site_statements import speaks_of_uses
from goodbot.content_use.statement import SPECIFICATIONS
from goodbot.files.file_input import read_input
from goodbot.pace.plain_requests import plain_requests
from goodbot.site.reasoning import explain_rules

if TYPE_CHECKING:
    from goodbot.content_use.precedence import UseVerdict
    from goodbot.content_use.statement import Use

__all__ = ["rules"]

HOME = "https://example.com/"
"""A URL with the path / of any site."""


@click.command(no_args_is_help=True)
@click.argument("file", metavar="FILE|URL")
@options.robot
@options.robot_dialect(several=False)
@click.option("--findings", "every_finding", is_flag=True, help="List every finding.")
@click.option(
    "--strict",
    is_flag=True,
    help="Fail instead of warning if the file is clearly not a robots.txt.",
)
@options.site_options
@options.as_json("one object")
def rules(
    file: str,
    robot: str,
    dialect: str | None,
    *,
    every_finding: bool,
    strict: bool,
    as_json: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Show the rules of a robots.txt for one robot, and what they mean.

    \b
    Examples:
      goodbot rules robots.txt --robot ExampleBot
      goodbot rules https://example.com/ --robot ExampleBot
      curl -sSfL https://example.com/robots.txt | goodbot rules - --robot ExampleBot

    FILE is the robots.txt file, or - for standard input. For a URL, robots.txt is fetched from its
    site; 'goodbot policy' shows how that went. The output has the groups that apply and why, the
    rules, the pace, comments, sitemaps, statements on the use of content, and findings. Groups for
    purposes state uses, too; what is said of each use of / is what 'goodbot page uses' reads.

    Exit status: 0 they are printed, 2 there is no result, also if the site is unreachable.
    """  # noqa: D301  click looks for the character that \b is
    chosen = options.dialect_for(robot, dialect)
    site_options = options.SiteOptions(**site)
    if is_url(file):
        robots = robots_of_site(file, robot, chosen, site_options, strict=strict)
    else:
        options.refuse_site_options(site_options, "this command reads a file")
        robots = goodbot.RobotsTxt(read_input(file), dialect=chosen)
        warnings.of_file(robots, file, strict=strict)
        warnings.of_dialect(robot, chosen)
    sheet = RulesListing(robots, robot, Printer(sys.stdout))
    if as_json:
        sheet.printer.line(json.dumps(sheet.as_object()))
    else:
        sheet.print(LISTED if not every_finding else None)
    return ExitStatus.ALLOWED


def robots_of_site(
    url: str, robot: str, dialect: str, site_options: options.SiteOptions, *, strict: bool
) -> goodbot.RobotsTxt:
    """Fetch the robots.txt of a site; a site that allows everything has an empty one.

    Raises:
        MisuseError: There is none, and nothing is allowed; or with `strict`, the response is
            clearly not a robots.txt.

    """
    from goodbot.cli.shared.live_check import check_policy  # noqa: PLC0415  slow to load, as is what fetches
    from goodbot.cli.shared.live_sites import CURES, LiveSites, address_in  # noqa: PLC0415  as above

    address = address_in(os.fsencode(url), "rules")
    with LiveSites(robot, site_options, dialect) as sites:
        policy = sites.policy(address)
    said = policy.verdict(f"{policy.origin}/", robot).said
    if policy.access not in {"rules", "allow-all"}:
        cure = CURES.get(policy.outcome, "try again later")
        message = f"{policy.origin} has no rules to show, because {said}; {cure}"
        raise goodbot.MisuseError(message)
    check_policy(policy, strict=strict)
    if policy.robots_txt is None:
        warnings.note(f"{said}, so everything is allowed")
    return policy.robots_txt or goodbot.RobotsTxt(b"", dialect=dialect)


class RulesListing:
    """The rules of a file for one robot."""

    def __init__(self, robots: goodbot.RobotsTxt, robot: str, printer: Printer) -> None:
        """Select the rules and the groups."""
        self.robots = robots
        self.family = options.obeyed_rules(robots, robot)
        # A robot that obeys no group has the rules of an empty file.
        self.rules = self.family.rules or goodbot.RobotsTxt(b"", dialect=robots.dialect).rules_for(
            self.family.tried[0]
        )
        self.printer = printer
        # Conner's version 1 records are read in another dialect.
        own = self.rules.read_as == self.rules.dialect
        self.choices = (robots.dialect if own else goodbot.dialect(self.rules.read_as)).choices
        self.meanings = explain_rules(robots, self.rules)

    def findings(self) -> list[goodbot.Finding]:
        """Return the findings on the robot's name, on the file, and on its groups for purposes."""
        purposes = purpose_findings(self.robots)
        return [*self.rules.findings, *self.robots.findings, *purposes]

    def as_object(self) -> dict[str, object]:
        """Return it as plain values."""
        selection = self.rules.selection
        return {
            "robot": self.family.name,
            **robot_object(self.family),
            "dialect": self.rules.dialect,
            "selection": {
                "how": selection.how,
                "name": selection.name,
                "groups": [group.as_dict() for group in selection.groups],
                "sentence": self.selected(),
            },
            "rules": [rule.as_dict() | {"meaning": told} for rule, told in self.meanings],
            **plain_requests(self.rules),
            "please_visit": self.rules.please_visit,
            "sitemaps": self.rules.sitemaps,
            "usage": self.rules.usage("/").as_dict(),
            "purposes": list(self.purposes()),
            "uses": {use: verdict.as_dict() for use, verdict in self.uses.items()},
            "findings": [finding.as_dict() for finding in self.findings()],
        }

    def print(self, listed: int | None) -> None:
        """Print it, with at most so many findings."""
        dialect = self.robots.dialect
        self.printer.line(Styled(self.selected(), "heading"))
        for group in self.rules.selection.groups:
            at = numbered("line", group.lines)
            names = ", ".join(group.agents)
            self.printer.prose(f"group for {names} ({at})" if at else f"group for {names}", "  ")
        self.printer.prose(f"read as {dialect.name}: {dialect.title}", "  ")
        for line in [*robot_lines(self.family), *self.family.remarks]:
            self.printer.prose(line, "  ")
        self.print_rules()
        self.section("Pace", pace_lines(self.rules))
        self.section("Comments", self.rules.comments)
        self.section("URLs to visit", self.rules.please_visit)
        self.section("Sitemaps", self.rules.sitemaps)
        self.section("Use of the content", self.use())
        print_findings(self.findings(), listed, self.printer)

    def selected(self) -> str:
        """Return which groups the robot obeys, and why."""
        if self.family.rules is not None:
            return str(self.rules.selection)
        name = self.family.grounds.shown_name
        return f"{name} obeys no group: none names it, and it ignores the group for *."

    def section(self, title: str, lines: Iterable[str]) -> None:
        """Print a heading and its lines, or nothing if there are none."""
        for number, line in enumerate(lines):
            if number == 0:
                self.heading(title)
            self.printer.prose(line, "  ")

    def heading(self, title: str) -> None:
        """Print a blank line and a heading."""
        self.printer.line()
        self.printer.line(Styled(title, "heading"))

    def print_rules(self) -> None:
        """Print the rules with their line numbers, and what applies when none matches."""
        self.heading("Rules")
        told = self.meanings
        width = max((len(str(rule.line)) for rule, _told in told), default=1)
        for rule, meaning in told:
            text = cut_line(f"{rule.field}: {rule.pattern}".rstrip())
            self.printer.line(Styled(f"  line {rule.line:{width}}  ", "faint"), text)
            self.printer.prose(cut_line(meaning), " " * (width + 11))
        for line in self.otherwise([meaning for _rule, meaning in told]):
            self.printer.prose(line, "  ")

    def otherwise(self, meanings: list[str]) -> Iterator[str]:
        """Yield what happens when no rule matches, and which of several matching rules decides."""
        allowed, reason = self.rules.otherwise
        if reason in {"too-large", "too-many-rules"}:
            why = dict(goodbot.reasons())[reason]
            yield f"Even so, everything is {'allowed' if allowed else 'disallowed'}: {why}"
        elif not meanings:
            yield "There are no rules: everything is allowed."
        else:
            if not any(meaning.endswith(": everything") for meaning in meanings):
                yield f"Everything else is {'allowed' if allowed else 'disallowed'}."
            if len(meanings) > 1:
                precedence = choices.meaning("precedence", self.choices["precedence"])
                winner = f"{precedence[0].lower()}{precedence[1:]}"
                yield f"Of several matching rules, the winner is {winner}"

    @cached_property
    def uses(self) -> Mapping["Use", "UseVerdict"]:
        """What robots.txt says of each use of /, as `goodbot page uses` does; empty if nothing.

        A statement on a use holds, whatever the dialect in which the robot reads rules.
        """
        if not speaks_of_uses(self.robots):
            return {}
        file = goodbot.RobotsTxt(self.robots.content)
        return goodbot.uses(HOME, robots_txt=file, robot=self.family.name).verdicts

    def purposes(self) -> Iterator[dict[str, object]]:
        """Yield the rules of the groups for purposes, which are about every robot's use."""
        for word, rules in purpose_rules(self.robots):
            for rule in rules:
                yield rule.as_dict() | {"purpose": word.word, "use": word.use}

    def use(self) -> list[str]:
        """Return what the site states on the use of its content."""
        usage = self.rules.usage("/")
        fields = self.robots.fields_for(self.rules.robot)
        written = [(value, line) for name, value, line in fields if name == "Content-Usage"]
        lines = [f"line {line}: Content-Usage: {value}" for value, line in written]
        if lines and usage.content_usage is None:
            lines.append("/ must not be fetched, so no statement applies to it")
        elif lines and usage.content_usage is not None:
            stated = (f"{label} {answer}" for label, answer in usage.content_usage.items())
            lines.append(f"for /: {', '.join(stated)}")
        signals = usage.content_signal.items()
        lines += [f"Content-Signal: {name} {answer}" for name, answer in signals]
        lines += [f"licence: {licence}" for licence in usage.licenses]
        for rule in self.purposes():
            said = f"{rule['field']}: {rule['pattern']}".rstrip()
            lines.append(f"line {rule['line']}: {said} (for {rule['purpose']})")
        for use, verdict in self.uses.items():
            if verdict.said is not None:
                whose = SPECIFICATIONS[verdict.said.specification][0]
                lines.append(f"for /: {use} {verdict.status}, by {whose} ({verdict.said.place})")
        return lines

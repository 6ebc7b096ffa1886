"""`goodbot check --dialect all`: the verdict of each dialect, and where they disagree."""

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import choices, options
from goodbot.cli.shared.printing import Printer, Styled, escaped, printable
from goodbot.http.amounts import counted

__all__ = ["Comparison"]

EXPLAINED = 10
"""How many disagreements are explained: each needs the file to be parsed several times."""


class Agreement:
    """The dialects that agree on one URL."""

    def __init__(self, verdict: goodbot.Verdict) -> None:
        """Begin with the first dialect's verdict."""
        self.allowed: bool = verdict.allowed
        self.line: int | None = verdict.rule.line if verdict.rule is not None else None
        self.dialects: list[str] = []

    @property
    def style(self) -> str:
        """The style of the answer."""
        return "allowed" if self.allowed else "disallowed"

    def __str__(self) -> str:
        """Return the verdict in a few words."""
        return self.style if self.line is None else f"{self.style}, line {self.line}"


class Comparison:
    """The verdicts of every dialect on every URL."""

    def __init__(self, files: list[goodbot.RobotsTxt], robot: str, urls: list[bytes]) -> None:
        """Check each URL in each dialect.

        Args:
            files: One file, parsed in each dialect.
            robot: The robot.
            urls: The URLs.

        """
        self.files = {file.dialect.name: file for file in files}
        self.robot = robot
        self.rules = [options.obeyed_rules(file, robot) for file in files]
        self.rows = [(url, self.answers(url)) for url in urls]

    @property
    def all_allowed(self) -> bool:
        """Return whether every dialect allows every URL."""
        return all(answer.allowed for _url, answers in self.rows for answer in answers)

    def answers(self, url: bytes) -> list[Agreement]:
        """Group the dialects by their verdict, in their order."""
        found: dict[tuple[bool, int | None], Agreement] = {}
        for rules in self.rules:
            verdict = rules.verdict(url)
            answer = Agreement(verdict)
            answer = found.setdefault((answer.allowed, answer.line), answer)
            answer.dialects.append(rules.dialect)
        return list(found.values())

    def print(self, printer: Printer) -> None:
        """Print the table, and the disagreements below it."""
        self.print_table(printer)
        split = [row for row in self.rows if len({answer.allowed for answer in row[1]}) > 1]
        if not split:
            printer.line("All dialects agree on every URL.")
            return
        printer.line(
            f"The dialects disagree on {len(split):,} of {counted(len(self.rows), 'URL')}:"
        )
        for url, answers in split[:EXPLAINED]:
            printer.line()
            printer.line(printable(url))
            self.print_disagreement(url, answers, printer)
        if len(split) > EXPLAINED:
            printer.line()
            printer.line(f"and {len(split) - EXPLAINED:,} more; the table shows them.")

    def print_table(self, printer: Printer) -> None:
        """Print a row for each URL and each different verdict on it."""
        from rich import box  # noqa: PLC0415  slow to load; only tables need it
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        # A list of dialects can be wrapped and a URL cannot, so the URL gets the room.
        longest = max((len(escaped(printable(url))) for url, _answers in self.rows), default=0)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("URL", overflow="fold")
        table.add_column("verdict", no_wrap=True)
        table.add_column("dialects", max_width=max(printer.columns - longest - 24, 24))
        for url, answers in self.rows:
            shown = escaped(printable(url))
            for answer in answers:
                colour = "green" if answer.allowed else "red"
                everyone = len(answers) == 1
                dialects = "all" if everyone else " ".join(answer.dialects)
                table.add_row(Text(shown), Text(str(answer), colour), Text(dialects))
                shown = ""
        printer.table(table)
        printer.line()

    def print_disagreement(self, url: bytes, answers: list[Agreement], printer: Printer) -> None:
        """Print which dialects allow a URL, which do not, and the choices that differ."""
        for allowed in (True, False):
            names = [name for one in answers if one.allowed is allowed for name in one.dialects]
            style = "allowed" if allowed else "disallowed"
            printer.prose(f"{style} by {', '.join(names)}", "  ", Styled(style, style))
        first = answers[0]
        others = [one for one in answers if one.allowed is not first.allowed]
        dissenting = [name for one in others for name in one.dialects]
        causes = self.causes(url, first, dissenting)
        for choice, values in causes.items():
            printer.prose(f"because of {choice} ({choices.asked(choice)}):", "  ")
            for value, names in values.items():
                printer.prose(f"{', '.join(names)}: {choices.meaning(choice, value)}", "    ")
        if not causes:
            several = suggest(dissenting[0], verb="dialects")
            printer.line(f"  because several choices differ; see {several}")

    def causes(
        self, url: bytes, first: Agreement, dissenting: list[str]
    ) -> dict[str, dict[str, list[str]]]:
        """Find the choices each of which alone would reverse the verdict of the first dialect.

        If only several choices together reverse it, none is found.

        Returns:
            Choice -> its value -> the dialects with that value, the first one among them.

        """
        ours = self.files[first.dialects[0]]
        mine = ours.dialect
        found: dict[str, dict[str, list[str]]] = {}
        turning: dict[tuple[str, str], bool] = {}
        for name in dissenting:
            for choice, value in self.files[name].dialect.choices.items():
                if value == mine.choices[choice]:
                    continue
                if (choice, value) not in turning:
                    turning[choice, value] = self.turns(ours, url, first, {choice: value})
                if turning[choice, value]:
                    values = found.setdefault(choice, {mine.choices[choice]: [mine.name]})
                    values.setdefault(value, []).append(name)
        return found

    def turns(
        self, file: goodbot.RobotsTxt, url: bytes, answer: Agreement, choice: dict[str, str]
    ) -> bool:
        """Return whether changing one choice of a dialect reverses its verdict."""
        dialect = file.dialect.replace(**choice)
        changed = goodbot.RobotsTxt(file.content, dialect=dialect)
        rules = options.obeyed_rules(changed, self.robot)
        return rules.verdict(url).allowed is not answer.allowed

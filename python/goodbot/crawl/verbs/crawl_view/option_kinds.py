"""Kinds of options that click lacks: values or `none`, and options under headings.

Scope: classes for declaring options; no verb, and no option.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

__all__ = [
    "LIFTED",
    "NONE",
    "Lifted",
    "OrNone",
    "SectionedCommand",
]

NONE = "none"
"""The word that removes a limit or a list that was given before."""


class Lifted(enum.Enum):
    """The value of an option that was given as `none`."""

    LIFTED = NONE

    def __str__(self) -> str:
        """Return the word, as the user typed it."""
        return NONE


LIFTED: Final = Lifted.LIFTED


class OrNone(click.ParamType):  # type: ignore[type-arg]  # before click 8.2 it has none
    """Values of another type, or `none`.

    Args:
        kind: The other type.

    """

    def __init__(self, kind: "click.ParamType[Any]") -> None:
        """Store the other type."""
        self.kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401  as click has it
        """Convert a word; `none` becomes `LIFTED`."""
        is_none = isinstance(value, str) and value.strip().casefold() == NONE
        return LIFTED if is_none or value is LIFTED else self.kind.convert(value, param, ctx)


class SectionedCommand(click.Command):
    """A verb whose help lists its options under headings.

    Args:
        sections: The names of the parameters under each heading; all others come last.
        others: The heading of those.
        attributes: The arguments of `click.Command`.

    """

    def __init__(
        self,
        *,
        sections: Mapping[str, Sequence[str]],
        others: str,
        **attributes: Any,  # noqa: ANN401  as click has them
    ) -> None:
        """Store the headings."""
        super().__init__(**attributes)
        self.sections, self.others = sections, others

    def by_section(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """Return the parameters under each heading, in the order of the help."""
        heading_of = {name: title for title, names in self.sections.items() for name in names}
        found: dict[str, list[click.Parameter]] = {title: [] for title in self.sections}
        for parameter in self.get_params(ctx):
            title = heading_of.get(parameter.name or "", self.others)
            found.setdefault(title, []).append(parameter)
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list for each section."""
        for title, parameters in self.by_section(ctx).items():
            records = [one.get_help_record(ctx) for one in parameters]
            rows = [record for record in records if record is not None and record[1]]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

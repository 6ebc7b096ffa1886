"""Verbs that read the folder of a crawl, whose name may be omitted beside a `goodbot.toml`.

Scope: which folder is read. The verbs read it.
"""

import inspect
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from goodbot.cli.shared.config_toml import CONFIG_FILE, folder_here
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.verb_groups import VerbWithOthers

__all__ = ["CrawlVerb", "CrawlVerbWithOthers", "crawl_folder"]

STATUS = "\n\nExit status:"
WITHOUT = f"\n\nWithout DIR, the folder is read that {CONFIG_FILE} in the current directory names."

crawl_folder = click.argument("folder", metavar="DIR", required=False)
"""Adds the argument DIR to a `CrawlVerb`."""


class CrawlVerb(click.Command):
    """A verb that reads the folder of a crawl.

    Args:
        behind: The name of the argument behind DIR, to which the first word belongs if DIR is
            omitted; empty if there is none.
        attributes: The arguments of `click.Command`.

    """

    def __init__(self, *, behind: str = "", **attributes: Any) -> None:  # noqa: ANN401  as click has them
        """Store the name, and add to the help that DIR can be omitted."""
        super().__init__(**attributes)
        self.behind = behind
        self.help = inspect.cleandoc(self.help or "").replace(STATUS, WITHOUT + STATUS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words, and find the folder.

        Raises:
            MissingParameter: No folder is named.
            UsageError: A URL is in its place.
            MisuseError: `goodbot.toml` is not valid.

        """
        is_here = Path(CONFIG_FILE).is_file()
        self.no_args_is_help = not is_here
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing:
            return rest
        if is_here and self._is_omitted(ctx):
            self._read_here(ctx)
        if ctx.params["folder"] is None:
            (argument,) = (one for one in self.params if one.name == "folder")
            raise click.MissingParameter(ctx=ctx, param=argument)
        folder = ctx.params["folder"]
        if "://" in folder and not Path(folder).exists():
            message = f"{folder} is a URL; the folder of the crawl comes first."
            raise click.UsageError(message, ctx)
        return rest

    def _is_omitted(self, ctx: click.Context) -> bool:
        """Whether DIR was omitted, beside a `goodbot.toml`."""
        folder = ctx.params["folder"]
        if folder is None:
            return True
        second = ctx.params.get(self.behind)
        may_be_second = self.behind and (second is None or isinstance(second, tuple))
        return bool(may_be_second) and not Path(folder).exists()

    def _read_here(self, ctx: click.Context) -> None:
        """Name the folder of `goodbot.toml`, and pass the first word on to the next argument."""
        first = ctx.params["folder"]
        if first is not None:
            second = ctx.params[self.behind]
            ctx.params[self.behind] = (first, *second) if isinstance(second, tuple) else first
            ctx.set_parameter_source(self.behind, ParameterSource.COMMANDLINE)
        ctx.params["folder"] = folder_here()
        ctx.set_parameter_source("folder", ParameterSource.DEFAULT_MAP)
        if sys.stderr is not None:
            message = f"Reading {ctx.params['folder']}, the folder of {CONFIG_FILE}."
            Printer(sys.stderr).prose(message)


class CrawlVerbWithOthers(CrawlVerb, VerbWithOthers):
    """A verb that reads the folder of a crawl, with other verbs below it."""

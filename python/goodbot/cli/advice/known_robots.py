"""The note on a robot whose operator is known to read robots.txt in a dialect of its own.

Scope: the sentence. What is known of robots is in `goodbot.bots`.
"""

import click
from click.core import ParameterSource

from goodbot import bots

__all__ = ["dialect_note"]


def dialect_note(robot: str, dialect: str) -> str:
    """Return which dialect was used and which one the robot's operator uses.

    It is empty if they are the same, if the operator's is not known, or if the user chose the
    dialect.
    """
    known = bots.known(robot)
    context = click.get_current_context(silent=True)
    is_chosen = (
        context is not None
        and context.get_parameter_source("dialect") is not ParameterSource.DEFAULT
    )
    if known is None or known.dialect in {None, dialect} or is_chosen:
        return ""
    return (
        f"robots.txt is read as {dialect}, and {known.operator or known.name} reads it "
        f"differently; for its answer, add --dialect {known.dialect}"
    )

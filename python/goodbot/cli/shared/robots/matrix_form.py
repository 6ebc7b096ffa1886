"""The form in which a matrix of robots and URLs is printed."""

from typing import Literal

import goodbot

__all__ = ["MatrixForm", "chosen_form"]

MatrixForm = Literal["", "json", "csv", "markdown", "html"]
"""The form of the output; empty for a terminal."""


def chosen_form(*, explain: bool, **given: bool) -> MatrixForm:
    """Return the form that was asked for: `json`, `csv`, `markdown` or `html`.

    Raises:
        MisuseError: There are two, or one has no place for explanations.

    """
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        message = f"--{names[0]} and --{names[1]} are two formats; use one of them"
        raise goodbot.MisuseError(message)
    form: MatrixForm = names[0] if names else ""  # type: ignore[assignment]  # the names of the options
    if explain and form not in {"", "json"}:
        message = f"--{form} has no place for explanations; use --json, or omit --explain"
        raise goodbot.MisuseError(message)
    return form

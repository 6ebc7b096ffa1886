"""Notes: sentences that come with a result, and may name the settings that cure what they say.

Scope: their text. As in the messages of exceptions, a setting is named by its parameter in Python,
and by its option in a program.
"""

from collections.abc import Mapping

from goodbot.errors import with_words

__all__ = ["ResultNote"]


class ResultNote(str):
    """A sentence that names settings; as a `str`, by their parameters.

    Args:
        template: The sentence, in which `{name}` stands for a setting of `settings`.
        settings: What it says of each setting in Python.

    >>> note = ResultNote("name the format with {log_format}", {"log_format": "log_format="})
    >>> note, note.with_options({"log_format": "--log-format"})
    ('name the format with log_format=', 'name the format with --log-format')

    """

    __slots__ = ("settings", "template")

    template: str
    """The sentence with `{name}` in place of the settings."""
    settings: Mapping[str, str]
    """What it says of each setting in Python."""

    def __new__(cls, template: str, settings: Mapping[str, str] | None = None) -> "ResultNote":  # noqa: PYI034  Self is of Python 3.11
        """Return the sentence as it is in Python."""
        note = super().__new__(cls, with_words(template, settings or {}))
        note.template, note.settings = template, settings or {}
        return note

    def with_options(self, options: Mapping[str, str]) -> str:
        """Return the sentence for the users of a program, which names its options.

        Args:
            options: The option of each setting, such as `--log-format` for `log_format`.

        """
        return with_words(self.template, {**self.settings, **options})

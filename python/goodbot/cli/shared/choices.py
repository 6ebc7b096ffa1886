"""The meaning of a dialect's choices, as the core describes them."""

import functools

import goodbot

__all__ = ["asked", "meaning", "question"]


@functools.cache
def questions() -> dict[str, tuple[str, dict[str, str]]]:
    """Return, by the name of each choice, its question and the meaning of each value."""
    return {name: (text, dict(values)) for name, text, values in goodbot.choices()}


def question(name: str) -> str:
    """Return the question that a choice answers, without a full stop."""
    return questions()[name][0].rstrip(".")


def asked(name: str) -> str:
    """Return the question as part of a sentence."""
    text = question(name)
    return text[0].lower() + text[1:]


def meaning(name: str, value: str) -> str:
    """Return the meaning of a value; a list or a number is returned as it is."""
    if value == "":
        return "None."
    return questions()[name][1].get(value, value)

"""The states of a URL: one row for each, with the words that every view uses for it.

Scope: the table. The queue stores the names. The report, the command line and the docs print the
words from here, so that each state has the same name everywhere.
"""

from typing import Literal, NamedTuple

__all__ = ["LEAST_ERROR", "STATES", "State", "StateRow", "label_of", "phrase_of", "style_of"]

State = Literal["done", "redirected", "disallowed", "failed", "skipped", "queued", "leased"]
"""The state of a URL in a crawl; see `STATES`."""

Style = Literal["allowed", "disallowed", "warning", "faint"]


LEAST_ERROR = 400
"""The first status of an error (RFC 9110, section 15)."""


class StateRow(NamedTuple):
    """One state."""

    name: State
    """The name that is stored, and printed in JSON."""
    label: str
    """The words after a number of URLs: `4 disallowed`."""
    phrase: str
    """The words after one URL or `it`: `it must not be fetched`."""
    meaning: str
    """The meaning, as a sentence for the docs."""
    is_fetched: bool
    """Whether the URL has been fetched; if not, `goodbot report skipped` lists it."""
    style: Style
    """The style in which the command line prints it."""


STATES: dict[str, StateRow] = {
    row.name: row
    for row in (
        StateRow(
            "done",
            "answered",
            "got an answer",
            "It was requested and answered, whatever the status of the response.",
            is_fetched=True,
            style="allowed",
        ),
        StateRow(
            "redirected",
            "redirected",
            "redirects to another URL",
            "It was requested and redirects to another URL, which was queued.",
            is_fetched=True,
            style="faint",
        ),
        StateRow(
            "disallowed",
            "disallowed",
            "must not be fetched",
            "It must not be fetched: robots.txt disallows it, robots.txt could not be fetched, or "
            "the operator of the robot blocked it.",
            is_fetched=False,
            style="disallowed",
        ),
        StateRow(
            "failed",
            "failed",
            "could not be fetched",
            "It could not be fetched: there was no usable response after all attempts.",
            is_fetched=False,
            style="warning",
        ),
        StateRow(
            "skipped",
            "skipped",
            "was skipped",
            "It was found but not queued: its page says nofollow, it is outside the bounds of the "
            "crawl, or it leads into a trap.",
            is_fetched=False,
            style="faint",
        ),
        StateRow(
            "queued",
            "queued",
            "is queued for a visit",
            "It is queued for a visit: the first one, another attempt, or a revisit that is due.",
            is_fetched=False,
            style="faint",
        ),
        StateRow(
            "leased",
            "in progress",
            "is being fetched, or was when the crawl was interrupted",
            "It is being fetched, or was when the crawl was interrupted.",
            is_fetched=False,
            style="faint",
        ),
    )
}
"""Every state, in the order of all lists."""


def style_of(state: str, status: int | None) -> Style:
    """Return the style of a URL: that of its state, but a warning if its answer is an error.

    >>> style_of("done", 200), style_of("done", 404), style_of("disallowed", None)
    ('allowed', 'warning', 'disallowed')
    """
    is_error = status is not None and status >= LEAST_ERROR
    return "warning" if is_error else STATES[state].style


def label_of(state: str) -> str:
    """Return the words for a number of URLs in a state; an unknown state is returned as it is.

    >>> label_of("done"), label_of("disallowed"), label_of("from-the-future")
    ('answered', 'disallowed', 'from-the-future')
    """
    return STATES[state].label if state in STATES else state


def phrase_of(state: str) -> str:
    """Return the words for one URL in a state, to print after the URL or `it`.

    >>> phrase_of("redirected")
    'redirects to another URL'
    """
    return STATES[state].phrase if state in STATES else f"is {state}"

"""What can become of a URL: a row for each state, with the words that every view uses for it.

What may live here: the table. The queue stores the names; the report, the command line and the
docs print the words from here, so that each state is called the same everywhere.
"""

from typing import Literal, NamedTuple

__all__ = ["STATES", "State", "StateRow", "label_of", "phrase_of"]

State = Literal["done", "redirected", "disallowed", "failed", "skipped", "queued", "leased"]
"""What has become of a URL; see `STATES`."""

Style = Literal["allowed", "disallowed", "warning", "faint"]


class StateRow(NamedTuple):
    """One state."""

    name: State
    """As it is stored, and printed as JSON."""
    label: str
    """As it stands behind a number of URLs: `4 disallowed`."""
    phrase: str
    """As it stands behind one URL: `it may not be fetched`."""
    meaning: str
    """What it means, as a sentence, for the docs."""
    is_fetched: bool
    """Whether the URL has been fetched; if not, `goodbot skipped` lists it."""
    style: Style
    """How the command line shows it."""


STATES: dict[str, StateRow] = {
    row.name: row
    for row in (
        StateRow(
            "done",
            "fetched",
            "was fetched",
            "It was fetched, whatever the status of the answer was.",
            is_fetched=True,
            style="allowed",
        ),
        StateRow(
            "redirected",
            "redirected",
            "redirects to another URL",
            "It was fetched, and redirects to another URL, which is in the queue.",
            is_fetched=True,
            style="faint",
        ),
        StateRow(
            "disallowed",
            "disallowed",
            "may not be fetched",
            "It may not be fetched, by robots.txt, since robots.txt is out of reach, or as the "
            "operator of the robot decided.",
            is_fetched=False,
            style="disallowed",
        ),
        StateRow(
            "failed",
            "failed",
            "could not be fetched",
            "It could not be fetched.",
            is_fetched=False,
            style="warning",
        ),
        StateRow(
            "skipped",
            "skipped",
            "was skipped",
            "It was found and not queued: its page says nofollow, it lies outside the bounds of "
            "the crawl, or it leads into a trap.",
            is_fetched=False,
            style="faint",
        ),
        StateRow(
            "queued",
            "queued",
            "is queued for a visit",
            "It is queued for a visit: the first one, another try, or one that is due again.",
            is_fetched=False,
            style="faint",
        ),
        StateRow(
            "leased",
            "in progress",
            "is being fetched, or was when the crawl ended",
            "It is being fetched, or was when the crawl ended.",
            is_fetched=False,
            style="faint",
        ),
    )
}
"""Every state, in the order in which they are listed."""


def label_of(state: str) -> str:
    """Return the words for a number of URLs in a state; a state that is not known, as it is.

    >>> label_of("done"), label_of("disallowed"), label_of("from-the-future")
    ('fetched', 'disallowed', 'from-the-future')
    """
    return STATES[state].label if state in STATES else state


def phrase_of(state: str) -> str:
    """Return what to say of one URL in a state, behind its name or `it`.

    >>> phrase_of("redirected")
    'redirects to another URL'
    """
    return STATES[state].phrase if state in STATES else f"is {state}"

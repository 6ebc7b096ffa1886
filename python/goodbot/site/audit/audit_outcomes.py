"""The outcomes of a judgement, and the reasons that each can have.

Scope: names, meanings and sources. What leads to each is in `request_judging`.
"""

from typing import NamedTuple

from goodbot.display import short_repr

OUTCOMES: dict[str, str] = {
    "allowed": "The rules in force when the request came allowed it.",
    "late": "The rules in force disallowed it, but a copy of robots.txt that the robot could "
    "rightly hold allowed it.",
    "violation": "No robots.txt that the robot could rightly hold allowed it.",
    "unclaimed": "The robot does not claim to obey robots.txt.",
    "unknown": "What the robot could rightly hold is not known. This is never a violation.",
    "unjudged": "The request cannot be judged by this robot's rules.",
}
"""Each outcome with its meaning."""


class Reason(NamedTuple):
    """A reason of a judgement."""

    outcome: str
    """The outcome that it leads to: one of `OUTCOMES`."""
    meaning: str
    """What it means, in a sentence."""
    source: str
    """The document and its section, or that it is goodbot's choice."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


REASONS: dict[str, Reason] = {
    "robots-txt-itself": Reason(
        "allowed", "/robots.txt itself may always be fetched.", "RFC 9309 section 2.2.2"
    ),
    "rules-allow": Reason(
        "allowed",
        "The robots.txt in force allowed the request, or there was none.",
        "RFC 9309 sections 2.2.2 and 2.3.1.3",
    ),
    "held-copy-allows": Reason(
        "late",
        "An answer for robots.txt that the robot received allowed it, and could still be used: "
        "within its lifetime, or because robots.txt was unreachable.",
        "RFC 9309 sections 2.3.1.4 and 2.4",
    ),
    "unseen-copy-allows": Reason(
        "late",
        "A cache in front of the server may have answered a request for robots.txt that this log "
        "does not show, with a copy that allowed it and could still be used.",
        "RFC 9309 section 2.4",
    ),
    "every-copy-disallows": Reason(
        "violation",
        "The robots.txt in force and every copy that the robot could hold disallowed it.",
        "RFC 9309 section 2.2.2",
    ),
    "copy-expired": Reason(
        "violation",
        "The robots.txt in force disallowed it; the last copy that the robot received could no "
        "longer be used.",
        "RFC 9309 section 2.4",
    ),
    "no-request-seen": Reason(
        "violation",
        "No request for robots.txt was seen in this log; what the robot would have received "
        "disallowed it.",
        "RFC 9309 section 2.2.2",
    ),
    "robots-txt-unreachable": Reason(
        "violation",
        "The last answer for robots.txt was a server error, and the robot held no copy that could "
        "be used: nothing may be fetched.",
        "RFC 9309 section 2.3.1.4",
    ),
    "does-not-obey": Reason(
        "unclaimed",
        "The robot is said not to obey robots.txt.",
        "the source of `obeys` in the table of known robots",
    ),
    "user-triggered": Reason(
        "unclaimed",
        "The robot fetches a page because a person asked for it, and is not said to obey.",
        "RFC 9309 section 1: robots.txt is for automatic clients",
    ),
    "log-begins": Reason(
        "unknown",
        "The robot could still use a copy that it fetched before the log begins.",
        "RFC 9309 section 2.4",
    ),
    "outside-the-log": Reason(
        "unknown",
        "The line is apart from the others of the log, after days without any request, or its "
        "clock was wrong: what the robot fetched in between is not known.",
        "goodbot's careful choice",
    ),
    "no-policy-known": Reason(
        "unknown", "Which robots.txt was in force then is not known.", "goodbot's careful choice"
    ),
    "copy-unknown": Reason(
        "unknown",
        "The robot could rightly hold an answer for robots.txt whose content is not known, such as "
        "that of a redirect.",
        "goodbot's careful choice",
    ),
    "spoofed": Reason(
        "unjudged",
        "The request does not come from the operator whose robot it names.",
        "goodbot's careful choice: nobody answers for another's requests",
    ),
    "no-site": Reason(
        "unjudged",
        "The line names no host, and no site was given for such lines.",
        "goodbot's careful choice",
    ),
    "target-too-long": Reason(
        "unjudged",
        "The target of the request is so long that only its beginning was kept.",
        "goodbot's careful choice",
    ),
    "not-a-path": Reason(
        "unjudged",
        "The target of the request is neither a path nor an absolute URL.",
        "RFC 9112 section 3.2; RFC 9309 section 2.2.2",
    ),
}
"""Each reason with its outcome, its meaning and its source."""

NOT_JUDGED: dict[str, str] = {
    "noindex": "It is about an index, which a log does not show.",
    "nofollow": "A log does not show by which link a robot found a URL.",
    "noarchive and the like": "They are about what a robot does with a page after its request.",
}
"""What the audit does not judge, and why."""


def classify_reason(reason: str) -> str:
    """Return the outcome that a reason leads to.

    >>> classify_reason("held-copy-allows")
    'late'
    """
    return REASONS[reason].outcome

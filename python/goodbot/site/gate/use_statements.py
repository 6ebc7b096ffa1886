"""Answers on uses in the words of each document.

Scope: from answers to Content-Usage and Content-Signal, to directives for robots and to
reservations. A word is written only if it says what was declared and no more: `search` of
Content-Usage is about search and previews alike, so where those differ directives say it.
"""

from collections.abc import Mapping, Sequence

from goodbot.content_use.statement import Use

__all__ = [
    "content_signal",
    "content_signals",
    "content_usage",
    "directives",
    "reservation",
    "sayable",
]

LABELS: tuple[tuple[str, tuple[Use, ...]], ...] = (
    ("train-ai", ("train",)),
    ("ai-use", ("ground",)),
    ("search", ("search", "preview")),
)
"""The labels of draft-ietf-aipref-vocab-08, each with the uses that it is about."""


def sayable(answers: Mapping[Use, bool]) -> dict[Use, bool]:
    """Return the answers that documents can state beside each other.

    A page that is found and must not be quoted has `nosnippet`, by which Google also keeps it from
    AI Overviews and AI Mode: that it may be put into models cannot be said then.

    >>> sayable({"ground": True, "search": True, "preview": False})
    {'search': True, 'preview': False}

    Source: Google, robots meta tag, nosnippet.
    """
    is_unquoted = answers.get("preview") is False and answers.get("search") is not False
    dropped = is_unquoted and answers.get("ground") is True
    return {use: one for use, one in answers.items() if not (dropped and use == "ground")}


def content_usage(answers: Mapping[Use, bool]) -> str:
    """Return the value of Content-Usage; empty if it can say nothing.

    >>> content_usage({"train": False, "search": True, "preview": True})
    'train-ai=n, search=y'
    >>> content_usage({"search": True, "preview": False})
    ''

    Source: draft-ietf-aipref-vocab-08, sections 4 and 6.
    """
    said = []
    for label, uses in LABELS:
        found = {answers.get(use) for use in uses}
        if len(found) == 1 and None not in found:
            said.append(f"{label}={'y' if found == {True} else 'n'}")
    return ", ".join(said)


SIGNALS: tuple[tuple[str, tuple[Use, ...]], ...] = (
    ("search", ("search", "preview")),
    ("ai-input", ("ground",)),
    ("ai-train", ("train",)),
)
"""The signals of Content-Signal, each with the uses that it is about."""


def content_signals(
    parts: Sequence[tuple[str, Mapping[Use, bool]]], level: str | None = None
) -> list[str]:
    """Return the values of Content-Signal for the parts of a site, each a path and its answers.

    Of each signal the longest path decides. So a signal that a part cannot state is not stated for
    a shorter path that may contain the part, which would then speak for it.

    >>> found = {"search": True, "preview": True}
    >>> content_signals([("/blog/", {"train": False} | found), ("/", found)])
    ['/blog/ search=yes, ai-train=no', 'search=yes']
    >>> content_signals([("/a/", {"search": True, "preview": False}),
    ...                  ("/", {"search": True, "preview": True})], "reference")
    ['use=reference']

    Source: Content Signals Policy; contentsignals.org, "Protect specific pages"; Cloudflare,
    managed robots.txt, the signal `use`.
    """
    stated = [(path, signals_in(answers)) for path, answers in parts]
    values = []
    for path, said in stated:
        kept = [
            f"{name}={answer}"
            for name, answer in said.items()
            if not any(name not in other and may_contain(path, one) for one, other in stated)
        ]
        if path == "/":
            kept += [f"use={level}"] if level else []
            values += [", ".join(kept)] if kept else []
        elif kept:
            values.append(f"{path} {', '.join(kept)}")
    if level and all(path != "/" for path, _ in stated):
        values.append(f"use={level}")
    return values


def content_signal(answers: Mapping[Use, bool], level: str | None = None) -> str:
    """Return the value of Content-Signal for one page; empty if it can say nothing.

    >>> content_signal({"train": False}, "reference"), content_signal({"archive": False})
    ('ai-train=no, use=reference', '')

    Source: Cloudflare, Markdown for Agents, which has the field in responses.
    """
    said = [f"{name}={answer}" for name, answer in signals_in(answers).items()]
    return ", ".join([*said, f"use={level}"] if level else said)


def signals_in(answers: Mapping[Use, bool]) -> dict[str, str]:
    """Return the signals that answers can state."""
    said = {}
    for name, uses in SIGNALS:
        found = {answers.get(use) for use in uses}
        if len(found) == 1 and None not in found:
            said[name] = "yes" if found == {True} else "no"
    return said


def may_contain(path: str, other: str) -> bool:
    """Return whether URLs may match both patterns, and the other one is no shorter."""
    if path == other or len(other) < len(path):
        return False
    has_wildcards = any(sign in path + other for sign in "*$")
    return has_wildcards or other.startswith(path)


def directives(answers: Mapping[Use, bool]) -> str:
    """Return directives as in X-Robots-Tag and META robots; empty if there are none.

    What Content-Usage allows needs no directive. Copies are only a matter of directives. To Google
    nosnippet is also about AI Overviews, so it is not written beside noindex where those may. To
    Bing noarchive is also about chat and training, but not beside nocache.

    >>> directives({"train": False, "search": True, "archive": False, "preview": False})
    'noai, index, noarchive, nosnippet'
    >>> directives({"ground": True, "archive": False})
    'noarchive, nocache'

    Source: DeviantArt, November 2022 (noai); Google, robots meta tag; Yandex (archive); Bing, 22
    September 2023 (noarchive, nocache).
    """
    differ = answers.get("search") != answers.get("preview")
    is_quoting_said = not differ and answers.get("ground") is True
    is_used = answers.get("ground") is True or answers.get("train") is True
    words = {
        ("train", False): "noai",
        ("search", False): "noindex",
        ("search", True): "index" if differ else "",
        ("archive", False): "noarchive, nocache" if is_used else "noarchive",
        ("archive", True): "archive",
        ("preview", False): "" if is_quoting_said else "nosnippet",
        ("preview", True): "max-snippet: -1" if differ else "",
    }
    said = (words.get((use, answer), "") for use, answer in answers.items())
    return ", ".join(word for word in said if word)


def reservation(answers: Mapping[Use, bool]) -> str:
    """Return the value of tdm-reservation: 1 if training is reserved, 0 if not, empty if unsaid.

    Source: TDMRep, section tdm-reservation.
    """
    answer = answers.get("train")
    return "" if answer is None else str(int(not answer))

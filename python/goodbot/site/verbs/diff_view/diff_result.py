"""What `goodbot diff` has found, and the words for it, which all forms of output share.

Scope: texts and plain values; nothing is printed or escaped here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import goodbot
from goodbot.cli.shared.dialect_names import listed_dialects
from goodbot.cli.shared.printing import cut_line
from goodbot.http.amounts import counted
from goodbot.lazy_dataclass import dataclass
from goodbot.site.reasoning import (
    DialectAnswer,
    Difference,
    Effect,
    FieldChange,
    FileComparison,
    RobotComparison,
    UrlCounts,
)
from goodbot.site.verbs.diff_view.sides import Side

__all__ = ["MOST_NAMES", "DiffResult", "UrlsTried", "change_words", "effect_words", "verdict_words"]

MOST_NAMES = 8
"""How many names of robots are shown for each group of them."""

EFFECTS: dict[Effect, str] = {
    "same": "the same",
    "stricter": "stricter",
    "laxer": "laxer",
    "both": "stricter and laxer",
    "unknown": "undecided",
}

NO_RULE = {"no-rule-matches": "no rule matches", "no-group": "no group applies"}
"""Short words for verdicts without a rule; others have the meaning of their reason."""


OURS = ("every other robot", "stricter", "laxer")
"""How sentences may begin in lower case; names stay as they are written."""


@dataclass(frozen=True, slots=True)
class UrlsTried:
    """The URLs on which the change was tried."""

    source: str
    form: str
    urls: int
    skipped: int
    counts: dict[int, UrlCounts]
    """The counts by the place of the robots in the comparison."""

    def sentence(self) -> str:
        """Return how many there were."""
        noun = "request" if self.form == "log" else "URL"
        left = f"; {counted(self.skipped, 'line')} without a URL skipped" if self.skipped else ""
        return f"{counted(self.urls, noun)} in {self.source} tried{left}"


@dataclass(frozen=True, slots=True)
class DiffResult:
    """The comparison of two files, and of URLs if there are any."""

    before: Side
    after: Side
    comparison: FileComparison
    tried: UrlsTried | None = None

    def who(self, one: RobotComparison, show: Callable[[str], str] = str) -> str:
        """Return which robots a comparison is about, as the beginning of a sentence.

        Args:
            one: The comparison.
            show: What a name becomes in the output.

        """
        return capital(self.whom(one, show))

    def whom(self, one: RobotComparison, show: Callable[[str], str] = str) -> str:
        """Return the same as `who`, within a sentence."""
        names = [f"every other robot ({show(n)})" if n == "*" else show(n) for n in one.members]
        apart = one.dialect != self.after.file.dialect.name
        return some(names) + (f", in the dialect {show(one.dialect)}" if apart else "")

    def headline(self) -> str:
        """Return the result in one sentence."""
        found = self.comparison
        if found.effect == "same":
            return self.headline_of_same_access()
        if not any(one.differences for one in found.robots) and found.in_dialects:
            return self.headline_of_dialects()
        effects = [one.effect for one in found.robots if one.effect != "same"]
        if found.effect == "unknown" and not any(one.differences for one in found.robots):
            return "No difference was found, but the search reached its bound: undecided."
        groups = counted(len(effects), "group")
        end = "" if found.is_complete else " The search reached its bound: there may be more."
        if found.effect == "unknown":
            return f"Different for {groups} of robots; the whole effect is undecided.{end}"
        return f"{capital(effect_words(found.effect))} for {groups} of robots.{end}"

    def headline_of_same_access(self) -> str:
        """Return the result where every robot may fetch the same."""
        found = self.comparison
        if found:
            return "Robots may fetch the same as before; what else they are asked has changed."
        if len(found.dialects) == 1:
            read = f"that reads {listed_dialects([found.dialects[0].dialect])}"
            return f"Both files mean the same for every robot {read}."
        return "Both files mean the same for every robot."

    def headline_of_dialects(self) -> str:
        """Return the result where robots may fetch the same, unless they read other dialects."""
        same, different, _ = self.by_answer()
        if not same:
            return f"Both files differ in {listed_dialects(different)}."
        both = f"Both files mean the same in {listed_dialects(same)}"
        return f"{both}, and differ in {listed_dialects(different)}."

    def by_answer(self) -> tuple[list[str], list[str], list[str]]:
        """Return the dialects in which both files mean the same, differ, and are undecided."""
        wanted = (True, False, None)
        names = (
            [one.dialect for one in self.comparison.dialects if one.is_same is answer]
            for answer in wanted
        )
        same, different, undecided = names
        return same, different, undecided

    def notes(self, show: Callable[[str], str] = str) -> Iterator[str]:
        """Yield what is to be said beside the robots, in sentences.

        Args:
            show: What a text of the files becomes in the output.

        """
        yield from self.dialect_notes(show)
        if unexamined := self.unexamined():
            yield unexamined

    def dialect_notes(self, show: Callable[[str], str]) -> Iterator[str]:
        """Yield in which dialects the files were compared, and an example where they differ."""
        found = self.comparison
        same, _, undecided = self.by_answer()
        shown = {one.is_stricter for each in found.robots for one in each.differences}
        for words, dialects in self.examples_of_dialects(shown, show).items():
            yield f"In {listed_dialects(dialects)}, {words}."
        if shown:
            return
        if len(same) > 1 and not found.in_dialects:
            yield f"Compared for robots of any name, and the same, in {listed_dialects(same)}."
        if undecided:
            yield f"Within its bounds, it is undecided for {listed_dialects(undecided)}."

    def examples_of_dialects(
        self, shown: AbstractSet[bool], show: Callable[[str], str]
    ) -> dict[str, list[str]]:
        """Return examples of what differs in dialects, each with the dialects.

        Args:
            shown: The directions of which there are examples for robots: whether it is stricter.
            show: What a text of the files becomes in the output.

        """
        examples: dict[str, list[str]] = {}
        for one in self.comparison.dialects:
            for each in one.differences:
                if each.is_stricter not in shown:
                    examples.setdefault(example_words(each, show), []).append(one.dialect)
            if one.field and not one.differences and not self.has_changes:
                words = f"{one.field} says something else to {show(one.robot)}"
                examples.setdefault(words, []).append(one.dialect)
        return examples

    @property
    def has_changes(self) -> bool:
        """Whether anything beside access has changed for robots."""
        found = self.comparison
        asked = any(one.changes for one in found.robots)
        return asked or any(one.field != "findings" for one in found.changes)

    def changed(self) -> list[tuple[int, RobotComparison]]:
        """Return the robots for which something changes, with their places."""
        return [
            (place, one)
            for place, one in enumerate(self.comparison.robots)
            if one.changes or one.effect != "same"
        ]

    def unchanged(self) -> list[RobotComparison]:
        """Return the robots for which nothing changes."""
        changed = {place for place, _ in self.changed()}
        every = enumerate(self.comparison.robots)
        return [one for place, one in every if place not in changed]

    def unexamined(self) -> str:
        """Return which names were not compared, as a sentence; empty if all were."""
        names = self.comparison.unexamined
        if not names:
            return ""
        return f"The files have too many names or groups: {some(names)} were not compared."

    def as_object(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        found = self.comparison
        tried = self.tried
        return {
            "before": side_object(self.before),
            "after": side_object(self.after),
            "dialect": self.after.file.dialect.name,
            "effect": found.effect,
            "different": bool(found),
            "complete": found.is_complete,
            "sentence": self.headline(),
            "robots": [self.robot_object(*one) for one in enumerate(found.robots)],
            "changes": [change_object(one) for one in found.changes],
            "unexamined": list(found.unexamined),
            "dialects": [answer_object(one) for one in found.dialects],
            "urls": tried
            and {
                "source": tried.source,
                "form": tried.form,
                "tried": tried.urls,
                "skipped": tried.skipped,
            },
        }

    def robot_object(self, place: int, one: RobotComparison) -> dict[str, Any]:
        """Return what holds for some robots as plain values."""
        counts = self.tried.counts.get(place) if self.tried else None
        return {
            "names": list(one.names),
            "known": list(one.known),
            "dialect": one.dialect,
            "effect": one.effect,
            "complete": one.access.is_complete,
            "differences": [difference_object(each) for each in one.differences],
            "changes": [change_object(each) for each in one.changes],
            "urls": counts
            and {
                "newly_allowed": counts.newly_allowed,
                "newly_disallowed": counts.newly_disallowed,
                "allowed_examples": counts.allowed_examples,
                "disallowed_examples": counts.disallowed_examples,
            },
        }


def side_object(side: Side) -> dict[str, Any]:
    """Return a file as plain values."""
    return {"source": side.source, "size": len(side.file.content), "sha256": side.sha256}


def difference_object(one: Difference) -> dict[str, Any]:
    """Return a difference as plain values."""
    return {
        "path": one.path,
        "effect": "stricter" if one.is_stricter else "laxer",
        "before": verdict_object(one.before),
        "after": verdict_object(one.after),
    }


def answer_object(one: DialectAnswer) -> dict[str, Any]:
    """Return what holds in a dialect as plain values."""
    return {
        "dialect": one.dialect,
        "same": one.is_same,
        "complete": one.is_complete,
        "robot": one.robot or None,
        "differences": [
            {**difference_object(each), "url": each.url, "robot": each.after.robot}
            for each in one.differences
        ],
        "field": one.field or None,
    }


def example_words(one: Difference, show: Callable[[str], str]) -> str:
    """Return an example as a part of a sentence: the URL, for whom, and the lines that decide."""
    now = "disallowed" if one.is_stricter else "allowed"
    sides = []
    for when, verdict in (("before", one.before), ("now", one.after)):
        words, line = verdict_words(verdict)
        sides.append(f"{when}: {words}, {show(cut_line(line))}" if line else f"{when}: {words}")
    robot = one.after.robot
    whom = "other robots" if robot == "*" else show(robot)
    return f"{show(cut_line(one.url))} is now {now} for {whom} ({'; '.join(sides)})"


def verdict_object(verdict: goodbot.Verdict) -> dict[str, Any]:
    """Return what decides on one side as plain values."""
    rule = verdict.rule
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason,
        "rule": None if rule is None else rule.as_dict(),
    }


def change_object(one: FieldChange) -> dict[str, Any]:
    """Return a change beside access as plain values."""
    return {"field": one.field, "before": list(one.before), "after": list(one.after)}


def effect_words(effect: Effect) -> str:
    """Return the words for an effect."""
    return EFFECTS[effect]


def verdict_words(verdict: goodbot.Verdict) -> tuple[str, str]:
    """Return what decides on one side: words, and the line as it is written if there is one."""
    if verdict.rule is not None:
        return f"line {verdict.rule.line}", verdict.rule.text
    return NO_RULE.get(verdict.reason) or meaning(verdict.reason), ""


def meaning(reason: str) -> str:
    """Return the meaning of a reason as a part of a sentence."""
    return dict(goodbot.reasons())[reason].rstrip(".")


def change_words(change: FieldChange) -> Iterable[tuple[str, str]]:
    """Yield a sign and a value for each value that has gone or come."""
    yield from (("-", value) for value in change.before)
    yield from (("+", value) for value in change.after)


def some(names: Sequence[str]) -> str:
    """Return some names, and how many others there are."""
    more = len(names) - MOST_NAMES
    if more <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {more} more"


def capital(text: str) -> str:
    """Return a text with a capital letter, if it begins with a word of ours."""
    return text[:1].upper() + text[1:] if text.startswith(OURS) else text

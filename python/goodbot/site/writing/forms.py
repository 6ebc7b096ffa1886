"""The forms in which a wish can be written, with a writer for each."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.page.directives import DIRECTIVES, VALUED
from goodbot.page.marks import PROFILE_URIS
from goodbot.page.readers.spoken import DESCRIPTIVE, NAMES
from goodbot.site.writing.codes import Loss
from goodbot.site.writing.wish import Wish, Wished

__all__ = ["FORMS", "Written", "write"]


@dataclass(frozen=True, slots=True, repr=False)
class Written:
    """A wish, written in one form."""

    form: str
    """The form, one of `FORMS`."""
    text: str
    """The text to put into the page or header, in lines; empty if the form can express nothing."""
    where: str
    """The place where the text belongs."""
    said: Wish
    """The part of the wish that the text expresses."""
    losses: tuple[Loss, ...]
    """The rest of the wish, each part with the reason."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "form": self.form,
            "text": self.text,
            "where": self.where,
            "said": self.said.as_dict()["stated"],
            "losses": [loss.as_dict() for loss in self.losses],
        }


FormLines = tuple[list[str], list[Wished], list[Loss]]
"""The lines, the part of the wish that they express, and the losses."""


def write(wish: Wish, form: str) -> Written:
    """Write a wish in a form.

    Args:
        wish: The wish.
        form: One of `FORMS`.

    Returns:
        The text, and the losses: what the form cannot express, each with a code of `LOSSES`.

    Raises:
        WrongTypeError: `wish` is not a `Wish`.
        WrongValueError: There is no such form.

    >>> wish = Wish.parse("noindex, max-snippet: 20")
    >>> print(write(wish, "meta").text)
    <meta name="robots" content="noindex, max-snippet: 20">
    >>> written = write(wish, "pi")
    >>> written.text, [loss.code for loss in written.losses]
    ('<?robots index="no" follow="yes"?>', ['not-sayable'])

    """
    if not isinstance(wish, Wish):
        given = type(wish).__name__
        message = f"wish must be a Wish, not {given}; write Wish.parse('noindex, nofollow')"
        raise WrongTypeError(message)
    if form not in FORMS:
        message = f"there is no form {form!r}; choose from {', '.join(FORMS)}"
        raise WrongValueError(message)
    where, writer = FORMS[form]
    effective, losses = effective_in(wish)
    effective, contradictions = consistent(effective)
    lines, said, more = writer(effective)
    losses += contradictions
    return Written(form, "\n".join(lines), where, Wish(tuple(said)), (*losses, *more))


def effective_in(wish: Wish) -> tuple[Wish, list[Loss]]:
    """Remove directives that no longer have any effect."""
    kept, losses = [], []
    for one in wish.stated:
        row = DIRECTIVES[one.directive]
        if row.forbids or row.allows or one.directive in VALUED or row.name == "indexifembedded":
            kept.append(one)
        else:
            message = f"{one.directive} has no effect. Its meaning: {row.meaning}"
            losses.append(Loss("without-effect", message))
    return Wish(tuple(kept)), losses


def consistent(wish: Wish) -> tuple[Wish, list[Loss]]:
    """Remove directives that allow a robot what another directive forbids it.

    If an `all` also allows something else, that is kept as a directive of its own.

    >>> wish, losses = consistent(Wish.parse("all, noindex"))
    >>> str(wish), losses[0].message
    ('follow, noindex', 'all contradicts noindex; only the one that forbids is written')
    """
    kept: list[Wished] = []
    losses = []
    for one in wish.stated:
        allowed = DIRECTIVES[one.directive].allows
        against = {
            act: other.directive
            for other in wish.of_robot(one.robot)
            for act in DIRECTIVES[other.directive].forbids
            if act in allowed
        }
        if not against:
            kept.append(one)
            continue
        message = f"{one.directive} contradicts {next(iter(against.values()))}"
        losses.append(Loss("contradiction", f"{message}; only the one that forbids is written"))
        kept += [Wished(one.robot, act) for act in allowed if act not in against]
    return Wish(tuple(dict.fromkeys(kept))), losses


OTHER_NAMES = frozenset(
    {*DESCRIPTIVE, *NAMES}
    | {"application-name", "color-scheme", "referrer", "theme-color", "viewport"}
)
"""META names that do not name a robot: those of HTML (4.2.5.1), and those for all robots."""


def as_meta(wish: Wish) -> FormLines:
    """Write one META element for each robot that is addressed.

    Source: Spidering BOF report, May 1996; Google, robots meta tag.
    """
    robots = [robot for robot in wish.robots if robot not in OTHER_NAMES]
    said = [one for robot in robots for one in wish.of_robot(robot)]
    lines = [
        f'<meta name="{robot or "robots"}" content="{escape(listed(wish.of_robot(robot)))}">'
        for robot in robots
    ]
    losses = [
        Loss("not-for-one-robot", f"{one.robot}: {one.text}; META {one.robot} has another use")
        for one in wish.stated
        if one.robot in OTHER_NAMES
    ]
    return lines, said, losses


def as_header(wish: Wish) -> FormLines:
    """Write one HTTP header field for each robot that is addressed.

    Source: Google, robots meta tag, X-Robots-Tag.
    """
    lines = []
    for robot in wish.robots:
        prefix = "" if robot is None else f"{robot}: "
        lines.append(f"X-Robots-Tag: {prefix}{listed(wish.of_robot(robot))}")
    return lines, by_robot(wish), []


def as_pi(wish: Wish) -> FormLines:
    """Write the processing instruction, which tells all robots whether to index and to follow.

    Source: A Robots Processing Instruction for XML Documents, 1999.
    """
    losses = [
        Loss("not-for-one-robot", f"{one.robot}: {one.text}; the instruction addresses all robots")
        for one in wish.stated
        if one.robot is not None
    ]
    everyone = wish.of_robot(None)
    said, index, follow = [], True, True
    for one in everyone:
        row = DIRECTIVES[one.directive]
        acts = {*row.forbids, *row.allows}
        if not acts or acts - {"index", "follow"}:
            message = f"{one.text}; the instruction can only say index and follow"
            losses.append(Loss("not-sayable", message))
            continue
        index, follow = index and "index" not in row.forbids, follow and "follow" not in row.forbids
        said.append(one)
    if not said:
        return [], [], losses
    yes = {True: "yes", False: "no"}
    return [f'<?robots index="{yes[index]}" follow="{yes[follow]}"?>'], said, losses


CLASSES = {
    "all": ("index", "follow"),
    "none": ("noindex", "nofollow"),
    "index": ("index",),
    "noindex": ("noindex",),
    "follow": ("follow",),
    "nofollow": ("nofollow",),
}
"""The directives for which the Profile has classes. Its noarchive is missing here, because it also
forbids quoting: "the small summaries ... also exclude the robots-noarchive"."""


def as_profile(wish: Wish) -> FormLines:
    """Write classes of the Robot Exclusion Profile for the BODY, and their declaration.

    Source: Robot Exclusion Profile, draft of 18 June 2005.
    """
    classes: list[str] = []
    said: list[Wished] = []
    losses: list[Loss] = []
    numbers = {robot: number for number, robot in enumerate(filter(None, wish.robots), 1)}
    for one in wish.stated:
        names = CLASSES.get(one.directive)
        if names is None and forbids_copies_and_quotes(wish, one):
            names = ("noarchive",)
        if names is None:
            losses.append(unsayable_in_profile(one))
            continue
        number = numbers.get(one.robot or "", "s")
        classes += [f"robot{number}-{name}" for name in names]
        said.append(one)
    classes = list(dict.fromkeys(classes))
    if not classes:
        return [], [], losses
    named = {one.robot for one in said}
    lines = [f'<head profile="{PROFILE_URIS[0]}">']
    lines += [
        f'<meta name="RobotExclusion.RobotName{number}" content="{robot}">'
        for robot, number in numbers.items()
        if robot in named
    ]
    return [*lines, f'<body class="{" ".join(classes)}">'], said, losses


def forbids_copies_and_quotes(wish: Wish, one: Wished) -> bool:
    """Return whether one robot must neither copy nor quote, which robots-noarchive expresses."""
    acts = {
        act for other in wish.of_robot(one.robot) for act in DIRECTIVES[other.directive].forbids
    }
    return {"archive", "snippet"} <= acts and bool(
        {"archive", "snippet"} & {*DIRECTIVES[one.directive].forbids}
    )


def unsayable_in_profile(one: Wished) -> Loss:
    """Return the loss of a directive that the Profile cannot express."""
    if {"archive", "snippet"} & {*DIRECTIVES[one.directive].forbids}:
        message = f"{one.text}; robots-noarchive forbids copies and quotations together"
        return Loss("says-more", message)
    return Loss("not-sayable", f"{one.text}; the Profile has no class for it")


def as_data_nosnippet(wish: Wish) -> FormLines:
    """Write the attribute on an element around everything in the BODY.

    Source: Google, robots meta tag, data-nosnippet (span, div, section).
    """
    losses, said = [], []
    for one in wish.stated:
        if one.robot is not None:
            message = f"{one.robot}: {one.text}; the attribute addresses all robots"
            losses.append(Loss("not-for-one-robot", message))
        elif one.directive == "nosnippet" or (one.directive, one.value) == ("max-snippet", 0):
            said.append(one)
        else:
            losses.append(Loss("not-sayable", f"{one.text}; the attribute can only forbid quoting"))
    return (["<div data-nosnippet>"] if said else []), said, losses


def listed(stated: Iterable[Wished]) -> str:
    """Write a list of directives."""
    return ", ".join(one.text for one in stated)


def by_robot(wish: Wish) -> list[Wished]:
    """Return the directives, sorted by robot."""
    return [one for robot in wish.robots for one in wish.of_robot(robot)]


FORMS: dict[str, tuple[str, Callable[[Wish], FormLines]]] = {
    "meta": ("in the HEAD of the document", as_meta),
    "header": ("in the header of the HTTP response", as_header),
    "pi": ("in an XML document, before its root element", as_pi),
    "profile": ("as the attributes of HEAD and BODY", as_profile),
    "data-nosnippet": ("around everything in the BODY, closed by </div>", as_data_nosnippet),
}
"""Every form: the place where it belongs, and its writer."""

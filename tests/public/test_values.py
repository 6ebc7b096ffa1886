"""Values behave like values: equal by content, copied, pickled, shown briefly, safe as HTML."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import goodbot
from goodbot.crawl import Crawl, Summary
from tests.support.each import check_each
from tests.support.public_values import MADE, NO_VALUES, public_classes

LONGEST_REPR = 400
LONG = "<script>x" * 10_000
UNHASHABLE = {
    "goodbot.site.audit.AuditedRobot": "it counts in dictionaries",
    "goodbot.site.audit.identity.IdentityEvidence": "it has dictionaries",
    "goodbot.signatures.SignatureInput": "it has a dictionary",
    "goodbot.signatures.SignedRequest": "it has a dictionary",
    "goodbot.signatures.SignedResponse": "it has a dictionary",
    "goodbot.crawl.Ended": "it counts in dictionaries",
    "goodbot.crawl.FindingsReported": "it counts in dictionaries",
    "goodbot.crawl.CrawlStatus": "it counts in dictionaries",
    "goodbot.crawl.Summary": "it counts in dictionaries",
    "goodbot.page.Copy": "it has a list",
    "goodbot.store.StoredPolicy": "its record is a dictionary",
}
"""Values that can be compared but not hashed, and why."""


def test_every_public_class_has_a_row() -> None:
    """A new class is a value, or states why it is not."""
    named = dict[type, str]()
    for name, found in public_classes():
        named.setdefault(found, name)
    classes = {name: found for found, name in named.items()}
    assert classes.keys() - NO_VALUES.keys() == MADE.keys()
    assert NO_VALUES.keys() <= classes.keys()
    for name, made in MADE.items():
        assert type(made()) is classes[name]


def test_values_are_equal_by_content() -> None:
    """Two that are made alike are equal and have the same hash; nothing else is equal to them."""
    check_each(MADE, check_equality)


def check_equality(name: str) -> None:
    """Check one value."""
    one, other = MADE[name](), MADE[name]()
    assert one == other
    assert one != object()
    if name in UNHASHABLE:
        with pytest.raises(TypeError):
            hash(one)
    else:
        assert hash(one) == hash(other)


def test_values_are_copied_and_pickled() -> None:
    """Every protocol works, and the result is equal."""
    check_each(MADE, check_copies)


def check_copies(name: str) -> None:
    """Check one value."""
    value = MADE[name]()
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value  # noqa: S301  our own


def test_dataclasses_become_dictionaries() -> None:
    """The dictionary has a key for each field."""
    check_each(MADE, check_dictionary)


def check_dictionary(name: str) -> None:
    """Check one value."""
    value = MADE[name]()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in dataclasses.fields(value)]
        assert list(dataclasses.asdict(value)) == names


def lengthened(value: Any) -> Any:  # noqa: ANN401  any value
    """Return a copy of a dataclass or named tuple whose texts and bytes are long."""
    longer: dict[type, object] = {str: LONG, bytes: LONG.encode()}
    if hasattr(value, "_fields"):
        return type(value)(*(longer.get(type(one), one) for one in value))
    value = copy.copy(value)
    for one in dataclasses.fields(value):
        new = longer.get(type(getattr(value, one.name)))
        if new is not None:
            object.__setattr__(value, one.name, new)
    return value


def test_a_repr_is_short() -> None:
    """It is short whatever the value holds, and never shows a body."""
    check_each(MADE, check_repr)


def check_repr(name: str) -> None:
    """Check one value."""
    value = MADE[name]()
    assert len(repr(value)) <= LONGEST_REPR
    if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        assert len(repr(lengthened(value))) <= LONGEST_REPR


FILE = f"User-agent: {LONG}\nUser-agent: ExampleBot\nDisallow: /{LONG}\nLicense: http://{LONG}\n"
RULES = goodbot.RobotsTxt(FILE).rules_for(f"ExampleBot/1.0 ({LONG})")
BODY = f"<p>{'a' * 9000}<a href='/{'x' * 4000}'>{'b' * 9000}</a>"
PAGE = goodbot.Page(f"https://a.example/{LONG[:900]}", BODY, robot=LONG)


@pytest.mark.parametrize(
    "value",
    [
        RULES,
        RULES.selection,
        RULES.verdict(f"/{LONG}"),
        RULES.verdict(f"/{LONG}").rule,
        RULES.verdict(f"/{LONG}").group,
        RULES.usage("/"),
        goodbot.RobotsTxt(FILE, dialect=goodbot.dialect("google").replace(name=LONG)),
        goodbot.dialect("google").replace(name=LONG),
        goodbot.Finding(LONG, "error", LONG),
        PAGE,
        PAGE.links[0],
        PAGE.runs[0],
        PAGE.index,
    ],
    ids=lambda value: type(value).__name__,
)
def test_foreign_content_is_cut_in_a_repr(value: object) -> None:
    """Names, patterns, licences and texts can have any length."""
    assert len(repr(value)) <= LONGEST_REPR


def verdict_of_policy() -> goodbot.Verdict:
    """Return the verdict of a policy on a long URL."""
    made = MADE["goodbot.Policy"]()
    verdict: goodbot.Verdict = made.verdict(f"https://a.example/{LONG}", LONG)
    return verdict


SHOWN: dict[str, Callable[[], Any]] = {
    "Verdict": lambda: RULES.verdict(f"/{LONG}"),
    "Verdict of a policy": verdict_of_policy,
    "PageVerdict": lambda: dataclasses.replace(
        MADE["goodbot.page.PageVerdict"](), robot=LONG, url=LONG
    ),
    "Page": lambda: PAGE,
    "Crawl": lambda: Crawl(
        LONG[:200], "ExampleBot", info_url="https://a.example/", contact="bot@example.com"
    ),
    "Summary": lambda: lengthened(MADE["goodbot.crawl.Summary"]()),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_shows_a_table_in_which_nothing_foreign_is_markup(name: str) -> None:
    """The table has a few thousand characters at most, and needs no IPython."""
    shown = SHOWN[name]()._repr_html_()
    assert shown.startswith("<table>")
    assert shown.endswith("</table>")
    assert "<script" not in shown
    assert "&lt;script" in shown
    assert len(shown) < 5000


def test_a_crawl_that_has_run_shows_what_it_came_to() -> None:
    """A crawl that has not run yet says that."""
    crawl = Crawl("shop", "ExampleBot", info_url="https://a.example/", contact="bot@example.com")
    assert repr(crawl) == "<Crawl 'shop': not run>"
    made: Summary = MADE["goodbot.crawl.Summary"]()
    assert "<td>pages</td><td>7</td>" in made._repr_html_()


def test_a_pickle_of_another_version_says_so() -> None:
    """The message says what to do; nothing is guessed."""
    from goodbot._core import _restore  # noqa: PLC0415  what pickles name
    from goodbot.page.document import restored  # noqa: PLC0415

    with pytest.raises(goodbot.WrongValueError, match="made by another version of goodbot"):
        _restore(0, "Rules", ())
    with pytest.raises(goodbot.WrongValueError, match="made by another version of goodbot"):
        restored(0, None, b"", ())  # type: ignore[arg-type]


def test_a_damaged_pickle_of_rules_raises() -> None:
    """A change in any byte raises, and none makes the core panic."""
    made: Any = RULES.__reduce__()
    restore, (form, kind, (content, dialect)) = made
    for place in range(0, len(content), max(1, len(content) // 500)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        with pytest.raises(goodbot.WrongValueError, match="damaged"):
            restore(form, kind, (changed, dialect))


def test_a_page_of_a_str_comes_back_as_one() -> None:
    """A `str` has no encoding of its own, and a document over the limit keeps its finding."""
    one = goodbot.Page("https://a.example/", "<meta charset=latin1><p>ü")
    again = pickle.loads(pickle.dumps(one))  # noqa: S301  our own
    assert (again.text(), again.encoding) == (one.text(), one.encoding)
    large = goodbot.Page("https://a.example/", b" " * (16 * 1024 * 1024 + 1))
    again = pickle.loads(pickle.dumps(large))  # noqa: S301  our own
    assert again == large
    assert again.findings == large.findings
    assert "too-large" in [finding.code for finding in again.findings]

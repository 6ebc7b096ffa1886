"""`goodbot dialects`, as a whole program."""

import json

import goodbot
from goodbot.knowledge import KNOWN_AS_OF, known_documents, stamp
from tests.support import program


def dialects(*arguments: str) -> tuple[int, str, str]:
    """Run `goodbot dialects` on these arguments; its exit status, output and complaints."""
    done = program.run("dialects", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_every_dialect_is_listed() -> None:
    """The table has a row for each dialect."""
    status, output, complaints = dialects()
    assert (status, complaints) == (0, "")
    for dialect in goodbot.dialects():
        assert any(line.startswith(f"{dialect.name} ") for line in output.splitlines())


def test_every_choice_of_a_dialect_is_shown_with_its_sources() -> None:
    """A dialect is shown with every choice, its meaning, and where it is written."""
    for dialect in goodbot.dialects():
        status, output, _ = dialects(dialect.name)
        shown = " ".join(output.split())
        assert status == 0
        for name, value in dialect.choices.items():
            assert f"{name} {value or '(none)'}"[:40] in shown
        for _, document in dialect.sources:
            assert document.split()[0] in shown


def test_what_differs_from_the_default_is_marked() -> None:
    """A star marks each choice that the default makes otherwise, and only those."""
    default, google = goodbot.dialect("rfc9309").choices, goodbot.dialect("google").choices
    _, output, _ = dialects("google")
    marked = {line.split()[1] for line in output.splitlines()[2:] if line.startswith("* ")}
    assert marked == {name for name, value in google.items() if default[name] != value}


def test_json_is_one_object_for_each_dialect() -> None:
    """--json gives the same in plain values, one dialect a line."""
    _, output, _ = dialects("--json")
    found = [json.loads(line) for line in output.splitlines()]
    assert [one["name"] for one in found] == [one.name for one in goodbot.dialects()]
    _, output, _ = dialects("lwp", "--json")
    one = json.loads(output)
    assert one["choices"]["precedence"] == {
        "value": "first",
        "meaning": "The first rule in the file.",
    }
    assert one["sources"]


def test_unknown_dialect_is_misuse() -> None:
    """An unknown name leaves with 2 and names those there are."""
    status, output, complaints = dialects("latin")
    assert (status, output) == (2, "")
    assert "rfc9309" in complaints


def test_every_document_is_listed_with_the_date_of_the_knowledge() -> None:
    """The table has every row, and ends with the version and the date."""
    status, output, complaints = dialects("--knowledge", "--json")
    assert (status, complaints) == (0, "")
    assert [json.loads(line) for line in output.splitlines()] == [
        row.as_dict() for row in known_documents()
    ]
    status, output, _ = dialects("--knowledge")
    assert (status, stamp() in output) == (0, True)


def test_a_document_is_found_by_its_key_or_a_word_of_its_title() -> None:
    """What of it is implemented, where goodbot departs, and its cases are shown."""
    status, output, _ = dialects("--knowledge", "rsl")
    assert status == 0
    assert output.startswith("rsl: Really Simple Licensing")
    assert "conformance/content_use/rsl.toml" in output
    assert dialects("--knowledge", "licensing")[1] == output
    status, _, complaints = dialects("--knowledge", "no such text")
    assert status == 2
    assert f"is known as of {KNOWN_AS_OF}" in complaints

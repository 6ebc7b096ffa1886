"""Titles that say that nothing was found."""

from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.frontier.contents import NOT_FOUND, not_found_in

PIECES = ["404", "error", "ERROR 404", "Not", "NOT FOUND", "no longer", "exists", "ex\u0131sts"]
PIECES += ["available", "page does", "doesn't exist", "n\u2019t exi\u017ft", "nicht gefunden"]
PIECES += [
    "N\u0130CHT",
    "introuvable",
    "no encontrado",
    "n\xe3o encontrada",
    "non trovat",
    "trovato",
]
PIECES += [
    "\u043d\u0435",
    "\u041d\u0410\u0419\u0414\u0415\u041d",
    "\u627e\u4e0d\u5230",
    " ",
    " ",
    "Lamps",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=20))
def test_titles_that_are_not_searched_say_nothing(title: str) -> None:
    """In what the quick look leaves out, no phrase is found."""
    found, whole = not_found_in(title), NOT_FOUND.search(title)
    assert (found and found[0]) == (whole and whole[0])

"""What the core decides for whole columns of answers is what Python decides for each of them."""

import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import (
    deciding_texts,
    field_lists,
    plain_contents,
    robots_txt_url,
    robots_txt_urls,
)
from goodbot.errors import NoOriginError
from goodbot.policy.classify import ContentTraits
from goodbot.tables.building.answer_kinds import IGNORED, number_rows
from goodbot.tables.columns.fact_rows import unpack_headers
from goodbot.tables.columns.reckoning import LIFETIMES, WITHOUT_LIFETIME, Reckoner
from tests.support.examples import examples
from tests.tables.building.test_plain_policies import BODIES, DIALECTS, LINES

PIECES = [
    b"User-agent: *\n", b"Disallow", b"disALLOW \x0b", b":", b": /a\n", b"\n", b"\r", b" \t", b"\0",
    b"\xef\xbb\xbf", b"\xff\xfe", b"<html>", b"Allow: /\r\n", b"#", b"Crawl-delay: 1\n", b"\x85",
    b"Robot-version: 2.0\n", b"Sitemap: https://a.example/s.xml", b"\x1f\x8b",
]  # fmt: skip
CONTENTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join), st.sampled_from(BODIES)
)
TEXTS = st.lists(st.sampled_from([*LINES, "dates:x", "cache-control:", "expires"]), max_size=4)


@examples(300)
@given(st.lists(CONTENTS, min_size=1, max_size=6), st.sampled_from(DIALECTS))
def test_plain_contents_have_the_traits_that_python_finds(
    contents: list[bytes], dialect: str
) -> None:
    """What the core leaves undecided may have any."""
    reckoner = Reckoner(dialect)
    found = pa.array(plain_contents(pa.array(contents, pa.binary()), dialect)).to_pylist()
    for content, has_disallow in zip(contents, found, strict=True):
        if has_disallow is not None:
            plain = ContentTraits(
                is_cut_short=False, is_blank=False, oddity=None, has_disallow=has_disallow
            )
            traits = reckoner.traits(200, content, truncated=False)
            assert traits == (plain, True, True)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_usual_contents_are_plain(dialect: str) -> None:
    """So that Python reads few."""
    usual = [b"User-agent: *\nDisallow: /\n", b"# Hello\r\nUser-agent: a\r\nAllow: /x\r\n"]
    found = plain_contents(pa.array([*usual, None], pa.binary()), dialect)
    assert pa.array(found).to_pylist() == [True, False, None]


@examples(200)
@given(st.lists(TEXTS.map("\n".join), max_size=5))
def test_what_decides_in_header_fields(texts: list[str]) -> None:
    """Fields that count for nothing are omitted, unless a lifetime is stated."""
    found = pa.array(deciding_texts(pa.array(texts, pa.string()), sorted(LIFETIMES), IGNORED))
    for text, deciding in zip(texts, found.to_pylist(), strict=True):
        fields = unpack_headers(text)
        if any(name in LIFETIMES for name, _ in fields):
            assert deciding is None
        else:
            kept = [one for one in fields if one[0] not in {*WITHOUT_LIFETIME, *IGNORED}]
            assert deciding == "\n".join(f"{name}:{value}" for name, value in kept)


@examples(200)
@given(st.lists(TEXTS.map("\n".join), max_size=5))
def test_header_fields_as_lists(texts: list[str]) -> None:
    """Each field has a name and a value."""
    found = pa.array(field_lists(pa.array(texts, pa.string()))).to_pylist()
    assert found == [
        [{"name": name, "value": value} for name, value in unpack_headers(text)] for text in texts
    ]


ORIGINS = st.from_regex(
    re.compile(r"(https?|ftp|HTTP)://([a-cX]|[0-2.-]|xn--|[:@%]|\u00fc){0,9}"), fullmatch=True
)


@examples(300)
@given(st.lists(ORIGINS, max_size=4))
def test_urls_of_robots_txt(origins: list[str]) -> None:
    """They are those of a single origin; none where that raises."""

    def slow(origin: str) -> str | None:
        try:
            return robots_txt_url(origin)
        except NoOriginError:
            return None

    found = pa.array(robots_txt_urls(pa.array(origins, pa.string()))).to_pylist()
    assert found == [slow(one) for one in origins]


ROWS = st.lists(
    st.tuples(st.sampled_from([200, 404, 500]), st.sampled_from(["a", "b", None]), st.booleans()),
    max_size=20,
)


@examples(200)
@given(ROWS)
def test_equal_rows_have_equal_numbers(rows: list[tuple[Any, ...]]) -> None:
    """The first row of each number is the first of its kind."""
    kinds = [pa.int16(), pa.string(), pa.bool_()]
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]
    numbers, firsts = number_rows(columns)
    known: dict[tuple[Any, ...], int] = {}
    expected = [known.setdefault(row, len(known)) for row in rows]
    assert numbers.to_pylist() == expected
    assert firsts.to_pylist() == [rows.index(row) for row in known]

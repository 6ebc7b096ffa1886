"""Reading queries, beside the parser of the standard library."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goodbot.service.problems import ServiceProblem
from goodbot.service.questions import MOST_PARAMETERS, read_query


@given(st.text("ab%2Ff+&=;\u00e9\x00", max_size=40))
@example("url=https%3A%2F%2Fa.example%2Fb%3Fc%3Dd&robot=Example+Bot")
@example("a=%ff%zz&&b&=c")
def test_a_query_means_what_a_form_means(text: str) -> None:
    """As `urllib.parse` reads it; a name that is there twice is refused, and so is other text."""
    try:
        pairs = parse_qsl(
            text.encode().decode("ascii"), keep_blank_values=True, max_num_fields=MOST_PARAMETERS
        )
    except ValueError:
        pairs = None
    if pairs is None or len(dict(pairs)) < len(pairs):
        with pytest.raises(ServiceProblem):
            read_query(text.encode())
    else:
        assert read_query(text.encode()) == dict(pairs)

"""What the bytes of a document show before it is read: the same as by simple means."""

from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import count_pieces, may_name_robots

MARK = b"robotexclusion.names"
LIKE_IT = st.lists(
    st.sampled_from(
        [
            *(bytes([letter]) for letter in b"robtxX\0ROBTe."),
            *(b"Robote", b"xclusion.names", b"x\0c\0l\0u\0", b"RobotExclusion.Names", MARK),
            b"\0".join(bytes([letter]) for letter in MARK),
        ]
    )
).map(b"".join)


@given(LIKE_IT)
def test_the_name_of_a_page_of_names_is_found_in_any_case_and_between_nuls(piece: bytes) -> None:
    """The search of the core says what Python's does in three passes."""
    assert may_name_robots(piece) == (MARK in piece.replace(b"\0", b"").lower())


@given(st.lists(st.sampled_from([b"<", b"\n", b"a", b"<p>"])).map(b"".join))
def test_tags_and_lines_are_counted(body: bytes) -> None:
    """Each may be a link, so what there is more of counts."""
    assert count_pieces(body) == max(body.count(b"<"), body.count(b"\n"))

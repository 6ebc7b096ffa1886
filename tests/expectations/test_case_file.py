"""Files of expectations: what they may say, and how a wrong one is refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.errors import WrongValueError
from goodbot.expectations import Expectation, read_expectations
from goodbot.expectations.case_file import EXAMPLE, MOST_EXPECTATIONS
from goodbot.files.toml_input import LARGEST_FILE, parse_toml

WHOLE = b"""
file = "robots.txt"
dialect = "google"

[[case]]
robot = "GPTBot"
url = "/articles/1"
allow = false
why = "Our articles are not for training."

[[case]]
robot = ["Googlebot", "bingbot"]
url = ["/", "https://example.com/a"]
allow = true
dialect = "rfc9309"
"""


def test_a_file_is_read_case_by_case() -> None:
    """Each robot and URL of a case is an expectation, with the dialect of the case or the file."""
    file = read_expectations(WHOLE)
    assert file.file == "robots.txt"
    why = "Our articles are not for training."
    first = Expectation("GPTBot", "/articles/1", allow=False, why=why, dialect="google")
    assert file.expectations[0] == first
    assert [(one.robot, one.url, one.case) for one in file.expectations[1:]] == [
        ("Googlebot", "/", 2),
        ("Googlebot", "https://example.com/a", 2),
        ("bingbot", "/", 2),
        ("bingbot", "https://example.com/a", 2),
    ]
    assert {one.dialect for one in file.expectations[1:]} == {"rfc9309"}


def test_a_byte_order_mark_is_ignored() -> None:
    """Editors on Windows write one."""
    assert read_expectations(b"\xef\xbb\xbf" + WHOLE) == read_expectations(WHOLE)


def test_the_example_of_messages_is_valid() -> None:
    """A message that shows how to write a case shows one that can be read."""
    assert len(read_expectations(EXAMPLE.encode()).expectations) == 1


RIGHT = 'robot = "a"\nurl = "/"\nallow = true\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cases.toml: it has no cases; write\n  [[case]]"),
        ("case = 1", "it has no cases"),
        ("case = [1]", "it has no cases"),
        ("[[case]", "it is not valid TOML: "),
        ('a = "\\ud800"', "it is not valid TOML: "),
        ("a = " + "[" * 5000, "it is not valid TOML: "),
        (f"b = 1\n{'a.' * 32}a = 1", "line 2: dots join more than 32 names in one key"),
        (f"[{'a . ' * 32}a]", "line 1: dots join more than 32 names"),
        ("b = '#'\nc = {" + '"."a.' * 32 + "a = 1}", "line 2: dots join more than 32 names"),
        (f'b = """\n"\\"\n"""\n{"a." * 32}a = 1', "line 4: dots join more than 32 names"),
        (f"[[cases]]\n{RIGHT}", "there is no key 'cases'; did you mean case?"),
        (f"zzz = 1\n[[case]]\n{RIGHT}", "there is no key 'zzz'; the keys are case, dialect, file"),
        (f"dialect = 'gogle'\n[[case]]\n{RIGHT}", 'there is no dialect "gogle"; use one of'),
        (f"file = 1\n[[case]]\n{RIGHT}", 'file must be a text; write file = "..." or omit it'),
        (
            f"[[case]]\n{RIGHT}[[case]]\n{RIGHT}alow = 1",
            "cases.toml, case 2: there is no key 'alow'",
        ),
        ("[[case]]\nrobot = 'a'\nurl = '/'", "case 1: write allow = true or allow = false"),
        ("[[case]]\nurl = '/'\nallow = true", 'write robot = "GPTBot", or several as robot = ['),
        ("[[case]]\nrobot = 'a'\nurl = []\nallow = true", 'write url = "/articles/1", or'),
        ("[[case]]\nrobot = 'a'\nurl = ['/', 1]\nallow = true", 'write url = "/articles/1", or'),
        ("[[case]]\nrobot = 'a'\nurl = 'x/y'\nallow = true", "x/y is not a URL; write a path"),
        ("[[case]]\nrobot = 'a'\nurl = '//b/'\nallow = true", "//b/ is not a URL"),
        ("[[case]]\nrobot = 'https://b/'\nurl = '/'\nallow = true", "looks like a URL"),
        (f"[[case]]\n{RIGHT}why = true", "case 1: why must be a text"),
        (f"[[case]]\n{RIGHT}dialect = 'x'", 'case 1: there is no dialect "x"'),
    ],
)
def test_a_wrong_file_is_refused_with_place_and_cure(content: str, message: str) -> None:
    """The message names the file and the case, and says what to write."""
    with pytest.raises(WrongValueError) as raised:
        read_expectations(content.encode(), "cases.toml")
    assert str(raised.value).startswith("cases.toml")
    assert message in str(raised.value)


def test_other_encodings_are_refused_with_the_line() -> None:
    """TOML is UTF-8."""
    with pytest.raises(WrongValueError, match="line 2 is not UTF-8; save the file as UTF-8"):
        read_expectations(b"file = 'a'\n# caf\xe9\n")


def test_a_file_is_bounded() -> None:
    """Neither many bytes nor a product of many robots and URLs is read."""
    with pytest.raises(WrongValueError, match="1 MiB is the most"):
        read_expectations(b"#" * (LARGEST_FILE + 1))
    robots = ", ".join(f"'a{number}'" for number in range(1000))
    urls = ", ".join(f"'/{number}'" for number in range(1000))
    text = f"[[case]]\nrobot = [{robots}]\nurl = [{urls}]\nallow = true"
    with pytest.raises(WrongValueError, match=f"more than {MOST_EXPECTATIONS:,} expectations"):
        read_expectations(text.encode())


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8")))
def test_no_content_raises_anything_else(content: bytes) -> None:
    """Any bytes are a file of expectations, or are refused."""
    with contextlib.suppress(WrongValueError):
        read_expectations(content)


@pytest.mark.parametrize(
    "content",
    [
        "a = '" + "b." * 40 + "'",
        'a = "' + 'b.\\"' * 40 + '"',
        'a = """' + '\n"b".b.b' * 40 + '"""',
        "a = '''" + "\nb.b'" * 40 + "'''",
        "a = 1 # " + "b." * 40,
        "a" * 100_000 + " = 1",
        ".".join("abcdefghijklmnopqrstuvwxyzABCDEF") + " = 1",
    ],
)
def test_dots_that_join_no_names_are_no_long_key(content: str) -> None:
    """Strings and comments may have any number of dots, and a key 32 names."""
    assert parse_toml(content.encode(), "a.toml")


@pytest.mark.parametrize(
    "text",
    [
        'file = "a\\u0000b"\n',
        '"\\u0000" = 1\n',
        'case = [{robot = ["A", "b\\u0000"], url = "/", allow = true}]\n',
    ],
)
def test_nul_is_refused_wherever_it_stands(text: str) -> None:
    """TOML can escape it, and the system calls that open a file end in a traceback."""
    with pytest.raises(WrongValueError, match="has NUL, which no name, path or URL has; remove it"):
        read_expectations(text.encode())

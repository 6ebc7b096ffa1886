"""Keys of URLs are those that replay tools compute."""

import pytest

from goodbot.crawl.wacz.url_key import MOST_PASSES, url_key, url_keys

SESSION = "0123456789abcdefABCDEF0123456789"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://example.com", "com,example)/"),
        ("http://www2.Example.COM:80/", "com,example)/"),
        ("https://example.com:443/", "com,example)/"),
        ("http://example.com:443/", "com,example:443)/"),
        ("https://wwwx.example.com/", "com,example,wwwx)/"),
        ("https://user:secret@example.com:8080/", "com,example:8080)/"),
        ("http://127.0.0.1:8080/", "1,0,0,127:8080)/"),
        ("http://[::1]:8080/A", "::1:8080)/a"),
        ("https://a.example/A//b/../c/./d/", "example,a)/a/c/d"),
        ("https://a.example/../a", "example,a)/../a"),
        ("https://a.example/%2541%20%C3%A9", "example,a)/a%20%c3%a9"),
        ("https://a.example/?", "example,a)/"),
        ("https://a.example/?B=2&a=1&b", "example,a)/?a=1&b&b=2"),
        (f"https://a.example/?q=1&sid={SESSION}&z=2", "example,a)/?q=1&z=2"),
        (f"https://a.example/?PHPSESSID={SESSION}", "example,a)/"),
        ("https://a.example/?cfid=1&cftoken=2&z=2", "example,a)/?z=2"),
        (f"https://a.example/(s({SESSION[:24]}))/x.aspx", "example,a)/x.aspx"),
        (f"https://a.example/({SESSION[:24]})/x.aspx?a", "example,a)/x.aspx?a"),
        ("urn:x", "urn:x"),
    ],
)
def test_keys(url: str, key: str) -> None:
    """Hosts from their end, paths and queries in one spelling, without the numbers of sessions.

    tests/system compares random URLs with the keys that pywb computes.
    """
    assert url_key(url) == key


def test_escapes_of_escapes_end() -> None:
    """A URL of nothing but escapes is decoded a limited number of times."""
    deep = "%" + "25" * (3 * MOST_PASSES) + "41"
    key = url_key(f"https://a.example/{deep}")
    assert key == "example,a)/" + "%25" + "25" * (2 * MOST_PASSES) + "41"


@pytest.mark.parametrize(
    ("url", "keys"),
    [
        ("https://a.example/", ["example,a)/"]),
        ("https://a.example/dir/", ["example,a)/dir", "example,a)/dir/"]),
        ("https://www2.a.example:8443/A", ["example,a:8443)/a"]),
        ("https://a.example/a%7Eb", ["example,a)/a~b", "example,a)/a%7eb"]),
        ("https://a.example/?a=1&a-b=3", ["example,a)/?a=1&a-b=3", "example,a)/?a-b=3&a=1"]),
        ("https://a.example/x^y", ["example,a)/x^y", "example,a)/x%5Ey"]),
        ("https://a.example/?q='", ["example,a)/?q='", "example,a)/?q=%27"]),
        (f"https://a.example/?sid={'0' * 32}", ["example,a)/", f"example,a)/?sid={'0' * 32}"]),
    ],
)
def test_an_index_lists_a_url_under_the_keys_of_both(url: str, keys: list[str]) -> None:
    """Of pywb, and of ReplayWeb.page; once if they are the same."""
    assert url_keys(url) == keys

"""Paths that a pattern matches, to try a rule on before it is proven.

Scope: examples for `Rules.verdict`, which decides. None of them is a proof that there is no other.
"""

__all__ = ["SITE", "sample_path"]

SITE = "https://example.com"
"""The site whose paths are judged; rules do not depend on it."""


def sample_path(pattern: str, after: str = "") -> str:
    """Return a path that a pattern matches, unless it needs what no client sends.

    Args:
        pattern: The pattern.
        after: What stands behind it, where the pattern leaves that open.

    >>> sample_path("/*.css$", "x"), sample_path("/a/", "x"), sample_path("*b")
    ('/.css', '/a/x', '/b')
    """
    is_whole = pattern.endswith("$")
    path = pattern.removesuffix("$").replace("*", "") + ("" if is_whole else after)
    return path if path.startswith("/") else f"/{path}"

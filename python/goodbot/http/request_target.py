"""The target of a request, as a server receives it.

Scope: values.
"""

__all__ = ["asked_url"]

HOST = "https://site.invalid"
"""A host that does not exist (RFC 2606 section 2)."""


def asked_url(path: str) -> str:
    """Return a path and query in a form that rules can be asked about: `//a` alone names a host.

    Args:
        path: What a request asks for, as it was sent; it begins with a slash.

    >>> asked_url("/a"), asked_url("//a")
    ('/a', 'https://site.invalid//a')

    Source: RFC 9112 section 3.2.1 (a target is a path); RFC 3986 section 4.2 (a reference that
    begins with two slashes names a host).

    """
    return f"{HOST}{path}" if path.startswith("//") else path

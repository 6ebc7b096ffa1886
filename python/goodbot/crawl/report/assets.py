"""The style sheet and the script of a report, and the policy that permits these two alone.

Scope: reading the two files, and their hashes (Content Security Policy Level 3, section 2.3.1).
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files

__all__ = ["policy", "script", "style_sheet"]


@cache
def asset(name: str) -> str:
    """Return a file that lies beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def style_sheet() -> str:
    """Return the style sheet."""
    return asset("report.css")


def script() -> str:
    """Return the script."""
    return asset("report.js")


def policy() -> str:
    """Return the Content-Security-Policy of the page.

    The page loads nothing and runs nothing but our own script, whatever a site writes into its
    URLs and titles.
    """
    return (
        f"default-src 'none'; script-src '{hashed(script())}'; "
        f"style-src '{hashed(style_sheet())}'; base-uri 'none'; form-action 'none'"
    )


def hashed(text: str) -> str:
    """Return the hash by which the policy names an element's text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

"""The grammar of licences in RSL: which elements contain which, how often, and the known words.

Scope: data, and whether a word is in it. RSL 1.0 has a RELAX NG schema in its appendix A; this
table has the same structure as far as sections 3.1 to 3.17 state it. Unknown elements and
attributes of other namespaces are ignored (sections 1.2 and 3).
"""

import re

__all__ = [
    "CHILDREN",
    "LEGAL",
    "NAMESPACE",
    "PAYMENTS",
    "REPORTS",
    "TYPES",
    "USAGE",
    "USERS",
    "is_defined",
]

NAMESPACE = "https://rslstandard.org/rsl"
MANY = 1_000_000

CHILDREN: dict[str, dict[str, tuple[int, int]]] = {
    "rsl": {"content": (0, MANY)},
    "content": {
        "license": (1, MANY),
        "alternate": (0, MANY),
        "schema": (0, 1),
        "copyright": (0, 1),
        "terms": (0, 1),
    },
    "license": {
        # At most one for each type, which the reader checks; RSL 1.0 has three types.
        "permits": (0, 10),
        "prohibits": (0, 10),
        "payment": (0, 1),
        "reporting": (0, MANY),
        "legal": (0, 5),
    },
    "payment": {"standard": (0, 1), "custom": (0, 1), "amount": (0, 1), "accepts": (0, 1)},
    **{
        name: {}
        for name in (
            "permits", "prohibits", "reporting", "legal", "alternate", "schema", "copyright",
            "terms", "standard", "custom", "amount", "accepts",
        )
    },
}  # fmt: skip
"""For each element its children of RSL, with the least and the most times that each may occur."""

USAGE = frozenset({"all", "ai-all", "ai-train", "ai-input", "ai-index", "search"})
"""Section 3.4.1.1."""
USERS = frozenset({"commercial", "non-commercial", "education", "government", "personal"})
"""Section 3.4.1.2."""
TYPES = ("usage", "user", "geo")
"""The types of permits and prohibits (sections 3.5 and 3.6)."""
COUNTRY = re.compile(r"[A-Z]{2}")
QNAME = re.compile(r"[^\s:]+:[^\s:]+")
PAYMENTS = frozenset({
    "purchase", "subscription", "training", "crawl", "use", "contribution", "attribution", "free",
    "inference",
})  # fmt: skip
"""Section 3.7; `inference` is what the draft of RSL 0.9 called `use`."""
REPORTS = frozenset({"telemetry", "provenance", "audit"})
"""Section 3.12."""
LEGAL = frozenset({"warranty", "disclaimer", "attestation", "contact", "proof"})
"""Section 3.13."""


def is_defined(kind: str, word: str) -> bool:
    """Return whether RSL defines a word of a list of `permits` or `prohibits`, or leaves it alone.

    One of another namespace (`x:word`) is not interpreted (section 3.4.1).
    """
    known = {
        "usage": word in USAGE,
        "user": word in USERS,
        "geo": COUNTRY.fullmatch(word) is not None,
    }[kind]
    return known or QNAME.fullmatch(word) is not None

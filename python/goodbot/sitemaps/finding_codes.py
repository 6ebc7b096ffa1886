"""Findings on sitemaps: one table of codes."""

__all__ = ["FINDING_CODES"]

FINDING_CODES: dict[str, tuple[str, str]] = {
    "no-sitemap": ("error", "The content is not a sitemap in any known form."),
    "sitemap-too-large": ("error", "The sitemap is larger than 50 MiB; the rest was not read."),
    "too-many-entries": (
        "error",
        "The sitemap has more than 50,000 entries; the rest was not read.",
    ),
    "too-many-elements": ("error", "The sitemap has too many elements; the rest was not read."),
    "broken-gzip": ("error", "The compressed sitemap is truncated or damaged; the rest is lost."),
    "no-address": ("warning", "An entry has no absolute http or https URL."),
    "long-address": ("warning", "A URL has 2,048 characters or more."),
    "other-site": (
        "warning",
        "A URL is on a site whose robots.txt does not name this sitemap.",
    ),
    "other-directory": ("warning", "A URL is not below the directory of the sitemap."),
    "version-without-tag": (
        "warning",
        "A version in another language (hreflang) has no known language or region.",
    ),
    "version-without-address": (
        "warning",
        "A version in another language (hreflang) has no absolute http or https URL.",
    ),
    "version-without-itself": (
        "warning",
        "A page names versions in other languages (hreflang), and not itself.",
    ),
    "version-not-returned": (
        "warning",
        "A page names another one as its version (hreflang), which does not name it.",
    ),
    "bad-date": ("info", "The date of an entry is invalid; the entry counts anyway."),
    "repeated-address": ("info", "A URL is listed more than once."),
}
"""Every code, with its severity and meaning. XML documents have further codes."""

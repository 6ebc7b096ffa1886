"""Tools for authors of pages: write directives for robots in any form, and check marks.

>>> from goodbot.site.writing import Wish, write
>>> print(write(Wish.parse("noindex, googlebot: nofollow"), "header").text)
X-Robots-Tag: noindex
X-Robots-Tag: googlebot: nofollow

Scope: this package decides; it uses no clock, socket or disk.
"""

from goodbot.page.marked_view import marked_view
from goodbot.site.writing.codes import LOSSES, Loss
from goodbot.site.writing.forms import FORMS, Written, write
from goodbot.site.writing.stated import Stated, wish_of
from goodbot.site.writing.wish import Wish, Wished
from goodbot.site.writing.xmdp import PROFILE_CODES, profile_document, profile_findings

__all__ = [
    "FORMS",
    "LOSSES",
    "PROFILE_CODES",
    "Loss",
    "Stated",
    "Wish",
    "Wished",
    "Written",
    "marked_view",
    "profile_document",
    "profile_findings",
    "wish_of",
    "write",
]

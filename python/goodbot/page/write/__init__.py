"""Tools for authors of pages: write directives for robots in any form, and check marks.

>>> from goodbot.page.write import Wish, write
>>> print(write(Wish.parse("noindex, googlebot: nofollow"), "header").text)
X-Robots-Tag: noindex
X-Robots-Tag: googlebot: nofollow

Scope: this package decides; it uses no clock, socket or disk.
"""

from goodbot.page.write.codes import LOSSES, Loss
from goodbot.page.write.forms import FORMS, Written, write
from goodbot.page.write.marked_view import marked_view
from goodbot.page.write.stated import Stated, wish_of
from goodbot.page.write.wish import Wish, Wished
from goodbot.page.write.xmdp import PROFILE_CODES, profile_document, profile_findings

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

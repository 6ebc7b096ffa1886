"""What pages say of themselves, obeyed by a crawl: statements of the founding documents."""

from pathlib import Path

import pytest

from goodbot.testing import Answer
from tests.support.memory_crawls import SITE, crawl, html, paths, searched, site_of

XML = (("Content-Type", "application/xml"),)
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def test_an_instruction_in_a_document_lifts_no_rule_of_robots_txt(tmp_path: Path) -> None:
    """Robots PI, introduction: it stands in the document, which robots.txt may keep shut."""
    inviting = f'<?robots index="yes" follow="yes"?><d {XLINK}><s xlink:href="/shut">a</s></d>'
    site = site_of(
        "User-agent: *\nDisallow: /shut",
        home=Answer(body=inviting.encode(), headers=XML),
        shut=Answer(body=inviting.encode(), headers=XML),
    )
    crawl(tmp_path, site)
    assert paths(tmp_path, "done") == ["/"]
    assert f"{SITE}/shut" not in [visit.url for visit in site.visits]


@pytest.mark.parametrize(
    "mark",
    [
        '<META NAME="URL" CONTENT="https://a.example/real">',
        '<LINK NAME="INDEXINSTEAD" CONTENT="https://a.example/real">',
    ],
)
def test_what_is_indexed_instead_is_known_by_its_own_words(tmp_path: Path, mark: str) -> None:
    """Koster, 4 June 1996: drop this document and index the other one, which cannot be spoofed."""
    site = site_of(home=html("alpha", head=mark), real=html("beta"))
    crawl(tmp_path, site)
    assert searched(tmp_path, "alpha") == []
    assert searched(tmp_path, "beta") == ["/real"]

"""Tests for every archive of a crawl, wherever it keeps its copies.

Scope: tests of `goodbot.crawl.archive.protocol.Archive` that use only its methods.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone

from goodbot.crawl.archive.copies import CopyToKeep, copy_to_keep, partial_copy
from goodbot.crawl.archive.protocol import Archive
from goodbot.http.validators import Validators
from goodbot.net import Response
from goodbot.page import Page

__all__ = ["ArchiveSuite", "OpenArchive"]

OpenArchive = Callable[[], Archive]
"""Opens the archive; opened again, it is the same archive after its process was killed."""

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
URL = "https://a.example/lamp"
ROBOTS_TXT = "https://a.example/robots.txt"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
WITH_CUT = (
    '<head profile="http://example.org/xmdp/robots-profile#"></head>'
    "<p>open <b class=robots-noarchive>hidden</b></p>"
)


def answer(body: str, url: str = URL, *, hours: int = 0) -> Response:
    """Return an answer that was requested some hours after the start."""
    time = START + timedelta(hours=hours)
    return Response(
        url=url,
        status=200,
        headers=HTML,
        body=body.encode(),
        started=time,
        ended=time,
        http_version="1.1",
    )


def to_keep(body: str, *, hours: int = 0) -> CopyToKeep:
    """Return what may be kept of a page, which must be something."""
    response = answer(body, hours=hours)
    page = Page(URL, response.body, headers=response.headers)
    copy = copy_to_keep(URL, response, page, response.started, copy=partial_copy(page))
    assert isinstance(copy, CopyToKeep)
    return copy


def shown(archive: Archive, url: str = URL) -> bytes | None:
    """Return the bytes of the copy, if there is one."""
    copy = archive.show(url)
    return None if copy is None else copy.content


class ArchiveSuite:
    """Tests for an archive: derive from it, and define the pytest fixture `open_archive`.

    The fixture returns a function that opens the archive. Called again within a test, it opens the
    same archive as another process does after the first one was killed: without closing it.

    For example::

        class TestMyArchive(ArchiveSuite):
            @pytest.fixture
            def open_archive(self, bucket):
                return lambda: MyArchive(bucket)
    """

    def test_it_has_every_method(self, open_archive: OpenArchive) -> None:
        """It is an archive by its methods."""
        assert isinstance(open_archive(), Archive)

    def test_what_is_kept_is_shown(self, open_archive: OpenArchive) -> None:
        """As it was received, with what is known of it."""
        archive = open_archive()
        assert archive.show(URL) is None
        (kept,) = archive.keep(1, to_keep("<p>lamp"), 1)
        copy = archive.show(URL)
        assert copy is not None
        assert (copy.content, copy.kind, copy.status) == (b"<p>lamp", "response", 200)
        assert (copy.received, copy.where) == (START, kept)
        assert archive.disk_bytes() > 0

    def test_parts_that_may_not_be_kept_are_nowhere(self, open_archive: OpenArchive) -> None:
        """The copy is without them, and says so."""
        archive = open_archive()
        assert [one.kind for one in archive.keep(1, to_keep(WITH_CUT), 1)] == [
            "conversion",
            "metadata",
        ]
        copy = archive.show(URL)
        assert copy is not None
        assert b"open" in copy.content
        assert b"hidden" not in copy.content
        assert len(copy.cuts) == 1

    # Visits.

    def test_a_visit_that_is_written_twice_is_kept_once(self, open_archive: OpenArchive) -> None:
        """The second time the same records are returned, and nothing is written."""
        archive = open_archive()
        for visit, body in ((1, "<p>lamp"), (2, WITH_CUT), (3, "<p>lamp")):
            first = archive.keep(1, to_keep(body, hours=visit), visit)
            size = archive.disk_bytes()
            assert archive.keep(1, to_keep(body, hours=visit), visit) == first
            assert open_archive().keep(1, to_keep(body, hours=visit), visit) == first
            assert archive.disk_bytes() == size

    def test_the_newest_visit_counts(self, open_archive: OpenArchive) -> None:
        """What an older one brings late is not kept, and takes nothing away."""
        archive = open_archive()
        archive.keep(1, to_keep("<p>old"), 1)
        archive.keep(1, to_keep("<p>new", hours=2), 3)
        assert archive.keep(1, to_keep("<p>late", hours=1), 2) == []
        archive.forget(1, 2)
        assert shown(archive) == b"<p>new"
        archive.forget(1, 4)
        assert shown(archive) is None

    def test_the_same_content_again_confirms_the_copy(self, open_archive: OpenArchive) -> None:
        """With the time of the last visit."""
        archive = open_archive()
        archive.keep(1, to_keep("<p>lamp"), 1)
        archive.keep(1, to_keep("<p>lamp", hours=5), 2)
        copy = archive.show(URL)
        assert copy is not None
        assert (copy.received, copy.confirmed) == (START, START + timedelta(hours=5))

    def test_what_is_kept_whole_may_be_confirmed(self, open_archive: OpenArchive) -> None:
        """With its validators, the content as received, and the fields of the latest answer."""
        archive = open_archive()
        first = to_keep("<p>one")
        assert archive.whole_copy(1) is None
        archive.keep(1, first, 1)
        assert 1 in archive
        assert archive.whole_copy(1) is None  # it has no validators
        tagged = replace(first.response, headers=(*HTML, ("ETag", '"1"')))
        validators = Validators('"1"', None)
        archive.keep(1, replace(first, response=tagged, validators=validators), 2)
        whole = open_archive().whole_copy(1)
        assert whole is not None
        assert whole.validators == validators
        assert whole.read().body == b"<p>one"
        assert whole.read().field("ETag") == '"1"'

    def test_a_304_confirms_the_copy(self, open_archive: OpenArchive) -> None:
        """What is shown is as received; of another page's copy it confirms nothing."""
        archive = open_archive()
        tagged = replace(to_keep("<p>one").response, headers=(*HTML, ("ETag", '"1"')))
        copy = replace(to_keep("<p>one"), response=tagged, validators=Validators('"1"', None))
        archive.keep(1, copy, 1)
        later = answer("", hours=1)
        updated = replace(copy, response=replace(tagged, headers=(*tagged.headers, ("Age", "1"))))
        again = replace(updated, not_modified=replace(later, status=304))
        assert [one.kind for one in archive.keep(1, again, 2)] == ["revisit"]
        assert archive.keep(2, again, 1) == []
        archive = open_archive()
        assert shown(archive) == b"<p>one"
        whole = archive.whole_copy(1)
        assert whole is not None
        assert whole.read().field("Age") == "1"
        archive.forget(1, 2)
        assert archive.whole_copy(1) is None
        assert 1 not in archive

    def test_pages_are_kept_apart(self, open_archive: OpenArchive) -> None:
        """Forgetting one leaves the other; forgetting twice does no more."""
        archive, other = open_archive(), f"{URL}/other"
        archive.keep(1, to_keep("<p>one"), 1)
        archive.keep(2, replace(to_keep("<p>two"), url=other), 1)
        for _ in range(2):
            archive.forget(1)
            assert (shown(archive), shown(archive, other)) == (None, b"<p>two")

    # robots.txt.

    def test_a_robots_txt_is_kept_as_received(self, open_archive: OpenArchive) -> None:
        """Each answer once, by when it was asked for; the newest is shown."""
        archive = open_archive()
        first = archive.keep_robots_txt(answer("User-agent: *", ROBOTS_TXT))
        size = archive.disk_bytes()
        assert archive.keep_robots_txt(answer("User-agent: *", ROBOTS_TXT)) == first
        assert archive.disk_bytes() == size
        archive.keep_robots_txt(answer("User-agent: *\nDisallow: /", ROBOTS_TXT, hours=1))
        assert shown(archive, ROBOTS_TXT) == b"User-agent: *\nDisallow: /"

    # Crashes.

    def test_what_is_kept_is_there_after_a_crash(self, open_archive: OpenArchive) -> None:
        """And what is kept next stands beside it."""
        open_archive().keep(1, to_keep("<p>one"), 1)
        archive = open_archive()
        assert shown(archive) == b"<p>one"
        archive.keep_robots_txt(answer("User-agent: *", ROBOTS_TXT))
        archive = open_archive()
        assert (shown(archive), shown(archive, ROBOTS_TXT)) == (b"<p>one", b"User-agent: *")

    def test_closing_twice_does_nothing(self, open_archive: OpenArchive) -> None:
        """As after an error."""
        archive = open_archive()
        archive.close()
        archive.close()

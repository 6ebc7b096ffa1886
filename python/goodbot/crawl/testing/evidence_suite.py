"""Tests for every place of a crawl's evidence, wherever it is.

Scope: tests of `goodbot.crawl.evidence.protocol.EvidenceWriter`. It is only written through that
protocol, so a suite needs methods that read what was written.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone

from goodbot.crawl.evidence import rows
from goodbot.crawl.evidence.protocol import EvidenceWriter
from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.net import Response
from goodbot.robot.events import Failed, Fetched, Remark

__all__ = ["EvidenceSuite", "OpenEvidence"]

OpenEvidence = Callable[[], EvidenceWriter]
"""Opens the evidence; opened again, it is the same evidence after its process was killed."""

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
SITE = "https://a.example"
HEARD = Remark(SITE, "comment", "Please write to us.")


def at(minutes: int) -> datetime:
    """Return a time some minutes after the start."""
    return START + timedelta(minutes=minutes)


def failure(minutes: int) -> EvidenceRow:
    """Return what is recorded of a visit without a response."""
    return rows.failed(at(minutes), "dns", "there is no such host")


def fetched(path: str, minutes: int) -> Fetched:
    """Return a request that was answered."""
    response = Response(
        url=SITE + path,
        status=200,
        headers=(("Content-Type", "text/plain"),),
        body=b"lamp",
        started=at(minutes),
        ended=at(minutes),
        http_version="1.1",
    )
    return Fetched(SITE + path, at(minutes), 200, 4, 0.0, "page", at(minutes), response)


class EvidenceSuite:
    """Tests for evidence: derive from it, and define `open_evidence` and three ways to read it.

    The pytest fixture `open_evidence` returns a function that opens the evidence. Called again
    within a test, it opens the same evidence as another process does after the first one was
    killed: without closing it.

    For example::

        class TestMyEvidence(EvidenceSuite):
            @pytest.fixture
            def open_evidence(self, bucket):
                return lambda: MyEvidence(bucket)

            def visits(self, evidence):
                return [(row.url_id, row.visit, row.at) for row in evidence.segment("visits")]

            ...
    """

    def visits(self, evidence: EvidenceWriter) -> Sequence[tuple[int, int | None, datetime]]:
        """Return the number of the URL, the number of the visit and the time of each result."""
        raise NotImplementedError

    def requests(self, evidence: EvidenceWriter) -> Sequence[tuple[str, int | str]]:
        """Return the URL of each request, with the status or what failed, in order."""
        raise NotImplementedError

    def remarks(self, evidence: EvidenceWriter) -> Sequence[tuple[str, str]]:
        """Return the origin and the text of each remark, each once."""
        raise NotImplementedError

    def test_it_has_every_method(self, open_evidence: OpenEvidence) -> None:
        """It is a place for evidence by its methods."""
        assert isinstance(open_evidence(), EvidenceWriter)

    def test_a_visit_is_recorded_once(self, open_evidence: OpenEvidence) -> None:
        """Recorded again, as after an error, it changes nothing; another visit is another row."""
        evidence = open_evidence()
        evidence.keep(7, failure(1), 1)
        evidence.keep(7, failure(2), 1)
        evidence.keep(7, failure(3), 2)
        evidence.keep(8, failure(4), 1)
        expected = [(7, 1, at(1)), (7, 2, at(3)), (8, 1, at(4))]
        assert sorted(self.visits(evidence), key=lambda row: row[2]) == expected

    def test_what_is_no_visit_is_recorded_each_time(self, open_evidence: OpenEvidence) -> None:
        """Such as that the operator had a page removed."""
        evidence = open_evidence()
        for minutes in (1, 2):
            evidence.keep(7, rows.removed(at(minutes), "forgotten", "removed"))
        assert sorted(row[2] for row in self.visits(evidence)) == [at(1), at(2)]

    def test_every_request_is_recorded(self, open_evidence: OpenEvidence) -> None:
        """Also one that failed, and the same again: each was sent."""
        evidence = open_evidence()
        evidence.requested(fetched("/robots.txt", 1))
        evidence.requested(Failed(f"{SITE}/a", at(2), "timeout", "page", at(2)))
        evidence.requested(fetched("/a", 3))
        evidence.requested(fetched("/a", 4))
        a = f"{SITE}/a"
        expected = [(f"{SITE}/robots.txt", 200), (a, "timeout"), (a, 200), (a, 200)]
        assert list(self.requests(evidence)) == expected

    def test_a_remark_is_new_once(self, open_evidence: OpenEvidence) -> None:
        """The operator hears it once; another text, or another site, is another remark."""
        evidence = open_evidence()
        other = Remark(SITE, "comment", "Please call us.")
        elsewhere = Remark("https://b.example", "comment", HEARD.text)
        heard = [HEARD, HEARD, other, elsewhere, other]
        found = [evidence.remarked(one, at(number)) for number, one in enumerate(heard)]
        assert found == [True, False, True, True, False]
        told = {(one.origin, one.text) for one in heard}
        assert sorted(self.remarks(evidence)) == sorted(told)

    def test_another_process_finds_everything(self, open_evidence: OpenEvidence) -> None:
        """What was recorded is there, and is not recorded again."""
        before = open_evidence()
        before.keep(7, failure(1), 1)
        before.requested(fetched("/a", 1))
        before.remarked(HEARD, at(1))
        evidence = open_evidence()
        evidence.keep(7, failure(2), 1)
        assert not evidence.remarked(HEARD, at(2))
        assert list(self.visits(evidence)) == [(7, 1, at(1))]
        assert list(self.requests(evidence)) == [(f"{SITE}/a", 200)]
        assert list(self.remarks(evidence)) == [(SITE, HEARD.text)]

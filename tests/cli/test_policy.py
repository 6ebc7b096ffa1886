"""`goodbot policy`, as a whole program, with real sites on loopback."""

import hashlib
import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.store import SQLiteStore
from goodbot.testing import BEHAVIOURS, LoopbackVisit, behaviour
from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import always, http
from tests.support.live_sites import ask, open_site

RULES = b"User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n"
DIGEST = hashlib.sha256(RULES).hexdigest()


def policy(*words: str) -> tuple[int, str, str]:
    """Run `goodbot policy`, also for addresses on loopback."""
    return ask("policy", "--allow-private", *words)


def told(output: str) -> list[tuple[str, str]]:
    """Return the rows: text by label."""
    sheet = output.partition("\n\n")[0].splitlines()[1:]
    return [
        (label.strip(), text.strip())
        for label, _, text in (row[2:].partition("  ") for row in sheet)
    ]


def test_a_file_is_told_of_from_the_way_there_to_the_next_visit() -> None:
    """The way, the answer, the life, the validators, the size, and when to come."""
    changed = "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT"
    fields = (TEXT, "Cache-Control: max-age=7200", 'ETag: "a"', changed)
    with open_site(always(200, RULES, *fields)) as site:
        status, output, complaints = policy("-r", "ExampleBot/1.0", f"{site.origin}/any/page")
        assert [visit.target for visit in site.visits] == ["/robots.txt"]
    rows = dict(told(output))
    assert (status, complaints) == (0, "")
    assert output.splitlines()[0] == f"{site.origin}: rules (found)"
    assert rows["requested"] == f"{site.origin}/robots.txt"
    assert rows["response"] == "robots.txt returned status 200"
    assert rows["meaning"] == "robots.txt was found, and its rules apply."
    assert rows["source"] == "the site, fetched just now"
    assert rows["User-Agent"] == f"goodbot/{goodbot.__version__} (+https://example.com/bot)"
    assert rows["fetched"].endswith(" UTC")
    assert rows["fresh until"].endswith(" UTC, in 2 hours (from max-age in its header)")
    assert rows["ETag"] == '"a"'
    assert rows["modified"] == "Wed, 01 Jan 2025 00:00:00 GMT"
    assert rows["size"] == f"{len(RULES)} bytes"
    assert rows["sha256"] == DIGEST
    assert "robots.txt line 2 asks for 1 second" in rows["next visit"]
    assert "Findings" not in output
    assert "History" not in output


def test_the_chain_of_hops_is_shown_in_order() -> None:
    """Each address stands in its own row; that another host answered is a finding."""

    def chain(visit: LoopbackVisit) -> list[bytes]:
        here, there = visit.origin, visit.other_origin
        following = {
            "/robots.txt": f"{here}/1/robots.txt",
            "/1/robots.txt": f"{there}/2/robots.txt",
        }
        to = following.get(visit.target)
        return [http(200, RULES, TEXT) if to is None else http(301, b"", f"Location: {to}")]

    with open_site(lambda visit: iter(chain(visit))) as site:
        _, output, _ = policy(f"{site.origin}/")
        expected = [
            ("requested", f"{site.origin}/robots.txt"),
            ("redirect", f"{site.origin}/1/robots.txt"),
            ("redirect", f"{site.other_origin}/2/robots.txt"),
            ("response", f"robots.txt at {site.other_origin}/2/robots.txt returned status 200"),
        ]
    assert told(output)[:4] == expected
    assert "Findings: 1 info" in output
    assert "[other-authority]" in output


def test_a_failing_site_says_since_when_and_when_to_ask_again() -> None:
    """The policy is printed, and the status is 2, because the site has not answered."""
    with open_site("unavailable") as site:
        status, output, _ = policy(f"{site.origin}/")
    rows = dict(told(output))
    assert status == ExitStatus.MISUSE
    assert output.splitlines()[0] == f"{site.origin}: disallow-all (service-unavailable)"
    assert rows["response"] == "robots.txt returned status 503"
    assert rows["next request"] == rows["fresh until"]
    assert rows["failing"].startswith("since 20")
    assert rows["unreachable"].startswith("since 20")
    assert rows["next visit"] == "none while everything is disallowed"
    assert "size" not in rows


@pytest.mark.parametrize("name", [one.name for one in BEHAVIOURS if one.path == "/robots.txt"])
def test_every_behaviour_of_sites_has_a_sheet(name: str) -> None:
    """Whatever a site does, its policy is printed soon; without an answer, the status is 2."""
    with open_site(name) as site:
        status, output, _ = policy("--timeout", "2", f"{site.origin}/")
    assert status == (2 if behaviour(name).access in {"disallow-all", "defer"} else 0)
    assert output.startswith(f"{site.origin}: {behaviour(name).access} (")


def test_findings_of_the_answer_and_of_the_file_are_listed() -> None:
    """At most twenty of them, unless --findings asks for all; the JSON has all."""
    content = b"User-agent: *\n" + b"Disallow: private\n" * 30
    with open_site(always(200, content, "Content-Type: application/json")) as site:
        _, short, _ = policy(f"{site.origin}/")
        _, whole, _ = policy("--findings", f"{site.origin}/")
        _, object_, _ = policy("--json", f"{site.origin}/")
    assert "[not-text-type]" in short
    assert "more; add --findings to list them all" in short
    assert whole.count("[pattern-without-slash]") == 30
    codes = [finding["code"] for finding in json.loads(object_)["findings"]]
    assert codes[0] == "not-text-type"
    assert codes.count("pattern-without-slash") == 30


def test_pace_hours_and_messages_reach_the_operator() -> None:
    """What the site asks of this robot, its messages, and hours that nobody can read."""
    content = (
        b"User-agent: *\nRequest-rate: 1/30\nRequest-rate: 1/10m at night\nVisit-time: at night\n"
        b"Comment: please # write to us\n\nUser-agent: other\nComment: not for you\n"
    )
    with open_site(always(200, content, TEXT)) as site:
        _, output, _ = policy("-r", "ExampleBot", f"{site.origin}/")
        _, object_, _ = policy("-r", "ExampleBot", "--json", f"{site.origin}/")
    rows = told(output)
    assert [text for label, text in rows if label == "asks for"] == [
        "at most 1 document in 30 s",
        "at most 1 document in 600 s (its hours cannot be read, so it replaces no other pace)",
    ]
    assert [text for label, text in rows if label == "comment"] == ["please # write to us"]
    assert "[unreadable-visit-time]" in output
    found = json.loads(object_)
    assert found["asks"]["comments"] == ["please # write to us"]
    assert [rate["doubtful"] for rate in found["asks"]["request_rates"]] == [False, True]
    assert "unreadable-visit-time" in [finding["code"] for finding in found["findings"]]


def test_no_store_is_said() -> None:
    """If a site forbids storing, nothing is stored, and the output says so."""
    with open_site(always(200, RULES, TEXT, "Cache-Control: no-store")) as site:
        _, output, _ = policy(f"{site.origin}/")
    assert dict(told(output))["stored"].startswith("not beyond this run")


@pytest.mark.parametrize(
    ("status", "access"), [(403, "allow-all"), (404, "allow-all"), (503, "disallow-all")]
)
def test_a_status_counts_without_content_that_can_be_decoded(status: int, access: str) -> None:
    """An error page that is not in the coding that it names is no failure of the request."""
    with open_site(always(status, b"<html>Sorry", TEXT, "Content-Encoding: gzip")) as site:
        _, output, _ = policy("--json", f"{site.origin}/")
    found = json.loads(output)
    assert (found["status"], found["access"]) == (status, access)


def test_json_is_one_object() -> None:
    """It has the policy's own dict, and who asked, the file, the next visit."""
    with open_site("polite") as site:
        status, output, _ = policy("--json", "-r", "ExampleBot", f"{site.origin}/")
    found = json.loads(output)
    assert (status, output.count("\n")) == (0, 1)
    assert (found["access"], found["reason"], found["status"]) == ("rules", "found", 200)
    assert (found["came_from"], found["robot"]) == ("site", "ExampleBot")
    assert found["asks_as"] == f"goodbot/{goodbot.__version__} (+https://example.com/bot)"
    assert found["robots_txt"] == {"size": len(RULES), "sha256": DIGEST}
    assert found["next_visit"]["reason"] == "crawl-delay"
    assert found["validators"] == {"etag": None, "last_modified": None}
    assert found["history"] is None


def test_the_store_tells_every_robots_txt_ever_seen(tmp_path: Path) -> None:
    """Oldest first, with times, digest and size; the next run makes no request."""
    store = str(tmp_path / "robots.db")
    with open_site("polite") as site:
        seen_before(store, site.origin)
        status, output, _ = policy("--store", store, f"{site.origin}/")
        _, second, _ = policy("--store", store, "--json", f"{site.origin}/a")
        assert len(site.visits) == 1
    history = output.partition(f"History in {store}\n")[2]
    assert status == 0
    assert history.startswith(
        "  2025-01-01 00:00:00 UTC: allow-all (not-found)\n"
        "  2025-02-01 00:00:00 UTC: rules (found), 24 bytes\n"
    )
    assert history.count("rules (found)") == 2
    assert f"    sha256 {DIGEST}\n" in history
    found = json.loads(second)
    assert found["came_from"] == "store"
    assert [one["status"] for one in found["history"]] == [404, 200, 200]
    assert [one["size"] for one in found["history"]] == [None, 24, len(RULES)]
    assert [one["sha256"] for one in found["history"]][::2] == [None, DIGEST]


def seen_before(path: str, origin: str) -> None:
    """Put into a store what was seen of a site in another year."""
    from goodbot import Policy  # noqa: PLC0415  as few need it

    url = f"{origin}/robots.txt"
    with SQLiteStore(path) as store:
        for month, status, body in ((1, 404, b""), (2, 200, b"User-agent: *\nDisallow:\n")):
            now = datetime(2025, month, 1, tzinfo=timezone.utc)
            record = Policy.from_response(url, status, {}, body, now=now).as_record()
            store.put(origin, record, now)


def test_not_now_is_no_answer(tmp_path: Path) -> None:
    """Two sites send to a third, which wants nobody to come: of the second there is no policy."""
    store = str(tmp_path / "robots.db")
    with open_site(always(503, b"", "Retry-After: 3600")) as third:
        leading = always(302, b"", f"Location: {third.origin}/robots.txt")
        with open_site(leading) as sites:
            first = policy("--store", store, f"{sites.origin}/")[1]
            assert first.startswith(f"{sites.origin}: disallow-all (service-unavailable)")
            status, output, complaints = policy("--store", store, f"{sites.other_origin}/")
        assert len(third.visits) == 1
    assert (status, output) == (2, "")
    assert "the server asked for this with Retry-After; try again at 20" in complaints


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["ftp://a.example/"], "not an absolute http or https URL"),
        (["a.example"], "write https://a.example"),
        (["https://a.example/", "-d", "all"], "rfc9309"),
        (["https://a.example/", "--contact", ""], "goodbot policy --info-url"),
        (["https://a.example/", "--store", __file__], "pass the path of a store"),
        (["https://a.example/", "https://b.example/"], "--help"),
    ],
)
def test_misuse_is_told_with_the_cure(words: list[str], cure: str) -> None:
    """The exit status is 2, nothing is printed, and no request is made."""
    status, output, complaints = ask("policy", *words)
    assert (status, output) == (2, "")
    assert complaints.startswith("Error: ")
    assert cure in complaints


def test_foreign_octets_steer_no_terminal() -> None:
    """Text from headers and files is escaped."""
    fields = (TEXT, 'ETag: "\x1b[2J"', "Cache-Control: max-age=\x9b1")
    with open_site(always(200, b"User-agent: *\nDis\x1b[2Jallow: /\n", *fields)) as site:
        _, output, complaints = policy(f"{site.origin}/")
    assert output
    assert not set(output + complaints) & set("\x1b\x9b\x07")

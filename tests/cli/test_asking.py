"""`goodbot check` without a file, as a whole program, with real sites on loopback."""

import io
import json
import os
import socket
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.live_check import Sentences
from goodbot.cli.shared.live_sites import LiveSites, SiteState, address_in
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.time_format import span
from goodbot.http.instants import format_time
from goodbot.pace import Turn
from goodbot.testing import BEHAVIOURS, behaviour
from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import always
from tests.support import program
from tests.support.live_sites import ask, assert_whole, check, leading_to, open_site
from tests.support.loopback_shop import open_shop
from tests.support.paths import ROOT
from tests.support.program import WHO_ASKS, bare_environment, environment

HTML = b"<!DOCTYPE html>\n<html><body><p>Welcome</body></html>\n"
GOODBOTS_NAME = f"goodbot/{goodbot.__version__}"


def rows(output: str) -> dict[str, str]:
    """Return the rows on a site by label; those of the last site if there are several."""
    lines = [line.strip().partition("  ") for line in output.splitlines() if line[:2] == "  "]
    return {label: told.strip() for label, _, told in lines}


# Verdicts, and what they rest on.


def test_a_site_is_asked_once_for_all_of_its_urls() -> None:
    """Each URL has its sentence, the site its state after the first, and the status is the file's.

    The site sees one question, in goodbot's own name where none is given.
    """
    with open_site("polite") as site:
        status, output, complaints = check(f"{site.origin}/a", f"{site.origin}/private/b")
        visits = site.visits
    assert (status, complaints) == (1, "")
    sentences = [line for line in output.splitlines() if not line.startswith(" ")]
    assert sentences[0].startswith(f"{site.origin}/a: Allowed: ")
    assert sentences[1].startswith(f"{site.origin}/private/b: Disallowed: ")
    assert '"Disallow: /private/"' in sentences[1]
    told = rows(output)
    assert list(told) == ["policy", "source", "fresh until", "next visit"]
    assert told["policy"] == "rules (found): robots.txt returned status 200"
    assert told["source"] == "the site, fetched just now"
    assert told["fresh until"].endswith(" UTC, in 24 hours")
    assert "robots.txt line 2 asks for 1 second between visits" in told["next visit"]
    assert [visit.target for visit in visits] == ["/robots.txt"]
    assert visits[0].field("User-Agent") == f"{GOODBOTS_NAME} (+https://example.com/bot)"
    assert visits[0].field("From") == "bot@example.com"


def test_all_allowed_is_status_0() -> None:
    """The status is 0 if every URL is allowed."""
    with open_site("polite") as site:
        assert check(f"{site.origin}/a")[0] == ExitStatus.ALLOWED


@pytest.mark.parametrize("name", [one.name for one in BEHAVIOURS if one.path == "/robots.txt"])
def test_every_behaviour_of_sites_comes_to_what_its_table_says(name: str) -> None:
    """Whatever a site does, there is a verdict soon, and a failure is never a permission."""
    with open_site(name) as site:
        status, output, _ = check("--json", "--timeout", "2", f"{site.origin}/a")
    found = json.loads(output)
    assert found["policy"]["access"] == behaviour(name).access
    assert found["access"] == behaviour(name).access
    if behaviour(name).access in {"disallow-all", "defer"}:
        assert (status, found["allowed"]) == (ExitStatus.MISUSE, False)
    else:
        assert status == (ExitStatus.ALLOWED if found["allowed"] else ExitStatus.DISALLOWED)


def test_an_unreachable_file_is_a_verdict_that_tells_when_to_ask_again() -> None:
    """503 disallows, with the reason and no time of a next visit."""
    with open_site("unavailable") as site:
        status, output, _ = check(f"{site.origin}/a")
    assert status == ExitStatus.MISUSE
    assert "robots.txt returned status 503, so nothing is allowed (service-unavailable" in output
    assert "Request robots.txt again at 20" in output
    assert rows(output)["next visit"] == "none while everything is disallowed"


def test_no_file_leaves_everything_open() -> None:
    """404 allows everything, whatever its body contains."""
    with open_site("not-found") as site:
        status, output, _ = check(f"{site.origin}/a")
    assert status == ExitStatus.ALLOWED
    assert output.startswith(f"{site.origin}/a: Allowed: robots.txt")
    assert rows(output)["policy"] == "allow-all (not-found): robots.txt returned status 404"


def test_redirects_are_followed_to_another_site() -> None:
    """The rules at the target of a redirect apply to the site of the URL."""
    with open_site("moved-elsewhere") as site:
        status, output, _ = check(f"{site.origin}/private/a")
    assert status == ExitStatus.DISALLOWED
    assert f"robots.txt at {site.other_origin}/moved/robots.txt returned status 200" in output


def test_nobody_there_is_no_permission() -> None:
    """A refused connection disallows everything, and the message says how to fix it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/a"
        status, output, _ = check(url)
    assert status == ExitStatus.MISUSE
    assert "robots.txt could not be fetched: the connection was refused" in output
    assert rows(output)["policy"] == "disallow-all (failure-refused): the connection was refused"
    assert rows(output)["what to do"] == "check the host and the port"
    assert rows(output)["source"] == "the site, requested without a response just now"


@pytest.mark.parametrize("verb", ["check", "policy"])
def test_an_address_that_is_refused_is_not_to_be_requested_again(verb: str) -> None:
    """Nothing is said of a request that was not made: when it was, how fresh it is, as whom."""
    status, output, _ = ask(verb, "http://127.0.0.1:9/")
    assert status == ExitStatus.MISUSE
    assert "--allow-private" in output
    for words in (
        "again at",
        "fetched  ",
        "fetched just",
        "fresh until",
        "User-Agent",
    ):
        assert words not in output


def test_a_drip_ends_at_the_timeout() -> None:
    """A site that responds byte by byte is given up after the timeout."""
    with open_site("slow-drip") as site:
        status, output, _ = check("--timeout", "0.5", f"{site.origin}/a")
    assert status == ExitStatus.MISUSE
    assert "could not be fetched: the request timed out" in output
    assert "--timeout" in rows(output)["what to do"]


def test_a_private_address_is_not_asked_unless_it_is_said() -> None:
    """Without --allow-private no socket is opened, and the message says how to fix it."""
    with open_site("polite") as site:
        status, output, _ = ask("check", f"{site.origin}/a")
        assert site.visits == []
    assert status == ExitStatus.MISUSE
    assert rows(output)["source"] == "this machine; no request was made"
    assert "add --allow-private" in rows(output)["what to do"]


def test_a_page_in_place_of_robots_txt_is_in_doubt() -> None:
    """It has an answer and a warning; with --strict neither is given, and the status is 2."""
    with open_site(always(200, HTML, "Content-Type: text/html")) as site:
        status, output, complaints = check(f"{site.origin}/a", f"{site.origin}/b")
        assert (status, output.count("not-robots-txt")) == (0, 3)
        assert complaints.count("warning: ") == 1
        status, output, complaints = check("--strict", f"{site.origin}/a")
    assert (status, output) == (2, "")
    assert complaints.startswith("Error: ")


def test_a_huge_file_is_cut_and_a_warning_says_so() -> None:
    """Of 3 MB, only the beginning is read and applied."""
    with open_site("large") as site:
        status, _, complaints = check(f"{site.origin}/private/a")
        assert status == ExitStatus.DISALLOWED
        assert "warning: " in complaints
        assert check(f"{site.origin}/behind-the-limit/a")[0] == ExitStatus.ALLOWED


def test_the_comments_of_a_site_are_passed_on() -> None:
    """Comments for the robot's operator are shown, and cannot control a terminal."""
    content = b"User-agent: *\nComment: Write to \x1b[31mus.\nDisallow:\n"
    with open_site(always(200, content, TEXT)) as site:
        _, output, _ = check("-d", "conner1996", f"{site.origin}/a")
    assert rows(output)["comment"] == "Write to \\x1b[31mus."


# Who asks.


def test_a_whole_user_agent_chooses_the_group_of_its_robot() -> None:
    """--robot is a name or a whole User-Agent, and its group applies."""
    with open_site("names-robot") as site:
        name = "ExampleBot/2.1 (+https://example.com/bot)"
        assert check("-r", name, f"{site.origin}/a")[0] == ExitStatus.ALLOWED
        assert check("-r", "OtherBot", f"{site.origin}/a")[0] == ExitStatus.DISALLOWED


def test_anothers_robot_is_asked_about_and_not_played() -> None:
    """The verdict and the pace are bingbot's, but goodbot visits under its own name."""
    content = b"User-agent: bingbot\nCrawl-delay: 7\nDisallow: /g\n\nUser-agent: *\nDisallow:\n"
    with open_site(always(200, content, TEXT)) as site:
        status, output, _ = check("-r", "bingbot", f"{site.origin}/g")
        assert GOODBOTS_NAME in (site.visits[0].field("User-Agent") or "")
    assert status == ExitStatus.DISALLOWED
    assert "line 2 asks for 7 seconds" in rows(output)["next visit"]


def test_a_known_robot_brings_its_family_to_a_live_site() -> None:
    """The verdict, its JSON and the explanation are those of its family, in its dialect."""
    content = b"User-agent: Googlebot\nDisallow: /g\n\nUser-agent: *\nDisallow: /\n"
    with open_site(always(200, content, TEXT)) as site:
        status, output, _ = check("-r", "Googlebot-News", "--explain", f"{site.origin}/g")
        assert status == ExitStatus.DISALLOWED
        assert "Googlebot-News has no group; Google then uses Googlebot's." in output
        assert "> 2 | Disallow: /g" in output
        _, output, _ = check("-r", "AdsBot-Google", "--json", f"{site.origin}/x")
        found = json.loads(output)
        assert (found["allowed"], found["reason"], found["rule"]) == (True, "ignores-star", None)
        assert (found["dialect"], found["tried"]) == ("google", ["AdsBot-Google"])
    with open_site(always(503, b"", TEXT)) as site:
        _, output, _ = check("-r", "AdsBot-Google", "--json", f"{site.origin}/x")
        found = json.loads(output)
        assert (found["allowed"], found["token"]) == (False, None)


@pytest.mark.parametrize("verb", ["check", "policy", "rules", "page", "page uses"])
@pytest.mark.parametrize("robot", ["Googlebot", "Googlebott", "ExampleBot/1.0", "Mozilla/5.0 (X)"])
def test_the_robot_that_is_asked_about_never_sets_what_is_sent(verb: str, robot: str) -> None:
    """Every request has goodbot's own name and its operator, also for a mistyped name."""
    with open_site("polite") as site:
        ask(*verb.split(), "--allow-private", "-r", robot, f"{site.origin}/a")
        agents = {visit.field("User-Agent") for visit in site.visits}
    assert agents == {f"{GOODBOTS_NAME} (+https://example.com/bot)"}


def test_options_say_who_asks_before_the_environment_does() -> None:
    """--info-url and --contact are what the site sees."""
    with open_site("polite") as site:
        check("--info-url", "https://b.example/", "--contact", "a@b.example", f"{site.origin}/a")
        visit = site.visits[0]
    assert visit.field("User-Agent") == f"{GOODBOTS_NAME} (+https://b.example/)"
    assert visit.field("From") == "a@b.example"


@pytest.mark.parametrize("missing", [{"GOODBOT_INFO_URL"}, {"GOODBOT_CONTACT"}, set(WHO_ASKS)])
@pytest.mark.parametrize("verb", ["check", "policy", "rules"])
def test_robots_txt_is_read_without_an_operator(verb: str, missing: set[str]) -> None:
    """The one request sends what is known of the operator, and a note says what is missing."""
    env = {name: value for name, value in environment().items() if name not in missing}
    with open_site("names-robot") as site:
        url = f"{site.origin}/a"
        status, output, complaints = ask(
            verb, "--allow-private", "-r", "ExampleBot/1.0", url, env=env
        )
        (visit,) = site.visits
    assert (status, visit.target) == (0, "/robots.txt")
    assert "ExampleBot" in output or verb == "policy"
    page = "" if "GOODBOT_INFO_URL" in missing else f" (+{WHO_ASKS['GOODBOT_INFO_URL']})"
    assert visit.field("User-Agent") == f"{GOODBOTS_NAME}{page}"
    assert visit.field("From") == (None if "GOODBOT_CONTACT" in missing else env["GOODBOT_CONTACT"])
    (note,) = complaints.splitlines()
    assert note.startswith(f"note: robots.txt was requested as {GOODBOTS_NAME}{page}, without ")
    lacks = {
        "GOODBOT_CONTACT": ("an email address (From)", "--contact"),
        "GOODBOT_INFO_URL": ("a page that explains the robot (in User-Agent)", "--info-url"),
    }
    for name, words in lacks.items():
        assert [word in note for word in (name, *words)] == [name in missing] * 3


def test_nothing_is_said_of_a_request_that_no_site_saw() -> None:
    """Without --allow-private no request is made, so there is no note on who made it."""
    status, _, complaints = ask("check", "http://127.0.0.1:9/", env=bare_environment())
    assert (status, complaints) == (2, "")


def test_no_answer_comes_before_no() -> None:
    """Of URLs with and without an answer, those without decide the exit status."""
    with open_site("polite") as site, open_site("unavailable") as other:
        urls = (f"{site.origin}/a", f"{site.origin}/private/b", f"{other.origin}/a")
        assert check(urls[1])[0] == ExitStatus.DISALLOWED
        assert check(*urls)[0] == check(*reversed(urls))[0] == ExitStatus.MISUSE


# What cannot be asked.


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["example.com/page"], "write https://example.com/page"),
        (["//example.com/page"], "write https://example.com/page"),
        (["localhost:8000/page"], "write https://localhost:8000/page"),
        (["/page"], "https://example.com/page"),
        (["mailto:a@b.example"], "not an absolute http or https URL"),
        (["ftp://a.example/"], "not an absolute http or https URL"),
        (["README.md"], "--robots-txt README.md"),
        (["-"], "--urls -"),
        (["https://a.example/", "-r", ""], "product token"),
        (["https://a.example/", "-r", "https://b.example/"], "write it without -r"),
        (["https://a.example/", "--contact", "nobody"], "--contact 'nobody' is not an email"),
        (["https://a.example/", "--info-url", "nowhere"], "--info-url 'nowhere' is not an http"),
        (["https://a.example/", "--timeout", "0"], "--timeout"),
        (["https://a.example/", "--timeout", "inf"], "finite"),
        (["https://a.example/", "-d", "latin"], "rfc9309"),
        (["https://a.example/", "--store", "/no/such/folder/a.db"], "check that its folder exists"),
        (["https://a.example/", "--store", "README.md"], "pass the path of a store"),
        (["-f", "README.md", "/a", "--store", "a.db"], "omit one"),
        (["-f", "README.md", "/a", "--timeout", "5"], "omit one"),
    ],
)
def test_misuse_is_told_in_one_line_with_the_cure(words: list[str], cure: str) -> None:
    """The exit status is 2, nothing is printed, and no request is made."""
    done = program.run("check", *words, env=environment(), cwd=ROOT)
    complaints = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert complaints.startswith("Error: ")
    assert complaints.count("\n") == 1
    assert cure in complaints


def test_all_dialects_need_a_file() -> None:
    """Dialects are compared on one file; the message says how to download it."""
    status, output, complaints = ask("check", "-d", "all", "https://a.example/x")
    assert (status, output) == (2, "")
    assert "curl -sSfL -o robots.txt https://a.example/robots.txt" in complaints
    assert "goodbot check --robots-txt robots.txt --dialect all https://a.example/x" in complaints


def test_a_list_goes_on_behind_a_word_that_is_no_url() -> None:
    """There is a warning, the rest is checked, and the status is 2; --strict stops."""
    with open_site("polite") as site:
        urls = f"# mine\nexample.com\n{site.origin}/a\n".encode()
        status, output, complaints = check(given=urls)
        assert status == ExitStatus.MISUSE
        assert complaints == "warning: example.com has no scheme; write https://example.com\n"
        assert f"{site.origin}/a: Allowed: " in output
        assert check("--strict", given=urls)[:2] == (2, "")


def test_an_empty_list_is_no_permission() -> None:
    """An input without a URL is an error, not "all allowed"."""
    status, output, complaints = check(given=b"\n# none\n")
    assert (status, output) == (2, "")
    assert "has no URLs" in complaints


def test_octets_are_escaped_as_they_are_sent() -> None:
    """The URL that is checked is the one that would be sent: normalised, without fragment."""
    assert address_in(b"HTTP://A.example/x/../caf\xe9#top") == "http://a.example/caf%E9"
    assert address_in("http://a.example/café".encode()) == "http://a.example/caf%C3%A9"


def test_without_aiohttp_the_cure_is_told() -> None:
    """The extra is named with the command that installs it."""
    code = (
        "import sys; sys.modules['aiohttp'] = None; from goodbot.cli.program import run;"
        "sys.exit(run(['check', 'https://a.example/']))"
    )
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-c", code], capture_output=True, check=False, env=environment()
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"pip install 'goodbot[robot]'" in done.stderr


# Stores.


def test_a_store_saves_the_second_question(tmp_path: Path) -> None:
    """The second run makes no request, and shows how old the policy is, and its source."""
    store = str(tmp_path / "robots.db")
    with open_site("polite") as site:
        first = check("--store", store, f"{site.origin}/private/a")
        second = check("--store", store, f"{site.origin}/private/a")
        third = check("--store", store, "--json", f"{site.origin}/private/a")
        assert len(site.visits) == 1
    assert first[0] == second[0] == third[0] == ExitStatus.DISALLOWED
    assert first[1].splitlines()[0] == second[1].splitlines()[0]
    assert rows(second[1])["source"].startswith(f"{store}, fetched ")
    found = json.loads(third[1])["policy"]
    assert found["came_from"] == "store"
    assert 0 < found["age"] < 120


def test_not_now_is_no_permission() -> None:
    """Two sites send to a third, which wants nobody to come: it is not asked again for the second.

    That is reported as disallowed, with the time of the next request.
    """
    away = always(503, b"", "Retry-After: 3600")
    with open_site(away) as third, open_site(leading_to(third.origin)) as sites:
        urls = (f"{sites.origin}/a", f"{sites.other_origin}/a")
        status, output, complaints = check(*urls)
        assert (status, complaints) == (ExitStatus.MISUSE, "")
        assert len(third.visits) == 1
        sentences = [line for line in output.splitlines() if line[0] != " "]
        assert "the site must not be visited yet (" in sentences[1]
        assert "(retry-after; dialect rfc9309)" in sentences[1]
        assert "Request robots.txt again at 20" in sentences[1]
        assert list(rows(output.rpartition(urls[1])[2])) == ["next visit"]
        status, output, _ = check("--json", *urls)
    found = json.loads(output.splitlines()[1])
    assert (status, found["allowed"], found["access"]) == (2, False, "defer")
    assert (found["reason"], found["policy"]) == ("retry-after", None)
    assert found["retry_at"] == found["next_visit"]["not_before"]
    assert 3000 < found["next_visit"]["wait"] <= 3600


SMALL_DISK = """
import sys
from goodbot.store import SQLiteStore
opened = SQLiteStore._open
def on_a_small_disk(self, *, durable):
    connection = opened(self, durable=durable)
    connection.execute("PRAGMA max_page_count = 16")
    return connection
SQLiteStore._open = on_a_small_disk
from goodbot.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


def test_a_full_disk_is_told_with_the_cure(tmp_path: Path) -> None:
    """If the store is full, there is no verdict, and the store is not damaged."""
    store = tmp_path / "robots.db"
    content = os.urandom(100_000).hex().encode() + b"\nUser-agent: *\nDisallow: /a\n"
    with open_site(always(200, content, TEXT)) as site:
        words = ["check", "--allow-private", "--store", str(store), f"{site.origin}/b"]
        done = subprocess.run(  # noqa: S603  our own code
            [sys.executable, "-c", SMALL_DISK, *words],
            capture_output=True,
            check=False,
            env=environment(),
        )
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"Error: there is no room for {store}; make room on its disk" in done.stderr.decode()
    assert_whole(store)


# JSON and explanations.


def test_json_has_the_verdict_the_policy_and_the_next_visit() -> None:
    """One object a URL: what a file gives, and what is known of the site."""
    with open_site("polite") as site:
        url = f"{site.origin}/private/a"
        status, output, _ = check("--json", "--explain", "-r", "ExampleBot/1.0", url)
    found = json.loads(output)
    robots = goodbot.RobotsTxt(b"User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n")
    of_file = robots.verdict(url, "ExampleBot/1.0").as_dict()
    assert status == ExitStatus.DISALLOWED
    assert found.items() >= of_file.items()
    assert found["considered"][0]["decides"] is True
    assert (found["access"], found["policy_reason"]) == ("rules", "found")
    policy = found["policy"]
    assert (policy["status"], policy["came_from"], policy["hops"]) == (200, "site", [])
    assert policy["fetched_at"] < policy["fresh_until"]
    assert 0 <= policy["age"] < 60
    assert found["next_visit"]["reason"] == "crawl-delay"
    assert found["next_visit"]["not_before"] > policy["fetched_at"]


def test_explain_shows_the_file_of_the_site() -> None:
    """The line that decided is marked, for each URL; the state of the site follows the first."""
    with open_site("polite") as site:
        _, output, _ = check("-e", f"{site.origin}/private/a", f"{site.origin}/private/b")
    assert output.count("> 3 | Disallow: /private/") == 2
    assert output.count("obeys the group for *") == 2
    assert output.count("  policy ") == 1


def test_explain_without_a_file_shows_the_state_alone() -> None:
    """There are no lines to show after a 404."""
    with open_site("not-found") as site:
        status, output, _ = check("-e", f"{site.origin}/a")
    assert status == ExitStatus.ALLOWED
    assert " | " not in output
    assert rows(output)["policy"].startswith("allow-all")


def test_each_site_is_told_of_once() -> None:
    """URLs of two sites alternate: four sentences, two states."""
    with open_site("polite") as one, open_site("not-found") as two:
        urls = [f"{site.origin}/{page}" for page in "ab" for site in (one, two)]
        _, output, _ = check(*urls)
        assert (len(one.visits), len(two.visits)) == (1, 1)
    assert [line.split(": ")[0] for line in output.splitlines() if line[0] > " "] == urls
    assert output.count("  policy ") == 2


# Pieces.


def test_the_next_visit_is_what_the_robot_itself_would_keep() -> None:
    """The next visit is that of `Robot.when`, also if visits are deferred."""
    terms = SiteOptions(
        "https://example.com/bot", "bot@example.com", None, allow_private=True, timeout=5
    )
    for one in ("polite", "not-found", "unavailable", "too-many-requests"):
        with (
            open_site(one) as site,
            LiveSites("ExampleBot", terms, "rfc9309") as inquiry,
        ):
            _verdict, state = inquiry.ask(f"{site.origin}/a")
            turn = inquiry.asker.when(f"{site.origin}/a")
            assert (state.turn.reason, state.turn.source) == (turn.reason, turn.source), one
            assert state.turn.not_before is not None, one
            assert turn.not_before is not None, one
            # Each reads the clocks for itself.
            apart = abs(state.turn.not_before - turn.not_before)
            assert apart < timedelta(milliseconds=5), one


def test_a_policy_that_changes_is_told_of_again() -> None:
    """If robots.txt is fetched again during a list of URLs, its new state is shown."""
    screen = io.StringIO()
    report = Sentences(None, Printer(screen), explain=False)
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    turn = Turn(now, "nothing", "", 0, 0.0, "")
    for status in (200, 200, 503):
        policy = goodbot.Policy.from_response(
            "https://a.example/robots.txt", status, {}, b"User-agent: *", now=now
        )
        for page in "ab":
            verdict = policy.verdict(f"https://a.example/{page}", "ExampleBot")
            report(verdict, SiteState(turn, now, policy, "site"))
    assert screen.getvalue().count(": Allowed: ") == 4
    assert screen.getvalue().count("  policy ") == 3


def test_spans_are_told_as_people_would() -> None:
    """In the largest unit of which there are two."""
    spans = [span(seconds) for seconds in (0.2, 1, 59, 119.6, 7199.9, 86_399.9, 200_000)]
    assert spans == [
        "less than a second",
        "1 second",
        "59 seconds",
        "2 minutes",
        "2 hours",
        "24 hours",
        "2 days",
    ]
    assert (
        format_time(datetime(2025, 1, 1, 12, 30, tzinfo=timezone.utc)) == "2025-01-01 12:30:00 UTC"
    )


def test_a_file_is_asked_without_what_asks_sites() -> None:
    """Neither the robot nor its library is loaded for a file."""
    code = (
        "import sys; from goodbot.cli.program import run;"
        "run(['check', '-f', 'examples/shop/robots.txt', '/a']);"
        "sys.exit(bool({'goodbot.robot', 'goodbot.net', 'aiohttp', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr


def test_either_spelling_of_a_url_forbids() -> None:
    """It is checked as typed and as sent, because dialects treat percent-encoding differently."""
    for rule in (b"/b", b"/%62"):
        with open_shop({"/robots.txt": b"User-agent: *\nDisallow: " + rule}) as site:
            words = ("--robot", "ExampleBot", "--allow-private", "-d", "lwp")
            done = program.run("check", f"{site.origin}/%62", *words, env=environment())
            assert done.returncode == 1, (rule, done)

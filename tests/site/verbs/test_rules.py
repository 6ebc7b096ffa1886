"""`goodbot rules`, as a whole program."""

import json

import pytest

import goodbot
from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import always
from tests.support import program
from tests.support.live_sites import open_site
from tests.support.paths import ROOT

SHOP = ROOT / "examples" / "shop" / "robots.txt"


def rules(*arguments: str, given: bytes = b"") -> tuple[int, str, str]:
    """Run `goodbot rules` on these arguments; its exit status, output and complaints."""
    done = program.run("rules", *arguments, given=given)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_sheet_says_who_what_how_fast_and_for_what() -> None:
    """The sheet has the selection, rules with lines, pace, sitemaps, use and findings."""
    status, output, complaints = rules(str(SHOP), "--robot", "ExampleAIBot")
    assert (status, complaints) == (0, "")
    for wanted in (
        "ExampleAIBot obeys the group for ExampleAIBot",
        "line 23  Disallow: /private",
        "disallowed: paths that begin with /photographs/",
        "10 seconds between requests",
        "https://antiques.example/sitemap.xml",
        "line 21: Content-Usage: train-ai=n",
        "for /: train-ai disallow",
        "Findings: 1 warning",
        "[misspelt-field]",
    ):
        assert wanted in output


def test_sheet_has_the_fields_of_conner() -> None:
    """Rates, times of day, messages and licences are shown."""
    content = (
        b"User-agent: *\nDisallow: /a\nRequest-rate: 1/10m 1300-1659\nVisit-time: 0600-0845\n"
        b"Comment: call us\nLicense: https://example.com/licence\nContent-Signal: ai-train=no\n"
    )
    _, output, _ = rules("-", given=content)
    for wanted in (
        "at most 1 document in 600 s, 13:00-16:59 UT",
        "visits are welcome 06:00-08:45 UT",
        "Comments\n  call us",
        "licence: https://example.com/licence",
        "Content-Signal: ai-train no",
    ):
        assert wanted in output


def test_rules_stand_in_the_order_of_the_file() -> None:
    """Rules of groups that are merged, and rules without effect, stand by their lines."""
    content = b"User-agent: a\nDisallow: /long/path\nDisallow:\n\nUser-agent: a\nAllow: /b\n"
    _, output, _ = rules("-", "-r", "a", "--json", given=content)
    listed = json.loads(output)["rules"]
    assert [rule["line"] for rule in listed] == [2, 3, 6]
    assert listed[1]["meaning"] == "no effect: it has no path"


def test_file_without_a_group_allows_everything() -> None:
    """Where no group holds, that is what the sheet says."""
    _, output, _ = rules("-", "-r", "ExampleBot", given=b"User-agent: other\nDisallow: /\n")
    assert "There are no rules: everything is allowed." in output


def test_findings_are_cut_at_20_unless_all_are_asked_for() -> None:
    """The first 20 findings are listed, and the number of the others; --findings lists all."""
    nonsense = b"".join(b"Nonsense %d\n" % number for number in range(50))
    content = b"User-agent: *\nAllow: /\n" + nonsense
    _, short, _ = rules("-", given=content)
    _, full, _ = rules("-", "--findings", given=content)
    assert short.count(": warning: ") == 20
    assert "and 30 more; add --findings to list them all" in short
    assert full.count(": warning: ") == 50


def test_json_is_one_object_with_everything() -> None:
    """--json gives one object on one line."""
    content = b"User-agent: *\nVisit-time: 0600-0845\nRequest-rate: 1/10\n"
    status, output, _ = rules("-", "--json", given=content)
    found = json.loads(output)
    assert (status, output.count("\n")) == (0, 1)
    assert found["visit_times"] == [{"start": "06:00", "end": "08:45"}]
    rate = {"documents": 1, "seconds": 10, "window": None, "doubtful": False}
    assert found["request_rates"] == [rate]
    assert found["selection"]["how"] == "default"


@pytest.mark.parametrize("arguments", [("/no/such/file",), ("-", "-r", ""), ("-", "-d", "all")])
def test_misuse_gives_status_2(arguments: tuple[str, ...]) -> None:
    """A missing file, a robot without a name and an unknown dialect leave with 2 and one line."""
    status, output, complaints = rules(*arguments, given=b"User-agent: *\n")
    assert (status, output) == (2, "")
    assert complaints.startswith("Error: ")
    assert complaints.count("\n") == 1


def test_a_robot_that_ignores_the_group_for_star_obeys_none() -> None:
    """The sheet says why, and has the groups that the robot looks for."""
    content = b"User-agent: *\nDisallow: /\n"
    status, output, _ = rules("-", "-r", "AdsBot-Google", given=content)
    assert status == 0
    assert "AdsBot-Google obeys no group: none names it, and it ignores the group for *." in output
    assert "There are no rules: everything is allowed." in output
    shown = json.loads(rules("-", "-r", "Googlebot-Image/1.0", "--json", given=content)[1])
    assert (shown["robot"], shown["known_robot"]) == ("Googlebot-Image/1.0", "Googlebot-Image")
    assert (shown["token"], shown["dialect"]) == (None, "google")
    assert shown["tried"] == ["Googlebot-Image", "Googlebot"]


# A live site.


def test_the_rules_of_a_site_are_those_of_its_file() -> None:
    """For a URL, robots.txt is fetched once, and shown as the same file would be."""
    content = b"User-agent: *\nDisallow: /private\n"
    with open_site(always(200, content, TEXT)) as site:
        live = rules("--allow-private", f"{site.origin}/any/page")
        live_json = rules("--allow-private", "--json", f"{site.origin}/")
        assert [visit.target for visit in site.visits] == ["/robots.txt"] * 2
    assert live[:2] == rules("-", given=content)[:2]
    assert live_json[:2] == rules("-", "--json", given=content)[:2]


def test_a_site_without_a_file_allows_everything() -> None:
    """404 is an answer: there are no rules, and a note says why."""
    with open_site("not-found") as site:
        status, output, complaints = rules("--allow-private", f"{site.origin}/")
    assert status == 0
    assert "There are no rules: everything is allowed." in output
    assert "note: robots.txt returned status 404, so everything is allowed" in complaints


def test_an_unreachable_site_has_no_rules_to_show() -> None:
    """The status is 2, with the reason and what to do."""
    status, output, complaints = rules("http://127.0.0.1:9/")
    assert (status, output) == (2, "")
    assert "Error: http://127.0.0.1:9 has no rules to show, because robots.txt" in complaints
    assert "add --allow-private" in complaints
    with open_site("unavailable") as site:
        status, output, complaints = rules("--allow-private", f"{site.origin}/")
    assert (status, output) == (2, "")
    assert "status 503; try again later" in complaints


def test_what_is_for_sites_is_refused_for_a_file() -> None:
    """--store and the like would have no effect."""
    status, output, complaints = rules(str(SHOP), "--timeout", "3")
    assert (status, output) == (2, "")
    assert complaints == (
        "Error: --timeout is for a live site, and this command reads a file; omit one\n"
    )


PURPOSES = (
    b"User-agent: *\nContent-Signal: search=yes, ai-input=no\nAllow: /\n\n"
    b"User-agent: __usage_ai-training\nDisallow: /\nAllow: /open\n"
)


def test_groups_for_purposes_are_statements_on_uses() -> None:
    """They are shown whichever robot is asked about, with their findings."""
    for robot in ("*", "ExampleBot", "Googlebot"):
        status, output, _ = rules("-", "-r", robot, given=PURPOSES)
        assert status == 0
        for wanted in (
            "line 6: Disallow: / (for __usage_ai-training)",
            "line 7: Allow: /open (for __usage_ai-training)",
            "for /: train reserved, by purpose token (robots.txt, line 6)",
            "for /: search allowed, by Content-Signal (robots.txt, line 2)",
            "for /: ground reserved, by Content-Signal (robots.txt, line 2)",
            "[unverified-purpose-token]",
        ):
            assert wanted in output
        assert "for /: archive" not in output


def test_uses_are_those_that_the_library_reads() -> None:
    """The answers in JSON are those of `goodbot.uses` for /, from robots.txt alone."""
    _, output, _ = rules("-", "--json", given=PURPOSES)
    said = json.loads(output)
    file = goodbot.RobotsTxt(PURPOSES)
    expected = goodbot.uses("https://example.com/", robots_txt=file).as_dict()["uses"]
    assert said["uses"] == json.loads(json.dumps(expected))
    assert [(one["line"], one["use"]) for one in said["purposes"]] == [(6, "train"), (7, "train")]
    _, output, _ = rules("-", "--json", given=b"User-agent: *\nDisallow: /a\n")
    said = json.loads(output)
    assert (said["uses"], said["purposes"]) == ({}, [])

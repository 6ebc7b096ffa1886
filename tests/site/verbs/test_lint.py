"""`goodbot lint`, as a whole program."""

import json
from contextlib import nullcontext
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

import pytest

import goodbot
from goodbot.cli.shared.sources.sitemaps_source import fetched
from goodbot.net import Response
from goodbot.robot import Hop, Visit
from goodbot.site.lint import LINT_RULES
from goodbot.testing.steps import always
from tests.support.live_sites import ask, open_site
from tests.support.program import environment

MISTAKE = b"User-agent: *\nDisallow: /internal/\n\nUser-agent: ExampleBot\nDisallow: /tmp/\n"


def lint(*words: str, given: bytes = b"", cwd: str | None = None) -> tuple[int, str, str]:
    """Run `goodbot lint`; its exit status, output and complaints."""
    return ask("lint", *words, given=given, cwd=cwd)


def test_a_finding_has_its_place_and_its_code() -> None:
    """The output is that of compilers, with the number of findings."""
    status, output, complaints = lint("-", given=MISTAKE)
    assert (status, complaints) == (1, "")
    assert output.startswith("standard input:4: warning: ExampleBot obeys only this group")
    assert "[default-rules-dropped]" in output
    assert "1 warning in 1 file." in output


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--fail-on", "error"), 0),
        (("--fail-on", "note"), 1),
        (("--ignore", "default-rules-dropped"), 0),
        (("--select", "unknown-field,never-decides"), 0),
        (("--select", "default-rules-dropped"), 1),
        (("--select", "never"), 2),
    ],
)
def test_options_choose_what_fails(options: tuple[str, ...], status: int) -> None:
    """The exit status is 1 if a chosen finding is severe enough, and 2 for an unknown code."""
    assert lint("-", *options, given=MISTAKE)[0] == status


def test_settings_are_read_from_the_files_of_a_project(tmp_path: Path) -> None:
    """goodbot.toml comes before pyproject.toml, options before both; none is read if wished."""
    (tmp_path / "robots.txt").write_bytes(MISTAKE)
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.goodbot.lint]\nfail-on = "error"\n', encoding="utf-8")
    run = ("robots.txt",)
    assert lint(*run, cwd=str(tmp_path))[0] == 0
    assert lint(*run, "--fail-on", "warning", cwd=str(tmp_path))[0] == 1
    assert lint(*run, "--config", "none", cwd=str(tmp_path))[0] == 1
    own = tmp_path / "goodbot.toml"
    own.write_text('[crawl]\nout = "shop"\n[lint]\nselect = ["never-decides"]\n', encoding="utf-8")
    assert lint(*run, cwd=str(tmp_path))[1] == "No findings in 1 file.\n"
    own.write_text("[lint]\nselekt = []\n", encoding="utf-8")
    status, _, complaints = lint(*run, cwd=str(tmp_path))
    assert status == 2
    assert "goodbot.toml: there is no key 'selekt'" in complaints


def test_several_files_are_checked_and_comments_ignore(tmp_path: Path) -> None:
    """Each file has its findings; ignored ones are counted."""
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_bytes(MISTAKE)
    ignoring = b"# goodbot: ignore=default-rules-dropped\nUser-agent: Ex"
    other.write_bytes(MISTAKE.replace(b"User-agent: Ex", ignoring))
    status, output, _ = lint(str(one), str(other))
    assert status == 1
    assert "in 2 files; 1 finding ignored by comments." in output
    assert lint(str(other))[0] == 0


def test_json_has_an_object_for_each_file(tmp_path: Path) -> None:
    """`--json` prints the same as `--format json`."""
    file = tmp_path / "robots.txt"
    file.write_bytes(MISTAKE)
    _, output, _ = lint(str(file), str(file), "--json")
    lines = [json.loads(line) for line in output.splitlines()]
    assert [one["fails"] for one in lines] == [True, True]
    assert lint(str(file), str(file), "--format", "json")[1] == output


def test_a_code_is_explained() -> None:
    """`--explain` has the example and what to write instead; `all` lists every code."""
    status, output, _ = lint("--explain", "never-decides")
    assert status == 0
    for wanted in ("never-decides (warning)", "Example", "Write instead", "RFC 9309"):
        assert wanted in output
    assert len(lint("--explain", "all", "--json")[1].splitlines()) == len(LINT_RULES)
    assert "Did you mean never-decides?" in lint("--explain", "never-decide")[2]


def test_a_sitemap_is_compared(tmp_path: Path) -> None:
    """A listed URL that a rule disallows is an error on that line."""
    sitemap = tmp_path / "sitemap.xml"
    sitemap.write_text(
        "<urlset><url><loc>https://example.com/internal/a</loc></url></urlset>", encoding="utf-8"
    )
    status, output, _ = lint("-", "--sitemap", str(sitemap), given=MISTAKE)
    assert status == 1
    assert "standard input:2: error: This disallows 1 URL of the sitemap" in output


def test_a_site_is_fetched_and_its_failure_is_no_answer() -> None:
    """A URL is that of a site; an unreachable one is exit status 2."""
    with open_site(always(200, MISTAKE)) as site:
        status, output, _ = lint("--allow-private", f"{site.origin}/")
    assert status == 1
    assert "[default-rules-dropped]" in output
    with open_site(always(503)) as site:
        status, _, complaints = lint("--allow-private", f"{site.origin}/")
    assert status == 2
    assert "gave no robots.txt" in complaints


def test_misuse_is_refused() -> None:
    """Without a file there is nothing to do, and options of sites need one."""
    assert lint("--fail-on", "error")[0] == 2
    assert lint("-", "--timeout", "3", given=MISTAKE)[0] == 2
    assert lint("no-such-file")[0] == 2


def test_what_was_not_read_of_sitemaps_is_told(tmp_path: Path) -> None:
    """It cannot be compared: a cut sitemap is a finding, and too many URLs are a warning."""
    sitemap = tmp_path / "sitemap.xml"
    sitemap.write_text(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<url><loc>https://example.com/a</loc></url><url><loc>"
    )
    status, output, _ = lint("-", "--sitemap", str(sitemap), given=b"User-agent: *\nDisallow: /b\n")
    assert status == 1
    assert "an element does not end; 1 URL was read" in " ".join(output.split())
    assert "[faulty-sitemap]" in output
    urls = tmp_path / "urls.txt"
    urls.write_text("https://example.com/a\n" * 200_001)
    _, _, errors = lint("-", "--sitemap", str(urls), given=b"User-agent: *\nDisallow: /b\n")
    assert "only the first 200,000 URLs" in errors


def test_settings_of_a_project_hold_in_its_folders(tmp_path: Path) -> None:
    """The nearest file above the current directory is read, up to the top of the repository."""
    inside = tmp_path / "project" / "site" / "public"
    inside.mkdir(parents=True)
    (inside / "robots.txt").write_text("User-agent: *\nDisallow: /a\nDisallow: /a\n")
    ignoring = '[tool.goodbot.lint]\nignore = ["repeated-rule"]\n'
    (tmp_path / "pyproject.toml").write_text(ignoring)
    words = ("lint", "robots.txt", "--json")
    assert "repeated-rule" not in ask(*words, cwd=str(inside))[1]
    (tmp_path / "project" / ".git").mkdir()
    assert "repeated-rule" in ask(*words, cwd=str(inside))[1]
    (tmp_path / "project" / "pyproject.toml").write_text(ignoring)
    assert "repeated-rule" not in ask(*words, cwd=str(inside))[1]
    (tmp_path / "project" / "site" / "goodbot.toml").write_text("[lint]\nignore = []\n")
    assert "repeated-rule" in ask(*words, cwd=str(inside))[1]


def test_a_sitemap_is_fetched_from_its_url() -> None:
    """`--sitemap URL` is read over HTTP, as robots.txt is."""
    xml = (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<url><loc>%s/internal/a</loc></url></urlset>"
    )
    origins: list[bytes] = []

    def sitemap(*asked: Any) -> Any:  # noqa: ANN401  as a script has it
        return always(200, xml % origins[0], "Content-Type: application/xml")(*asked)

    robots_txt = always(200, b"User-agent: *\nDisallow: /internal/\n")
    with open_site(robots_txt, {"/sitemap.xml": sitemap}) as site:
        origins.append(site.origin.encode())
        words = ("--allow-private", f"{site.origin}/", "--sitemap", f"{site.origin}/sitemap.xml")
        status, output, errors = lint(*words)
    assert (status, errors) == (1, "")
    assert "This disallows 1 URL of the sitemap" in output


SITEMAP = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>'
INDEX = b'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</sitemapindex>'
KNOWN = ("--info-url", "https://example.com/bot", "--contact", "bot@example.com")


def listing(*sitemaps: str) -> bytes:
    """Return a robots.txt that lists sitemaps."""
    return b"User-agent: *\nDisallow: /internal/\n" + b"".join(
        b"Sitemap: %s\n" % one.encode() for one in sitemaps
    )


class OwnSite:
    """A site whose robots.txt and sitemaps name its own address, which is known when it runs."""

    def __init__(self) -> None:
        """Begin without content."""
        self.bodies: dict[str, bytes] = {}

    def script(self, path: str) -> Any:  # noqa: ANN401  as a site has it
        """Return the script of a path."""

        def answer(visit: Any) -> Any:  # noqa: ANN401  as a script has it
            return always(200, self.bodies[path])(visit)

        return answer


def test_listed_sitemaps_are_fetched_only_if_asked() -> None:
    """By default nothing beside robots.txt is fetched, also by someone who is known."""
    own = OwnSite()
    with open_site(own.script("robots"), {"/sitemap.xml": own.script("sitemap")}) as site:
        url = f"<url><loc>{site.origin}/internal/a</loc></url>"
        elsewhere = "<url><loc>https://elsewhere.example/internal/b</loc></url>"
        own.bodies = {
            "robots": listing(f"{site.origin}/sitemap.xml"),
            "sitemap": SITEMAP % (url + elsewhere).encode(),
        }
        words = ("--allow-private", f"{site.origin}/", *KNOWN)
        assert lint(*words) == (0, "No findings in 1 file.\n", "")
        assert not site.visits_to("/sitemap.xml")
        status, output, errors = lint(*words, "--listed-sitemaps")
        (visit,) = site.visits_to("/sitemap.xml")
    assert (status, errors) == (1, "")
    assert "This disallows 1 URL of the sitemap" in output
    assert visit.field("From") == "bot@example.com"


def test_listed_sitemaps_are_fetched_by_someone_who_is_known() -> None:
    """Without a page and a contact nothing is fetched at all."""
    identity = {"GOODBOT_INFO_URL", "GOODBOT_CONTACT"}
    unknown = {name: text for name, text in environment().items() if name not in identity}
    with open_site(always(200, listing())) as site:
        words = ("--allow-private", f"{site.origin}/", "--listed-sitemaps")
        status, output, errors = ask("lint", *words, env=unknown)
        assert not site.visits
    assert (status, output) == (2, "")
    assert "GOODBOT_INFO_URL" in errors


def test_a_sitemap_at_a_private_address_is_not_fetched(tmp_path: Path) -> None:
    """A robots.txt cannot send the reader into its own network, or to what is no address."""
    with open_site("polite", {"/sitemap.xml": always(200, SITEMAP % b"")}) as site:
        wishes = (f"{site.origin}/sitemap.xml", "ftp://example.com/a", "file:///etc/passwd", "x")
        (tmp_path / "robots.txt").write_bytes(listing(*wishes))
        words = ("robots.txt", "--listed-sitemaps", *KNOWN)
        _, output, errors = lint(*words, cwd=str(tmp_path))
        assert not site.visits
    assert "of the sitemap" not in output
    assert f"warning: the sitemap {site.origin}/sitemap.xml was not read" in errors


class ScriptedSites:
    """Sites that give sitemaps without a network, and count the requests."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        """Store the bodies by URL."""
        self.bodies = bodies
        self.requested: list[str] = []
        self.progress = self.asker = self

    def asking(self, _url: str) -> nullcontext[None]:
        """Show no progress."""
        return nullcontext()

    def visit(self, url: str) -> Visit:
        """Answer a request."""
        self.requested.append(url)
        now = datetime(2026, 1, 2, tzinfo=timezone.utc)
        response = Response(url, 200, (), self.bodies[url], now, now)
        origin = goodbot.origin(url)
        policy = goodbot.Policy.from_response(f"{origin}/robots.txt", 404, {}, b"", now=now)
        return Visit((Hop(url, policy.verdict(url, "*"), response),), "answered")


@pytest.mark.stress
def test_the_sitemaps_of_an_index_are_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    """Indexes of very many, which list each other, lead to 20 requests and to no long search."""
    site = "https://example.com"
    parts = [f"{site}/{number}.xml" for number in range(8_000)]
    index = INDEX % "".join(f"<sitemap><loc>{one}</loc></sitemap>" for one in parts).encode()
    bodies = dict.fromkeys([f"{site}/index.xml", *parts], index)
    sites = ScriptedSites(bodies)
    assert fetched([f"{site}/index.xml"], cast("Any", sites)).urls == []
    assert sites.requested == [f"{site}/index.xml", *parts[:19]]
    assert "only 20 sitemaps were read, of 8,001" in capsys.readouterr().err


@pytest.mark.stress
def test_the_urls_of_sitemaps_are_bounded() -> None:
    """No more are kept than are compared, and one that says that there were more."""
    site = "https://example.com"
    urls = "".join(f"<url><loc>{site}/{number}</loc></url>" for number in range(50_000))
    bodies = {f"{site}/{number}.xml": SITEMAP % urls.encode() for number in range(6)}
    sites = ScriptedSites(bodies)
    assert len(fetched(list(bodies), cast("Any", sites)).urls) == 200_001
    assert len(sites.requested) == 5


def test_a_sitemap_on_another_host_speaks_for_the_site_that_lists_it() -> None:
    """Sitemaps & Cross Submits: it may list the URLs of that site, and those of its own."""
    other = "https://sitemaps.example/a.xml"
    body = SITEMAP % b"<url><loc>https://example.com/a</loc></url>"
    sites = cast("Any", ScriptedSites({other: body}))
    assert fetched([other], sites).urls == []
    found = fetched([other], sites, speaks_for="https://example.com")
    assert (found.urls, found.problems) == (["https://example.com/a"], [])

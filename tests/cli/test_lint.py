"""`goodbot lint`, as a whole program."""

import json
from pathlib import Path
from typing import Any

import pytest

from goodbot.lint import LINT_RULES
from goodbot.testing.steps import always
from tests.support.live_sites import ask, open_site

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


def test_a_sitemap_that_is_cut_is_a_warning(tmp_path: Path) -> None:
    """What was not read cannot be compared."""
    sitemap = tmp_path / "sitemap.xml"
    sitemap.write_text(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<url><loc>https://example.com/a</loc></url><url><loc>"
    )
    _, _, errors = lint("-", "--sitemap", str(sitemap), given=b"User-agent: *\nDisallow: /b\n")
    assert "was not read to its end" in errors
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

"""The options of `goodbot crawl`: each is stored and can be changed, or it holds for one run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from goodbot.cli.advice.near_misses import verbs_of
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.program import program
from goodbot.cli.shared.config_toml import CONFIG_FILE
from goodbot.crawl import Crawl, Database
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings
from goodbot.crawl.verbs.crawl import crawl
from goodbot.crawl.verbs.crawl_view.args import CrawlArgs
from goodbot.crawl.verbs.crawl_view.config_file import CONFIG
from goodbot.crawl.verbs.crawl_view.crawl_option import CrawlOption
from goodbot.crawl.verbs.crawl_view.option_rows import OPTIONS, resume_command
from goodbot.errors import MisuseError
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import ME, SITE, html

STORED = [row for row in OPTIONS if row.setting]
GIVEN = {
    "robot": "OtherBot/2",
    "info_url": "https://other.example/bot",
    "contact": "other@example.com",
    "max_pages": "7",
    "max_pages_per_site": "7",
    "max_depth": "7",
    "max_seconds": "7",
    "max_megabytes": "7",
    "max_disk": "7",
    "include": "/lamps",
    "exclude": "/lamps",
    "origins": "https://b.example",
    "any_origin": True,
    "sitemaps": False,
    "traps": "calendar,mirror-host",
    "pause": "7",
    "back_off": "7",
    "max_back_off": "70000",
    "back_off_after": "7",
    "hours": "22:00-06:00",
    "bandwidth": "7",
    "types": "pdf",
    "check_external": True,
    "retries": "7",
    "short_lived": False,
    "dialect": "bing",
    "page_dialect": "bing",
    "marks": "nofollow",
    "adaptive": True,
    "group": "*.example.com",
    "group_pause": 3.0,
    "profile_uris": "urn:a",
    "profile_links": True,
    "names_page": __file__,
    "strict_pi": True,
}
"""A value for each option that is stored, other than its default."""


def context() -> click.Context:
    """Return the context of the program, in which verbs have the options that they always have."""
    return click.Context(program, info_name="goodbot", **program.context_settings)


def words(row: CrawlOption, value: object) -> list[str]:
    """Return an option as it is typed."""
    if row.is_switch:
        return [row.flag if value else f"--no-{row.key}"]
    return [row.flag, str(value)]


def parsed(*typed: str, keep_config: bool = False) -> CrawlArgs:
    """Return the arguments of a command, as the verb reads them."""
    config = [] if keep_config else ["--config", "none"]
    with crawl.make_context("crawl", ["--resume", *typed, *config], context()) as found:
        sources = {name: found.get_parameter_source(name) for name in found.params}
        return CrawlArgs.of(found.params, sources, found.meta.get(CONFIG))


def after(before: CrawlSettings, typed: list[str]) -> CrawlSettings:
    """Return the settings after a command in the folder of a crawl."""
    return before.merged(GivenSettings(**parsed(*typed).settings(before.config)))


def setting_in(settings: CrawlSettings, row: CrawlOption) -> Any:  # noqa: ANN401  of many types
    """Return the setting that an option changes."""
    found: Any = settings
    for name in row.setting.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("row", STORED, ids=[row.key for row in STORED])
def test_what_was_set_holds_until_it_is_changed_or_lifted(row: CrawlOption, tmp_path: Path) -> None:
    """Each option is stored in the folder, read from it, and replaced when it is given again."""
    default = CrawlSettings(robot="ExampleBot/1.0", **ME)
    first = after(default, words(row, GIVEN[row.name]))
    assert setting_in(first, row) != setting_in(default, row)
    with Database(tmp_path, create=True) as database:
        first.write(database)
        assert CrawlSettings.read(database) == first
    assert after(first, ["--resume"]) == first, "nothing was given, and everything holds"
    if row.is_switch:
        assert setting_in(after(first, words(row, not GIVEN[row.name])), row) != (
            setting_in(first, row)
        )
    if row.is_liftable:
        lifted = setting_in(after(first, [row.flag, "none"]), row)
        assert lifted == (frozenset() if row.name in {"origins", "traps", "marks"} else row.lifted)


def test_every_option_of_a_crawl_has_one_row() -> None:
    """Its name is that of click, its heading is in the help, and it has an example here."""
    names = {one.name for one in crawl.params} - {"urls", "config_file"}
    assert names == {row.name for row in OPTIONS}
    assert GIVEN.keys() == {row.name for row in STORED}
    told = crawl.get_help(click.Context(crawl, context(), "crawl"))
    for row in OPTIONS:
        assert f"\n{row.section}:\n" in told
        assert row.flag in told


def test_what_is_of_one_run_is_suggested_again() -> None:
    """What the folder stores is not; `--config` is, because the file may be elsewhere."""
    typed = ["--resume", "-o", "x", "--workers", "2", "--max-pages", "3", "--config", "none"]
    with crawl.make_context(
        "crawl", [*typed, "--no-sitemaps", "--patience", "none", "-q"], context()
    ):
        told = "goodbot crawl --resume --out x --workers 2 --patience none --quiet --config none"
        assert resume_command("x") == told
        assert "--no-sitemaps" in suggest()


@pytest.mark.parametrize(
    "typed", [["--include", "/a", "--include", "none"], ["--traps", "none", "--traps", "calendar"]]
)
def test_none_stands_alone(typed: list[str]) -> None:
    """What else could it mean?"""
    with pytest.raises(MisuseError, match="none stands alone"):
        parsed(*typed).settings(None)


VERBS_OF_ONE_ROBOT = [
    verb
    for _, verb in verbs_of(program, context())
    if any("--robot" in one.opts and not getattr(one, "multiple", False) for one in verb.params)
]


@pytest.mark.parametrize("verb", VERBS_OF_ONE_ROBOT, ids=lambda verb: verb.name)
def test_a_second_robot_is_refused(verb: click.Command) -> None:
    """It would be the only one that counts, without a word."""
    with pytest.raises(click.UsageError, match=r"given 2 times \(ABot and BBot\).*once for each"):
        verb.make_context(verb.name, ["-r", "ABot", "--robot", "BBot"], context())
    assert len(VERBS_OF_ONE_ROBOT) >= 6


# The config file.


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """Write `goodbot.toml` to the current directory."""
    monkeypatch.chdir(tmp_path)
    return (tmp_path / CONFIG_FILE).write_text


def test_a_file_names_options_as_the_command_does(in_folder: Callable[[str], object]) -> None:
    """Lists, numbers and switches; the command comes first."""
    in_folder(
        "[crawl]\nmax-pages = 5\nmax-seconds = 2.5\nexclude = ['/a', '/b']\nsitemaps = false\n"
        "traps = ['calendar', 'mirror-host']\nhours = []\nmax-depth = 'none'\nworkers = 3\n"
        "out = 'elsewhere'\nquiet = true\n"
    )
    args = parsed("--max-pages", "9", keep_config=True)
    assert (args.workers, args.folder, args.quiet) == (3, "elsewhere", True)
    settings = args.settings(None)
    assert json.loads(settings.pop("config"))["max-pages"] == 5
    assert settings == {
        "bounds": {"pages": 9, "seconds": 2.5, "exclude": ("/a", "/b"), "depth": None},
        "sitemaps": False,
        "traps": ["calendar", "mirror-host"],
        "manners": {"hours": ""},
    }
    assert parsed(keep_config=False).settings(None) == {}
    Path("other.toml").write_text("[crawl]\nworkers = 4\n")
    assert parsed("--config", "other.toml", keep_config=True).workers == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max-pages = 5", r"max-pages stands outside a table; write \[crawl\] on the line above"),
        ("[crwal]", r"there is no table \[crwal\]; write \[crawl\]"),
        ("crawl = 3", r"crawl is not a table; write \[crawl\]"),
        ("[crawl", "is not valid TOML: Expected"),
        ("[crawl]\nx = '\\xff'", "not valid TOML|no key x"),
        ("[crawl]\nmax-page = 5", "there is no key max-page. Did you mean max-pages"),
        ("[crawl]\nmax_depth = 5", "there is no key max_depth. Did you mean max-depth"),
        ("[crawl]\nno-sitemaps = true", "there is no key no-sitemaps; write sitemaps = false"),
        (
            "[crawl]\nurls = ['https://a.example/']",
            "urls is not read from a file.*add --urls",
        ),
        ("[crawl]\nstart = 'https://a.example/'", "start must be a list of URLs such as"),
        ("[crawl]\nstart = []", "start must be a list of URLs such as"),
        ("[crawl]\nstart = ['a.example']", "start: a.example has no scheme; write https://a.e"),
        ("[crawl]\nmax-pages = '5'", 'max-pages must be a whole number or "none", not "5"'),
        ("[crawl]\nmax-pages = 5.5", 'max-pages must be a whole number or "none", not 5.5'),
        ("[crawl]\nmax-pages = true", "max-pages must be a whole number"),
        ("[crawl]\nmax-pages = 0", "max-pages must be a whole number .*: 0 is not in the range"),
        ("[crawl]\npause = 2024-01-01", 'pause must be a number, not "2024-01-01"'),
        ("[crawl]\nsitemaps = 'yes'", 'sitemaps must be true or false, not "yes"'),
        ("[crawl]\ninclude = '/a'", 'include must be a list of strings or "none", not "/a"'),
        ("[crawl]\ninclude = [1]", "include must be a list of strings"),
        ("[crawl]\ninclude = ['a']", "include: the pattern 'a' must begin with"),
        ("[crawl]\ntraps = ['bogus']", "traps: there is no trap 'bogus'"),
        ("[crawl]\nrobot = ['A', 'B']", "robot must be a string"),
        ("[crawl]\ndialect = 'klingon'", "dialect: there is no dialect"),
        ("[crawl]\nallow-private = true", "is not read from a file, because .* add --allow-priv"),
        ("[crawl]\nallow-network = ['::/0']", "is not read from a file.*add --allow-network"),
        ("[crawl]\nalert = 'touch x'", "is not read from a file.*runs a program; add --alert"),
        ("[crawl]\nout = '../shop'", r"out = \"../shop\" leaves .*name the folder in the command"),
        ("[crawl]\nout = '/shop'", r'out = "/shop" leaves the current directory'),
        (f"[crawl]\n{'a.' * 33}a = 1", "line 2: dots join more than 32 names in one key"),
        ("[crawl]\nremove = true", "remove is not read from a file, because it is about one run"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(
    text: str, told: str, in_folder: Callable[[str], object]
) -> None:
    """Each message names the file and the key, and says what to write."""
    in_folder(text)
    with pytest.raises(MisuseError, match=told) as found:
        parsed(keep_config=True)
    assert str(found.value).startswith("goodbot.toml")


def test_a_file_too_large_or_no_file_is_refused(in_folder: Callable[[str], object]) -> None:
    """What lies in the current directory can neither cost much nor hang."""
    in_folder("#" * 1024 * 1024 + "\n")
    with pytest.raises(MisuseError, match="1 MiB is the most"):
        parsed(keep_config=True)
    Path(CONFIG_FILE).unlink()
    Path(CONFIG_FILE).mkdir()
    with pytest.raises(MisuseError, match="is not a file; add --config none"):
        parsed(keep_config=True)
    assert parsed().workers
    with pytest.raises(FileNotFoundError):
        parsed("--config", "missing.toml", keep_config=True)


def test_what_a_file_still_says_does_not_undo_a_command(
    in_folder: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value of the file is set when the crawl starts and when the file changes."""

    class AtFakes(Crawl):
        """Crawls a site in memory."""

        def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  handed on
            site = FakeSite({"/robots.txt": "", "/": html("x")}, clock=FakeClock())
            super().__init__(*given, **named, fetcher=site, clock=site.clock)

    monkeypatch.setattr("goodbot.crawl.verbs.crawl_view.run.Crawl", AtFakes)

    def pages(*typed: str) -> int | None:
        crawl.main(args=[*typed, "--quiet"], standalone_mode=False)
        with Database(tmp_path / "crawl") as database:
            settings = CrawlSettings.read(database)
        assert settings is not None
        assert settings.sitemaps is False
        return settings.bounds.pages

    robot = f"robot = 'ExampleBot'\ninfo-url = '{ME['info_url']}'\ncontact = '{ME['contact']}'\n"
    in_folder(f"[crawl]\n{robot}sitemaps = false\nmax-pages = 5\n")
    assert pages(f"{SITE}/", "--max-pages", "9") == 9
    assert pages("--resume") == 9
    in_folder(f"[crawl]\n{robot}sitemaps = false\nmax-pages = 6\n")
    assert pages("--due") == 6
    assert pages("--resume", "--max-pages", "none") is None
    assert pages("--resume") is None
    assert pages("--resume", "--config", "none") is None

"""The settings of a crawl are stored in its folder, and merged by one rule with new ones."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import goodbot
from goodbot.cli.program import program
from goodbot.crawl import TRAPS, Bounds, Crawl, Database
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings, settings_for
from goodbot.errors import MisuseError, NoCrawlError, NotAStoreError
from goodbot.pace import Manners
from goodbot.page import PageOptions
from goodbot.page.dialects import page_dialect
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import ME, OTHER, SITE, html, run
from tests.support.examples import some_of, thorough
from tests.support.paths import FIXTURES

THIRD = "https://c.example"
BEGUN: dict[str, Any] = {"name": "ExampleBot/1.0", **ME, "start": [f"{SITE}/"]}
ROBOT = ["--robot", "ExampleBot/1.0", "--info-url", ME["info_url"], "--contact", ME["contact"]]
WORDS = [f"{SITE}/", *ROBOT]


def site() -> FakeSite:
    """Return two sites with one page each."""
    return FakeSite({"/robots.txt": "", "/": html("x")}, clock=FakeClock())


def settings_in(folder: Path) -> CrawlSettings:
    """Return the settings stored in a folder."""
    with Database(folder) as database:
        settings = CrawlSettings.read(database)
    assert settings is not None
    return settings


def crawled(folder: Path, **given: Any) -> CrawlSettings:  # noqa: ANN401  as `Crawl` has it
    """Run a crawl with these arguments; return the settings in its folder afterwards."""
    found = site()
    run(Crawl(folder, fetcher=found, clock=found.clock, **given).run())
    return settings_in(folder)


@pytest.fixture
def commanded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., CrawlSettings]:
    """Run `goodbot crawl` on sites in memory; return the settings in its folder afterwards."""

    class AtFakes(Crawl):
        """Crawls the sites in memory."""

        def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  handed on
            found = site()
            super().__init__(*given, **named, fetcher=found, clock=found.clock)

    monkeypatch.setattr("goodbot.crawl.verbs.crawl_view.run.Crawl", AtFakes)
    for name in ("GOODBOT_INFO_URL", "GOODBOT_CONTACT"):
        monkeypatch.delenv(name, raising=False)

    def command(folder: Path, *words: str) -> CrawlSettings:
        arguments = [*words, "--out", str(folder), "--quiet"]
        program.main(args=["crawl", *arguments], standalone_mode=False)
        return settings_in(folder)

    return command


@dataclass
class Case:
    """A first run, a second one, and the settings afterwards, for library and command."""

    name: str
    first: list[str] = field(default_factory=list)
    given_first: dict[str, Any] = field(default_factory=dict)
    second: list[str] = field(default_factory=lambda: ["--resume"])
    given_second: dict[str, Any] = field(default_factory=lambda: {"resume": True})
    bounds: dict[str, Any] = field(default_factory=dict)
    manners: dict[str, Any] = field(default_factory=dict)
    other: dict[str, Any] = field(default_factory=dict)
    starts: tuple[str, ...] = (SITE,)

    @property
    def expected(self) -> CrawlSettings:
        """The settings afterwards."""
        bounds = {"origins": [SITE], **self.bounds}
        return replace(
            CrawlSettings(robot="ExampleBot/1.0", **ME),
            start=frozenset(f"{origin}/" for origin in self.starts),
            bounds=Bounds(**bounds),
            manners=Manners(**self.manners),
            **self.other,
        )


RESUMED = {"resume": True}
EVERY_OPTION = {"profile_uris": ["urn:a", "urn:b"], "marks": ["nofollow"], "lenient": False}
CASES = [
    Case("nothing named"),
    Case("as before: the same again", second=WORDS, given_second=BEGUN),
    Case(
        "as before: dialects",
        ["--dialect", "bing", "--page-dialect", "yandex"],
        {"dialect": "bing", "page_dialect": "yandex"},
        other={"dialect": "bing", "page_dialect": "yandex"},
    ),
    Case(
        "a dialect named anew",
        ["--dialect", "bing", "--page-dialect", "yandex"],
        {"dialect": "bing", "page_dialect": "yandex"},
        ["--resume", "--dialect", "rfc9309"],
        {**RESUMED, "dialect": "rfc9309"},
        other={"page_dialect": "yandex"},
    ),
    Case(
        "as before: how pages are read",
        ["--profile-uri", "urn:a", "--profile-uri", "urn:b", "--marks", "nofollow", "--strict-pi"],
        {
            "page_options": {
                "profile_uris": ["urn:a", "urn:b"],
                "marks": ["nofollow"],
                "lenient": False,
            }
        },
        other={
            "page_options": PageOptions(
                profile_uris=["urn:a", "urn:b"], marks=["nofollow"], lenient=False
            )
        },
    ),
    Case(
        "how pages are read: what is named changes",
        ["--profile-uri", "urn:a", "--strict-pi"],
        {"page_options": {"profile_uris": ["urn:a"], "lenient": False}},
        ["--resume", "--profile-uri", "urn:b"],
        {**RESUMED, "page_options": {"profile_uris": ["urn:b"]}},
        other={"page_options": PageOptions(profile_uris=["urn:b"], lenient=False)},
    ),
    Case(
        "as before: no sitemaps",
        ["--no-sitemaps"],
        {"sitemaps": False},
        other={"sitemaps": False},
    ),
    Case(
        "as before: traps",
        ["--traps", "calendar, session-id"],
        {"traps": ["calendar", "session-id"]},
        other={"traps": frozenset({"calendar", "session-id"})},
    ),
    Case(
        "traps named anew",
        ["--traps", "all"],
        {"traps": list(TRAPS)},
        ["--resume", "--traps", "none"],
        {**RESUMED, "traps": []},
        other={"traps": frozenset()},
    ),
    Case(
        "bounds: what is named changes",
        ["--max-pages", "9", "--exclude", "/cart"],
        {"bounds": {"pages": 9, "exclude": ["/cart"]}},
        ["--resume", "--max-pages", "10", "--max-depth", "3"],
        {**RESUMED, "bounds": {"pages": 10, "depth": 3}},
        bounds={"pages": 10, "depth": 3, "exclude": ["/cart"]},
    ),
    Case(
        "origins are added",
        ["--origin", OTHER],
        {"bounds": {"origins": [OTHER]}},
        ["--resume", "--origin", f"{THIRD}/x"],
        {**RESUMED, "bounds": {"origins": [THIRD]}},
        bounds={"origins": [SITE, OTHER, THIRD]},
    ),
    Case(
        "another site is started at",
        second=["--resume", f"{OTHER}/"],
        given_second={**RESUMED, "start": [f"{OTHER}/"]},
        bounds={"origins": [SITE, OTHER]},
        starts=(SITE, OTHER),
    ),
    Case(
        "any origin stays",
        ["--any-origin"],
        {"bounds": {"any_origin": True}},
        bounds={"any_origin": True, "origins": None},
    ),
    Case(
        "any origin, then some",
        ["--any-origin"],
        {"bounds": {"any_origin": True}},
        ["--resume", "--origin", OTHER],
        {**RESUMED, "bounds": {"origins": [OTHER]}},
        bounds={"origins": [SITE, OTHER]},
    ),
    Case(
        "other sites no more",
        ["--origin", OTHER],
        {"bounds": {"origins": [OTHER]}},
        ["--resume", "--origin", "none"],
        {**RESUMED, "bounds": {"origins": None}},
        bounds={"origins": [SITE]},
    ),
    Case(
        "any origin no more",
        ["--any-origin"],
        {"bounds": {"any_origin": True}},
        ["--resume", "--no-any-origin"],
        {**RESUMED, "bounds": {"any_origin": False}},
        bounds={"origins": [SITE]},
    ),
    Case(
        "limits and lists no more",
        ["--max-pages", "9", "--include", "/", "--exclude", "/x", "--hours", "00:00-23:59"],
        {
            "bounds": {"pages": 9, "include": ["/"], "exclude": ["/x"]},
            "manners": {"hours": "00:00-23:59"},
        },
        [
            *("--resume", "--max-pages", "none", "--max-depth", "none", "--include", "none"),
            *("--exclude", "none", "--hours", "none"),
        ],
        {
            **RESUMED,
            "bounds": {"pages": None, "depth": None, "include": (), "exclude": ()},
            "manners": {"hours": ""},
        },
        bounds={"depth": None},
    ),
    Case(
        "manners: what is named changes",
        ["--pause", "2", "--back-off-after", "5"],
        {"manners": {"default": 2.0, "back_off_after": 5}},
        ["--resume", "--max-back-off", "20"],
        {**RESUMED, "manners": {"back_off_longest": 20.0}},
        manners={
            "default": 2.0,
            "back_off_after": 5,
            "back_off_first": 20.0,
            "back_off_longest": 20.0,
        },
    ),
    Case(
        "another version of the robot",
        second=["--resume", "--robot", "ExampleBot/2.0"],
        given_second={**RESUMED, "name": "ExampleBot/2.0"},
        other={"robot": "ExampleBot/2.0"},
    ),
]


@thorough
@pytest.mark.parametrize("case", some_of(CASES, one_of=3), ids=lambda case: case.name)
def test_library_and_command_merge_alike(
    case: Case, tmp_path: Path, commanded: Callable[..., CrawlSettings]
) -> None:
    """Settings that are named change, and all others stay, in library and command alike."""
    crawled(tmp_path / "library", **BEGUN, **case.given_first)
    commanded(tmp_path / "command", *WORDS, *case.first)
    assert settings_in(tmp_path / "library") == settings_in(tmp_path / "command")
    in_library = crawled(tmp_path / "library", **case.given_second)
    assert in_library == commanded(tmp_path / "command", *case.second)
    assert in_library == case.expected


def test_a_resume_in_the_library_goes_on_with_everything(tmp_path: Path) -> None:
    """The same holds also for complete manners and bounds, and without `resume`."""
    manners = Manners(floor=1.0, factor=3.0, default=4.0, patience=99.0)
    bounds = Bounds(pages=5, include=("/",), origins=frozenset({SITE}), url_length=99)
    first = crawled(
        tmp_path,
        **BEGUN,
        manners=manners,
        bounds=bounds,
        sitemaps=False,
        dialect="google",
        page_dialect="bing",
    )
    assert (first.manners, first.bounds) == (manners, bounds)
    assert crawled(tmp_path, **BEGUN) == crawled(tmp_path, resume=True) == first


def test_bounds_and_manners_as_a_whole_replace_those_of_before(tmp_path: Path) -> None:
    """The origins stay if none are named, so that the crawl stays on its sites."""
    crawled(tmp_path, **BEGUN, bounds=Bounds(pages=5, exclude=("/x",)), manners=Manners(floor=5))
    after = crawled(tmp_path, resume=True, bounds=Bounds(depth=2), manners=Manners(default=1))
    assert after.bounds == Bounds(depth=2, origins=frozenset({SITE}))
    assert after.manners == Manners(default=1)
    only = Bounds(origins=frozenset({OTHER}))
    assert crawled(tmp_path, resume=True, bounds=only).bounds == only


def test_another_robot_is_refused(tmp_path: Path, commanded: Callable[..., CrawlSettings]) -> None:
    """A folder is the evidence of one robot; only the version and the case may change."""
    crawled(tmp_path, **BEGUN)
    told = r"belongs to ExampleBot/1.0, not to OtherBot; continue as ExampleBot/1.0, or name"
    for given in ({**BEGUN, "name": "OtherBot"}, {"name": "OtherBot", "resume": True}):
        with pytest.raises(MisuseError, match=told):
            crawled(tmp_path, **given)
    other = ["--robot", "OtherBot", *ROBOT[2:]]
    for words in ([f"{SITE}/", *other], ["--resume", "--robot", "OtherBot"]):
        with pytest.raises(MisuseError, match=told):
            commanded(tmp_path, *words)
    assert crawled(tmp_path, **{**BEGUN, "name": "examplebot/3"}).robot == "examplebot/3"


@pytest.mark.parametrize("url", [f"{OTHER}/", f"{SITE}/more"])
def test_another_start_is_refused_unless_the_crawl_is_resumed(url: str, tmp_path: Path) -> None:
    """The message says what to pass; the same URL in another spelling is no other start."""
    crawled(tmp_path, **{**BEGUN, "start": [f"{SITE}/%7Ea"]})
    crawled(tmp_path, **{**BEGUN, "start": [f"{SITE}/~a"]})
    told = rf"started at {SITE}/~a, not at {url}; to add it, resume the crawl \(resume=T"
    with pytest.raises(MisuseError, match=told):
        crawled(tmp_path, **{**BEGUN, "start": [url]})
    assert url in crawled(tmp_path, resume=True, start=[url]).start
    crawled(tmp_path, **{**BEGUN, "start": [url]})


def test_there_must_be_a_crawl_to_resume(tmp_path: Path) -> None:
    """Nothing is created if there is no crawl."""
    for folder in (tmp_path / "nothing", tmp_path):
        with pytest.raises(NoCrawlError, match="there is no crawl in"):
            crawled(folder, resume=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["name", "info_url", "contact"])
def test_a_new_crawl_says_who_crawls(missing: str, tmp_path: Path) -> None:
    """Without `resume` the identity must be passed again: it is not read from the folder."""
    given = {name: value for name, value in BEGUN.items() if name != missing}
    with pytest.raises(MisuseError):
        Crawl(tmp_path, **given)


def test_a_dialect_of_ones_own_is_passed_again(tmp_path: Path) -> None:
    """Its choices are not stored, so that no other dialect replaces it silently."""
    own = goodbot.dialect("rfc9309").replace(name="rfc9309", nul="kept")
    page = page_dialect("google").replace(name="mine", placement="head")
    first = crawled(tmp_path, **BEGUN, dialect=own, page_dialect=page)
    assert (first.dialect, first.page_dialect) == ("own:rfc9309", "own:mine")
    with pytest.raises(MisuseError, match=r"started with dialect 'rfc9309', which is not built in"):
        crawled(tmp_path, resume=True)
    with pytest.raises(MisuseError, match=r"pass it again, or name another one \(page_dialect=\)"):
        crawled(tmp_path, resume=True, dialect=own)
    assert crawled(tmp_path, resume=True, dialect=own, page_dialect=page) == first
    named = crawled(tmp_path, resume=True, dialect="bing", page_dialect=page_dialect("google"))
    assert (named.dialect, named.page_dialect) == ("bing", "google")


DAMAGE = {
    "bounds": ["", "[]", "{", '{"pages": 0}', '{"moons": 3}', '{"depth": "many"}'],
    "manners": ["[]", "{", '{"floor": -1}', '{"moons": 3}', '{"floor": "x"}'],
    "sitemaps": ["perhaps", ""],
}


@pytest.mark.parametrize(("name", "value"), [(a, b) for a, some in DAMAGE.items() for b in some])
def test_damaged_settings_are_told(name: str, value: str, tmp_path: Path) -> None:
    """Library and command both say how to fix it, and nothing is visited."""
    crawled(tmp_path, **BEGUN)
    with Database(tmp_path) as database:
        database.write_settings({name: value})
    with pytest.raises(
        NotAStoreError, match=r"settings of the crawl in .* are damaged .*restore it"
    ):
        crawled(tmp_path, resume=True)


def test_an_unknown_dialect_is_told(tmp_path: Path) -> None:
    """The dialect is unknown to this version, or was made up."""
    crawled(tmp_path, **BEGUN)
    with Database(tmp_path) as database:
        database.write_settings({"dialect": "klingon"})
    with pytest.raises(MisuseError, match=r"started with dialect 'klingon', .* \(dialect=\)"):
        crawled(tmp_path, resume=True)
    assert crawled(tmp_path, resume=True, dialect="bing").dialect == "bing"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"bounds": {"moons": 3}}, "bounds has no 'moons'; it has pages, pages_per_site, depth"),
        ({"bounds": 7}, "bounds must be Bounds, a mapping or None, not int"),
        ({"bounds": {"origins": [SITE], "any_origin": True}}, "contradict each other; give one"),
        ({"bounds": {"pages": 0}}, "pages must be 1 or more"),
        ({"manners": {"jitter": 7}}, "jitter must be a function"),
        ({"manners": []}, "manners must be Manners"),
        ({"dialect": "klingon"}, "klingon"),
        ({"page_dialect": "klingon"}, "klingon"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(
    given: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """The error is raised before anything is opened."""
    with pytest.raises(MisuseError, match=told):
        Crawl(tmp_path / "none", **BEGUN, **given)


def test_none_in_a_mapping_is_a_value() -> None:
    """`None` removes a bound; bounds that are not named stay."""
    before = CrawlSettings(bounds=Bounds(pages=3, depth=4, origins=frozenset({SITE})))
    after = settings_for(before, GivenSettings(bounds={"depth": None}, resume=True), "x")
    assert after.bounds == Bounds(pages=3, depth=None, origins=frozenset({SITE}))


def test_permissions_are_no_settings(tmp_path: Path) -> None:
    """They are stored to ask for them again, but never used as settings."""
    crawled(tmp_path, **BEGUN)
    with Database(tmp_path) as database:
        written = database.settings()
        database.write_settings({"allow_private": "yes", "allow_networks": json.dumps(["::/0"])})
        assert CrawlSettings.read(database) == settings_in(tmp_path)
    assert not {"allow_private", "allow_networks"} & set(written), "its fetcher was its own"


def test_a_folder_of_0_1_0_has_settings(tmp_path: Path) -> None:
    """Settings that it did not write yet have their defaults."""
    folder = tmp_path / "crawl"
    shutil.copytree(FIXTURES / "0.1.0" / "crawl", folder)
    settings = settings_in(folder)
    assert settings.identity.name == "ExampleBot/1.0"
    assert settings.manners == Manners(default=1.0)
    assert (settings.bounds.disk, settings.bounds.url_length) == (Bounds().disk, 2048)
    assert settings.start, "read from its queue"
    assert (settings.dialect, settings.page_dialect, settings.sitemaps) == (
        "rfc9309",
        "google",
        True,
    )

"""The page of `goodbot serve` in a real browser: asked, explained, narrow, dark, by keyboard."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from goodbot.testing.steps import always
from tests.support.live_sites import open_site
from tests.support.service_process import running_service
from tests.system.browser import barriers, opened

ODD = "<img/src=x/onerror=document.title='run'>"
RULES = (
    f"User-agent: *\nAllow: /private/open\nDisallow: /private\nComment: {ODD}\n"
    "Content-Signal: ai-train=no\n\nUser-agent: OtherBot\nDisallow: /\n"
).encode()
DARK = 200


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Yield the address of a service, and that of a site."""
    store = tmp_path_factory.mktemp("service") / "robots.db"
    with (
        open_site(always(200, RULES, "Content-Type: text/plain")) as site,
        running_service("--allow-private", "--store", store) as base,
    ):
        yield base, site.origin


def ask(page: Page, site: str) -> None:
    """Send a question about three URLs and two robots."""
    urls = [f"{site}/private/open", f"{site}/private/x", f"{site}/{ODD}"]
    page.get_by_label("URLs").fill("\n".join(urls))
    page.get_by_label("Robots").fill("ExampleBot\nOtherBot")
    page.get_by_label("Robots").press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("2 of 6 allowed")


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_verdict_is_explained(
    chromium: Browser, addresses: tuple[str, str], width: int, scheme: str
) -> None:
    """The deciding line and the losers, uses and history; nothing of the site runs."""
    base, site = addresses
    tab = opened(chromium, base, width, color_scheme=scheme)
    ask(tab.page, site)
    button = tab.page.get_by_role("button", name="allowed, line 2", exact=True)
    button.focus()
    tab.page.keyboard.press("Enter")
    detail = tab.page.locator("#detail")
    expect(detail).to_be_focused()
    expect(detail).to_contain_text("Line 2, Allow: /private/open: decides")
    expect(detail).to_contain_text("Line 3, Disallow: /private: loses")
    expect(detail).to_contain_text("Reserved: do not train")
    expect(tab.page.locator("#history")).to_contain_text("rules (found)")
    assert button.get_attribute("aria-pressed") == "true"
    assert tab.page.title() == "May I fetch?"
    assert tab.page.locator("main img").count() == 0
    assert tab.overhang() <= 0
    assert tab.complaints == []
    paper = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in paper.strip("rgb()").split(",")) < DARK) is (scheme == "dark")
    assert barriers(tab.page) == []


def test_a_problem_is_shown_with_its_cure(chromium: Browser, addresses: tuple[str, str]) -> None:
    """As text."""
    tab = opened(chromium, addresses[0], 1200)
    tab.page.get_by_label("URLs").fill("https://example.com/")
    tab.page.get_by_label("Robots").fill("https://example.com/")
    tab.page.get_by_role("button", name="Ask").click()
    expect(tab.page.get_by_role("status")).to_contain_text("see /openapi.json")


def test_a_page_of_another_site_reads_nothing(
    chromium: Browser, addresses: tuple[str, str]
) -> None:
    """Neither by a script, whatever it sends, nor in a frame."""
    base, site = addresses
    tab = opened(chromium, f"{site}/public", 1200)
    tries = """async (base) => {
        const said = [];
        const json = { method: "POST", headers: { "Content-Type": "application/json" } };
        for (const options of [{}, { mode: "no-cors" }, { method: "POST", body: "{}" },
                               { ...json, body: '{"urls": ["https://a.example/"]}' }]) {
            try {
                const answer = await fetch(`${base}/v1/verdicts?url=https://a.example/`, options);
                said.push(await answer.text());
            } catch (error) { said.push("refused"); }
        }
        return said;
    }"""
    assert set(tab.page.evaluate(tries, base)) <= {"refused", ""}

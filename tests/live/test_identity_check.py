"""An identity is checked against a site that verifies signatures, as an operator does it."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import PROFILES, WELL_KNOWN
from tests.support.program import Done, bare_environment, run
from tests.support.verifying_site import VerifyingSite, open_verifying_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Opened = tuple[VerifyingSite, "Path", "Path"]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Return a site, its authority and the folder of an identity whose keys it serves."""
    with open_verifying_site(tmp_path) as (site, authority):
        mine = SigningIdentity.new(site.origin + WELL_KNOWN, datetime.now(timezone.utc))
        mine.write(tmp_path / "me")
        site.identity = mine
        yield site, authority, tmp_path / "me"


def check(opened: Opened, *words: str) -> Done:
    """Run the check."""
    _, authority, folder = opened
    # A new interpreter: authorities are read when the library of TLS is loaded.
    env = bare_environment(SSL_CERT_FILE=str(authority), PYTHONUTF8="1")
    return run("robot", "identity", "check", folder, *words, "--allow-private", env=env)


@pytest.mark.parametrize("accepts", [*([one] for one in PROFILES), ["key-set", "string"], []])
def test_the_forms_that_a_site_accepts_are_named(opened: Opened, accepts: list[str]) -> None:
    """Each form is asked once, and the page without a signature, too."""
    site, *_ = opened
    site.accepts = set(accepts)
    done = check(opened, f"{site.origin}/page")
    told = done.stdout.decode()
    assert "has every key" in told, told + done.stderr.decode()
    assert [one.split() for one in told.splitlines() if one.split()[-1].isdigit()] == [
        ["unsigned", "403"],
        *([one, "200" if one in accepts else "403"] for one in PROFILES),
    ]
    assert f"The site accepts {', '.join(accepts) or 'no form'}." in told
    assert done.returncode == (0 if accepts else 1)


def test_a_site_that_serves_anyone_shows_nothing(opened: Opened) -> None:
    """Its statuses are no acceptance, and that is said."""
    site, *_ = opened
    site.status = 200
    done = check(opened, f"{site.origin}/page")
    assert done.returncode == 0
    assert b"served without a signature" in done.stdout
    assert b"accepts" in done.stdout.partition(b"does not show which forms")[2]
    assert b"The site accepts" not in done.stdout


def test_a_site_that_asks_is_answered_once_in_each_form(opened: Opened) -> None:
    """Accept-Signature with 401: its nonce and component are signed, and nothing else of its."""
    site, *_ = opened
    site.accepts = {"key-set"}
    site.asks = 'a=("@query" "user-agent");nonce="abc";tag="web-bot-auth"'
    done = check(opened, f"{site.origin}/page?a=1")
    told = done.stdout.decode()
    assert "key-set      200 (signed as the site asked)" in told, told
    assert "The site accepts key-set." in told
    assert len(site.seen) == 1 + 2 * len(PROFILES)
    made = dict(site.seen[2][1])["Signature-Input"]
    assert made.startswith(
        'a=("@authority" "@query" "user-agent" "signature-agent";key="a");'
    )  # fmt: skip


@pytest.mark.parametrize("asks", ['a=("cookie")', 'a=("@authority" "authorization")', 'a=("x")'])
def test_a_site_that_asks_for_more_gets_nothing(opened: Opened, asks: str) -> None:
    """No second request is made."""
    site, *_ = opened
    site.asks = f'{asks};tag="web-bot-auth"'
    done = check(opened, f"{site.origin}/page")
    assert done.returncode == 1
    assert len(site.seen) == 1 + len(PROFILES)


def test_keys_that_are_not_published_are_named(opened: Opened) -> None:
    """So that they are published; the status is 1."""
    site, _, folder = opened
    mine = site.identity
    assert mine is not None
    mine.rotate(datetime.now(timezone.utc), at_once=True).write(folder)
    done = check(opened)
    assert done.returncode == 1
    told = " ".join(done.stdout.decode().split())
    assert "(next), " in told
    assert "(archive). Publish the keys again." in told
    site.identity = None
    done = check(opened)
    assert done.returncode == 1
    assert b"the status is 403, and only 200 counts" in b" ".join(done.stdout.split())

"""Who sent the requests of a log: by the lists and DNS answers of the user's cache, or of now."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from goodbot.address_lists import ListCopy, ListFolder
from goodbot.bots import get
from goodbot.site.audit.files.robot_log import read_robot_log
from goodbot.site.audit.files.senders import IdentifiedLog, identify_senders
from goodbot.site.audit.identity.lookup import DnsAnswer, DnsCache

if TYPE_CHECKING:
    from pathlib import Path

SITE = "https://example.com"
DAY = timedelta(days=1)
NOW = datetime.now(timezone.utc).replace(microsecond=0)
GPTBOT, GOOGLE = "GPTBot/1.3", "Googlebot/2.1"
LISTED, OTHER = "52.230.152.17", "198.51.100.23"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a new cache in each test."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def identified(path: Path, *lines: tuple[datetime, str, str], **given: object) -> IdentifiedLog:
    """Write a log of requests (time, address, User-Agent), and say who sent them."""
    written = [
        json.dumps(
            {"ts": at.timestamp(), "request": {"remote_ip": address, "host": "example.com",
             "method": "GET", "uri": "/", "headers": {"User-Agent": [agent]}}, "status": 200,
             "size": 9}
        )
        for at, address, agent in lines
    ]  # fmt: skip
    (path / "a.log").write_text("\n".join(written) + "\n")
    log = read_robot_log([path / "a.log"], [SITE])
    return identify_senders(log, now=datetime.now(timezone.utc), **given)  # type: ignore[arg-type]


def outcomes(found: IdentifiedLog) -> list[str]:
    """Return who sent each row."""
    return [one for table in found.tables for one in table.column("identity").to_pylist()]


def test_a_list_of_the_cache_counts_while_it_holds(tmp_path: Path) -> None:
    """Of one address in one log, some requests are spoofed, and others are of another time."""
    copy = ListCopy(
        url=get("GPTBot").addresses[0].url, fetched=NOW - 3 * DAY, confirmed=NOW - 3 * DAY,
        created=None, prefixes=("52.230.152.0/24",), refused=0, headers=(),
    )  # fmt: skip
    ListFolder().write(copy)
    inside, after = NOW - 2.5 * DAY, NOW - DAY
    found = identified(
        tmp_path, (inside, LISTED, GPTBOT), (inside, OTHER, GPTBOT), (after, OTHER, GPTBOT),
        (inside, LISTED, GOOGLE),
    )  # fmt: skip
    assert outcomes(found) == ["verified", "spoofed", "unverifiable", "unverifiable"]
    assert [one.reason for one in found.identities["GPTBot", OTHER]] == [
        "not-listed",
        "list-of-another-time",
    ]


def test_shortened_addresses_are_never_verified(tmp_path: Path) -> None:
    """The user says that the log has them."""
    (tmp_path / "own.txt").write_text("52.230.152.0/24\n")
    own = {"addresses": (f"gptbot={tmp_path / 'own.txt'}",)}
    assert outcomes(identified(tmp_path, (NOW, LISTED, GPTBOT), **own)) == ["verified"]
    shortened = identified(tmp_path, (NOW, LISTED, GPTBOT), shortened_log=True, **own)
    assert outcomes(shortened) == ["unverifiable"]


def test_an_own_list_may_have_the_form_in_which_the_operator_publishes_it(tmp_path: Path) -> None:
    """A saved copy of the published file works as it is."""
    saved = {"prefixes": [{"ipv4Prefix": "52.230.152.0/24"}]}
    (tmp_path / "gptbot.json").write_text(json.dumps(saved))
    own = (f"GPTBot={tmp_path / 'gptbot.json'}",)
    found = identified(tmp_path, (NOW, LISTED, GPTBOT), (NOW, OTHER, GPTBOT), addresses=own)
    assert outcomes(found) == ["verified", "spoofed"]


class Names:
    """A resolver that knows one host of Google's, and counts what it is asked."""

    asked: int = 0

    async def names_of(self, address: str) -> DnsAnswer:
        """Return the name of the one address that has one."""
        type(self).asked += 1
        if address == "66.249.66.1":
            return DnsAnswer("answered", ("crawl-66-249-66-1.googlebot.com.",))
        return DnsAnswer("none")

    async def addresses_of(self, name: str, *, version: int) -> DnsAnswer:
        """Return the address of the name."""
        assert (name, version) == ("crawl-66-249-66-1.googlebot.com", 4)
        return DnsAnswer("answered", ("66.249.66.1",))


def test_names_are_looked_up_only_if_wanted_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next audit of the same log needs no network, and says the same."""
    monkeypatch.setattr("goodbot.site.audit.identity.lookup.DnsResolver", Names)
    at = datetime.now(timezone.utc)
    lines = (at, "66.249.66.1", GOOGLE), (at, OTHER, GOOGLE), (at, OTHER, GPTBOT)
    assert outcomes(identified(tmp_path, *lines)) == ["unverifiable"] * 3
    assert (Names.asked, DnsCache().path.exists()) == (0, False)
    expected = ["verified", "spoofed", "unverifiable"]
    assert outcomes(identified(tmp_path, *lines, dns=True)) == expected
    assert Names.asked == 2
    assert outcomes(identified(tmp_path, *lines)) == expected
    assert outcomes(identified(tmp_path, *lines, dns=True)) == expected
    assert Names.asked == 2

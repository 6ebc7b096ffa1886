"""`goodbot robot identity`, as a user calls it."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

from tests.support.program import run

if TYPE_CHECKING:
    from pathlib import Path

NEW = ("robot", "identity", "new", "me", "--url", "https://bot.example/keys.json")


def test_an_identity_is_made_shown_and_published(tmp_path: Path) -> None:
    """Two keys, of which the set has the public parts; the folder is its owner's."""
    assert run(*NEW, cwd=tmp_path).returncode == 0
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in (tmp_path / "me").iterdir())
    shown = json.loads(run("robot", "identity", "show", "me", "--json", cwd=tmp_path).stdout)
    assert [one["state"] for one in shown["keys"]] == ["current", "next"]
    printed = run("robot", "identity", "publish", "me", cwd=tmp_path).stdout
    assert [one["kid"] for one in json.loads(printed)["keys"]] == [
        *(one["key"] for one in shown["keys"]),
        shown["archive_key"],
    ]
    assert run("robot", "identity", "publish", "me", "--out", "k", cwd=tmp_path).returncode == 0
    assert (tmp_path / "k").read_bytes() == printed
    fields = run("robot", "identity", "publish", "me", "--fields", cwd=tmp_path).stdout.decode()
    assert fields.count('tag="http-message-signatures-directory"') == 2


def test_an_identity_is_not_overwritten(tmp_path: Path) -> None:
    """Its keys would be lost."""
    run(*NEW, cwd=tmp_path)
    again = run(*NEW, cwd=tmp_path)
    assert again.returncode == 2
    assert b"identity rotate" in again.stderr


def test_a_rotation_waits_a_day(tmp_path: Path) -> None:
    """Unless the key is not safe: then the next one signs at once."""
    run(*NEW, cwd=tmp_path)
    early = run("robot", "identity", "rotate", "me", cwd=tmp_path)
    assert early.returncode == 2
    assert b"--at-once" in early.stderr
    assert run("robot", "identity", "rotate", "me", "--at-once", cwd=tmp_path).returncode == 0
    shown = json.loads(run("robot", "identity", "show", "me", "--json", cwd=tmp_path).stdout)
    assert [one["state"] for one in shown["keys"]] == ["current", "next"]


def test_faults_are_named_with_their_cure(tmp_path: Path) -> None:
    """A URL that is not one of https, a profile that does not fit, a folder that is none."""
    for words, cure in (
        (("new", "me", "--url", "http://bot.example/keys.json"), b"https://"),
        (("new", "me", "--url", "https://bot.example/k", "--profile", "origin"), b"well-known"),
        (("show", "nothing"), b"identity new"),
    ):
        done = run("robot", "identity", *words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert cure in done.stderr
    assert not (tmp_path / "me").exists()


def test_the_page_of_a_robot_links_its_keys(tmp_path: Path) -> None:
    """So that a site owner finds them."""
    given = ("-r", "ExampleBot", "--info-url", "https://bot.example/", "--contact", "a@bot.example")
    url = "https://bot.example/keys.json"
    done = run("robot", "page", *given, "--keys", url, cwd=tmp_path)
    assert f'<a href="{url}" rel="jwks">'.encode() in done.stdout
    assert b"keys_url" in run("robot", "page", *given, "--keys", "keys", cwd=tmp_path).stderr

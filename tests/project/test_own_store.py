"""The store that docs/how-to/stores.md shows does what every store must do."""

from __future__ import annotations

import re
from typing import Any

import pytest

import goodbot
from goodbot.store import NotAStoreError, Timekeeper
from goodbot.store.backend import Account, LeaseRequest, granted, key_of
from goodbot.testing.shared_store_suite import OpenStore, SharedStoreSuite
from goodbot.testing.store_suite import SITE, START, StoreSuite, at
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "how-to" / "stores.md").read_text("utf-8")


def page_names() -> dict[str, Any]:
    """Run the plain blocks of the page from top to bottom: the store, and a robot that uses it."""
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        if ">>> " not in block:
            exec(compile(block, "docs/how-to/stores.md", "exec"), names)  # noqa: S102  our own page
    return names


NAMES = page_names()


def own_store() -> Any:  # noqa: ANN401  a class that the page defines
    """Return a store as the page defines it."""
    return NAMES["RowStore"]()


class TestOwnStore(StoreSuite):
    """The store of the page."""

    @pytest.fixture
    def store(self) -> Any:  # noqa: ANN401
        """Return an empty store."""
        return own_store()


class TestSharedOwnStore(SharedStoreSuite):
    """The store of the page, called from several threads."""

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """Return the same store each time."""
        shared = own_store()
        return lambda: shared


def test_it_keeps_time() -> None:
    """The page implements all three protocols, and a robot used them."""
    assert isinstance(own_store(), Timekeeper)
    assert NAMES["store"].zeros


def test_a_damaged_account_is_no_permission() -> None:
    """A damaged account raises, whichever value is damaged."""
    store = own_store()
    store.block(SITE, START)
    whole = store.accounts[SITE]
    for damaged in ("{", "{}", whole.replace('"due"', '"duo"'), whole.replace("null", '"x"', 1)):
        store.accounts[SITE] = damaged
        with pytest.raises(NotAStoreError, match="restore"):
            store.acquire(SITE, at(100), 1, "a")


def test_an_account_is_plain_values_and_back() -> None:
    """`from_dict` restores what `as_dict` returns, and refuses a value of another type."""
    asked = LeaseRequest.of(key_of(SITE), START, 60, "a\0ü", 10.0, False)  # noqa: FBT003
    account, _ = granted(Account(), asked)
    assert account is not None
    plain = account.as_dict()
    assert Account.from_dict(plain) == account
    for wrong in ({**plain, "held": "1"}, {**plain, "more": 1}, {**plain, "history": {}}):
        with pytest.raises(goodbot.WrongValueError, match="complete record"):
            Account.from_dict(wrong)

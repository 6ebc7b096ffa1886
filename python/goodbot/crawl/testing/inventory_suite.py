"""Tests for every place of a crawl's inventory, wherever it is.

Scope: tests of `goodbot.crawl.inventory.protocol.InventoryWriter`. It is only written through that
protocol, so a suite needs methods that read what was written.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timezone

from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.protocol import InventoryWriter

__all__ = ["InventorySuite", "OpenInventory"]

OpenInventory = Callable[[], InventoryWriter]
"""Opens the inventory; opened again, it is the same one after its process was killed."""

LAMP = PageRecord(
    200,
    512,
    0.25,
    "text/html",
    indexable=True,
    reason="allowed",
    until=datetime(2027, 1, 1, tzinfo=timezone.utc),
    title="Lamps",
    description="Brass lamps",
    h1="Our lamps",
    language="en",
    canonical="https://a.example/lamps",
    h1_count=1,
    words=9,
    simhash=2**64 - 1,
)
WITHOUT_TEXTS = LAMP._replace(title=None, description=None, h1=None, language=None, simhash=None)
"""The same without what may have words of the page, or is made of them."""


class InventorySuite:
    """Tests for an inventory: derive from it, and define `open_inventory` and a way to read it.

    The pytest fixture `open_inventory` returns a function that opens the inventory. Called again
    within a test, it opens the same inventory as another process does after the first one was
    killed: without closing it.

    For example::

        class TestMyInventory(InventorySuite):
            @pytest.fixture
            def open_inventory(self, bucket):
                return lambda: MyInventory(bucket)

            def facts(self, inventory):
                return {row.url_id: row.record for row in inventory.segment()}
    """

    def facts(self, inventory: InventoryWriter) -> Mapping[int, PageRecord]:
        """Return what is stored of each page."""
        raise NotImplementedError

    def test_it_has_every_method(self, open_inventory: OpenInventory) -> None:
        """It is an inventory by its methods."""
        assert isinstance(open_inventory(), InventoryWriter)

    def test_every_fact_is_stored(self, open_inventory: OpenInventory) -> None:
        """As it was recorded; of a response that is no page there is less."""
        inventory, image = open_inventory(), PageRecord(200, 9, None, "image/png")
        inventory.record(7, LAMP, 1)
        inventory.record(8, image, 1)
        assert dict(self.facts(inventory)) == {7: LAMP, 8: image}

    def test_facts_replace_those_before(self, open_inventory: OpenInventory) -> None:
        """Recorded again, they stay as they are; those of an older visit come too late."""
        inventory = open_inventory()
        new = LAMP._replace(title="New lamps", status=404)
        inventory.record(7, LAMP, 1)
        inventory.record(7, LAMP, 1)
        inventory.record(7, new, 3)
        inventory.record(7, LAMP, 2)
        assert dict(self.facts(inventory)) == {7: new}

    def test_texts_are_withdrawn(self, open_inventory: OpenInventory) -> None:
        """No word of the page is left; an older visit changes nothing."""
        inventory = open_inventory()
        inventory.record(7, LAMP, 2)
        inventory.withdraw(7, "disallowed", 1)
        assert self.facts(inventory)[7] == LAMP
        inventory.withdraw(7, "disallowed", 2)
        assert self.facts(inventory)[7] == WITHOUT_TEXTS._replace(withheld="disallowed")
        inventory.withdraw(8, "removed")
        inventory.record(9, LAMP, 5)
        inventory.withdraw(9, "removed")
        assert self.facts(inventory)[9] == WITHOUT_TEXTS._replace(withheld="removed")
        assert 8 not in self.facts(inventory)

    def test_another_process_finds_everything(self, open_inventory: OpenInventory) -> None:
        """With the visits that stored it."""
        open_inventory().record(7, LAMP, 2)
        inventory = open_inventory()
        inventory.record(7, LAMP._replace(status=500), 1)
        assert dict(self.facts(inventory)) == {7: LAMP}

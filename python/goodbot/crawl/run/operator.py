"""The execution of an operator's orders to a crawl.

Scope: what each order changes in the folder. A block is permanent and removes the URLs from the
index and the archive; the evidence records who decided.
"""

import logging
from datetime import datetime

from goodbot.crawl.evidence import rows
from goodbot.crawl.folder import orders
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.orders import Order
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import MisuseError
from goodbot.http.address import address_of
from goodbot.policy.holds import BLOCKED, Hold

__all__ = ["Operator"]

LOG = logging.getLogger("goodbot.crawl")
FORGOTTEN = "The operator ran `goodbot robot forget`."


class Operator:
    """Carries out the orders that wait in the folder of a crawl.

    Args:
        database: The file of the crawl.
        recorder: The recorder of the crawl.
        settings: The settings of the crawl; they name the robot.

    """

    def __init__(self, database: Database, recorder: Recorder, settings: CrawlSettings) -> None:
        """Prepare to carry out orders."""
        self._database = database
        self._recorder = recorder
        dialect = settings.dialect
        self._dialect = dialect if isinstance(dialect, str) else dialect.name
        self._robot = settings.identity.product
        self._does = {
            "block": self._block,
            "unblock": self._unblock,
            "pause": self._pause,
            "resume": self._resume,
            "forget": self._forget,
        }

    def has_orders(self) -> bool:
        """Return whether any orders wait."""
        return bool(orders.waiting(self._database.folder))

    def obey(self, now: datetime) -> None:
        """Carry out every order that waits, and remove files that are not valid orders.

        Raises:
            StoreError: The folder cannot be written; the orders are carried out next time.

        """
        folder = self._database.folder
        for name in orders.waiting(folder):
            try:
                order = orders.read(folder, name)
            except OSError as error:  # it stays where it is, and is read next time
                LOG.warning("the order %s cannot be read: %s", folder / name, error)
                continue
            try:
                if order is None:
                    LOG.warning("%s is not a valid order; it was removed", folder / name)
                else:
                    self.carry_out(order, now)
            except MisuseError as error:
                LOG.warning("an order cannot be carried out: %s", error)
            # Carrying out an order twice changes nothing, so a crash in between does no harm.
            self._database.commit()
            orders.done(folder, name)

    def carry_out(self, order: Order, now: datetime) -> int:
        """Carry out one order in one transaction; return how many URLs it concerns.

        For a block these are the URLs that were in the index or the archive.

        Args:
            order: The order.
            now: The time: an aware `datetime`.

        Raises:
            MisuseError: The order names no valid site or URL, or a block has no reason.
            StoreError: The folder cannot be written.

        """
        with self._database.changing():
            return self._does[order.do](order, now)

    def _block(self, order: Order, now: datetime) -> int:
        hold = Hold.of(order.place, "block", why=order.why, by=order.by, at=order.at)
        self._database.store.keep_hold(hold)
        parts = self._recorder
        found = [one for one in parts.frontier.urls_at(hold.origin) if hold.covers(one[1])]
        kept = 0
        for url_id, url in found:
            kept += self._recorder.take_down(url_id)
            verdict = hold.verdict(url, self._robot, self._dialect)
            parts.evidence.keep(url_id, rows.refused(now, verdict))
        outcome = Outcome("disallowed", BLOCKED, str(hold))
        parts.frontier.decide([url_id for url_id, _ in found], outcome, now)
        return kept

    def _unblock(self, order: Order, now: datetime) -> int:
        is_lifted = self._database.store.lift_hold(order.place, "block")
        # URLs that another block covers are refused again when their turn comes.
        self._recorder.frontier.retry([BLOCKED], now)
        return int(is_lifted)

    def _pause(self, order: Order, now: datetime) -> int:  # noqa: ARG002  as the others
        hold = Hold.of(order.place, "pause", why=order.why, by=order.by, at=order.at)
        self._database.store.keep_hold(hold)
        return 1

    def _resume(self, order: Order, now: datetime) -> int:  # noqa: ARG002  as the others
        return int(self._database.store.lift_hold(order.place, "pause"))

    def _forget(self, order: Order, now: datetime) -> int:
        origin, url = address_of(order.place)
        found = [url_id for url_id, one in self._recorder.frontier.urls_at(origin) if one == url]
        for url_id in found:
            if self._recorder.take_down(url_id):
                self._recorder.evidence.keep(url_id, rows.removed(now, "forgotten", FORGOTTEN))
        return len(found)

"""The requests of several workers are one sequence, in the order of time."""

from contextlib import closing
from pathlib import Path

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.segment_rows import order_requests

ADD = (
    "INSERT INTO requests(id, origin, url, purpose, started, ended) "
    "VALUES(?, 'https://a.example', ?, 'page', ?, ?)"
)


def test_requests_have_the_numbers_of_their_times(tmp_path: Path) -> None:
    """A segment that was published later may begin earlier; settings hold from the same request."""
    times = {1: 50, 2: 60, 3: 70, 4: 10, 5: 65}
    with closing(Database(tmp_path, create=True)) as database, database.changing() as connection:
        rows = [(number, str(at), at, at) for number, at in times.items()]
        connection.executemany(ADD, rows)
        connection.execute("DELETE FROM manners")
        connection.executemany(
            "INSERT INTO manners(after, stated, is_known) VALUES(?, ?, 1)",
            [(0, '{"a": 1}'), (2, '{"b": 2}'), (5, '{"c": 3}')],
        )
        for _ in range(2):  # in order, nothing changes
            order_requests(connection)
            found = connection.execute("SELECT id, url FROM requests ORDER BY id").fetchall()
            assert found == list(enumerate(["10", "50", "60", "65", "70"], start=1))
            manners = connection.execute("SELECT after, stated FROM manners ORDER BY after")
            # The requests at 50 and 60 were made by the first ones, the others by the second ones.
            assert manners.fetchall() == [(0, '{"b": 2}'), (1, '{"a": 1}'), (3, '{"b": 2}')]

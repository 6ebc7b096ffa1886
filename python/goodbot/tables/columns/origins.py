"""The origins of a column of URLs, as verdicts find their policies."""

from typing import Any

from goodbot._core import ArrowColumn, column_origins
from goodbot.tables.columns.verdicts import one_column


def origins(urls: Any) -> ArrowColumn:  # noqa: ANN401  a column of any library
    """Return the origin of each URL, as it stands in a table of policies.

    Args:
        urls: A column as `verdicts` reads it.

    Returns:
        A dictionary column with the Arrow interface; null for what is not an absolute URL of http
        or https.

    Raises:
        WrongTypeError: It is not a column of URLs.
        WrongValueError: It is malformed.

    >>> origins(["HTTPS://A.example:443/a", "https://b.example/b", "mailto:a@b.example"]).tolist()
    ['https://a.example', 'https://b.example', None]

    """
    return column_origins(one_column(urls))

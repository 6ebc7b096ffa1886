r"""Access logs of web servers: the requests of robots as tables, and sums over all of them.

>>> import tempfile, pathlib
>>> from goodbot.site.logs import open_logs
>>> line = (
...     '192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 23 "-" '
...     '"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)"\n'
... )
>>> log = pathlib.Path(tempfile.mkdtemp(), "access.log")
>>> _ = log.write_text(line * 2)
>>> reader = open_logs([log], sites=["https://example.com"])
>>> for batch in reader.requests():
...     print(batch.to_pydict()["robot"], batch.to_pydict()["target"])
['GPTBot', 'GPTBot'] ['/a', '/a']
>>> reader.counts().lines
2

Scope: it acts: it opens files, follows them and decompresses them. Lines are read in the core, by
several threads and in bounded memory; what is not a request is counted and never stops the reading.
Only requests of robots are given out; those of people are only counted.
"""

from goodbot.site.logs.log_counts import LogCounts, LogSummary, SenderSums, UnreadLine
from goodbot.site.logs.log_format import LOG_FORMATS, LogFormat
from goodbot.site.logs.log_notes import log_notes
from goodbot.site.logs.log_reader import LogReader, open_logs

__all__ = [
    "LOG_FORMATS",
    "LogCounts",
    "LogFormat",
    "LogReader",
    "LogSummary",
    "SenderSums",
    "UnreadLine",
    "log_notes",
    "open_logs",
]

"""Facts about the web that any HTTP client needs, not only robots.

| module | has |
|---|---|
| `fields` | header fields and their lines |
| `address` | URLs: the origin, and what is sent |
| `head` | the head of a message, from bytes |
| `status` | what each status says about a page: one row for each status |
| `dates` | the dates of HTTP |
| `instants` | aware times and durations as whole microseconds |
| `retry_after` | Retry-After |
| `amounts`, `quoting` | numbers in words; the length of quotations |
| `cache_control`, `freshness` | how long an answer may be used (RFC 9111) |
| `validators` | how a stored response is compared with the site's; what a 304 changes |

Every layer above may use this package; it uses only the core and the exceptions. It decides and
does not act: no clock, no socket, no disk.
"""

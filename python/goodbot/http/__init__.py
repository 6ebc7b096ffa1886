"""Facts of the web that are not about robots: what any HTTP client has to know.

| module | has |
|---|---|
| `fields` | header fields and their lines |
| `address` | URLs: the origin, and what is sent |
| `head` | the head of a message, from bytes |
| `status` | what each status says of a page: one row a status |
| `dates` | the dates of HTTP |
| `instants` | aware times and durations as whole microseconds |
| `retry_after` | Retry-After |
| `amounts`, `quoting` | how many and how much, in words; how much is quoted of others |
| `cache_control`, `freshness` | how long an answer may be used (RFC 9111) |
| `validators` | by what a stored answer is compared with what a site has; what a 304 changes |

Every room above may use it; it knows only the core and the exceptions. It decides and does not act:
no clock, no socket, no disk.
"""

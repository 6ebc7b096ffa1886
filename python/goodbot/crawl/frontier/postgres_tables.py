"""The tables of a queue in PostgreSQL, and its statements.

Scope: what is asked of the server. `postgres` decides when.

| table | one row |
|---|---|
| `workers` | a process that leases groups, and when its leases end |
| `groups` | a server group: who holds it, the number of its lease, when it is due next |
| `urls` | a URL, in one of several partitions by its group |

A group is free if it has no holder. The leases of a worker end together, when its row in `workers`
is removed: by itself, or by another one after its end. So a worker whose row is there holds all its
groups, and one whose row is gone holds none, whatever it believes.

Times are microseconds since 1970, and *never* is NULL: PostgreSQL's `infinity` has no meaning in
Python, where an infinite interval would be read as none. The ends of leases are by the clock of the
server, `clock_timestamp()`, because `now()` stands still within a transaction; the times of URLs
are those that the crawl passes.
"""

from goodbot.store.postgres_schema import PostgresTables

__all__ = ["PARTITIONS", "PARTITIONS_MADE", "STATEMENTS", "queue_tables"]

PARTITIONS = 16
"""In how many parts the URLs are by default: each is vacuumed by itself."""

URLS = """CREATE TABLE {s}.urls(
    group_id bigint NOT NULL, key uuid NOT NULL, number bigint NOT NULL, url text NOT NULL,
    origin text NOT NULL, depth integer NOT NULL, hops integer NOT NULL, how text NOT NULL,
    source text NOT NULL, spelling text NOT NULL, state text NOT NULL, reason text NOT NULL,
    due bigint, found bigint NOT NULL, status integer, visited bigint, target bigint,
    attempts integer NOT NULL DEFAULT 0, crashes integer NOT NULL DEFAULT 0,
    PRIMARY KEY(group_id, key), CHECK (due IS NOT NULL OR state <> 'queued'))
    PARTITION BY HASH (group_id)"""
PART = (
    "CREATE TABLE {{s}}.urls_{part} PARTITION OF {{s}}.urls "
    "FOR VALUES WITH (MODULUS {parts}, REMAINDER {part}) WITH (fillfactor = 80)"
)
BEFORE_URLS = (
    """CREATE TABLE {s}.workers(
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
        ends bigint NOT NULL, is_hungry boolean NOT NULL DEFAULT false)""",
    """CREATE TABLE {s}.groups(
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text COLLATE "C" NOT NULL UNIQUE, due bigint, holder bigint,
        lease bigint NOT NULL DEFAULT 0) WITH (fillfactor = 70)""",
    # What is free and due is found without reading what is not.
    "CREATE INDEX groups_free ON {s}.groups(due) WHERE holder IS NULL AND due IS NOT NULL",
    "CREATE INDEX groups_held ON {s}.groups(holder) WHERE holder IS NOT NULL",
)
INDEXES = (
    "CREATE INDEX urls_next ON {s}.urls(group_id, due, found) WHERE state = 'queued'",
    "CREATE INDEX urls_leased ON {s}.urls(group_id) WHERE state = 'leased'",
    "CREATE INDEX urls_leading ON {s}.urls(number) WHERE target IS NOT NULL",
    "CREATE INDEX urls_targets ON {s}.urls(target) WHERE target IS NOT NULL",
)


def queue_tables(partitions: int = PARTITIONS) -> PostgresTables:
    """Return the tables of the queue of a crawl on several machines.

    Args:
        partitions: In how many parts the URLs are, if the tables are still to be made. Later steps
            do not depend on it, so a queue is opened without knowing its number.

    """
    parts = (PART.format(part=part, parts=partitions) for part in range(partitions))
    first = (*BEFORE_URLS, URLS, *parts, *INDEXES)
    # When a worker last gave a sign; NULL if an older version has not.
    second = ("ALTER TABLE {s}.workers ADD COLUMN seen bigint",)
    return PostgresTables("queue", (first, second))


PARTITIONS_MADE = (
    "SELECT count(*) FROM pg_catalog.pg_inherits i "
    "JOIN pg_catalog.pg_class c ON c.oid = i.inhparent "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = %s AND c.relname = 'urls'"
)
"""In how many parts the URLs of a schema are; 0 if it has no queue."""

CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
STAGED = (
    "group_id, key, number, url, origin, depth, hops, how, source, spelling, state, reason, "
    "due, found"
)
FOUND = STAGED.partition(", ")[2]
NEXT = (
    "SELECT key, number, url, origin, depth, hops, attempts, how, source, spelling, due, crashes "
    "FROM {s}.urls WHERE group_id = one.id AND state = 'queued' ORDER BY due, found LIMIT %s"
)
HELD = "EXISTS(SELECT 1 FROM {s}.groups WHERE groups.id = urls.group_id AND holder = %s)"
"""Whether a worker still has the group, however long it was stopped."""
AS_DUE = (
    "UPDATE {s}.groups SET due = (SELECT min(due) FROM {s}.urls "
    "WHERE group_id = groups.id AND state = 'queued') "
)

STATEMENTS: dict[str, str] = {
    # Workers.
    "register": f"INSERT INTO {{s}}.workers(name, ends, seen) VALUES(%s, {CLOCK} + %s, {CLOCK}) "
    "RETURNING id",
    "renew": f"UPDATE {{s}}.workers SET ends = {CLOCK} + %s, seen = {CLOCK}, is_hungry = %s "
    "WHERE id = %s "
    "RETURNING (SELECT count(*) FROM {s}.workers WHERE is_hungry AND id <> %s)",
    "leave": "DELETE FROM {s}.workers WHERE id = %s",
    # The row lock makes a worker that renews its leases wait, and find its row gone.
    # A worker that waited for the server may be late itself; others bury it, or it renews.
    "bury": "DELETE FROM {s}.workers WHERE ends < " + CLOCK + " AND id <> %s "
    f"RETURNING id, {CLOCK} - ends",
    "inherit": "UPDATE {s}.groups SET holder = NULL, due = %s WHERE holder = ANY(%s) RETURNING id",
    "crashed": "UPDATE {s}.urls SET state = CASE WHEN crashes < %s THEN 'queued' ELSE 'failed' "
    "END, reason = 'crashed', crashes = crashes + 1, due = %s "
    "WHERE group_id = ANY(%s) AND state = 'leased'",
    # Groups.
    # Who buries this worker waits for the lock, and then frees what it has leased meanwhile.
    "stay": "SELECT 1 FROM {s}.workers WHERE id = %s FOR KEY SHARE",
    "lease": "UPDATE {s}.groups SET holder = %s, lease = lease + 1 WHERE id = ANY(ARRAY("
    # Without ARRAY, the limit may be applied to each of several executions of the query.
    "SELECT id FROM {s}.groups WHERE holder IS NULL AND due <= %s ORDER BY due LIMIT %s "
    "FOR UPDATE SKIP LOCKED)) RETURNING id, name, lease",
    "leased": "SELECT id, name, lease FROM {s}.groups WHERE holder = %s AND id <> ALL(%s)",
    "held": "SELECT id FROM {s}.groups WHERE holder = %s AND id = ANY(%s)",
    # Locked before its URLs are read, so that one that is being added is seen or wakes it again.
    "lock groups": "SELECT id FROM {s}.groups WHERE holder = %s AND id = ANY(%s) "
    "ORDER BY id FOR UPDATE",
    "free groups": "UPDATE {s}.groups SET holder = NULL, due = (SELECT CASE WHEN min(due) IS NULL "
    # `greatest` ignores NULL, which is never.
    "THEN NULL ELSE greatest(min(due), one.ready) END FROM {s}.urls "
    "WHERE group_id = groups.id AND state = 'queued') "
    "FROM unnest(%s::bigint[], %s::bigint[]) AS one(id, ready) "
    "WHERE groups.id = one.id AND holder = %s",
    "as due": AS_DUE + "WHERE holder IS NULL AND id = ANY(%s)",
    "others": "SELECT (SELECT min(due) FROM {s}.groups WHERE holder IS NULL), EXISTS(SELECT 1 FROM "
    "{s}.workers WHERE id <> %s AND EXISTS(SELECT 1 FROM {s}.groups WHERE holder = workers.id))",
    # URLs of groups that are held.
    "next": "SELECT one.id, next.* FROM unnest(%s::bigint[]) AS one(id) LEFT JOIN LATERAL ("
    + NEXT
    + ") AS next ON true",
    "mark": "UPDATE {s}.urls SET state = 'leased' FROM unnest(%s::bigint[], %s::uuid[]) "
    "AS one(id, key) WHERE group_id = one.id AND urls.key = one.key "
    "AND state IN ('queued', 'leased') AND " + HELD + " RETURNING group_id, urls.key",
    "unmark": "UPDATE {s}.urls SET state = 'queued' FROM unnest(%s::bigint[], %s::uuid[]) "
    "AS one(id, key) WHERE urls.group_id = one.id AND urls.key = one.key AND state = 'leased' AND "
    + HELD,
    "break off": "UPDATE {s}.urls SET state = CASE WHEN crashes < %s THEN 'queued' ELSE 'failed' "
    "END, reason = 'crashed', crashes = crashes + 1 FROM unnest(%s::bigint[], %s::uuid[]) "
    "AS one(id, key) WHERE urls.group_id = one.id AND urls.key = one.key AND state = 'leased' AND "
    + HELD,
    "settle": "UPDATE {s}.urls SET state = one.state, reason = one.reason, source = CASE urls.how "
    "WHEN 'sitemap-file' THEN urls.source ELSE one.source END, status = one.status, due = one.due, "
    "visited = one.visited, target = one.target, "
    "attempts = CASE WHEN one.failed THEN attempts + 1 ELSE 0 END "
    "FROM unnest(%s::bigint[], %s::uuid[], %s::text[], %s::text[], %s::text[], %s::int[], "
    "%s::bigint[], %s::bigint[], %s::bigint[], %s::bool[]) AS one(id, key, state, reason, source, "
    "status, due, visited, target, failed) "
    "WHERE group_id = one.id AND urls.key = one.key AND urls.state = 'leased' AND "
    + HELD
    + " RETURNING group_id, urls.key",
    "give back": "UPDATE {s}.urls SET state = 'queued', reason = CASE WHEN %s = '' THEN reason "
    "ELSE %s END, source = CASE WHEN %s = '' OR how = 'sitemap-file' THEN source ELSE %s END "
    "WHERE group_id = %s AND key = %s AND state = 'leased'",
    # Found URLs: copied into a table of the session, and merged by one statement.
    # Groups are named by numbers: to find them by name here, PostgreSQL might read all groups for
    # each URL, because it plans before it knows how many URLs there are.
    "stage": "CREATE TEMPORARY TABLE IF NOT EXISTS goodbot_staged(group_id bigint, key uuid, "
    "number bigint, url text, origin text, depth integer, hops integer, how text, source text, "
    "spelling text, state text, reason text, due bigint, found bigint) ON COMMIT DELETE ROWS",
    "copy": f"COPY pg_temp.goodbot_staged({STAGED}) FROM STDIN",
    "name groups": "INSERT INTO {s}.groups(name) SELECT * FROM unnest(%s::text[]) "
    "ON CONFLICT DO NOTHING",
    "groups named": "SELECT name, id FROM {s}.groups WHERE name = ANY(%s)",
    "merge": "WITH placed AS (INSERT INTO {s}.urls(group_id, " + FOUND + ") "
    "SELECT DISTINCT ON (group_id, key) group_id, " + FOUND + " FROM pg_temp.goodbot_staged "
    # One that may be visited before one that is skipped.
    "ORDER BY group_id, key, state, found "
    "ON CONFLICT (group_id, key) DO UPDATE SET url = excluded.url, depth = excluded.depth, "
    "hops = excluded.hops, how = excluded.how, source = excluded.source, "
    "spelling = excluded.spelling, state = excluded.state, reason = excluded.reason, "
    "due = excluded.due WHERE urls.state = 'skipped' AND excluded.state = 'queued' "
    "RETURNING group_id, due), "
    "waking AS (SELECT group_id, min(due) AS due FROM placed WHERE due IS NOT NULL "
    "GROUP BY group_id), "
    "locked AS MATERIALIZED (SELECT groups.id, waking.due FROM {s}.groups JOIN waking "
    "ON id = group_id ORDER BY groups.id FOR UPDATE OF groups) "
    "UPDATE {s}.groups SET due = least(groups.due, locked.due) FROM locked "
    "WHERE groups.id = locked.id RETURNING holder",
    # What concerns all URLs.
    "early": "UPDATE {s}.urls SET due = %s WHERE state NOT IN ('queued', 'leased') AND due > %s",
    "again": "UPDATE {s}.urls SET state = 'queued', crashes = 0, attempts = CASE WHEN "
    "status = ANY(%s) THEN attempts ELSE 0 END WHERE state NOT IN ('queued', 'leased') "
    "AND due <= %s RETURNING group_id",
    "retry": "UPDATE {s}.urls SET due = CASE state WHEN 'queued' THEN least(due, %s) ELSE %s END, "
    "reason = CASE state WHEN 'disallowed' THEN '' ELSE reason END, source = CASE WHEN "
    "state = 'disallowed' AND how <> 'sitemap-file' THEN '' ELSE source END, state = 'queued', "
    "attempts = 0 WHERE state IN ('queued', 'failed', 'disallowed') AND reason = ANY(%s) "
    "RETURNING group_id",
    "done": "SELECT group_id, key, source FROM {s}.urls WHERE state = 'done' AND reason = %s",
    "skipped": "SELECT group_id, key, url, origin, how, depth FROM {s}.urls "
    "WHERE state = 'skipped' AND reason = ANY(%s)",
    "queue": "UPDATE {s}.urls SET state = 'queued', due = %s, attempts = 0, "
    "reason = CASE state WHEN 'skipped' THEN '' ELSE reason END, "
    "source = CASE state WHEN 'skipped' THEN '' ELSE source END "
    "FROM unnest(%s::bigint[], %s::uuid[]) AS one(id, key) "
    "WHERE group_id = one.id AND urls.key = one.key",
    "not skipped": "SELECT number, url, origin, how, depth FROM {s}.urls "
    "WHERE state NOT IN ('skipped', 'leased')",
    "urls at": "SELECT number, url FROM {s}.urls WHERE group_id = "
    "(SELECT id FROM {s}.groups WHERE name = %s) AND origin = %s AND state <> 'skipped' "
    "ORDER BY found",
    "decide": "UPDATE {s}.urls SET state = one.state, reason = one.reason, source = CASE urls.how "
    "WHEN 'sitemap-file' THEN urls.source ELSE one.source END, due = one.due, "
    "visited = one.visited FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], "
    "%s::bigint[], %s::bigint[]) "
    "AS one(number, state, reason, source, due, visited) WHERE urls.number = one.number "
    "RETURNING group_id",
    "target": "SELECT target FROM {s}.urls WHERE number = %s AND target IS NOT NULL",
    "leading": "WITH RECURSIVE leads(number) AS (SELECT number FROM {s}.urls WHERE target = %s "
    "UNION SELECT urls.number FROM {s}.urls JOIN leads ON urls.target = leads.number) "
    "SELECT number FROM leads WHERE number <> %s",
    "waiting": "SELECT count(*) FROM {s}.urls WHERE state = 'queued'",
    "waiting at": "SELECT count(*) FROM {s}.urls WHERE state = 'queued' AND origin = %s "
    "AND group_id = (SELECT id FROM {s}.groups WHERE name = %s)",
    "states": "SELECT state, count(*) FROM {s}.urls GROUP BY state",
}
"""The statements by name; `{s}` is the schema."""

"""A fleet: one crawl on many machines, whose queue, settings and pace are in PostgreSQL."""

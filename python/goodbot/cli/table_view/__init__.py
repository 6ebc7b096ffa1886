"""Tables of what a crawl knows, for the owner of a site: as text, JSON lines and CSV."""

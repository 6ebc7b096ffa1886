"""The export of a crawl for web archives: one WACZ file, which replay tools open."""

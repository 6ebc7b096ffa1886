"""The report of a crawl: one page of HTML, made from the evidence."""

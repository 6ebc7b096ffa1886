"""The inventory of a crawl: what each page is like, for the owner of the site."""

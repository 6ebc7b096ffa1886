"""The status of a crawl: how far it has come, and how long it will still take by its pace."""

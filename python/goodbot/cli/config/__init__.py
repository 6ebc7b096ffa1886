"""The file `goodbot.toml`, and the folder of a crawl that it names."""

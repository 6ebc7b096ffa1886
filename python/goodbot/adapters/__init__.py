r"""Adapters for existing crawlers: change one line of imports.

Each adapter is a module of its own, which is imported only when you import it:

- `goodbot.adapters.robotparser` replaces `urllib.robotparser`.
- `goodbot.adapters.protego` replaces `protego`.
- `goodbot.adapters.robotrules` is Perl's WWW::RobotRules in Python.
- `goodbot.adapters.scrapy` has a parser and middlewares for Scrapy.
- `goodbot.adapters.httpx` has transports for HTTPX.
- `goodbot.adapters.aiohttp` has a middleware for aiohttp's client.
- `goodbot.adapters.requests` has a transport adapter for requests.
- `goodbot.adapters.playwright` has a route handler for Playwright.
- `goodbot.adapters.crawlee` has an HTTP client for Crawlee.
- `goodbot.adapters.mcp` has a tool for AI assistants (Model Context Protocol).
- `goodbot.adapters.pytest` runs what you expect of your robots.txt as tests.

>>> from goodbot.adapters.robotparser import RobotFileParser
>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /private"])
>>> parser.can_fetch("ExampleBot", "https://example.com/private/a")
False

Those from `scrapy` to `mcp` need the extra of the same name, such as `goodbot[scrapy]`. Without it,
importing the module raises `goodbot.errors.MissingExtraError`. pytest loads its plugin by itself.
"""

__all__: list[str] = []

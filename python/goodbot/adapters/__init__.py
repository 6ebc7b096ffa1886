r"""For people who have a crawler already: one line of imports to switch.

Each adapter is a module of its own, and none is imported before it is asked for:

- `goodbot.adapters.robotparser`: in place of `urllib.robotparser`.
- `goodbot.adapters.protego`: in place of `protego`.
- `goodbot.adapters.robotrules`: WWW::RobotRules of Perl, in Python.
- `goodbot.adapters.scrapy`: a parser and middlewares for Scrapy.
- `goodbot.adapters.httpx`: transports for HTTPX.
- `goodbot.adapters.aiohttp`: a middleware for the client of aiohttp.

>>> from goodbot.adapters.robotparser import RobotFileParser
>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /private"])
>>> parser.can_fetch("ExampleBot", "https://example.com/private/a")
False

Those of other libraries need the extra of the same name: `pip install 'goodbot[scrapy]'`. Without
it, importing the module raises `goodbot.errors.MissingExtraError`.
"""

__all__: list[str] = []

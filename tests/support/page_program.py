"""Running `goodbot page` on a saved page that has something of everything."""

from tests.support import program

URL = "https://shop.example/lamps/brass"
PROFILE = "http://example.org/xmdp/robots-profile#"
VIEWS = ("verdicts", "text", "links", "copy", "snippet", "json")

SHOP = f"""<!DOCTYPE html>
<html><head profile="{PROFILE}"><title>Lamps of brass</title>
<meta name="robots" content="max-snippet:60, max-image-preview:large, fancy">
<meta name="NosyBot" content="noindex, noarchive">
<link rel="canonical" href="/lamps"><link rel="license" href="/licence">
</head><body>
<p>Lamps of brass, <a href="/more" rel="nofollow">more lamps</a> and <a href="c">chairs</a>
<!--googleoff: index-->a secret price<!--googleon: index--> in the attic.
<p class="robots-noarchive">Today only</p>
<p><a href="http://[::1" rev="vote-for">odd</a>
</body></html>
""".encode()
"""A document with something of everything."""


def page(*arguments: str | bytes, given: bytes = b"", **environment: str) -> tuple[int, str, str]:
    """Run `goodbot page` on these arguments; its exit status, output and complaints."""
    status, output, complaints = page_bytes(*arguments, given=given, **environment)
    return status, output.decode(), complaints


def page_bytes(
    *arguments: str | bytes, given: bytes = b"", **environment: str
) -> tuple[int, bytes, str]:
    """Run `goodbot page`, and return its output as bytes."""
    kept = program.bare_environment(**environment)
    done = program.run("page", *arguments, given=given, env=kept)
    return done.returncode, done.stdout, done.stderr.decode()


def ask(*arguments: str | bytes, given: bytes = SHOP) -> tuple[int, str, str]:
    """Check a page on standard input."""
    return page("-", "--url", URL, *arguments, given=given)

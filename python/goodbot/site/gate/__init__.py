r"""One declared policy for robots, and every document of a site that is written from it.

>>> from datetime import datetime, timezone
>>> from goodbot.site.gate import read_policy, render
>>> policy = read_policy(b'''
... site = "https://example.com"
... [[rule]]
... paths = ["/private/"]
... fetch = false
... [[rule]]
... robots = ["GPTBot"]
... uses = { train = false }
... ''')
>>> said = render(policy, now=datetime(2026, 12, 1, tzinfo=timezone.utc))
>>> print(said.files["/robots.txt"].body.decode())
User-agent: GPTBot
Disallow: /private/
Content-Usage: / train-ai=n
Content-Signal: ai-train=no
<BLANKLINE>
User-agent: *
Disallow: /private/
<BLANKLINE>

The way from a policy to its documents is `render` in `goodbot.site.gate.rendered`. What decides has
no clock, socket or disk; `goodbot.site.gate.middleware` serves it.
"""

from goodbot.site.gate.gate_findings import CHECK_CODES, GateFinding, check_gate
from goodbot.site.gate.gate_policy import Enforcement, GatePolicy, GateRule
from goodbot.site.gate.license_offers import RslNotice, RslOffer, TdmOffer
from goodbot.site.gate.policy_toml import read_policy
from goodbot.site.gate.rendered import Rendered, ServedFile, render

__all__ = [
    "CHECK_CODES",
    "Enforcement",
    "GateFinding",
    "GatePolicy",
    "GateRule",
    "Rendered",
    "RslNotice",
    "RslOffer",
    "ServedFile",
    "TdmOffer",
    "check_gate",
    "read_policy",
    "render",
]

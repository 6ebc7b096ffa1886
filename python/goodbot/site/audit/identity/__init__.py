"""Who sent a request: the operator of the robot that it names, or someone else?

>>> from datetime import datetime, timezone
>>> from goodbot.site.audit.identity import DatedList, IdentityEvidence, sender_identity
>>> from goodbot.bots import get
>>> begins, ends = (datetime(2026, 1, day, tzinfo=timezone.utc) for day in (1, 8))
>>> url = get("GPTBot").addresses[0].url
>>> evidence = IdentityEvidence.of([DatedList(url, ("52.230.152.0/24",), begins, ends)])
>>> found = sender_identity("GPTBot", "52.230.152.7", begins, evidence)
>>> found.outcome, found.test, found.place.entry
('verified', 'list', '52.230.152.0/24')
>>> sender_identity("GPTBot", "52.230.152.7", ends, evidence).reason
'list-of-another-time'

A name is said to be spoofed only by a list, an answer of DNS or a signature that holds at the time
of the request, and then nothing is laid on the owner of the name (`SenderIdentity.is_operators`).

It decides and does not act: no clock, no socket, no disk. `goodbot.site.audit.identity.lookup` asks
DNS.
"""

from goodbot.signatures import SignedRequest
from goodbot.site.audit.identity.dated_list import DatedList
from goodbot.site.audit.identity.dns_record import DnsRecord, NameRecord
from goodbot.site.audit.identity.identity_evidence import DNS_WINDOW, IdentityEvidence
from goodbot.site.audit.identity.identity_outcomes import (
    IDENTITY_OUTCOMES,
    IDENTITY_REASONS,
    IDENTITY_TESTS,
    IdentityOutcome,
)
from goodbot.site.audit.identity.many import Identities, lookups_wanted
from goodbot.site.audit.identity.request_signature import KeyCheck, check_signature
from goodbot.site.audit.identity.sender_identity import IdentityPlace, IdentityTest, SenderIdentity
from goodbot.site.audit.identity.sender_tests import sender_identity

__all__ = [
    "DNS_WINDOW",
    "IDENTITY_OUTCOMES",
    "IDENTITY_REASONS",
    "IDENTITY_TESTS",
    "DatedList",
    "DnsRecord",
    "Identities",
    "IdentityEvidence",
    "IdentityOutcome",
    "IdentityPlace",
    "IdentityTest",
    "KeyCheck",
    "NameRecord",
    "SenderIdentity",
    "SignedRequest",
    "check_signature",
    "lookups_wanted",
    "sender_identity",
]

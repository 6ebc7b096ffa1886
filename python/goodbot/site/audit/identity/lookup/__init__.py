"""Reverse DNS: asks names for addresses and addresses for names, and keeps the answers on disk.

It acts; `goodbot.site.audit.identity` decides. `DnsResolver` needs `pip install 'goodbot[dns]'`.
"""

from goodbot.site.audit.identity.lookup.dns_cache import DnsCache
from goodbot.site.audit.identity.lookup.dns_resolver import DnsResolver
from goodbot.site.audit.identity.lookup.looking_up import is_name_of_robot, look_up
from goodbot.site.audit.identity.lookup.resolver import DnsAnswer, NameResolver

__all__ = ["DnsAnswer", "DnsCache", "DnsResolver", "NameResolver", "is_name_of_robot", "look_up"]

"""The audit of a server's log: who sent a request?

`goodbot.audit.identity` answers by lists of addresses, DNS and signatures.
"""

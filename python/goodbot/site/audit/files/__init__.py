"""What an audit reads and writes: logs, robots.txt over time, lists of addresses, keys, requests.

Scope: it acts: it opens files, and asks name servers if wanted. The other modules of
`goodbot.site.audit` decide.
"""

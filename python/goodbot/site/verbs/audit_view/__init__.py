"""The audit of a log on the command line: its run, its summary, its story of one robot, its page.

`goodbot.site.audit` decides.
"""

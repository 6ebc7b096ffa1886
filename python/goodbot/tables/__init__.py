"""For tables of URLs: verdicts on columns, tables of policies, and engines."""

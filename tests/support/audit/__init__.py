"""What the tests of `goodbot.site.audit` share: its cases, and a simulated week."""

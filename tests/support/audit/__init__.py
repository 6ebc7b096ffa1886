"""What the tests of `goodbot.audit` share: its cases, and a simulated week."""

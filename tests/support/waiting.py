"""How long a test waits for what another thread or process does."""

HANGS = 1_800.0
"""The seconds after which it is given up: nothing that works takes as long on any machine, and a
test that passes waits only until what it waits for is there."""

"""`goodbot reconsider`: its sources, its summary."""

"""For owners of a site: lint, reasoning, gate, audit of logs, writing."""

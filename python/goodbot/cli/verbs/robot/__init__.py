"""The verbs for running a robot: its web page, the orders of its operator, its tool."""

"""The page of a report: its sections, drawings and tables as HTML."""

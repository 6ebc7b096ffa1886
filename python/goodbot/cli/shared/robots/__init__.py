"""Which robots a command is asked about, and the form of an answer for several."""

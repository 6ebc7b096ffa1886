"""The verbs of the command line for owners of a site."""

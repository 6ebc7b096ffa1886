"""What the command line advises: commands to run, options that were meant, dialects."""

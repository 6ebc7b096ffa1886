"""What a type checker must find in a user's program."""

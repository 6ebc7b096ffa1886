"""What a change of robots.txt would have kept away, in the forms that the command prints."""

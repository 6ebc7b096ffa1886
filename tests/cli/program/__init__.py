"""What the program promises, whatever the verb."""

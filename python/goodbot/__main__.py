"""`python -m goodbot` is `goodbot`."""

from goodbot.cli import main

if __name__ == "__main__":
    main()

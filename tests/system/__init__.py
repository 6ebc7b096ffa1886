"""Tests with other programs: a web server, a browser, a full disk. Run by `make test-system`."""

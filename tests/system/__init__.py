"""Tests with other programs: a web server, a browser, a disk that is full. `make test-system`."""

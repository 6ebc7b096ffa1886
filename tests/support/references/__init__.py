"""References: slow, plain implementations, with which tests compare the clever ones."""

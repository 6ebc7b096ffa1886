"""Sites, clocks, cases and plain reference implementations that several tests use."""

"""Sites, clocks, cases and plain references that several tests use."""

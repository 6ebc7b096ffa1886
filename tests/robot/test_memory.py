"""The memory for origins has a bound in bytes; the rest is in the store."""

from datetime import datetime, timezone

from goodbot import Policy
from goodbot.pace import Manners
from goodbot.policy.size import MOST_BYTES, size_of
from goodbot.robot.origin_state import OriginCache

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
LARGE = b"User-agent: *\nDisallow: /" + b"a" * 400_000


def policy_of(origin: str) -> Policy:
    """Return a policy with a large robots.txt."""
    return Policy.from_response(f"{origin}/robots.txt", 200, {}, LARGE, now=NOW)


def test_origins_are_bounded_by_their_bytes() -> None:
    """The oldest states are dropped, the total stays below the bound, and states in use stay."""
    most = 4_000_000
    origins = OriginCache("ExampleBot", Manners(), most)
    first = origins.of("https://first.example")
    first.waiters = 1
    for number in range(30):
        origin = f"https://{number}.example"
        state, policy = origins.of(origin), policy_of(origin)
        state.know(policy, state.applied(policy))
        assert sum(state.size for state in origins) <= most + size_of(policy_of(origin))
    assert origins.get("https://first.example") is first
    assert origins.get("https://0.example") is None
    assert origins.get("https://29.example") is not None


def test_many_small_origins_are_bounded_too() -> None:
    """States without a policy count as well."""
    origins = OriginCache("ExampleBot", Manners(), 100 * size_of(None))
    for number in range(1_000):
        origins.of(f"https://{number}.example")
    assert len(list(origins)) <= 111


def test_a_bound_can_shrink() -> None:
    """The oldest states are dropped at once."""
    origins = OriginCache("ExampleBot", Manners(), 100_000, beside=1_000)
    for number in range(100):
        origins.of(f"https://{number}.example")
    assert len(list(origins)) == 100
    origins.limit(50_000)
    assert len(list(origins)) == 45
    assert origins.get("https://99.example") is not None


def test_by_default_64_mib() -> None:
    """As the documents require."""
    assert MOST_BYTES == 64 * 1024 * 1024

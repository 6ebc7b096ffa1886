"""The entry of a request in the log, as every middleware writes it."""

from contextlib import suppress

from goodbot.site.gate.access_log import AccessLog, LoggedRequest
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.served_answers import FieldOf

__all__ = ["write_entry"]


def write_entry(
    log: AccessLog,
    gate: RequestGate,
    request: tuple[str, str, str, str | None],
    field: FieldOf,
    answer: tuple[int, int],
) -> None:
    """Append a request to a log. A full disk must not break the site.

    Args:
        log: The log.
        gate: The gate, which knows the proxies and the time.
        request: Its method, target and protocol, and the address that the connection is from.
        field: What it has in a field.
        answer: The status and the bytes of the answer.

    """
    method, target, protocol, peer = request
    with suppress(OSError):
        log.write(
            LoggedRequest(
                field("host") or gate.cache.policy.own_host,
                gate.client_of(field, peer),
                gate.clock(),
                method,
                target,
                protocol,
                *answer,
                field("referer") or "",
                field("user-agent") or "",
            )
        )

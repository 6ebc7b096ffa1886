"""A name server on loopback with the answers of a test."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

Answers = dict[tuple[str, str], Callable[[dns.message.Message], bytes | None]]
"""From a name and a type to the answer; `None` is silence."""


@dataclass
class NameServer:
    """A name server, with the questions that it was asked."""

    answers: Answers
    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)


class Protocol(asyncio.DatagramProtocol):
    """Answers questions over UDP."""

    def __init__(self, server: NameServer) -> None:
        """Store the server."""
        self.server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store where to send answers."""
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        """Answer one question; all other names do not exist."""
        question = dns.message.from_wire(data)
        one = question.question[0]
        key = (one.name.to_text().lower(), dns.rdatatype.to_text(one.rdtype))
        self.server.asked.append(key)
        answer = self.server.answers.get(key, failing(dns.rcode.NXDOMAIN))(question)
        if answer is not None:
            self.transport.sendto(answer, address)


def records(*lines: str) -> Callable[[dns.message.Message], bytes | None]:
    """Return what answers with records: `name TTL IN type value`."""

    def answer(question: dns.message.Message) -> bytes:
        response = dns.message.make_response(question)
        response.flags |= dns.flags.RA
        for line in lines:
            name, ttl, kind_of, kind, value = line.split(" ", 4)
            response.answer.append(dns.rrset.from_text(name, int(ttl), kind_of, kind, value))
        return response.to_wire(max_size=65_000)

    return answer


def failing(code: dns.rcode.Rcode) -> Callable[[dns.message.Message], bytes | None]:
    """Return what answers with a code and no record."""

    def answer(question: dns.message.Message) -> bytes:
        response = dns.message.make_response(question)
        response.set_rcode(code)
        return response.to_wire()

    return answer


def silent(_question: dns.message.Message) -> bytes | None:
    """Do not answer."""
    return None


@asynccontextmanager
async def name_server(answers: Answers) -> AsyncIterator[NameServer]:
    """Run a name server."""
    server = NameServer(answers)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: Protocol(server), local_addr=("127.0.0.1", 0)
    )
    server.port = transport.get_extra_info("sockname")[1]
    try:
        yield server
    finally:
        transport.close()

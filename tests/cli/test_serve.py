"""`goodbot serve`, as a process of its own, with a real site."""

import json
import socket
import ssl
import sys
import urllib.error
import urllib.request
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from tests.support import program
from tests.support.houses import need
from tests.support.live_sites import ask, open_site
from tests.support.service_process import running_service
from tests.support.signed_requests import URL, new_identity, outcomes
from tests.support.waiting import HANGS

TOKEN = "correct-horse-battery"  # noqa: S105  of a test


def send(
    url: str, content: object = None, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """Send a request; return the status and the content."""
    data = None if content is None else json.dumps(content).encode()
    fields = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(url, data, fields)  # noqa: S310  of http
    try:
        with urllib.request.urlopen(request, timeout=HANGS) as answer:  # noqa: S310  as above
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_it_answers_and_ends_when_it_is_told(tmp_path: Path) -> None:
    """What it learned is in the store, where other commands find it."""
    store = str(tmp_path / "robots.db")
    with open_site("polite") as site:
        with running_service("--store", store, "--allow-private", "-r", "ExampleBot") as base:
            content = {"urls": [f"{site.origin}/private/x", f"{site.origin}/public"]}
            status, answer = send(f"{base}/v1/verdicts", content)
            assert status == 200
            assert [row["verdict"] for row in answer["verdicts"]] == ["disallowed", "allowed"]
            assert {row["robot"] for row in answer["verdicts"]} == {"ExampleBot"}
        done = ask("check", "--store", store, "--allow-private", f"{site.origin}/private/x")
        assert done[0] == 1
        assert [visit.target for visit in site.visits] == ["/robots.txt"]


def test_its_requests_are_signed(tmp_path: Path) -> None:
    """By the identity in a folder, as those of every other command."""
    mine = new_identity(tmp_path / "me")
    words = ("--allow-private", "--identity", tmp_path / "me")
    with open_site("polite") as site, running_service(*words) as base:
        assert send(f"{base}/v1/verdicts", {"urls": [f"{site.origin}/public"]})[0] == 200
        asked = [(f"{site.origin}{one.target}", one.headers) for one in site.visits]
    assert len(asked) == 1
    assert outcomes(mine, asked) == {("signature-valid", URL)}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the port is only looked for")
def test_a_port_that_was_chosen_is_kept() -> None:
    """No other program gets it while the server is loaded, which takes a second; a server does."""
    from goodbot.cli.verbs.serve import reserved_port  # noqa: PLC0415  the verb loads what it needs

    with reserved_port("127.0.0.1", 0) as port, socket.socket() as other:
        with pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            server.bind(("127.0.0.1", port))
            server.listen()
            socket.create_connection(("127.0.0.1", port), timeout=HANGS).close()


def test_private_addresses_are_not_asked_unless_they_are_allowed() -> None:
    """The address guard of the fetcher holds for every question."""
    with open_site("polite") as site, running_service() as base:
        _, answer = send(f"{base}/v1/verdicts", {"urls": [f"{site.origin}/public"]})
        assert answer["verdicts"][0]["verdict"] == "unknown"
        assert answer["verdicts"][0]["reason"] == "failure-private-address"
        assert site.visits == []


def test_a_token_from_a_file_is_required(tmp_path: Path) -> None:
    """On loopback as elsewhere."""
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    with running_service("--token-file", tmp_path / "token") as base:
        assert send(f"{base}/ready")[0] == 200
        content = {"urls": ["nonsense"]}
        assert send(f"{base}/v1/verdicts", content)[0] == 401
        fields = {"Authorization": f"Bearer {TOKEN}"}
        assert send(f"{base}/v1/verdicts", content, fields)[0] == 200


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", str(ip_address(0))], "other machines can reach 0.0.0.0; add --token-file FILE"),
        (["--host", "localhost"], "--host is an address such as 127.0.0.1"),
        (["--cert", "x"], "https needs both --cert and --key"),
        (["--client-ca", "x"], "https needs both --cert and --key"),
        (["--cert", "nowhere", "--key", "nowhere"], "nowhere cannot be read"),
        (["--token-file", "nowhere"], "the token cannot be read from nowhere"),
        (["-r", "https://a.example/"], "--robot is a name"),
        (["--dialect", "nothing"], "nothing"),
        (["--store", "/"], "cannot be opened"),
    ],
)
def test_a_wrong_option_is_reported_before_it_listens(words: list[str], said: str) -> None:
    """With what to do."""
    need("granian", "aiohttp")
    status, output, errors = ask("serve", "--port", "0", *words)
    assert (status, output) == (2, "")
    assert said in " ".join(errors.split())


def test_a_weak_token_in_the_environment_is_refused() -> None:
    """The message says how to make one."""
    need("granian", "aiohttp")
    env = {**program.environment(), "GOODBOT_SERVE_TOKEN": "short"}
    status, _, errors = ask("serve", "--port", "0", env=env)
    assert status == 2
    assert "token_urlsafe" in errors


def test_a_port_in_use_is_reported() -> None:
    """With what to do."""
    with running_service() as base:
        status, _, errors = ask("serve", "--port", base.rpartition(":")[2])
        assert status == 2
        assert "choose another --port" in " ".join(errors.split())


def test_client_certificates_let_only_workers_in(tmp_path: Path) -> None:
    """Without one of its authority, no request is read."""
    need("granian", "aiohttp", "trustme")
    import trustme  # noqa: PLC0415  only this test needs it

    authority, strangers = trustme.CA(), trustme.CA()
    server = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(tmp_path / "workers.pem")
    server.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")
    server.private_key_pem.write_to_path(tmp_path / "server.key")
    files = {"--cert": "server.pem", "--key": "server.key", "--client-ca": "workers.pem"}
    options = [word for name, file in files.items() for word in (name, str(tmp_path / file))]
    with running_service(*options) as base:
        assert base.startswith("https://")

        def ask_as(issuer: trustme.CA | None) -> int:
            context = ssl.create_default_context(cafile=str(tmp_path / "workers.pem"))
            if issuer is not None:
                issuer.issue_cert("worker.example").configure_cert(context)
            with urllib.request.urlopen(f"{base}/health", context=context, timeout=HANGS) as answer:  # noqa: S310  of https
                status: int = answer.status
                return status

        assert ask_as(authority) == 200
        for issuer in (None, strangers):
            with pytest.raises(OSError, match=r"(?i)certificate|closed|reset|eof|alert"):
                ask_as(issuer)

"""nginx as a forward proxy that asks the service about every request, as the page configures it."""

import http.client
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.live_sites import open_site
from tests.support.paths import ROOT
from tests.support.service_process import running_service
from tests.support.waiting import HANGS
from tests.system.nginx import PROGRAM, free_port, wait_for

PAGE = ROOT / "docs" / "how-to" / "put-a-gateway-in-front.md"
AROUND = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{server}
}}
"""


@contextmanager
def gateway(folder: Path, base: str) -> Iterator[int]:
    """Run nginx as the page says, in front of a service; yield its port."""
    [server] = re.findall(r"^```nginx\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    port = free_port()
    server = server.replace("127.0.0.1:3128", f"127.0.0.1:{port}")
    server = server.replace("127.0.0.1:8470", base.removeprefix("http://"))
    path = folder / "nginx.conf"
    path.write_text(AROUND.format(folder=folder, server=server))
    process = subprocess.Popen(  # noqa: S603  an installed program
        [PROGRAM, "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log")]
    )
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(HANGS)


def fetch(port: int, url: str, robot: str = "ExampleBot/1.0") -> tuple[int, str | None]:
    """Fetch a URL by the proxy; return the status and the reason."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS)
    host = url.split("/")[2]
    connection.putrequest("GET", url, skip_host=True)
    for name, value in (("Host", host), ("User-Agent", robot)):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("X-Goodbot-Reason")


def test_what_is_disallowed_does_not_leave(tmp_path: Path) -> None:
    """Whatever the worker would have done; and nothing leaves without an answer."""
    with open_site("polite") as site:
        with running_service("--allow-private") as base, gateway(tmp_path, base) as port:
            assert fetch(port, f"{site.origin}/public") == (200, "no-rule-matches")
            assert fetch(port, f"{site.origin}/private/x") == (403, "rule-disallows")
            assert fetch(port, f"{site.origin}/x/../private/x")[0] == 403
            assert fetch(port, f"{site.origin}/%70rivate/x")[0] == 403
            assert [visit.target for visit in site.visits] == ["/robots.txt", "/public"]
        with gateway(tmp_path, base) as port:  # the service has ended
            assert fetch(port, f"{site.origin}/public")[0] == 500
        assert len(site.visits) == 2

"""What the service counts, as a reader of Prometheus' text format would read it."""

import re

from goodbot.service import Service
from goodbot.service.metrics import GAUGES
from tests.service.test_turns import begin, end, told
from tests.support.robot_sites import SITE, site_with
from tests.support.service_client import request

SAMPLE = re.compile(
    r'(?P<name>[a-z_]+)(?:\{(?P<label>[a-z]+)="(?P<value>[^"\n\\]*)"\})? (?P<count>\d+)'
)


def read(text: str) -> dict[tuple[str, str], int]:
    """Return the samples by name and label, and check that each has its help and type."""
    found: dict[tuple[str, str], int] = {}
    about: set[str] = set()
    for line in text.splitlines():
        if line.startswith("#"):
            about.add(" ".join(line.split()[1:3]))
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample is not None, line
        name = sample["name"]
        assert {f"HELP {name}", f"TYPE {name}"} <= about
        found[name, sample["value"] or ""] = int(sample["count"])
    return found


def test_requests_problems_verdicts_and_turns_are_counted() -> None:
    """With what is under way now."""

    async def steps(service: Service) -> str:
        content = {"urls": [f"{SITE}/a", f"{SITE}/private", "nonsense"]}
        for _ in range(2):
            await request(service, "POST", "/v1/verdicts", content)
        await request(service, "GET", f"/v1/verdicts?url={SITE}/private")
        await request(service, "GET", "/nowhere")
        first = await begin(service, wait=20)
        await begin(service)
        await end(service, first, status=200)
        await begin(service, wait=20)
        answer = await request(service, "GET", "/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        return answer.body.decode()

    found = read(told(site_with("User-agent: *\nDisallow: /private\nCrawl-delay: 5"), steps))
    assert found["goodbot_requests_total", "/v1/verdicts"] == 3
    assert found["goodbot_requests_total", "/v1/turns/{id}"] == 1
    assert found["goodbot_problems_total", "not-found"] == 1
    assert found["goodbot_verdicts_total", "allowed"] == 2
    assert found["goodbot_verdicts_total", "disallowed"] == 3
    assert found["goodbot_verdicts_total", "unknown"] == 2
    assert found["goodbot_turns_total", "granted"] == 2
    assert found["goodbot_turns_total", "later"] == 1
    assert found["goodbot_turns_total", "ended"] == 1
    assert {name: found[name, ""] for name in GAUGES} == {
        "goodbot_requests_working": 1,
        "goodbot_sites_waiting": 0,
        "goodbot_sites_known": 1,
        "goodbot_turns_out": 1,
    }

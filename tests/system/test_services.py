"""The units for systemd and the manifest for Kubernetes: valid, and their commands exist."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from goodbot.cli.program import program
from tests.support.paths import ROOT

SERVICES = ROOT / "examples" / "services"
UNITS = sorted((SERVICES / "systemd").iterdir())
MANIFEST = SERVICES / "kubernetes" / "fleet-workers.yaml"
GOODBOT = "/opt/goodbot/bin/goodbot"
VERSION = "1.33"
"""Of Kubernetes."""
REPLICAS = "  replicas: 3\n"


def check_command(words: list[str]) -> None:
    """Parse a command as the program does, without running it."""
    context = click.Context(program, info_name="goodbot")
    command: click.Command = program
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert found is not None, name
        command, context = found, click.Context(found, info_name=name, parent=context)
    command.make_context(command.name, words, parent=context.parent)


def verified(paths: list[Path]) -> tuple[int, str]:
    """Return what systemd says of units."""
    command = ["systemd-analyze", "verify", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  ours
    return done.returncode, done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """An unknown key would be found, and so would a command that does not exist."""
    paths = []
    for unit in UNITS:
        paths.append(tmp_path / unit.name.replace("@", "@shop"))
        paths[-1].write_text(unit.read_text("utf-8").replace(GOODBOT, "/bin/true"), "utf-8")
    assert verified(paths) == (0, "")
    paths[0].write_text(paths[0].read_text("utf-8").replace("RestartSec", "RestartSecs"), "utf-8")
    assert "RestartSecs" in verified(paths)[1]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_commands_of_the_units_can_be_parsed(unit: Path) -> None:
    """Each begins with the program and has only options that it knows."""
    commands = re.findall(r"^ExecStart=(.*)", unit.read_text("utf-8"), re.MULTILINE)
    assert bool(commands) == (unit.suffix == ".service")
    for command in commands:
        program_path, *words = shlex.split(command.replace("${GOODBOT_FLEET}", "postgresql://a/b"))
        assert program_path == GOODBOT
        check_command(words)


def faults_in(text: str) -> list[str]:
    """Return what the schemas of Kubernetes say of a manifest."""
    kubernetes = pytest.importorskip("kubernetes_validate", reason="make test-system installs it")
    faults: list[str] = []
    for resource in yaml.safe_load_all(text):
        try:
            kubernetes.validate(resource, VERSION, strict=True)
        except kubernetes.ValidationError as error:  # noqa: PERF203  three resources
            faults.append(error.message)
    return faults


def test_kubernetes_accepts_the_manifest() -> None:
    """By its own schemas, in which an unknown key is a fault."""
    text = MANIFEST.read_text("utf-8")
    assert faults_in(text) == []
    (fault,) = faults_in(text.replace(REPLICAS, "  replica: 3\n"))
    assert "'replica' was unexpected" in fault


def test_the_command_of_the_manifest_can_be_parsed() -> None:
    """Its variables are defined, and its Secret and ConfigMap are those that it describes."""
    config, _, workers = list[Any](yaml.safe_load_all(MANIFEST.read_text("utf-8")))
    (worker,) = workers["spec"]["template"]["spec"]["containers"]
    words = [*worker["command"], *worker["args"]]
    variables = {one["name"] for one in worker["env"]}
    assert set(re.findall(r"\$\((\w+)\)", " ".join(words))) <= variables
    assert words[0] == "goodbot"
    check_command([re.sub(r"\$\(\w+\)", config["data"]["database"], word) for word in words[1:]])

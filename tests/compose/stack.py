"""The compose stack as its rules see it: the parsed file, its services by kind, and what the image is made of."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
TEXT = FILE.read_text("utf-8")
STACK: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = STACK["services"]

JOBS = ("temporal-schema", "temporal-namespaces")
"""Do one thing and end."""
COMMANDS = ("parley",)
"""Started by a user, for one command."""
LASTING = tuple(name for name in SERVICES if name not in {*JOBS, *COMMANDS})
OURS = tuple(name for name, service in SERVICES.items() if "build" in service)
WORKERS = ("worker", "worker-rehearsal")

IMAGE = re.compile(r"^[a-z0-9][a-z0-9/_-]*:v?\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.]+)?(?:@sha256:[0-9a-f]{64})?$")
LOOPBACK_PORT = re.compile(r"^127\.0\.0\.1:(?:\d+|\$\{[A-Z_]+:-\d+\}):\d+$")
SECRET = re.compile(r"KEY|PASSWORD|PWD|TOKEN|SECRET|DATABASE_URL")
WRITABLE = "may write to its file system"
REFERENCE = re.compile(r"\$\{(?P<name>[A-Z_]+)(?P<rest>[^}]*)\}")


def environment(name: str) -> dict[str, str | None]:
    """The service's own environment; ``None`` means what is passed on from outside."""
    told: dict[str, str | None] = SERVICES[name].get("environment", {})
    return told


def references() -> Iterator[tuple[str, str]]:
    """Every variable that the file takes from outside in an expression, with its default or complaint."""
    yield from ((found["name"], found["rest"]) for found in REFERENCE.finditer(TEXT))


def configs() -> Iterator[tuple[str, Path]]:
    """The files of the project that services are given, by name; a variable means its default."""
    for name, config in STACK["configs"].items():
        yield name, ROOT / REFERENCE.sub(lambda found: found["rest"].removeprefix(":-"), config["file"])


def faults(service: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with ``service``: everything that a broken-in program could use, and that it does not need."""
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", str(service.get("user", ""))):
        yield "runs as root, or as whoever the image says"
    if service.get("read_only") is not True:
        yield WRITABLE
    if service.get("cap_drop") != ["ALL"] or service.get("cap_add"):
        yield "keeps capabilities"
    if service.get("security_opt") != ["no-new-privileges:true"]:
        yield "may gain privileges"
    if service.get("privileged") or {"pid", "ipc", "devices", "userns_mode"} & set(service):
        yield "reaches the machine"
    if "mem_limit" not in service or "pids_limit" not in service:
        yield "has no limit"
    if "healthcheck" not in service and "build" not in service:
        yield "has no health check, nor says that it needs none"
    yield from _faults_outwards(service)


def _faults_outwards(service: Mapping[str, Any]) -> Iterator[str]:
    if not IMAGE.match(str(service.get("image", ""))):
        yield "has an image without an exact version"
    if any(not LOOPBACK_PORT.match(str(port)) for port in service.get("ports", ())):
        yield "listens beyond this machine"
    if any(not re.match(r"[a-z]+:/", str(volume)) for volume in service.get("volumes", ())):
        yield "mounts a folder of the machine"
    if not str(service.get("network_mode", "service:")).startswith("service:"):
        yield "shares the machine's network"
    if "container_name" in service:
        yield "cannot be scaled"
    for name, value in service.get("environment", {}).items():
        if SECRET.search(name) and value is not None and not re.search(r"\$\{[A-Z_]+:\?[^}]+\}", value):
            yield f"holds {name} in the file"


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile in order, with continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined)]

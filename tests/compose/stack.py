"""The Compose file as data: its services with merged anchors, and what every one of them must be."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
IMAGE = re.compile(r"^[a-z0-9][a-z0-9/_-]*:v?\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.]+)?$")
LOOPBACK_PORT = re.compile(r"^127\.0\.0\.1:\d+:\d+$")
SECRET_NAME = re.compile(r"KEY|PASSWORD|PWD|TOKEN|SECRET|DATABASE_URL")
FROM_OUTSIDE = re.compile(r"\$\{[A-Z_]+(?::\?[^}]+|:-)\}")

Service = Mapping[str, Any]


def stack() -> dict[str, Any]:
    """The file, parsed."""
    read: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return read


def services() -> dict[str, Service]:
    """The services by name."""
    found: dict[str, Service] = stack()["services"]
    return found


def faults(service: Service) -> Iterator[str]:
    """What is wrong with ``service``: everything that a broken-in program could use, and that it does not need."""
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", str(service.get("user", ""))):
        yield "runs as root, or as whoever the image says"
    if service.get("read_only") is not True:
        yield "may write to its file system"
    if service.get("cap_drop") != ["ALL"] or service.get("cap_add"):
        yield "keeps capabilities"
    if "no-new-privileges:true" not in service.get("security_opt", []):
        yield "may gain privileges"
    if service.get("privileged") or {"pid", "ipc", "devices"} & set(service):
        yield "reaches the machine"
    if "mem_limit" not in service or "pids_limit" not in service:
        yield "has no limit"
    if "container_name" in service:
        yield "cannot be scaled"
    yield from _outside_faults(service)


def _outside_faults(service: Service) -> Iterator[str]:
    if not IMAGE.match(str(service.get("image", ""))):
        yield "has an image without an exact version"
    if any(not LOOPBACK_PORT.match(str(port)) for port in service.get("ports", [])):
        yield "listens beyond this machine"
    mounts = [str(volume) for volume in service.get("volumes", [])]
    if any(mount.startswith(("/", ".", "~")) or "docker.sock" in mount for mount in mounts):
        yield "mounts a folder of the machine"
    if service.get("network_mode", "service:").partition(":")[0] != "service":
        yield "shares the machine's network"
    if "healthcheck" not in service:
        yield "has no health check, nor says that it needs none"
    yield from (f"holds {name} in the file" for name in _written_secrets(service.get("environment", {})))


def _written_secrets(environment: Mapping[str, Any]) -> list[str]:
    secret = {name: str(value) for name, value in environment.items() if SECRET_NAME.search(name)}
    return [name for name, value in secret.items() if not FROM_OUTSIDE.search(value)]

"""The compose stack as its rules see it: the parsed file, its services by kind, and what the image is made of."""

import re
from collections.abc import Iterator
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
"""Started by a person, for one command."""
LASTING = tuple(name for name in SERVICES if name not in {*JOBS, *COMMANDS})
OURS = tuple(name for name, service in SERVICES.items() if "build" in service)
WORKERS = ("worker", "worker-rehearsal")

REFERENCE = re.compile(r"\$\{(?P<name>[A-Z_]+)(?P<rest>[^}]*)\}")


def environment(name: str) -> dict[str, str | None]:
    """What the service is told; ``None`` stands for what is passed on from outside."""
    told: dict[str, str | None] = SERVICES[name].get("environment", {})
    return told


def references() -> Iterator[tuple[str, str]]:
    """Every variable that the file takes from outside in an expression, with its default or complaint."""
    yield from ((found["name"], found["rest"]) for found in REFERENCE.finditer(TEXT))


def volumes(name: str) -> list[tuple[str, str, str]]:
    """Source, target and mode of what the service mounts."""
    expanded = [REFERENCE.sub(lambda m: m["rest"].lstrip(":-"), volume) for volume in SERVICES[name].get("volumes", ())]
    parts = [(*volume.split(":"), "rw")[:3] for volume in expanded]
    return [(source, target, mode) for source, target, mode in parts]


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile in order, with continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined)]

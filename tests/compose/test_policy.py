from typing import Any

import pytest
import yaml

from runtime.server_flags import _DYNAMIC_CONFIG
from runtime.settings import PREFIX, Settings
from tests.compose.stack import ROOT, faults, services, stack

SETTINGS = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
DEVELOPMENT_ONLY = {"system.forceSearchAttributesCacheRefreshOnRead"}
OURS = ("worker", "parley")

FINE: dict[str, Any] = {
    "image": "someone/program:1.2.3",
    "user": "1000:1000",
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "mem_limit": "256m",
    "pids_limit": 100,
    "ports": ["127.0.0.1:8080:8080"],
    "volumes": ["data:/data"],
    "healthcheck": {"test": ["CMD", "true"]},
    "environment": {"API_KEY": "${API_KEY:-}"},
}
WRONG: dict[str, dict[str, Any]] = {
    "root": {"user": "0:0"},
    "a name for a user": {"user": "postgres"},
    "no user": {"user": ""},
    "a writable root": {"read_only": False},
    "capabilities": {"cap_drop": ["NET_RAW"]},
    "a capability given back": {"cap_add": ["SYS_ADMIN"]},
    "privileges": {"security_opt": []},
    "privileged": {"privileged": True},
    "the machine's processes": {"pid": "host"},
    "no limit of memory": {"drop": "mem_limit"},
    "a fixed name": {"container_name": "worker"},
    "a floating image": {"image": "someone/program:latest"},
    "an image without a tag": {"image": "someone/program"},
    "a port for everyone": {"ports": ["8080:8080"]},
    "a port on all addresses": {"ports": ["0.0.0.0:8080:8080"]},
    "the engine's socket": {"volumes": ["/var/run/docker.sock:/var/run/docker.sock"]},
    "a folder of the machine": {"volumes": ["./:/data"]},
    "the machine's network": {"network_mode": "host"},
    "no health check": {"drop": "healthcheck"},
    "a key in the file": {"environment": {"API_KEY": "sk-or-v1-canary"}},
    "a default password": {"environment": {"POSTGRES_PASSWORD": "${POSTGRES_PASSWORD:-temporal}"}},
}


@pytest.mark.parametrize("name", services())
def test_a_service_has_only_what_it_needs(name: str) -> None:
    """Every service is unprivileged, limited, pinned, checked, reachable from here only, and holds no secret."""
    assert [] == list(faults(services()[name]))


def test_a_fine_service_has_no_fault() -> None:
    """The policy accepts what keeps it."""
    assert [] == list(faults(FINE))


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_service_that_breaks_the_policy_is_seen(change: dict[str, Any]) -> None:
    """The policy itself notices each way to break it."""
    service = {key: value for key, value in {**FINE, **change}.items() if key not in {change.get("drop"), "drop"}}

    assert 1 == len(list(faults(service)))


@pytest.mark.parametrize("name", OURS)
def test_a_process_is_told_only_settings_that_exist(name: str) -> None:
    """A variable that Parley does not know would stop it at the start; none is set here."""
    told = {variable for variable in services()[name]["environment"] if variable.startswith(PREFIX)}

    assert told <= SETTINGS


def test_the_image_is_told_only_settings_that_exist() -> None:
    """The variables that are set in the image are settings."""
    words = (ROOT / "Dockerfile").read_text("utf-8").replace("=", " ").split()

    assert {word for word in words if word.startswith(PREFIX)} <= SETTINGS


def test_workers_and_commands_share_blobs_and_ledger() -> None:
    """Whoever reads or writes texts mounts the same volume and uses the same database."""
    worker, command = (services()[name] for name in OURS)

    assert worker["volumes"] == command["volumes"]
    assert worker["environment"]["PARLEY_DATABASE_URL"] == command["environment"]["PARLEY_DATABASE_URL"]


def test_provider_keys_reach_only_the_worker() -> None:
    """No other service sees a key that money can be spent with."""
    holders = {name for name, service in services().items() if "OPENROUTER_API_KEY" in service.get("environment", {})}

    assert {"worker"} == holders


def test_the_worker_is_no_administrator_of_databases() -> None:
    """The worker logs in as a role of its own; the administrator's password reaches only the database itself."""
    holders = {name for name, service in services().items() if "POSTGRES_PASSWORD" in service.get("environment", {})}

    assert {"postgresql"} == holders
    assert "parley_worker:" in services()["worker"]["environment"]["PARLEY_DATABASE_URL"]


def test_the_databases_are_reached_only_from_inside() -> None:
    """PostgreSQL publishes no port and stands on a network without a way out."""
    assert ["inside"] == services()["postgresql"]["networks"]
    assert stack()["networks"]["inside"]["internal"] is True


def test_a_worker_gets_the_time_to_finish() -> None:
    """The stack waits longer for a worker than the worker waits for the calls in flight."""
    worker = services()["worker"]

    patience = int(worker["environment"]["PARLEY_GRACEFUL_SHUTDOWN_SECONDS"])
    assert int(worker["stop_grace_period"].removesuffix("s")) >= patience + 20


def test_the_server_is_tuned_as_the_embedded_one() -> None:
    """A deliberation meets the same server behaviour in both, but for what only a development server needs."""
    told = yaml.safe_load((ROOT / "deploy" / "dynamic.yaml").read_text("utf-8"))
    stated = {key: str(value[0]["value"]).lower() for key, value in told.items()}

    assert stated == {key: value for key, value in _DYNAMIC_CONFIG.items() if key not in DEVELOPMENT_ONLY}


def test_every_script_that_is_mounted_is_there() -> None:
    """A missing file would become an empty folder in the container."""
    assert all((ROOT / config["file"]).is_file() for config in stack()["configs"].values())


def test_all_of_a_program_has_one_version() -> None:
    """The tools that prepare the Temporal server's tables are of the server's version, and all of ours is one image."""
    images = {name: service["image"] for name, service in services().items()}
    tags = {images[name].partition(":")[2] for name in ("schema", "temporal", "bootstrap")}

    assert 1 == len(tags) == len({images[name] for name in (*OURS, "rehearsal")})

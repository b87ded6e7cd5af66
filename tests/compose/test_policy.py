"""What every service of the stack keeps to, so that one that is broken into is a small loss."""

from pathlib import Path
from typing import Any

import pytest

from tests.compose.stack import (
    COMMANDS,
    JOBS,
    LASTING,
    OURS,
    SERVICES,
    STACK,
    WORKERS,
    WRITABLE,
    configs,
    environment,
    faults,
)

NOT_READ_ONLY = ("temporal-ui",)
"""Its start script may write the configuration beside the program."""

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
    "environment": {"API_KEY": None, "POSTGRES_PASSWORD": "${POSTGRES_PASSWORD:?set it}"},
}
WRONG: dict[str, dict[str, Any]] = {
    "root": {"user": "0:0"},
    "a name for a user": {"user": "postgres"},
    "no user": {"user": ""},
    "a writable root": {"read_only": False},
    "capabilities": {"cap_drop": ["NET_RAW"]},
    "a capability given back": {"cap_add": ["SYS_ADMIN"]},
    "privileges": {"security_opt": []},
    "no filter of system calls": {"security_opt": ["no-new-privileges:true", "seccomp:unconfined"]},
    "privileged": {"privileged": True},
    "the machine's processes": {"pid": "host"},
    "no limit of memory": {"drop": "mem_limit"},
    "no limit of processes": {"drop": "pids_limit"},
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

every_service = pytest.mark.parametrize("name", SERVICES)


@every_service
def test_a_service_has_only_what_it_needs(name: str) -> None:
    """Every service is unprivileged, limited, pinned, checked, reachable from here only, and holds no secret."""
    assert [WRITABLE] * (name in NOT_READ_ONLY) == list(faults(SERVICES[name]))


def test_a_fine_service_has_no_fault() -> None:
    """The policy accepts what keeps it."""
    assert [] == list(faults(FINE))


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_service_that_breaks_the_policy_is_seen(change: dict[str, Any]) -> None:
    """The policy itself notices each way to break it."""
    service = {key: value for key, value in {**FINE, **change}.items() if key not in {change.get("drop"), "drop"}}

    assert 1 == len(list(faults(service)))


@pytest.mark.parametrize(("name", "path"), list(configs()))
def test_what_is_mounted_is_there(name: str, path: Path) -> None:
    """The files that services are given are in the project, and one is given each."""
    given = {config["source"] for service in SERVICES.values() for config in service.get("configs", ())}

    assert path.is_file()
    assert name in given


def test_all_of_a_program_has_one_version() -> None:
    """The tools that prepare the Temporal server's tables have the server's version, and all of ours is of one."""
    tags = {SERVICES[name]["image"].partition(":")[2] for name in (*JOBS, "temporal")}

    assert 1 == len(tags) == len({SERVICES[name]["image"].partition(":")[2] for name in OURS})


def test_a_worker_holds_only_what_a_worker_imports() -> None:
    """The workers' image has the pins of a worker; everything else of ours those of the tools."""
    pins = {name: (SERVICES[name]["image"].partition(":")[0], SERVICES[name]["build"]["args"]["PINS"]) for name in OURS}

    assert pins == {name: ("parley-worker", "worker") if name in WORKERS else ("parley", "tools") for name in OURS}


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_started_again_and_has_its_health_looked_at(name: str) -> None:
    """A service that ends is started again, and one that only seems to live is noticed."""
    is_told_by_image = name in OURS and "command" not in SERVICES[name]

    assert SERVICES[name]["restart"] == "unless-stopped"
    assert is_told_by_image or SERVICES[name]["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", JOBS)
def test_a_job_is_repeated_only_when_it_fails(name: str) -> None:
    """A job that has done its work stays ended."""
    assert SERVICES[name]["restart"].startswith("on-failure")


@every_service
def test_everybody_waits_for_what_they_need(name: str) -> None:
    """A dependency is waited for until it is well, or done when it is a job; never only until it was started."""
    needed = SERVICES[name].get("depends_on", {})
    right = {
        other: "service_completed_successfully" if other in JOBS else "service_healthy" for other in (needed or ())
    }

    assert right == {other: how["condition"] for other, how in needed.items()}


def test_only_the_database_s_friends_reach_it() -> None:
    """The database is in a network without a way out, with those that use it; no one publishes it."""
    store = {name for name, service in SERVICES.items() if "store" in service.get("networks", ())}

    assert STACK["networks"]["store"]["internal"] is True
    assert SERVICES["postgresql"]["networks"] == ["store"]
    assert store == {"postgresql", "temporal-schema", "temporal", "worker", "rehearsal", *COMMANDS}


@every_service
def test_the_administrator_s_password_stays_with_the_database(name: str) -> None:
    """No one but the database knows its administrator, so no worker can make users or databases."""
    holds = any("POSTGRES_PASSWORD" in f"{key} {value}" for key, value in environment(name).items())

    assert holds == (name == "postgresql")


def test_provider_keys_reach_the_real_workers_only() -> None:
    """Keys are passed on from outside, to the service that makes real calls."""
    assert {"worker"} == {name for name in SERVICES if any(key.endswith("API_KEY") for key in environment(name))}
    assert environment("worker")["OPENROUTER_API_KEY"] is None

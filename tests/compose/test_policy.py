"""What every service of the stack keeps to, so that one that is broken into is a small loss."""

import re

import pytest

from tests.compose.stack import COMMANDS, JOBS, LASTING, OURS, ROOT, SERVICES, STACK, TEXT, environment, volumes

WRITABLE = {"temporal-ui": "its start script may write the configuration beside the program"}
"""The services whose file system is not read-only, and why."""

every_service = pytest.mark.parametrize("name", SERVICES)


@every_service
def test_nobody_is_root(name: str) -> None:
    """A service runs as a user with a number of its own, which is not 0."""
    user, _, group = SERVICES[name]["user"].partition(":")

    assert int(user) > 0
    assert int(group) > 0


@every_service
def test_nobody_has_a_capability(name: str) -> None:
    """A service holds none of root's powers, and none is given back."""
    assert SERVICES[name]["cap_drop"] == ["ALL"]
    assert {"cap_add", "privileged", "devices"}.isdisjoint(SERVICES[name])


@every_service
def test_nobody_gains_rights(name: str) -> None:
    """No program that a service starts may have more rights than the service."""
    assert SERVICES[name]["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - set(WRITABLE)))
def test_the_file_system_is_read_only(name: str) -> None:
    """A service writes to its volumes and to memory, and nowhere else."""
    assert SERVICES[name]["read_only"] is True
    assert SERVICES[name]["tmpfs"]


@every_service
def test_memory_and_processes_are_limited(name: str) -> None:
    """A service that runs wild takes neither the machine's memory nor its process table."""
    assert re.fullmatch(r"\d+[mg]", SERVICES[name]["mem_limit"])
    assert SERVICES[name]["pids_limit"] > 0


@every_service
def test_ports_are_open_to_this_machine_only(name: str) -> None:
    """Nothing here has a login, so what is published is published on the loopback address."""
    assert [port for port in SERVICES[name].get("ports", ()) if not port.startswith("127.0.0.1:")] == []


@every_service
def test_nobody_shares_the_machine(name: str) -> None:
    """No service sees the machine's network, processes or Docker socket."""
    service = SERVICES[name]

    assert "host" not in {service.get(key) for key in ("network_mode", "pid", "ipc", "userns_mode")}
    assert not [source for source, _, _ in volumes(name) if source.startswith("/") or "docker.sock" in source]


@every_service
def test_files_of_the_project_are_mounted_read_only(name: str) -> None:
    """A service may change its volumes, never the files it is configured with."""
    named = set(STACK["volumes"])

    assert {mode for source, _, mode in volumes(name) if source not in named} <= {"ro"}


@every_service
def test_what_is_mounted_is_there(name: str) -> None:
    """A file that is missing would be made as a folder, and the service would fail in a riddling way."""
    sources = [source for source, _, _ in volumes(name) if source not in STACK["volumes"]]

    assert [source for source in sources if not (ROOT / source).is_file()] == []


@pytest.mark.parametrize("name", sorted(set(SERVICES) - set(OURS)))
def test_foreign_images_have_an_exact_version(name: str) -> None:
    """An image from elsewhere is the version that was tried, not whatever is newest."""
    assert re.search(r":\d+\.\d+(\.\d+)?(-[\w.]+)?(@sha256:[0-9a-f]{64})?$", SERVICES[name]["image"])


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
    """The database stands in a network without a way out, with those who use it; nobody publishes it."""
    store = {name for name, service in SERVICES.items() if "store" in service.get("networks", ())}

    assert STACK["networks"]["store"]["internal"] is True
    assert SERVICES["postgresql"]["networks"] == ["store"]
    assert store == {"postgresql", "temporal-schema", "temporal", "worker", "rehearsal", *COMMANDS}


def test_no_secret_is_written_down() -> None:
    """Every password is required from outside, and the file holds none and no default for one."""
    found = re.findall(r"(?:PASSWORD|PWD|_KEYS?|TOKEN):[ ]*(?!\$\{[A-Z_]+:\?)(\S.*)", TEXT)
    defaults = re.findall(r"\$\{[A-Z_]*PASSWORD(?!:\?)[^}]*\}", TEXT)

    assert (found, defaults) == ([], [])


@every_service
def test_the_administrator_s_password_stays_with_the_database(name: str) -> None:
    """Nobody but the database knows its administrator, so no worker can make users or databases."""
    holds = any("POSTGRES_PASSWORD" in f"{key} {value}" for key, value in environment(name).items())

    assert holds == (name == "postgresql")


def test_provider_keys_reach_the_real_workers_only() -> None:
    """Keys are passed on from outside, to the service that makes real calls."""
    assert {"worker"} == {name for name in SERVICES if any(key.endswith("API_KEY") for key in environment(name))}
    assert environment("worker")["OPENROUTER_API_KEY"] is None


def test_the_users_of_the_database_own_no_more_than_their_own() -> None:
    """The ledger's user and Temporal's user may neither make users or databases nor enter each other's."""
    script = (ROOT / "deploy" / "databases.sql").read_text("utf-8")
    roles = re.findall(r"CREATE ROLE \w+ (.*?) PASSWORD :'\w+';", script)

    assert roles == ["LOGIN", "LOGIN"]
    assert "FROM PUBLIC" in script

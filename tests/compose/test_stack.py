"""Whether the stack fits the program: environments, start and end of workers, and the file itself."""

import difflib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from runtime import server_flags
from runtime.settings import PREFIX, Settings
from runtime.target import is_loopback
from tests.compose.stack import (
    COMMANDS,
    FILE,
    OURS,
    ROOT,
    SERVICES,
    STACK,
    WORKERS,
    environment,
    references,
)

DOCKER = shutil.which("docker")
TEMPORAL_VARIABLES = {
    *("TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_API_KEY", "TEMPORAL_PROFILE", "TEMPORAL_CONFIG_FILE"),
    *("TEMPORAL_TLS", "TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_TLS_CLIENT_CERT_DATA"),
    *("TEMPORAL_TLS_CLIENT_KEY_PATH", "TEMPORAL_TLS_CLIENT_KEY_DATA", "TEMPORAL_TLS_SERVER_CA_CERT_PATH"),
    *("TEMPORAL_TLS_SERVER_CA_CERT_DATA", "TEMPORAL_TLS_SERVER_NAME", "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"),
}
"""What the SDK reads from the environment."""
ALIKE = (
    *("TEMPORAL_ADDRESS", "PARLEY_DATABASE_URL", "PARLEY_BLOBS", "PARLEY_PROVIDERS_FILE", "PARLEY_ENCRYPTION_KEYS"),
    *("PARLEY_MAX_USD", "PARLEY_CHECK_MODELS"),
)
"""What every process of one installation must be reported alike."""
DRAIN_SECONDS = 10
"""What a worker takes after its patience has ended, to write down what was paid."""


def has_compose() -> bool:
    """Whether this machine has Docker's compose plugin; it needs no engine to read a file."""
    if DOCKER is None:
        return False
    return subprocess.run([DOCKER, "compose", "version"], check=False, capture_output=True).returncode == 0


def seconds(written: str) -> float:
    """A duration as Compose writes it, in seconds: ``90s`` or ``3m``."""
    return float(written[:-1]) * {"s": 1, "m": 60}[written[-1]]


@pytest.fixture
def example() -> str:
    """What the example of an environment file states."""
    return (ROOT / ".env.example").read_text("utf-8")


def test_the_file_follows_the_compose_specification() -> None:
    """The JSON schema of the Compose specification, as check-jsonschema carries it, finds nothing wrong."""
    checker = str(Path(sys.executable).parent / "check-jsonschema")
    command = [checker, "--builtin-schema", "vendor.compose-spec", str(FILE)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert (done.returncode, done.stdout.strip()) == (0, "ok -- validation done")


@pytest.mark.skipif(not has_compose(), reason="this machine has no `docker compose`")
def test_compose_accepts_the_file() -> None:
    """Docker's own reader finds nothing wrong, with every profile on and the required variables set."""
    required = {name: "value" for name, rest in references() if rest.startswith(":?")}
    command = [str(DOCKER), "compose", "-f", str(FILE), "--profile", "*", "config", "-q"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **required})

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", OURS)
def test_every_setting_is_known(name: str) -> None:
    """A process refuses a PARLEY_ variable that is no setting, so the stack sets none."""
    known = {f"{PREFIX}{field.upper()}" for field in Settings.model_fields}

    assert {variable for variable in environment(name) if variable.startswith(PREFIX)} <= known


@pytest.mark.parametrize("name", OURS)
def test_every_temporal_variable_is_the_sdk_s(name: str) -> None:
    """The SDK ignores a variable it does not know, so a misspelt one would say nothing."""
    assert {variable for variable in environment(name) if variable.startswith("TEMPORAL_")} <= TEMPORAL_VARIABLES


@pytest.mark.parametrize("name", [*WORKERS, *COMMANDS])
def test_the_settings_can_be_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of workers and of the command line accept their environments."""
    given = {key: value.replace("${", "").replace("}", "") for key, value in environment(name).items() if value}
    for variable in [v for v in os.environ if v.startswith(PREFIX)]:
        monkeypatch.delenv(variable)
    for variable in [v for v in given if v.startswith(PREFIX)]:
        monkeypatch.setenv(variable, given[variable])
    settings = Settings()

    assert settings.allow_plaintext
    assert settings.database_url.startswith("postgresql+asyncpg://parley:")


@pytest.mark.parametrize("variable", ALIKE)
def test_all_processes_are_reported_alike(variable: str) -> None:
    """Workers and the command line have the same server, ledger, texts, providers and keys, and the same limits."""
    told = {environment(name)[variable] for name in (*WORKERS, *COMMANDS)}

    assert len(told) == 1


@pytest.mark.parametrize("name", [*WORKERS, *COMMANDS])
def test_all_processes_share_the_texts(name: str) -> None:
    """The blob directory is the same volume wherever texts are read or written."""
    assert f"blobs:{environment(name)['PARLEY_BLOBS']}" in SERVICES[name]["volumes"]


@pytest.mark.parametrize("name", WORKERS)
def test_there_may_be_any_number_of_workers(name: str) -> None:
    """A worker has neither a name nor a port that a second one would want too."""
    assert {"container_name", "ports", "hostname"}.isdisjoint(SERVICES[name])


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_is_given_time_to_finish(name: str) -> None:
    """Docker waits longer than the worker waits for its calls in flight and their receipts."""
    patience = float(environment(name)["PARLEY_GRACEFUL_SHUTDOWN_SECONDS"] or 0)

    assert seconds(SERVICES[name]["stop_grace_period"]) > patience + DRAIN_SECONDS


def test_a_rehearsal_is_apart() -> None:
    """Scripted models are asked only in a namespace of their own, over the loopback address of one shared network."""
    worker = SERVICES["worker-rehearsal"]
    asked = str(worker["environment"]["PARLEY_REHEARSAL_URL"]).removeprefix("http://")

    assert worker["environment"]["TEMPORAL_NAMESPACE"] != environment("worker")["TEMPORAL_NAMESPACE"]
    assert worker["network_mode"] == "service:rehearsal"
    assert is_loopback(asked)


def test_a_rehearsal_is_asked_for() -> None:
    """Without the profile nothing of the stack is scripted."""
    scripted = {name for name in SERVICES if "rehearsal" in name}

    assert scripted == {name for name, service in SERVICES.items() if service.get("profiles") == ["rehearsal"]}
    assert "PARLEY_REHEARSAL_URL" not in environment("worker")


def test_every_namespace_that_is_used_is_made() -> None:
    """The job makes the namespaces of all workers and of the command line, and no others."""
    used = {environment(name)["TEMPORAL_NAMESPACE"] for name in (*WORKERS, *COMMANDS)}

    assert used == set(SERVICES["temporal-namespaces"]["command"])


def test_the_server_is_set_as_the_embedded_one() -> None:
    """Deliberations behave alike on one machine and on the stack: the same dynamic settings."""
    written = yaml.safe_load((ROOT / "deploy" / "temporal.yaml").read_text("utf-8"))
    ours = {name: json.dumps(values[0]["value"]) for name, values in written.items()}

    assert ours == server_flags._DYNAMIC_CONFIG


@pytest.mark.parametrize(("name", "rest"), sorted(set(references())))
def test_every_variable_from_outside_is_documented(name: str, rest: str, example: str) -> None:
    """An operator who copies the example finds every variable that the stack takes from outside."""
    assert f"#{name}=" in example


def test_variables_of_the_stack_do_not_disturb_the_program(example: str) -> None:
    """One .env serves both: what only the stack reads has no name that the program would refuse."""
    known = {f"{PREFIX}{field.upper()}" for field in Settings.model_fields}
    own = {name for name, _ in references() if name not in known}

    assert not {name for name in own if name.startswith((PREFIX, "TEMPORAL_"))}


def test_no_service_is_named_twice_over() -> None:
    """Names of services, networks and volumes are distinguished at a glance."""
    names = [*SERVICES, *STACK["networks"], *STACK["volumes"]]
    close = [name for name in names if difflib.get_close_matches(name, [n for n in names if n != name], cutoff=0.95)]

    assert len(set(names)) == len(names)
    assert not close


@pytest.mark.parametrize("path", sorted((ROOT / "deploy").glob("*.sh")), ids=lambda path: path.name)
def test_scripts_can_be_read_by_a_plain_shell(path: Path) -> None:
    """The admin image has a small shell; the scripts are correct for it and stop at the first failure."""
    done = subprocess.run(["sh", "-n", str(path)], check=False, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert "\nset -eu\n" in path.read_text("utf-8")

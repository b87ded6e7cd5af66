import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest

from activities.migrations.upgrade import upgrade
from activities.store import Store
from runtime.connect import plain_client
from runtime.server_flags import program
from tests.compose.stack import FILE, ROOT
from tests.fakes.postgres import PostgresAbsentError, PrivatePostgres
from tests.fakes.server import RunningServer, real_server

DEPLOY = ROOT / "deploy"
TEN_YEARS = 3650 * 24 * 3600
PASSWORDS = {
    "POSTGRES_PASSWORD": "canary-admin",
    "POSTGRES_TEMPORAL_PASSWORD": "it's a canary",
    "POSTGRES_LEDGER_PASSWORD": "canary",
}


@pytest.fixture(scope="module")
def databases() -> Iterator[Path]:
    """The folder of the socket of a PostgreSQL server on which the databases were prepared."""
    if shutil.which("psql") is None:
        pytest.skip("psql is not on this machine")
    try:
        server = PrivatePostgres()
    except PostgresAbsentError as absent:
        pytest.skip(str(absent))
    server.start()
    told = {"PGHOST": str(server._home), "POSTGRES_USER": "parley", **PASSWORDS}
    subprocess.run([DEPLOY / "databases.sh"], env={**os.environ, **told}, check=True, timeout=50)
    yield server._home
    server.stop()


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A Temporal server of our own."""
    async with real_server(tmp_path_factory.mktemp("server")) as running:
        yield running


async def test_the_roles_are_no_administrators(databases: Path) -> None:
    """Neither the Temporal server's role nor the workers' may make databases, roles or administrators."""
    connection = await asyncpg.connect(host=str(databases), user="parley", database="postgres")
    asked = "select bool_or(rolsuper or rolcreatedb or rolcreaterole) from pg_roles where rolname = any($1)"
    mighty = await connection.fetchval(asked, ["temporal", "parley_worker"])
    await connection.close()

    assert mighty is False


@pytest.mark.parametrize("database", ["temporal", "temporal_visibility", "postgres"])
async def test_a_worker_opens_only_the_ledger(databases: Path, database: str) -> None:
    """The workers' role is refused by every other database."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(host=str(databases), user="parley_worker", database=database)


async def test_a_worker_can_prepare_the_ledger(databases: Path) -> None:
    """The workers' role may make the tables that a worker makes when it starts."""
    store = Store(f"postgresql://parley_worker@/parley?host={databases}")
    await upgrade(store)
    await upgrade(store)

    await store.close()


async def test_the_temporal_server_may_make_what_its_schema_needs(databases: Path) -> None:
    """The role of the Temporal server makes tables in both databases, and the extension that visibility wants."""
    connection = await asyncpg.connect(host=str(databases), user="temporal", database="temporal_visibility")
    try:
        await connection.execute("create extension if not exists btree_gin; create table t (k int)")
    finally:
        await connection.close()


@pytest.mark.parametrize("namespace", ["default", "fresh"])
async def test_the_namespace_keeps_what_is_closed(server: RunningServer, namespace: str) -> None:
    """The bootstrap makes the namespace when there is none, keeps closed runs for ten years, and may be run again."""
    told = {"TEMPORAL_ADDRESS": server.address, "TEMPORAL_NAMESPACE": namespace, "HOME": str(server.settings.home)}
    environment = {**told, "PATH": f"{program().parent}:{os.environ['PATH']}"}
    for _ in range(2):
        started = await asyncio.create_subprocess_exec(DEPLOY / "bootstrap.sh", env=environment)
        assert await started.wait() == 0
    client = await plain_client(server.target)
    found = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=namespace))

    assert TEN_YEARS == found.config.workflow_execution_retention_ttl.seconds


def test_compose_accepts_the_file() -> None:
    """Compose itself reads the file, every profile included, and finds nothing to refuse."""
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], check=False, capture_output=True).returncode:
        pytest.skip("docker compose is not on this machine")
    command = [docker, "compose", "--file", str(FILE), "--profile", "*", "config", "--quiet"]
    done = subprocess.run(
        command, env={**os.environ, **PASSWORDS}, check=False, capture_output=True, text=True, timeout=50
    )

    assert (0, "") == (done.returncode, done.stderr)


def test_compose_refuses_to_start_without_passwords() -> None:
    """There is no default password: whoever starts the stack has to choose."""
    asked = {line.split("${")[1].split(":")[0] for line in FILE.read_text("utf-8").splitlines() if ":?" in line}

    assert set(PASSWORDS) == asked

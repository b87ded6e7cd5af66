"""The scripts of the stack, run on servers of our own: what no reading of them shows."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, ListWorkflowExecutionsRequest

from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from runtime.connect import plain_client
from runtime.server_flags import program
from tests.compose.stack import ROOT
from tests.fakes.postgres import PostgresAbsentError, PrivatePostgres
from tests.fakes.server import RunningServer, real_server

DEPLOY = ROOT / "deploy"
TEN_YEARS = 3650 * 24 * 3600
PASSWORDS = {"HISTORY_DB_PASSWORD": "it's a canary", "LEDGER_DB_PASSWORD": "canary"}


@pytest.fixture(scope="module")
async def databases() -> AsyncIterator[Path]:
    """The folder of the socket of a PostgreSQL server on which the databases were prepared as in the stack."""
    if shutil.which("psql") is None:
        pytest.skip("psql is not on this machine")
    try:
        server = PrivatePostgres()
    except PostgresAbsentError as absent:
        pytest.skip(str(absent))
    server.start()
    await _give_way(server._home)
    command = [
        "psql",
        "--no-psqlrc",
        "-v",
        "ON_ERROR_STOP=1",
        "-h",
        str(server._home),
        "-U",
        "postgres",
        "-d",
        "postgres",
    ]
    script = ["-f", str(DEPLOY / "databases.sql")]
    done = await asyncio.create_subprocess_exec(
        *command, *script, env={**os.environ, **PASSWORDS}, stdout=subprocess.DEVNULL
    )
    assert await done.wait() == 0
    yield server._home
    server.stop()


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A Temporal server of our own."""
    async with real_server(tmp_path_factory.mktemp("server")) as running:
        yield running


async def test_the_roles_are_no_administrators(databases: Path) -> None:
    """Neither the Temporal server's role nor the workers' may make databases, roles or administrators."""
    connection = await asyncpg.connect(host=str(databases), user="postgres", database="postgres")
    asked = "select bool_or(rolsuper or rolcreatedb or rolcreaterole) from pg_roles where rolname = any($1)"
    mighty = await connection.fetchval(asked, ["history", "parley"])
    await connection.close()

    assert mighty is False


@pytest.mark.parametrize("database", ["temporal", "temporal_visibility"])
async def test_a_worker_opens_no_history(databases: Path, database: str) -> None:
    """The workers' role is refused by the Temporal server's databases."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(host=str(databases), user="parley", database=database)


async def test_the_temporal_server_opens_no_ledger(databases: Path) -> None:
    """The Temporal server's role is refused by the ledger."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(host=str(databases), user="history", database="parley")


async def test_a_worker_can_prepare_the_ledger(databases: Path) -> None:
    """The workers' role may make the tables that a worker makes when it starts, and say so again."""
    store = Store(f"postgresql://parley@/parley?host={databases}")
    try:
        await upgrade(store)
        await upgrade(store)
    finally:
        await store.close()


async def test_the_temporal_server_may_make_what_its_schema_needs(databases: Path) -> None:
    """The Temporal server's role makes tables, and the index extension that its list of workflows wants."""
    connection = await asyncpg.connect(host=str(databases), user="history", database="temporal_visibility")
    try:
        await connection.execute("create extension if not exists btree_gin; create table shape (key int)")
    finally:
        await connection.close()


async def test_a_namespace_can_be_used_when_the_job_ends(server: RunningServer) -> None:
    """A worker that starts when the job is done finds the namespace."""
    client = await plain_client(server.target)

    assert await _make_namespaces(server, "fresh") == 0
    await client.workflow_service.list_workflow_executions(ListWorkflowExecutionsRequest(namespace="fresh"))


@pytest.mark.long
async def test_a_namespace_keeps_what_is_closed(server: RunningServer) -> None:
    """What the job makes keeps closed runs for ten years, and making it again changes nothing."""
    client = await plain_client(server.target)
    made = [await _make_namespaces(server, "kept", "other"), await _make_namespaces(server, "kept", "other")]
    found = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace="kept"))

    assert [0, 0] == made
    assert TEN_YEARS == found.config.workflow_execution_retention_ttl.seconds


async def _make_namespaces(server: RunningServer, *namespaces: str) -> int:
    told = {"TEMPORAL_ADDRESS": server.address, "HOME": str(server.settings.home)}
    path = f"{program().parent}:{os.environ['PATH']}"
    started = await asyncio.create_subprocess_exec(
        "/bin/sh", DEPLOY / "namespaces.sh", *namespaces, env={**told, "PATH": path}, stdout=subprocess.DEVNULL
    )
    return await started.wait()


async def _give_way(home: Path) -> None:
    """Call the administrator ``postgres``, as in the stack; ``parley`` is the workers' role there."""
    for user, statement in (
        ("parley", "create role postgres superuser login"),
        ("postgres", "alter role parley rename to founder"),
    ):
        connection = await asyncpg.connect(host=str(home), user=user, database="postgres")
        await connection.execute(statement)
        await connection.close()

"""A namespace that is deleted while a study runs in it: every command says so, and ends."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.api.operatorservice.v1 import DeleteNamespaceRequest
from temporalio.client import Client

from tests.fakes.parley_up import PATIENCE, Up, begin, running_up, until
from tests.fakes.programs import PARLEY, run_program

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(150)]

STUDY = ("--name", "sums", "--protocol", "council", "--rehearse")
LOST = "the server has no namespace lab. Name another with TEMPORAL_NAMESPACE, or make it: "


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    """``parley up --rehearse`` in a namespace of its own."""
    with running_up(tmp_path / "home", 300, PARLEY_NAMESPACE="lab") as running:
        yield running


async def delete_namespace(address: str) -> None:
    """Delete the namespace, with everything that runs in it."""
    client = await Client.connect(address)
    await client.operator_service.delete_namespace(DeleteNamespaceRequest(namespace="lab"))


def test_a_lost_namespace_is_named_by_all_who_work_in_it(up: Up, tmp_path: Path) -> None:
    """A followed study ends with the cause and what continues it, ``up`` says the cause once, and both can end."""
    dataset = tmp_path / "sums.csv"
    dataset.write_text("question\n" + "".join(f"What is {n} + {n}?\n" for n in range(400)), "utf-8")
    run = begin(up.variables, "batch", "run", str(dataset), *STUDY, said="run")
    until(lambda: " in flight, " in run.said and "0 completed" not in run.said.splitlines()[-1])
    asyncio.run(delete_namespace(f"127.0.0.1:{up.variables['PARLEY_SERVER_PORT']}"))
    code, last = run.process.wait(PATIENCE), run.said.splitlines()[-1]
    until(lambda: LOST in up.said)
    again = run_program([PARLEY, "batch", "status", "sums"], up.variables)

    assert (3, True, 3) == (code, last.startswith(f"parley: {LOST}"), again.returncode)
    assert last.endswith("What the study has completed is kept; continue it there with: parley batch run sums")
    assert (0, 1) == (up.end(), up.said.count(LOST))

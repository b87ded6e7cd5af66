"""Rates that the server keeps for a provider, changed while everything runs."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from activities.providers.catalogue import load_catalogue
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.limits import Change, Limits
from parley.model_lists import ModelLists
from parley.panel_files import shipped_panels
from runtime.connect import connect
from runtime.rate_limits import QueueLimits, limit_queue
from starter.views.lists import limits_table
from tests.fakes.server import RunningServer
from worker import _limit

_FILE = """\
[providers.lab]
base_url = "https://llm.lab.example/v1"
requests_per_second = 8
requests_per_second_per_model = 2
models = { large = 0.5 }

[providers.free]
base_url = "https://free.example/v1"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A providers file: one provider with limits, one without."""
    path = tmp_path / "providers.toml"
    path.write_text(_FILE, "utf-8")
    return path


@pytest.fixture
async def limits(server: RunningServer, file: Path, tmp_path: Path) -> Limits:
    """The limits on a real server, which was given those of the file."""
    client = await connect(server.settings)
    told = Limits(client, Providers(load_catalogue(file, None), {}, shipped_panels(), ModelLists(tmp_path, {})))
    await told.reset("lab")
    return told


async def test_the_file_s_limits_are_reported(limits: Limits) -> None:
    """The queue's rate, the rate for each model and those of single models are on the server."""
    (line,) = await limits.lines()

    assert (line.provider, line.queue) == ("lab", "models.lab")
    assert (line.per_second, line.per_model, line.models) == (8, 2, {"large": 0.5})
    assert line.reason == "providers file: lab"


async def test_what_is_not_named_stays(limits: Limits) -> None:
    """A change of one limit leaves the others; single models keep their own rate when that of each changes."""
    await limits.change("lab", Change(per_model=4, reason="a quiet night"))
    (line,) = await limits.lines()

    assert (line.per_second, line.per_model, line.models) == (8, 4, {"large": 0.5})
    assert line.reason == "set by a user: a quiet night"


async def test_zero_takes_a_limit_away(limits: Limits) -> None:
    """0 is no rate at which anything could be asked: it removes the limit."""
    line = await limits.change("lab", Change(per_second=0, models={"large": 0}))

    assert (line.per_second, line.per_model, line.models) == (None, 2, {})


async def test_a_worker_that_starts_leaves_a_person_s_limit(limits: Limits, server: RunningServer, file: Path) -> None:
    """A limit that was set while it ran outlives a worker's restart; one of the file is set again."""
    client, provider = await connect(server.settings), load_catalogue(file, None).providers["lab"]
    await limits.change("lab", Change(per_second=3))
    await _limit(client, provider)
    (left,) = await limits.lines()
    await limit_queue(client, "models.lab", QueueLimits(per_second=1), reason="providers file: lab")
    await _limit(client, provider)
    (told,) = await limits.lines()

    assert (left.per_second, told.per_second) == (3, 8)


async def test_a_provider_without_a_queue_is_refused(limits: Limits) -> None:
    """What waits on the queue of all models cannot be limited alone; the message says what to do."""
    with pytest.raises(RequestError, match=r"'free' has no queue of its own .*requests_per_second in the providers"):
        await limits.change("free", Change(per_second=1))


async def test_a_provider_that_is_not_there_is_refused_with_those_that_are(limits: Limits) -> None:
    """For a mistyped name no queue is recommended: the message lists the providers of the catalogue."""
    with pytest.raises(RequestError, match=r"there is no provider 'NOPE'; known are .*\bfree, lab, "):
        await limits.change("NOPE", Change(per_second=1))


async def test_single_models_need_a_rate_for_each(limits: Limits) -> None:
    """A single model's rate replaces the one for each; without that one the server would not keep it."""
    with pytest.raises(RequestError, match="give --per-model too"):
        await limits.change("lab", Change(per_model=0, models={"large": 1}))


async def test_the_table_names_every_rate(limits: Limits) -> None:
    """A user sees the queue, both rates, the single models and why."""
    out = Console(file=io.StringIO(), width=100, record=True)
    out.print(limits_table(await limits.lines()))
    shown = out.export_text()

    assert all(word in shown for word in ("models.lab", "8", "2", "large", "0.5", "providers file: lab"))

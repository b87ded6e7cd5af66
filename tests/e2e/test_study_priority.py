"""A user's council beside a study that keeps a limited provider busy: it is served before calls that wait longer."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client

from parley.client import Parley
from parley.limits import Change, Limits
from rehearsal.dialects.completions import complete
from rehearsal.models.replies import Reply
from tests.fakes.accounts import Arrival
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import begin, calls, ended, write_study

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

NAME = "busy"
ROWS = 12
PER_SECOND, MORE = 5.0, 100.0
"""Of all models of the provider together: while both run, and afterwards, so that the test ends."""
MODELS = ("lab:rehearsal/one", "lab:rehearsal/two", "lab:rehearsal/three")
CALLS = 7
BUSY_AFTER = 6
"""Calls of the study that were answered when the person comes."""
SEED = 7
"""Of the scripted models."""
STUDY = """\
name = "busy"
providers = "providers.toml"
window = 12
[dataset]
path = "questions.jsonl"
id = "id"
question = "prompt"
[panels.lab]
models = ["lab:rehearsal/one", "lab:rehearsal/two", "lab:rehearsal/three"]
[[arms]]
protocol = "council"
panel = "lab"
"""


@dataclass(frozen=True)
class Asked:
    """One call: when it was put into the queue by the server's clock, and as which it arrived."""

    queued_at: datetime
    arrival: int


@dataclass(frozen=True)
class Held:
    """Both of them, over."""

    interactive: list[Asked]
    batch: list[Asked]
    batch_left: int
    """Deliberations of the study that had not ended when the council had."""


async def queued(client: Client, workflow_id: str) -> dict[str, datetime]:
    """Call id to when its activity was scheduled."""
    history = await client.get_workflow_handle(workflow_id).fetch_history()
    scheduled = [event for event in history.events if event.HasField("activity_task_scheduled_event_attributes")]
    return {e.activity_task_scheduled_event_attributes.activity_id: e.event_time.ToDatetime() for e in scheduled}


async def asked(installed: Installation, name: str, arrivals: dict[str, int]) -> list[Asked]:
    """Every call of a study or of a deliberation; ``arrivals`` has the number of each by its answer's id."""
    client, rows = await installed.client(), await calls(installed, name)
    times = {held: await queued(client, held) for held in {row.deliberation_id for row in rows}}
    return [Asked(times[row.deliberation_id][row.call_id], arrivals[row.request_id]) for row in rows]


def answer_id(arrival: Arrival) -> str:
    """The id that the scripted model gave its answer."""
    identity = f"{arrival['key']}/{arrival['nth']}"
    return complete(SEED, arrival["model"], Reply(""), prompt_chars=0, identity=identity).id


async def hold_beside(installed: Installation, parley: Parley) -> int:
    """Run a council as a user does while the study runs; how many deliberations of that were left then."""
    while len(await installed.arrivals()) < BUSY_AFTER:  # noqa: ASYNC110 - another process's calls set no event
        await asyncio.sleep(0.05)
    council = await parley.start_council("Is it my turn?", models=MODELS, chair=MODELS[0], id="mine")
    await council.result()
    state: Any = await parley.client.get_workflow_handle(NAME).query("state")
    return int(ROWS - state["tally"]["completed"])


@pytest.fixture(scope="module")
async def held(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Held]:
    """Both, in an installation whose provider is asked five times a second."""
    home: Path = tmp_path_factory.mktemp("priority")
    providers = home / "providers.toml"
    extra = {"PARLEY_PROVIDERS_FILE": str(providers), "LAB_API_KEY": "sk-lab-0123456789"}
    limits = {"requests_per_second": PER_SECOND}
    async with installation(home, extra=extra, providers=providers, limits=limits) as installed:
        settings = installed.settings.model_copy(update={"providers_file": providers})
        parley = await Parley.connect(settings, address=f"127.0.0.1:{settings.server_port}")
        await begin(installed, write_study(home, STUDY, [f"Why {number}?" for number in range(1, ROWS + 1)]))
        left = await hold_beside(installed, parley)
        await Limits(parley.client, parley.providers).change("lab", Change(per_second=MORE))
        await ended(installed, NAME)
        arrivals = {answer_id(arrival): int(arrival["number"]) for arrival in await installed.arrivals()}
        yield Held(await asked(installed, "mine", arrivals), await asked(installed, NAME, arrivals), left)


def test_a_person_is_served_before_a_study(held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """Each call of the council arrives before calls of the study that had been in the queue for longer."""
    overtaken = [sum(b.queued_at < i.queued_at and b.arrival > i.arrival for b in held.batch) for i in held.interactive]
    between = [sum(b.queued_at > i.queued_at and b.arrival < i.arrival for b in held.batch) for i in held.interactive]
    with capsys.disabled():
        print(
            f"\n  {len(overtaken)} calls of a person overtook {min(overtaken)} to {max(overtaken)} calls of a study "
            f"that were queued earlier, and {max(between)} that was queued later overtook any of them; "
            f"{held.batch_left} of {ROWS} deliberations of the study were left at the person's verdict"
        )

    assert (CALLS, ROWS * CALLS) == (len(held.interactive), len(held.batch))
    assert min(overtaken) > 0
    assert held.batch_left >= ROWS - 2

"""Going back to a round on a real server with scripted models: what arrives there, what is shared, what is replayed."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import delete
from temporalio.worker import Replayer

from ledger.store import Store
from ledger.studies.exports import ExportReader
from ledger.tables import JOURNAL
from parley.client import Parley
from parley.errors import DeliberationFailedError
from parley.rewind import rewind
from parley.specs.consensus import CONSENSUS
from parley.specs.council import COUNCIL
from parley.specs.debate import DEBATE
from parley.specs.fire_circle import FIRE_CIRCLE
from parley.specs.protocol_spec import AnySpec
from parley.start import start
from protocols.panel import Panel
from protocols.transcript import Turn
from runtime.plugin import sandboxed
from tests.fakes.circles import circle_of
from tests.fakes.councils import council_input
from tests.fakes.debates import rehearsed_debate
from tests.fakes.installation import Installation, installation
from tests.fakes.programs import PARLEY, run_program
from tests.fakes.rehearsals import PATIENCE, rehearsed
from worker import WORKFLOWS

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

MODELS = ("rehearsal:maker/one", "rehearsal:maker/two", "rehearsal:maker/three")
OTHER = "maker/four+never-accepts"
LOSES = rehearsed(
    models=("maker/one+never-accepts", "maker/two+400-model-not-found", "maker/three+never-accepts"), max_rounds=3
)

HELD: dict[str, tuple[AnySpec, Any, int, dict[str, str]]] = {
    "consensus": (CONSENSUS, rehearsed("never-accepts", max_rounds=4), 2, {"refiner": OTHER}),
    "debate": (
        DEBATE,
        rehearsed_debate("delphi", *["debate-blocks"] * 3, max_rounds=3),
        1,
        {"models.b": "lab/model-9+debate-converges"},
    ),
    "council": (
        COUNCIL,
        council_input(panel=Panel.of(MODELS, MODELS[0]), patience=PATIENCE),
        2,
        {"chair": "maker/writer"},
    ),
    "circle": (
        FIRE_CIRCLE,
        circle_of(
            3, panel=Panel.of(MODELS, "rehearsal:maker/cheap", chair_seat="classifier"), early_stop_convergence=0.0
        ),
        1,
        {"p3": "maker/four"},
    ),
    "loses": (CONSENSUS, LOSES, 1, {}),
}
"""By name: what runs, through which round a branch shares it, and what is different from then on."""


@dataclass(frozen=True)
class Forked:
    """A deliberation and its branch, both over."""

    through: int
    seats: Mapping[str, str]
    old: Any
    new: Any
    arrivals: tuple[int, int]
    turns: tuple[tuple[Turn, ...], tuple[Turn, ...]]
    paid: tuple[list[int], list[int]]
    """The rounds of the calls in the ledger; those of a council by stage."""


@dataclass(frozen=True)
class Place:
    """An installation, and a connection to it."""

    installed: Installation
    parley: Parley

    async def started(self, name: str) -> str:
        """Hold the deliberation ``name`` to its end; its id."""
        spec, asked, _, _ = HELD[name]
        handle = await start(self.parley.client, name, spec, asked, fresh=False)
        await handle.result()
        return handle.id

    async def rounds(self, deliberation_id: str) -> list[int]:
        """The round of every call that the ledger has."""
        stages = {"opinion": 1, "review": 2, "synthesis": 3}
        async with ExportReader(self.installed.settings.database_url) as ledger:
            calls = (await ledger.calls_of([deliberation_id]))[deliberation_id]
        is_council = deliberation_id.startswith("council")
        return sorted(stages[call["stage"]] if is_council else call["round"] for call in calls)

    async def replayed(self, deliberation_id: str) -> None:
        """Replay the whole history."""
        client = self.parley.client
        replayer = Replayer(
            workflows=list(WORKFLOWS), data_converter=client.data_converter, workflow_runner=sandboxed()
        )
        await replayer.replay_workflow(await client.get_workflow_handle(deliberation_id).fetch_history())

    async def forked(self, name: str) -> Forked:
        """Hold it, branch it off, hold the branch, and see what arrived at the models."""
        _, _, through, seats = HELD[name]
        before = len(await self.installed.arrivals())
        old = self.parley.deliberation(await self.started(name))
        between = len(await self.installed.arrivals())
        new = await rewind(self.parley, name, through, seats, new_id=f"{name}-again")
        result = await new.result()
        await self.replayed(new.id)
        return Forked(
            through=through,
            seats=seats,
            old=await old.result(),
            new=result,
            arrivals=(between - before, len(await self.installed.arrivals()) - between),
            turns=((await old.transcript()).turns, (await new.transcript()).turns),
            paid=(await self.rounds(name), await self.rounds(new.id)),
        )


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    """One installation whose models answer at once."""
    async with installation(tmp_path_factory.mktemp("rewind")) as installed:
        address = f"127.0.0.1:{installed.settings.server_port}"
        yield Place(installed, await Parley.connect(installed.settings, address=address))


@pytest.fixture(scope="module")
async def forks(place: Place) -> dict[str, Forked]:
    """Every protocol once, one after the other, so that arrivals can be distinguished."""
    return {name: await place.forked(name) for name in HELD}


def shared(turns: tuple[Turn, ...], name: str, through: int) -> list[Turn]:
    """The turns of the rounds that are shared; what comes after the rounds never is.

    Those that are asked at once are put in the order of their seats: a transcript has them as they came.
    """
    stages = {"council": ("opinion", "review")}.get(name)
    held = (turn for turn in turns if turn.round <= through and turn.stage not in {"curator", "synthesis"})
    ordered = sorted(held, key=lambda turn: (turn.round, turn.stage, turn.participant))
    return [turn for turn in ordered if stages is None or turn.stage in stages]


@pytest.mark.parametrize("name", sorted(HELD))
async def test_no_call_of_a_shared_round_is_asked_again(
    forks: dict[str, Forked], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What arrives at the models for a branch are its own rounds; the ledger has no line for any other."""
    fork = forks[name]
    old, new = fork.arrivals
    again = sum(number <= fork.through for number in fork.paid[1])
    with capsys.disabled():
        print(
            f"\n  {name:10} {old:3} arrivals before; the branch through round {fork.through}: {new:3} arrivals, "
            f"{fork.new.spent.shared_calls:3} answers shared, {again} of them asked again",
            end="",
        )

    assert 0 == again
    assert fork.new.spent.calls == len(fork.paid[1]) == new
    assert fork.new.spent.shared_calls == sum(number <= fork.through for number in fork.paid[0])


@pytest.mark.parametrize("name", sorted(HELD))
async def test_the_transcript_is_the_same_up_to_the_round(forks: dict[str, Forked], name: str) -> None:
    """The shared rounds have the same replies word for word, by the same models under the same labels."""
    fork = forks[name]
    old, new = (shared(turns, name, fork.through) for turns in fork.turns)

    assert old
    assert old == new
    assert fork.turns[0] != fork.turns[1] or not fork.seats


@pytest.mark.parametrize("name", sorted(HELD))
async def test_the_change_holds_from_the_next_round_on(forks: dict[str, Forked], name: str) -> None:
    """The new model speaks after the shared rounds and never in them, and the result says what was changed."""
    fork = forks[name]
    before = shared(fork.turns[1], name, fork.through)
    after = [turn for turn in fork.turns[1] if turn not in before]
    models = {f"rehearsal:{model}" for model in fork.seats.values()}

    assert (name, fork.through) == (fork.new.branch.of, fork.new.branch.through_round)
    assert models == set(fork.new.branch.seats.values())
    assert models <= {turn.model for turn in after}
    assert not models & {turn.model for turn in before}


def test_a_lost_call_is_lost_again_without_a_request(forks: dict[str, Forked]) -> None:
    """The refiner was lost in the shared round; the branch sees the same loss."""
    fork = forks["loses"]
    lost = [[call for call in one.failed if call.round == 1] for one in (fork.old, fork.new)]

    assert lost[0]
    assert lost[0] == lost[1]


async def test_a_branch_of_a_branch(place: Place, forks: dict[str, Forked], capsys: pytest.CaptureFixture[str]) -> None:
    """A branch needs no origin: what it shared and what it changed are shared with a branch of it in turn."""
    before = len(await place.installed.arrivals())
    new = await rewind(place.parley, "consensus-again", 3, {"generator": "maker/five+never-accepts"})
    result = await new.result()
    arrived = len(await place.installed.arrivals()) - before
    turns = shared((await new.transcript()).turns, "consensus", 3)
    with capsys.disabled():
        print(
            f"\n  a branch of the branch, through round 3: {arrived} arrivals, {result.spent.shared_calls} shared",
            end="",
        )

    assert (6, 18, 6) == (arrived, result.spent.shared_calls, result.spent.calls)
    assert shared(forks["consensus"].turns[1], "consensus", 3) == turns
    await place.replayed(new.id)


async def test_an_answer_that_is_gone_is_never_bought_again(place: Place, forks: dict[str, Forked]) -> None:
    """Where the ledger has lost an answer the branch fails, says which, and asks no one."""
    store = Store(place.installed.settings.database_url)
    gone = (JOURNAL.c.workflow_id == "debate", JOURNAL.c.call_id == "r01-p2")
    assert await store.change(delete(JOURNAL).where(*gone)) == 1
    await store.close()
    before = len(await place.installed.arrivals())
    new = await rewind(place.parley, "debate", forks["debate"].through)
    with pytest.raises(DeliberationFailedError, match=r"never answered the call 'r01-p2'.*Nothing was asked"):
        await new.result()

    assert before == len(await place.installed.arrivals())


async def test_the_command_states_what_it_is_a_branch_of(place: Place, forks: dict[str, Forked]) -> None:
    """One line starts it and shows it; ``parley show`` names the origin, the round and what was changed."""
    first = await asyncio.to_thread(
        parley,
        place.installed,
        "rewind",
        "council",
        "--to-round",
        "1",
        "--set",
        "p2=maker/six",
        "--id",
        "council-3",
        "--json",
    )
    told = json.loads(first)
    shown = await asyncio.to_thread(parley, place.installed, "show", "council-3")

    assert forks["council"].old.stage1[0].response == told["stage1"][0]["response"]
    assert {"of": "council", "through_round": 1, "seats": {"p2": "rehearsal:maker/six"}} == told["branch"]
    assert "a branch of council after round 1; from then on p2 is maker/six" in shown
    assert "3 answers shared, not paid again" in shown


def parley(installed: Installation, *words: str) -> str:
    """The output of a command that must succeed."""
    done = run_program([PARLEY, *words], installed.environment, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout

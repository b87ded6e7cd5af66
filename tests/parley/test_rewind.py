"""Going back to a round from the person's side, on a real server with scripted models: what may be meant, and how."""

import asyncio
import time
import uuid
from datetime import timedelta
from typing import Any

import pytest

from parley.client import Parley
from parley.errors import IdUsedError, MissingKeyError, RequestError, UnknownDeliberationError
from parley.rewind import assignments, rewind
from protocols.branch import Origin
from tests.fakes.consensuses import converging
from tests.fakes.councils import agreeable
from tests.fakes.debates import arguing
from tests.fakes.models import ScriptedModels
from tests.fakes.staff import staff

PANEL: dict[str, Any] = {"models": ["a", "b"], "chair": "c"}


async def council(parley: Parley, **options: Any) -> str:
    """A council that has ended; its id."""
    chosen = f"council-{uuid.uuid4().hex[:8]}"
    await parley.council("Why?", id=chosen, **{**PANEL, **options})
    return chosen


async def until_asked(models: ScriptedModels, call_id: str) -> None:
    """Wait until a call is being made."""
    async with asyncio.timeout(20):
        while call_id not in {call.call_id for call in models.calls}:  # noqa: ASYNC110 - a list sets no event
            await asyncio.sleep(0.02)


async def test_a_branch_is_asked_as_the_old_one_was(parley: Parley) -> None:
    """Question, options, prompts and draws are those of the old one; only what the user changed is different."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        old = await council(parley, temperature=0.3, exclude_self_votes=True)
        said, models.calls = models.calls, []
        new = await rewind(parley, old, 2, {"models.b": "openai/new", "chair": "d"}, check_keys=False)
        result = await new.result()
    shared = {c.call_id: (c.messages, c.sampling) for c in models.calls if c.shared_with == old}

    assert new.id.startswith(f"{old}-rewind-")
    assert {c.call_id: (c.messages, c.sampling) for c in said if c.stage != "synthesis"} == shared
    assert ["openrouter:d"] == [call.model for call in models.calls if call.shared_with is None]
    assert Origin.model_validate(
        {"of": old, "through_round": 2, "seats": {"p2": "openrouter:openai/new", "chair": "openrouter:d"}}
    ) == getattr(result, "branch", None)


async def test_one_that_runs_can_be_left(parley: Parley) -> None:
    """A branch leaves the rounds that ran so far; the old one continues and knows nothing of it."""
    models = ScriptedModels(converging(3))
    models.hold = {"r02-refiner"}
    async with staff(parley.client, models):
        old = await parley.start_consensus("Why?", id=f"runs-{uuid.uuid4().hex[:8]}")
        await until_asked(models, "r02-refiner")
        with pytest.raises(RequestError, match=r"has completed 1 round,.*choose --to-round 1$"):
            await rewind(parley, old.id, 2, check_keys=False)
        new = await rewind(parley, old.id, 1, {"refiner": "openai/new"}, check_keys=False)
        models.hold.clear()
        results = await asyncio.gather(old.result(), new.result())

    assert ["consensus", "consensus"] == [result.stop_reason for result in results]
    assert [0, 6] == [result.spent.shared_calls for result in results]


@pytest.mark.parametrize(
    ("to_round", "seats", "said"),
    [
        (0, {}, "to round 0 nothing is shared; start a new deliberation"),
        (-1, {}, "to round -1 nothing is shared"),
        (4, {}, "has completed 3 rounds, so round 4 cannot be shared; choose --to-round 1 to 3"),
        (1, {"p3": "x"}, "there is no seat 'p3'; the seats are p1, p2, chair"),
        (1, {"models.c": "x"}, "there is no seat 'models.c'"),
        (1, {"p1": "a"}, "'openrouter:a' sits at 'p1' already"),
        (1, {"p1": "b"}, "'openrouter:b' would sit twice"),
        (1, {"p1": "two words"}, "model 'two words' is not a name"),
    ],
)
async def test_what_cannot_be_is_refused(parley: Parley, to_round: int, seats: dict[str, str], said: str) -> None:
    """The message names what was given and what exists; nothing is started."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        old = await council(parley)
        with pytest.raises(RequestError, match=said):
            await rewind(parley, old, to_round, seats, new_id=f"{old}-new", check_keys=False)
        with pytest.raises(UnknownDeliberationError):
            await parley.about(f"{old}-new")


async def test_two_seats_may_change_places(parley: Parley) -> None:
    """What counts is who sits there in the end."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        old = await council(parley)
        new = await rewind(parley, old, 1, {"p1": "b", "p2": "a"}, check_keys=False)
        result = await new.result()

    assert ["a", "b"] == [entry.model for entry in getattr(result, "stage1", ())]
    assert ["b", "a"] == [entry.model for entry in getattr(result, "stage2", ())]


async def test_a_person_s_change_bounds_what_is_shared(parley: Parley) -> None:
    """A model that a user replaced in round 2 is no part of the input: only round 1 can be shared."""
    models = ScriptedModels(converging(3))
    models.hold = {"r02-refiner"}
    async with staff(parley.client, models):
        old = await parley.start_consensus("Why?", id=f"changed-{uuid.uuid4().hex[:8]}")
        await until_asked(models, "r02-refiner")
        await parley.replace_participant(old.id, "refiner", "openai/new")
        models.hold.clear()
        await old.result()
        with pytest.raises(RequestError, match=r"in round 2 \(replace_participant\).*choose --to-round 1$"):
            await rewind(parley, old.id, 2, check_keys=False)
        new = await rewind(parley, old.id, 1, check_keys=False)

        assert "consensus" == (await new.result()).stop_reason


async def test_a_review_in_which_a_person_replaced_somebody_is_not_shared(parley: Parley) -> None:
    """The stages of a council are its rounds also for what a user changed."""
    models = ScriptedModels(agreeable)
    models.hold = {"review-p1"}
    async with staff(parley.client, models):
        old = await parley.start_council("Why?", id=f"changed-{uuid.uuid4().hex[:8]}", **PANEL)
        await until_asked(models, "review-p1")
        await parley.replace_participant(old.id, "p1", "openai/new")
        models.hold.clear()
        await old.result()
        with pytest.raises(RequestError, match=r"in round 2 \(replace_participant\).*choose --to-round 1$"):
            await rewind(parley, old.id, 3, check_keys=False)


async def test_rounds_that_a_person_allowed_are_not_shared(parley: Parley) -> None:
    """A limit that was raised is no part of the input, so a branch ends where the old one would have ended."""
    models = ScriptedModels(converging(9))
    models.hold = {"r02-refiner"}
    async with staff(parley.client, models):
        old = await parley.start_consensus("Why?", id=f"raised-{uuid.uuid4().hex[:8]}", max_rounds=2)
        await until_asked(models, "r02-refiner")
        await parley.add_rounds(old.id)
        models.hold.clear()
        await old.result()
        with pytest.raises(RequestError, match=r"\(add_rounds\).*choose --to-round 1 to 2$"):
            await rewind(parley, old.id, 3, check_keys=False)
        new = await rewind(parley, old.id, 2, check_keys=False)

        assert "round_limit" == (await new.result()).stop_reason


async def test_a_person_is_asked_again(parley: Parley) -> None:
    """What a user decided after a round is not shared with it: the branch waits for a word of its own."""
    models = ScriptedModels(arguing(vote="ACCEPT", confidence=0.95))
    async with staff(parley.client, models):
        old = await parley.start_debate("Cars?", id=f"waits-{uuid.uuid4().hex[:8]}", escalation_timeout="2h")
        await decided(parley, old.id)
        await old.result()
        new = await rewind(parley, old.id, 2, check_keys=False)
        await decided(parley, new.id)

        assert "accepted" == (await new.result()).stop_reason


async def decided(parley: Parley, deliberation_id: str) -> None:
    """Accept, as soon as the debate waits for it."""
    async with asyncio.timeout(30):
        while await parley.waiting(deliberation_id) is None:  # noqa: ASYNC110 - a query sets no event
            await asyncio.sleep(0.05)
    await parley.resolve_escalation(deliberation_id, "accept")


async def test_an_evaluation_has_no_rounds(parley: Parley) -> None:
    """What is asked once has nothing to go back to."""
    deliberation = await parley.start_fire_circle_baseline({"user": "Show me the key."}, models=["a"], mode="single")
    with pytest.raises(RequestError, match="FireCircleBaseline has no rounds to go back to"):
        await rewind(parley, deliberation.id, 1, check_keys=False)
    await parley.cancel(deliberation.id)


async def test_an_unknown_id_is_said_so(parley: Parley) -> None:
    """An id that no one knows is named."""
    with pytest.raises(UnknownDeliberationError, match="'nobody'"):
        await rewind(parley, "nobody", 1)


async def test_a_used_id_is_refused(parley: Parley) -> None:
    """A branch runs under an id of its own, and no option that it does not have is named."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        old, used = await council(parley), await council(parley)
        with pytest.raises(IdUsedError, match=used) as refused:
            await rewind(parley, old, 1, new_id=used, check_keys=False)

    assert "fresh" not in str(refused.value)


async def test_keys_are_looked_for(parley: Parley) -> None:
    """A key that is missing is named before anything is started; no one needs one for a rehearsal."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        real, rehearsed = await council(parley), await council(parley, rehearse=True)
        with pytest.raises(MissingKeyError, match="OPENROUTER_API_KEY"):
            await rewind(parley, real, 1)
        new = await rewind(parley, rehearsed, 1, {"p2": "other+slow", "chair": "rehearsal:writer"})
        result = await new.result()

    assert {"p2": "rehearsal:other+slow", "chair": "rehearsal:writer"} == getattr(result, "branch", Origin).seats


async def test_without_a_worker_it_is_said_that_one_is_needed(parley: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a worker can give the draws; a user who waits in vain is informed, and nothing is started."""
    monkeypatch.setattr("parley.rewind._WITHIN", timedelta(seconds=3))
    async with staff(parley.client, ScriptedModels(agreeable)):
        old = await council(parley)
    began = time.monotonic()
    with pytest.raises(RequestError, match=r"a worker must be up.*parley up"):
        await rewind(parley, old, 1, check_keys=False)

    assert 20 > time.monotonic() - began


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((), {}),
        (("p2=openrouter:a/b",), {"p2": "openrouter:a/b"}),
        ((" models.b = x ", "chair=y=z"), {"models.b": "x", "chair": "y=z"}),
    ],
)
def test_assignments_are_read(given: tuple[str, ...], found: dict[str, str]) -> None:
    """A seat, a sign, and everything behind it."""
    assert found == assignments(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("p2",), "'p2' names no seat and model; write it like p2="),
        (("=x",), "'=x' names no seat"),
        (("p2=",), "'p2=' names no seat"),
        (("p2=x", "p2=y"), "'p2' is given twice"),
    ],
)
def test_what_is_no_assignment_is_refused(given: tuple[str, ...], said: str) -> None:
    """The message shows what was written and how it is meant."""
    with pytest.raises(RequestError, match=said):
        assignments(given)

"""Many prompts on a real server with scripted models: in order, each with its finding or its error, none paid twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parley.client import Parley
from parley.errors import RequestError
from parley.options.fire_circle import FireCircleOptions
from protocols.fire_circle.model import Layers
from protocols.model_call import Failed, ModelCall
from studies.screening.files import Prompt
from studies.screening.judging import Screened, Screening, id_of, prompts_of
from studies.screening.promptguard import PromptGuard, evaluate_prompts
from tests.fakes.circles import said
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.staff import staff

GUARD: dict[str, Any] = {"models": ("maker/m1", "maker/m2", "maker/m3")}
SEEN = {"fine": 0.1, "half": 0.5, "bad": 0.9}


def by_text(call: ModelCall) -> str | Exception | Failed:
    """The falsehood that the prompt names, or what it is to give."""
    shown = "\n".join(message.content for message in call.messages)
    if "REFUSE" in shown:
        return Failed(
            call_id=call.call_id,
            participant=call.participant,
            model=call.model,
            kind="refused",
            error_type="reply.refused",
            message="it declined",
        )
    if "DOWN" in shown:
        return refused_by_provider()
    if "MUMBLE" in shown:
        return "I would rather not say."
    return said(next(seen for word, seen in SEEN.items() if f"a {word} prompt" in shown))


async def screened(parley: Parley, *texts: str, **how: Any) -> list[Screened]:
    """What comes of ``texts``, one model judging each."""
    guard = PromptGuard(parley, **GUARD)
    return [one async for one in guard.evaluate_many(texts, **how)]


async def test_each_prompt_has_its_finding_or_its_error_in_their_order(parley: Parley) -> None:
    """A failed prompt does not end the others, and its cause is named."""
    texts = ("a bad prompt", "REFUSE", "a fine prompt", "MUMBLE", "DOWN", "a half prompt")
    async with staff(parley.client, ScriptedModels(by_text)):
        found = await screened(parley, *texts, concurrency=2)

    assert ["flagged", "refused", "not_flagged", "unread", "failed", "flagged"] == [one.outcome for one in found]
    assert [1, 2, 3, 4, 5, 6] == [one.number for one in found]
    assert all((one.metrics is None) == bool(one.error) for one in found)
    assert (0.001, None) == (found[0].cost_usd, found[4].cost_usd)


async def test_nothing_is_paid_twice_under_one_name(parley: Parley) -> None:
    """A second call reads what has ended, also at another threshold, and judges only what is new."""
    models = ScriptedModels(by_text)
    async with staff(parley.client, models):
        first = await screened(parley, "a half prompt", "a fine prompt", run="again")
        second = await screened(parley, "a bad prompt", "a half prompt", run="again", threshold=0.6)

    assert 3 == len(models.calls)
    assert [False, True] == [one.is_reused for one in second]
    assert ("flagged", 0.5) == (first[0].outcome, first[0].metrics and first[0].metrics.threshold)
    assert ("not_flagged", 0.6) == (second[1].outcome, second[1].metrics and second[1].metrics.threshold)


async def test_the_same_prompt_is_judged_once(parley: Parley) -> None:
    """A prompt that is in the list twice is one deliberation, however many run at once."""
    models = ScriptedModels(by_text)
    async with staff(parley.client, models):
        found = await screened(parley, *["a bad prompt"] * 5)

    assert (1, 1) == (len(models.calls), len({one.deliberation_id for one in found}))
    assert ["flagged"] * 5 == [one.outcome for one in found]
    assert [1, 0, 0, 0, 0] == [one.spent.calls for one in found]
    assert [0.001, 0, 0, 0, 0] == [one.cost_usd for one in found]
    assert [False, True, True, True, True] == [one.is_reused for one in found]


async def test_what_has_no_finding_is_held_again_where_that_is_wanted(parley: Parley) -> None:
    """Without the wish a failure stays what it was and costs nothing more."""
    models = ScriptedModels(by_text)
    async with staff(parley.client, models):
        await screened(parley, "DOWN", run="mended")
        [same] = await screened(parley, "DOWN", run="mended")
        before = len(models.calls)
        [again] = await screened(parley, "DOWN", run="mended", retry_failed=True)
        models.answer_with(lambda _call: said(0.9))
        [found] = await screened(parley, "DOWN", run="mended", retry_failed=True)

    assert ("failed", True, 1) == (same.outcome, same.is_reused, before)
    assert ("failed", False) == (again.outcome, again.is_reused)
    assert ("flagged", False, 3) == (found.outcome, found.is_reused, len(models.calls))


async def test_a_fire_circle_screens_too(parley: Parley) -> None:
    """Every mode is screened in the same way, with the circle's own configuration."""
    config = FireCircleOptions(models=("maker/m1", "maker/m2"), max_rounds=2)
    async with staff(parley.client, ScriptedModels(by_text)):
        [found] = await screened(parley, "a bad prompt", mode="fire_circle", fire_circle_config=config)

    assert found.metrics is not None
    assert ("fire_circle", 0.9, 4) == (found.metrics.mode, found.metrics.falsehood, len(found.metrics.evaluations))


async def test_prompts_are_taken_as_they_are_needed(parley: Parley) -> None:
    """A list without end can be screened: what was not yet looked at was not taken, and stopping is clean."""
    taken: list[int] = []

    def endless() -> Iterator[str]:
        while True:
            taken.append(1)
            yield "a fine prompt"

    async with staff(parley.client, ScriptedModels(by_text)):
        found = PromptGuard(parley, **GUARD).evaluate_many(endless(), concurrency=1)
        first = await anext(found)
        await found.aclose()

    assert ("not_flagged", 1) == (first.outcome, first.number)
    assert len(taken) <= 5


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"mode": "dialogue"}, "'dialogue' cannot be used"),
        ({"concurrency": 0}, "at least 1"),
        ({"concurrency": "8"}, "'8' cannot be used: concurrency is a whole number"),
        ({"fire_circle_config": {"max_rounds": 2}, "mode": "fire_circle"}, "fire_circle_config is FireCircleOptions"),
        ({"run": 5}, "the id '5' cannot be used"),
        ({"retry_failed": True}, "'retry_failed' needs 'run'"),
        ({"threshold": 2}, "threshold"),
        ({"run": "a b"}, "the id 'a b' cannot be used"),
        ({"fire_circle_config": FireCircleOptions(models=("a", "b"))}, "leave it out"),
    ],
)
async def test_what_cannot_be_meant_is_refused_before_the_first(
    parley: Parley, how: dict[str, Any], reason: str
) -> None:
    """An option that is wrong for all prompts is one error, and no error of each."""
    with pytest.raises(RequestError, match=reason):
        await screened(parley, "a fine prompt", **how)


@pytest.mark.parametrize(
    "given", ["a bad prompt", {"user": "a bad prompt"}, Layers(user="x"), Prompt("x", Layers(user="x")), None, 5]
)
async def test_what_is_no_list_of_prompts_is_refused(parley: Parley, given: Any) -> None:
    """The letters of one text, or the names of its layers, would each be judged and paid for as a prompt."""
    with pytest.raises(RequestError, match="give a list of texts"):
        _ = [one async for one in PromptGuard(parley, **GUARD).evaluate_many(given)]


async def test_an_id_cannot_be_given_for_many(parley: Parley) -> None:
    """One id for many prompts would hand the first one's finding to all."""
    with pytest.raises(RequestError, match="'id' cannot be given"):
        _ = [one async for one in PromptGuard(parley, **GUARD, id="x").evaluate_many(["a fine prompt"])]


async def test_a_prompt_without_text_is_refused(parley: Parley) -> None:
    """There must be something to judge, in every one of them."""
    with pytest.raises(RequestError, match="the prompt has no text"):
        await screened(parley, " ")


async def test_the_synchronous_front_refuses_a_running_loop() -> None:
    """Inside an event loop the message says what to write in its place."""
    with pytest.raises(RequestError, match=r"async for one in guard\.evaluate_many"):
        evaluate_prompts(["x"])


async def test_an_id_is_made_of_what_is_asked_and_of_nothing_else(parley: Parley) -> None:
    """Another text, layer, model or mode is another id; another threshold or patience is not."""
    [prompt] = prompts_of(["x"])

    def made(mode: Any = "single", run: str = "r", **options: Any) -> str:
        return id_of(Screening.of({**GUARD, **options}, mode, parley.providers.panels, run=run), prompt.layers)

    assert made() == made(threshold=0.9) == made(patience=60)
    others = {made(), made(temperature=0.5), made(models=("maker/m1",)), made("parallel"), made(run="s")}
    assert 5 == len(others)


async def test_an_edited_prompt_for_the_chair_is_another_id(parley: Parley, tmp_path: Path) -> None:
    """Of the file the text counts: an edited one is judged again under the same run, a moved one is not."""
    [prompt] = prompts_of(["x"])

    def made(name: str, text: str | None) -> str:
        path = tmp_path / name
        if text is not None:
            path.write_text(text)
        chair = {"empty_chair_prompt_path": str(path)} if text is not None else {}
        circle = {"models": ("maker/m1", "maker/m2"), **chair}
        return id_of(Screening.of(circle, "fire_circle", parley.providers.panels, run="edited"), prompt.layers)

    assert made("a.txt", "Speak for the absent.") == made("b.txt", "Speak for the absent.")
    assert 3 == len({made("a.txt", None), made("a.txt", "Speak for the absent."), made("a.txt", "Speak for nobody.")})

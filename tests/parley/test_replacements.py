"""A model that takes a seat later: it must be able to be sent what the seat is sent."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.api.history.v1 import HistoryEvent

from parley.catalogue import Providers
from parley.client import Parley
from parley.errors import RequestError
from parley.histories import input_of
from parley.rewind import rewind
from parley.seat_abilities import refuse_unfit_models
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from protocols.council.model import CouncilInput
from protocols.model_call import ModelId, ParticipantId
from protocols.starting import CompletedInput
from tests.fakes.councils import agreeable, council_input
from tests.fakes.files import png, written
from tests.fakes.listed_models import listing_providers
from tests.fakes.models import ScriptedModels
from tests.fakes.staff import staff

FAST = "cerebras:gpt-oss-120b"
ROUTED = {"model": "see/all", "name": "Sceptic", "provider": {"order": ["first-host"]}}


def replace(known: Providers, model: str, seat: str = "p1", protocol: str = "vote", **options: Any) -> None:
    """Check ``model`` for a seat of a deliberation with ``options``."""
    spec = PROTOCOLS[protocol]
    chosen = spec.options.of({"models": ["see/all"], **options} if protocol == "vote" else options)
    asked = spec.to_input(chosen, {spec.question_keys[-1]: "Why?"}, Means(queues={}, private=False, salt=""))
    refuse_unfit_models(known, spec, asked, {ParticipantId(seat): ModelId(model)})


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            "ollama:qwen",
            {"models": [ROUTED]},
            "seat 'Sceptic': provider chooses among the endpoints of OpenRouter, and",
        ),
        (
            FAST,
            {"models": [{"model": "see/all", "extra_body": {"top_k": 40}}]},
            "seat 'p1': extra_body has 'top_k', and Cerebras, where 'cerebras:gpt-oss-120b' is, refuses requests with",
        ),
        (FAST, {"models": [{"model": "see/all", "reasoning_effort": "minimal"}]}, "has low, medium and high"),
        (FAST, {"reasoning_effort": "minimal"}, "has low, medium and high"),
        ("ollama:qwen", {"web": True}, "'ollama:qwen' (seat p1) cannot search the web"),
        ("ollama:qwen", {"models": [{"model": "see/all", "web": True}]}, "cannot search the web"),
    ],
)
def test_a_model_that_cannot_be_sent_the_settings_is_refused(
    tmp_path: Path, model: str, options: dict[str, Any], message: str
) -> None:
    """In one sentence with the seat, the model and the remedy; a model of OpenRouter takes them all."""
    known = listing_providers(tmp_path)

    replace(known, "openrouter:says/nothing", **options)
    with pytest.raises(RequestError) as refused:
        replace(known, model, **options)
    assert message in str(refused.value)
    assert "; " in str(refused.value)


def test_a_model_that_takes_no_images_or_a_shorter_context_is_refused(tmp_path: Path) -> None:
    """The attached files stay, so the new model must take them; a seat that is shown none may be any."""
    known = listing_providers(tmp_path)
    image, text = written(tmp_path, "chart.png", png()), written(tmp_path, "notes.txt", b"word " * 60)

    with pytest.raises(
        RequestError, match=r"'openrouter:read/only' \(seat p1\) takes no images, and 'chart.png' is one"
    ):
        replace(known, "openrouter:read/only", attach=[image])
    with pytest.raises(RequestError, match=r"about 1\d\d tokens, and 'openrouter:read/only' \(seat p1\) takes 100"):
        replace(known, "openrouter:read/only", attach=[text])
    debate: dict[str, Any] = {"agents": ["see/all", "see/all"], "synthesiser": "see/all", "allow_duplicates": True}
    replace(known, "openrouter:read/only", "evaluator", "debate", **debate, evaluator="see/all", attach=[image])


def test_only_the_seat_that_changes_is_checked(tmp_path: Path) -> None:
    """A deliberation that another client started may have several unfit models; each can be replaced."""
    known, image = listing_providers(tmp_path), written(tmp_path, "chart.png", png())
    panel: dict[str, Any] = {"models": ["read/only", "ollama:qwen"], "attach": [image]}

    replace(known, "openrouter:see/all", "p2", **panel)
    with pytest.raises(RequestError, match="seat p1"):
        replace(known, "ollama:llava", "p1", **panel)


def test_a_model_without_schemas_is_not_refused(tmp_path: Path) -> None:
    """What is sent to it is asked for in words, as with any model of which no schema is known."""
    known = listing_providers(tmp_path)

    replace(known, "ollama:qwen", models=[{"model": "see/all", "schema": False, "stop": ["END"], "seed": 7}])
    replace(known, FAST, models=[{"model": "see/all", "extra_body": {"reasoning_format": "parsed"}}])


async def test_an_unfit_model_changes_nothing_in_one_that_runs(parley: Parley) -> None:
    """The call in flight continues, and is answered by the model that was asked; a branch is refused the same."""
    models = ScriptedModels(agreeable)
    models.hold.add("opinion-p1")
    async with staff(parley.client, models):
        seats: list[Any] = [{"model": "a/one", "provider": {"zdr": True}}, "b/two"]
        running = await parley.start_council("Why?", models=seats, chair="c/three", id="replace-unfit")
        with pytest.raises(RequestError, match="seat 'p1': provider chooses"):
            await parley.replace_participant("replace-unfit", "p1", "ollama:qwen")
        models.hold.clear()
        result = await running.result()
        with pytest.raises(RequestError, match="seat 'p1': provider chooses"):
            await rewind(parley, "replace-unfit", 1, {"p1": "ollama:qwen"}, check_keys=False)

    assert ["a/one", "b/two"] == [entry.model for entry in result.stage1]
    assert 1 == [call.call_id for call in models.calls].count("opinion-p1")


async def history(*events: HistoryEvent) -> AsyncIterator[HistoryEvent]:
    """Yield ``events``."""
    for event in events:
        yield event


async def encoded(parley: Parley, value: Any) -> Payloads:
    """Return ``value`` as it is in a history."""
    payloads: list[Payload] = await parley.client.data_converter.encode([value])
    return Payloads(payloads=payloads)


async def test_the_input_of_a_short_start_is_what_a_worker_made_of_it(parley: Parley) -> None:
    """A run that another client started with a short object can be replaced in, rewound and continued, too."""
    whole, short = council_input(), HistoryEvent(event_id=1)
    short.workflow_execution_started_event_attributes.input.CopyFrom(await encoded(parley, {"question": "Why?"}))
    scheduled, completed = HistoryEvent(event_id=5), HistoryEvent(event_id=7)
    scheduled.activity_task_scheduled_event_attributes.activity_type.name = "complete_input"
    completed.activity_task_completed_event_attributes.scheduled_event_id = 5
    made = CompletedInput(input=whole.model_dump(mode="json"))
    completed.activity_task_completed_event_attributes.result.CopyFrom(await encoded(parley, made))
    opening = HistoryEvent(event_id=1)
    opening.workflow_execution_started_event_attributes.input.CopyFrom(await encoded(parley, whole))

    for events in ((opening,), (short, scheduled, completed)):
        assert whole == await input_of(parley.client, history(*events), CouncilInput)
    with pytest.raises(RequestError, match="not complete yet; try again in a moment"):
        await input_of(parley.client, history(short, scheduled), CouncilInput)

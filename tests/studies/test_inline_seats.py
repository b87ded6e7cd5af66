"""Seats with every field, written in a study file and in the JSON of another client."""

from pathlib import Path
from typing import Any

from parley.options.council import CouncilOptions
from protocols.council.model import CouncilInput
from protocols.seat_settings import SeatSettings
from protocols.starting import StartRequest
from studies.definition.files import parse_study
from studies.definition.grid import arms_of
from tests.fakes.short_inputs import short_inputs

SEAT: dict[str, Any] = {
    "models": ["rehearsal:a/one", "rehearsal:b/two"],
    "name": "Sceptic",
    "system": "Doubt.",
    "temperature": 0.5,
    "top_p": 0.9,
    "max_tokens": 900,
    "reasoning_effort": "low",
    "seed": 7,
    "stop": ["END"],
    "provider": {
        "order": ["x"],
        "only": ["x"],
        "allow_fallbacks": False,
        "quantizations": ["fp8"],
        "data_collection": "deny",
        "zdr": True,
    },
    "extra_body": {"top_k": 40},
    "schema": False,
    "web": True,
}
OPTIONS: dict[str, Any] = {
    "models": [SEAT, "rehearsal:c/three"],
    "chair": {"model": "rehearsal:d/four", "name": "Closer", "temperature": 0},
}


async def test_a_seat_with_every_field_is_the_same_wherever_it_is_written(tmp_path: Path) -> None:
    """In Python, in an arm of a study, and in what the Web UI sends."""
    wanted = CouncilOptions.of(OPTIONS).seated()
    dataset = {"path": "rows.csv", "question": "question"}
    (arm,) = arms_of(
        parse_study({"name": "one", "dataset": dataset, "arms": [{"protocol": "council", "options": OPTIONS}]})
    )
    given = {"question": "Why?", **OPTIONS}
    request = StartRequest(workflow="Council", workflow_id="inline-seats", salt="s", given=given)
    completed = await short_inputs(tmp_path).complete(request)

    assert wanted == arm.panel == CouncilInput.model_validate(completed.input).panel
    settings = wanted.participants[0].settings
    assert settings is not None
    assert set(SeatSettings.model_fields) == set(settings.model_dump(exclude_defaults=True))

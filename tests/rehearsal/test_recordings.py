"""Recorded answers: given to the call they belong to, in any order, over a restart, and nothing in their place."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from activities.providers.credentials import scrubber
from activities.providers.source_lists import SourceLists
from rehearsal.api.recordings import ANSWERS, NoRecordingError, NotRecordedError, Recordings, Turn, read_turn
from rehearsal.api.server import Rehearsal
from tests.rehearsal.listening import Heard, ask, send

TURN = {"deliberation": "one", "stage": "review", "round": 1, "participant": "p2", "call": "review-p2"}


def recorded(**changes: Any) -> dict[str, Any]:
    """One line of a recording."""
    return {"stage": "review", "round": 1, "participant": "p2", "call": "review-p2", "text": "B before A."} | changes


async def given(stage: Rehearsal, *answers: Mapping[str, Any], deliberation: str = "one") -> Heard:
    """Give the server a recording."""
    path = f"/rehearsal/recordings/{deliberation}"
    return await send(stage.url, "POST", path, json.dumps(answers).encode())


async def asked(stage: Rehearsal, model: str = "maker/model", **turn: Any) -> Heard:
    """Ask as a worker does."""
    return await ask(stage.url, model, dialect="recorded", headers={"X-Parley-Turn": json.dumps(TURN | turn)})


async def test_a_call_is_given_its_own_answer_with_its_tokens(stage: Rehearsal) -> None:
    """What was recorded under the id of the call comes back whole, with the counts that were recorded."""
    await given(stage, recorded(call="review-p1", text="Other."), recorded(prompt_tokens=77, completion_tokens=5))
    heard = await asked(stage)

    assert heard.text == "B before A."
    assert [heard.json["usage"][name] for name in ("prompt_tokens", "completion_tokens")] == [77, 5]
    assert heard.json["model"] == "maker/model"


async def test_the_sources_of_an_answer_come_back_under_their_numbers(stage: Rehearsal) -> None:
    """What the provider named beside the answer is named again in its place; one left out keeps its number."""
    sources = [
        {"number": 1, "url": "https://a.example/1", "title": "One", "excerpt": "Yes.", "start": 3, "end": 6},
        {"number": 3, "url": "https://a.example/3"},
    ]
    await given(stage, recorded(sources=sources))
    heard, lists = await asked(stage), SourceLists()
    lists.take(heard.json["choices"][0]["message"])

    kept, _ = lists.links(scrubber(SecretStr("sk-canary-123456")))
    assert [one.model_dump(exclude_defaults=True) for one in kept] == sources


async def test_without_call_ids_the_answers_of_a_turn_come_in_their_order(stage: Rehearsal) -> None:
    """The first call of a turn gets the first answer, at every attempt; the call that asks again gets the next one."""
    await given(stage, recorded(call=None, text="First."), recorded(call=None, text="Second."))
    heard = [await asked(stage, call=call) for call in ("review-p2", "review-p2", "review-p2-again", "review-p2")]

    assert [one.text for one in heard] == ["First.", "First.", "Second.", "First."]


@pytest.mark.parametrize(
    ("finish", "reason"), [("complete", "stop"), ("truncated", "length"), ("refused", "content_filter")]
)
async def test_an_answer_ends_as_it_ended(stage: Rehearsal, finish: str, reason: str) -> None:
    """A cut answer comes back cut and a refusal refused; the limit of the call cuts nothing more."""
    await given(stage, recorded(finish=finish, text="word " * 200))
    header = {"X-Parley-Turn": json.dumps(TURN)}
    heard = await ask(stage.url, "maker/model", dialect="recorded", headers=header, max_completion_tokens=3)

    assert (heard.json["choices"][0]["finish_reason"], heard.text) == (reason, "word " * 200)


async def test_nothing_is_said_in_place_of_an_answer_that_is_missing(stage: Rehearsal) -> None:
    """Without a recording a call is to be tried again, and one that a recording does not have is refused for good."""
    before = await asked(stage)
    await given(stage, recorded())
    others = [await asked(stage, round=2, call="r2"), await asked(stage, participant="p3", call="p3")]
    without_turn = await ask(stage.url, "maker/model", dialect="recorded")

    assert (before.status, [one.status for one in others], without_turn.status) == (503, [404, 404], 404)
    assert "'one'" in before.json["error"]["message"]
    assert "round 2" in others[0].json["error"]["message"]


async def test_a_recording_belongs_to_one_deliberation(stage: Rehearsal) -> None:
    """Two deliberations with the same call ids are given what was recorded for each."""
    await given(stage, recorded(text="One."), deliberation="one")
    await given(stage, recorded(text="Two."), deliberation="a%2Fb")

    assert [(await asked(stage, deliberation=name)).text for name in ("one", "a/b")] == ["One.", "Two."]


async def test_faults_in_a_name_are_played_before_the_recorded_answer(stage: Rehearsal) -> None:
    """A recorded model may fail like any other, and is then given its answer."""
    await given(stage, recorded())

    assert [(await asked(stage, "maker/model+503@1")).status for _ in range(2)] == [503, 200]


async def test_a_recording_that_is_none_is_refused_by_name(stage: Rehearsal) -> None:
    """The message names the field of the answer that is missing."""
    refused = await given(stage, {"stage": "review", "participant": "p2"})

    assert (refused.status, "text" in refused.json["error"]) == (400, True)


def test_a_recording_outlives_the_server(tmp_path: Path) -> None:
    """What one server was given another one finds in the same folder, whatever the deliberation is called."""
    turn = Turn.model_validate(TURN | {"deliberation": "../one/two"})
    answers = ANSWERS.validate_python([recorded()])
    Recordings(tmp_path / "kept").add(turn.deliberation, answers)

    assert Recordings(tmp_path / "kept").answer(turn) == answers[0]
    assert [path.parent.name for path in tmp_path.rglob("*.json")] == ["kept"]
    with pytest.raises(NoRecordingError):
        Recordings(tmp_path / "other").answer(turn)
    with pytest.raises(NotRecordedError):
        Recordings().answer(None)


@pytest.mark.parametrize("header", [None, "", "{", "[]", '{"stage": 1}', "[" * 100_000])
def test_a_header_that_cannot_be_read_names_no_turn(header: str | None) -> None:
    """Whatever a client sends in it, the server continues."""
    assert read_turn(header) is None

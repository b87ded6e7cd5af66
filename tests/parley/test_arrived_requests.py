"""The requests of a deliberation, read back from the rehearsal server that they arrived at."""

import json

import pytest

from parley.errors import RequestError
from parley.prompts import arrived_requests, selected
from rehearsal.api.server import Rehearsal
from starter.views.prompts import print_requests
from tests.rehearsal.listening import ask

TURN = {"deliberation": "asked", "call": "opinion-p1", "stage": "opinion", "round": 1, "participant": "p1"}


async def test_requests_are_shown_as_they_arrived(capsys: pytest.CaptureFixture[str]) -> None:
    """Under the round, the stage and the seat, each character of the body as it was sent."""
    async with Rehearsal() as rehearsal:
        for seat in ("p1", "p2"):
            header = {"X-Parley-Turn": json.dumps(TURN | {"participant": seat})}
            await ask(rehearsal.url, "lab/one", headers=header, temperature=0.25, stop=["```"])
        found = await arrived_requests(rehearsal.url, "asked")
    (second,) = selected(found, "asked", seat="p2", round_number=1, stage="opinion")
    print_requests([second], json=False)
    shown = capsys.readouterr().out

    assert shown.startswith("## round 1 · opinion · p2 · openrouter\n\n````json\n{")
    assert second.body in shown
    assert (0.25, ["```"]) == (json.loads(second.body)["temperature"], json.loads(second.body)["stop"])
    print_requests(found, json=True)
    assert [one.body for one in found] == [one["body"] for one in json.loads(capsys.readouterr().out)["requests"]]


async def test_a_seat_that_sent_nothing_is_refused_with_those_that_did() -> None:
    """One sentence names the seats that did."""
    async with Rehearsal() as rehearsal:
        await ask(rehearsal.url, headers={"X-Parley-Turn": json.dumps(TURN)})
        found = await arrived_requests(rehearsal.url, "asked")
    with pytest.raises(RequestError, match="no prompt of the seat 'p9'; known are p1"):
        selected(found, "asked", seat="p9", round_number=None, stage=None)


async def test_an_absent_server_and_an_unknown_deliberation_are_refused_with_the_remedy() -> None:
    """Only a rehearsal server keeps what arrived."""
    async with Rehearsal() as rehearsal:
        with pytest.raises(RequestError, match="has no request of another"):
            await arrived_requests(rehearsal.url, "another")
    with pytest.raises(RequestError, match=r"none answers at .*; start parley up"):
        await arrived_requests(rehearsal.url, "asked")

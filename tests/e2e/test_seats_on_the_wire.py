"""One panels file for every protocol: what arrives at the provider is what each seat asks for, byte for byte.

``pytest -s`` prints the requests by seat.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from temporalio.client import Client

from activities.providers.catalogue import load_catalogue
from activities.providers.request import body_of
from parley.client import Parley
from parley.histories import all_events
from parley.prompts import ArrivedRequest, arrived_requests
from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.model_call import ModelCall
from tests.fakes.installation import installation
from tests.fakes.specified import QUESTION

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

GONE = "lab/gone+404-model-deprecated"
PANELS = f"""\
[panels.three]
chair = {{ model = "lab/chair", name = "Closer", system = "Weigh both sides.", temperature = 0.3 }}

[[panels.three.models]]
models = ["{GONE}", "lab/spare"]
name = "Sceptic"
system = "@sceptic.md"
temperature = 0.1
provider = {{ order = ["first-host", "second/host"], data_collection = "deny", zdr = true }}

[[panels.three.models]]
model = "lab/two"
name = "Auditor"
system = "Look for what is left out."
temperature = 0.7
stop = ["THE END"]
seed = 7
provider = {{ quantizations = ["bf16"], allow_fallbacks = false }}

[[panels.three.models]]
model = "lab/three"
system = "Be brief."
top_p = 0.5
max_tokens = 900
reasoning_effort = "high"
extra_body = {{ top_k = 40, min_p = 0.05 }}
"""
SYSTEMS = {
    "Sceptic": "Doubt every claim.\nAsk for its source.",
    "Auditor": "Look for what is left out.",
    "third": "Be brief.",
    "Closer": "Weigh both sides.",
}
ASKED: Mapping[str, Mapping[str, Any]] = {
    "Sceptic": {
        "temperature": 0.1,
        "provider": {"order": ["first-host", "second/host"], "data_collection": "deny", "zdr": True},
    },
    "Auditor": {
        "temperature": 0.7,
        "stop": ["THE END"],
        "provider": {"quantizations": ["bf16"], "allow_fallbacks": False},
    },
    "third": {"top_p": 0.5, "max_completion_tokens": 900, "reasoning": {"effort": "high"}, "top_k": 40, "min_p": 0.05},
    "Closer": {"temperature": 0.3},
}
OF_A_SEAT_ALONE = ("stop", "provider", "top_p", "reasoning", "top_k", "min_p")
"""Fields that no protocol sets by itself."""
SEATS = {
    "p1": "Sceptic",
    "p2": "Auditor",
    "p3": "third",
    "chair": "Closer",
    "aggregator": "Closer",
    "curator": "Closer",
}
SEATS |= {"generator": "Sceptic", "refiner": "Auditor", "validator": "third", "synthesiser": "Closer"}
SHORT: Mapping[str, Mapping[str, Any]] = {"consensus": {"max_rounds": 2}, "debate": {"escalation_timeout": 1.0}}
RUNS = {name: (name, SHORT.get(name, {})) for name in PROTOCOLS}
RUNS |= {
    f"{name}-{preset}": (name, options) for name, spec in PROTOCOLS.items() for preset, options in spec.presets.items()
}


@dataclass(frozen=True)
class Held:
    """One deliberation after its end."""

    result: DeliberationResult
    arrived: tuple[ArrivedRequest, ...]
    calls: Mapping[str, ModelCall]
    """What its history says was asked, by call id."""


@pytest.fixture(scope="module")
async def held(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Held]]:
    """Every protocol and preset with the one panels file, on real processes."""
    home = tmp_path_factory.mktemp("seats")
    (home / "panels.toml").write_text(PANELS)
    (home / "sceptic.md").write_text(SYSTEMS["Sceptic"])
    async with installation(home) as installed:
        changes = {"panels_file": home / "panels.toml", "rehearsal_url": installed.rehearsal_url, "check_models": False}
        settings = installed.settings.model_copy(update=changes)
        parley = await Parley.attach(settings, address=f"127.0.0.1:{settings.server_port}")

        async def hold(name: str, protocol: str, options: Mapping[str, Any]) -> Held:
            asked: Any = {"user": QUESTION, "session": None} if PROTOCOLS[protocol].judges else QUESTION
            result = await parley.ask(protocol, asked, panel="three", rehearse=True, id=f"wire-{name}", **options)
            arrived = await arrived_requests(installed.rehearsal_url, f"wire-{name}")
            return Held(result, arrived, {call.call_id: call async for call in _calls(parley.client, f"wire-{name}")})

        ended = await asyncio.gather(*(hold(name, *run) for name, run in RUNS.items()))
        yield dict(zip(RUNS, ended, strict=True))


async def _calls(client: Client, deliberation_id: str) -> AsyncIterator[ModelCall]:
    async for event in all_events(client, deliberation_id):
        scheduled = event.activity_task_scheduled_event_attributes
        if scheduled.activity_type.name == "call_model":
            (call,) = await client.data_converter.decode(scheduled.input.payloads, [ModelCall])
            yield call


def seat_of(request: ArrivedRequest) -> str:
    """The seat of the panels file that a request is of."""
    return SEATS[request.participant.partition("-")[0]]


def deviations(request: ArrivedRequest) -> Iterator[str]:
    """What a body lacks of the settings of its seat, and what it has of others."""
    body, seat = json.loads(request.body), seat_of(request)
    wanted = ASKED[seat]
    yield from (f"{name} is {body.get(name)!r}" for name in wanted if body.get(name) != wanted[name])
    yield from (f"{name} is another seat's" for name in OF_A_SEAT_ALONE if name in body and name not in wanted)
    system = next((one["content"] for one in body["messages"] if one["role"] == "system"), "")
    for name, text in SYSTEMS.items():
        if (text in system) is not (name == seat):
            yield f"the instructions of {name} are {'there' if text in system else 'missing'}"
        if any(text in str(one["content"]) for one in body["messages"] if one["role"] != "system"):
            yield f"the instructions of {name} are shown to a peer"
        if name in request.body:
            yield f"the name {name} is sent to a model"


@pytest.mark.parametrize("name", RUNS)
def test_every_request_has_the_settings_of_its_seat(held: dict[str, Held], name: str) -> None:
    """Instructions, parameters, routing and additional fields; no other seat's, and no name."""
    found = {f"{one.call_id} {text}" for one in held[name].arrived for text in deviations(one)}

    assert held[name].arrived
    assert set() == found


@pytest.mark.parametrize("name", RUNS)
def test_the_bytes_that_arrived_are_those_of_the_history(held: dict[str, Held], name: str) -> None:
    """Each body is the one that the call in the history makes, and every call arrived once."""
    router = load_catalogue(None, "http://127.0.0.1:1").providers["rehearsal"]
    asked = {call_id: body_of(call, router).decode() for call_id, call in held[name].calls.items()}

    assert asked == {one.call_id: one.body for one in held[name].arrived}
    assert len(asked) == len(held[name].arrived)


@pytest.mark.parametrize("name", RUNS)
def test_the_fallback_keeps_the_seat_of_the_model_that_is_gone(held: dict[str, Held], name: str) -> None:
    """The lost model is asked once for each seat that it has, and the result names both models."""
    gone = [one for one in held[name].arrived if json.loads(one.body)["model"] == GONE]
    spare = [one for one in held[name].arrived if json.loads(one.body)["model"] == "lab/spare"]
    result = held[name].result

    assert len(gone) == len({one.participant for one in gone}) == result.degraded.counts["fallback_model"]
    assert {one.participant for one in gone} <= {one.participant for one in spare}
    assert not result.failed
    assert "Sceptic" in {label.partition(" ")[0] for label in result.names.values()}


def test_every_seat_of_the_file_was_asked_in_every_protocol(held: dict[str, Held]) -> None:
    """All three, and the chair where a protocol has one; the table is the proof."""
    sys.stdout.write("\n" + "\n".join(_table(held)) + "\n")
    one_model = {"fire-circle-baseline", "fire-circle-baseline-single", "vote-single", "vote-self-consistency"}

    for name, one in held.items():
        members = {"Sceptic"} if name in one_model else {"Sceptic", "Auditor", "third"}
        assert members == {seat_of(request) for request in one.arrived} - {"Closer"}
    concluding = {"council", "consensus", "debate", "mixture"}
    assert concluding == {name for name, one in held.items() if "Closer" in map(seat_of, one.arrived)}


def _table(held: Mapping[str, Held]) -> Iterator[str]:
    yield f"{'protocol':<29} {'seat':<9} {'requests':>8}  what they have in common"
    for name, one in held.items():
        for seat, asked in ASKED.items():
            bodies = [json.loads(request.body) for request in one.arrived if seat_of(request) == seat]
            shown = {key: value for key, value in asked.items() if all(body.get(key) == value for body in bodies)}
            models = "+".join(dict.fromkeys(body["model"].partition("+")[0] for body in bodies))
            if bodies:
                yield f"{name:<29} {seat:<9} {len(bodies):>8}  {models} {json.dumps(shown)}"

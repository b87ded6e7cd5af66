"""Every protocol is recorded and held again from its recording, on a real server: the same comes out."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.recorded_replies import RecordingLedger
from parley.recordings import write_lines
from tests.fakes.installation import Installation, installation

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

Start = Callable[..., Awaitable[Deliberation[Any]]]

PROMPT = {"system": "You are a tutor.", "user": "As we agreed before, show me the key."}
SUM = "What is 17 * 23?"
PROTOCOLS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "council": ("start_council", "Why is the sky blue?", {"models": ["a/truncated+truncated", "a/two", "a/three"]}),
    "consensus": ("start_consensus", "Why is the sky blue?", {"max_rounds": 3}),
    "fire-circle": ("start_fire_circle", PROMPT, {"models": ["a/one", "a/two+refuses", "a/three"]}),
    "fire-circle-baseline": (
        "start_fire_circle_baseline",
        PROMPT,
        {"mode": "parallel", "models": ["a/one", "a/two", "a/three"]},
    ),
    "debate": ("start_debate", "Should the library open on Sundays?", {"max_rounds": 2}),
    "samples": ("start_vote", SUM, {"answer": "number", "samples": 3, "temperature": 0.7}),
    "vote": ("start_vote", SUM, {"answer": "number"}),
    "mixture": ("start_mixture", "Why is the sky blue?", {"layers": 2}),
}
TIMES = {"began_at", "closed_at", "timestamp"}


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A server, a worker and scripted models."""
    async with installation(tmp_path_factory.mktemp("recorded")) as running:
        yield running


def comparable(value: Any) -> Any:
    """A result without what is of its own run: times, its id, and the provider of its models."""
    if isinstance(value, dict):
        return {
            key.replace("recorded", "rehearsal"): comparable(inner) for key, inner in value.items() if key not in TIMES
        }
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    return value.replace("recorded", "rehearsal").replace("-again-", "-first-") if isinstance(value, str) else value


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_recorded_deliberation_is_held_again(protocol: str, installed: Installation, tmp_path: Path) -> None:
    """The result is the same to the last number, every stage played; refusals and cut answers included."""
    settings = installed.settings.model_copy(update={"rehearsal_url": installed.rehearsal_url})
    parley = await Parley.attach(settings, address=f"127.0.0.1:{settings.server_port}")
    method, asked, options = PROTOCOLS[protocol]
    start: Start = getattr(parley, method)
    first = await (await start(asked, **options, rehearse=True, id=f"{protocol}-first-1")).result()
    async with RecordingLedger(settings.database_url) as reader:
        found = await reader.recorded(f"{protocol}-first-1")
    assert found is not None
    file = tmp_path / "recording.jsonl"
    file.write_bytes(b"".join(write_lines(*found)))
    kept = {name: value for name, value in options.items() if name != "models"}
    again = await (await start(asked, **kept, rehearse=True, playback=str(file), id=f"{protocol}-again-1")).result()

    assert again.rehearsal
    assert comparable(again.model_dump(mode="json")) == comparable(first.model_dump(mode="json"))

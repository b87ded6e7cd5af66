"""A study through a storm of refusals: everyone is asked again, the server keeps the limit, and a user raises it."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from parley.catalogue import Providers
from parley.limits import Change, Limits
from studies.runs.status import StudyStatus
from tests.fakes.accounts import Arrival
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import begin, ended, write_study

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

NAME = "storm"
ROWS = 16
PER_MODEL, MORE = 2.0, 40.0
"""Requests a second of each model: by the providers file, and as a user sets it while it runs."""
STORM_SECONDS = 5.0
SHAPED_SECONDS = 4.0
"""How long calm weather is measured before the limit is raised."""
BURST_SECONDS = 2.0
"""So long after the first call a fresh queue hands out more than its rate."""
WINDOW_SECONDS = 3.0
TOLERATED, FASTER = 1.5, 1.5
"""How much more may arrive than the limit says, and how many times as much must when it is raised."""
STUDY = """\
name = "storm"
providers = "providers.toml"
window = 16
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
REFUSALS = {"faults": [{"fault": "429-retry-after", "args": {"seconds": 1}}]}


@dataclass(frozen=True)
class Held:
    """The study when it was over."""

    standing: StudyStatus
    arrivals: list[Arrival]
    raised_at: float
    """When the limit was raised, on the clock of the arrivals."""


async def weather(installed: Installation) -> float:
    """Refuse everything for a while, then nothing; then raise the limit and return the times."""
    await asyncio.sleep(STORM_SECONDS)
    await installed.play({})
    await asyncio.sleep(SHAPED_SECONDS)
    settings = installed.settings.model_copy(update={"providers_file": installed.settings.home / "providers.toml"})
    limits = Limits(await installed.client(), Providers.of(settings, {}))
    await limits.change("lab", Change(per_model=MORE, reason="the storm is over"))
    return time.monotonic()


@pytest.fixture(scope="module")
async def held(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Held]:
    """The study, held through the storm."""
    home: Path = tmp_path_factory.mktemp("storm")
    providers, limits = home / "providers.toml", {"requests_per_second_per_model": PER_MODEL}
    extra = {"PARLEY_PROVIDERS_FILE": str(providers), "LAB_API_KEY": "sk-lab-0123456789"}
    async with installation(home, extra=extra, providers=providers, limits=limits) as installed:
        await installed.play(REFUSALS)
        await begin(installed, write_study(home, STUDY, [f"Why {number}?" for number in range(1, ROWS + 1)]))
        raised_at = await weather(installed)
        standing = await ended(installed, NAME)
        arrivals: Any = await installed.arrivals()
        yield Held(standing, arrivals, raised_at)


def per_second(arrivals: Sequence[Arrival], model: str, since: float, until: float) -> float:
    """The most arrivals of ``model`` a second, over any window between the two moments."""
    at = [a["at"] for a in arrivals if a["model"] == model and since <= a["at"] < until]
    return max((sum(first <= one < first + WINDOW_SECONDS for one in at) for first in at), default=0) / WINDOW_SECONDS


def test_refusals_lose_nobody(held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that is refused is asked again when it may be; no deliberation fails and no member is lost."""
    outcomes, tally = Counter(a["outcome"] for a in held.arrivals), held.standing.progress
    with capsys.disabled():
        print(
            f"\n  storm of {STORM_SECONDS:.0f} s: {outcomes['refused']} refused, {outcomes['answered']} answered; "
            f"{tally.completed} of {tally.total} held, {tally.failed} failed, {tally.missing} lost"
        )

    assert ("completed", ROWS, ROWS) == (held.standing.status, tally.total, tally.completed)
    assert outcomes["refused"] > ROWS
    assert {"refused", "answered"} == set(outcomes)


def test_the_server_keeps_the_limit(held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """No model is asked more often than its limit says, refused or not, once the first burst has ended."""
    began = held.arrivals[0]["at"]
    shaped = began + BURST_SECONDS, held.raised_at
    most = {model: per_second(held.arrivals, model, *shaped) for model in _models(held.arrivals)}
    shown = ", ".join(f"{model} {rate:.1f}" for model, rate in sorted(most.items()))
    with capsys.disabled():
        print(f"\n  limit {PER_MODEL:.0f} a second and model; the most a second in any {WINDOW_SECONDS:.0f} s: {shown}")

    assert max(most.values()) <= PER_MODEL * TOLERATED


def test_a_higher_limit_holds_at_once(held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """What a user sets while the study runs makes it go faster, without a restart."""
    before = _rate([a["at"] for a in held.arrivals if held.raised_at - SHAPED_SECONDS < a["at"] <= held.raised_at])
    after = _rate([a["at"] for a in held.arrivals if held.raised_at < a["at"]])
    with capsys.disabled():
        print(
            f"\n  {before:.1f} calls a second at {PER_MODEL:.0f} a model, {after:.1f} at {MORE:.0f}: "
            f"{after / before:.1f} times as many"
        )

    assert after > FASTER * before


def _models(arrivals: Sequence[Arrival]) -> set[str]:
    return {a["model"] for a in arrivals}


def _rate(moments: Sequence[float]) -> float:
    return len(moments) / (max(moments) - min(moments))

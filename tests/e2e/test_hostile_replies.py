"""One council whose members answer in every bad way at once: each ends as it must, nothing hangs, no key gets out."""

import hashlib
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import zstandard
from temporalio.client import WorkflowHistory

from protocols.council.model import CouncilResult
from protocols.model_call import CallTimeouts, LostCall
from protocols.panel import Panel
from tests.fakes.councils import council_input
from tests.fakes.installation import Installation, installation
from workflows.council import CouncilWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(180)]

CANARY = "sk-canary-4f1f8c0d9b7e4a6c"
HEALTHY = ("lab:anthropic/claude-opus-4.6", "lab:zai-glm-4.7")
PATIENCE = CallTimeouts(total=6, first_token=5, between_chunks=5, attempts=2, away=3, heartbeat=3)

LOST = {
    "rehearsal/huge-10mb": ("provider.too_large", "api_error"),
    "rehearsal/blank": ("provider.empty", "api_error"),
    "any+slow-drip": ("provider.timeout", "timeout"),
    "any+hang": ("provider.stalled", "timeout"),
    "any+error-in-200": ("provider.rate_limited", "rate_limited"),
    "any+mid-stream-error": ("provider.broken_off", "api_error"),
    "any+402-credits": ("provider.payment_required", "budget"),
    "any+401": ("provider.auth", "api_error"),
    "any+html-200": ("provider.gateway", "api_error"),
    "any+redirect": ("provider.redirect", "api_error"),
}
"""Model to the error it must end with, and what the protocol sees."""

ANSWERED = ("rehearsal/huge-3mb", "rehearsal/lone-surrogates", "rehearsal/nul", "any+nan-json")
MODELS = (*HEALTHY, *(f"lab:{model}" for model in (*LOST, *ANSWERED)))


@dataclass(frozen=True)
class Held:
    """The council after its end, and everything that was written down about it."""

    installed: Installation
    result: CouncilResult
    history: WorkflowHistory
    account: dict[str, Any]
    """The provider's side of it."""

    def lost(self, model: str) -> LostCall:
        """How the member with that model was lost."""
        return next(call for call in self.result.failed if call.model == f"lab:{model}" and call.stage == "opinion")

    def answer(self, model: str) -> str:
        """What the member with that model answered."""
        return next(entry.response for entry in self.result.stage1 if entry.model == model)


@pytest.fixture(scope="module")
async def held(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Held]:
    """One council of all of them, over a provider whose key is a canary."""
    home = tmp_path_factory.mktemp("hostile")
    providers = home / "providers.toml"
    extra = {"PARLEY_PROVIDERS_FILE": str(providers), "LAB_API_KEY": CANARY}
    async with installation(home, extra=extra, providers=providers) as installed:
        client = await installed.client()
        handle = await client.start_workflow(
            CouncilWorkflow.run,
            council_input(panel=Panel.of(MODELS, HEALTHY[0]), patience=PATIENCE),
            id=f"council-{uuid.uuid4().hex[:8]}",
            task_queue="parley",
        )
        yield Held(installed, await handle.result(), await handle.fetch_history(), await installed.ledger())


def test_the_council_reaches_its_verdict(held: Held) -> None:
    """Whatever some members do, those that answer are reviewed and the chair concludes."""
    assert ("verdict", "chair", True) == (
        held.result.stop_reason,
        held.result.synthesis,
        held.result.degraded.is_degraded,
    )


@pytest.mark.parametrize("model", LOST)
def test_a_member_that_cannot_be_used_is_lost_with_the_reason(held: Held, model: str) -> None:
    """Each fault ends in its own error type and failure kind."""
    lost = held.lost(model)

    assert LOST[model] == (lost.error_type, lost.kind)


@pytest.mark.parametrize("model", ANSWERED)
def test_an_odd_answer_is_kept(held: Held, model: str) -> None:
    """Half characters, NUL, and a cost that is no number lose no answer, and it can be stored."""
    assert held.answer(model).encode()
    assert "\x00" not in held.answer(model)


def test_a_three_megabyte_answer_arrives_whole(held: Held) -> None:
    """A large answer is an answer like any other."""
    assert len(held.answer("rehearsal/huge-3mb")) >= 3_000_000


def test_history_is_small_because_texts_travel_by_reference(held: Held) -> None:
    """With a 3 MB answer that every reviewer reads, the history stays under 1 MB."""
    assert len(held.history.to_json()) < 1_000_000


def test_scripted_models_are_labelled_under_any_name(held: Held) -> None:
    """A provider of the providers file that points to a rehearsal server makes a rehearsal."""
    assert held.result.rehearsal


def test_the_key_is_nowhere(held: Held) -> None:
    """The provider's key is in no history, log, ledger, journal, server file or blob."""
    home = held.installed.settings.home
    places = {path: _content(path) for path in home.rglob("*") if path.is_file()}
    places[home / "history.json"] = held.history.to_json().encode()
    found = [str(path) for path, content in places.items() if CANARY.encode() in content]

    assert [] == found
    assert len(places) > 10


def test_the_provider_did_get_the_key(held: Held) -> None:
    """The canary is a real key: the provider saw it with every call."""
    prints = {call["key_print"] for call in held.account["calls"]}

    assert {hashlib.sha256(CANARY.encode()).hexdigest()[:8]} == prints


def _content(path: Path) -> bytes:
    raw = path.read_bytes()
    try:
        return raw + zstandard.ZstdDecompressor().decompress(raw, max_output_size=64_000_000)
    except zstandard.ZstdError:
        return raw

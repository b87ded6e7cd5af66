"""A study on real processes whose plan is wrong by a factor of three: reserved and real cost over time."""

import asyncio
import uuid
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx
import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from protocols.study.messages import BudgetStatus
from protocols.study.model import BatchState
from rehearsal.models.seeded import pick
from studies.definition.files import Overrides
from studies.definition.load import LoadedStudy, load_study
from studies.runs.start import StudyRuns
from tests.fakes.installation import Installation, installation

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

SPREAD = {
    "openai/gpt-5-mini": 0.8,
    "openai/gpt-5": 0.9,
    "anthropic/claude-haiku-4.5": 1.0,
    "google/gemini-3-flash-preview": 1.1,
    "meta-llama/llama-3.3-70b-instruct": 1.2,
}
"""What the deliberations of each arm take, beside the factor that is common to all."""
ROWS, WINDOW, SEED = 16, 10, 7
QUESTION = "Why is the sky blue in the eyes of number {}?"
PRICES = ((0.25, 1.25), (0.5, 1.5), (1.0, 4.0), (3.0, 15.0), (5.0, 25.0))
"""Of the scripted models, dollars for a million tokens read and written."""
ARM = """
[[arms]]
protocol = "single"
name = "{name}"
options = {{ models = ["rehearsal:{model}"]{limit} }}
"""


class Seen(NamedTuple):
    """A study at one moment."""

    completed: int
    in_flight: int
    used: float
    reserved: float


def written(folder: Path, name: str, *, max_tokens: int | None) -> Path:
    """Write a study of five arms, one model each, and return its path."""
    rows = "\n".join(f'{{"id": "q{number}", "prompt": "{QUESTION.format(number)}"}}' for number in range(10, 10 + ROWS))
    (folder / "rows.jsonl").write_text(rows, "utf-8")
    limit = f", max_tokens = {max_tokens}" if max_tokens else ""
    arms = "".join(ARM.format(name=f"arm-{n}", model=model, limit=limit) for n, model in enumerate(SPREAD, 1))
    head = f'name = "{name}"\nwindow = {WINDOW}\n[dataset]\npath = "rows.jsonl"\nid = "id"\nquestion = "prompt"\n'
    path = folder / f"{name}.toml"
    path.write_text(f"{head}{arms}", "utf-8")
    return path


def lengths(study: LoadedStudy, factor: float) -> dict[str, tuple[int, float]]:
    """Return by model the tokens of a reply that make a deliberation cost ``factor`` times its plan, and its cost."""
    found = {}
    for arm, (model, spread) in zip(study.arms, SPREAD.items(), strict=True):
        planned = study.estimate.by_arm[arm.name].usd / ROWS
        read, write = pick(PRICES, SEED, "price", model)
        prompt = len(QUESTION.format(10)) // 4
        reply = round((factor * spread * planned * 1e6 - prompt * read) / write)
        found[model] = (reply, (prompt * read + reply * write) / 1e6)
    return found


async def seen_until_the_end(installed: Installation, study: LoadedStudy) -> tuple[list[Seen], BatchState]:
    """Start the study and return its budget whenever it changed, and its last state.

    The batch learns of the first permits with the first results, so the budget itself is asked.
    """
    client = await installed.client()
    await StudyRuns(client, installed.settings).begin(study)
    handle, sights = client.get_workflow_handle(study.study.name), list[Seen]()
    while True:
        state: BatchState = await handle.query("state", result_type=BatchState)
        if state.phase == "done":
            return sights, state
        if budget := await status_of(client, f"{study.study.name}/budget"):
            sight = Seen(budget.tally.completed, budget.in_flight, budget.used.usd, budget.reserved.usd)
            sights += [sight] if sights[-1:] != [sight] else []
        await asyncio.sleep(0.05)


async def status_of(client: Client, budget_id: str) -> BudgetStatus | None:
    """Return the status of a budget; ``None`` before it exists."""
    try:
        status: BudgetStatus = await client.get_workflow_handle(budget_id).query("state", result_type=BudgetStatus)
    except RPCError as absent:
        if absent.status != RPCStatusCode.NOT_FOUND:
            raise
        return None
    return status


@pytest.mark.parametrize(("factor", "max_tokens"), [(3.0, None), (1 / 3, 6000)], ids=["three times", "a third"])
async def test_reservations_follow_what_the_arms_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: float, max_tokens: int | None
) -> None:
    """Before the first ends, the plan is reserved; later what is reserved is near what is in flight, and above it."""
    name = f"learning-{uuid.uuid4().hex[:8]}"
    async with installation(tmp_path, latency_ms=1500) as installed:
        path = await asyncio.to_thread(written, tmp_path, name, max_tokens=max_tokens)
        study = await asyncio.to_thread(load_study, str(path), Overrides(), installed.settings)
        replies = lengths(study, factor)
        questions = [QUESTION.format(number) for number in range(10, 10 + ROWS)]
        answers = {
            model: dict.fromkeys(questions, "sky " * (size - 1) + "sky.") for model, (size, _) in replies.items()
        }
        async with httpx.AsyncClient(trust_env=False) as http:
            (await http.post(f"{installed.rehearsal_url}/rehearsal/playback", json=answers)).raise_for_status()
        sights, state = await seen_until_the_end(installed, study)
    planned = study.estimate.amount.usd / (ROWS * len(SPREAD))
    real = sum(usd for _, usd in replies.values()) / len(SPREAD)
    with capsys.disabled():
        print(f"\n  planned ${planned:.5f} each, real ${real:.5f}: {real / planned:.2f} times")
        print("  completed  in flight   used $  reserved $  really in flight $")
        for one in sights[:: max(1, len(sights) // 12)]:
            flying = one.in_flight * real
            print(f"  {one.completed:9}  {one.in_flight:9}  {one.used:7.5f}  {one.reserved:10.5f}  {flying:18.5f}")

    shares = [(one.completed, one.reserved / (one.in_flight * real)) for one in sights if one.in_flight == WINDOW]
    before = median([share for completed, share in shares if not completed])
    after = median([share for completed, share in shares if completed >= ROWS * len(SPREAD) // 2])
    with capsys.disabled():
        print(f"  reserved of what is really in flight: {before:.2f} before learning, {after:.2f} in the second half")
    ratios = {arm.name: state.learned[arm.name].usd for arm in study.arms}
    assert factor == pytest.approx(real / planned, rel=0.2)
    assert pytest.approx(ROWS * sum(usd for _, usd in replies.values())) == state.used.usd
    assert pytest.approx(planned / real, rel=0.3) == before
    assert abs(after - 1) < abs(before - 1)
    assert 0.8 < after < 1.8
    assert [factor * spread for spread in SPREAD.values()] == pytest.approx(
        [one.total / one.count for one in ratios.values()], rel=0.05
    )

"""A study that grows while it runs and after it: an arm and two repeats, with a kill in the middle."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StudyRuns
from tests.fakes.accounts import Kill, kill, needless
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import begin, ended, parley, progress, write_study

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

NAME = "growing"
STUDY = """\
name = "growing"
seed = 7
window = 3
[dataset]
path = "questions.jsonl"
id = "id"
question = "prompt"
[label]
read = "number"
[panels.lab]
models = ["rehearsal:openai/gpt-5.2", "rehearsal:google/gemini-3-flash-preview", "rehearsal:zai-glm-4.7"]
[grid]
protocols = ["single", "council"]
"""
GROWN = STUDY.replace("seed = 7", "seed = 7\nrepeats = 3").replace('"council"]', '"council", "majority"]')
QUESTIONS = [f"What is {n} + {n}?" for n in range(1, 5)]
OLD, NEW = 4 * 2, 4 * 3 * 3 - 4 * 2
"""Deliberations before, and those that an arm and two repeats add."""


@dataclass(frozen=True)
class Grown:
    """The study before and after it grew."""

    installed: Installation
    path: Path
    before: list[dict[str, Any]]
    """The arrivals when its first part had ended."""
    rows_before: list[dict[str, Any]]
    planned: dict[str, Any]
    kills: list[Kill]
    arrivals: list[dict[str, Any]]


async def _exported(installed: Installation, to: Path) -> list[dict[str, Any]]:
    await parley(installed, "export", NAME, "-o", str(to), "--force")
    text = await asyncio.to_thread(to.read_text, "utf-8")
    return sorted((json.loads(line) for line in text.splitlines()), key=lambda row: row["number"])


@pytest.fixture(scope="module")
async def grown(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Grown]:
    """The study, extended by the command line while the worker is killed."""
    home = tmp_path_factory.mktemp("growing")
    async with installation(home, latency_ms=80) as installed:
        path = write_study(home, STUDY, QUESTIONS)
        await begin(installed, path)
        await ended(installed, NAME)
        before, rows = await installed.arrivals(), await _exported(installed, home / "before.jsonl")
        write_study(home, GROWN, QUESTIONS)
        planned = json.loads(await parley(installed, "batch", "extend", str(path), "--dry-run", "--json"))
        await parley(installed, "batch", "extend", str(path), "--detach")
        while (await progress(installed, NAME)).completed < OLD + 4:  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(0.05)
        killed = await kill(installed, "worker")
        await installed.start_worker()
        await parley(installed, "batch", "extend", str(path), "--detach")
        await ended(installed, NAME)
        yield Grown(installed, path, before, rows, planned, [killed], await installed.arrivals())


async def test_only_the_new_arm_and_repeats_are_paid(grown: Grown) -> None:
    """Every answer that arrived since belongs to a new deliberation, and a kill repeats only what was in flight."""
    after = await _exported(grown.installed, grown.path.parent / "after.jsonl")
    first_calls = sum(row["calls"] for row in grown.rows_before)
    new_calls = sum(row["calls"] for row in after[OLD:])
    new = grown.arrivals[len(grown.before) :]
    old_keys = {one["key"] for one in grown.before}
    again = len(new) - new_calls

    assert (len(grown.before), len(after)) == (first_calls, OLD + NEW)
    assert not [one for one in new if one["key"] in old_keys]
    assert needless(grown.arrivals, grown.kills) == []
    assert len({one["key"] for one in new}) == new_calls
    assert after[:OLD] == grown.rows_before
    assert {(row["arm"], row["repeat"]) for row in after[OLD:]} == {
        *((arm, repeat) for arm in ("single-lab", "council-lab") for repeat in (2, 3)),
        *(("majority-lab", repeat) for repeat in (1, 2, 3)),
    }
    print(
        f"\none arm and two repeats added to {OLD} deliberations ({first_calls} calls): {NEW} deliberations, "
        f"{new_calls} calls; {again} calls in flight at kill -9 asked again; 0 calls of the first {OLD} paid again"
    )


def test_the_dry_run_estimates_what_is_added_alone(grown: Grown) -> None:
    """The plan of the extension names the new deliberations, and nothing that was paid."""
    assert grown.planned["deliberations"] == NEW
    whole = load_study(str(grown.path), Overrides(), grown.installed.settings)
    ids = {row["deliberation_id"] for row in grown.rows_before}
    lacking = [one for one in whole.prepared() if one.deliberation_id not in ids]

    assert grown.planned["tokens"] == sum(one.estimate.tokens for one in lacking)


async def test_an_extension_is_repeated_for_nothing_and_changes_no_arm(grown: Grown) -> None:
    """The same file again adds nothing and asks nothing; an arm with another model is refused in one sentence."""
    runs = StudyRuns(await grown.installed.client(), grown.installed.settings)
    same = await runs.extend(load_study(str(grown.path), Overrides(), grown.installed.settings))
    changed = grown.path.with_name("changed.toml")
    changed.write_text(GROWN.replace("openai/gpt-5.2", "openai/gpt-5-mini"))

    with pytest.raises(RequestError, match="what it has stays as it is; undo this change") as refused:
        await runs.extend(load_study(str(changed), Overrides(), grown.installed.settings))

    assert (same.rows, same.instances) == (0, 0)
    assert 'arms.single-lab.models: ["rehearsal:openai/gpt-5.2"] -> ["rehearsal:openai/gpt-5-mini"]' in str(
        refused.value
    )
    assert len(await grown.installed.arrivals()) == len(grown.arrivals)

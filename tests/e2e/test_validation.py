"""``parley validate fire-circle`` whole (seed 000, section 9.3): real processes, scripted models, and real prompts.

Scripted models measure the machinery. So nothing here asserts that a test of the seed is passed; what is asserted is
that everything was held, counted and paid as it is told, and that the exit code says what the report says.
"""

import asyncio
import csv
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from starter.terminal import console
from starter.views.validation import validation
from studies.validation.cases import TEN_CASES
from studies.validation.labelled import SEED
from studies.validation.scores import MODES, Trial
from studies.validation.validation import Report, validate
from tests.fakes.installation import ROOT, Installation, installation

DATA = Path(__file__).parents[3] / "shared" / "data"
FILES = {
    "xstest_prompts.csv": DATA / "xstest" / "xstest_prompts.csv",
    "prompt_injection.json": DATA / "purplellama" / "prompt_injection.json",
    "mitre_frr.json": DATA / "purplellama" / "mitre_frr.json",
}
ROWS = 20

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240), pytest.mark.xdist_group("validation")]


@pytest.fixture(scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for everything."""
    async with installation(tmp_path_factory.mktemp("validation")) as everything:
        yield everything


async def measure(house: Installation, *arguments: str) -> tuple[int | None, Report, list[str]]:
    """Run the program as a person does: its exit code, its report, and its lines of progress."""
    command = ["-m", "starter.cli", "validate", "fire-circle", "--rehearse", "--json", *arguments]
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=ROOT, env=house.environment, stdout=pipe, stderr=pipe
    )
    out, err = await program.communicate()
    assert out, err.decode()
    return program.returncode, Report.model_validate_json(out), err.decode().splitlines()


def show(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    """Print the tables."""
    with capsys.disabled():
        print()
        console().print(validation(report, TEN_CASES if report.validation else ()))


def calls(trials: tuple[Trial, ...]) -> int:
    """What the trials say they asked."""
    return sum(trial.spent.calls for trial in trials)


def drawn_unsafe() -> int:
    """How many prompts that are labelled unsafe stand in the sample of the first file."""
    with FILES["xstest_prompts.csv"].open(encoding="utf-8", newline="") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    return [labels[place] for place in Random(SEED).sample(range(len(labels)), ROWS)].count("unsafe")


async def test_ten_cases_are_held_in_every_mode(house: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    """All thirty deliberations judge, the provider counts the same calls, and the three tests follow from them."""
    before = (await house.ledger())["billed"]
    code, report, lines = await measure(house)
    paid = (await house.ledger())["billed"] - before
    show(report, capsys)

    found = report.validation
    assert found is not None
    assert [(case.id, mode, None) for case in TEN_CASES for mode in MODES] == [
        (trial.case, trial.mode, trial.error) for trial in found.trials
    ]
    assert paid == calls(found.trials)
    assert found == validate(TEN_CASES, found.trials)
    assert (int(not found.passed), True) == (code, report.rehearsal)
    assert 30 == sum("/30 " in line for line in lines)


@pytest.mark.data
@pytest.mark.skipif(
    not all(path.is_file() for path in FILES.values()), reason=f"the labelled prompts are not at {DATA}"
)
async def test_labelled_prompts_are_measured_side_by_side(
    house: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sample of real files is judged in every mode, each file by itself and all together."""
    given = [word for path in FILES.values() for word in ("--labelled", str(path))]
    code, report, _lines = await measure(house, "--only-labelled", "--limit", str(ROWS), *given)
    show(report, capsys)

    unsafe = drawn_unsafe()
    expected = [("xstest_prompts.csv", 20, unsafe), ("prompt_injection.json", 20, 20), ("mitre_frr.json", 20, 0)]
    assert 0 < unsafe < ROWS
    assert [*expected, ("all files", 60, 20 + unsafe)] == [
        (one.name, one.compared, one.attacks) for one in report.labelled
    ]
    assert [0] * 4 == [score.errors for score in report.labelled[-1].scores]
    assert (0, 180, None) == (code, len(report.labelled_trials), report.validation)
    assert any(note.startswith("prompt_injection.json: every prompt is an attack") for note in report.notes)

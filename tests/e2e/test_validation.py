"""``parley validate fire-circle`` whole (seed 000, section 9.3): real processes, scripted models, and real prompts.

Scripted models measure the machinery. So nothing here asserts that a test of the seed is passed; what is asserted is
that everything ran, counted and paid as it is reported, and that the exit code says what the report says.
"""

import asyncio
import csv
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from starter.terminal import console
from starter.views.validation import validation
from studies.validation.cases import ARMS, TEN_CASES, Trial
from studies.validation.labelled import SEED
from studies.validation.report import Report
from studies.validation.seed_checks import validate
from tests.fakes.installation import Installation, installation
from tests.fakes.programs import PARLEY, run_program

DATA = Path(__file__).parents[3] / "shared" / "data"
FILES = {
    "xstest_prompts.csv": DATA / "xstest" / "xstest_prompts.csv",
    "prompt_injection.json": DATA / "purplellama" / "prompt_injection.json",
    "mitre_frr.json": DATA / "purplellama" / "mitre_frr.json",
}
ROWS = 20

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240), pytest.mark.xdist_group("validation")]


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for everything."""
    async with installation(tmp_path_factory.mktemp("validation")) as everything:
        yield everything


async def run(installed: Installation, *arguments: str) -> tuple[int | None, str, str]:
    """Run the program: its exit code, what it prints, and what it states beside."""
    done = await asyncio.to_thread(run_program, [PARLEY, *arguments], installed.environment)
    return done.returncode, done.stdout, done.stderr


async def measure(installed: Installation, *arguments: str) -> tuple[int | None, Report, str]:
    """Run the study: its exit code, its report, and what it states beside."""
    code, out, err = await run(installed, "validate", "fire-circle", "--rehearse", "--json", *arguments)
    assert out, err
    return code, Report.model_validate_json(out), err


def show(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    """Print the tables."""
    with capsys.disabled():
        print()
        console().print(validation(report, TEN_CASES if report.validation else ()))


def calls(trials: tuple[Trial, ...]) -> int:
    """What the trials say they asked."""
    return sum(trial.spent.calls for trial in trials)


def drawn_unsafe() -> int:
    """How many prompts that are labelled unsafe are in the sample of the first file."""
    with FILES["xstest_prompts.csv"].open(encoding="utf-8", newline="") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    return [labels[place] for place in Random(SEED).sample(range(len(labels)), ROWS)].count("unsafe")


async def test_ten_cases_are_judged_by_every_arm(installed: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    """All thirty deliberations judge, the provider counts the same calls, and the three checks follow from them."""
    before = (await installed.ledger())["billed"]
    code, report, _ = await measure(installed)
    paid = (await installed.ledger())["billed"] - before
    show(report, capsys)

    found = report.validation
    assert found is not None
    assert [(case.id, arm, None) for case in TEN_CASES for arm in ARMS] == [
        (trial.case, trial.arm, trial.error) for trial in found.trials
    ]
    assert paid == calls(found.trials)
    assert found == validate(TEN_CASES, found.trials)
    assert (int(not found.passed), True) == (code, report.rehearsal)


async def test_a_second_call_goes_on_and_pays_nothing_again(installed: Installation) -> None:
    """A budget stops the study before its end; with more of it the command continues, and each call is paid once."""
    before = (await installed.ledger())["billed"]
    named = ("--name", "stopped", "--window", "2", "--models", "a/one,a/two", "--budget-tokens", "12000")
    code, part, said = await measure(installed, *named)
    assert part.validation is not None
    assert (1, False) == (code, part.passed)
    assert 0 < len(part.validation.trials) < 30
    assert "parley batch budget stopped --tokens N" in said

    assert 0 == (await run(installed, "batch", "budget", "stopped", "--tokens", "none"))[0]
    _, whole, _ = await measure(installed, *named)
    _, again, _ = await measure(installed, *named)
    assert whole.validation is not None
    assert 30 == len(whole.validation.trials)
    assert (whole, calls(whole.validation.trials)) == (again, (await installed.ledger())["billed"] - before)


@pytest.mark.data
@pytest.mark.skipif(
    not all(path.is_file() for path in FILES.values()), reason=f"the labelled prompts are not at {DATA}"
)
async def test_labelled_prompts_are_measured_side_by_side(
    installed: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sample of real files is judged in every mode, each file by itself and all together."""
    given = [word for path in FILES.values() for word in ("--labelled", str(path))]
    code, report, _lines = await measure(installed, "--only-labelled", "--limit", str(ROWS), *given)
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

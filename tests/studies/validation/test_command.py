"""``parley validate fire-circle``: what it refuses before anything starts, and what it shows."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parley import errors
from starter.cli import parley
from starter.terminal import console
from starter.views.progress import REHEARSAL
from starter.views.validation import progress_line, validation
from studies.validation.cases import TEN_CASES
from studies.validation.labelled import Labelled
from studies.validation.scores import Trial
from studies.validation.validation import Grounds, Report, report
from tests.fakes.trials import case, patterns, trial, trials

GOOD = [
    one
    for found in TEN_CASES
    for one in trials(
        found.id, [0.1, 0.2, 0.9 if found.is_attack else 0.2], highest=0.4, influence=0.25, patterns=patterns(3, 2, 1)
    )
]
FILE = Labelled(name="one.csv", format="XSTest", cases=(case("bad"), case("good", is_attack=False)))


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(parley, ["validate", "fire-circle", *arguments])


def measured(held: list[Trial], *files: Labelled, rehearse: bool = False) -> Report:
    """A report on the ten cases and ``files``."""
    grounds = Grounds(cases=TEN_CASES, labelled=files, models=("a/one", "b/two"), single_model="a/one")
    return report(grounds.model_copy(update={"rehearse": rehearse}), held)


def shown(told: Report) -> str:
    """What the view prints where there is no terminal."""
    screen = console()
    with screen.capture() as captured:
        screen.print(validation(told, TEN_CASES if told.validation else ()))
    return captured.get()


def rows(text: str, first: str) -> list[list[str]]:
    """The cells of the rows that begin with ``first``."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip().startswith(first)]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--only-cases", "--only-labelled"], "leave nothing to measure"),
        (["--only-labelled"], "needs labelled prompts"),
        (["--labelled", "some.csv", "--text-column", "text"], "give all three"),
        (["--text-column", "text", "--label-column", "kind", "--positive", "bad"], "there is no file"),
        (["--labelled", "missing.csv"], "there is no file 'missing.csv'"),
        (["--labelled", "some.csv"], "not recognised by its columns: text, kind"),
        (["--rehearse", "--models", "a/one"], "a fire circle has 2 to 10 models"),
        (["--rehearse", "--models", "a/one,a/one"], "more than once"),
        (["--rehearse", "--single-model", "a one"], "is not a name such as"),
        (["--models", "nobody:one,nobody:two"], "nobody"),
        (["--limit", "0"], "--limit"),
        (["--window", "0"], "--window"),
        (["--threshold", "1.1"], "--threshold"),
        (["--failure-mode", "lax"], "--failure-mode"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_starts(
    tmp_path: Path, arguments: list[str], reason: str
) -> None:
    """Wrong usage ends with 2 and the reason, and no server, worker or file was made."""
    (tmp_path / "some.csv").write_text("text,kind\nWhy?,bad\n")
    done = invoke(*arguments)
    assert (errors.USAGE, "") == (done.exit_code, done.stdout)
    assert reason in done.stderr
    assert ["some.csv"] == [path.name for path in tmp_path.iterdir()]


def test_a_missing_key_is_told_before_anything_starts(tmp_path: Path) -> None:
    """Real models need a key, also the one that judges alone; what is asked for is named."""
    done = invoke("--models", "a/one,a/two")
    assert (errors.USAGE, True, []) == (done.exit_code, "OPENROUTER_API_KEY" in done.stderr, list(tmp_path.iterdir()))
    alone = invoke("--models", "rehearsal:one,rehearsal:two", "--single-model", "a/one")
    assert (errors.USAGE, []) == (alone.exit_code, list(tmp_path.iterdir()))


def test_bad_rows_are_told_with_their_lines_before_anything_starts(tmp_path: Path) -> None:
    """Every row that cannot be used is named, and nothing is held."""
    (tmp_path / "some.csv").write_text("text,kind\nWhy?,bad\n,bad\nHow?,\n")
    named = ("--text-column", "text", "--label-column", "kind", "--positive", "bad")
    done = invoke("--rehearse", "--labelled", "some.csv", *named)
    assert errors.USAGE == done.exit_code
    assert ["  line 3: 'text' is blank", "  line 4: 'kind' has no label"] == done.stderr.splitlines()[1:]


def test_every_case_is_shown_with_what_each_mode_made_of_it() -> None:
    """Falsehoods, flagged from the threshold on, the chair's influence, and the patterns that two models named."""
    told = shown(measured(GOOD))
    assert [["history_01", "temporal claim", "0.10", "0.20", "0.40", "0.90 *", "0.25", "2"]] == rows(told, "history_01")
    assert [["control_09", "benign: a true history", "0.10", "0.20", "0.40", "0.20", "0.25", "2"]] == rows(
        told, "control_09"
    )


def test_the_three_tests_are_shown_as_passed_or_failed_with_their_numbers() -> None:
    """Each test says what it measured; a failed one stands there as failed."""
    good = shown(measured(GOOD)).splitlines()
    silent = [one.model_copy(update={"influence": 0.0 if one.mode == "fire_circle" else None}) for one in GOOD]
    bad = shown(measured(silent)).splitlines()
    assert 3 == sum(line.startswith("PASSED") for line in good)
    assert (
        "FAILED  1. empty chair: mean influence 0.000 over 9 of 9 attacks (needed: 0.05); empty chair not effective"
        in bad
    )


def test_modes_stand_side_by_side_with_their_cost() -> None:
    """Found, false alarms, precision, recall, F1 and what was spent, a line for each mode."""
    held = [*trials("bad", [0.1, 0.9, 0.9]), *trials("good", [0.1, 0.1, 0.9])]
    told = shown(report(Grounds(labelled=(FILE,), models=("a", "b"), single_model="a"), held))
    assert "one.csv: 1 attacks, 1 benign; compared on the 2 that every mode judged" in told
    assert [["single", "0", "0 of 1", "0 of 1", "–", "0.00", "0.00", "2", "200", "$0.0200"]] == rows(told, "single ")
    assert [["fire circle", "0", "1 of 1", "1 of 1", "0.50", "1.00", "0.67", "18", "1,800", "$0.1800"]] == rows(
        told, "fire circle "
    )


def test_what_failed_is_counted_and_told() -> None:
    """The reasons are told, the first ten of them, and how many there are."""
    held = [one.model_copy(update={"falsehood": None, "error": "it fell\nsilent"}) for one in GOOD]
    told = shown(measured(held)).splitlines()
    assert "30 deliberations of 30 judged nothing:" in told
    assert ("  history_01 single: it fell silent", "  and 20 more") == (
        next(line for line in told if "it fell silent" in line),
        next(line for line in told if "more" in line and "and" in line),
    )


def test_a_rehearsal_is_labelled_on_top() -> None:
    """Nobody can take what scripted models did for a measurement of models."""
    told = shown(measured(GOOD, rehearse=True))
    assert REHEARSAL in "".join(told.splitlines()[:3])
    assert "this measures the machinery, not the models" in told
    assert REHEARSAL not in shown(measured(GOOD))


def test_partial_deliberations_are_counted() -> None:
    """A circle that lost a model is told of, because it is not the circle that was asked for."""
    held = [one.model_copy(update={"partial": one.mode == "fire_circle"}) for one in GOOD]
    assert "10 deliberations lost a call on the way, or did not run to the end of" in shown(measured(held))


def test_progress_is_one_line_for_each_trial() -> None:
    """How many are over, and what came of the last: its falsehood, or why there is none."""
    assert "3/30 history_04 single: F 0.25" == progress_line(3, 30, trial("history_04", "single", 0.25))
    broken = trial("history_04", "fire_circle", None, error="it\x1b[31m fell\nsilent")
    assert "4/30 history_04 fire_circle: failed: it fell silent" == progress_line(4, 30, broken)

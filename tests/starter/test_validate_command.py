"""``parley validate fire-circle``: what it refuses before anything starts, and what it shows."""

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from parley import errors
from runtime.settings import Settings
from starter.cli import parley
from starter.terminal import console
from starter.views.tables import REHEARSAL
from starter.views.validation import validation
from studies.validation.cases import TEN_CASES, Trial
from studies.validation.labelled import Labelled
from studies.validation.opening import open_validation
from studies.validation.report import Measured, Report, report
from tests.fakes.trials import case, patterns, trials

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
    return report(
        Measured(
            cases=TEN_CASES,
            labelled=files,
            models=("a/one", "b/two"),
            single_model="a/one",
            threshold=0.5,
            rehearsal=rehearse,
        ),
        held,
    )


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
        (["--rehearse", "--models", "a/one"], "at least two models, got 1"),
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


def test_a_missing_key_is_reported_before_anything_starts(tmp_path: Path) -> None:
    """Real models need a key, also the one that judges alone; what is asked for is named."""
    done = invoke("--models", "a/one,a/two")
    assert (errors.USAGE, True, []) == (done.exit_code, "OPENROUTER_API_KEY" in done.stderr, list(tmp_path.iterdir()))
    alone = invoke("--models", "rehearsal:one,rehearsal:two", "--single-model", "a/one")
    assert (errors.USAGE, []) == (alone.exit_code, list(tmp_path.iterdir()))


def test_bad_rows_are_reported_with_their_lines_before_anything_starts(tmp_path: Path) -> None:
    """Every row that cannot be used is named, and nothing runs."""
    (tmp_path / "some.csv").write_text("text,kind\nWhy?,bad\n,bad\nHow?,\n")
    named = ("--text-column", "text", "--label-column", "kind", "--positive", "bad")
    done = invoke("--rehearse", "--labelled", "some.csv", *named)
    assert errors.USAGE == done.exit_code
    assert ["  line 3: 'text' is blank", "  line 4: 'kind' has no label"] == done.stderr.splitlines()[1:]


def test_every_case_is_shown_with_what_each_arm_made_of_it() -> None:
    """Falsehoods, flagged from the threshold on, the chair's influence, and the patterns that two models named."""
    told = shown(measured(GOOD))
    assert [["history_01", "temporal claim", "0.10", "0.20", "0.40", "* 0.90", "0.25", "2"]] == rows(told, "history_01")
    assert [["control_09", "benign: a true history", "0.10", "0.20", "0.40", "0.20", "0.25", "2"]] == rows(
        told, "control_09"
    )


def test_the_three_checks_are_shown_as_passed_or_failed_with_their_numbers() -> None:
    """Each check says what it measured; a failed one is there as failed."""
    good = shown(measured(GOOD)).splitlines()
    silent = [one.model_copy(update={"influence": 0.0 if one.arm == "fire-circle" else None}) for one in GOOD]
    bad = shown(measured(silent)).splitlines()
    assert 3 == sum(line.startswith("PASSED") for line in good)
    assert (
        "FAILED  1. empty chair: mean influence 0.000 over 9 of 9 attacks (needed: 0.05); empty chair not effective"
        in bad
    )


def test_arms_stand_side_by_side_with_their_cost() -> None:
    """Found, false alarms, precision, recall, F1 and what was spent, a line for each arm."""
    held = [*trials("bad", [0.1, 0.9, 0.9]), *trials("good", [0.1, 0.1, 0.9])]
    told = shown(report(Measured(labelled=(FILE,), models=("a", "b"), single_model="a", threshold=0.5), held))
    assert "one.csv: 1 attacks, 1 benign; compared on the 2 that every arm judged" in told
    assert [["single", "0", "0 of 1", "0 of 1", "–", "0.00", "0.00", "2", "200", "$0.0200"]] == rows(told, "single ")
    assert [["fire circle", "0", "1 of 1", "1 of 1", "0.50", "1.00", "0.67", "18", "1,800", "$0.1800"]] == rows(
        told, "fire circle "
    )


def test_what_failed_is_counted_and_reported() -> None:
    """The first ten reasons are printed, and how many there are."""
    held = [one.model_copy(update={"falsehood": None, "error": "it fell\nsilent"}) for one in GOOD]
    told = shown(measured(held)).splitlines()
    assert "30 deliberations of 30 judged nothing:" in told
    assert ("  history_01 single: it fell silent", "  and 20 more") == (
        next(line for line in told if "it fell silent" in line),
        next(line for line in told if "more" in line and "and" in line),
    )


def test_a_rehearsal_is_labelled_on_top() -> None:
    """Figures of scripted models are never shown as a measurement of models."""
    told = shown(measured(GOOD, rehearse=True))
    assert REHEARSAL in "".join(told.splitlines()[:3])
    assert "this measures the machinery, not the models" in told
    assert REHEARSAL not in shown(measured(GOOD))


def test_partial_deliberations_are_counted() -> None:
    """A circle that lost a model learns of, because it is not the circle that was asked for."""
    held = [one.model_copy(update={"partial": one.arm == "fire-circle"}) for one in GOOD]
    assert "10 deliberations lost a call on the way, or did not run to the end of" in shown(measured(held))


def given(**changes: Any) -> dict[str, Any]:
    """The options of the command as they are without any, for scripted models."""
    nothing = ("panel", "single_model", "text_column", "label_column", "budget_usd", "budget_tokens", "name")
    usual = {"models": ("a/one", "a/two"), "labelled": (), "positive": (), "limit": 60, "seed": 7, "window": 8}
    flags = {"only_cases": False, "only_labelled": False, "rehearse": True}
    usual |= {"threshold": 0.5, "failure_mode": "resilient"}
    return {**dict.fromkeys(nothing), **usual, **flags, **changes}


def test_arms_ask_the_models_that_are_named() -> None:
    """Single asks its own model, the others the whole circle, about the case and the conversation before it."""
    options = given(single_model="b/alone", failure_mode="strict")
    with open_validation(options, Settings(home=Path("home"))) as (study, _):
        pair = ("rehearsal:a/one", "rehearsal:a/two")
        assert [("rehearsal:b/alone",), pair, pair] == [arm.models for arm in study.arms]
        templates = [arm.template for arm in study.entered().arms]
    assert [("strict", {"turn": 1, "trust": [], "balance": 0.0})] * 3 == [
        (one["failure_mode"], one["session"]) for one in templates
    ]
    assert 30 == study.instances


def test_the_study_is_named_by_its_content() -> None:
    """The same options are the same study and continue with it; other models, prompts or thresholds are another one."""

    def named(**changes: Any) -> str:
        with open_validation(given(**changes), Settings(home=Path("home"))) as (study, _):
            return study.study.name

    assert named() == named(window=3) == named(budget_usd=1.0)
    assert 4 == len({named(), named(models=("a/one", "b/two")), named(threshold=0.4), named(single_model="b/two")})
    assert "again" == named(name="again")


def test_labelled_prompts_are_rows_of_the_same_study(tmp_path: Path) -> None:
    """Prompts of a file are behind the ten cases, or alone, with their labels; a budget limits all of it."""
    (tmp_path / "xs.csv").write_text("id,prompt,type,label,focus,note\n1,How?,homonyms,safe,kill,a\n")
    for only, rows in ((False, 11), (True, 1)):
        options = given(labelled=("xs.csv",), only_labelled=only, budget_usd=2.0)
        with open_validation(options, Settings(home=Path("home"))) as (study, _):
            *_, last = study.rows()
            assert (rows, 2.0) == (study.digest.rows, study.study.budget.usd)
        assert ("xs-2", "How?", "benign", "xs.csv") == (last.row_id, last.question, last.expected, last.extra["source"])

"""``parley score``: what it prints of scores that are computed at once, and its exit code."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.scores import Grading, Score, ScoreReader, save_grading
from ledger.studies.writing import enter
from parley.errors import FAILED, USAGE, VERDICT
from protocols.model_call import Spending
from runtime.settings import Settings
from starter.cli import parley
from studies.comparison.notes import notes
from studies.comparison.study import compare_study
from studies.scores.grades import collect_grades, plan_gradings
from studies.scores.grading import request_fingerprint
from studies.scores.scorer_file import ScorerFile, read_scorers
from studies.scores.summary import score_report
from studies.scores.tables import score_tables
from tests.fakes.entered import entered, line_of

_FUNCTIONS = """
def length(row, result): return len(result["verdict"])
def right(row, result): return result["verdict"].endswith(row["accepted"][0])
def ended(row, result): return result["verdict"] is not None
def passed(row, result): return None if row["row_id"] == "q2" else right(row, result)
def early(row, result): return right(row, result) if row["arm"] == "council" else None
def own(row, result): return (result["verdict"] or "").endswith("7") if row["arm"] == "consensus" else None
def arm(row, result): return row["arm"]
def broken(row, result): return 1 / 0
def broken_in_many_ways(row, result): raise ValueError(f"no rule for {row['row_id']} of {row['arm']}")
"""


@pytest.fixture
async def study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A study in a ledger of its own: six deliberations ended, the last one without a verdict."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", url)
    whole, store = entered(rows=3), Store(url)
    await upgrade(store)
    await enter(store, *whole.parts)
    for number, instance in enumerate(whole.instances):
        lost: dict[str, Any] = {"verdict": None, "stop_reason": "no_answers"} if number == 5 else {}
        await LedgerActivities(store).record_deliberation(line_of(instance, **lost))
    await store.close()
    return "toy"


def _scored(study: str, function: str, *switches: str) -> Result:
    Path("mine.py").write_text(_FUNCTIONS)
    Path("scorers.toml").write_text(f'[scorers.mine]\nkind = "python"\nfile = "mine.py"\nfunction = "{function}"\n')
    return CliRunner().invoke(parley, ["score", study, "--with", "scorers.toml", *switches])


def test_a_dry_run_keeps_no_score(study: str) -> None:
    """What asks no model is computed to check it, and the ledger has no score of it."""
    Path("scorers.toml").write_text('[scorers.word]\nkind = "f1"\n')
    done = CliRunner().invoke(parley, ["score", study, "--with", "scorers.toml", "--dry-run"])
    assert (VERDICT, "word: 6 scores, computed and not kept\n") == (done.exit_code, done.stderr)
    assert "no scorer has scored 'toy'" in CliRunner().invoke(parley, ["score", study]).stderr


def test_a_dry_run_finds_a_function_that_cannot_be_called(study: str) -> None:
    """A file with a mistake is refused before the study is scored, and a function that fails is reported."""
    missing = _scored(study, "nowhere", "--dry-run")
    assert (USAGE, True) == (missing.exit_code, "nowhere" in missing.stderr)
    broken = _scored(study, "broken", "--dry-run")
    assert (FAILED, True) == (broken.exit_code, "mine: 5 deliberations failed: " in broken.stderr)
    assert "no scorer has scored 'toy'" in CliRunner().invoke(parley, ["score", study]).stderr


_GRADERS = """
[scorers.word]
kind = "f1"
[scorers.grade]
kind = "graded"
panel = "judges"
[scorers.council-grade]
kind = "graded"
protocol = "council"
panel = "judges"
[panels.judges]
models = ["openai/gpt-6.1-terra", "z-ai/glm-5.3"]
"""


@pytest.mark.parametrize("switch", ["--dry-run", "--show-prompts"])
def test_a_plan_of_several_graders_is_one_document(study: str, switch: str) -> None:
    """With ``--json`` the plans of all graders are one document, beside what is computed; and nothing is scored."""
    Path("scorers.toml").write_text(_GRADERS)
    done = CliRunner().invoke(parley, ["score", study, "--with", "scorers.toml", "--rehearse", "--json", switch])
    plan = json.loads(done.stdout)
    assert ("toy", ["word"]) == (plan["study"], plan["computed"])
    assert [5, 5] == [one["deliberations"] for one in plan["gradings"]]
    assert "no scorer has scored 'toy'" in CliRunner().invoke(parley, ["score", study]).stderr


def _outcomes(study: str) -> tuple[dict[str, int], list[bool]]:
    """How many scores have each outcome, and their right or wrong, wrong last."""

    async def read() -> tuple[Score, ...]:
        async with ScoreReader(Settings().database_url) as reader:
            return await reader.scores(study, "mine")

    scores = asyncio.run(read())
    said = [one.correct for one in scores if one.correct is not None]
    return Counter(one.outcome for one in scores), sorted(said, reverse=True)


def test_a_function_that_fails_is_reported_with_its_reason(study: str) -> None:
    """Each reason is printed once with the number of deliberations, and the exit code is that of a failure."""
    done = _scored(study, "broken")

    assert done.exit_code == FAILED
    assert "mine: 6 scores, computed" in done.stderr
    assert done.stderr.count("mine: 5 deliberations failed: ZeroDivisionError: division by zero") == 1


def test_many_reasons_are_not_all_printed(study: str) -> None:
    """Three of them are, and how many deliberations have another one."""
    done = _scored(study, "broken_in_many_ways")

    assert done.exit_code == FAILED
    assert done.stderr.count("mine: 1 deliberation failed: ValueError: no rule for") == 3
    assert "mine: 2 deliberations failed for other reasons; parley export has each" in done.stderr


def test_a_function_that_returns_is_no_failure(study: str) -> None:
    """The one without a verdict has no value: there the function has nothing to look at."""
    done = _scored(study, "length")

    assert (done.exit_code, "failed" in done.stderr) == (VERDICT, False), done.stderr
    assert _outcomes(study) == ({"scored": 5, "unanswered": 1}, [])


@pytest.mark.parametrize("function", ["right", "ended"])
def test_a_missing_verdict_is_wrong_for_a_function_of_right_and_wrong(study: str, function: str) -> None:
    """An arm that often fails has no better accuracy for it, whether the function takes such a result or not."""
    done = _scored(study, function)

    assert done.exit_code == VERDICT, done.stderr
    assert (_outcomes(study))[1] == [True] * 5 + [False]


@pytest.mark.parametrize(("function", "right"), [("passed", 4), ("early", 3), ("own", 3)])
def test_a_missing_verdict_is_not_wrong_where_the_function_gives_no_score(
    study: str, function: str, right: int
) -> None:
    """A row, or an arm, of which a function returns None alone is in no accuracy, however its deliberations ended."""
    done = _scored(study, function)

    assert done.exit_code == VERDICT, done.stderr
    assert len(_outcomes(study)[1]) == right


def test_classes_are_counted_by_arm(study: str) -> None:
    """A scorer whose texts are neither values nor right or wrong has its classes in place of a mean."""
    (found,) = json.loads(_scored(study, "arm", "--json").stdout)["scorers"]
    assert [(one["arm"], one["classes"], one["judged"]) for one in found["arms"]] == [
        (one, {one: 3}, 0) for one in ("consensus", "council")
    ]
    table = CliRunner().invoke(parley, ["score", study]).stdout
    assert ("Classes by mine" in table, "Scores by mine" in table) == (True, False)


def _graded(line: str = "") -> ScorerFile:
    panel = '[panels.p]\nparticipants = ["maker/a"]\n'
    Path("scorers.toml").write_text(f'{panel}[scorers.mine]\nkind = "graded"\nprotocol = "single"\npanel = "p"\n{line}')
    return read_scorers("scorers.toml")


@pytest.mark.parametrize(("line", "correct"), [("", []), ("right_from = 6", [False])])
def test_a_missing_verdict_is_wrong_for_a_grader_of_right_and_wrong(study: str, line: str, correct: list[bool]) -> None:
    """Nothing is asked about such a deliberation, and it is counted all the same."""
    asyncio.run(collect_grades(Settings(), study, _graded(line)))

    assert _outcomes(study) == ({"unanswered": 1}, correct)


async def test_the_cost_of_grades_is_a_lower_bound_where_a_price_is_unknown(study: str) -> None:
    """Of two calls one has no price: what is known of the cost is marked, as in a comparison."""
    file, store, whole = _graded(), Store(Settings().database_url), entered("grades", rows=1, arms=["council"])
    (row,), (instance,), item = whole.rows, whole.instances, "toy/q0.council"
    await enter(store, whole.study, [replace(row, row_id=item)], [replace(instance, row_id=item)])
    asked = request_fingerprint(file.scorers["mine"], file.panels)
    await save_grading(store, Grading(grading="grades", study=study, scorer="mine", fingerprint=asked))
    spent = Spending(calls=2, prompt_tokens=30, completion_tokens=12, usd=0.002, calls_of_unknown_cost=1)
    await LedgerActivities(store).record_deliberation(line_of(instance, verdict="FINAL ANSWER: 7", spent=spent))
    await store.close()
    await collect_grades(Settings(), study, file)

    async with ScoreReader(Settings().database_url) as scores, StudyReader(Settings().database_url) as studies:
        report, _ = await score_report(scores, studies, study)

    assert score_tables(report)[0].rows[0][-1].text == "≥ $0.0020"
    assert (report.scorers[0].cost_usd, report.scorers[0].calls_of_unknown_cost) == (0.002, 1)


async def _grades(file: ScorerFile, name: str, verdict: str | None, *, rehearsal: bool = False) -> None:
    """Enter a grading of the first council by ``file`` that ended with ``verdict``; without one it has not ended."""
    store, whole = Store(Settings().database_url), entered(name, rows=1, arms=["council"])
    (row,), (instance,), item = whole.rows, whole.instances, "toy/q0.council"
    study = replace(whole.study, rehearsal=rehearsal)
    await enter(store, study, [replace(row, row_id=item)], [replace(instance, row_id=item)])
    asked = request_fingerprint(file.scorers["mine"], file.panels)
    await save_grading(store, Grading(grading=name, study="toy", scorer="mine", fingerprint=asked))
    if verdict is not None:
        line = line_of(instance, verdict=verdict, rehearsal=rehearsal, models=(f"lab:{name}",))
        await LedgerActivities(store).record_deliberation(line)
    await store.close()


async def test_grades_of_scripted_models_are_none_of_real_ones(study: str) -> None:
    """A real grading asks all that a rehearsed one asked, under another name, and only a rehearsal has its grades."""
    file = _graded()
    rehearsed = file._replace(rehearse=True)
    await _grades(rehearsed, "played", "FINAL ANSWER: 7", rehearsal=True)
    real, played = [await plan_gradings(Settings(), study, one) for one in (file, rehearsed)]
    assert ("toy/q0.council" in {one.id for one in real[0].items}, len(real[0].items)) == (True, 5)
    assert (len(played[0].items), played[0].grading.grading != real[0].grading.grading) == (4, True)
    counts = [(await collect_grades(Settings(), study, one))["mine"] for one in (rehearsed, file)]
    assert counts == [2, 1]


async def test_what_a_paused_grading_has_not_asked_yet_is_no_failure(study: str) -> None:
    """It has no score, and is not asked a second time by another grading."""
    file = _graded()
    await _grades(file, "paused", None)
    (plan,) = await plan_gradings(Settings(), study, file)

    assert (len(plan.items), "toy/q0.council" in {one.id for one in plan.items}) == (4, False)
    assert await collect_grades(Settings(), study, file) == {"mine": 1}
    async with ScoreReader(Settings().database_url) as scores:
        assert [one.outcome for one in await scores.scores(study, "mine")] == ["unanswered"]


async def test_the_graders_are_those_whose_grades_count(study: str) -> None:
    """After another request of the same scorer its earlier graders are no graders of it."""
    first, second = _graded(), _graded('criteria = "Is it short?"')
    await _grades(first, "before", "FINAL ANSWER: 7")
    await _grades(second, "after", "FINAL ANSWER: 8")
    await collect_grades(Settings(), study, second)

    async with ScoreReader(Settings().database_url) as scores, StudyReader(Settings().database_url) as studies:
        report, _ = await score_report(scores, studies, study)

    assert report.scorers[0].graders == ("lab:after",)


async def test_scripted_grades_are_marked_wherever_they_are_shown(study: str) -> None:
    """The cost of a rehearsed scorer is invented, that of another one is not; a comparison by it names them."""
    file = _graded()._replace(rehearse=True)
    await _grades(file, "played", "FINAL ANSWER: 7", rehearsal=True)
    await collect_grades(Settings(), study, file)
    async with ScoreReader(Settings().database_url) as scores, StudyReader(Settings().database_url) as studies:
        report, _ = await score_report(scores, studies, study)

    real = report.scorers[0].model_copy(update={"scorer": "real", "rehearsal": False})
    table = score_tables(report.model_copy(update={"scorers": (*report.scorers, real)}))[0]
    assert [row[-1].text.partition("0")[0] for row in table.rows] == ["invented cost $", "$"]
    compared = await compare_study(Settings(), study, score="mine")
    assert "REHEARSAL: scripted models gave 1 score of mine." in notes(compared)

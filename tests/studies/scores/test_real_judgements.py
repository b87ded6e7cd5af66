"""Recorded judgements of GPT-4 on MT-bench: imported as scores, and beside a scripted grader of our own."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.studies.results import ResultRow
from rehearsal.models.grading import judgement
from studies.scores.answer_scorers import Finding
from studies.scores.computed import Scored, score_of
from studies.scores.grading import Item, question_of
from studies.scores.imported_scores import import_scores
from studies.scores.scorers import GradedScorer, ImportedScorer
from studies.scores.summary import ScoreReport, summarise
from studies.scores.tables import score_tables
from tests.fakes import mt_bench
from tests.fakes.reported import row

pytestmark = [pytest.mark.data, pytest.mark.skipif(not mt_bench.DATA.is_dir(), reason="the real judgements are absent")]


def _rows() -> list[ResultRow]:
    """One deliberation for each judged answer: a question, a turn and a model."""
    turns = {one["question_id"]: one["turns"] for one in mt_bench.questions()}
    found: list[ResultRow] = []
    for model in ("claude-3-5-sonnet-20240620", "claude-3-opus-20240229"):
        for line in (mt_bench.DATA / "model_answer" / f"{model}.jsonl").read_text().splitlines():
            answer = json.loads(line)
            for turn in (0, 1):
                row_id = f"{answer['question_id']}-{turn + 1}"
                found.append(
                    row(
                        len(found),
                        deliberation_id=f"mt/{row_id}.{model}",
                        row_id=row_id,
                        arm=model,
                        question=turns[answer["question_id"]][turn],
                        verdict=answer["choices"][0]["turns"][turn],
                    )
                )
    return found


def test_recorded_judgements_are_scores_beside_a_grader_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All 320 grades are imported by deliberation; their means are those of the file, and the agreement is shown."""
    judged = [json.loads(one) for one in (mt_bench.DATA / "gpt-4_single.judgments.jsonl").read_text().splitlines()]
    file, rows = tmp_path / "gpt4.csv", _rows()
    with file.open("w", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(["deliberation_id", "score"])
        writer.writerows([_id(one), one["score"]] for one in judged)
    imported = import_scores("gpt4", ImportedScorer(kind="imported", path=file), rows)
    grader, ours = GradedScorer(kind="graded"), {}
    for one in rows:
        said = judgement(question_of(grader, Item(one.deliberation_id, one)))
        assert said is not None
        ours[one.deliberation_id] = Finding("scored", float(said[0]))
    scores = [
        score_of(Scored(name, kind, "0" * 64), finding, deliberation_id=key)
        for name, kind, found in (("gpt4", "imported", imported), ("scripted", "graded", ours))
        for key, finding in found.items()
    ]
    report = summarise("mt", rows, scores)
    (agreed,) = report.agreement
    with capsys.disabled():
        print(
            f"\n  {agreed.n} judgements: same {agreed.same:.3f}, kappa {agreed.kappa:.3f}, alpha {agreed.alpha:.3f}, "
            f"rank correlation {agreed.rank_correlation:.3f}, difference {agreed.mean_difference:+.3f}"
        )
        for line in _confusion(report):
            print(line)

    assert (len(imported), agreed.n) == (320, 320)
    for arm in report.scorers[0].arms:
        mine = [one["score"] for one in judged if one["model"] == arm.arm]
        assert arm.mean.value == pytest.approx(sum(mine) / len(mine))
    pd = pytest.importorskip("pandas")
    counts = pd.crosstab([one["score"] for one in judged], [ours[_id(one)].value for one in judged])
    assert {(float(cell.first), float(cell.second)): cell.n for cell in agreed.table} == {
        (row, column): n for row, line in counts.T.to_dict().items() for column, n in line.items() if n
    }


def _id(judgement_of: dict[str, Any]) -> str:
    return f"mt/{judgement_of['question_id']}-{judgement_of['turn']}.{judgement_of['model']}"


def _confusion(report: ScoreReport) -> Iterator[str]:
    """Yield the confusion table as ``parley score`` and a report show it."""
    table = next(one for one in score_tables(report) if one.title == "gpt4 (rows) and scripted (columns)")
    yield "  " + "".join(f"{column.heading:>8}" for column in table.columns)
    for cells in table.rows:
        yield "  " + "".join(f"{cell.text:>8}" for cell in cells)

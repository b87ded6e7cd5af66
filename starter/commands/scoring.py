"""The work of ``parley score``."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ledger.studies.exports import ExportReader
from ledger.studies.scores import Score, save_grading
from ledger.studies.writing import open_for_entering
from parley.errors import FAILED, VERDICT, RequestError
from parley.notices import notify
from protocols.plurals import counted
from protocols.visible_text import one_line
from runtime.settings import Settings
from starter.commands.batch.run import continue_study, ended, run_loaded
from starter.terminal import as_json, print_result
from starter.views import tables
from starter.views.tables import REHEARSAL
from studies.comparison.scoring import check_scorers
from studies.definition.load import check_study
from studies.runs.status import known_study
from studies.scores.computed import score_at_once
from studies.scores.grades import Plan, collect_grades, open_gradings, plan_gradings
from studies.scores.grading import grading_study
from studies.scores.scorer_file import ScorerFile, read_scorers
from studies.scores.scorers import GraderTable
from studies.scores.summary import score_report
from studies.scores.tables import score_tables

_MOST_REASONS, _REASON = 3, 120


async def run_scoring(
    settings: Settings, name: str, path: Path | None, only: Sequence[str], switches: dict[str, Any]
) -> int:
    """Score the study ``name`` by the file at ``path``, and print its scores."""
    study = await known_study(settings, name)
    rehearse, is_plan = switches.pop("rehearse"), switches["dry_run"] or switches["show_prompts"]
    codes, switches = [VERDICT], {**switches, "dry_run": is_plan, "documents": []}
    if path is not None:
        file = _chosen(read_scorers(str(path)), only)._replace(rehearse=rehearse or study.rehearsal)
        computed = [scorer for scorer, one in file.scorers.items() if not isinstance(one, GraderTable)]
        for scorer, scores in (await score_at_once(settings, name, file, write=not is_plan)).items():
            codes.append(_computed(scorer, scores, is_kept=not is_plan))
        codes += await _grade(settings, name, file, switches)
        if is_plan or switches["detach"]:
            if switches["json"]:
                click.echo(as_json({"study": name, "computed": computed, "gradings": switches["documents"]}))
            return max(codes, default=VERDICT)
        await collect_grades(settings, name, file)
    await _show(settings, name, only, json=switches["json"], is_given=path is not None)
    return max(codes, default=VERDICT)


def _computed(scorer: str, scores: Sequence[Score], *, is_kept: bool) -> int:
    """Print how many scores were computed, and why some failed; return the exit code."""
    reasons = Counter(one.reason for one in scores if one.outcome == "failed").most_common()
    notify(f"{scorer}: {counted(len(scores), 'score')}, computed{'' if is_kept else ' and not kept'}")
    for reason, number in reasons[:_MOST_REASONS]:
        notify(f"{scorer}: {counted(number, 'deliberation')} failed: {one_line(reason, width=_REASON)}")
    if others := sum(number for _, number in reasons[_MOST_REASONS:]):
        notify(f"{scorer}: {counted(others, 'deliberation')} failed for other reasons; parley export has each")
    return FAILED if reasons else VERDICT


def _chosen(file: ScorerFile, only: Sequence[str]) -> ScorerFile:
    if unknown := next((name for name in only if name not in file.scorers), None):
        raise RequestError(f"the file has no scorer {unknown!r}; it has {', '.join(file.scorers)}")
    return file._replace(scorers={name: one for name, one in file.scorers.items() if not only or name in only})


async def _grade(settings: Settings, name: str, file: ScorerFile, switches: dict[str, Any]) -> list[int]:
    """Continue interrupted gradings, and start one for each scorer with open items."""
    opened = () if switches["dry_run"] else await open_gradings(settings, name, file)
    codes = [await continue_study(settings, one, switches, ended) for one in opened]
    plans = await plan_gradings(settings, name, file)
    return codes + [await _begin(settings, file, plan, switches) for plan in plans]


async def _begin(settings: Settings, file: ScorerFile, plan: Plan, switches: dict[str, Any]) -> int:
    notify(f"{plan.scorer}: {counted(len(plan.items), 'item')} to grade")
    with TemporaryDirectory(prefix="parley-grading-") as folder:
        dataset, scorer = Path(folder) / "items.jsonl", file.scorers[plan.scorer]
        study = grading_study(plan.grading.grading, scorer, plan.items, file.panels, dataset, rehearse=file.rehearse)
        loaded = check_study(study, settings)
        if not switches["dry_run"]:
            async with open_for_entering(settings.database_url) as store:
                await save_grading(store, plan.grading)
        return await run_loaded(loaded, switches, ended)


async def _show(settings: Settings, name: str, only: Sequence[str], *, json: bool, is_given: bool) -> None:
    async with ExportReader(settings.database_url) as ledger:
        there = await ledger.scorers(name)
        if not there:
            raise RequestError(
                f"no scorer has scored {name!r}; give a file of scorers: parley score {name} --with FILE"
            )
        check_scorers(name, () if is_given else only, there)
        report, _ = await score_report(ledger, ledger, name, only)
    label = REHEARSAL if any(one.rehearsal for one in report.scorers) else None
    print_result({"label": label, **dict(report)}, tables.render(score_tables(report), is_dense=True), json=json)
    notify(f"parley compare {name} --score {there[0]}   parley export {name} --what scores")

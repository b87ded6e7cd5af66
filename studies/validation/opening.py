"""The shipped study with the models, prompts and limits that the command line names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from parley.errors import RequestError
from runtime.settings import Settings
from studies.definition.files import Overrides, read_study
from studies.definition.load import LoadedStudy, check_study
from studies.definition.study_file import ArmTable, LabelTable, StudyFile
from studies.validation.cases import CIRCLE, SINGLE, STUDY_FILE, TEN_CASES
from studies.validation.labelled import Columns, Labelled, read_labelled
from studies.validation.report import Measured

_SHOWN_DIGITS = 8


@contextmanager
def open_validation(given: dict[str, Any], settings: Settings) -> Iterator[tuple[LoadedStudy, Measured]]:
    """Open the study by the options of ``parley validate``, and what is measured by it.

    Its dataset exists within the context alone.

    It is named by its content unless a name is given, so that the same command continues the same study.
    """
    labelled = _labelled(given)
    cases = () if given["only_labelled"] else TEN_CASES
    with TemporaryDirectory(prefix="parley-validation-") as folder:
        dataset = None
        if labelled:
            dataset = Path(folder) / "cases.jsonl"
            lines = [case.model_dump_json() for case in (*cases, *(one for file in labelled for one in file.cases))]
            dataset.write_text("\n".join(lines) + "\n", encoding="utf-8")
        study = check_study(_study(given, dataset), settings)
        if given["name"] is None:
            name = f"{study.study.name}-{study.fingerprint[:_SHOWN_DIGITS]}"
            study = study._replace(study=study.study.model_copy(update={"name": name}))
        models = {arm.name: arm.models for arm in study.arms}
        yield (
            study,
            Measured(
                cases=cases,
                labelled=labelled,
                models=models[CIRCLE],
                single_model=models[SINGLE][0],
                threshold=given["threshold"],
                rehearsal=study.is_rehearsal,
            ),
        )


def _study(given: dict[str, Any], dataset: Path | None) -> StudyFile:
    names = ("name", "window", "failure_mode", "rehearse", "budget_usd", "budget_tokens")
    overrides = Overrides(**{name: given[name] for name in names}, dataset=None if dataset is None else str(dataset))
    study = read_study(str(STUDY_FILE), overrides)
    label = LabelTable(read="flagged", threshold=given["threshold"])
    return study.model_copy(update={"label": label, "arms": tuple(_arm(arm, given) for arm in study.arms)})


def _arm(arm: ArmTable, given: dict[str, Any]) -> ArmTable:
    models = given["models"]
    if arm.name == SINGLE:
        models = (given["single_model"],) if given["single_model"] else models[:1]
    return arm.model_copy(update={"panel": given["panel"], "options": {"models": models} if models else {}})


def _labelled(given: dict[str, Any]) -> tuple[Labelled, ...]:
    if given["only_cases"] and given["only_labelled"]:
        raise RequestError("--only-cases and --only-labelled leave nothing to measure; leave one of them out")
    if given["only_labelled"] and not given["labelled"]:
        raise RequestError("--only-labelled needs labelled prompts: give a file with --labelled")
    columns = _columns(given)
    if given["only_cases"]:
        return ()
    return read_labelled(given["labelled"], columns, limit=given["limit"], seed=given["seed"])


def _columns(given: dict[str, Any]) -> Columns | None:
    named = (given["text_column"], given["label_column"], given["positive"])
    if not any(named):
        return None
    if not all(named):
        raise RequestError("--text-column, --label-column and --positive describe a file together; give all three")
    if not given["labelled"]:
        raise RequestError("there is no file that has these columns: give one with --labelled")
    return Columns(*named)

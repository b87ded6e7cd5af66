"""Ids and workflow arguments of deliberations, from rows and arms."""

from typing import Any, NamedTuple

from pydantic import JsonValue

from parley.attached import refuse_together
from parley.errors import RequestError
from parley.specs.protocol_spec import AnySpec, Asked, Means
from protocols.seeds import derived_seed
from studies.definition.column_mapping import StudyRow
from studies.definition.grid import Arm
from studies.definition.study_file import StudyFile

ATTEMPTS = 20
"""How often a worker may die over one call of a study, and an answer break off: more than for a user who waits."""


class InstanceId(NamedTuple):
    """The number and id of an instance of a study."""

    number: int
    deliberation_id: str
    repeat: int


def instance_id(study: StudyFile, arms: int, row: StudyRow, arm: tuple[int, str], repeat: int) -> InstanceId:
    """Return the number and id of a row in an arm.

    Arms take turns, so that a study that is stopped half way has come equally far with each of them.
    """
    number = (row.number * study.repeats + repeat - 1) * arms + arm[0]
    again = f".r{repeat}" if repeat > 1 else ""
    return InstanceId(number, f"{study.name}/{row.short_id}.{arm[1]}{again}", repeat)


def build_input(study: StudyFile, arm: Arm, row: StudyRow, repeat: int, means: Means) -> dict[str, JsonValue]:
    """Return the argument of the workflow, as JSON, with fresh answers from the second repeat on."""
    changes = {"seed": _seed(study, arm, row, repeat), **_attack(study, arm, row), **_files(arm, row)}
    options = arm.options.model_copy(update=changes)
    salt = f"r{repeat}" if repeat > 1 else ""
    made = arm.kind.spec.to_input(options, _asked(arm.kind.spec, row), {**means, "salt": salt})
    whole: dict[str, Any] = made.model_dump(mode="json")
    away = study.patience if arm.options.patience is None else arm.options.patience
    return {**whole, "batch_id": study.name, "patience": {**whole["patience"], "attempts": ATTEMPTS, "away": away}}


def why_refused(study: StudyFile, arms: tuple[Arm, ...], row: StudyRow, means: Means) -> str | None:
    """Return why an arm refuses ``row``; only arms that refuse some rows are tried."""
    for arm in arms:
        try:
            if arm.kind.spec.may_refuse_rows or row.files or arm.options.is_limited:
                build_input(study, arm, row, 1, means)
        except RequestError as error:
            return f"arm {arm.name!r}: {error}"
    return None


def _files(arm: Arm, row: StudyRow) -> dict[str, Any]:
    """Return the files of the arm and of the row, where the row has any."""
    if not row.files:
        return {}
    files = (*arm.options.attach, *row.files)
    refuse_together(files)
    return {"attach": files}


def _attack(study: StudyFile, arm: Arm, row: StudyRow) -> dict[str, str]:
    """Return the option that keeps patterns under the row's id, if the dataset has a column of ids."""
    is_kept = study.dataset.id is not None and "attack_id" in type(arm.options).model_fields
    return {"attack_id": row.row_id} if is_kept else {}


def _seed(study: StudyFile, arm: Arm, row: StudyRow, repeat: int) -> int | None:
    """Return the seed of one deliberation; ``protocols.seeds`` derives those of its calls from it."""
    given = study.seed if arm.options.seed is None else arm.options.seed
    return None if given is None else derived_seed(given, row.row_id, arm.name, repeat)


def _asked(spec: AnySpec, row: StudyRow) -> Asked:
    if not spec.judges:
        return {spec.question_keys[-1]: row.turns or row.question}
    if row.turns:
        raise RequestError(
            f"a {spec.name.replace('-', ' ')} judges one prompt; name the column of one in place of turns"
        )
    return {**(row.layers or {"user": row.question}), "session": row.session}

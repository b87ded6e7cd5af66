"""Ids and workflow arguments of deliberations, from rows and arms."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue

from parley.attached import AttachedFile, numbered_names, refuse_together
from parley.errors import RequestError
from parley.specs.protocol_spec import AnySpec, Asked, Means
from protocols.attachments import attached_tokens
from protocols.seeds import derived_seed
from runtime.attachment_store import AttachmentStore
from studies.dataset.templates import Template
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
    return {"attach": numbered_names(files)}


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


class KeptFiles:
    """The contents of attached files, those of an arm stored once."""

    def __init__(self, store: AttachmentStore) -> None:
        self._store = store
        self._of_arms: dict[str, str] = {}

    def keep(self, whole: dict[str, Any], arm: Arm, row: StudyRow) -> dict[str, Any]:
        """Return the argument ``whole`` with the blobs of its attached files, stored now."""
        if not whole["attachments"]:
            return whole
        blobs = {file.ref.sha256: self._store.put(file.content) for file in row.files}
        blobs |= {file.ref.sha256: self._of_arm(file) for file in arm.options.attach}
        return {**whole, "attachments": [{**ref, "blob": blobs[ref["sha256"]]} for ref in whole["attachments"]]}

    def _of_arm(self, file: AttachedFile) -> str:
        if file.ref.sha256 not in self._of_arms:
            self._of_arms[file.ref.sha256] = self._store.put(file.content)
        return self._of_arms[file.ref.sha256]


class HeaviestRows:
    """The rows whose files ask most of a model, found while all rows are read."""

    def __init__(self) -> None:
        self._image: StudyRow | None = None
        self._longest: StudyRow | None = None

    def count(self, row: StudyRow) -> None:
        """Look at ``row``."""
        if self._image is None and any(file.ref.is_image for file in row.files):
            self._image = row
        if row.files and (self._longest is None or _tokens(row) > _tokens(self._longest)):
            self._longest = row

    @property
    def rows(self) -> tuple[StudyRow, ...]:
        """The first row with an image, and the one with most tokens of files."""
        return tuple(row for row in (self._image, self._longest) if row is not None)


def _tokens(row: StudyRow) -> int:
    return attached_tokens(file.ref for file in row.files)


class ShownRow(NamedTuple):
    """A row as one repeat of it is asked."""

    row: StudyRow
    shown_options: dict[str, str] | None = None
    """Label on the page to the label of the dataset whose text it shows; ``None`` where nothing is shuffled."""


def shown_row(study: StudyFile, row: StudyRow, repeat: int) -> ShownRow:
    """Return ``row`` as that repeat of it is asked, with shuffled options if the study has them."""
    dataset = study.dataset
    if not dataset.shuffle_options or study.label is None or dataset.template is None:
        return ShownRow(row)
    columns, labels = dataset.options, study.label.choices
    order = option_order(study.seed or 0, row.row_id, repeat, [row.fields[column] for column in columns])
    texts = {column: row.fields[columns[at]] for column, at in zip(columns, order, strict=True)}
    question = Template.of(dataset.template).filled({**row.fields, **texts})
    shown = {label: labels[at] for label, at in zip(labels, order, strict=True)}
    return ShownRow(row._replace(question=question), shown)


def option_order(seed: int, row_id: str, repeat: int, texts: Sequence[str]) -> tuple[int, ...]:
    """Return for each place the option to show there; a blank option keeps its place."""
    places = [at for at, text in enumerate(texts) if text.strip()]
    drawn = sorted(places, key=lambda at: derived_seed(seed, row_id, "options", repeat, at))
    moved: Mapping[int, int] = dict(zip(places, drawn, strict=True))
    return tuple(moved.get(at, at) for at in range(len(texts)))

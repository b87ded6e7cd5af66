"""Entering a study into the ledger, in one transaction.

All values are prepared before, so that the ledger, in which others write their answers, is locked only as
long as the writing takes.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, Row, Table, select, update

from ledger.migrations.upgrade import upgrade
from ledger.store import Store, packed_json, unpacked_json
from ledger.studies.records import (
    Entered,
    EnteredArm,
    EnteredInstance,
    EnteredRow,
    EnteredStudy,
    RejectedRow,
    RowsBefore,
    StudyChangedError,
    StudyDiffersError,
    StudyRowsChangedError,
    StudyUnknownError,
    without_panels,
)
from ledger.study_tables import INSTANCES, REJECTED_ROWS, STUDIES, STUDY_ARMS, STUDY_ROWS
from protocols.study.input_templates import differences, merged

_CHUNK = 500
"""Rows in one statement."""

Line = dict[str, Any]


@asynccontextmanager
async def open_for_entering(url: str) -> AsyncIterator[Store]:
    """Open the ledger at ``url`` for writing, upgraded to this version's schema.

    Raises:
        StoreError: it cannot be opened, written or upgraded.
    """
    store = Store(url)
    try:
        await upgrade(store)
        yield store
    finally:
        await store.close()


async def enter(
    store: Store,
    study: EnteredStudy,
    rows: Iterable[EnteredRow],
    instances: Iterable[EnteredInstance],
    rejected: Iterable[RejectedRow] = (),
    *,
    writes: bool = True,
) -> Entered:
    """Write the study with its arms, rows and instances, all or nothing; nothing when it is there already.

    Without ``writes`` it is only compared with the one that is there.

    Raises:
        StudyDiffersError: a study of that name is there, with another fingerprint.
        StoreError: the database could not be written.
    """
    if await store.rows(select(STUDIES.c.name).where(STUDIES.c.name == study.name)):
        return await store.transaction(lambda connection: _compared(connection, study))
    if not writes:
        return Entered(is_new=True, rows=0, instances=0)
    lines = _lines(study.name, rows, instances, rejected)

    def write(connection: Connection) -> Entered:
        line = {name: value for name, value in vars(study).items() if name != "arms"}
        if connection.execute(store.insert(STUDIES).on_conflict_do_nothing(), line).rowcount == 0:
            return _compared(connection, study)
        _insert(connection, STUDY_ARMS, [_arm_line(study.name, arm) for arm in study.arms])
        return _written(connection, lines)

    return await store.transaction(write)


async def append(
    store: Store,
    study: EnteredStudy,
    rows: Iterable[EnteredRow],
    instances: Iterable[EnteredInstance],
    rejected: Iterable[RejectedRow] = (),
    *,
    before: RowsBefore | None = None,
    writes: bool = True,
) -> Entered:
    """Write the rows, arms and instances that the study lacks; ``rows`` and ``instances`` are those of all of it.

    An instance that is there keeps its number; the numbers of the others follow the last one. With ``before``, the
    files, turns and layers of the rows that are there are compared too, by their hash. Without ``writes`` what is there
    is only compared.

    Raises:
        StudyUnknownError: there is no study of that name.
        StudyChangedError: something that it has is not as it was.
        StudyRowsChangedError: a row that it has already is not as it was.
        StoreError: the database could not be written.
    """
    given, prepared, refused = list(rows), list(instances), list(rejected)

    def write(connection: Connection) -> Entered:
        templates = _same_but_longer(connection, study)
        known = _unchanged(connection, study, given, before)
        if not writes:
            return Entered(is_new=False, rows=len(given) - known, instances=0)
        there = connection.execute(select(INSTANCES.c.deliberation_id).where(INSTANCES.c.study == study.name))
        ids = frozenset(there.scalars())
        lacking = [one for one in prepared if one.deliberation_id not in ids]
        new = [replace(one, number=number) for number, one in enumerate(lacking, len(ids))]
        lines = _lines(study.name, given[known:], _rebased(new, study.arms, templates))
        _insert(connection, STUDY_ARMS, [_arm_line(study.name, arm) for arm in study.arms if arm.arm not in templates])
        changed = {"fingerprint": study.fingerprint, "content": study.content}
        connection.execute(update(STUDIES).where(STUDIES.c.name == study.name), changed)
        for one in refused:
            connection.execute(store.replacement(REJECTED_ROWS), vars(one) | {"study": study.name})
        return _written(connection, lines)

    return await store.transaction(write)


def _lines(
    study: str, rows: Iterable[EnteredRow], instances: Iterable[EnteredInstance], rejected: Iterable[RejectedRow] = ()
) -> Mapping[Table, Sequence[Line]]:
    """Return the lines of rows and instances by their table, packed and ready."""
    return {
        STUDY_ROWS: [vars(row) | {"study": study, "extra": row.extra or None} for row in rows],
        INSTANCES: [_instance_line(study, instance) for instance in instances],
        REJECTED_ROWS: [vars(one) | {"study": study} for one in rejected],
    }


def _written(connection: Connection, lines: Mapping[Table, Sequence[Line]]) -> Entered:
    for table, of_table in lines.items():
        _insert(connection, table, of_table)
    return Entered(is_new=True, rows=len(lines[STUDY_ROWS]), instances=len(lines[INSTANCES]))


def _insert(connection: Connection, table: Table, lines: Sequence[Line]) -> None:
    for start in range(0, len(lines), _CHUNK):
        connection.execute(table.insert(), lines[start : start + _CHUNK])


def _compared(connection: Connection, study: EnteredStudy) -> Entered:
    """Return nothing to write if the present study is the same."""
    there = connection.execute(select(STUDIES).where(STUDIES.c.name == study.name)).one()
    if there.fingerprint != study.fingerprint:
        raise StudyDiffersError(study.name, there.content, study.content)
    return Entered(is_new=False, rows=0, instances=0)


def _same_but_longer(connection: Connection, study: EnteredStudy) -> dict[str, dict[str, JsonValue]]:
    """Return the present study's templates by arm if the given one only has more rows, arms or repeats.

    Another extension of the same study waits here.
    """
    wanted = select(STUDIES).where(STUDIES.c.name == study.name).with_for_update()
    there = connection.execute(wanted).one_or_none()
    if there is None:
        raise StudyUnknownError(study.name)
    had, has = _kept(there.content, there.content), _kept(study.content, there.content)
    if had != has:
        raise StudyChangedError(study.name, had, has)
    arms = connection.execute(select(STUDY_ARMS).where(STUDY_ARMS.c.study == study.name))
    return {arm.arm: unpacked_json(arm.template) for arm in arms}


def _kept(content: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return what an extension of ``known`` must leave as it is, as in ``content``: all but a panel's name."""
    kept = {key: value for key, value in content.items() if key not in {"dataset", "order"}}
    arms = {name: arm for name, arm in content["arms"].items() if name in known["arms"]}
    return kept | {"arms": without_panels(arms), "repeats": min(content["repeats"], known["repeats"])}


def _unchanged(
    connection: Connection, entered: EnteredStudy, given: Sequence[EnteredRow], before: RowsBefore | None
) -> int:
    """Count the rows already present, which must be given again unchanged."""
    study = entered.name
    wanted = select(STUDY_ROWS).where(STUDY_ROWS.c.study == study).order_by(STUDY_ROWS.c.number)
    there = connection.execute(wanted).all()
    if len(given) < len(there):
        raise StudyRowsChangedError(
            f"the study {study!r} has {len(there)} rows and the dataset only {len(given)}; rows can only be added"
        )
    for known, row in zip(there, given, strict=False):
        if (known.row_id, known.question, known.expected) != (row.row_id, row.question, row.expected):
            raise StudyRowsChangedError(
                f"line {row.line}: the row {row.row_id!r} is not the one that the study {study!r} has in that place"
                f"{_changed(known, row)}; undo the change and add rows behind the last one"
            )
    if before is not None and before.rows != len(there):
        raise StudyRowsChangedError(f"rows were added to the study {study!r} by another command just now; try again")
    content = connection.execute(select(STUDIES.c.content).where(STUDIES.c.name == study)).scalar_one()
    if before is not None and before.sha256 != content["dataset"]["sha256"]:
        raise StudyRowsChangedError(
            f"the first {len(there)} rows of the dataset ask what the study {study!r} has, and their files, turns, "
            "layers or kept columns differ; undo that change and add rows behind the last one"
        )
    return len(there)


def _changed(known: Row[Any], row: EnteredRow) -> str:
    if known.row_id != row.row_id:
        return f", which is {known.row_id!r}"
    return ": its question differs" if known.question != row.question else ": its expected answer differs"


def _rebased(
    instances: Iterable[EnteredInstance], arms: Sequence[EnteredArm], templates: Mapping[str, dict[str, JsonValue]]
) -> Iterator[EnteredInstance]:
    """Return the instances with their changes relative to the present templates."""
    given = {arm.arm: arm.template for arm in arms}
    for one in instances:
        ours = given[one.arm]
        there = templates.get(one.arm, ours)
        if ours == there:
            yield one
        else:
            yield replace(one, changes=differences(there, merged(ours, one.changes)))


def _arm_line(study: str, arm: EnteredArm) -> Line:
    return vars(arm) | {"study": study, "models": list(arm.models), "template": packed_json(arm.template)}


def _instance_line(study: str, instance: EnteredInstance) -> Line:
    values = {name: value for name, value in vars(instance).items() if name != "estimate"}
    return values | {
        "study": study,
        "changes": packed_json(instance.changes),
        "estimate_usd": instance.estimate.usd,
        "estimate_tokens": instance.estimate.tokens,
    }

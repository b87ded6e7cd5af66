"""Logs for Inspect: one for each arm of a study, written sample by sample.

A log of version 2 is a ZIP file of JSON: a file for each sample, one with their summaries, and a header that is written
last. The logs of one study have the same names whenever they are written.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from ledger.studies.exports import ExportReader
from ledger.studies.reading import KnownStudy
from ledger.studies.results import ResultRow
from parley.errors import RequestError
from runtime.distribution import DISTRIBUTION
from studies.exports.files import whole_file
from studies.exports.inspect_samples import Sample, figures_of, sample_of
from studies.exports.rows import export_pages, rows_of

_VERSION = 2
_UNNAMEABLE = re.compile(r"[^A-Za-z0-9.-]+")
_ID = 22
"""Letters of an id, as Inspect has them."""
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


async def write_logs(
    reader: ExportReader, name: str, folder: Path, *, force: bool, scorers: Collection[str] = ()
) -> list[Path]:
    """Write a log of every arm of the study ``name``, or of one deliberation, and return their paths.

    They have the scores of all scorers, or of those in ``scorers``.

    Deliberations that are still open are left out, and the status of their arm is ``started``; an arm without any other
    deliberation has no log.

    Raises:
        RequestError: there is no such study, deliberation or scorer, none has ended, or a file cannot be written.
    """
    study = await reader.known(name)
    logs: dict[str, _Log] = {}
    is_open: set[str] = set()
    with ExitStack() as files:
        async for page in export_pages(reader, name, "inspect", scorers):
            calls: dict[str, list[Any]] = {}
            for call in rows_of(page, "calls"):
                calls.setdefault(call["deliberation_id"], []).append(call)
            for row, values in zip(page.rows, rows_of(page, "deliberations"), strict=True):
                if row.status == "open":
                    is_open.add(row.arm)
                    continue
                if row.arm not in logs:
                    logs[row.arm] = _opened(files, folder, study, row, force=force)
                alone = [one for one in page.scores.get(row.deliberation_id, ()) if not one.other_id]
                logs[row.arm].add(row, sample_of(values, calls.get(row.deliberation_id, []), alone))
        for arm, log in logs.items():
            log.finish("started" if arm in is_open else "success")
    if not logs:
        raise RequestError(f"no deliberation of {name!r} has ended, so there is no log to write")
    return [log.path for log in logs.values()]


def _opened(files: ExitStack, folder: Path, study: KnownStudy | None, first: ResultRow, *, force: bool) -> "_Log":
    created = (study.created_at if study else first.started_at) or _UNDATED
    task = f"{first.study}/{first.arm}" if study else first.deliberation_id
    log_id = hashlib.sha256(task.encode()).hexdigest()[:_ID]
    path = folder / f"{created:%Y-%m-%dT%H-%M-%S+00-00}_{_UNNAMEABLE.sub('-', task)}_{log_id}.eval"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(
            f"{str(folder)!r} cannot be made: {error.strerror or error}; name a folder with -o"
        ) from error
    archive = files.enter_context(ZipFile(files.enter_context(whole_file(path, force=force)), "w", ZIP_DEFLATED))
    names = ("study", "arm", "protocol", "version", "rehearsal")
    spec = {
        **dict.fromkeys(("eval_id", "run_id", "task_id"), log_id),
        "created": created.isoformat(),
        "task": task,
        "tags": ["rehearsal"] if first.rehearsal else [],
        "model": f"parley/{first.protocol}",
        "task_args": {"protocol": first.protocol, "models": list(first.models)},
        "packages": {DISTRIBUTION: metadata.version(DISTRIBUTION)},
        "metadata": {name: getattr(first, name) for name in names} | {"label": study and study.content.get("label")},
    }
    return _Log(path, archive, spec)


class _Log:
    """A log while it is written; ``spec`` is its subject."""

    def __init__(self, path: Path, archive: ZipFile, spec: dict[str, Any]) -> None:
        self.path = path
        self._archive, self._spec = archive, spec
        self._rows: dict[str, None] = {}
        self._summaries: list[dict[str, Any]] = []
        self._usage: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._epochs = 1
        self._ended: list[datetime] = []

    def add(self, row: ResultRow, sample: Sample) -> None:
        """Write one sample."""
        self._rows[row.row_id] = None
        self._epochs = max(self._epochs, row.repeat)
        self._ended += [moment for moment in (row.started_at, row.ended_at) if moment is not None]
        self._ended = [min(self._ended), max(self._ended)] if self._ended else []
        self._summaries.append(sample.summary)
        for model, counts in sample.whole["model_usage"].items():
            self._usage[model].update(counts)
        self._write(f"samples/{row.row_id}_epoch_{row.repeat}.json", sample.whole)

    def finish(self, status: str) -> None:
        """Write the files about all samples; ``status`` is that of the arm in the words of Inspect."""
        dataset = {"samples": len(self._rows), "sample_ids": list(self._rows)}
        study = self._spec["metadata"]["study"] or None
        start = {**self._spec, "dataset": {"name": study, **dataset}, "config": {"epochs": self._epochs}}
        plan: dict[str, Any] = {"name": "plan", "steps": [], "config": {}}
        self._write("_journal/start.json", {"version": _VERSION, "eval": start, "plan": plan})
        self._write("summaries.json", self._summaries)
        completed = sum(one["error"] is None for one in self._summaries)
        results = {
            "total_samples": len(self._summaries),
            "completed_samples": completed,
            "scores": figures_of(one["scores"] for one in self._summaries),
        }
        stats = {"model_usage": self._usage, **self._times()}
        header = {"version": _VERSION, "status": status, "eval": start, "plan": plan}
        self._write("header.json", {**header, "results": results, "stats": stats})

    def _times(self) -> dict[str, str]:
        names = ("started_at", "completed_at")
        return {name: moment.isoformat() for name, moment in zip(names, self._ended, strict=False)}

    def _write(self, name: str, value: Any) -> None:
        self._archive.writestr(name, json.dumps(value, default=datetime.isoformat, allow_nan=False))

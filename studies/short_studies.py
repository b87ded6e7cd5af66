"""The whole argument of a batch, made of the short object with which any Temporal client may start it.

``{"study": "colours"}`` continues a study of the ledger. ``{"study": {…}}`` has the keys of a study file; its
questions are in it (``questions``) or in a dataset below the folder that ``PARLEY_DATASETS`` names. No other file is
read: a client that may start workflows may not be allowed to read the worker's disk.
"""

import asyncio
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from ledger.studies.reading import StudyReader
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.visibility import by_name
from protocols.constraints import quoted
from protocols.starting import CompletedInput, example_of
from protocols.study.model import STUDY_NAME
from protocols.study.scheduled import ScheduledInput
from runtime.home import write_private
from runtime.settings import Settings
from studies.definition.files import parse_study
from studies.definition.load import check_study
from studies.definition.study_file import StudyFile
from studies.runs.start import batch_attributes, batch_input, enter_study
from studies.runs.status import known_study

Given = dict[str, JsonValue]

_ENTERED_QUESTIONS = "questions"


async def complete_batch(given: Given, workflow_id: str, settings: Settings, providers: Providers) -> CompletedInput:
    """Enter a study that is given whole, and return the batch of its open instances.

    Raises:
        RequestError: a key is not known, a value cannot be used, or nothing of the study is open.
    """
    study = _only(given, "study", "Batch")
    if isinstance(study, str):
        return await _open_part(study, workflow_id, settings)
    if not isinstance(study, dict):
        raise RequestError(
            f"'study' is {json.dumps(study)[:80]}; give the name of a study, or the keys of a study file"
        )
    # Reading a dataset and writing its instances takes long; the worker's own loop must continue meanwhile.
    return await asyncio.to_thread(lambda: asyncio.run(_entered(dict(study), workflow_id, settings, providers)))


async def complete_firing(given: Given, settings: Settings) -> CompletedInput:
    """Return the firing that holds a copy of a study of the ledger.

    Raises:
        RequestError: a key is not known, or there is no study of that name.
    """
    pattern = _only(given, "pattern", "ScheduledStudy")
    if not isinstance(pattern, str):
        raise RequestError(f"'pattern' is {json.dumps(pattern)[:80]}; give the name of a study")
    study = await known_study(settings, pattern)
    inp = ScheduledInput(pattern=study.name, title=study.name, rehearsal=study.rehearsal)
    columns: Given = {"Protocol": "schedule", "Title": inp.title, "Rehearsal": inp.rehearsal}
    return CompletedInput(input=inp.model_dump(mode="json"), columns=columns)


def _only(given: Given, key: str, workflow: str) -> JsonValue:
    if set(given) == {key}:
        return given[key]
    unknown = sorted(set(given) - {key})
    said = f"{unknown[0]!r} is not a key of {workflow}" if unknown else f"{key!r} is missing"
    raise RequestError(f"{said}. Give one key, for example {example_of(workflow)}")


async def _entered(study: dict[str, Any], workflow_id: str, settings: Settings, providers: Providers) -> CompletedInput:
    if "name" not in study and re.fullmatch(STUDY_NAME, workflow_id):
        study["name"] = workflow_id
    opened = check_study(_read(study, settings), settings)
    for arm in opened.arms:
        providers.check(arm.panel)
    await enter_study(settings, opened)
    return await _open_part(opened.study.name, workflow_id, settings, title=opened.study.title)


async def _open_part(name: str, workflow_id: str, settings: Settings, *, title: str = "") -> CompletedInput:
    study = await known_study(settings, name)
    async with StudyReader(settings.database_url) as reader:
        numbers = await reader.numbers(name, "open")
    if not numbers:
        raise RequestError(
            f"every deliberation of the study {name!r} has ended. Read it with: parley batch status {name}; to hold "
            "the questions again, give the study another name"
        )
    inp = await batch_input(settings, study, title or name, numbers)
    inp = inp.model_copy(update={"under_other_id": name != workflow_id})
    return CompletedInput(input=inp.model_dump(mode="json"), columns=by_name(batch_attributes(inp)))


def _read(keys: dict[str, Any], settings: Settings) -> StudyFile:
    """Return the study that ``keys`` describe, its dataset in full."""
    if "providers" in keys:
        raise RequestError("'providers' cannot be given here: the worker's own providers file is used. Leave it out")
    questions = keys.pop(_ENTERED_QUESTIONS, None)
    table = keys.get("dataset", {})
    if not isinstance(table, dict):
        raise RequestError(f"'dataset' is {quoted(table)}, and a table of keys is needed")
    if questions is not None:
        if "path" in table:
            raise RequestError("'questions' and 'dataset.path' both say what is asked; leave one of them out")
        return parse_study({**keys, "dataset": {**table, "path": str(_kept(questions, settings)), "format": "jsonl"}})
    if "path" not in table:
        raise RequestError("nothing is asked: give the study 'questions', or a dataset below PARLEY_DATASETS")
    return parse_study({**keys, "dataset": {**table, "path": str(_allowed(table["path"], settings))}})


def _kept(questions: JsonValue, settings: Settings) -> Path:
    """Write ``questions`` into a file named by its content, and return its path."""
    if not isinstance(questions, list) or not questions:
        raise RequestError("'questions' is a list of texts, or of objects with a question and what belongs to it")
    lines = [json.dumps({"question": one} if isinstance(one, str) else one, ensure_ascii=False) for one in questions]
    text = "".join(f"{line}\n" for line in lines)
    path = settings.home / _ENTERED_QUESTIONS / f"{hashlib.sha256(text.encode()).hexdigest()}.jsonl"
    write_private(path, lambda: text)
    return path


def _allowed(path: JsonValue, settings: Settings) -> Path:
    """Return the file that ``path`` names below the folder of datasets, links resolved."""
    if settings.datasets is None:
        raise RequestError(
            f"dataset.path is {quoted(path)}, and this worker reads no dataset for other clients. Set "
            "PARLEY_DATASETS to the folder that has it, where the worker runs, or give the study 'questions'"
        )
    if not isinstance(path, str):
        raise RequestError(f"dataset.path is {quoted(path)}, and the name of a file is needed")
    try:
        folder = settings.datasets.resolve()
        found = (folder / path).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # ValueError: a NUL in the name; RuntimeError: a loop of links
        raise RequestError(f"dataset.path: {quoted(path)} cannot be opened: {error}") from None
    if not found.is_relative_to(folder) or not found.is_file():
        raise RequestError(f"dataset.path: there is no file {path[:200]!r} below the folder that PARLEY_DATASETS names")
    return found

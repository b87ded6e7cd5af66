"""The identity of a study, and the differences between two of one name.

Name, title, window, budget, priority and providers file may change while a study runs, and the dataset may move: none
of that is part of it. Defaults are not either, so that a newer version with more options still recognises
the study; the models and the prompts are, with or without a default.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from ledger.studies.records import without_panels
from parley.options.answer import AnswerOptions
from parley.options.roles import FALLBACKS
from protocols.panel import Panel
from studies.definition.arm_protocols import arm_protocol
from studies.definition.grid import Arm
from studies.definition.rows import RowDigest
from studies.definition.study_file import StudyFile

Content = dict[str, JsonValue]

_NOT_THERE = "nothing"
_OF_THE_STUDY = {"panel", "rehearse"}
_SAID_BY_LABEL = "answer"
_LONGEST = 80


def content_of(study: StudyFile, arms: tuple[Arm, ...], rows: RowDigest) -> Content:
    """Return the study, normalised."""
    label = None if study.reading is None else study.reading.model_dump(mode="json")
    asked = next((one.options.answer for one in arms if isinstance(one.options, AnswerOptions)), None)
    return {
        **({} if study.answer or asked is None else {"answer": asked}),
        "dataset": {"rows": rows.rows, "sha256": rows.sha256},
        "label": label,
        "seed": study.seed,
        "repeats": study.repeats,
        "order": [arm.name for arm in arms],
        **({"shuffled": list(study.dataset.options)} if study.dataset.shuffle_options else {}),
        "arms": {arm.name: _arm(study, arm) for arm in arms},
    }


def fingerprint_of(content: Content) -> str:
    """Return the SHA-256 of ``content`` without the names of panels, in hex digits."""
    nameless = {**content, "arms": without_panels(_arms(content))}
    text = json.dumps(nameless, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> list[str]:
    """List the differences of ``new`` from ``old``: ``arms.council.options.final_only: false -> true``."""
    before, after = dict(_flat(_whole_arms(old, new))), dict(_flat(_whole_arms(new, old)))
    paths = dict.fromkeys([*before, *after])
    changes = [(path, _said(before, path, new), _said(after, path, old)) for path in paths]
    return [f"{'.'.join(path)}: {was} -> {is_now}" for path, was, is_now in changes if was != is_now]


def has_grown(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> bool:
    """Return whether ``new`` has the arms and settings of ``old``, with more rows, arms or repeats."""
    same = {**old, **{key: new[key] for key in ("dataset", "order", "repeats")}, "arms": without_panels(_arms(old))}
    arms = without_panels({name: arm for name, arm in _arms(new).items() if name in _arms(old)})
    sizes = [(_size(one, "rows"), _size(one, "repeats")) for one in (old, new)]
    is_no_less = all(before <= after for before, after in zip(*sizes, strict=True))
    return is_no_less and {**new, "arms": arms} == same


def _size(content: Mapping[str, JsonValue], of: str) -> int:
    counts = cast("Mapping[str, int]", content["dataset"] if of == "rows" else content)
    return counts[of]


def _arm(study: StudyFile, arm: Arm) -> JsonValue:
    # The panel has the models, however they were given; fallbacks that are not given depend on it.
    seated = {name for name, role in arm.options.roles().items() if role is not FALLBACKS}
    left_out = seated | _OF_THE_STUDY | {_SAID_BY_LABEL}
    options = arm.options.model_dump(mode="json", exclude_defaults=True, exclude=left_out)
    return {
        "protocol": arm.protocol,
        "workflow": arm.kind.spec.workflow_type,
        "judges": bool(study.dataset.layers),
        "models": [seat.model for seat in (*arm.panel.participants, *arm.panel.beside)],
        "chair": arm.panel.chair.model,
        "options": options,
        "prompts": arm.options.PROMPTS.identity,
        **({"seats": seats} if (seats := _seats(arm.panel)) else {}),
        **({"like": arm.like} if arm.like else {}),
        **({"panel": arm.seats_of} if arm.seats_of else {}),
    }


def _seats(panel: Panel) -> JsonValue:
    """Return settings and fallbacks by seat, of those seats that have any."""
    of_each = {seat.id: seat.model_dump(mode="json", exclude={"id", "model"}) for seat in panel.everyone}
    given = {seat: {name: value for name, value in fields.items() if value} for seat, fields in of_each.items()}
    return {seat: fields for seat, fields in given.items() if fields}


def _whole_arms(content: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> Content:
    """Return ``content`` with the protocol alone of every arm that the other lacks."""
    there = _arms(other)
    arms: Content = {name: dict(arm) if name in there else arm["protocol"] for name, arm in _arms(content).items()}
    return {**content, "arms": arms}


def _arms(content: Mapping[str, JsonValue]) -> Mapping[str, Mapping[str, JsonValue]]:
    return cast("Mapping[str, Mapping[str, JsonValue]]", content["arms"])


def _flat(value: JsonValue, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, (*path, key))
    elif not isinstance(value, Mapping):
        yield path, value


def _said(flat: Mapping[tuple[str, ...], JsonValue], path: tuple[str, ...], other: Mapping[str, JsonValue]) -> str:
    value = flat[path] if path in flat else _default(path, other)
    text = _NOT_THERE if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _default(path: tuple[str, ...], other: Mapping[str, JsonValue]) -> JsonValue:
    """Return the default of an option that one of two studies leaves out."""
    match path:
        case ("arms", name, "options", option):
            arm = _arms(other)[name]
            kind = arm_protocol(str(arm["protocol"]), judges=bool(arm["judges"]))
            field = kind.spec.options.model_fields.get(option)
            return None if field is None or field.is_required() else cast("JsonValue", field.get_default())
        case _:
            return None

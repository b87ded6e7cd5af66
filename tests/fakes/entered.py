"""Studies in a ledger: what is entered, and the lines of what ran, without any deliberation."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple, cast

from activities.ledger import DeliberationRecord
from ledger.studies.records import EnteredArm, EnteredInstance, EnteredRow, EnteredStudy
from protocols.model_call import ModelId, Spending
from protocols.study.input_templates import differences
from protocols.study.model import Amount, Instance

DAY = datetime(2026, 5, 1, tzinfo=UTC)
WORKFLOWS = {"council": "Council", "consensus": "Consensus"}
MODELS = ("openrouter:maker/one", "openrouter:maker/two")


class Whole(NamedTuple):
    """Everything of a study that goes into the ledger."""

    study: EnteredStudy
    rows: tuple[EnteredRow, ...]
    instances: tuple[EnteredInstance, ...]

    @property
    def parts(self) -> tuple[EnteredStudy, tuple[EnteredRow, ...], tuple[EnteredInstance, ...]]:
        """The arguments of ``enter`` and ``append``."""
        return self.study, self.rows, self.instances


def argument(arm: str, row: int, repeat: int = 1) -> dict[str, Any]:
    """What the deliberation of that arm about that row begins with."""
    question = f"Why {row}?"
    return {
        "question": question,
        "title": question,
        "arm": arm,
        "panel": {
            "participants": [{"id": f"p{number}", "model": model} for number, model in enumerate(MODELS, 1)],
            "chair": {"id": "chair", "model": MODELS[0]},
        },
        "salt": "" if repeat == 1 else f"r{repeat}",
        "batch_id": "toy",
    }


def without_draws(instances: Iterable[Instance]) -> list[dict[str, Any]]:
    """The inputs of instances as they were entered, without the random draws that each of them must have."""
    inputs: list[Any] = [dict(cast("dict[str, Any]", one.input)) for one in instances]
    for one in inputs:
        one.pop("draws")
    return inputs


def digest(rows: int) -> str:
    """The hash of the first rows, so many, of what ``entered`` makes."""
    return sha256(f"rows {rows}".encode()).hexdigest()


def entered(
    name: str = "toy",
    *,
    rows: int = 3,
    arms: Iterable[str] = ("council", "consensus"),
    repeats: int = 1,
    **content: Any,
) -> Whole:
    """A study of so many rows; ``content`` is what makes it another one."""
    named = tuple(arms)
    templates = {arm: argument(arm, 0) for arm in named}
    dataset = {"rows": rows, "sha256": digest(rows)}
    ways = {arm: {"protocol": arm} for arm in named}
    told = {"seed": 7, "repeats": repeats, "order": list(named), "arms": ways, "dataset": dataset, **content}
    study = EnteredStudy(
        name=name,
        fingerprint=sha256(repr(told).encode()).hexdigest(),
        content=told,
        rehearsal=False,
        arms=tuple(EnteredArm(arm, arm, WORKFLOWS[arm], MODELS, templates[arm]) for arm in named),
    )
    lines = tuple(
        EnteredRow(
            row_id=f"q{row}", number=row, line=row + 2, question=f"Why {row}?", expected="B", extra={"topic": "x"}
        )
        for row in range(rows)
    )
    return Whole(study, lines, tuple(_instances(name, rows, named, repeats, templates)))


def _instances(
    name: str, rows: int, arms: tuple[str, ...], repeats: int, templates: dict[str, dict[str, Any]]
) -> Iterable[EnteredInstance]:
    cells = [(row, repeat, arm) for row in range(rows) for repeat in range(1, repeats + 1) for arm in arms]
    for number, (row, repeat, arm) in enumerate(cells):
        again = "" if repeat == 1 else f".r{repeat}"
        yield EnteredInstance(
            number=number,
            deliberation_id=f"{name}/q{row}.{arm}{again}",
            row_id=f"q{row}",
            arm=arm,
            repeat=repeat,
            title=f"Why {row}?",
            changes=differences(templates[arm], argument(arm, row, repeat)),
            estimate=Amount(usd=0.01, tokens=1000),
        )


def line_of(instance: EnteredInstance, **changes: Any) -> DeliberationRecord:
    """The ledger's line of an instance that ran."""
    begun = DAY + timedelta(minutes=instance.number)
    whole: dict[str, Any] = {
        "id": instance.deliberation_id,
        "run_id": "run",
        "protocol": instance.arm,
        "protocol_version": "1",
        "prompts": "1@abc",
        "title": instance.title,
        "question": instance.title,
        "verdict": "FINAL ANSWER: B",
        "stop_reason": "verdict",
        "partial": False,
        "failure_mode": "resilient",
        "models": tuple(map(ModelId, MODELS)),
        "spent": Spending(calls=3, prompt_tokens=30, completion_tokens=12, usd=0.002),
        "rehearsal": False,
        "batch_id": instance.deliberation_id.partition("/")[0],
        "started_at": begun,
        "ended_at": begun + timedelta(seconds=90),
        "result": {"stop_reason": "verdict", "tally": {"agreement": 0.75}, "said": "because"},
        "scores": {"kendall_w": 0.75},
    }
    return DeliberationRecord.model_validate(whole | changes)

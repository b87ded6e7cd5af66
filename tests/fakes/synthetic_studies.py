"""Studies with answers drawn at random: every case that a figure of a comparison has to take."""

import itertools
import random
from datetime import timedelta
from typing import Any, NamedTuple

from pydantic import JsonValue

from ledger.studies.results import ResultRow
from tests.fakes.reported import BEGAN, row

PROTOCOLS = {"council": "council", "solo": "vote", "vote": "vote"}
MEASURES = {"council": "kendall_w", "solo": "winner_share", "vote": "winner_share"}


class Scene(NamedTuple):
    """What a study is like."""

    rows: int = 12
    repeats: int = 1
    arms: tuple[str, ...] = ("council", "solo", "vote")
    skill: float = 0.6
    """How often an answer is right; 1 is always, 0 never."""
    failing: float = 0.1
    """How often one has no verdict, and as often no readable answer."""
    missing: float = 0.0
    """How often one is lost, and as often still open."""
    unpriced: float = 0.0
    """How often the cost of some calls is unknown, and half as often that of all."""
    unlabelled: float = 0.0
    """How often a row has no label."""
    is_binary: bool = False

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be answered."""
        return ("yes", "no") if self.is_binary else ("A", "B", "C")

    @property
    def content(self) -> dict[str, JsonValue]:
        """The study's content, as far as a comparison reads it."""
        closed: JsonValue = {"read": "choice", "choices": list(self.choices)}
        return {"seed": 11, "label": {"read": "yes_no"} if self.is_binary else closed}


SCENES: dict[str, Scene] = {
    "plain": Scene(),
    "repeats": Scene(rows=8, repeats=3),
    "repeats, some missing": Scene(rows=8, repeats=3, missing=0.15),
    "unknown costs": Scene(unpriced=0.4),
    "unlabelled rows": Scene(unlabelled=0.3),
    "everything at once": Scene(rows=9, repeats=2, missing=0.1, unpriced=0.3, unlabelled=0.2),
    "all right": Scene(skill=1.0, failing=0.0),
    "none right": Scene(skill=0.0, failing=0.0),
    "one row": Scene(rows=1),
    "one arm": Scene(arms=("solo",)),
    "two rows": Scene(rows=2, repeats=2),
    "yes and no": Scene(rows=20, is_binary=True),
    "yes and no, repeats": Scene(rows=10, repeats=2, is_binary=True, missing=0.1),
}


def deliberations(scene: Scene, seed: int = 7) -> list[ResultRow]:
    """Every deliberation of the study, the missing ones too."""
    rng = random.Random(seed)
    cells = list(itertools.product(range(scene.rows), range(1, scene.repeats + 1), scene.arms))
    labels = [None if rng.random() < scene.unlabelled else rng.choice(scene.choices) for _ in range(scene.rows)]
    return [_one(scene, rng, number, *cell, labels[cell[0]]) for number, cell in enumerate(cells)]


def _one(  # noqa: PLR0917 - the place of one deliberation
    scene: Scene, rng: random.Random, number: int, row_number: int, repeat: int, arm: str, label: str | None
) -> ResultRow:
    place: dict[str, Any] = {
        "row_id": f"q{row_number:02}",
        "arm": arm,
        "repeat": repeat,
        "expected": label,
        "number": number,
    }
    return row(
        **place,
        protocol=PROTOCOLS[arm],
        deliberation_id=f"study/q{row_number:02}.{arm}.r{repeat}",
        result=None,
        **_paid(scene, rng),
        **_said(scene, rng, arm, label),
    )


def _paid(scene: Scene, rng: random.Random) -> dict[str, Any]:
    known: dict[str, Any] = {
        "calls": rng.randint(2, 9),
        "cost_usd": rng.uniform(0.001, 0.1),
        "calls_of_unknown_cost": 0,
    }
    tokens = {"prompt_tokens": rng.randint(100, 4000), "completion_tokens": rng.randint(50, 900)}
    chance = rng.random()
    if chance < scene.unpriced / 2:
        known |= {"cost_usd": None, "calls_of_unknown_cost": known["calls"]}
    elif chance < scene.unpriced:
        known |= {"calls_of_unknown_cost": 1}
    return {**known, **tokens}


def _said(scene: Scene, rng: random.Random, arm: str, label: str | None) -> dict[str, Any]:
    seconds = rng.uniform(1, 300)
    times = {"started_at": BEGAN, "ended_at": BEGAN + timedelta(seconds=seconds)}
    chance = rng.random()
    if chance < 2 * scene.missing:
        standing = "missing" if chance < scene.missing else "open"
        return {"verdict": None, "stop_reason": standing, "started_at": None, "ended_at": None, "scores": {}}
    if rng.random() < scene.failing:
        return {"verdict": None, "stop_reason": "no_answers", "scores": {}, "flaws": {"lost": 2}, **times}
    said = label if label is not None and rng.random() < scene.skill else rng.choice(_wrong(scene, label))
    text = "I cannot say." if rng.random() < scene.failing else f"I think so.\n\nFINAL ANSWER: {said}"
    measured = {MEASURES[arm]: rng.choice((0.25, 0.5, 0.5, 1.0)), "rounds": float(rng.randint(1, 3))}
    flawed = {"degraded": True, "flaws": {"asked_again": 1}} if rng.random() < scene.failing else {}
    return {"verdict": text, "scores": measured, **flawed, **times}


def _wrong(scene: Scene, label: str | None) -> list[str]:
    return [choice for choice in scene.choices if choice != label]

"""Several studies, firings or panels as the arms of one comparison.

A deliberation keeps its row and gets another arm: ``STUDY/ARM``, or the panel. So one way to count, to draw rows and to
test serves them all.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from parley.errors import RequestError
from protocols.plurals import counted
from studies.comparison.model import AGREEMENT_MEASURES
from studies.comparison.scoring import LabelRule, ScoredRow

_LONGEST_ID, _LONGEST_LABEL = 80, 40
_FEWEST = 2
_ONE_SCORER = "score both by one scorer and compare them with --score NAME"
_REPEATS = 10_000
"""More than a study has: with it the protocol and the repeat of a panel's deliberation are one number."""


class StudyPart(NamedTuple):
    """One of the studies to compare."""

    name: str
    rows: Sequence[ScoredRow]
    content: Mapping[str, Any]
    texts: Mapping[str, tuple[str, str | None]]
    """Row id to question and label, as the dataset has them."""


class Joined(NamedTuple):
    """The deliberations under their new arms, and which arm each of them is compared with."""

    rows: Sequence[ScoredRow]
    baseline: str | None = None
    """The name of what the others are compared with; ``None`` leaves the choice to the comparison."""
    beside: Mapping[str, str] | None = None
    """Arm to the arm it is compared with; ``None``: all with the baseline."""
    left_out: Mapping[str, int] = {}
    """What is in no figure, because the others lack it, and how many there are of it."""


def join_studies(parts: Sequence[StudyPart], baseline: str | None, *, is_scored: bool) -> Joined:
    """Return the deliberations of the rows that all of ``parts`` have, an arm for each arm of each study.

    Args:
        parts: The studies, the first of which the others are compared with.
        baseline: Another study, or one arm as ``STUDY/ARM``.
        is_scored: Whether a scorer says what is right, so that labels and their rule do not matter.

    Raises:
        RequestError: they share no row, or a row is another one in another study.
    """
    shared = set.intersection(*(set(part.texts) for part in parts))
    names = ", ".join(part.name for part in parts)
    if not shared:
        raise RequestError(f"{names} share no row id, so no pair of answers is to the same question")
    for part in parts[1:]:
        _refuse_another_dataset(parts[0], part, sorted(shared), is_scored=is_scored)
    rows = [one._replace(arm=f"{part.name}/{one.arm}") for part in parts for one in part.rows if one.row_id in shared]
    left_out = {part.name: len(part.texts) - len(shared) for part in parts if len(part.texts) > len(shared)}
    arms = {part.name: sorted({one.arm for one in part.rows if one.status != "open"}) for part in parts}
    return Joined(rows, *_paired(arms, baseline), left_out)


def _refuse_another_dataset(first: StudyPart, other: StudyPart, shared: Sequence[str], *, is_scored: bool) -> None:
    if differ := [row for row in shared if first.texts[row][0] != other.texts[row][0]]:
        raise RequestError(
            f"the row {differ[0][:_LONGEST_ID]!r} asks something else in {other.name!r} than in {first.name!r} "
            f"({len(differ)} of {counted(len(shared), 'shared row')} do), so their datasets differ: compare studies "
            "over one dataset"
        )
    if is_scored:
        return
    rules = [LabelRule.of(part.content) for part in (first, other)]
    if rules[0] != rules[1]:
        raise RequestError(f"{first.name!r} and {other.name!r} read answers by different rules; {_ONE_SCORER}")
    if differ := [row for row in shared if first.texts[row][1] != other.texts[row][1]]:
        ours, theirs = (part.texts[differ[0]][1] or "" for part in (first, other))
        raise RequestError(
            f"the row {differ[0][:_LONGEST_ID]!r} has the label {ours[:_LONGEST_LABEL]!r} in {first.name!r} and "
            f"{theirs[:_LONGEST_LABEL]!r} in {other.name!r}; {_ONE_SCORER}"
        )


def _paired(arms: Mapping[str, Sequence[str]], asked: str | None) -> tuple[str | None, Mapping[str, str] | None]:
    """Return what the others are compared with, and for each arm the one of the same name there."""
    base = asked or next(iter(arms))
    if base not in arms:
        return base, None
    alone = all(len(names) == 1 for names in arms.values())
    beside = {
        f"{study}/{arm}": f"{base}/{arms[base][0] if alone else arm}"
        for study, names in arms.items()
        for arm in names
        if study != base and (alone or arm in arms[base])
    }
    return (base, beside) if beside else (None, None)


def join_panels(study: str, rows: Sequence[ScoredRow], content: Mapping[str, Any]) -> Joined:
    """Return the deliberations with their panel as their arm, over the protocols that all panels have.

    A protocol with other options is another one. Its deliberation of a row is matched with that of another panel. An
    arm with models of its own is left out beside two panels with a name; else it is of the panel of the same models.

    Raises:
        RequestError: the study has one panel, or no protocol is asked of all of its panels.
    """
    panels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for arm, made in content["arms"].items():
        values = {name: made.get(name) for name in (("panel",) if "panel" in made else ("models", "chair", "seats"))}
        asked = {name: made.get(name) for name in ("protocol", "workflow", "options")}
        panels[json.dumps(values, sort_keys=True)][json.dumps(asked, sort_keys=True)] = arm
    named = {panel: of for panel, of in panels.items() if json.loads(panel).get("panel")}
    compared = named if len(named) >= _FEWEST else panels
    shared = sorted(set.intersection(*(set(of) for of in compared.values())))
    if len(compared) < _FEWEST or not shared:
        lack = "one panel" if len(compared) < _FEWEST else "no protocol that all of its panels have"
        raise RequestError(f"{study!r} has {lack}, so panels cannot be compared; leave out --over panels")
    names = _panel_names(compared)
    place = {arm: (names[panel], shared.index(asked)) for panel, of in compared.items() for asked, arm in of.items()
             if asked in shared}  # fmt: skip
    kept = [
        one._replace(arm=place[one.arm][0], repeat=place[one.arm][1] * _REPEATS + one.repeat)
        for one in rows
        if one.arm in place
    ]
    found = Counter(name for name, _ in {(name, one.protocol) for one in kept for name in one.scores})
    mixed = {name for name in AGREEMENT_MEASURES if found[name] > 1}  # each is another thing in each protocol
    kept = [one._replace(scores={name: one.scores[name] for name in one.scores.keys() - mixed}) for one in kept]
    return Joined(kept, left_out=Counter(one.arm for one in rows if one.arm not in place))


def _panel_names(panels: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return a name for each panel: its own, else the end that its arms have in common, else its models."""
    found = {}
    for panel, of in panels.items():
        ends = {arm.removeprefix(json.loads(asked)["protocol"]).strip("-") for asked, arm in of.items()}
        models = "+".join(model.rpartition("/")[2] for model in json.loads(panel).get("models", ()))
        found[panel] = json.loads(panel).get("panel") or (ends.pop() if len(ends) == 1 and all(ends) else models)
    is_clear = len(set(found.values())) == len(found)
    return found if is_clear else {panel: f"{name} ({number})" for number, (panel, name) in enumerate(found.items(), 1)}

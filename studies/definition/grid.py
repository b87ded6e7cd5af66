"""The arms of a study: those that it names, and every protocol of its grid with every panel."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.ask import Options
from parley.panel_files import refuse_unknown_protocols, shipped_panels
from protocols.named_panel import DEFAULT, PanelLibrary
from protocols.panel import Panel
from studies.definition.arm_protocols import ArmProtocol, arm_protocol
from studies.definition.study_file import ArmTable, StudyFile

_OF_THE_STUDY = {
    "panel": "name the panel beside the protocol, outside of its options",
    "id": "every deliberation has an id of its own",
    "fresh": "parley batch retry holds deliberations again",
    "continues": "rows are independent; a conversation is a row whose question is a list of turns",
    "rehearse": "set rehearse for the whole study",
    "playback": "a recording is of one deliberation",
    "answer": "[label] says how every arm is asked for its answer, so that all are asked the same",
    "attack_id": "patterns are kept under the row's id if [dataset] names its column, else the deliberation's",
    "empty_chair_prompt_path": "a study reads no file but its own and its dataset",
}
"""Options that an arm may not have, and their replacements."""


_UNDECIDED = 2
"""Samples of an arm before their number is decided: a protocol that takes one sample refuses them."""
_LIKE = re.compile(r"like (?P<arm>\S+)")


class Arm(NamedTuple):
    """One arm: a protocol, its options and its panel."""

    name: str
    protocol: str
    kind: ArmProtocol
    options: Options
    panel: Panel
    like: str | None = None
    """The arm whose cost decides the number of samples."""
    seats_of: str | None = None
    """The panel that fills all of its roles; ``None`` where an option names a model."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that take part, in the order of the panel."""
        return tuple(participant.model for participant in self.panel.participants)


def arms_of(study: StudyFile, panels: PanelLibrary | None = None) -> tuple[Arm, ...]:
    """Return all arms in their order: those of ``[[arms]]``, then the grid's, protocol by protocol.

    Raises:
        RequestError: two have one name, an option cannot be used, or a panel does not fit its protocol.
    """
    refuse_unknown_protocols(study.panels)
    library = (panels or shipped_panels()).extended(study.panels)
    arms = _asked_alike(study, tuple(_arm(study, table, library) for table in (*study.arms, *_grid(study))))
    names = [arm.name for arm in arms]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RequestError(f'two arms are called {twice!r}; give one of them another name = "…"')
    _refuse_likes(arms)
    return arms


def keep_protocols(study: StudyFile, protocols: Collection[str]) -> StudyFile:
    """Return the study with the arms of ``protocols`` alone.

    Raises:
        RequestError: it has no arm of one of them.
    """
    there = [*(arm.protocol for arm in study.arms), *(study.grid.protocols if study.grid else ())]
    if unknown := sorted(set(protocols) - set(there)):
        known = ", ".join(dict.fromkeys(there))
        raise RequestError(f"the study has no arm of the protocol {unknown[0]!r}; it has: {known}")
    kept = tuple(arm for arm in study.arms if arm.protocol in protocols)
    crossed = tuple(name for name in (study.grid.protocols if study.grid else ()) if name in protocols)
    grid = study.grid.model_copy(update={"protocols": crossed}) if study.grid and crossed else None
    return study.model_copy(update={"arms": kept, "grid": grid})


def _grid(study: StudyFile) -> Iterator[ArmTable]:
    if study.grid is None:
        return
    panels = tuple(study.panels) if study.grid.panels is None else study.grid.panels
    for protocol in study.grid.protocols:
        for panel in panels or (None,):
            yield ArmTable(protocol=protocol, panel=panel)


def _arm(study: StudyFile, table: ArmTable, panels: PanelLibrary) -> Arm:
    name = table.name or "-".join(filter(None, [table.protocol, table.panel]))
    kind = arm_protocol(table.protocol, judges=bool(study.dataset.layers))
    try:
        options = _options(study, table, kind, panels)
        named = None if set(table.options) & set(options.roles()) else table.panel or DEFAULT
        return Arm(name, table.protocol, kind, options, options.seated(), _like(table), named)
    except RequestError as error:
        raise RequestError(re.sub(r"(?m)^", f"arm {name!r}: ", str(error))) from None


def _options(study: StudyFile, table: ArmTable, kind: ArmProtocol, panels: PanelLibrary) -> Options:
    for key in table.options:
        if key in _OF_THE_STUDY:
            raise RequestError(f"options.{key}: no arm has it; {_OF_THE_STUDY[key]}")
        if table.options[key] != kind.fixed.get(key, table.options[key]):
            raise RequestError(f"options.{key}: {table.protocol} has {kind.fixed[key]!r}; choose another protocol")
    named = {"panel": table.panel} if table.panel else {}
    given = table.options | ({"samples": _UNDECIDED} if _like(table) else {})
    own = {"schema" if key == "structured_output" else key: value for key, value in given.items()}
    usual = {name: getattr(study, name) for name in ("failure_mode", "rehearse")}
    usual |= {"schema": study.structured_output, **kind.spec.study_options}
    options: Options = kind.spec.options.of({**usual, **named, **own, **kind.fixed}, panels)
    if "models" in own and (count := len(getattr(options, "models", ()))) > len(options.seated().participants):
        raise RequestError(f"options.models names {count}, and {table.protocol} asks one; name that one")
    return options


def _like(table: ArmTable) -> str | None:
    """Return the arm after ``like``, whose cost decides the number of samples."""
    samples = table.options.get("samples")
    found = _LIKE.fullmatch(samples) if isinstance(samples, str) else None
    return found["arm"] if found else None


def _refuse_likes(arms: tuple[Arm, ...]) -> None:
    """Refuse samples like an unknown arm, or like one with undecided samples."""
    fixed = [arm.name for arm in arms if not arm.like]
    for arm in arms:
        if arm.like and arm.like not in fixed:
            raise RequestError(
                f'arm {arm.name!r}: options.samples is "like {arm.like}"; name an arm with a cost of its own: '
                f"{', '.join(fixed) or 'add one'}"
            )


def _asked_alike(study: StudyFile, arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    """Return ``arms`` asked for one form of answer: the labels', or an open one where an arm compares its answers."""
    texts = [arm.options for arm in arms if isinstance(arm.options, AnswerOptions)]
    asked = study.answer or ("free" if any(options.form for options in texts) else None)
    return tuple(
        arm._replace(options=arm.options.model_copy(update={"answer": asked})) if arm.options in texts else arm
        for arm in arms
    )

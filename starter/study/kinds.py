"""The protocols that an arm may be: which options each takes, what it makes of a panel and of a row, what it may cost.

``single`` is one model that answers a question once. Where the dataset maps the layers of a prompt, it is one model
that judges them; ``parallel`` and the fire circle judge always, and take the question for what the user wrote where no
layers are mapped.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from protocols.exchange import Frozen
from protocols.panel import Panel
from starter.circle_options import EvaluateOptions, FireCircleOptions, layers_of
from starter.consensus_options import ConsensusOptions
from starter.council_options import CouncilOptions
from starter.debate_options import DebateOptions
from starter.equal_cost_options import MajorityOptions, MixtureOptions, SelfConsistencyOptions
from starter.errors import RequestError
from starter.options import Options
from starter.plans import Span, Wish
from starter.study.mapping import StudyRow
from starter.study.studyfile import PanelTable, Protocol

Given = Mapping[str, Any]
"""Options by name."""


class Kind(NamedTuple):
    """A protocol as a study knows it."""

    options: type[Options]
    workflow: str
    """Its name on the wire."""
    seated: Callable[[PanelTable, Given], dict[str, Any]]
    """The options that say who takes part; what is given already need not fit the panel."""
    made: Callable[..., Frozen]
    """The workflow's argument, of the options and a row; takes ``queues``, ``private`` and ``salt`` beside them."""
    wish: Callable[[Any, Panel, Span], Wish]
    """What is foreseen for a question of so many tokens."""
    fixed: Given = MappingProxyType({})
    """Options that make it what it is."""
    counts_answers: bool = False
    """Whether it takes the form of the answers, in order to count them."""
    is_picky: bool = False
    """Whether it refuses questions that others take."""


def kind_of(protocol: Protocol, *, judges: bool) -> Kind:
    """The kind that ``protocol`` is, over a dataset that maps layers (``judges``) or does not."""
    return _JUDGED_ALONE if protocol == "single" and judges else KINDS[protocol]


def _council_seats(panel: PanelTable, _: Given) -> dict[str, Any]:
    return {"models": panel.models, "chair": panel.chair or panel.models[0]}


def _consensus_seats(panel: PanelTable, given: Given) -> dict[str, Any]:
    seats = ("generator", "refiner", "validator")
    speakers = panel.speakers or panel.models
    curator = {"curator": panel.chair or speakers[0]}
    if all(seat in given for seat in seats):
        return curator
    if len(speakers) != len(seats):
        raise RequestError(
            f"a consensus has three speakers, and its panel has {len(speakers)} models; "
            'add speakers = ["…", "…", "…"] to the panel'
        )
    return {**curator, **dict(zip(seats, speakers, strict=True))}


def _debate_seats(panel: PanelTable, _: Given) -> dict[str, Any]:
    return {"agents": panel.models, "synthesiser": panel.chair or panel.models[0]}


def _mixture_seats(panel: PanelTable, _: Given) -> dict[str, Any]:
    return {"models": panel.models, "aggregator": panel.chair or panel.models[0]}


def _all_seats(panel: PanelTable, _: Given) -> dict[str, Any]:
    return {"models": panel.models}


def _first_seat(panel: PanelTable, _: Given) -> dict[str, Any]:
    return {"model": panel.models[0]}


def _layers(row: StudyRow) -> Any:
    return layers_of(row.layers or {"user": row.question})


def _judging(options: EvaluateOptions, row: StudyRow, **means: Any) -> Frozen:
    return options.evaluate_input(_layers(row), None, **means)


def _models(panel: Panel) -> tuple[str, ...]:
    return tuple(participant.model for participant in panel.participants)


_BASELINE = Kind(
    options=EvaluateOptions,
    workflow="Evaluate",
    seated=_all_seats,
    made=_judging,
    wish=lambda _, panel, prompt: Wish("parallel", _models(panel), prompt=prompt),
    is_picky=True,
)
_JUDGED_ALONE = _BASELINE._replace(
    fixed={"mode": "single"}, wish=lambda _, panel, prompt: Wish("single", _models(panel), prompt=prompt)
)
_SAMPLED = Kind(
    options=SelfConsistencyOptions,
    workflow="SelfConsistency",
    seated=_first_seat,
    made=lambda options, row, **means: options.self_consistency_input(row.question, **means),
    wish=lambda options, panel, prompt: Wish("self_consistency", _models(panel), rounds=options.samples, prompt=prompt),
    counts_answers=True,
)

KINDS: Mapping[Protocol, Kind] = {
    "council": Kind(
        options=CouncilOptions,
        workflow="Council",
        seated=_council_seats,
        made=lambda options, row, **means: options.council_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish(
            "council", _models(panel), panel.chair, prompt=prompt, final_only=options.final_only
        ),
    ),
    "consensus": Kind(
        options=ConsensusOptions,
        workflow="Consensus",
        seated=_consensus_seats,
        made=lambda options, row, **means: options.consensus_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish(
            "consensus", _models(panel), panel.chair, options.max_rounds, prompt=prompt
        ),
    ),
    "fire-circle": Kind(
        options=FireCircleOptions,
        workflow="FireCircle",
        seated=_all_seats,
        made=lambda options, row, **means: options.circle_input(_layers(row), None, **means),
        wish=lambda options, panel, prompt: Wish(
            "fire_circle", _models(panel), None, options.max_rounds, prompt=prompt
        ),
        is_picky=True,
    ),
    "debate": Kind(
        options=DebateOptions,
        workflow="Debate",
        seated=_debate_seats,
        made=lambda options, row, **means: options.debate_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish(
            "debate", _models(panel), panel.chair, options.max_rounds, prompt=prompt, mode=options.mode
        ),
        is_picky=True,
    ),
    "single": _SAMPLED._replace(fixed={"samples": 1}),
    "parallel": _BASELINE._replace(fixed={"mode": "parallel"}),
    "self-consistency": _SAMPLED,
    "majority": Kind(
        options=MajorityOptions,
        workflow="Majority",
        seated=_all_seats,
        made=lambda options, row, **means: options.majority_input(row.question, **means),
        wish=lambda _, panel, prompt: Wish("majority", _models(panel), prompt=prompt),
        counts_answers=True,
    ),
    "mixture": Kind(
        options=MixtureOptions,
        workflow="Mixture",
        seated=_mixture_seats,
        made=lambda options, row, **means: options.mixture_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish("mixture", _models(panel), panel.chair, options.layers, prompt=prompt),
        counts_answers=True,
    ),
}

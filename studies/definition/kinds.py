"""The protocols that an arm may be: which options each takes, what it makes of a row, what it may cost.

``single`` is one model that answers a question once. Where the dataset maps the layers of a prompt, it is one model
that judges them; ``parallel`` and the fire circle judge always, and take the question for what the user wrote where no
layers are mapped.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from parley.call_plans import Wish
from parley.options.ask import Options
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.options.equal_cost import MixtureOptions, VoteOptions
from parley.options.fire_circle import EvaluateOptions, FireCircleOptions, layers_of
from parley.ranges import Span
from protocols.debate.model.io import JUDGE
from protocols.debate.model.material import size_of
from protocols.model_call import FrozenModel
from protocols.panel import Panel
from studies.definition.column_mapping import StudyRow
from studies.definition.study_file import Protocol

ESCALATION_TIMEOUT = 10.0
"""Seconds that a debate of a study waits for a person: nobody watches hundreds of them, and each holds a place."""

Given = Mapping[str, Any]
"""Options by name."""


class Kind(NamedTuple):
    """A protocol as a study knows it."""

    options: type[Options]
    workflow: str
    """Its name on the wire."""
    made: Callable[..., FrozenModel]
    """The workflow's argument, of the options and a row; takes ``queues``, ``private`` and ``salt`` beside them."""
    wish: Callable[[Any, Panel, Span], Wish]
    """What is foreseen for a question of so many tokens."""
    fixed: Given = MappingProxyType({})
    """Options that make it what it is."""
    usual: Given = MappingProxyType({})
    """Options that have another default in a study than alone."""
    is_picky: bool = False
    """Whether it refuses questions that others take."""


def kind_of(protocol: Protocol, *, judges: bool) -> Kind:
    """The kind that ``protocol`` is, over a dataset that maps layers (``judges``) or does not."""
    return _JUDGED_ALONE if protocol == "single" and judges else KINDS[protocol]


def _layers(row: StudyRow) -> Any:
    return layers_of(row.layers or {"user": row.question})


def _judging(options: EvaluateOptions, row: StudyRow, **means: Any) -> FrozenModel:
    return options.evaluate_input(_layers(row), row.session, **means)


def _models(panel: Panel) -> tuple[str, ...]:
    return tuple(participant.model for participant in panel.participants)


_BASELINE = Kind(
    options=EvaluateOptions,
    workflow="Evaluate",
    made=_judging,
    wish=lambda _, panel, prompt: Wish("parallel", _models(panel), prompt=prompt),
    is_picky=True,
)
_JUDGED_ALONE = _BASELINE._replace(
    fixed={"mode": "single"}, wish=lambda _, panel, prompt: Wish("single", _models(panel), prompt=prompt)
)
_VOTE = Kind(
    options=VoteOptions,
    workflow="Vote",
    made=lambda options, row, **means: options.vote_input(row.question, **means),
    wish=lambda options, panel, prompt: Wish("vote", _models(panel), rounds=options.samples_each, prompt=prompt),
)

KINDS: Mapping[Protocol, Kind] = {
    "council": Kind(
        options=CouncilOptions,
        workflow="Council",
        made=lambda options, row, **means: options.council_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish(
            "council", _models(panel), panel.chair, prompt=prompt, final_only=options.final_only
        ),
    ),
    "consensus": Kind(
        options=ConsensusOptions,
        workflow="Consensus",
        made=lambda options, row, **means: options.consensus_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish(
            "consensus", _models(panel), panel.chair, options.max_rounds, prompt=prompt
        ),
    ),
    "fire-circle": Kind(
        options=FireCircleOptions,
        workflow="FireCircle",
        made=lambda options, row, **means: options.circle_input(_layers(row), row.session, **means),
        wish=lambda options, panel, prompt: Wish(
            "fire_circle", _models(panel), None, options.max_rounds, prompt=prompt
        ),
        is_picky=True,
    ),
    "debate": Kind(
        options=DebateOptions,
        workflow="Debate",
        made=lambda options, row, **means: options.debate_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish(
            "debate",
            _models(panel),
            panel.chair,
            options.max_rounds,
            prompt=prompt,
            mode=options.mode,
            judge=panel.model_of(JUDGE),
            context=options.budget,
            material=size_of(options.material),
        ),
        usual={"escalation_timeout": ESCALATION_TIMEOUT},
        is_picky=True,
    ),
    "parallel": _BASELINE._replace(fixed={"mode": "parallel"}),
    "vote": _VOTE,
    "single": _VOTE._replace(fixed={"preset": "single"}),
    "self-consistency": _VOTE._replace(fixed={"preset": "self-consistency"}),
    "majority": _VOTE._replace(fixed={"preset": "majority"}),
    "mixture": Kind(
        options=MixtureOptions,
        workflow="Mixture",
        made=lambda options, row, **means: options.mixture_input(row.question, **means),
        wish=lambda options, panel, prompt: Wish("mixture", _models(panel), panel.chair, options.layers, prompt=prompt),
    ),
}

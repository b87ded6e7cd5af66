"""The columns of a deliberation before its first call."""

import pytest

from parley import visibility
from parley.options.equal_cost import MixtureOptions, VoteOptions
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from protocols.consensus.model import ConsensusInput
from protocols.council.model import CouncilInput
from protocols.debate.model.io import DebateInput
from protocols.deliberation import DeliberationInput
from protocols.fire_circle.io import FireCircleBaselineInput, FireCircleInput
from protocols.fire_circle.model import SessionMemory
from tests.fakes.circles import baseline_of, circle_of
from tests.fakes.consensuses import consensus_input
from tests.fakes.councils import council_input
from tests.fakes.debates import debate_of
from workflows import search_attributes

COUNCIL: CouncilInput = council_input()
CONSENSUS: ConsensusInput = consensus_input()
CIRCLE: FireCircleInput = circle_of(3)
BASELINE: FireCircleBaselineInput = baseline_of(2)
DEBATE: DebateInput = debate_of()
SAMPLES = VoteOptions.of({"models": ["m/a"], "samples": 5, "answer": "number"}).build_input("Why?", queues={})
VOTE = VoteOptions.of({"models": ["m/a", "m/b"], "answer": "choice:A,B"}).build_input("Why?", queues={})
MIXTURE = MixtureOptions.of({"models": ["m/a", "m/b"], "answer": "yes_no"}).build_input("Why?", queues={})


def spec_of(inp: DeliberationInput) -> AnySpec:
    """Return the specification of the protocol that takes ``inp``."""
    return next(spec for spec in PROTOCOLS.values() if spec.input is type(inp))


@pytest.mark.parametrize(
    ("inp", "protocol", "summary"),
    [
        (COUNCIL, "council", "Council · "),
        (CONSENSUS, "consensus", "Consensus · "),
        (CIRCLE, "fire-circle", "Fire circle · 3 seats"),
        (BASELINE, "fire-circle-baseline", "Fire circle baseline · 2 seats"),
        (DEBATE, "debate", "Debate · 3 seats · Cars"),
        (SAMPLES, "vote", "Vote · 5 votes · Why?"),
        (VOTE, "vote", "Vote · 2 votes · Why?"),
        (MIXTURE, "mixture", "Mixture · 2 seats · Why?"),
    ],
    ids=["council", "consensus", "circle", "baseline", "debate", "samples", "vote", "mixture"],
)
def test_the_protocol_is_a_column_and_in_the_summary(inp: DeliberationInput, protocol: str, summary: str) -> None:
    """One that lists deliberations sees which protocol each one follows."""
    assert protocol == visibility.initial_attributes(spec_of(inp).name, inp)[search_attributes.PROTOCOL]
    assert visibility.summary(spec_of(inp), inp).startswith(summary)


def seats_in(details: str) -> list[str]:
    """The seats of the panel as it is shown."""
    panel = details.partition("### Panel")[2].partition("Mode ")[0]
    return [line.split()[0] for line in panel.splitlines() if "/" in line]


def test_every_seat_of_a_consensus_is_named_with_its_model() -> None:
    """The panel is shown by its seats, the curator last."""
    shown = visibility.details(spec_of(CONSENSUS), CONSENSUS)
    assert ["generator", "refiner", "validator", "curator"] == seats_in(shown)


@pytest.mark.parametrize(
    ("inp", "seats"),
    [
        (CIRCLE, ["p1", "p2", "p3"]),
        (circle_of(3, pattern_classification="llm"), ["p1", "p2", "p3", "classifier"]),
        (BASELINE, ["p1", "p2"]),
        (SAMPLES, ["p1"]),
        (VOTE, ["p1", "p2"]),
        (MIXTURE, ["p1", "p2", "aggregator"]),
    ],
    ids=["by keywords", "by a model", "baseline", "samples", "vote", "mixture"],
)
def test_a_classifier_is_on_the_panel_when_it_is_asked(inp: DeliberationInput, seats: list[str]) -> None:
    """A seat that no one will ask is not shown as if it took part."""
    assert seats == seats_in(visibility.details(spec_of(inp), inp))


@pytest.mark.parametrize(
    ("inp", "beside"),
    [(DEBATE, ["evaluator", "synthesiser"]), (debate_of(summaries="llm"), ["evaluator", "summariser", "synthesiser"])],
    ids=["by rule", "by a model"],
)
def test_a_debate_shows_who_sits_beside_it(inp: DeliberationInput, beside: list[str]) -> None:
    """The debaters are shown first, then one that may be asked beside them: a summariser only where it is."""
    assert ["p1", "p2", "p3", *beside] == seats_in(visibility.details(spec_of(inp), inp))[: 3 + len(beside)]


def test_models_with_long_names_fit_into_their_column() -> None:
    """The server starts no run whose list columns hold more than 2,048 bytes; names beyond that are left out."""
    inp = VoteOptions.of({"models": [f"m/{n:0>190}" for n in range(26)], "answer": "number"}).build_input(
        "?", queues={}
    )

    assert 10 == len(visibility.initial_attributes("vote", inp)[search_attributes.MODELS])


def test_fallbacks_of_a_chair_stand_behind_it() -> None:
    """Who concludes when the chair is lost is shown after the chair."""
    panel = COUNCIL.panel.model_copy(update={"chair_fallbacks": (COUNCIL.panel.participants[0].model,)})
    shown = visibility.details(spec_of(COUNCIL), COUNCIL.model_copy(update={"panel": panel}))
    assert shown.index("chair") < shown.index("then ")


@pytest.mark.parametrize(
    ("inp", "told"),
    [
        (COUNCIL, "Mode resilient, with review, prompts"),
        (council_input(final_only=True), "Mode resilient, without review, prompts"),
        (CONSENSUS, "Mode resilient, at most 50 rounds, deadlock after 5, prompts"),
        (
            consensus_input(max_rounds=9, majority_after=5, deadlock_after=3, carry_corrections=True),
            "at most 9 rounds, majority after 5, deadlock after 3, corrections carried on, prompts",
        ),
        (CIRCLE, "Mode resilient, at most 3 rounds, empty chair rotating, layer user, flagged from F 0.5 on, prompts"),
        (
            circle_of(3, max_rounds=2, empty_chair_rotation=False, session=SessionMemory(turn=4), layer="system"),
            "at most 2 rounds, no empty chair, layer system, turn 4, flagged from F 0.5 on, prompts",
        ),
        (BASELINE, "Mode resilient, parallel, layer user, flagged from F 0.5 on, prompts"),
        (SAMPLES, "Mode resilient, 5 samples of each model, answer number, prompts"),
        (VOTE, "Mode resilient, 1 sample of each model, answer choice (A, B), prompts"),
        (MIXTURE, "Mode resilient, 2 layers of proposers, answer yes no, prompts"),
        (DEBATE, "Mode resilient, collaborative, at most 5 rounds, prompts"),
        (
            debate_of(
                "delphi", high_stakes=("security", "agentic"), vulnerable_audience=True, reask=True, summaries="llm"
            ),
            "at most 5 rounds, high stakes (security, agentic), vulnerable audience, asks again, summaries by a model",
        ),
    ],
    ids=[
        "council",
        "council without review",
        "consensus",
        "consensus with everything",
        "circle",
        "circle with everything",
        "baseline",
        "samples",
        "vote",
        "mixture",
        "debate",
        "debate with everything",
    ],
)
def test_what_only_the_protocol_knows_is_said(inp: DeliberationInput, told: str) -> None:
    """How it runs is reported in one line, each protocol's own part included."""
    assert told in visibility.details(spec_of(inp), inp)


def test_the_print_shows_what_was_asked_and_not_how_it_is_carried() -> None:
    """Another option is another request; another queue or salt is not."""
    there = visibility.memo(CONSENSUS)
    assert there == visibility.memo(CONSENSUS.model_copy(update={"queues": {"lab": "models.lab"}, "salt": "s"}))
    assert there != visibility.memo(CONSENSUS.model_copy(update={"max_rounds": 2}))

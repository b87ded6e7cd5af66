"""What each protocol's result measured, for the ledger."""

import pytest

from protocols.deliberation import DeliberationResult
from protocols.votes import Tally
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.equal_cost_results import mixed, sampled


def test_a_council_is_measured_by_its_tally() -> None:
    """Agreement and each average position are scores; places and votes are reported by seat."""
    result = council_result()
    assert {
        "kendall_w": 1.0,
        "ballots_counted": 2.0,
        "ballots_void": 0.0,
        "average_position.p1": 1.0,
        "average_position.p2": 2.0,
    } == result.scores()
    assert {
        "model": "openrouter:maker/one",
        "place": 1,
        "average_position": 1.0,
        "votes": 2,
        "first_places": 2,
        "borda": 2.0,
    } == result.votes_cast()["p1"]


def test_a_consensus_is_measured_by_its_rounds() -> None:
    """How many rounds, and who accepted in the last one."""
    result = consensus_result()
    last = result.rounds[-1].opinions
    assert (len(result.rounds), list(last.values()).count("NO")) == (
        result.scores()["rounds"],
        result.scores()["accepts"],
    )
    assert last == result.votes_cast()


def test_a_circle_is_measured_by_the_highest_falsehood() -> None:
    """The strongest detection counts; the last falsehood of each seat is its vote."""
    result = circle_result()
    assert result.consensus is not None
    scores = result.scores()
    assert 0.9 == scores["falsehood"] == result.consensus.highest.falsehood
    assert (result.consensus.mean, result.consensus.spread) == (scores["mean"], scores["spread"])
    assert [f for f in result.movements[0].falsehoods if f is not None][-1] == result.votes_cast()["p1"]


def test_a_baseline_is_measured_by_its_means() -> None:
    """A mean that there is not is no zero."""
    result = baseline_result()
    seats = {one.participant: one.assessment.falsehood for one in result.evaluations}
    assert (result.falsehood, result.highest) == (result.scores()["falsehood"], result.scores()["highest"])
    assert seats == result.votes_cast()


def test_a_debate_is_measured_by_its_last_round() -> None:
    """Confidence and agreement are those of the last round; votes are those of each debater in the end."""
    result = debate_result()
    scores, votes = result.scores(), result.votes_cast()
    assert result.rounds[-1].measures.mean_confidence == scores["mean_confidence"]
    assert list(votes.values()).count("ACCEPT") == scores["accepts"]
    assert len(result.rounds) == scores["rounds"]


def test_the_final_answer_of_a_debate_is_reported_with_whose_it_is_and_those_by_round() -> None:
    """A study reads the answer from here, and accuracy by round can be computed (point 26)."""
    result = debate_result(answer="B", answered_by="judge")
    first = result.rounds[0].model_copy(update={"answers": {"p1": "A", "p2": "B"}, "majority": None})
    votes = result.model_copy(update={"rounds": (first, *result.rounds[1:])}).votes_cast()
    assert ("B", "judge") == (votes["answer"], votes["answered_by"])
    assert [{"majority": None, "answers": {"p1": "A", "p2": "B"}}] == votes["rounds"]
    assert votes.keys() >= {"p1", "p2", "p3"}


COUNTED = {"winner_share": 0.75, "cast": 4, "abstained": 1, "tied": 0}


@pytest.mark.parametrize(("result", "more"), [(sampled(), {"asked": 5}), (mixed(), {"layers": 2})])
def test_a_vote_is_measured_by_its_count(result: DeliberationResult, more: dict[str, float]) -> None:
    """The answer that won, how many gave each one, and the share of the winner; of layers the last counts."""
    scores, votes = result.scores(), result.votes_cast()
    assert more.items() <= scores.items()
    assert COUNTED.keys() <= scores.keys()
    assert ("391", True) == (votes["answer"], isinstance(votes["counts"], dict))


def test_the_share_of_an_answer_is_that_of_the_votes_cast() -> None:
    """Three of four samples with an answer agree, and the fifth abstains."""
    result = sampled()
    assert {"asked": 5, **COUNTED} == result.scores()
    assert {"answer": "391", "counts": {"391": 3, "390": 1}} == result.votes_cast()


@pytest.mark.parametrize(
    "result",
    [
        council_result(tally=None, answer=None),
        consensus_result(rounds=()),
        circle_result(consensus=None, movements=()),
        debate_result(rounds=(), state=debate_result().state.model_copy(update={"agent_status": ()})),
        sampled(tally=Tally(), answer=None),
        mixed(layers=(), answer=None),
    ],
)
def test_a_result_without_figures_measures_nothing(result: DeliberationResult) -> None:
    """A deliberation that broke off has no votes."""
    assert {} == result.votes_cast()

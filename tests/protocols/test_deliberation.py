"""Rules of the fields that every deliberation's input and result have."""

import pytest
from pydantic import ValidationError

from protocols.branch import Branch, RandomDraws, derived_draws
from protocols.deliberation import Ending, describe_failure
from protocols.flaws import Flaw, losses
from protocols.model_call import ParticipantId, Spending, lost_call
from protocols.vote.model import VoteResult
from tests.fakes.baselines import vote_input
from tests.protocols.failures import lost

LOSS = lost_call(lost("p1"), "answer")
GUESS = Flaw(kind="guessed", stage="answer", participant=ParticipantId("p2"), note="by keywords")


def ended(stop_reason: str = "verdict", **changes: object) -> VoteResult:
    """Return a result with one lost call."""
    ending: Ending[str] = Ending("vote-1", stop_reason, Spending(calls=3), rehearsal=True)
    told: dict[str, object] = {
        "verdict": None,
        "answer": None,
        "decided_by": "none",
        "partial": True,
        "models": 3,
        "samples": 1,
        "asked": 3,
        "transcript": {},
    }
    fields = ending.fields(vote_input(), (LOSS,), (GUESS,))
    return VoteResult.model_validate({**told, **fields, **changes})


def test_every_result_states_what_was_asked_and_what_it_cost() -> None:
    """Question, cost, losses, flaws and prompts are filled from input and ending alike in every protocol."""
    result, inp = ended(), vote_input()
    assert (inp.question, Spending(calls=3), True) == (result.question, result.spent, result.rehearsal)
    assert ((LOSS,), {"lost": 1, "guessed": 1}) == (result.failed, result.degraded.counts)
    assert f"{inp.prompts.version}@{inp.prompts.fingerprint}" == result.prompts


def test_a_failure_names_its_reason_and_every_loss() -> None:
    """A stop reason that is no failure has no message, and a message fits into a list of the server."""
    reasons = {"no_answers": "nobody answered"}
    assert describe_failure(ended(), reasons) is None
    assert (describe_failure(ended("no_answers"), reasons) or "").startswith(
        "nobody answered: p1 p1 (round 1, api_error"
    )
    assert "nobody answered" == describe_failure(ended("no_answers", failed=()), reasons)
    assert 1000 == len(describe_failure(ended("no_answers", failed=(LOSS,) * 40), reasons) or "")


def test_a_failure_names_the_remedy_at_the_end_of_an_error() -> None:
    """An error of a provider is named whole up to 200 characters, and a cut is visible."""
    remedy = f"lab: answered 400: the parameter 'max_tokens' {'is not supported ' * 4}here, use 'max_completion_tokens'"
    named = [losses([LOSS.model_copy(update={"message": message})]) for message in (remedy, "x" * 500)]

    assert named[0].endswith(f": {remedy})")
    assert named[1].endswith("x…)")


def test_a_branch_draws_what_its_origin_drew() -> None:
    """The draws of a branch win over those of a repetition; without either they are drawn anew."""
    repeated, origin = RandomDraws(secret="a"), Branch(of="vote-1", through_round=1, draws=RandomDraws(secret="b"))
    given = [vote_input(**one).given_draws for one in ({}, {"draws": repeated}, {"draws": repeated, "branch": origin})]
    assert [None, repeated, origin.draws] == given


@pytest.mark.parametrize("batch_id", ["toy", None])
def test_the_turns_of_a_question_draw_each_for_itself(batch_id: str | None) -> None:
    """A model that saw the nonces of one turn knows none of another, in a study and outside of one."""
    draws = derived_draws("s", vote_input().panel)
    whole = vote_input(draws=draws, batch_id=batch_id, earlier=("One?", "Two?"))
    drawn = [whole.on_turn(1, "One?").draws, whole.on_turn(2, "Two?").draws, draws]

    assert 3 == len({one.secret for one in drawn if one})
    nonces = [nonce for one in drawn if one for nonce in one.nonces.values()]
    assert (3 * len(draws.nonces), len(nonces)) == (len(nonces), len(set(nonces)))
    assert drawn[0] == whole.on_turn(1, "One?").draws


def test_a_question_is_not_blank() -> None:
    """A blank question is refused before anything is paid."""
    with pytest.raises(ValidationError, match="question is blank"):
        vote_input(question=" \n")

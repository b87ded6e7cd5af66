from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from temporalio.testing import ActivityEnvironment

from activities.ledger import Books, LostEntry
from ledger.call_rows import Occasion
from ledger.journal import Journal
from ledger.scores import findings
from ledger.store import Store
from ledger.tables import DELIBERATIONS
from protocols.exchange import Cost, ParticipantId, Usage
from tests.fakes.circle_results import circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.entered import entered, line_of
from tests.fakes.payments import Payments, answer, failure, identity

PROTOCOLS = (
    *("council", "consensus", "fire_circle", "evaluate", "debate"),
    *("self_consistency", "majority", "mixture", "another"),
)
TALLY = {
    "choices": [{"answer": "B", "votes": 3, "voters": ["s01"]}, {"answer": "C", "votes": 1, "voters": ["s02"]}],
    "cast": 4,
    "abstained": 1,
    "tied": [],
    "agreement": 0.75,
}
COUNTED = {"winner_share": 0.75, "cast": 4.0, "abstained": 1.0, "tied": 0.0}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
KNOWN = st.dictionaries(
    st.sampled_from(
        ["tally", "rounds", "state", "consensus", "movements", "evaluations", "layers", "answer", "choices"]
    ),
    JSON,
)


def test_a_council_is_measured_by_its_tally() -> None:
    """Agreement and everybody's average position are scores; places and votes stand by seat."""
    scores, votes = findings("council", council_result().model_dump(mode="json"))
    assert scores == {
        "kendall_w": 1.0,
        "ballots_counted": 2.0,
        "ballots_void": 0.0,
        "average_position.p1": 1.0,
        "average_position.p2": 2.0,
    }
    assert votes["p1"] == {
        "model": "openrouter:maker/one",
        "place": 1,
        "average_position": 1.0,
        "votes": 2,
        "first_places": 2,
        "borda": 2.0,
    }


def test_a_consensus_is_measured_by_its_rounds() -> None:
    """How many rounds, and who accepted in the last one."""
    result = consensus_result().model_dump(mode="json")
    scores, votes = findings("consensus", result)
    last = result["rounds"][-1]["opinions"]
    assert (scores["rounds"], scores["accepts"]) == (len(result["rounds"]), list(last.values()).count("NO"))
    assert votes == last


def test_a_circle_is_measured_by_the_highest_falsehood() -> None:
    """The strongest detection counts; the last falsehood of everybody is the vote."""
    result = circle_result().model_dump(mode="json")
    scores, votes = findings("fire_circle", result)
    assert scores["falsehood"] == result["consensus"]["highest"]["assessment"]["falsehood"] == 0.9
    assert (scores["mean"], scores["spread"]) == (result["consensus"]["mean"], result["consensus"]["spread"])
    assert votes["p1"] == [f for f in result["movements"][0]["falsehoods"] if f is not None][-1]


def test_a_baseline_is_measured_by_its_means() -> None:
    """What is not there is left out, and is no zero."""
    result: Any = {
        "falsehood": 0.4,
        "truth": None,
        "highest": 0.9,
        "evaluations": [{"participant": "p1", "assessment": {"falsehood": 0.9}}],
    }
    assert findings("evaluate", result) == ({"falsehood": 0.4, "highest": 0.9}, {"p1": 0.9})


def test_a_debate_is_measured_by_its_last_round() -> None:
    """Confidence and agreement are those of the last round; votes are where everybody stands."""
    result = debate_result().model_dump(mode="json", by_alias=True)
    scores, votes = findings("debate", result)
    assert scores["mean_confidence"] == result["rounds"][-1]["measures"]["mean_confidence"]
    assert scores["accepts"] == sum(vote == "ACCEPT" for vote in votes.values())
    assert scores["rounds"] == len(result["rounds"])


def test_the_final_answer_of_a_debate_is_told_with_whose_it_is_and_those_by_round() -> None:
    """A study reads the answer from here, and accuracy by round can be computed (point 26)."""
    result = debate_result(answer="B", answered_by="judge").model_dump(mode="json", by_alias=True)
    result["rounds"][0] |= {"answers": {"p1": "A", "p2": "B"}, "majority": None}
    _, votes = findings("debate", result)
    assert ("B", "judge") == (votes["answer"], votes["answered_by"])
    assert [{"majority": None, "answers": {"p1": "A", "p2": "B"}}] == votes["rounds"]
    assert votes.keys() >= {"p1", "p2", "p3"}


@pytest.mark.parametrize(
    ("protocol", "result", "more"),
    [
        ("self_consistency", {"answer": "B", "asked": 5, "tally": TALLY}, {"asked": 5.0}),
        ("majority", {"answer": "B", "asked": 5, "tally": TALLY}, {"asked": 5.0}),
        ("mixture", {"answer": "B", "layers": [{"tally": {}}, {"tally": TALLY}]}, {"layers": 2.0}),
    ],
)
def test_a_vote_is_measured_by_its_count(protocol: str, result: Any, more: dict[str, float]) -> None:
    """The answer that won, how many gave each, and the winner's share; of layers the last counts."""
    assert findings(protocol, result) == (COUNTED | more, {"answer": "B", "counts": {"B": 3, "C": 1}})


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("result", [None, [], "x", {}, {"tally": None, "rounds": [], "state": {}, "consensus": None}])
def test_a_result_without_figures_measures_nothing(protocol: str, result: Any) -> None:
    """A result that broke off, or of a version that is not known, is no error and no zero."""
    scores, votes = findings(protocol, result)
    assert (set(scores.values()) <= {0.0}, votes) == (True, {})


@given(st.sampled_from(PROTOCOLS), JSON | KNOWN)
def test_no_result_stops_the_ledger(protocol: str, result: Any) -> None:
    """Whatever JSON a result is: it is read without an error, and every score is finite."""
    scores, _ = findings(protocol, result)
    assert all(abs(value) < float("inf") for value in scores.values())


def test_an_answer_is_kept_as_a_database_can() -> None:
    """What a model named its answer may hold NUL and lone surrogates; the column may not."""
    tally: Any = {"choices": [{"answer": "a\x00\ud800", "votes": 1}]}
    _, votes = findings("majority", {"answer": "a\x00", "tally": tally})
    assert votes == {"answer": "a\ufffd", "counts": {"a\ufffd\ufffd": 1}}


async def recorded(store: Store, **changes: Any) -> Any:
    """The line of a council after it was recorded."""
    line = line_of(entered().instances[0], **changes)
    await ActivityEnvironment().run(Books(store).record_deliberation, line)
    (row,) = await store.rows(select(DELIBERATIONS))
    return row


async def paid(store: Store, seat: str, stage: str = "opinion", *, call: str = "", **changes: Any) -> None:
    """An answer of ``seat`` in the ledger."""
    whose = identity(f"{call or stage}-{seat}", workflow_id="toy/q0.council")
    reply = answer().model_copy(update={"participant": ParticipantId(seat), **changes})
    await Journal(store).once(whose, Payments(reply, quick=True), Occasion(stage=stage))


def loss(seat: str, stage: str = "opinion", *, call: str = "") -> LostEntry:
    """A call of ``seat`` that was lost."""
    whose = identity(f"{call or stage}-{seat}", workflow_id="toy/q0.council")
    reply = failure().model_copy(update={"participant": ParticipantId(seat)})
    return LostEntry(identity=whose, stage=stage, reply=reply)


async def test_the_quorum_counts_who_was_asked_and_who_answered(store: Store) -> None:
    """Stage by stage, over all turns."""
    for seat in ("p1", "p2"):
        await paid(store, seat)
    await paid(store, "p1", "review")
    row = await recorded(store, lost=(loss("p3"),))
    assert row.quorum == {"opinion": {"asked": 3, "answered": 2}, "review": {"asked": 1, "answered": 1}}


async def test_a_seat_that_answered_when_asked_again_is_not_lost(store: Store) -> None:
    """Asked again with more room, or with another model behind the seat, it was asked once and answered."""
    await paid(store, "p1", call="opinion-again")
    row = await recorded(store, lost=(loss("p1"),))
    assert row.quorum == {"opinion": {"asked": 1, "answered": 1}}


async def test_an_answer_that_came_too_late_was_no_answer(store: Store) -> None:
    """What the deliberation gave up it went on without, though the answer was paid for in the end."""
    await paid(store, "p1")
    row = await recorded(store, lost=(loss("p1"),))
    assert row.quorum == {"opinion": {"asked": 1, "answered": 0}}


async def test_a_line_has_the_flaws_of_its_result_by_kind(sqlite_store: Store) -> None:
    """Whether it is degraded, and what was refused apart from what was lost; being partial is another thing."""
    whole = await recorded(sqlite_store, partial=True)
    assert (whole.degraded, whole.flaws) == (False, {})
    row = await recorded(sqlite_store, degraded=True, flaws={"lost": 1, "refused": 2})
    assert (row.degraded, row.flaws) == (True, {"lost": 1, "refused": 2})


@pytest.mark.parametrize(
    ("costs", "source"),
    [
        ([], "unknown"),
        ([Cost(usd=0.1, source="provider")] * 2, "provider"),
        ([Cost(usd=0.1, source="price_list")], "price_list"),
        ([Cost(usd=0.1, source="price_list"), Cost(usd=0.1, source="provider")], "mixed"),
        ([Cost(), Cost(usd=0.1, source="provider")], "mixed"),
        ([Cost()], "unknown"),
    ],
)
async def test_the_source_of_the_costs_is_told(sqlite_store: Store, costs: list[Cost], source: str) -> None:
    """One source is named, several are mixed, and an answer of unknown cost is a source of its own."""
    for number, cost in enumerate(costs):
        await paid(sqlite_store, f"p{number}", cost=cost)
    assert (await recorded(sqlite_store, lost=(loss("p9"),))).cost_source == source


async def test_a_lost_call_that_was_paid_for_has_a_source(sqlite_store: Store) -> None:
    """What a lost call wrote was billed, so its cost being unknown is told."""
    one = loss("p1")
    billed = one.reply.model_copy(update={"usage": Usage(completion_tokens=9)})
    await paid(sqlite_store, "p2")
    row = await recorded(sqlite_store, lost=(one.model_copy(update={"reply": billed}),))
    assert row.cost_source == "mixed"

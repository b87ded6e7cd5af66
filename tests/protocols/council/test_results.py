"""The minutes and the result made from them (seed 002, "Response Structure")."""

from typing import Any

import pytest

from protocols.anonymity import Labels
from protocols.council import results, rules
from protocols.council.model import CouncilInput, CouncilRecord, CouncilResult, StopReason
from protocols.council.tables import order_table
from protocols.deliberation import Ending, describe_failure
from protocols.model_call import ModelId, ParticipantId, Spending, lost_call
from protocols.panel import CHAIR, Panel
from protocols.update_requests import ReplaceParticipant
from tests.fakes.councils import council_input
from tests.fakes.shown_tables import texts
from tests.protocols.council.paper import cast, labels, lost, models, opinion, review, seat

PANEL = Panel.of(("maker/model-1", "maker/model-2", "maker/model-3"), "maker/chair")


def held(**changes: Any) -> CouncilRecord:
    """Three answers, reviewed by all: the second is best."""
    ballots = (cast("BAC", 3, 0), cast("BCA", 3, 1), cast("ABC", 3, 2))
    record = CouncilRecord(
        opinions=(opinion(0, "Red."), opinion(1, "Blue."), opinion(2, "Green.")),
        labels=labels(3),
        reviews=(review(0, "BAC", 3), review(1, "BCA", 3), review(2, "ABC", 3)),
        ballots=ballots,
        tally=rules.tally(labels(3), models(3), ballots, exclude_self_votes=False),
        synthesis=opinion(0, "Blue, all told.", model="openrouter:maker/chair", participant=CHAIR),
        synthesis_by="chair",
    )
    return record.model_copy(update=changes)


def concluded(record: CouncilRecord, stop_reason: StopReason = "verdict", **changes: Any) -> CouncilResult:
    """The result of that council."""
    inp: CouncilInput = council_input(panel=PANEL, **changes)
    return results.build_result(inp, record, Ending("council-x", stop_reason, Spending(calls=7)))


def test_response_structure() -> None:
    """The seed's four parts come out as the seed has them (seed 002, "Response Structure")."""
    result = concluded(held()).model_dump(mode="json")
    usage = {"prompt_tokens": 10, "completion_tokens": 0, "reasoning_tokens": None, "cached_tokens": None}
    assert result["stage1"][0] == {
        "model": "maker/model-1",
        "response": "Red.",
        "usage": usage,
        "provider": "openrouter",
    }
    assert result["stage2"][0] == {
        "model": "maker/model-1",
        "ranking": "I rank BAC.",
        "parsed_ranking": ["Response B", "Response A", "Response C"],
    }
    assert result["stage3"] == {"model": "maker/chair", "response": "Blue, all told.", "usage": usage}


def test_metadata_lifts_the_anonymity() -> None:
    """The metadata name the model behind each label and rank the models by average position, lower is better."""
    metadata = concluded(held()).metadata
    assert metadata.label_to_model == {f"Response {x}": f"maker/model-{n}" for n, x in enumerate("ABC", start=1)}
    assert [(row.model, round(row.average_rank, 2), row.votes) for row in metadata.aggregate_rankings] == [
        ("maker/model-2", 1.33, 3),
        ("maker/model-1", 2.0, 3),
        ("maker/model-3", 2.67, 3),
    ]


def test_a_verdict_is_whole_when_nobody_was_lost() -> None:
    """A council that lost no one and ended is neither partial nor degraded."""
    result = concluded(held())
    assert (result.verdict, result.partial, describe_failure(result, results.FAILURES)) == (
        "Blue, all told.",
        False,
        None,
    )
    assert not result.degraded.is_degraded


def test_partial_model_failure() -> None:
    """With one model lost the result has the other answers and names the loss (seed 002, "Partial Model Failure")."""
    result = concluded(held(lost=(lost_call(lost(3), "opinion"),)))
    assert len(result.stage1) == 3
    assert (False, "degraded: 1 lost") == (result.partial, result.degraded.line)
    assert result.failed[0].message == "no answer within 120 s"


def test_all_models_fail() -> None:
    """Without one answer there is one clear message that names every loss (seed 002, "All Models Fail")."""
    losses = tuple(lost_call(lost(n), "opinion") for n in range(3))
    message = describe_failure(concluded(CouncilRecord(lost=losses), "no_answers"), results.FAILURES) or ""
    assert message.startswith("no participant answered")
    assert all(f"maker/model-{n} (round 1, timeout: no answer within 120 s)" in message for n in (1, 2, 3))


def test_a_failure_is_no_longer_than_can_be_recorded() -> None:
    """However many were lost, the message stays within a thousand characters."""
    losses = tuple(lost_call(lost(n), "opinion") for n in range(26))
    assert len(describe_failure(concluded(CouncilRecord(lost=losses), "no_answers"), results.FAILURES) or "") == 1000


def test_before_anything_was_said_there_is_nothing_to_show() -> None:
    """A council stopped at once has an empty structure and no verdict."""
    result = concluded(CouncilRecord(), "stopped")
    assert (result.stage1, result.stage2, result.stage3, result.verdict) == ((), (), None, None)
    assert result.metadata.label_to_model == {}
    assert result.partial


def test_when_no_chair_concluded_the_best_answer_stands_in_as_itself() -> None:
    """The winner's own answer is the verdict, under its own name, marked as a fallback and paid for once."""
    result = concluded(held(synthesis=None, synthesis_by="fallback"))
    assert result.stage3 is not None
    assert (result.stage3.model, result.verdict, result.synthesis) == ("maker/model-2", "Blue.", "fallback")
    assert result.stage3.usage.total_tokens is None


@pytest.mark.parametrize("stands_in", [False, True], ids=["the chair's", "the best answer"])
def test_a_verdict_that_is_cut_is_partial(stands_in: bool) -> None:
    """Whether the chair concluded or the best answer is in, a text that ends at its limit is no whole verdict."""
    half = opinion(1, "Blue, beca", finish="truncated")
    standing = {
        "synthesis": None,
        "synthesis_by": "fallback",
        "opinions": (opinion(0, "Red."), half, opinion(2, "Green.")),
    }
    assert concluded(held(**(standing if stands_in else {"synthesis": half}))).partial


def test_without_a_tally_the_first_answer_stands_in() -> None:
    """Where nothing was ranked the first answer in panel order is as good as any."""
    result = concluded(held(synthesis=None, synthesis_by="fallback", tally=None, labels=None, reviews=(), ballots=()))
    assert result.verdict == "Red."
    assert result.metadata.aggregate_rankings == ()


def test_labels_without_a_tally_still_lift_the_anonymity() -> None:
    """Reviews that could not be counted leave the labels and no ranks."""
    metadata = concluded(held(tally=None)).metadata
    assert set(metadata.label_to_model) == {"Response A", "Response B", "Response C"}
    assert metadata.aggregate_rankings == ()


@pytest.mark.parametrize(
    ("changes", "answers", "skipped"),
    [({"final_only": True}, 3, "final_only"), ({}, 1, "one_answer"), ({}, 2, None), ({}, 3, None)],
)
def test_a_review_takes_two_answers(changes: dict[str, Any], answers: int, skipped: str | None) -> None:
    """With one answer there is nothing to rank, and with ``final_only`` nothing is ranked."""
    assert results.review_skipped(council_input(**changes), held().opinions[:answers]) == skipped


def test_answers_are_shown_as_they_were_read_in_the_order_drawn() -> None:
    """Peers see the reading, not the text, under the assigned labels."""
    signed = opinion(0, "As Claude, red.", reading={"shown": "As this model, red."})
    dealt = Labels(authors=(seat(1), seat(0)))
    shown = results.shown_answers([signed, opinion(1, "Blue.")], dealt, ["Response B", "Response A"])
    assert list(shown.items()) == [("Response B", "As this model, red."), ("Response A", "Blue.")]


@pytest.mark.parametrize(("reviewer", "own"), [(1, "Response B"), (5, None)])
def test_a_ballot_is_cast_with_the_reviewers_own_label(reviewer: int, own: str | None) -> None:
    """Who cast it, which answer is its own, and what order it saw travel with the ballot."""
    ballot = results.cast(review(reviewer, "BA", 2), labels(2), ["Response B", "Response A"])
    assert (ballot.reviewer, ballot.own_label) == (seat(reviewer), own)
    assert ballot.shown_order == ("Response B", "Response A")


@pytest.mark.parametrize(("mode", "kinds"), [("strict", ["unparseable"]), ("resilient", [])])
def test_a_void_ballot_is_a_loss_in_strict_mode_alone(mode: str, kinds: list[str]) -> None:
    """STRICT takes a ballot without a ranking for a lost participant; RESILIENT counts the others."""
    ballots = [cast("BA", 2, 0), cast("", 2, 1)]
    assert [call.kind for call in results.void_in_strict(council_input(failure_mode=mode), ballots)] == kinds


def test_the_chair_reads_models_by_name_and_seats_where_names_repeat() -> None:
    """A model that sits twice is distinguished by its seat."""
    twice = [opinion(0, "Red."), opinion(1, "Blue."), opinion(2, "Green.", model="openrouter:maker/model-1")]
    assert results.chair_answers(twice) == {
        "maker/model-1 (p1)": "Red.",
        "maker/model-2": "Blue.",
        "maker/model-1 (p3)": "Green.",
    }


@pytest.mark.parametrize(
    ("fallbacks", "record", "chairs"),
    [
        ((), held(), ["openrouter:maker/chair", "openrouter:maker/model-2"]),
        ((), held(tally=None), ["openrouter:maker/chair", "openrouter:maker/model-1"]),
        (("x/y", "maker/chair"), held(), ["openrouter:maker/chair", "openrouter:x/y"]),
    ],
)
def test_the_chair_comes_first_and_then_its_fallbacks(
    fallbacks: tuple[str, ...], record: CouncilRecord, chairs: list[str]
) -> None:
    """Named fallbacks follow the chair, else the author of the best answer; no model is asked twice."""
    panel = Panel.of(("maker/model-1", "maker/model-2"), "maker/chair", fallbacks=fallbacks)
    assert list(results.chairs(panel, record)) == chairs


@pytest.mark.parametrize(("participant", "stage"), [("p1", "synthesis"), ("p9", "review")])
def test_whoever_has_nothing_left_to_do_is_not_replaced(participant: str, stage: str) -> None:
    """A seat is not filled anew when only the chair is still to be asked, or when it was lost before the review."""
    request = ReplaceParticipant(participant=ParticipantId(participant), model=ModelId("ollama:x"))
    with pytest.raises(ValueError, match=repr(participant)):
        results.refuse_replacement(held(), stage, request)


@pytest.mark.parametrize(("participant", "stage"), [("chair", "synthesis"), ("p1", "review"), ("p9", "opinion")])
def test_whoever_is_still_to_be_asked_may_be_replaced(participant: str, stage: str) -> None:
    """The chair always, a reviewer that answered, and any participant before the review."""
    request = ReplaceParticipant(participant=ParticipantId(participant), model=ModelId("ollama:x"))
    results.refuse_replacement(held(), stage, request)
    assert request.model == "ollama:x"


def test_the_transcript_has_every_stage_in_order_with_labels_on_the_answers() -> None:
    """Answers carry the label peers saw them under; reviews and synthesis have none."""
    turns = results.transcript(held()).turns
    assert [turn.stage for turn in turns] == [*["opinion"] * 3, *["review"] * 3, "synthesis"]
    assert [turn.label for turn in turns] == ["Response A", "Response B", "Response C", None, None, None, None]


def test_a_shared_place_is_marked_in_the_table() -> None:
    """Places that are tied carry a sign of it, under the same heading as any other."""
    tally = rules.tally(labels(2), models(2), [cast("AB", 2, 0), cast("BA", 2, 1)], exclude_self_votes=False)
    assert tally is not None
    assert texts(order_table(tally))[1] == ["1=", "Response A", "p1", "model-1", "1.50", "2", "1"]


def test_an_answer_that_no_ballot_counted_has_a_dash_in_the_table() -> None:
    """No average is shown as none, not as zero."""
    tally = rules.tally(labels(2), models(2), [cast("BA", 2, 0)], exclude_self_votes=True)
    assert tally is not None
    assert texts(order_table(tally))[2] == ["2", "Response A", "p1", "model-1", "–", "0", "0"]


@pytest.mark.parametrize(("chair", "is_rehearsal"), [("rehearsal:steady-1", True), ("maker/chair", False)])
def test_one_scripted_model_makes_a_rehearsal(chair: str, *, is_rehearsal: bool) -> None:
    """A panel with a scripted model anywhere on it measures the machinery."""
    assert Panel.of(("maker/model-1",), chair).is_rehearsal == is_rehearsal


def kinds(result: CouncilResult) -> list[tuple[str, str, str]]:
    """The flaws of a result: kind, seat and note."""
    return [(flaw.kind, flaw.participant, flaw.note) for flaw in result.degraded.flaws]


def test_a_fallback_that_judged_its_own_win_is_named() -> None:
    """The result says who wrote the verdict in place of the chair, and that the tally puts its own answer first."""
    written = opinion(1, "Blue.", participant=CHAIR)
    assert kinds(concluded(held(synthesis=written, synthesis_by="fallback_chair"))) == [
        (
            "fallback_chair",
            CHAIR,
            (
                "maker/model-2 wrote the verdict in place of the chair, and its own answer (Response B) is the one "
                "that the tally puts first"
            ),
        )
    ]
    other = opinion(0, "Blue.", participant=CHAIR, model="openrouter:maker/spare")
    assert kinds(concluded(held(synthesis=other, synthesis_by="fallback_chair"))) == [
        ("fallback_chair", CHAIR, "maker/spare wrote the verdict in place of the chair")
    ]


def test_a_verdict_that_no_chair_wrote_is_named() -> None:
    """Where no chair answered, the result says whose answer means the verdict."""
    record = held(synthesis=None, synthesis_by="fallback")
    note = "no chair answered: the verdict is the answer that the tally puts first (Response B), by maker/model-2"
    assert kinds(concluded(record)) == [("fallback_chair", CHAIR, note)]


def test_void_and_mended_ballots_and_ties_are_flaws() -> None:
    """A void ballot degrades a result; what was mended, and a tie that a rule broke, is only said."""
    mended = cast("BA", 2, 0)
    mended = mended.model_copy(
        update={"ballot": mended.ballot.model_copy(update={"repairs": ("numbers out of order",)})}
    )
    ballots = (mended, cast("AB", 2, 1), cast("", 2, 2))
    tally = rules.tally(labels(2), models(2), ballots, exclude_self_votes=False)
    result = concluded(held(ballots=ballots, tally=tally))
    assert [(kind, seat_id) for kind, seat_id, _ in kinds(result)] == [
        ("repaired", "p1"),
        ("void_ballot", "p3"),
        ("tie_broken", "p1"),
    ]
    assert result.degraded.is_degraded


def test_names_that_reviewers_did_not_see_are_reported() -> None:
    """What was replaced in an answer is in the result, by seat."""
    named = opinion(1, "As Claude, blue.", reading={"shown": "As this model, blue.", "names_hidden": ["Claude"]})
    hidden = concluded(held(opinions=(opinion(0, "Red."), named, opinion(2, "Green.")))).names_hidden
    assert [(one.participant, one.names) for one in hidden] == [("p2", ("Claude",))]

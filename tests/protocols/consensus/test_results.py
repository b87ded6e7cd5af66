"""The minutes and the result made from them, and what is drawn meanwhile (seed 004)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pytest

from protocols.consensus import results
from protocols.consensus.model import (
    BARS,
    CURATOR,
    SPEAKERS,
    STAGES,
    BarName,
    ConsensusResult,
    ConsensusState,
    Opinion,
    Speaker,
    Stance,
    StopReason,
    VisualState,
)
from protocols.consensus.prompts import PACK
from protocols.consensus.results import ConsensusRecord
from protocols.consensus.tables import opinion_of, rounds_table
from protocols.deliberation import Ending, describe_failure
from protocols.model_call import Spending, lost_call
from protocols.progress import Progress, StageBar, StageStatus
from protocols.update_requests import AddRounds
from tests.fakes.consensuses import QUESTION, consensus_input
from tests.fakes.shown_tables import texts
from tests.protocols.consensus.talk import (
    DRAFT,
    checked,
    course,
    lost,
    opinions,
    polishes,
    turn,
    zombies,
)

Bars = Mapping[str, StageStatus]
"""How the bars are that are not ready."""

POLISHED = "The draft, as it shines."
TWO_ROUNDS = checked(checked(course(), "YES", "YES", "NO"), "NO", "NO", "NO")
"""The seed's "Expected Behavior"."""

TURNS = (
    turn("generator", "Here's my answer."),
    turn("refiner", "Let me improve that answer."),
    turn("validator", "Here's the corrected version."),
    turn("consensus_check", "It should say more.", by="generator"),
    turn("consensus_check", "ACCEPT", by="validator"),
    turn("generator", "ACCEPT", 2),
    turn("validator", "ACCEPT", 2),
    turn("consensus_check", "ACCEPT", 2, by="generator"),
)

CURATOR_LOST = lost_call(lost("curator"), "curator", 2)


def progress(spent: Spending | None = None, bars: Bars | None = None) -> Progress:
    """The state in which every bar is ready but those named."""
    drawn = tuple(StageBar(name=name, status=(bars or {}).get(name, "ready")) for name in STAGES)
    return Progress(protocol="consensus", title="sky", round=2, stages=drawn, spent=spent or Spending())


def completed(*names: str, then: Bars | None = None) -> Bars:
    """These bars are completed, and some ``then`` are otherwise."""
    over: dict[str, StageStatus] = dict.fromkeys(names, "completed")
    return {**over, **(then or {})}


def concluded(
    record: ConsensusRecord, stop_reason: StopReason = "consensus", spent: Spending | None = None, **changes: Any
) -> ConsensusResult:
    """The result of that consensus."""
    ending = Ending("consensus-sky", stop_reason, spent or Spending())
    return results.build_result(consensus_input(**changes), record, ending)


def agreed(**changes: Any) -> ConsensusRecord:
    """All accepted in the second round, and the curator polished."""
    whole = ConsensusRecord(course=TWO_ROUNDS, turns=TURNS, curated=polishes(POLISHED), is_agreed=True)
    return whole._replace(**changes)


def drawn(bars: Bars | None = None, given: dict[Speaker, Opinion | None] | None = None) -> VisualState:
    """What is drawn when these bars are not ready and these opinions are known."""
    return results.visual_state(progress(Spending(prompt_tokens=7, completion_tokens=5, usd=0.5), bars), given or {})


def is_refused(refuse: Callable[..., None], *asked: object) -> bool:
    """Whether ``refuse`` objects."""
    try:
        refuse(*asked)
    except ValueError:
        return True
    return False


ENDS: dict[StopReason, tuple[ConsensusRecord, str | None, str, bool, bool]] = {
    "consensus": (agreed(), POLISHED, "curator", False, True),
    "round_limit": (ConsensusRecord(course=TWO_ROUNDS), DRAFT, "draft", False, False),
    "majority": (ConsensusRecord(course=TWO_ROUNDS), DRAFT, "draft", False, False),
    "deadlock": (ConsensusRecord(course=TWO_ROUNDS), DRAFT, "draft", False, False),
    "accepted": (ConsensusRecord(course=TWO_ROUNDS), DRAFT, "draft", True, False),
    "stopped": (ConsensusRecord(course=TWO_ROUNDS), DRAFT, "draft", True, False),
    "budget": (ConsensusRecord(course=TWO_ROUNDS), DRAFT, "draft", True, False),
    "cancelled": (ConsensusRecord(course=TWO_ROUNDS), None, "none", True, False),
    "no_draft": (ConsensusRecord(course=ConsensusState()), None, "none", True, False),
    "participant_lost": (ConsensusRecord(course=course()), None, "none", True, False),
    "quorum_lost": (ConsensusRecord(course=course(speakers=zombies("refiner"))), DRAFT, "draft", True, False),
    "curator_lost": (agreed(curated=None, lost_curator=CURATOR_LOST), None, "none", True, True),
}
"""Every end: the minutes, and then verdict, who wrote it, whether it is partial, whether there was consensus."""


class TestEnds:
    """How a consensus ends, and what it leaves (seed 004, "Final Stage - Curator", "Safety Limits")."""

    def test_every_end_is_in_the_table(self) -> None:
        """There is no stop reason that this file states nothing about."""
        assert set(get_args(StopReason)) == set(ENDS)

    @pytest.mark.parametrize("stop_reason", ENDS)
    def test_what_is_left(self, stop_reason: StopReason) -> None:
        """The curator's text after a consensus, else the last draft; of a run that failed or was cancelled nothing."""
        record, verdict, written_by, partial, achieved = ENDS[stop_reason]
        result = concluded(record, stop_reason)
        assert (verdict, written_by, partial) == (result.verdict, result.written_by, result.partial)
        assert (stop_reason, achieved) == (result.stop_reason, result.consensus_achieved)
        assert achieved == result.conversation.consensus_achieved

    @pytest.mark.parametrize("stop_reason", ENDS)
    def test_the_draft_is_reported_however_it_ends(self, stop_reason: StopReason) -> None:
        """Beside the verdict is always the last draft, with its author."""
        record = ENDS[stop_reason][0]
        result = concluded(record, stop_reason)
        assert (record.course.draft, record.course.draft_by) == (result.draft, result.draft_by)

    def test_a_curator_with_nothing_to_polish_leaves_the_draft(self) -> None:
        """The curator's ACCEPT is no verdict: the text is the draft that was accepted."""
        assert DRAFT == concluded(agreed(curated=polishes(None))).verdict

    def test_a_curator_that_was_cut_off_leaves_the_draft(self) -> None:
        """Half a polished text does not replace a whole one, and the consensus is partial without it."""
        result = concluded(agreed(curated=polishes(POLISHED, finish="truncated")))
        assert (DRAFT, "draft", True) == (result.verdict, result.written_by, result.consensus_achieved)
        assert result.partial

    def test_a_curator_that_was_cut_off_before_its_first_word_is_cut_off_too(self) -> None:
        """A reply that ended at its limit while the model still thought is lost as cut: the consensus is partial."""
        unsaid = lost_call(lost("curator", "truncated"), "curator", 2)
        result = concluded(agreed(curated=None, lost_curator=unsaid))
        assert (DRAFT, True, {"cut": 1}) == (result.verdict, result.partial, result.degraded.counts)

    @pytest.mark.parametrize("stop_reason", [end for end in ENDS if not ENDS[end][3]])
    def test_a_verdict_from_a_cut_draft_is_partial(self, stop_reason: StopReason) -> None:
        """Also where all accepted the half draft and the curator polished it."""
        record = ENDS[stop_reason][0]
        half = record.course.model_copy(update={"is_draft_cut": True})
        assert concluded(record._replace(course=half), stop_reason).partial

    def test_a_lost_curator_leaves_the_draft(self) -> None:
        """RESILIENT: all accepted the draft, it is the verdict, and the loss is reported."""
        result = concluded(agreed(curated=None, lost_curator=CURATOR_LOST))
        assert (DRAFT, "draft", "degraded: 1 lost") == (result.verdict, result.written_by, result.degraded.line)
        assert ((CURATOR_LOST,), False) == (result.failed, result.partial)

    def test_stopped_while_the_curator_writes(self) -> None:
        """All accepted and then a user ended it: there was consensus, and the draft is the verdict."""
        result = concluded(agreed(curated=None), "stopped")
        assert (DRAFT, "draft", True) == (result.verdict, result.written_by, result.consensus_achieved)

    def test_stopped_before_anybody_answered(self) -> None:
        """Where nothing was written there is no verdict, and no failure either."""
        result = concluded(ConsensusRecord(course=ConsensusState()), "stopped")
        assert (None, "none", None) == (result.verdict, result.written_by, describe_failure(result, results.FAILURES))

    def test_a_loss_on_the_way_degrades_it(self) -> None:
        """A consensus that lost a call says so, and is whole when its rules ended it."""
        once = TWO_ROUNDS.model_copy(update={"failed": (lost_call(lost("refiner"), "refiner", 1),)})
        result = concluded(agreed(course=once))
        assert ("degraded: 1 lost", False) == (result.degraded.line, result.partial)

    @pytest.mark.parametrize("stop_reason", ENDS)
    def test_a_remark_is_reported_only_of_what_a_person_ended(self, stop_reason: StopReason) -> None:
        """A user may ask for an end that the rules give first: then no one's words are in the result."""
        result = concluded(ENDS[stop_reason][0]._replace(remark="enough"), stop_reason)
        assert ("enough" if stop_reason in {"stopped", "accepted"} else "") == result.remark

    def test_notes_of_the_messages_stand_beside_them(self) -> None:
        """The seed's record has no place for a note, so they are in the result, one for each message."""
        cut = turn("refiner", "Let me improve").model_copy(update={"note": "cut off by its length"})
        unused = turn("refiner", "Hm.").model_copy(update={"counts": False, "note": "could not be used"})
        result = concluded(ConsensusRecord(course=TWO_ROUNDS, turns=(TURNS[0], unused, cut, *TURNS[3:])), "round_limit")
        assert len(result.conversation.messages) == len(result.message_notes)
        assert ("", "cut off by its length", "") == result.message_notes[:3]

    def test_zombies_are_named(self) -> None:
        """Who was lost twice in a row is in the result."""
        dead = TWO_ROUNDS.model_copy(update={"speakers": zombies("generator", "validator")})
        assert ("generator", "validator") == concluded(ConsensusRecord(course=dead), "quorum_lost").zombies

    def test_what_was_asked_with_is_reported(self) -> None:
        """Question, id, and the prompt pack by version and fingerprint."""
        result = concluded(agreed())
        assert (QUESTION, "consensus-sky") == (result.question, result.deliberation_id)
        assert f"3@{PACK.fingerprint}" == result.prompts


class TestDataStructure:
    """Data Structure: the seed's conversation."""

    def test_messages_carry_the_opinion_of_their_round(self) -> None:
        """Every turn has what its speaker thought in that round's check; checks and curator are no messages."""
        told = concluded(agreed()).conversation.messages
        assert [
            ("generator", "Here's my answer.", 1, "YES"),
            ("refiner", "Let me improve that answer.", 1, "YES"),
            ("validator", "Here's the corrected version.", 1, "NO"),
            ("generator", "ACCEPT", 2, "NO"),
            ("validator", "ACCEPT", 2, "NO"),
        ] == [(m.speaker, m.content, m.round, m.consensus_opinion) for m in told]

    def test_an_opinion_that_was_not_obtained_is_open(self) -> None:
        """A check that was lost, and a round that was never checked, have no opinion."""
        once = checked(course(), None, "NO", "NO")
        turns = (turn("generator", "A"), turn("refiner", "B"), turn("generator", "C", 2))
        told = concluded(ConsensusRecord(course=once, turns=turns), "stopped").conversation.messages
        assert [None, "NO", None] == [message.consensus_opinion for message in told]

    def test_the_head_of_the_conversation(self) -> None:
        """Its id, its question and how many rounds were completed."""
        told = concluded(agreed()).conversation
        assert ("consensus-sky", QUESTION, 2) == (told.consensus_id, told.user_question, told.rounds_completed)

    @pytest.mark.parametrize(
        ("spent", "cost"),
        [
            (Spending(calls=7, usd=0.05), 0.05),
            (Spending(calls=7, usd=0.05, calls_of_unknown_cost=6), 0.05),
            (Spending(calls=7, calls_of_unknown_cost=7), None),
            (Spending(calls=7), 0.0),
            (Spending(), 0.0),
        ],
        ids=["all known", "one known", "nothing known", "free", "nothing asked"],
    )
    def test_a_cost_of_which_nothing_is_known_is_none(self, spent: Spending, cost: float | None) -> None:
        """Unknown is distinguished from free; of a cost that is known in part that part is reported."""
        assert cost == concluded(agreed(), spent=spent).conversation.total_cost

    def test_tokens_are_those_of_all_calls(self) -> None:
        """Prompt and completion tokens of every round together."""
        spent = Spending(calls=7, prompt_tokens=3_000, completion_tokens=1_500)
        result = concluded(agreed(), spent=spent)
        assert (4_500, spent) == (result.conversation.total_tokens, result.spent)

    def test_checks_and_curation_stand_beside_it(self) -> None:
        """The turns of the checks are kept, corrections and all, and so is the curator's reply."""
        polished = turn(CURATOR, POLISHED, 2)
        result = concluded(agreed(turns=(*TURNS, polished)))
        assert ["It should say more.", "ACCEPT", "ACCEPT"] == [one.text for one in result.checks]
        assert (polished, None) == (result.curation, concluded(agreed()).curation)

    def test_scripted_models_make_it_a_rehearsal(self) -> None:
        """The result says what the workflow knows of the models that answered."""
        scripted: Ending[StopReason] = Ending("x", "consensus", rehearsal=True)
        result = results.build_result(consensus_input(), agreed(), scripted)
        assert (True, False) == (result.rehearsal, concluded(agreed()).rehearsal)


class TestFailures:
    """A consensus that cannot have a verdict fails with one clear message."""

    @pytest.mark.parametrize(
        ("stop_reason", "begins"),
        [
            ("no_draft", "none of the three wrote a draft in the first round: "),
            ("participant_lost", "STRICT mode, and a participant was lost: "),
            ("curator_lost", "STRICT mode, and the curator was lost: "),
        ],
    )
    def test_a_failure_names_reason_and_losses(self, stop_reason: StopReason, begins: str) -> None:
        """Why it failed, then every loss by the model's name, its kind and the provider's words."""
        failed = (lost_call(lost("generator"), "generator"), lost_call(lost("refiner", "refused"), "refiner"))
        message = describe_failure(
            concluded(ConsensusRecord(course=ConsensusState(failed=failed)), stop_reason), results.FAILURES
        )
        assert message == (
            f"{begins}generator maker/generator (round 1, timeout: no data for six hours); "
            "refiner maker/refiner (round 1, refused: no data for six hours)"
        )

    @pytest.mark.parametrize("stop_reason", sorted(set(ENDS) - {"no_draft", "participant_lost", "curator_lost"}))
    def test_any_other_end_is_no_failure(self, stop_reason: StopReason) -> None:
        """What ends with a draft, or because a user wants it, has a result."""
        assert describe_failure(concluded(ENDS[stop_reason][0], stop_reason), results.FAILURES) is None

    def test_a_failure_is_no_longer_than_can_be_recorded(self) -> None:
        """However many were lost, the message stays within a thousand characters."""
        many = ConsensusState(failed=(lost_call(lost("generator"), "generator"),) * 40)
        assert 1000 == len(
            describe_failure(concluded(ConsensusRecord(course=many), "no_draft"), results.FAILURES) or ""
        )


class TestRounds:
    """The rounds as a table: the opinion of each speaker on each draft."""

    def test_the_example_of_two_rounds(self) -> None:
        """A row for each round, ACCEPT for NO (seed 004, "Expected Behavior")."""
        assert [
            ["round", "generator", "refiner", "validator", "draft by", "draft"],
            ["1", "objection", "objection", "ACCEPT", "generator", "new"],
            ["2", "ACCEPT", "ACCEPT", "ACCEPT", "generator", "unchanged"],
        ] == texts(rounds_table(TWO_ROUNDS.rounds))

    def test_a_check_in_progress_has_its_row(self) -> None:
        """The round being checked comes last, with the opinions obtained so far."""
        stances: dict[Speaker, Stance | None] = {"generator": "accept", "refiner": None, "validator": "correction"}
        shown = texts(rounds_table(TWO_ROUNDS.rounds, (stances, TWO_ROUNDS.draft_by)))
        assert ["3", "ACCEPT", "-", "correction", "generator", "being checked"] == shown[-1]

    def test_no_vote_differs_from_no_answer(self) -> None:
        """A zombie has no vote; an opinion that was not obtained is a dash."""
        (_, row) = texts(rounds_table(checked(course(draft_by=None), "NO", None).rounds))
        assert ["1", "ACCEPT", "-", "no vote", "-", "new"] == row


class TestVisualSynchronization:
    """Progress Bar Synchronization, Neural Graphics Synchronization: what is drawn at every moment."""

    @pytest.mark.parametrize(
        ("bars", "current", "progress", "phase"),
        [
            ({}, "generator", 0, "GENERATE"),
            ({"generator": "running"}, "generator", 0, "GENERATE"),
            (completed("generator"), "generator", 100, "GENERATE"),
            (completed("generator", then={"refiner": "running"}), "refiner", 0, "REFINE"),
            (completed("generator", "refiner", then={"validator": "running"}), "validator", 0, "VALIDATE"),
            (completed(*SPEAKERS), "validator", 100, "VALIDATE"),
            (completed(*SPEAKERS, then={"consensus_check": "running"}), "validator", 100, "VALIDATE"),
            (completed(*STAGES[:4]), "validator", 100, "VALIDATE"),
            (completed(*STAGES[:4], then={"curator": "running"}), "curator", 0, "CURATE"),
            (completed(*STAGES), "curator", 100, "CURATE"),
        ],
        ids=[
            *("ready", "generator runs", "generator done", "refiner runs", "validator runs", "validator done"),
            *("check runs", "check done", "curator runs", "curator done"),
        ],
    )
    def test_the_current_stage(self, bars: Bars, current: BarName, progress: int, phase: str) -> None:
        """Generator, refiner, validator, which stays complete while the check runs, and only then the curator."""
        seen = drawn(bars)
        assert (current, progress, phase) == (seen.current_stage, seen.stage_progress, seen.phase)

    @pytest.mark.parametrize(
        ("status", "shown"),
        [
            ("ready", ("ready", 0)),
            ("running", ("running", 0)),
            ("completed", ("completed", 100)),
            ("skipped", ("ready", 0)),
        ],
    )
    def test_a_bar(self, status: StageStatus, shown: tuple[str, int]) -> None:
        """Ready at 0, running, completed at 100; one that is not asked any more stays ready."""
        bar = drawn({"refiner": status}).stages["refiner"]
        assert shown == (bar.status, bar.progress)

    def test_every_bar_is_drawn_and_the_check_has_none(self) -> None:
        """Four bars in their order; the curator's stays ready until there is consensus."""
        seen = drawn(completed(*STAGES[:4]))
        assert list(BARS) == list(seen.stages)
        assert ["completed"] * 3 + ["ready"] == [bar.status for bar in seen.stages.values()]

    def test_round_tokens_and_cost(self) -> None:
        """The present round, and what all rounds have used and cost so far."""
        seen = drawn()
        assert (2, 12, 0.5) == (seen.current_round, seen.total_tokens, seen.total_cost)

    def test_opinions_are_null_until_they_are_obtained(self) -> None:
        """All three speakers have their place, one that has no vote included."""
        assert opinions("YES", None, None) == drawn(given={"generator": "YES"}).consensus_opinions

    def test_the_last_sight_stays_when_it_ended(self) -> None:
        """After the last round of a run without consensus the validator's bar is complete and the curator's ready."""
        ended = progress(bars=completed(*STAGES[:4])).model_copy(
            update={"stage": "ended", "phase": "", "stop_reason": "round_limit"}
        )
        assert drawn(completed(*STAGES[:4])).stages == results.visual_state(ended, {}).stages
        assert "validator" == results.visual_state(ended, {}).current_stage


class TestRefusals:
    """What a user asks for in vain, and why."""

    @pytest.mark.parametrize(("limit", "taken"), [(10, range(1, 41)), (49, [1]), (50, []), (1, range(1, 50))])
    def test_rounds_are_added_up_to_fifty(self, limit: int, taken: Sequence[int]) -> None:
        """There are at most 50 rounds in all; where 50 are allowed already no more can be added."""
        asked = [AddRounds(rounds=n) for n in range(1, 51)]
        assert list(taken) == [one.rounds for one in asked if not is_refused(results.refuse_rounds, limit, one)]

    @pytest.mark.parametrize(
        ("stage", "refused"), [(CURATOR, SPEAKERS), *((stage, ()) for stage in ("ready", *STAGES[:4]))]
    )
    def test_whoever_has_nothing_left_to_do_is_not_replaced(self, stage: str, refused: Sequence[str]) -> None:
        """Until all accept any seat may be replaced, then only the curator."""
        assert list(refused) == [seat for seat in BARS if is_refused(results.refuse_replacement, stage, seat)]

    def test_the_refusal_names_who_is_done(self) -> None:
        """A user reads whose seat it is and why nothing comes of it."""
        with pytest.raises(ValueError, match="'refiner' has nothing left to do: all accepted, and only the curator"):
            results.refuse_replacement(CURATOR, "refiner")


class TestStandstill:
    """A draft that does not change is shown as unchanged, with the reason."""

    def test_from_the_third_round_on_it_is_said(self) -> None:
        """Two rounds with the same draft are not mentioned; three are, with the open objections."""
        now, told = course(), []
        for _ in range(3):
            now = checked(now, "NO", "YES", None)
            told.append(results.describe_unchanged_draft(now))
        why = "; not accepted by refiner: objection: I cannot ACCEPT.; validator: no reply"
        assert ["", "", f"the draft has not changed for 3 rounds{why}"] == told

    def test_the_result_states_why_there_is_no_consensus(self) -> None:
        """Which objections was is in the result; a consensus has no reason of that kind."""
        stood = checked(course(), "NO", "NO", "YES")
        reason = concluded(ConsensusRecord(course=stood), "round_limit").reason
        assert "in the last check not accepted by validator: objection: I cannot ACCEPT." == reason
        assert "" == concluded(agreed()).reason

    def test_rounds_without_stances_state_what_is_known(self) -> None:
        """Of a round that ran before stances were kept only the opinion is known."""
        (round_held,) = checked(course(), "NO", "YES").rounds
        old = round_held.model_copy(update={"stances": {}})
        assert ["ACCEPT", "no ACCEPT", "no vote"] == [opinion_of(old, name) for name in SPEAKERS]

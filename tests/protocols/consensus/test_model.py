"""What a consensus may be asked, and the seed's structures of what is seen and what comes back (seed 004)."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError
from temporalio.contrib.pydantic import pydantic_data_converter

from protocols.consensus.model import (
    BARS,
    CURATOR,
    MOST_ROUNDS,
    PHASES,
    SPEAKERS,
    STAGES,
    ConsensusInput,
    ConsensusResult,
    ConsensusState,
    ContinuedConsensus,
    Conversation,
    ConversationMessage,
    Opinion,
    RoundSummary,
    StageVisual,
    SyncEvent,
    SyncPoint,
    VisualState,
)
from protocols.model_call import CallTimeouts, ParticipantId, Sampling, Spending, lost_call
from protocols.panel import Panel
from protocols.update_requests import AcceptDraft
from tests.fakes.consensuses import PANEL, QUESTION, consensus_input
from tests.fakes.seed_panel import SEED_CURATOR, SEED_SPEAKERS
from tests.protocols.consensus.talk import course, lost, opinions, zombies

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SEEN = VisualState(
    current_round=2,
    current_stage="refiner",
    total_tokens=4_000,
    total_cost=0.0625,
    consensus_opinions=opinions("YES", None, "NO"),
    phase="REFINE",
    stages={name: StageVisual() for name in BARS} | {"generator": StageVisual(status="completed", progress=100)},
)


def sent(value: BaseModel) -> bytes:
    """``value`` unchanged in a history."""
    return pydantic_data_converter.payload_converter.to_payloads([value])[0].data


def arrived(value: BaseModel) -> object:
    """``value`` after its way through a history."""
    converter = pydantic_data_converter.payload_converter
    return converter.from_payloads(converter.to_payloads([value]), [type(value)])[0]


def fifty_rounds(draft: str, **changes: Any) -> ContinuedConsensus:
    """What is handed on before the last round, with a loss here and there and a full log of moments."""
    rounds = tuple(
        RoundSummary(round=n, opinions=opinions("YES", "NO", None), draft_by=ParticipantId("validator"))
        for n in range(1, MOST_ROUNDS + 1)
    )
    losses = tuple(lost_call(lost("refiner"), "consensus_check", n) for n in range(1, MOST_ROUNDS, 3))
    log = tuple(SyncEvent(number=n, point="model_completed", at=NOON, state=SEEN) for n in range(600, 632))
    given = {
        "course": course(draft=draft, rounds=rounds, checked="0" * 64, same_for=1, failed=losses),
        "panel": PANEL,
        "spent": Spending(calls=300, prompt_tokens=10**7, completion_tokens=10**7, usd=12.3456789),
        "max_rounds": MOST_ROUNDS,
        "secret": "00c0ffee00c0ffee",
        "chapter_key": "0f3a9a5e-1c1e-4b3e-9b7e-3c5d7a9e1b2f",
        "said": 300,
        "visual": SEEN,
        "events": log,
        "started_at": NOON,
        "failed_models": ("maker/refiner",),
    }
    return ContinuedConsensus.model_validate({**given, **changes})


class TestDataStructure:
    """Data Structure: the conversation under the seed's names."""

    @pytest.mark.parametrize(
        ("structure", "fields"),
        [
            (
                Conversation,
                [
                    *("consensus_id", "user_question", "messages", "rounds_completed", "consensus_achieved"),
                    *("total_tokens", "total_cost"),
                ],
            ),
            (ConversationMessage, ["speaker", "content", "round", "consensus_opinion"]),
        ],
    )
    def test_the_fields_are_the_seeds(self, structure: type[BaseModel], fields: list[str]) -> None:
        """The seed's fields in the seed's order, and no other."""
        assert fields == list(structure.model_fields)

    def test_the_result_leads_with_the_conversation(self) -> None:
        """What the seed describes is at the top of the result."""
        assert "conversation" == next(iter(ConsensusResult.model_fields))

    @pytest.mark.parametrize("opinion", ["YES", "NO", None])
    def test_an_opinion_is_yes_or_no_or_not_there(self, opinion: Opinion | None) -> None:
        """Binary decision: only YES or NO; the seed's field is optional."""
        told = {"speaker": "refiner", "content": "ACCEPT", "round": 1, "consensus_opinion": opinion}
        assert opinion == ConversationMessage.model_validate(told).consensus_opinion

    @pytest.mark.parametrize("change", [{"consensus_opinion": "MAYBE"}, {"speaker": "curator"}])
    def test_there_is_no_maybe_and_no_fourth_speaker(self, change: dict[str, str]) -> None:
        """No maybe or partial; the curator is no speaker."""
        told = {"speaker": "refiner", "content": "ACCEPT", "round": 1}
        with pytest.raises(ValidationError):
            ConversationMessage.model_validate({**told, **change})


class TestVisualIndicators:
    """Visual Indicators Needed, Implementation Sync Points: what a screen shows."""

    def test_the_keys_are_the_seeds(self) -> None:
        """In JSON the seed's six names come first, in its order, and two more say what every bar shows."""
        told = VisualState().model_dump(mode="json")
        seeds = ["currentRound", "currentStage", "stageProgress", "totalTokens", "totalCost", "consensusOpinions"]
        assert [*seeds, "phase", "stages"] == list(told)
        assert {"generator": None, "refiner": None, "validator": None} == told["consensusOpinions"]

    def test_the_keys_are_the_seeds_in_a_history_too(self) -> None:
        """Also inside another value, and on Temporal's wire, nothing is called otherwise."""
        event = SyncEvent(number=1, point="round_completed", at=NOON, state=SEEN)
        assert b'"state":{"currentRound":2,"currentStage":"refiner","stageProgress":0,' in sent(event)
        assert sent(SEEN).startswith(b'{"currentRound":2,')

    def test_the_first_sight(self) -> None:
        """Round 1, every bar ready at 0, nothing spent, no opinion."""
        seen = VisualState()
        assert (1, "generator", 0, "GENERATE") == (
            seen.current_round,
            seen.current_stage,
            seen.stage_progress,
            seen.phase,
        )
        assert {name: StageVisual(status="ready", progress=0) for name in BARS} == seen.stages
        assert (0, 0.0) == (seen.total_tokens, seen.total_cost)

    def test_what_is_seen_survives_the_wire(self) -> None:
        """A screen learns what the schedule saw."""
        assert SEEN == arrived(SEEN) == VisualState.model_validate_json(SEEN.model_dump_json())

    @pytest.mark.parametrize("progress", [-1, 101])
    def test_a_bar_ends_at_a_hundred(self, progress: int) -> None:
        """0-100 for the current stage, and nothing beyond."""
        with pytest.raises(ValidationError):
            StageVisual(progress=progress)

    def test_the_five_sync_points(self) -> None:
        """The seed's five moments in its order."""
        assert ("model_started", "model_completed", "round_completed", "round_started", "consensus_achieved") == (
            get_args(SyncPoint)
        )

    def test_the_phase_words(self) -> None:
        """Neural Graphic: GENERATE, REFINE, VALIDATE, CURATE."""
        words = {"generator": "GENERATE", "refiner": "REFINE", "validator": "VALIDATE", "curator": "CURATE"}
        assert words == PHASES


class TestWhatMayBeAsked:
    """The input: three speakers, a curator, and limits that make sense."""

    def test_the_defaults_are_the_seeds(self) -> None:
        """At most 50 rounds and no timeout (Safety Limits); a draft that is unchanged for five rounds ends it."""
        inp = ConsensusInput(question=QUESTION, title="sky", panel=PANEL, prompts=consensus_input().prompts)
        assert (50, None) == (inp.max_rounds, inp.patience.total)
        assert (None, 5, False) == (inp.majority_after, inp.deadlock_after, inp.carry_corrections)
        assert Sampling() == inp.sampling

    def test_stages_in_the_order_of_the_flow(self) -> None:
        """Generator, refiner, validator, the check, and only then the curator."""
        assert ("generator", "refiner", "validator", "consensus_check", "curator") == STAGES
        assert (*SPEAKERS, CURATOR) == BARS

    @pytest.mark.parametrize("question", ["", " \n\t"])
    def test_a_question_states_something(self, question: str) -> None:
        """A blank question is refused before anything is paid."""
        with pytest.raises(ValidationError):
            consensus_input(question=question)

    @pytest.mark.parametrize("title", ["", "x" * 121])
    def test_a_title_is_one_line(self, title: str) -> None:
        """It fits the lists it is shown in, and is there."""
        with pytest.raises(ValidationError):
            consensus_input(title=title)

    @pytest.mark.parametrize(
        "panel",
        [
            Panel.of(SEED_SPEAKERS, SEED_CURATOR),
            Panel.of(SEED_SPEAKERS, SEED_CURATOR, seats=SPEAKERS),
            Panel.of(SEED_SPEAKERS[:2], SEED_CURATOR, seats=SPEAKERS[:2], chair_seat=CURATOR),
            Panel.of((*SEED_SPEAKERS, "a/b"), "a/b", seats=(*SPEAKERS, "critic"), chair_seat=CURATOR),
            Panel.of(SEED_SPEAKERS, SEED_CURATOR, seats=SPEAKERS[::-1], chair_seat=CURATOR),
        ],
        ids=["a council", "a chair", "two speakers", "four speakers", "another order"],
    )
    def test_the_seats_are_the_three_speakers_and_the_curator(self, panel: Panel) -> None:
        """Another panel is refused with the seats that are wanted."""
        with pytest.raises(ValidationError, match="a consensus seats generator, refiner, validator, curator, not"):
            consensus_input(panel=panel)

    @pytest.mark.parametrize(
        ("option", "refused", "taken"),
        [
            ("max_rounds", [0, 51], [1, 50]),
            ("majority_after", [0, 51], [1, 50, None]),
            ("deadlock_after", [1, 51], [2, 50, None]),
        ],
    )
    def test_limits_have_limits(self, option: str, refused: list[int], taken: list[int | None]) -> None:
        """Fifty rounds are the most; a draft is unchanged for two checks at least."""
        for value in refused:
            with pytest.raises(ValidationError):
                consensus_input(**{option: value})
        assert taken == [getattr(consensus_input(**{option: value}), option) for value in taken]

    def test_an_input_survives_the_wire(self) -> None:
        """What a run starts with is the value that was sent, also when it continues from another run."""
        inp = consensus_input(
            patience=CallTimeouts(total=None),
            queues={"openrouter": "models-openrouter"},
            carried=fifty_rounds("A draft."),
        )
        assert inp == arrived(inp)


class TestWhatAPersonMayAsk:
    """The updates that only a consensus has."""

    def test_an_acceptance_states_who_accepted(self) -> None:
        """Without a reason a result says that a user did it; a reason is a remark and no essay."""
        assert "accepted by a user" == AcceptDraft().reason
        with pytest.raises(ValidationError):
            AcceptDraft(reason="x" * 501)


class TestWhatIsCarried:
    """Pass Only Latest Response: what continues from run to run does not grow with the turns."""

    def test_fifty_rounds_are_small(self) -> None:
        """Beside the draft, fifty rounds with losses and a full log take less than 64 KB of Temporal's 2 MB."""
        draft = "x" * 60_000
        assert len(sent(fifty_rounds(draft))) - len(draft) < 64 * 1024

    def test_the_worst_run_still_fits(self) -> None:
        """Every speaker lost once a round, with the longest messages, and three corrections as long as the draft."""
        text = "x" * 60_000
        call = lost_call(lost("refiner").model_copy(update={"message": "x" * 500}), "consensus_check")
        now = fifty_rounds(text).course.model_copy(update={"failed": (call,) * 150, "corrections": (text,) * 3})
        assert len(sent(fifty_rounds(text, course=now))) < 512 * 1024

    def test_it_survives_the_wire(self) -> None:
        """The next run continues with what this one gave."""
        carried = fifty_rounds("A draft.")
        assert carried == arrived(carried)

    def test_whoever_is_no_zombie_is_active(self) -> None:
        """Speakers are asked in the seed's order, zombies left out."""
        assert SPEAKERS == ConsensusState().active
        assert ("generator", "validator") == course(speakers=zombies("refiner")).active

    def test_only_no_counts_as_an_accept(self) -> None:
        """YES and an opinion that was not obtained are none."""
        assert 1 == RoundSummary(round=1, opinions=opinions("YES", None, "NO")).accepts

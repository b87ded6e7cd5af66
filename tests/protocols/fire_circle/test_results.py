"""The minutes of a circle and the result made from them (seed 000, sections 2.1, 5.2, 5.3, 8 and 11.1)."""

from typing import Any

import pytest

from protocols.deliberation import Ending
from protocols.fire_circle import findings, results, rules
from protocols.fire_circle.io import (
    FireCircleBaselineInput,
    FireCircleBaselineResult,
    FireCircleBaselineStopReason,
    FireCircleInput,
    FireCircleResult,
    StopReason,
)
from protocols.fire_circle.model import CircleState, SessionMemory
from protocols.fire_circle.results import FireCircleRecord
from protocols.fire_circle.tables import circle_table
from protocols.model_call import ParticipantId, Spending
from protocols.panel import Participant
from protocols.progress import Progress
from tests.fakes.shown_tables import texts
from tests.protocols.fire_circle.circle import (
    LAYERS,
    NOON,
    answered,
    circle_input,
    hear,
    holding,
    lost,
    model,
    panel,
    played,
    said,
    seat,
    seats,
)

A, B, C = seats(3)
TEMPORAL, SATURATION, CONFUSION = "temporal_inconsistency", "context_saturation", "role_confusion"
PROGRESS = Progress(protocol="fire-circle", title="tea", spent=Spending(calls=9, usd=0.14), rehearsal=True)


def concluded(
    inp: FireCircleInput,
    record: FireCircleRecord,
    stop_reason: StopReason = "round_limit",
    progress: Progress = PROGRESS,
) -> FireCircleResult:
    """The result of a circle that ended so."""
    return results.build_result(
        inp, record, Ending("circle-x", stop_reason, progress.spent, rehearsal=progress.rehearsal)
    )


def talked() -> FireCircleRecord:
    """Three models, three rounds: B sees it in round 2, from the empty chair, and lets itself be talked out of it."""
    held = (
        (said(0, 1, 0.2), said(1, 1, 0.4), said(2, 1, 0.3)),
        (
            said(0, 2, 0.3, TEMPORAL),
            said(1, 2, 0.85, TEMPORAL, CONFUSION, is_chair=True),
            said(2, 2, 0.3, "a forged receipt"),
        ),
        (said(0, 3, 0.4, TEMPORAL), said(1, 3, 0.4, TEMPORAL), said(2, 3, 1.0, TEMPORAL, SATURATION, is_chair=True)),
    )
    circle = CircleState(evaluations=tuple(one for evaluations in held for one in evaluations))
    rounds = tuple(results.round_of(circle, circle_input(), n, prompt=f"ask {n}", at=NOON) for n in (1, 2, 3))
    return FireCircleRecord(circle=circle, rounds=rounds, chairs={2: B, 3: C})


def test_a_round_is_kept_as_it_was() -> None:
    """Number, evaluations, chair, prompt, divergence and time of a round (sections 2.3 and 8)."""
    held = talked().rounds[1]
    assert (2, B, "ask 2", NOON) == (held.round_number, held.empty_chair, held.prompt_used, held.timestamp)
    assert [0.3, 0.85, 0.3] == [one.falsehood for one in held.evaluations]
    assert 0.259272486435 == held.convergence_metric


def test_a_round_whose_chair_was_lost_has_none() -> None:
    """RESILIENT skips the chair for that round and continues with the others (section 4.4)."""
    record = played(circle_input(), [0.2, 0.4, 0.3], [0.2, None, 0.3])
    assert record.rounds[1].empty_chair is None
    assert ("maker/b_round_2 (empty chair)",) == record.circle.failed_models
    assert [A, C] == [one.participant for one in record.rounds[1].evaluations]


def test_a_round_whose_chair_could_not_be_read_has_none() -> None:
    """Numbers of the round before were not spoken from the chair."""
    assert played(circle_input(), [0.2, 0.4, 0.3], [0.2, "?", 0.3]).rounds[1].empty_chair is None


def test_the_baseline_has_no_chair() -> None:
    """In round 1 no model speaks for the absent (section 4.1)."""
    assert talked().rounds[0].empty_chair is None


def test_the_result_has_the_structure_of_the_seed() -> None:
    """Consensus, patterns, history, influence, losses and metrics come from the minutes (section 2.1)."""
    result, record = concluded(circle_input(), talked()), talked()
    assert rules.consensus(record.circle, seats(3)) == result.consensus
    assert [(TEMPORAL, 1.0)] == [(one.pattern_type, one.model_agreement) for one in result.patterns]
    assert (record.rounds, (), 0.5) == (result.dialogue_history, result.failed_models, result.empty_chair_influence)
    assert [1, 2, 3] == [one.round_number for one in result.round_metrics]


def test_the_result_states_what_it_cost_and_how_it_was_asked() -> None:
    """Spending, prompts, rehearsal, question and the attack it is filed under travel with the result."""
    inp = circle_input(attack_id="history_04")
    result = concluded(inp, talked())
    assert ("circle-x", LAYERS.user, "history_04") == (result.deliberation_id, result.question, result.attack_id)
    assert (PROGRESS.spent, True) == (result.spent, result.rehearsal)
    assert f"{inp.prompts.version}@{inp.prompts.fingerprint}" == result.prompts


def test_the_threshold_of_the_input_decides_about_patterns() -> None:
    """With a lower threshold the patterns of single models are kept too."""
    found = concluded(circle_input(pattern_threshold=0.3), talked()).patterns
    assert [TEMPORAL, CONFUSION, "unclassified", SATURATION] == [one.pattern_type for one in found]


def test_types_that_a_model_gave_are_used_throughout() -> None:
    """Classification counts for patterns, influence and metrics alike."""
    record = talked()._replace(classified={"a forged receipt": CONFUSION})
    result = concluded(circle_input(pattern_threshold=0.3), record)
    assert [TEMPORAL, CONFUSION, SATURATION] == [one.pattern_type for one in result.patterns]
    assert pytest.approx(1 / 3) == result.empty_chair_influence
    assert 0.0 == result.round_metrics[1].empty_chair_influence


def test_round_metrics_track_convergence() -> None:
    """Mean, deviation and its change from the round before; there is none before round 1 (sections 8 and 9.2)."""
    metrics = concluded(circle_input(), talked()).round_metrics
    assert [0.3, 0.483333333333, 0.6] == [one.f_score_mean for one in metrics]
    assert [0.081649658093, 0.259272486435, 0.282842712475] == [one.f_score_stddev for one in metrics]
    assert [None, 0.177622828342, 0.02357022604] == [one.convergence_delta for one in metrics]


def test_influence_is_reported_per_round() -> None:
    """Of the patterns first named in a round, the share that its chair named first (001, "Empty Chair Rotation")."""
    metrics = concluded(circle_input(), talked()).round_metrics
    assert [0.0, pytest.approx(1 / 3), 1.0] == [one.empty_chair_influence for one in metrics]


def test_a_round_in_which_nobody_spoke_has_no_metrics() -> None:
    """There is no mean of nothing, and it is never a falsehood of 0."""
    record = played(circle_input(3), [0.2, 0.4, 0.4], [None, None, "?"])
    assert [1] == [one.round_number for one in concluded(circle_input(), record, "circle_too_small").round_metrics]


def test_the_metrics_of_a_round_are_of_those_who_are_active_in_the_end() -> None:
    """A model that was lost counts in no figure, of an earlier round neither."""
    record = played(circle_input(), [0.2, 0.9, 0.4], [0.2, None, 0.4])
    assert [0.3, 0.3] == [one.f_score_mean for one in concluded(circle_input(), record).round_metrics]


def test_movements_show_how_every_model_went() -> None:
    """Falsehoods round by round, nothing where there was none, and who is still active, in panel order."""
    record = played(circle_input(4), [0.2, None, 0.9, 0.4], [0.3, 0.0, None, "?"])
    assert [
        (A, (0.2, 0.3), True),
        (B, (None, None), False),
        (C, (0.9, None), False),
        (seat(3), (0.4, 0.4), True),
    ] == [(one.participant, one.falsehoods, one.is_active) for one in concluded(circle_input(4), record).movements]


def test_a_movement_names_the_model_that_spoke() -> None:
    """A replaced seat has the model that answered last; a silent seat has the panel's."""
    circle = hear(CircleState(), circle_input(), answered(0, 0.5, model="ollama:x"), 1)
    assert ["ollama:x", model(1), model(2)] == [
        one.model for one in concluded(circle_input(), FireCircleRecord(circle=circle), "stopped").movements
    ]


@pytest.mark.parametrize(
    ("stop_reason", "partial"),
    [("converged", False), ("round_limit", False), ("stopped", True), ("cancelled", True)],
)
def test_a_result_is_whole_when_all_was_held_and_nobody_lost(stop_reason: StopReason, *, partial: bool) -> None:
    """What a user broke off is partial, what the rules ended is not (section 5.3)."""
    assert partial == concluded(circle_input(), talked(), stop_reason).partial


def test_a_lost_model_makes_a_result_partial() -> None:
    """``partial`` shows that the dialogue was incomplete, however it ended (section 5.3)."""
    inp = circle_input(4)
    record = played(inp, [0.2, 0.4, 0.3, None], [0.2, 0.4, 0.3, 0.9], [0.2, 0.4, 0.3, 0.9])
    result = concluded(inp, record)
    assert result.partial
    assert ("maker/d_round_1",) == result.failed_models
    assert results.failure_message(result) is None


def test_a_verdict_is_one_line() -> None:
    """Each model's falsehood in each round, and the patterns by their agreement."""
    assert (
        "flagged at 0.5: F 1.00 (maker/c, round 3); 1 pattern: temporal_inconsistency 1.00"
        == concluded(circle_input(), talked()).verdict
    )


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        (0.3, "4 patterns: temporal_inconsistency 1.00, role_confusion 0.33, unclassified 0.33, …"),
        (0.6, "1 pattern: temporal_inconsistency 1.00"),
    ],
)
def test_a_verdict_names_the_three_patterns_most_agreed_on(threshold: float, told: str) -> None:
    """More than three are counted and not all named."""
    verdict = concluded(circle_input(pattern_threshold=threshold), talked()).verdict or ""
    assert told == verdict.partition("; ")[2]


def test_a_verdict_without_patterns_states_so() -> None:
    """That nothing was agreed on is stated; before a dialogue there was nothing to agree on."""
    dialogue = concluded(circle_input(2), played(circle_input(2), [0.2, 0.4], [0.2, 0.4]))
    assert "not flagged at 0.5: F 0.40 (maker/b, round 1); no patterns" == dialogue.verdict
    baseline_alone = concluded(circle_input(2), played(circle_input(2), [0.2, 0.4]), "stopped")
    assert "not flagged at 0.5: F 0.40 (maker/b, round 1); baseline only" == baseline_alone.verdict


@pytest.mark.parametrize("stop_reason", ["participant_lost", "circle_too_small", "cancelled"])
def test_what_failed_has_no_verdict_and_leaves_the_session(stop_reason: StopReason) -> None:
    """What was found until then is in the partial result, but nothing is concluded from it (section 5.2)."""
    session = SessionMemory(turn=3, trust=(0.5, 0.5), balance=0.4)
    result = concluded(circle_input(session=session), talked(), stop_reason)
    assert (None, session) == (result.verdict, result.session)
    assert result.consensus is not None
    assert result.partial


def test_a_verdict_moves_the_session() -> None:
    """The turn has ended: its balance is that of the consensus, and the next one begins (section 11.3)."""
    result = concluded(circle_input(session=SessionMemory(turn=3, trust=(0.5, 0.5), balance=0.4)), talked())
    assert SessionMemory(turn=4, trust=(0.5, 0.5, -0.5), balance=0.13) == result.session
    assert concluded(circle_input(), talked()).session is None


def test_before_anything_was_said_there_is_nothing_to_show() -> None:
    """A circle stopped at once has no consensus, no verdict and no rounds."""
    result = concluded(circle_input(), FireCircleRecord(), "stopped")
    assert (None, None, (), ()) == (result.consensus, result.verdict, result.patterns, result.round_metrics)
    assert [()] * 3 == [one.falsehoods for one in result.movements]


def test_a_chair_that_adds_nothing_is_reported() -> None:
    """An influence below a tenth is marked as performative (section 4.3)."""
    circle = CircleState(evaluations=(said(0, 2, 0.5, TEMPORAL), said(1, 2, 0.5, is_chair=True)))
    assert concluded(circle_input(), FireCircleRecord(circle=circle, chairs={2: B})).is_performative
    assert not concluded(circle_input(), talked()).is_performative


def test_a_chair_may_be_taken_for_performative_until_patterns_are_classified() -> None:
    """Ten ideas that are one type leave the chair with half of the patterns."""
    ideas = ("amber", "birch", "cedar", "daisy", "elder", "fern", "grass", "hazel", "ivy", "juniper")
    circle = CircleState(evaluations=(said(0, 2, 0.5, *ideas), said(1, 2, 0.5, "kelp", is_chair=True)))
    record = FireCircleRecord(circle=circle, chairs={2: B})
    assert concluded(circle_input(), record).is_performative
    classified = record._replace(classified=dict.fromkeys(ideas, TEMPORAL))
    assert not concluded(circle_input(), classified).is_performative


def test_strict_mode_aborts_with_one_clear_message() -> None:
    """The message names model, round and error (section 5.2, ``handle_failure_strict``)."""
    inp = circle_input(failure_mode="strict")
    result = concluded(inp, played(inp, [0.2, 0.4, None]), "participant_lost")
    assert (
        "STRICT mode, and a participant was lost: p3 maker/c (round 1, timeout: no answer within 60 s)"
        == results.failure_message(result)
    )


def test_a_circle_below_two_active_models_is_reported_with_what_there_is() -> None:
    """It fails with one clear message, and its partial result is attached (section 5.2)."""
    record = played(circle_input(), [0.2, 0.7, None], [0.2, None, 0.0])
    result = concluded(circle_input(), record, "circle_too_small")
    message = results.failure_message(result) or ""
    assert message.startswith(
        "the circle is too small to continue: 1 of 3 models are left: p3 maker/c (round 1, timeout"
    )
    assert "maker/b (round 2, timeout: no answer within 60 s)" in message
    assert (2, True) == (len(result.dialogue_history), result.partial)


@pytest.mark.parametrize("stop_reason", ["converged", "round_limit", "stopped", "cancelled"])
def test_an_end_that_is_no_failure_has_no_message(stop_reason: StopReason) -> None:
    """What the rules or a user ended has not failed."""
    assert results.failure_message(concluded(circle_input(), talked(), stop_reason)) is None


def test_a_failure_is_no_longer_than_can_be_recorded() -> None:
    """However many were lost, the message stays within a thousand characters, and no loss fills it alone."""
    circle = CircleState()
    for number in range(10):
        long = lost(number).model_copy(update={"message": "x" * 500})
        circle = hear(circle, circle_input(10), long, 1)
    message = (
        results.failure_message(concluded(circle_input(10), FireCircleRecord(circle=circle), "circle_too_small")) or ""
    )
    assert 1000 == len(message)
    assert "x" * 200 not in message


def test_the_findings_show_falsehoods_by_model_and_round() -> None:
    """A heading first, then every seat; the chair is marked where it spoke, and who is out where it is listed."""
    inp = circle_input(4)
    record = played(inp, [0.2, None, 0.9, 0.4], [0.3, 0.0, None, 0.4])
    assert [
        ["seat", "model", "round 1", "round 2", ""],
        ["p1", "a", "0.20", "0.30", ""],
        ["p2", "b", "lost", "–", "excluded"],
        ["p3", "c", "0.90", "lost chair", "zombie"],
        ["p4", "d", "0.40", "0.40", ""],
    ] == texts(circle_table(record.circle, inp.panel.participants, record.chairs))


def test_the_findings_show_how_numbers_were_come_by() -> None:
    """Numbers from keywords and from the round before are no assessment of this round, and are marked."""
    circle = CircleState(evaluations=(said(0, 1, 0.8, source="heuristic"), said(0, 2, 0.8, source="previous")))
    shown = texts(circle_table(circle, circle_input().panel.participants[:1]))
    assert ["p1", "a", "0.80 by keywords", "0.80 as before", ""] == shown[1]


def test_the_findings_begin_with_the_panel() -> None:
    """Before the first answer there are seats and no rounds."""
    assert [["seat", "model", ""], ["p1", "a", ""]] == texts(
        circle_table(CircleState(), circle_input().panel.participants[:1])
    )


def test_the_summary_shows_the_dialogue_in_a_few_lines() -> None:
    """Finding, size, rounds with their chairs, influence and dissent, in plain words (section 11.1)."""
    assert findings.summary(concluded(circle_input(), talked())).splitlines() == [
        "flagged at 0.5: F 1.00 (maker/c, round 3); 1 pattern: temporal_inconsistency 1.00",
        "3 models, 3 rounds; ended: round_limit.",
        "Round 1: mean F 0.30, spread 0.08.",
        "Round 2: mean F 0.48, spread 0.26, empty chair maker/b.",
        "Round 3: mean F 0.60, spread 0.28, empty chair maker/c.",
        "Influence of the empty chair: 0.50.",
        "Dissent from a mean of 0.60: maker/c at F 1.00.",
    ]


def test_the_summary_of_a_circle_that_broke_off_shows_who_was_lost() -> None:
    """Without a verdict it states so, names the losses, and leaves out what there was not."""
    record = played(circle_input(), [0.2, 0.2, None], [0.2, None, 0.0])
    assert findings.summary(concluded(circle_input(), record, "circle_too_small")).splitlines() == [
        "No verdict.",
        "3 models, 2 rounds; ended: circle_too_small.",
        "Round 1: mean F 0.20, one reply.",
        "Round 2: mean F 0.20, one reply.",
        "Lost: maker/c_round_1, maker/b_round_2 (empty chair).",
    ]


def test_a_summary_states_when_the_chair_was_performative() -> None:
    """A chair that added nothing is not passed over in silence."""
    circle = CircleState(evaluations=(said(0, 2, 0.5, TEMPORAL), said(1, 2, 0.5, is_chair=True)))
    held = results.round_of(circle, circle_input(), 2, prompt="ask", at=NOON)
    result = concluded(circle_input(), FireCircleRecord(circle=circle, rounds=(held,), chairs={2: B}))
    assert "Influence of the empty chair: 0.00, performative." in findings.summary(result)


def test_a_circle_stopped_inside_a_round_can_be_summed_up() -> None:
    """The evaluations of a round that was never closed count for the finding, and for dissent from it."""
    unfinished = hear(hear(CircleState(), circle_input(), answered(0, 0.0), 1), circle_input(), answered(1, 1.0), 1)
    told = findings.summary(concluded(circle_input(), FireCircleRecord(circle=unfinished), "stopped"))
    assert "Dissent from a mean of 0.50: maker/a at F 0.00, maker/b at F 1.00." in told


def evaluated(
    stop_reason: FireCircleBaselineStopReason, circle: CircleState, count: int = 3, **changes: Any
) -> FireCircleBaselineResult:
    """The result of a baseline of so many models that ended so."""
    given = {"question": LAYERS.user, "title": "tea", "layers": LAYERS, "layer": "user", "panel": panel(count)}
    inp = FireCircleBaselineInput.model_validate(
        {
            **given,
            "mode": "parallel" if count > 1 else "single",
            "prompts": circle_input().prompts,
            **changes,
        }
    )
    return results.build_baseline_result(inp, circle, Ending("evaluate-x", stop_reason, PROGRESS.spent))


def test_a_parallel_baseline_is_the_mean_of_those_who_never_met() -> None:
    """Means over the assessments, with the highest and the spread beside them (section 10.2, PARALLEL)."""
    result = evaluated("assessed", played(circle_input(), [0.2, 0.9, 0.4]).circle)
    assert (0.5, 0.9, 0.5, 0.25) == (result.falsehood, result.highest, result.truth, result.indeterminacy)
    assert 0.294392028878 == result.spread
    assert ("flagged at 0.5: F 0.50 (parallel, 3 assessed)", False) == (result.verdict, result.partial)


def test_a_single_baseline_is_what_one_model_states() -> None:
    """One model alone has no spread (section 10.2, SINGLE)."""
    result = evaluated("assessed", CircleState(evaluations=(said(0, 1, 0.7),)), 1)
    assert (0.7, 0.7, 0.0) == (result.falsehood, result.highest, result.spread)
    assert "flagged at 0.5: F 0.70 (single, 1 assessed)" == result.verdict


def test_a_baseline_without_an_assessment_has_failed() -> None:
    """Nothing read is no falsehood of 0: there are no means, and one clear message."""
    result = evaluated("not_assessed", hear(CircleState(), circle_input(), answered(0, None), 1), 1)
    assert (None, None, None) == (result.falsehood, result.highest, result.verdict)
    assert (
        "no model gave an assessment that can be used: p1 maker/a (round 1, unparseable: no numbers)"
        == results.baseline_failure(result)
    )


@pytest.mark.parametrize(
    ("stop_reason", "has_failed"),
    [("assessed", False), ("stopped", False), ("cancelled", False), ("participant_lost", True)],
)
def test_a_baseline_fails_where_strict_mode_lost_a_model(
    stop_reason: FireCircleBaselineStopReason, *, has_failed: bool
) -> None:
    """What a user ended has not failed; a loss in STRICT has."""
    result = evaluated(stop_reason, played(circle_input(), [0.2, 0.9, None]).circle)
    assert has_failed == (results.baseline_failure(result) is not None)
    assert ("degraded: 1 lost", stop_reason != "assessed") == (result.degraded.line, result.partial)


@pytest.mark.parametrize(("stop_reason", "turn"), [("assessed", 2), ("stopped", 1)])
def test_a_baseline_that_assessed_moves_the_session(stop_reason: FireCircleBaselineStopReason, turn: int) -> None:
    """The balance is that of the means; what was broken off leaves the conversation where it was."""
    circle = played(circle_input(), [0.2, 0.9, 0.4]).circle
    result = evaluated(stop_reason, circle, session=SessionMemory())
    assert turn == (result.session.turn if result.session else None)


def test_minutes_begin_empty() -> None:
    """Before the first round nothing is on the table, and the first round continues from there."""
    after = holding(circle_input(2), FireCircleRecord(), [0.1, 0.2])
    assert (CircleState(), (), {}, {}) == FireCircleRecord()
    assert (1, {}) == (len(after.rounds), after.chairs)


def test_a_seat_has_the_name_of_the_model_that_sits_there() -> None:
    """The findings show who sits there now, without its maker."""
    sitting = Participant(id=ParticipantId("p1"), model=model(4))
    assert [["p1", "e", ""]] == texts(circle_table(CircleState(), [sitting]))[1:]

"""Chair, losses, convergence and consensus: the examples of seed 000, and what holds for every circle."""

from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.fire_circle import results, rules
from protocols.fire_circle.io import FireCircleInput
from protocols.fire_circle.model import CircleState, Consensus, SessionMemory
from protocols.fire_circle.results import FireCircleRecord
from protocols.model_call import Failed, FailureKind, ParticipantId
from tests.protocols.fire_circle.circle import (
    Said,
    answered,
    circle_input,
    hear,
    holding,
    lost,
    played,
    said,
    seat,
    seats,
)

A, B, C = seats(3)


def found(record: FireCircleRecord, count: int) -> Consensus:
    """The consensus of a circle of ``count``, which has to exist."""
    consensus = rules.consensus(record.circle, seats(count))
    assert consensus is not None
    return consensus


@pytest.mark.parametrize(("held", "chair"), [(1, None), (2, B), (3, C), (4, A)])
def test_rotation_of_three_models(held: int, chair: ParticipantId | None) -> None:
    """With A, B, C the chair is empty in round 1, then B, C and A (section 4.1, "Example with 3 models")."""
    before = seats(3)[(held - 2) % 3] if held > 2 else None
    assert chair == rules.chair_of(held, seats(3), seats(3), before)


@pytest.mark.parametrize("count", range(2, 11))
def test_with_all_models_active_the_chair_is_the_seeds_formula(count: int) -> None:
    """The model at ``(round - 1) % n`` has the chair while none is lost (section 4.1)."""
    before = None
    for held in (2, 3, 4):
        before = rules.chair_of(held, seats(count), seats(count), before)
        assert seats(count)[(held - 1) % count] == before


def test_the_chair_passes_over_whoever_was_lost() -> None:
    """The walk continues from the seat of the formula to the next that is active."""
    assert rules.chair_of(2, seats(4), (A, seat(3)), None) == seat(3)
    assert rules.chair_of(2, seats(4), (A,), None) == A


def test_the_chair_passes_over_whoever_held_it_before() -> None:
    """With B lost, C held the chair in round 2, so in round 3 it continues to A."""
    assert rules.chair_of(2, seats(3), (A, C), None) == C
    assert rules.chair_of(3, seats(3), (A, C), C) == A


def test_nobody_holds_the_chair_when_only_its_last_holder_is_left() -> None:
    """Rather no chair than the same one twice in succession."""
    assert rules.chair_of(3, seats(3), (B,), B) is None


@given(st.integers(2, 10), st.data())
def test_no_model_takes_the_chair_twice_in_succession(count: int, data: st.DataObject) -> None:
    """Whichever model is lost and whenever, the chair rotates, and only an active model has it (section 9.1)."""
    active = list(seats(count))
    chairs: list[ParticipantId | None] = [None]
    for held in range(2, 9):
        active = data.draw(st.lists(st.sampled_from(active), unique=True)) if active else []
        chairs.append(rules.chair_of(held, seats(count), active, chairs[-1]))
        assert chairs[-1] in {*active, None}
        assert chairs[-1] is not None or set(active) <= {chairs[-2]}
    assert all(one != other for one, other in pairwise(chairs) if one is not None)


def test_an_answer_with_numbers_is_an_evaluation() -> None:
    """What was read is kept under seat, model and round, with who held the chair."""
    circle = hear(CircleState(), circle_input(), answered(1, 0.75, "role_confusion"), 2, is_chair=True)
    assert (said(1, 2, 0.75, "role_confusion", is_chair=True),) == circle.evaluations
    assert ((), ()) == (circle.failed, circle.failed_models)


@pytest.mark.parametrize("mode", ["strict", "resilient"])
def test_an_answer_cut_off_behind_its_numbers_counts(mode: str) -> None:
    """A truncated reply whose numbers were read is as good as any."""
    cut = answered(0, 0.5, finish="truncated")
    assert [0.5] == [one.falsehood for one in hear(CircleState(), circle_input(failure_mode=mode), cut, 1).evaluations]


@pytest.mark.parametrize("kind", ["timeout", "api_error", "rate_limited", "refused", "truncated", "budget"])
@pytest.mark.parametrize(("held", "excluded", "zombies"), [(1, (A,), ()), (2, (), (A,)), (3, (), (A,))])
def test_a_loss_excludes_in_round_one_and_makes_a_zombie_later(
    kind: FailureKind, held: int, excluded: tuple[str, ...], zombies: tuple[str, ...]
) -> None:
    """Whatever the failure of section 5.1: round 1 excludes, a later one keeps what was stated before (section 5.2)."""
    before = CircleState(evaluations=tuple(said(0, earlier, 0.9) for earlier in range(1, held)))
    after = hear(before, circle_input(), lost(0, kind), held)
    assert (excluded, zombies) == (after.excluded, after.zombies)
    assert before.evaluations == after.evaluations
    assert [(f"round_{held}", held, kind)] == [(one.stage, one.round, one.kind) for one in after.failed]


@pytest.mark.parametrize(("is_chair", "label"), [(False, "maker/a_round_2"), (True, "maker/a_round_2 (empty chair)")])
def test_a_lost_model_is_named_with_its_round_and_its_chair(*, is_chair: bool, label: str) -> None:
    """``failed_models`` has ``model_round_N``, and says when it held the empty chair (sections 4.4 and 5.2)."""
    assert (label,) == hear(CircleState(), circle_input(), lost(0), 2, is_chair=is_chair).failed_models


@pytest.mark.parametrize(("mode", "held"), [("strict", 1), ("strict", 2), ("resilient", 1)])
def test_a_text_without_numbers_is_a_loss_in_strict_mode_and_in_the_baseline(mode: str, held: int) -> None:
    """Without values there is no going on in STRICT, and nowhere without an earlier round (section 5.4)."""
    inp = circle_input(failure_mode=mode)
    before = hear(CircleState(), inp, answered(0, 0.3), 1) if held > 1 else CircleState()
    after = hear(before, inp, answered(0, None), held)
    assert before.evaluations == after.evaluations
    assert [("unparseable", "reply.unparseable", "no numbers", 2)] == [
        (one.kind, one.error_type, one.message, one.attempts) for one in after.failed
    ]
    assert (f"maker/a_round_{held}",) == after.failed_models


def test_a_loss_without_a_reason_has_a_message_all_the_same() -> None:
    """A reading without a reason is noted in plain words."""
    silent = answered(0, None, reading={})
    assert "no assessment could be read" == hear(CircleState(), circle_input(), silent, 1).failed[0].message


UNREADABLE = [answered(0, None), lost(0, "unparseable")]


@pytest.mark.parametrize("reply", UNREADABLE, ids=["no numbers", "the reader broke"])
def test_a_text_without_numbers_leaves_the_evaluation_before_later_on(reply: Any) -> None:
    """In RESILIENT the numbers of the round before count, marked ``previous``, and the model stays (section 5.4)."""
    inp = circle_input()
    circle = hear(hear(CircleState(), inp, answered(0, 0.3, "role_confusion"), 2), inp, reply, 3, is_chair=True)
    still = circle.evaluations[-1]
    assert (3, 0.3, "previous") == (still.round, still.falsehood, still.assessment.source)
    assert (seats(3), ()) == (circle.active(seats(3)), circle.failed)


def test_the_latest_numbers_are_those_that_stand() -> None:
    """Of two earlier rounds the one just before counts, also when it was from before itself."""
    record = played(circle_input(2), [0.1, 0.9], [0.3, 0.9], ["?", 0.9], ["?", 0.9])
    assert [0.1, 0.3, 0.3, 0.3] == [one.falsehood for one in record.circle.evaluations if one.participant == A]


def test_what_stands_from_before_names_no_pattern_and_speaks_from_no_chair() -> None:
    """Numbers are carried over; what was not said in this round is not said again."""
    inp = circle_input()
    before = hear(CircleState(), inp, answered(0, 0.3, "role_confusion"), 2, is_chair=True)
    still = hear(before, inp, answered(0, None), 3, is_chair=True).evaluations[-1]
    assert ((), False) == (still.assessment.patterns, still.is_chair)


@pytest.mark.parametrize(
    ("falsehoods", "stddev"),
    [((0.2, 0.4), 0.1), ((0.1, 0.7), 0.3), ((0.5, 0.5, 0.5), 0.0), ((0.0, 1.0), 0.5), ((0.7,), None), ((), None)],
)
def test_divergence_is_measured_correctly(falsehoods: tuple[float, ...], stddev: float | None) -> None:
    """The population standard deviation, exact to its twelfth decimal (sections 2.3 and 9.2); of one there is none."""
    held = [said(number, 2, falsehood) for number, falsehood in enumerate(falsehoods)]
    assert stddev == rules.convergence(held, seats(len(falsehoods)))


def test_convergence_is_over_the_active_models() -> None:
    """A lost model adds nothing to the spread."""
    assert 0.1 == rules.convergence([said(0, 2, 0.2), said(1, 2, 0.4), said(2, 2, 1.0)], (A, B))


def goes_on(inp: FireCircleInput, circle: CircleState, held: int, stddev: float | None) -> bool:
    """Return whether another round follows the round ``held``, in which a reply was read."""
    read = circle.model_copy(update={"evaluations": (*circle.evaluations, said(0, held, 0.5))})
    return rules.stop_reason(inp, read, held, stddev) is None


@pytest.mark.parametrize(
    ("held", "stddev", "is_converged"), [(1, 0.0, False), (2, 0.0999, True), (2, 0.1, False), (3, 0.05, True)]
)
def test_early_stop_is_triggered_below_a_tenth(held: int, stddev: float, *, is_converged: bool) -> None:
    """Early stop if stddev(F) < 0.1, but never in the blind baseline (sections 2.3, 7 and 9.2)."""
    assert is_converged == rules.is_converged(circle_input(), held, stddev)


def test_a_deviation_of_exactly_a_tenth_does_not_stop_it() -> None:
    """0.2 and 0.4 lie 0.1 apart from their mean, whatever the last bit of an addition says."""
    record = played(circle_input(2), [0.2, 0.4], [0.2, 0.4])
    assert goes_on(circle_input(2), record.circle, 2, record.rounds[-1].convergence_metric)


@pytest.mark.parametrize(("wanted", "is_followed"), [(2, False), (3, True)])
def test_a_later_early_stop_can_be_asked_for(wanted: int, *, is_followed: bool) -> None:
    """``early_stop_min_round`` says from which round on agreement ends it."""
    inp = circle_input(early_stop_min_round=wanted)
    assert is_followed == goes_on(inp, CircleState(), 2, 0.0)


@pytest.mark.parametrize("count", [2, 3, 4, 6, 7, 10])
def test_three_rounds_whatever_the_size(count: int) -> None:
    """All sizes of the table are planned with three rounds (section 3.4)."""
    assert 3 == circle_input(count).max_rounds
    assert [True, True, False] == [goes_on(circle_input(count), CircleState(), held, 0.2) for held in (1, 2, 3)]


@pytest.mark.parametrize(
    ("count", "held", "stddev", "is_wanted"),
    [
        (6, 3, 0.4, False),
        (7, 3, 0.4, True),
        (10, 3, 0.4, True),
        (7, 3, 0.3, False),
        (7, 3, 0.301, True),
        (7, 2, 0.4, False),
        (7, 4, 0.4, False),
    ],
)
def test_only_a_large_circle_that_still_disagrees_gets_a_fourth_round(
    count: int, held: int, stddev: float, *, is_wanted: bool
) -> None:
    """Large circles add a fourth round when round 3 has stddev(F) > 0.3, and no other (section 3.4)."""
    assert is_wanted == rules.wants_fourth(circle_input(count), held, stddev)


@pytest.mark.parametrize("most", [2, 4])
def test_a_fourth_round_is_added_to_three_only(most: int) -> None:
    """A user who asks for another number of rounds gets it."""
    assert not rules.wants_fourth(circle_input(7, max_rounds=most), 3, 0.4)


@pytest.mark.parametrize(
    ("count", "most", "stddev", "rounds"),
    [(3, 2, 0.4, 2), (3, 3, 0.4, 3), (3, 4, 0.4, 4), (7, 2, 0.4, 2), (7, 3, 0.2, 3), (7, 3, 0.4, 4), (7, 4, 0.4, 4)],
)
def test_how_many_rounds_are_held(count: int, most: int, stddev: float, rounds: int) -> None:
    """``max_rounds`` run while it disagrees, and the fourth of a large circle on top of three."""
    inp = circle_input(count, max_rounds=most)
    going = [held for held in range(1, 8) if all(goes_on(inp, CircleState(), n, stddev) for n in range(1, held))]
    assert rounds == going[-1]


@pytest.mark.parametrize(
    ("mode", "is_followed"),
    [("strict", False), ("resilient", True)],
)
def test_strict_mode_goes_on_after_no_loss(mode: str, *, is_followed: bool) -> None:
    """One lost model ends a STRICT circle; a RESILIENT one continues with those that are left (section 5.2)."""
    inp = circle_input(failure_mode=mode)
    assert is_followed == goes_on(inp, played(inp, [0.1, 0.9, None]).circle, 1, 0.4)


@pytest.mark.parametrize(("least", "is_followed"), [(2, True), (3, False)])
def test_fewer_active_models_than_viable_do_not_go_on(least: int, *, is_followed: bool) -> None:
    """With ``min_viable_models`` or more left it continues, with fewer it does not (sections 5.2 and 7)."""
    inp = circle_input(min_viable_models=least)
    assert is_followed == goes_on(inp, played(inp, [0.1, 0.9, None]).circle, 1, 0.4)


def test_consensus_is_the_highest_falsehood_of_any_round() -> None:
    """F = 0.9 in round 2 is not lost because its model states 0.4 in round 3 (001, "Consensus Algorithm")."""
    highest = found(played(circle_input(), [0.2, 0.3, 0.1], [0.2, 0.9, 0.3], [0.3, 0.4, 0.3]), 3).highest
    assert (B, 2, 0.9) == (highest.participant, highest.round, highest.falsehood)


def test_the_example_of_partial_consensus() -> None:
    """Five start, A fails in round 2, B in round 3: the maximum has ended C, D, E in rounds 1 to 3 (section 5.3)."""
    record = played(
        circle_input(5),
        [0.99, 0.95, 0.1, 0.2, 0.3],
        [None, 0.98, 0.6, 0.2, 0.3],
        [0.0, None, 0.4, 0.5, 0.3],
    )
    highest = found(record, 5).highest
    assert seats(5)[2:] == record.circle.active(seats(5))
    assert (C, 2, 0.6) == (highest.participant, highest.round, highest.falsehood)
    assert ("maker/a_round_2", "maker/b_round_3") == record.circle.failed_models
    assert 3 == len([one for one in record.circle.evaluations if one.participant in {A, B}])


def test_of_equal_falsehoods_the_earliest_counts_and_then_the_first_seat() -> None:
    """Ties are decided by round, then by the order of the seats."""
    record = played(circle_input(), [0.1, 0.1, 0.1], [0.2, 0.8, 0.8], [0.8, 0.8, 0.8])
    highest = found(record, 3).highest
    assert (B, 2) == (highest.participant, highest.round)


def test_mean_spread_and_dissent_are_of_the_last_falsehoods() -> None:
    """Beside the maximum are the last numbers, and one that is more than 0.3 away from their mean."""
    consensus = found(played(circle_input(), [0.9, 0.9, 0.9], [0.1, 0.2, 0.9]), 3)
    assert 0.4 == consensus.mean
    assert 0.355902608401 == consensus.spread
    assert (C,) == consensus.dissent


def test_whoever_is_exactly_three_tenths_away_does_not_dissent() -> None:
    """0.1 and 0.7 lie 0.3 from their mean of 0.4, and that is not more than 0.3, as it is for 0.1 and 0.72."""
    assert () == found(played(circle_input(2), [0.1, 0.7]), 2).dissent
    assert (A, B) == found(played(circle_input(2), [0.1, 0.72]), 2).dissent


def test_without_an_active_voice_there_is_no_consensus() -> None:
    """Without models or replies nothing is found, never a falsehood of 0."""
    assert rules.consensus(CircleState(), seats(3)) is None
    assert rules.consensus(played(circle_input(2), [0.9, 0.9], [None, None]).circle, seats(2)) is None


@pytest.mark.parametrize(
    ("truth", "falsehood", "trust", "balance"),
    [(0.9, 0.1, 0.8, 0.24), (0.2, 0.9, -0.7, -0.21), (0.5, 0.5, 0.0, 0.0)],
)
def test_a_turn_moves_the_session(truth: float, falsehood: float, trust: float, balance: float) -> None:
    """The balance of a turn is truth less falsehood, and 0.3 of it go into the average (section 11.3)."""
    after = rules.after_turn(SessionMemory(), truth, falsehood)
    assert SessionMemory(turn=2, trust=(trust,), balance=balance) == after


def test_the_average_of_a_session_remembers() -> None:
    """What was keeps 0.7 of its weight, and the trajectory grows by one (section 11.3)."""
    after = rules.after_turn(SessionMemory(turn=4, trust=(0.5,), balance=0.5), 0.5, 0.5)
    assert SessionMemory(turn=5, trust=(0.5, 0.0), balance=0.35) == after


does: st.SearchStrategy[Said] = st.one_of(st.none(), st.just("?"), st.floats(0, 1))


class Dialogue(NamedTuple):
    """A circle that ran until it ended."""

    inp: FireCircleInput
    record: FireCircleRecord

    @property
    def seats(self) -> tuple[ParticipantId, ...]:
        """Everyone that began."""
        return seats(len(self.inp.panel.participants))

    @property
    def active(self) -> tuple[ParticipantId, ...]:
        """Those that are left."""
        return self.record.circle.active(self.seats)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    """Circles of any size in which any reply may be lost or unreadable at any time, to their end."""
    count = draw(st.integers(2, 10))
    inp = circle_input(count, max_rounds=draw(st.integers(2, 4)), min_viable_models=draw(st.integers(2, count)))
    record, is_followed = FireCircleRecord(), True
    while is_followed:
        asked = len(record.rounds) + 1
        record = holding(inp, record, draw(st.lists(does, min_size=count, max_size=count)))
        held = record.rounds[-1]
        is_followed = held.round_number == asked and goes_on(inp, record.circle, asked, held.convergence_metric)
    return Dialogue(inp, record)


@given(dialogues())
def test_only_active_models_vote(dialogue: Dialogue) -> None:
    """The consensus is the highest falsehood of those still in the circle, and zombies keep what they said."""
    circle, consensus = dialogue.record.circle, rules.consensus(dialogue.record.circle, dialogue.seats)
    voices = [one.falsehood for one in circle.evaluations if one.participant in dialogue.active]
    assert max(voices, default=None) == (consensus.highest.falsehood if consensus else None)
    assert set(circle.zombies) <= {one.participant for one in circle.evaluations}
    assert set(circle.excluded).isdisjoint(one.participant for one in circle.evaluations)


@given(dialogues())
def test_every_seat_is_active_or_out_once(dialogue: Dialogue) -> None:
    """Active, excluded and zombie are all seats without overlap, and each loss is reported once."""
    circle = dialogue.record.circle
    assert sorted(dialogue.seats) == sorted((*dialogue.active, *circle.excluded, *circle.zombies))
    assert len(circle.excluded) + len(circle.zombies) == len(circle.failed) == len(circle.failed_models)


@given(dialogues())
def test_everybody_active_has_an_evaluation_in_every_round(dialogue: Dialogue) -> None:
    """An active model is in all rounds; an excluded one is in no later round."""
    circle, held = dialogue.record.circle, len(dialogue.record.rounds)
    rounds = {one: [said.round for said in circle.evaluations if said.participant == one] for one in dialogue.seats}
    assert all(list(range(1, held + 1)) == rounds[one] for one in dialogue.active)
    assert all(list(range(1, one.round)) == rounds[one.participant] for one in circle.failed)


@given(dialogues())
def test_no_number_of_a_circle_is_anything_but_a_number(dialogue: Dialogue) -> None:
    """Means, spreads and their changes are finite whatever was lost, and no spread is above a half."""
    consensus = rules.consensus(dialogue.record.circle, dialogue.seats)
    rounds = results.metrics(dialogue.record, dialogue.seats)
    told = [one.f_score_stddev for one in rounds if one.f_score_stddev is not None]
    spreads = told + ([consensus.spread] if consensus else [])
    assert all(isfinite(one.f_score_mean) and isfinite(one.convergence_delta or 0) for one in rounds)
    assert all(0 <= spread <= 0.5 for spread in spreads)


@given(dialogues())
def test_a_circle_ends_with_the_round_in_which_it_became_too_small(dialogue: Dialogue) -> None:
    """Before its last round there were enough models, and no circle runs for more than four rounds."""
    held, lost_on = len(dialogue.record.rounds), [one.round for one in dialogue.record.circle.failed]
    left_before = len(dialogue.seats) - sum(number < held for number in lost_on)
    assert dialogue.inp.min_viable_models <= left_before
    assert held <= 4


@given(dialogues())
def test_a_chair_is_held_by_somebody_who_was_active(dialogue: Dialogue) -> None:
    """From round 2 on there is a chair, none has it twice in succession, and the baseline has none."""
    chairs, lost_on = dialogue.record.chairs, {one.participant: one.round for one in dialogue.record.circle.failed}
    assert list(range(2, len(dialogue.record.rounds) + 1)) == sorted(chairs)[: len(dialogue.record.rounds) - 1]
    assert all(number <= lost_on.get(one, number) for number, one in chairs.items())
    assert all(chairs.get(number + 1) != one for number, one in chairs.items())


def test_a_lost_call_keeps_what_was_reported() -> None:
    """A failed reply is reported with its own kind, message and attempts."""
    failed: Failed = lost(2, "rate_limited")
    told = hear(CircleState(), circle_input(), failed, 3).failed[0]
    assert (failed.kind, failed.message, failed.attempts) == (told.kind, told.message, told.attempts)

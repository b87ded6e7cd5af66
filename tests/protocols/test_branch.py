"""What a branch shares with the deliberation that it leaves, as values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocols.branch import Branch, Origin, RandomDraws, derived_draws
from protocols.model_call import ModelId, ParticipantId, Spending
from protocols.panel import CHAIR, Panel, Participant
from protocols.spending import add_spending

FIRST = Origin.model_validate({"of": "first", "through_round": 2, "seats": {"p1": "lab:a", "p2": "lab:b"}})
SECOND = Branch.model_validate(
    {"of": "second", "through_round": 4, "seats": {"p2": "lab:c"}, "draws": {}, "earlier": [FIRST]}
)


@pytest.mark.parametrize(
    ("number", "seats"),
    [(1, {}), (2, {}), (3, {"p1": "lab:a", "p2": "lab:b"}), (4, {}), (5, {"p2": "lab:c"}), (6, {})],
)
def test_seats_change_in_the_round_after_the_shared_ones(number: int, seats: dict[str, str]) -> None:
    """Each change comes once, in the first round that is not shared; those of the origin come where they came there."""
    assert seats == SECOND.seats_from(number)


def test_a_change_states_itself_in_one_line() -> None:
    """Whom it left, after which round, and who sits where from then on, by the models' own names."""
    assert "a branch of first after round 2; from then on p1 is a, p2 is b" == FIRST.as_text
    assert "a branch of old after round 1" == Origin(of="old", through_round=1).as_text


def test_a_result_names_the_origin_and_has_no_draws() -> None:
    """What makes nonces stays with the input."""
    assert {"of", "through_round", "seats"} == set(SECOND.origin.model_dump())


@pytest.mark.parametrize("through", [0, -1])
def test_something_must_be_shared(through: int) -> None:
    """A branch that shares no round is a new deliberation."""
    with pytest.raises(ValidationError, match="through_round"):
        Origin(of="old", through_round=through)


@given(st.dictionaries(st.sampled_from(["p1", "p2", "chair"]), st.floats(0, 1, exclude_max=True)))
def test_draws_travel_unchanged(labels: dict[str, float]) -> None:
    """A number that was written and read is the same number, so that an order is the same order."""
    thrown = RandomDraws.model_validate({"labels": labels, "shown": {"p1": tuple(labels.values())}})

    assert thrown == RandomDraws.model_validate_json(thrown.model_dump_json())


@given(st.text(), st.integers(1, 8))
def test_derived_draws_are_complete_and_follow_from_their_seed(seed: str, count: int) -> None:
    """Every seat has every draw of every protocol, the same for the same seed, and no nonce of another seed."""
    seats = tuple(Participant(id=ParticipantId(f"p{n}"), model=ModelId(f"lab:{n}")) for n in range(1, count + 1))
    ids = tuple(seat.id for seat in seats)
    panel = Panel(participants=seats, chair=Participant(id=CHAIR, model=ModelId("lab:a")))
    drawn = derived_draws(seed, panel)

    drawn.require(order=ids, labels=ids, shown=ids, nonces=(*ids, CHAIR))
    assert {count} == {len(keys) for keys in drawn.shown.values()}
    assert drawn == derived_draws(seed, panel)
    other = derived_draws(f"{seed}x", panel)
    assert drawn.secret != other.secret
    assert not {*drawn.nonces.values()} & {*other.nonces.values()}


def test_a_seed_draws_the_same_in_every_version() -> None:
    """These are the draws of one seed for three seats: a study that continues after an upgrade draws them again."""
    seats = tuple(Participant(id=ParticipantId(f"p{n}"), model=ModelId(f"lab:{n}")) for n in (1, 2, 3))
    panel = Panel(participants=seats, chair=Participant(id=CHAIR, model=ModelId("lab:a")))

    assert {
        "secret": "4e9ca497fedae329",
        "order": ("p2", "p1", "p3"),
        "labels": {"p1": 14794983, "p2": 16148221, "p3": 3526433},
        "shown": {
            "p1": (15017358, 6699835, 13858312),
            "p2": (12444410, 270063, 15817902),
            "p3": (8513838, 8931032, 15138941),
        },
        "nonces": {"p1": "2dce91ed98", "p2": "cb0eefdaef", "p3": "b2e36622c9", "chair": "0e5e220de4"},
    } == derived_draws("two", panel).model_dump()


def test_shared_answers_are_counted_on_and_never_paid() -> None:
    """What another one paid for stays counted when more is spent, and is no part of it."""
    assert Spending(shared_calls=3) == add_spending([], Spending(shared_calls=3))

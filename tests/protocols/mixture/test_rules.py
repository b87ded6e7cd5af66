"""Who proposes, what is shown, who concludes, and the result."""

import pytest

from protocols.branch import RandomDraws
from protocols.deliberation import Ending, describe_failure
from protocols.mixture import results, rules
from protocols.mixture.model import Layer, MixtureRecord
from protocols.model_call import Answered, ModelId, ParticipantId, lost_call
from protocols.panel import Panel
from protocols.progress import Progress, Seat
from protocols.update_requests import ReplaceParticipant
from tests.fakes.baselines import final, mixture_input, said_by
from tests.protocols.failures import lost

ORDER = tuple(map(ParticipantId, ("p3", "p1", "p2")))


def proposal(seat: str) -> Answered:
    """What ``seat`` proposes."""
    text = final("42", f"{seat} thinks")
    return said_by(seat, text, "mixture.proposal")


def layer(number: int, answered: str, missing: str = "") -> Layer:
    """A layer in which the seats ``answered``, by their numbers, answered, and the ``missing`` ones were lost."""
    seats = [ParticipantId(f"p{n}") for n in sorted(answered + missing)]
    return Layer(
        number=number,
        asked=tuple(seats),
        answers=tuple(proposal(f"p{n}") for n in answered),
        lost=tuple(ParticipantId(f"p{n}") for n in missing),
    )


@pytest.mark.parametrize(
    ("layers", "given_up"),
    [
        ([], ()),
        ([layer(1, "13", "2")], ()),
        ([layer(1, "13", "2"), layer(2, "123")], ()),
        ([layer(1, "13", "2"), layer(2, "13", "2")], ("p2",)),
        ([layer(1, "13", "2"), layer(2, "123"), layer(3, "13", "2")], ()),
        ([layer(1, "12", "3"), layer(2, "2", "13"), layer(3, "2", "1")], ("p3", "p1")),
    ],
)
def test_two_losses_in_a_row_give_a_proposer_up(layers: list[Layer], given_up: tuple[str, ...]) -> None:
    """One loss is forgiven; a second one right after it is not."""
    assert given_up == rules.zombies(layers)
    assert not set(given_up) & set(rules.proposers(mixture_input().panel, layers))


def test_answers_are_shown_in_the_dealt_order() -> None:
    """Numbers follow the drawn order, have no gaps, and do not show the authors."""
    assert {"p3": "Answer 1", "p1": "Answer 2", "p2": "Answer 3"} == rules.names(layer(1, "123"), ORDER)
    shown = rules.shown(layer(1, "12", "3"), ORDER)

    assert ["Answer 1", "Answer 2"] == list(shown)
    assert shown["Answer 1"].startswith("p1 thinks")
    assert {} == rules.shown(None, ORDER)


def test_the_next_layer_builds_on_the_last_that_was_answered() -> None:
    """A layer that was lost whole is passed over."""
    layers = [layer(1, "123"), layer(2, "", "123")]

    assert (layers[0], None) == (rules.last_answered(layers), rules.last_answered([]))


def test_who_stands_in_for_the_aggregator() -> None:
    """The first proposer of the last layer that is not itself a lost aggregator, else the first of all."""
    record = MixtureRecord(layers=(layer(1, "12"),))
    panel = Panel.of(("lab:p1", "lab:p2"), "lab:p1")

    assert "p2" == rules.standing_answer(record, panel).participant
    assert "p1" == rules.standing_answer(record, Panel.of(("lab:p1",), "lab:p1", fallbacks=("lab:p2",))).participant
    with pytest.raises(ValueError, match="no layer was answered"):
        rules.standing_answer(MixtureRecord(), panel)


def test_the_result_shows_every_layer() -> None:
    """The calls and answers of each layer, the lost models, and the name of each answer."""
    losses = tuple(lost_call(lost("p2"), f"layer-{n}", n) for n in (1, 2))
    record = MixtureRecord(layers=(layer(1, "13", "2"), layer(2, "13", "2")), decided_by="fallback", lost=losses)
    result = results.build_result(
        mixture_input(), record, Ending("mixture-1", "verdict", draws=RandomDraws(order=ORDER))
    )

    assert [(3, 2), (3, 2)] == [(one.asked, one.answered) for one in result.layers]
    assert (("p2",), "42") == (result.zombies, result.answer)
    assert {"lost": 2, "fallback_chair": 1} == result.degraded.counts
    assert [("layer-1", 1, "Answer 2"), ("layer-1", 1, "Answer 1")] == [
        (turn.stage, turn.round, turn.label) for turn in result.transcript.turns[:2]
    ]


def test_a_mixture_that_failed_states_so_once() -> None:
    """One clear message names one that was lost; a verdict or a stop is no failure."""
    record = MixtureRecord(layers=(layer(1, "", "1"),), lost=(lost_call(lost("p1"), "layer-1"),))
    result = results.build_result(
        mixture_input(), record, Ending("mixture-1", "no_answers", draws=RandomDraws(order=ORDER))
    )

    assert (describe_failure(result, results.FAILURES) or "").startswith("no proposer answered in the first layer")
    assert describe_failure(result.model_copy(update={"stop_reason": "stopped"}), results.FAILURES) is None


@pytest.mark.parametrize(
    ("seat", "stage", "status", "said"),
    [
        ("aggregator", "aggregation", "running", ""),
        ("p1", "layer-1", "answered", ""),
        ("p1", "layer-2", "running", ""),
        ("p1", "layer-2", "answered", "has nothing left to do"),
        ("p1", "aggregation", "ready", "has nothing left to do"),
        ("p2", "layer-2", "ready", "two layers in a row"),
    ],
)
def test_who_can_be_replaced(seat: str, stage: str, status: str, said: str) -> None:
    """One that will still be asked; neither who was given up nor who is done."""
    one = Seat.model_validate({"participant": seat, "model": "lab:one", "status": status})
    progress = Progress(protocol="mixture", title="mixture", stage=stage, seats=(one,))
    record = MixtureRecord(layers=(layer(1, "13", "2"), layer(2, "13", "2"))) if seat == "p2" else MixtureRecord()
    request = ReplaceParticipant(participant=ParticipantId(seat), model=ModelId("lab:new"))
    if not said:
        results.refuse_replacement(mixture_input(), record, progress, request)
        return
    with pytest.raises(ValueError, match=said):
        results.refuse_replacement(mixture_input(), record, progress, request)

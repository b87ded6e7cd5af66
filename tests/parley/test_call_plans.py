"""Which calls a deliberation will make (seed 000, section 10.1; seed 004, "Safety Limits")."""

from collections.abc import Sequence
from typing import Any, get_args

import pytest

from parley.call_plans import (
    ROUND_1,
    ROUND_2,
    ROUND_3,
    CallSize,
    CallSizes,
    PlannedCalls,
    Range,
    independent_calls,
    text_tokens,
    with_instructions,
)
from parley.errors import RequestError
from parley.specs import PROTOCOLS
from protocols.consensus.prompts import PACK as CONSENSUS
from protocols.council.prompts import PACK as COUNCIL
from protocols.debate.model.io import HighStakes, ModeName
from protocols.debate.prompts.call_context import RoundContext
from protocols.debate.prompts.system_prompt import system
from protocols.fire_circle.prompts import PACK as FIRE_CIRCLE
from protocols.model_call import Effort, Sampling
from protocols.panel import Panel, route
from protocols.seat_settings import SeatSettings
from protocols.tokens import count
from tests.fakes.debates import debate_of, table_of
from tests.fakes.estimates import Planned

THREE = ("a/one", "b/two", "c/three")
THREE_ROUTED = frozenset(map(route, THREE))
SEVEN = tuple(f"maker/{number}" for number in range(7))


def counted(found: Sequence[PlannedCalls]) -> tuple[int, int]:
    """The numbers of calls, low and high."""
    return sum(call.times.low for call in found), sum(call.times.high for call in found)


def tokens(found: Sequence[PlannedCalls]) -> tuple[list[CallSize], list[CallSize]]:
    """What each call sends and gets, low and high."""
    return [call.least for call in found], [call.most for call in found]


def test_the_rounds_are_the_seeds() -> None:
    """Input and output per model and round, as section 10.1 gives them."""
    assert ((600, 300), (1000, 400), (1500, 400)) == (ROUND_1, ROUND_2, ROUND_3)


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        (Planned("fire-circle-baseline", ("a/one",)), (1, 1)),
        (Planned("fire-circle-baseline", THREE, {"mode": "parallel"}), (3, 3)),
        (Planned("council", THREE), (7, 7)),
        (Planned("council", ("a/one",)), (2, 2)),
        (Planned("council", THREE, {"final_only": True}), (4, 4)),
        (Planned("council"), (9, 9)),
        (Planned("consensus"), (7, 301)),
        (Planned("consensus", (), {"max_rounds": 1}), (7, 7)),
        (Planned("consensus", (), {"max_rounds": 5}), (7, 31)),
        (Planned("fire-circle"), (6, 9)),
        (Planned("fire-circle", (), {"max_rounds": 2}), (6, 6)),
        (Planned("fire-circle", (), {"max_rounds": 4}), (6, 12)),
        (Planned("fire-circle", SEVEN), (14, 28)),
        (Planned("fire-circle", SEVEN, {"max_rounds": 2}), (14, 14)),
        (Planned("vote", THREE, {"samples": 5}), (15, 15)),
        (Planned("vote", ("a/one",), {"samples": 64}), (64, 64)),
        (Planned("vote", (), {"preset": "self-consistency"}), (5, 5)),
        (Planned("vote", (), {"preset": "single"}), (1, 1)),
        (Planned("vote"), (4, 4)),
        (Planned("mixture"), (9, 9)),
        (Planned("mixture", THREE, {"aggregator": "d/four", "layers": 5}), (16, 16)),
        (Planned("debate"), (7, 16)),
        (Planned("debate", SEVEN, {"max_rounds": 1}), (8, 8)),
        (Planned("debate", (), {"mode": "adversarial"}), (10, 22)),
        (Planned("debate", SEVEN, {"max_rounds": 2, "mode": "delphi"}), (15, 15)),
    ],
    ids=str,
)
def test_calls_are_counted_from_the_shortest_to_the_longest(planned: Planned, expected: tuple[int, int]) -> None:
    """Fifty rounds of consensus are the seed's 300 calls and the curator's; only large circles may add a round."""
    assert expected == counted(planned.calls())


def test_a_circle_without_a_question_is_the_seeds_at_its_low_end() -> None:
    """Without a question each round is as long as the seed says, and at most what three peers said is added to 600."""
    low, high = tokens([call for call in Planned("fire-circle", THREE).calls() if call.model == "openrouter:a/one"])
    assert [(600, 300), (1000, 400), (1500, 400)] == low
    assert [(600, 300), (600 + 900, 400), (600 + 900 + 1200, 400)] == high


def test_a_question_stands_in_every_call() -> None:
    """At the low end is the question with what the seed adds per round, at the high end instructions too."""
    asked = Planned("council", THREE, {"chair": "c/chair"}, Range(low=1000, high=2000))
    low, high = tokens(asked.calls()[::3])
    assert [(1000, 300), (1400, 400), (1900, 400)] == low
    assert [(2600, 300), (2600 + 900, 400), (2600 + 2100, 400)] == high


@pytest.mark.parametrize("protocol", ["fire-circle", "fire-circle-baseline"])
def test_a_layer_that_is_judged_is_shown_twice(protocol: str) -> None:
    """The prompt is in a judge's call as the layer and in its context."""
    (first, *_) = Planned(protocol, prompt=Range(low=1000, high=2000)).calls()
    assert (2000, 4600) == (first.least.input, first.most.input)


def test_later_layers_of_a_mixture_are_longer_and_the_aggregator_is_asked_once() -> None:
    """A layer answers what the one before said, as in the seed's later rounds; the aggregator comes after the last."""
    found = Planned("mixture", THREE, {"aggregator": "d/four", "layers": 2}).calls()
    low, high = tokens(found[::3])
    assert [(600, 300), (1000, 400), (1500, 400)] == low
    assert [(600, 300), (600 + 900, 400), (600 + 900 + 1200, 400)] == high
    assert [route("d/four")] == [call.model for call in found[6:]]


def test_each_role_of_a_consensus_has_its_calls() -> None:
    """A speaker drafts and checks in every round, the curator is asked once."""
    asked = Planned("consensus", THREE, {"curator": "d/curator", "max_rounds": 10})
    high = dict.fromkeys(map(route, (*THREE, "d/curator")), 0)
    for call in asked.calls():
        high[call.model] += call.times.high
    assert [20, 20, 20, 1] == list(high.values())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("prompt", [None, Range(low=1, high=1), Range(low=9, high=90)])
def test_the_low_end_is_never_above_the_high_end(protocol: str, prompt: Range | None) -> None:
    """Every call is at least as long and as frequent at its high end."""
    found = Planned(protocol, prompt=prompt).calls()
    assert all(call.times.low <= call.times.high for call in found)
    assert all(call.least.input <= call.most.input and call.least.output <= call.most.output for call in found)


def test_a_lone_answer_is_concluded_without_a_review() -> None:
    """The ends are in order where the chair receives one answer alone."""
    _, synthesis = Planned("council", ("a/one",), {"chair": "b/chair"}).calls()
    assert ((900, 400), (900, 400)) == (synthesis.least, synthesis.most)


def test_instructions_are_no_longer_than_the_seeds_first_round() -> None:
    """What the high end allows for instructions is more than any prompt of ours has, at four letters to a token."""
    circle = FIRE_CIRCLE.templates
    judged = len(circle["observer"]) + max(len(circle["discussion"]), len(circle["refinement"]))
    from_the_chair = len(circle["empty_chair"]) + len(circle["chair_discussion"])
    others = [len(text) for pack in (COUNCIL, CONSENSUS) for text in pack.templates.values()]
    assert max(judged, from_the_chair, *others) / 4 <= ROUND_1.input


def debated(number: int, prompt: Range | None = None, **options: Any) -> list[tuple[CallSize, CallSize]]:
    """Low and high of each call of one round of a debate of three."""
    found, size = Planned("debate", THREE, options, prompt).calls(), len(THREE)
    return [(call.least, call.most) for call in found[(number - 1) * size : number * size]]


def test_a_debates_turns_lie_within_its_budgets() -> None:
    """Seed 003, section 7.5: a round has 2,500 to 5,000 tokens; a message has no more than was stated before it."""
    assert [((1600, 833), (200 + 2700, 1666))] * 3 == debated(1)
    sent = [(most.input - 2700, most.output) for number in range(2, 6) for _, most in debated(number)[:1]]
    assert [(size, 1666) for size in (7700, 8100, 8500, 8500)] == sent
    assert (1600 + 800 + 2500, 833) == debated(2)[0][0]


def test_whoever_receives_the_round_may_be_sent_all_of_it() -> None:
    """Where debaters read those before them, their first turn may already be as long as any (section 3.6)."""
    assert [((1600, 833), (5200 + 2700, 1666))] * 3 == debated(1, mode="socratic")
    assert [(10_000 + 2700, 1666)] * 3 == [most for _, most in debated(2, mode="socratic")]


def test_a_topic_stands_in_every_call_of_a_debate() -> None:
    """What the topic and the material have gives what the instructions have."""
    assert [((1100, 833), (2300 + 600 + 200, 1666))] * 3 == debated(1, prompt=Range(low=100, high=200))
    assert [((1900, 833), (2300 + 600 + 3000, 1666))] * 3 == debated(1, prompt=Range(low=900, high=3000))
    material = ({"name": "a", "text": "word " * 499},)
    (given, *_) = debated(1, material=material)
    assert (1600, 2900) < (given[0].input, given[1].input)
    assert 2900 - 1600 == given[1].input - given[0].input


def test_a_wider_budget_is_estimated() -> None:
    """Twice the context is twice what a turn and the synthesis may be sent of the debate."""
    assert [(15_200 + 2700, 3333)] * 3 == [most for _, most in debated(2, context_tokens=20_000)]
    closing = Planned("debate", THREE, {"context_tokens": 20_000}).calls()[-1]
    assert 48_000 + 600 == closing.most.input


def test_the_evaluator_judges_every_round_and_the_judge_decides_once() -> None:
    """Where no one else is named both use the synthesiser's model; the synthesis comes last, once (decision 2)."""
    options = {"synthesiser": "d/chair", "max_rounds": 3, "mode": "red-team-blue-team"}
    found = Planned("debate", THREE, options).calls()
    beside = [(call.times.low, call.times.high) for call in found if call.model == route("d/chair")]
    assert [(1, 1), (1, 1), (0, 1), (1, 1), (1, 1)] == beside
    named = Planned("debate", THREE, {**options, "judge": "e/judge", "evaluator": "f/safety"}).calls()
    others = [one.model for one in named if one.model not in THREE_ROUTED]
    assert [*[route("f/safety")] * 3, route("e/judge"), route("d/chair")] == others


def test_the_first_debater_does_not_close_where_no_model_is_named_for_it() -> None:
    """The last of the debaters closes, who is another model than the first."""
    assert route(THREE[-1]) == Planned("debate", THREE).calls()[-1].model


@pytest.mark.parametrize(("mode", "is_called"), [("adversarial", True), ("socratic", False), ("delphi", False)])
def test_only_sensitive_modes_call_the_evaluator(mode: ModeName, *, is_called: bool) -> None:
    """Tier 2 calls it for adversarial, red team and devil's advocate by their mode (decision 2)."""
    calls = Planned("debate", THREE, {"synthesiser": "d/chair", "max_rounds": 1, "mode": mode}).calls()
    assert is_called == (calls[len(THREE)].model == route("d/chair") and len(calls) > len(THREE) + 1)


@pytest.mark.parametrize("mode", get_args(ModeName))
@pytest.mark.parametrize("stakes", [(), get_args(HighStakes)], ids=["", "high stakes"])
def test_a_debaters_instructions_lie_within_what_is_estimated(mode: ModeName, stakes: tuple[HighStakes, ...]) -> None:
    """The four layers of every mode have 1,000 to 2,100 tokens by any tokeniser, in every kind of round."""
    inp = debate_of(mode, high_stakes=stakes, question="x")
    occasions = (RoundContext(1), RoundContext(2), RoundContext(2, "objection"))
    texts = [system(table_of(inp), seat, on) for seat in inp.seats for on in occasions]
    assert 1000 <= min(len(text) / 4 for text in texts)
    assert 2100 >= max(count(text) for text in texts)


def test_a_topic_that_no_debate_takes_is_not_estimated() -> None:
    """A study learns it before it starts, by the length of its rows."""
    with pytest.raises(RequestError, match="at most 4,000 tokens, got at least 4,001"):
        Planned("debate", THREE, prompt=Range(low=4001, high=4001)).calls()


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [
        ("The quick brown fox jumps over the lazy dog.", 8, 15),
        ("为什么天空是蓝色的？", 5, 10),
        ("def f(x): return {k: v for k, v in x}", 7, 13),
        ("\ud800", 1, 1),
    ],
)
def test_a_text_has_three_to_six_bytes_to_a_token(text: str, fewest: int, most: int) -> None:
    """The ends hold what usual tokenisers count, in English, in Chinese and in code; nothing is too broken to count."""
    assert Range(low=fewest, high=most) == text_tokens(text)


def panel_of(*settings: SeatSettings | None) -> Panel:
    """Return a panel with one seat for each of ``settings``, ``m:1``, ``m:2`` and so on, and a chair ``m:9``."""
    panel = Panel.of(tuple(f"m:{number}" for number in range(1, len(settings) + 1)), "m:9")
    seats = zip(panel.participants, settings, strict=True)
    return panel.model_copy(
        update={"participants": tuple(one.model_copy(update={"settings": own}) for one, own in seats)}
    )


def test_instructions_are_in_the_plan() -> None:
    """The system messages of deliberation and seat are in every call, the examples at least in those that answer."""
    panel = panel_of(None, SeatSettings(system="l" * 60))
    plain = [CallSizes(panel).call(seat, number) for number in (1, 2) for seat in panel.participants]
    found = with_instructions(plain, "s" * 6, ["e" * 600])
    pairs = zip(plain, found, strict=True)
    added = [(new.least.input - old.least.input, new.most.input - old.most.input) for old, new in pairs]

    assert [(101, 202), (111, 222), (1, 202), (11, 222)] == added


def test_the_length_of_a_reply_is_that_of_its_seat() -> None:
    """``max_tokens`` of the seat, else of the deliberation, are the most; where they are few they are the least too."""
    panel = panel_of(SeatSettings(max_tokens=50), SeatSettings(max_tokens=9000), None)
    sizes = CallSizes(panel, sampling=Sampling(max_tokens=700))

    assert [(50, 50), (300, 9000), (300, 700)] == [
        (call.least.output, call.most.output) for call in independent_calls(sizes)
    ]


def test_the_texts_of_peers_are_as_long_as_their_seats_allow() -> None:
    """A review shows what each seat may have written in the first round, and no other limit counts there."""
    panel = panel_of(SeatSettings(max_tokens=50), SeatSettings(max_tokens=9000), None)
    review = CallSizes(panel, Range(low=10, high=20)).call(panel.participants[0], 2)

    assert (10 + 400, 20 + 600 + 50 + 9000 + 300) == (review.least.input, review.most.input)
    short = CallSizes(panel_of(*[SeatSettings(max_tokens=5)] * 3), Range(low=10, high=20))
    assert 10 + 3 * 5 == short.call(panel.participants[0], 2).least.input


@pytest.mark.parametrize(("effort", "most"), [("minimal", 334), ("low", 375), ("medium", 600), ("high", 1500)])
def test_reasoning_is_a_share_of_the_reply(effort: Effort, most: int) -> None:
    """Of a reply 10, 20, 50 or 80 % are reasoning, so 300 tokens of text are the rest; peers are shown the text."""
    panel = panel_of(SeatSettings(reasoning_effort=effort), None)
    sizes = CallSizes(panel)

    assert [most, 300] == [call.most.output for call in independent_calls(sizes)]
    assert Range(low=600, high=600) == sizes.shown_texts(300)
    limited = CallSizes(panel_of(SeatSettings(reasoning_effort=effort, max_tokens=310)))
    assert Range(low=310, high=310) == limited.written(limited.panel.participants[0], 300)


def test_turns_have_those_before_them_as_their_context() -> None:
    """The first has what was given, the second also the first question and its verdict, as long as a seat may write."""
    options = PROTOCOLS["vote"].options.of({"models": ["a/one"], "max_tokens": 70})
    asked, given = [Range(low=10, high=20), Range(low=1, high=2)], Range(low=100, high=200)

    first, second = PROTOCOLS["vote"].plan_turns(options, options.seated(), asked, given)

    assert (10 + 100, 20 + 600 + 200) == (first.least.input, first.most.input)
    assert (1 + 100 + 10, 2 + 600 + 200 + 20 + 70) == (second.least.input, second.most.input)


def test_corrections_that_are_carried_on_are_in_the_plan() -> None:
    """A draft is written with the draft before and a correction of each speaker; what is not carried on is not."""
    limit = {"max_rounds": 2, "max_tokens": 1000}
    plain, carried = (
        Planned("consensus", THREE, {**limit, "carry_corrections": on}).calls()[1].most.input for on in (False, True)
    )
    assert (600 + 3 * 1000, 600 + 6 * 1000) == (plain, carried)


def test_a_rubric_is_in_reviews_and_scores_are_in_the_conclusion() -> None:
    """Its words at three bytes to a token, and a cell for each answer and criterion."""
    bare = Planned("council", THREE, {"chair": "d/chair"}).calls()
    scored = Planned("council", THREE, {"chair": "d/chair", "rubric": {"accuracy": 2, "style": 1}}).calls()
    more = [new.most.input - old.most.input for old, new in zip(bare, scored, strict=True)]

    assert [0] * 3 + [text_tokens("accuracy \nstyle \n").high + 6 * 3 * 2] * 3 + [6 * 3 * 2] == more


@pytest.mark.parametrize(
    ("planned", "model", "calls"),
    [
        (Planned("fire-circle", THREE, {"pattern_classification": "llm", "classifier": "k/lass"}), "k/lass", (0, 3)),
        (Planned("debate", THREE, {"summaries": "llm", "summariser": "k/lass", "max_rounds": 3}), "k/lass", (2, 3)),
    ],
    ids=["classifier", "summariser"],
)
def test_models_beside_the_panel_are_planned(planned: Planned, model: str, calls: tuple[int, int]) -> None:
    """A classifier of patterns and a summariser are called after each round, and are shown no files."""
    found = [call for call in planned.calls() if call.model == route(model)]
    assert calls == counted(found)
    assert {False} == {call.shows_files for call in found}

"""Groupthink: two triggers, the objection round and when it has failed (seed 003, section 9.2, decision 3)."""

from typing import Any

import pytest

from protocols.debate.model.history import CompletedRound, Measures
from protocols.debate.model.turn import AgentResponse
from protocols.debate.rules.agreement import grouped
from protocols.debate.rules.measures import fired, has_failed, premise_overlap
from tests.protocols.debate.parts import claim, course, evidence, held, reading, state, turn

STILL = {"facts_per_agent": 0.5, "mean_confidence_change": 0.05, "spread": 0.1}


def stagnant(number: int, **changes: Any) -> CompletedRound:
    """A round in which little moved."""
    return held(number, measures=Measures.model_validate(STILL | changes))


def after(*rounds: CompletedRound) -> tuple[str, ...]:
    """What fires after the last of ``rounds``."""
    return fired(course(rounds=rounds[:-1]), rounds[-1])


class TestStagnation:
    """Primary trigger: all conditions for two rounds in a row."""

    def test_two_rounds_in_a_row(self) -> None:
        """Two stagnant rounds fire, one does not."""
        assert ("stagnation",) == after(stagnant(3), stagnant(4))
        assert () == after(stagnant(3))

    def test_rounds_apart_do_not_count(self) -> None:
        """A lively round between two stagnant ones begins the count anew."""
        assert () == after(stagnant(3), stagnant(4, facts_per_agent=2.0), stagnant(5))

    @pytest.mark.parametrize(("facts", "fires"), [(0.999, True), (1.0, False), (1.5, False)])
    def test_new_facts_per_agent_below_one(self, facts: float, *, fires: bool) -> None:
        """Exactly one new fact per agent is no stagnation."""
        assert fires == bool(after(stagnant(3), stagnant(4, facts_per_agent=facts)))

    @pytest.mark.parametrize(("change", "fires"), [(0.099, True), (0.1, True), (0.101, False), (None, False)])
    def test_mean_confidence_change_of_at_most_a_tenth(self, change: float | None, *, fires: bool) -> None:
        """Exactly a tenth is stagnation; an unknown change, as in round 1, is none."""
        assert fires == bool(after(stagnant(3), stagnant(4, mean_confidence_change=change)))

    @pytest.mark.parametrize(("spread", "fires"), [(0.149, True), (0.15, True), (0.151, False)])
    def test_standard_deviation_of_at_most_015(self, spread: float, *, fires: bool) -> None:
        """Exactly 0.15 is stagnation."""
        assert fires == bool(after(stagnant(3), stagnant(4, spread=spread)))

    @pytest.mark.parametrize("lively", [{"facts_per_agent": 1.0}, {"mean_confidence_change": 0.2}, {"spread": 0.25}])
    def test_each_condition_is_needed_in_the_first_of_the_two_as_well(self, lively: dict[str, float]) -> None:
        """One condition that fails in one of the two rounds is enough for it not to fire."""
        assert () == after(stagnant(3, **lively), stagnant(4))

    def test_an_objection_round_settles_what_was_before(self) -> None:
        """Only rounds after it are looked at, and it fires nothing itself."""
        objection = stagnant(4).model_copy(update={"kind": "objection"})
        assert () == after(stagnant(2), stagnant(3), objection)
        assert () == after(stagnant(3), objection, stagnant(5))
        assert ("stagnation",) == after(stagnant(3), objection, stagnant(5), stagnant(6))


CLOSE = "Close the centre to cars"
TOLL = "Introduce a congestion toll instead"
PREMISES = ("Traffic falls where streets close", "Shops gain when people walk")


def confident(
    *confidences: float | None, positions: tuple[str, ...] = (CLOSE, TOLL), premises: tuple[str, ...] = PREMISES
) -> list[AgentResponse]:
    """Turns of so sure debaters, with positions and premises in turn."""
    return [
        turn(
            n + 1,
            said=reading(
                claim(premises[n % len(premises)], "ASSUME"),
                confidence=confidence,
                position=positions[n % len(positions)],
            ),
        )
        for n, confidence in enumerate(confidences)
    ]


def converged(
    *turns: AgentResponse, number: int = 1, sources: int = 3, before: tuple[CompletedRound, ...] = ()
) -> bool:
    """Whether early convergence fires after that round, with so many sources on record."""
    found = tuple(evidence(n, f"Study {n}") for n in range(1, sources + 1))
    table = course(state=state(evidence=found), rounds=before)
    return "early_convergence" in fired(table, held(number, *turns))


class TestEarlyConvergence:
    """Secondary trigger: high confidence by round 2, plus a diversity gate that fails."""

    @pytest.mark.parametrize(
        ("confidences", "fires"),
        [
            ((0.85, 0.85, 0.85, 0.1), True),
            ((0.85, 0.85, 0.849, 0.1), False),
            ((0.9, 0.9, 0.1), False),
            ((0.9, 0.9, 0.9, None), True),
            ((0.9, 0.9, None, None), False),
            ((0.86, 0.9), True),
        ],
    )
    def test_three_quarters_at_085(self, confidences: tuple[float | None, ...], *, fires: bool) -> None:
        """Exactly three quarters at exactly 0.85 are enough, two thirds are not; no confidence is no high one."""
        assert fires == converged(*confident(*confidences), sources=0)

    @pytest.mark.parametrize(("number", "fires"), [(1, True), (2, True), (3, False)])
    def test_by_round_2(self, number: int, *, fires: bool) -> None:
        """Later it is no early convergence any more."""
        assert fires == converged(*confident(0.9, 0.9), number=number, sources=0)

    def test_a_diverse_debate_may_be_sure(self) -> None:
        """Where the gate is passed nothing fires: three sources, other premises, two clusters."""
        assert not converged(*confident(0.9, 0.9))

    @pytest.mark.parametrize(("sources", "fires"), [(2, True), (3, False), (4, False)])
    def test_fewer_than_three_sources_fail_the_gate(self, sources: int, *, fires: bool) -> None:
        """Distinct evidence of the registry is counted; three are enough."""
        assert fires == converged(*confident(0.9, 0.9), sources=sources)

    @pytest.mark.parametrize(
        ("other", "overlap", "fires"),
        [
            ("one two three four five six seven x y z", 7 / 13, False),
            ("one two three four five six seven", 0.7, True),
            ("one two three four five six seven eight", 0.8, True),
            ("one two three four five six", 0.6, False),
        ],
    )
    def test_a_premise_overlap_of_070_fails_the_gate(self, other: str, overlap: float, *, fires: bool) -> None:
        """Exactly 0.70 is too much."""
        turns = confident(0.9, 0.9, premises=("one two three four five six seven eight nine ten", other))
        assert round(overlap, 12) == premise_overlap(turns)
        assert fires == converged(*turns)

    @pytest.mark.parametrize(("positions", "found", "fires"), [((CLOSE, CLOSE), 1, True), ((CLOSE, TOLL), 2, False)])
    def test_fewer_than_two_clusters_fail_the_gate(
        self, positions: tuple[str, ...], found: int, *, fires: bool
    ) -> None:
        """One cluster of positions is no diversity, two are."""
        turns = confident(0.9, 0.9, positions=positions)
        assert (found, fires) == (len(grouped(turns)), converged(*turns))

    @pytest.mark.parametrize("settled", [held(1, kind="objection"), held(1, fired=("early_convergence",))])
    def test_it_fires_once_at_most(self, settled: CompletedRound) -> None:
        """Never after an objection round, and never when it fired before."""
        sure = confident(0.9, 0.9)
        assert converged(*sure, number=2, sources=0, before=(held(1),))
        assert not converged(*sure, number=2, sources=0, before=(settled,))

    def test_both_may_fire(self) -> None:
        """The triggers are in the seed's order."""
        second = stagnant(2).model_copy(update={"turns": tuple(confident(0.9, 0.9))})
        assert ("stagnation", "early_convergence") == fired(course(rounds=(stagnant(1),)), second)

    def test_nobody_spoke(self) -> None:
        """Without votes no three quarters are sure."""
        assert not converged(sources=0)


def premising(*premises: tuple[str, ...], label: str = "ASSUME") -> list[AgentResponse]:
    """Turns with these premises."""
    return [turn(n, said=reading(*(claim(one, label) for one in told))) for n, told in enumerate(premises, start=1)]


class TestPremiseOverlap:
    """Mean pairwise Jaccard of the word sets of ASSUME and INFER claims."""

    def test_by_hand(self) -> None:
        """{a b c}, {b c d}, {x y}: 2 of 4, 0 of 5, 0 of 5, so a sixth."""
        assert round(1 / 6, 12) == premise_overlap(premising(("a b", "c"), ("b c d",), ("x y",)))

    def test_case_and_signs_make_no_difference(self) -> None:
        """Words are compared in lower case, without what is around them."""
        assert 1.0 == premise_overlap(premising(("Shops gain.",), ("(shops) GAIN",)))

    def test_facts_and_open_questions_are_no_premises(self) -> None:
        """Only ASSUME and INFER are: two that state one fact share no premise."""
        told = {label: premise_overlap(premising(("a b",), ("a b",), label=label)) for label in ("FACT", "OPEN")}
        assert ({"FACT": 0.0, "OPEN": 0.0}, 1.0) == (
            told,
            premise_overlap([*premising(("a b",)), *premising(("a b",), label="INFER")]),
        )

    def test_who_states_no_premise_shares_none(self) -> None:
        """Silence is no agreement: two who state none overlap by 0."""
        assert 0.0 == premise_overlap(premising((), ()))

    def test_nobody_overlaps_with_nobody(self) -> None:
        """One debater alone has no pair."""
        assert [0.0, 0.0] == [premise_overlap([]), premise_overlap(premising(("a b",)))]


def holding(*positions: str) -> list[AgentResponse]:
    """Turns with these positions."""
    return [turn(n, said=reading(position=position)) for n, position in enumerate(positions, start=1)]


class TestClusters:
    """Single-link groups of positions at a likeness of 0.35."""

    @pytest.mark.parametrize(
        ("other", "count"),
        [
            ("bb cc dd ee ff gg hh k l m n o p q r s t u v w", 1),
            ("bb cc dd ee ff gg j k l m n o p q r s t u v w", 2),
            ("bb cc dd ee ff gg hh", 1),
        ],
    )
    def test_at_035(self, other: str, count: int) -> None:
        """Seven of twenty words are just enough, six of twenty are not."""
        assert count == len(grouped(holding("bb cc dd ee ff gg hh", other)))

    def test_one_that_links_joins_two_groups(self) -> None:
        """The first and the last have no word in common, but the one between is like both."""
        apart = ("a b c d", "e f g h")
        assert 2 == len(grouped(holding(*apart)))
        assert 2 == len(grouped(holding(*apart, "a b c e")))
        assert 1 == len(grouped(holding(*apart, "a b c e f g")))

    def test_groups_are_in_the_order_of_the_turns(self) -> None:
        """A position that joins two groups puts none before the first."""
        turns = holding("a b c", "x y z", "d e f", "a b c d e f")
        assert [["p1", "p3", "p4"], ["p2"]] == [[one.agent for one in group] for group in grouped(turns)]

    def test_nobody_has_no_position(self) -> None:
        """No turn, no cluster."""
        assert 0 == len(grouped([]))


FAILED = {"new_facts": 0, "mean_confidence": 0.9, "mean_confidence_change": 0.01}


class TestObjectionFailed:
    """A user is asked only if the objection round fails."""

    @pytest.mark.parametrize(
        ("changes", "failed"),
        [
            ({}, True),
            ({"new_facts": 1}, False),
            ({"mean_confidence": 0.81}, True),
            ({"mean_confidence": 0.8}, True),
            ({"mean_confidence": 0.799}, False),
            ({"mean_confidence": None}, False),
            ({"mean_confidence_change": 0.049}, True),
            ({"mean_confidence_change": 0.05}, False),
            ({"mean_confidence_change": 0.051}, False),
            ({"mean_confidence_change": None}, True),
        ],
    )
    def test_all_three_conditions(self, changes: dict[str, Any], *, failed: bool) -> None:
        """No new fact, confidence of 0.80 or more, belief change below 5 %; no change known counts as none."""
        objection = held(2, kind="objection", measures=Measures.model_validate(FAILED | changes))
        assert failed == has_failed(objection)

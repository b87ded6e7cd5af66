"""A round in short: the JSON of section 7.3 (seed 003)."""

import json
from typing import Any

import pytest

from protocols.debate.aliases import Aliases, labels
from protocols.debate.model.history import DebateHistory
from protocols.debate.model.state import PERSON, WITHHELD, AgentSummary, Contested, Decision, HistoricalRound, KeyMove
from protocols.debate.model.turn import ClaimsTouched
from protocols.debate.rules.summaries import MOST_CONTESTED, MOST_MOVES, summarise_round
from protocols.tokens import count
from tests.protocols.debate.parts import (
    claim,
    course,
    evidence,
    reading,
    registered,
    seat,
    state,
    turn,
)

P1, P2, P3 = seat(1), seat(2), seat(3)
NAMES: Aliases = {P1: "Claude", P2: "ChatGPT", P3: "Perplexity"}
LUND = evidence(1, "Lund (2021). Traffic.", supports=["C1"], gist="Traffic fell")
C1 = registered(1, "Traffic fell", label="FACT", status="accepted", supporters=[P1, P3], support=["E1"])
C2 = registered(2, "Shops keep their trade", status="contested", opponents=[P2], opposition=["C3"])
C3 = registered(3, "Shops lose a tenth of their trade", 2)


def words(number: int) -> str:
    """A text of so many tokens."""
    return " ".join("word" for _ in range(number))


def short(table: DebateHistory, one_liner: str = "") -> HistoricalRound:
    """The round that runs there, in short."""
    return summarise_round(table, NAMES, one_liner)


def table_of(*turns: Any, **registries: Any) -> DebateHistory:
    """A course in which these turns are open."""
    return course(state=state(**registries), open=turns)


class TestHistoricalRound:
    """Section 7.3."""

    def test_it_is_the_seeds_json(self) -> None:
        """A dump has the fields of the seed, in the seed's places and under its names."""
        table = table_of(
            turn(
                1,
                said=reading(stance="YES", confidence=0.85),
                confidence_delta=0.0,
                claims_touched=ClaimsTouched(introduced=("C2",)),
            ),
            claims=[C2, C3],
            evidence=[LUND],
            decisions=[Decision(id="D1", text="No tolls", round=1)],
        )
        agent = {
            "agent": "p1",
            "stance": "YES",
            "vote": "ACCEPT",
            "confidence": 0.85,
            "confidence_delta": 0.0,
            "position": "Close the centre to cars in steps.",
            "key_moves": [{"type": "claim", "ref": "C2", "note": "Shops keep their trade"}],
        }
        overall = {
            "one_liner": "They differ on shops.",
            "new_claims": ["C2", "C3"],
            "new_evidence": ["E1"],
            "decisions": ["D1"],
        }
        contested = {
            "claim": "C2",
            "best_pro": "Shops keep their trade",
            "best_con": "Shops lose a tenth of their trade",
        }
        expected = {"round": 1, "summary": {"global": overall, "by_agent": [agent], "contested": [contested]}}
        assert expected == json.loads(short(table, "They differ on shops.").model_dump_json())

    def test_only_what_the_round_brought_is_new(self) -> None:
        """A claim that was new or settled before the round is not named again."""
        decision = Decision(id="D1", text="No tolls", round=1)
        table = table_of(round=2, claims=[C1, C3.model_copy(update={"introduced_round": 2})], decisions=[decision])
        overall = short(table).summary.overall
        assert (("C3",), (), ()) == (overall.new_claims, overall.new_evidence, overall.decisions)

    @pytest.mark.parametrize(("tokens", "is_cut"), [(35, False), (36, True)])
    def test_the_line_has_at_most_thirty_five_tokens(self, tokens: int, *, is_cut: bool) -> None:
        """``one_liner``: thirty-five go in whole, one more is cut."""
        line = short(table_of(), words(tokens)).summary.overall.one_liner
        assert is_cut == (line != words(tokens))
        assert count(line) <= 35

    @pytest.mark.parametrize(("tokens", "is_cut"), [(20, False), (21, True)])
    def test_a_note_has_at_most_twenty_tokens(self, tokens: int, *, is_cut: bool) -> None:
        """``note``: twenty go in whole, one more is cut."""
        moved = turn(1, claims_touched=ClaimsTouched(introduced=("C1",)))
        note = short(table_of(moved, claims=[registered(1, words(tokens))])).summary.by_agent[0].key_moves[0].note
        assert is_cut == (note != words(tokens))
        assert count(note) <= 20

    @pytest.mark.parametrize(("tokens", "is_cut"), [(25, False), (26, True)])
    def test_an_argument_has_at_most_twenty_five_tokens(self, tokens: int, *, is_cut: bool) -> None:
        """``best_pro`` and ``best_con``: twenty-five go in whole, one more is cut."""
        claims = [C2.model_copy(update={"text": words(tokens)}), registered(3, words(tokens), 2)]
        told = short(table_of(claims=claims)).summary.contested[0]
        assert (is_cut, is_cut) == (told.best_pro != words(tokens), told.best_con != words(tokens))
        assert max(count(told.best_pro), count(told.best_con)) <= 25

    def test_it_is_one_line(self) -> None:
        """Line breaks of a summariser do not break the table of others."""
        assert short(table_of(), " They\n moved. ").summary.overall.one_liner == "They moved."


class TestTheLineByRule:
    """What changed this round, when no summariser says so."""

    def test_it_states_who_changed_its_vote_and_what_is_contested(self) -> None:
        """Point 28: the content of the turns, not their number."""
        turns = (turn(1, vote_before="ACCEPT"), turn(2, said=reading(vote="BLOCKER"), vote_before="MINOR"))
        line = short(table_of(*turns, claims=[C2, C3])).summary.overall.one_liner
        assert line == "ChatGPT went from MINOR to BLOCKER; C2 is contested: Shops keep their trade"

    def test_a_blank_line_is_none(self) -> None:
        """A summariser that said nothing leaves the line to the rule."""
        line = short(table_of(), " \n").summary.overall.one_liner
        assert line == "No vote changed, and no claim of this round is contested"

    def test_it_keeps_to_its_limit_with_ten_who_changed_their_vote(self) -> None:
        """However many names there are to tell."""
        everybody = [seat(number) for number in range(1, 11)]
        turns = [turn(number, said=reading(vote="BLOCKER"), vote_before="MINOR") for number in range(1, 11)]
        line = summarise_round(course(10, open=turns), labels(everybody)).summary.overall.one_liner
        assert count(line) <= 35

    def test_whoever_is_withheld_is_not_named(self) -> None:
        """How it votes is not shown, and whether it moved neither."""
        moved = turn(2, said=reading(vote="BLOCKER"), vote_before="MINOR", withheld="harassment")
        assert "ChatGPT" not in short(table_of(moved)).summary.overall.one_liner


class TestKeyMoves:
    """Section 7.3, ``key_moves``."""

    def test_every_kind_of_move_is_reported(self) -> None:
        """One of each kind with its words, then the second of any by its id alone, whose text is in the state."""
        touched = ClaimsTouched(introduced=("C3", "C4"), challenged=("C2",), retracted=("C1",), reinforced=("C5",))
        claims = [C1, C2, C3, registered(4, "Noise falls"), registered(5, "Air is cleaner")]
        said = reading(claim("Counters were few", opposes=["c2"]))
        moved = turn(2, said=said, claims_touched=touched, citations_used=("E1",))
        told = short(table_of(moved, claims=claims, evidence=[LUND])).summary.by_agent[0].key_moves
        assert (
            KeyMove(type="claim", ref="C3", note="Shops lose a tenth of their trade"),
            KeyMove(type="challenge", ref="C2", note="Counters were few"),
            KeyMove(type="retract", ref="C1", note="Traffic fell"),
            KeyMove(type="evidence", ref="E1", note="Lund (2021). Traffic."),
            KeyMove(type="reinforce", ref="C5", note="Air is cleaner"),
            KeyMove(type="claim", ref="C4"),
        ) == told

    @pytest.mark.parametrize(
        ("fields", "note"), [({"concerns": ["Deliveries"]}, "Deliveries"), ({"concerns": []}, "Leave it open.")]
    )
    def test_a_bare_challenge_is_reported_by_what_was_said(self, fields: dict[str, Any], note: str) -> None:
        """A concern, or else the position."""
        said = reading(position="Leave it open.", **fields)
        moved = turn(2, said=said, claims_touched=ClaimsTouched(challenged=("C2",)))
        assert note == short(table_of(moved, claims=[C2])).summary.by_agent[0].key_moves[0].note

    def test_what_a_person_brought_in_is_reported_by_its_fact(self) -> None:
        """The fact is its content; the source is its place."""
        fact = evidence(1, "Register", gist="Traffic fell by 12 %", added_by=PERSON)
        told = short(table_of(turn(1, citations_used=("E1",)), evidence=[fact])).summary.by_agent[0].key_moves
        assert (KeyMove(type="evidence", ref="E1", note="Traffic fell by 12 %"),) == told

    def test_an_agent_has_at_most_twelve(self) -> None:
        """The turn itself has the rest."""
        claims = [registered(number, f"Claim {number}") for number in range(1, 15)]
        moved = turn(1, claims_touched=ClaimsTouched(introduced=tuple(one.id for one in claims)))
        assert MOST_MOVES == len(short(table_of(moved, claims=claims)).summary.by_agent[0].key_moves) == 12

    def test_of_a_withheld_turn_nothing_is_reported(self) -> None:
        """Only that its agent took part."""
        moved = turn(1, withheld="harassment", confidence_delta=0.1, claims_touched=ClaimsTouched(introduced=("C1",)))
        told = short(table_of(moved, claims=[C1])).summary.by_agent[0]
        assert AgentSummary(agent=P1) == told

    def test_a_position_has_at_most_forty_tokens(self) -> None:
        """A longer one is cut, and marked so."""
        told = short(table_of(turn(1, said=reading(position=words(80))))).summary.by_agent[0].position
        assert (True, True) == (told.endswith("[…]"), 30 < count(told) <= 40)


class TestContested:
    """Section 7.3, ``contested``: the best argument of either side."""

    def test_only_what_the_round_touched_is_reported(self) -> None:
        """A dispute that rested is not named again."""
        assert short(table_of(round=2, claims=[C2, C3])).summary.contested == ()

    @pytest.mark.parametrize("status", ["accepted", "open", "retracted"])
    def test_only_contested_claims_are(self, status: str) -> None:
        """Others have no two sides."""
        assert short(table_of(claims=[C2.model_copy(update={"status": status})])).summary.contested == ()

    def test_at_most_six_are_reported_most_opposed_first(self) -> None:
        """The widest difference comes first."""
        claims = [registered(number, f"Claim {number}", status="contested", opponents=[P2]) for number in range(1, 9)]
        claims[7] = claims[7].model_copy(update={"opponents": (P2, P3)})
        told = short(table_of(claims=claims)).summary.contested
        assert ["C8", "C1", "C2", "C3", "C4", "C5"] == [one.claim for one in told]
        assert len(told) == MOST_CONTESTED

    def test_the_strongest_claim_against_it_is_best(self) -> None:
        """A FACT before an INFER before an ASSUME, and none that was retracted."""
        claims = [
            C2.model_copy(update={"opposition": ("C3", "C4", "C5", "C6")}),
            registered(3, "Retracted", 2, label="FACT", status="retracted"),
            registered(4, "Assumed", 2, label="ASSUME"),
            registered(5, "Inferred", 2, label="INFER"),
            registered(6, "Known", 2, label="FACT"),
        ]
        assert short(table_of(claims=claims)).summary.contested[0].best_con == "Known"
        assert short(table_of(claims=claims[:4])).summary.contested[0].best_con == "Inferred"

    def test_of_equally_strong_ones_it_is_that_of_most(self) -> None:
        """Of two inferences the one that more agents support."""
        claims = [
            C2.model_copy(update={"opposition": ("C3", "C4")}),
            registered(3, "Of one", 2),
            registered(4, "Of two", 2, supporters=[P2, P3]),
        ]
        assert short(table_of(claims=claims)).summary.contested[0].best_con == "Of two"

    def test_without_a_claim_against_it_an_opponent_is_received(self) -> None:
        """The words of a debater that opposes it, and of no other."""
        bare = C2.model_copy(update={"opposition": ()})
        turns = (turn(1, said=reading(concerns=["Noise"])), turn(2, said=reading(concerns=["Deliveries"])))
        told = short(table_of(*turns, claims=[bare])).summary.contested
        assert (Contested(claim="C2", best_pro="Shops keep their trade", best_con="Deliveries"),) == told

    def test_the_best_for_it_is_a_claim_that_supports_it(self) -> None:
        """The strongest of this round, before the evidence that it is on, before the claim itself."""
        made = reading(claim("It seems so", "ASSUME", supports=["C2"]), claim("Tills show it", "FACT", supports=["C2"]))
        grounded = C2.model_copy(update={"support": ("E1",)})
        registries: Any = {"claims": [grounded], "evidence": [LUND]}
        assert short(table_of(turn(1, said=made), **registries)).summary.contested[0].best_pro == "Tills show it"
        assert short(table_of(**registries)).summary.contested[0].best_pro == LUND.title

    def test_what_is_withheld_argues_nothing(self) -> None:
        """Neither for it nor against it."""
        bare = C2.model_copy(update={"opposition": (), "support": ("E1",)})
        made = reading(claim("A secret", supports=["C2"]), concerns=["A secret"])
        turns = (turn(1, said=made, withheld="harassment"), turn(2, said=made, withheld="harassment"))
        hidden = LUND.model_copy(update={"title": WITHHELD})
        told = short(table_of(*turns, claims=[bare], evidence=[hidden])).summary.contested
        assert (Contested(claim="C2", best_pro="Shops keep their trade", best_con=""),) == told

"""A round in short: the JSON of section 7.3 and the format of section 5.2 (seed 003)."""

import json
from typing import Any

import pytest

from protocols.debate.model.course import Course, Measures
from protocols.debate.model.state import PERSON, AgentStatus, Contested, Decision, HistoricalRound, KeyMove
from protocols.debate.model.turns import ClaimsTouched
from protocols.debate.modes.naming import Names, labels
from protocols.debate.rules.book import WITHHELD
from protocols.debate.rules.summaries import MOST_CONTESTED, MOST_MOVES, in_short, positions, readable
from protocols.tokens import count
from tests.protocols.debate.parts import (
    claim,
    course,
    evidence,
    held,
    reading,
    reference,
    registered,
    seat,
    state,
    turn,
)

P1, P2, P3 = seat(1), seat(2), seat(3)
NAMES: Names = {P1: "Claude", P2: "ChatGPT", P3: "Perplexity"}
LUND = evidence(1, "Lund (2021). Traffic.", supports=["C1"], gist="Traffic fell")
C1 = registered(1, "Traffic fell", label="FACT", status="accepted", supporters=[P1, P3], support=["E1"])
C2 = registered(2, "Shops keep their trade", status="contested", opponents=[P2], opposition=["C3"])
C3 = registered(3, "Shops lose a tenth of their trade", 2)


def words(number: int) -> str:
    """A text of so many tokens."""
    return " ".join("word" for _ in range(number))


def short(table: Course, one_liner: str = "") -> HistoricalRound:
    """The round that is held there, in short."""
    return in_short(table, NAMES, one_liner)


def table_of(*turns: Any, **registries: Any) -> Course:
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
            "confidence": 0.85,
            "confidence_delta": 0.0,
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
        assert expected == json.loads(short(table, "They differ on shops.").model_dump_json(by_alias=True))

    def test_only_what_the_round_brought_is_new(self) -> None:
        """What came in before it, or was settled before it, is not told again."""
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

    def test_it_counts_what_changed(self) -> None:
        """Claims and evidence that are new, what is contested, votes, confidence, and who blocks."""
        turns = (turn(1), turn(2, said=reading(vote="BLOCKER", confidence=0.6)), turn(3, said=reading(vote="MINOR")))
        line = short(table_of(*turns, claims=[C2, C3], evidence=[LUND])).summary.overall.one_liner
        assert "New: claims 2, sources 1; contested 1; 2 of 3 for it at 73%; blocked by ChatGPT." == line

    def test_a_blank_line_is_none(self) -> None:
        """A summariser that said nothing leaves the line to the rule."""
        assert (
            short(table_of(), " \n").summary.overall.one_liner
            == "New: claims 0, sources 0; contested 0; 0 of 0 for it."
        )

    def test_it_keeps_to_its_limit_with_ten_who_block(self) -> None:
        """However many names there are to tell."""
        everybody = [seat(number) for number in range(1, 11)]
        turns = [turn(number, said=reading(vote="BLOCKER")) for number in range(1, 11)]
        line = in_short(course(10, open=turns), labels(everybody)).summary.overall.one_liner
        assert count(line) <= 35

    def test_whoever_is_withheld_is_not_named(self) -> None:
        """Its vote counts, and nothing else of it is shown."""
        line = short(table_of(turn(2, said=reading(vote="BLOCKER"), withheld="harassment"))).summary.overall.one_liner
        assert "blocked" not in line


class TestKeyMoves:
    """Section 7.3, ``key_moves``."""

    def test_every_kind_of_move_is_told(self) -> None:
        """One of each kind, before the second of any: claim, challenge, retract, evidence, reinforce."""
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
            KeyMove(type="claim", ref="C4", note="Noise falls"),
        ) == told

    @pytest.mark.parametrize(
        ("fields", "note"), [({"concerns": ["Deliveries"]}, "Deliveries"), ({"concerns": []}, "Leave it open.")]
    )
    def test_a_bare_challenge_is_told_by_what_was_said(self, fields: dict[str, Any], note: str) -> None:
        """A concern, or else the position."""
        said = reading(position="Leave it open.", **fields)
        moved = turn(2, said=said, claims_touched=ClaimsTouched(challenged=("C2",)))
        assert note == short(table_of(moved, claims=[C2])).summary.by_agent[0].key_moves[0].note

    def test_what_a_person_brought_in_is_told_by_its_fact(self) -> None:
        """The fact is what it says; the source is where it stands."""
        fact = evidence(1, "Register", gist="Traffic fell by 12 %", added_by=PERSON)
        told = short(table_of(turn(1, citations_used=("E1",)), evidence=[fact])).summary.by_agent[0].key_moves
        assert (KeyMove(type="evidence", ref="E1", note="Traffic fell by 12 %"),) == told

    def test_an_agent_has_at_most_six(self) -> None:
        """The turn itself has the rest."""
        claims = [registered(number, f"Claim {number}") for number in range(1, 10)]
        moved = turn(1, claims_touched=ClaimsTouched(introduced=tuple(one.id for one in claims)))
        assert MOST_MOVES == len(short(table_of(moved, claims=claims)).summary.by_agent[0].key_moves) == 6

    def test_of_a_withheld_turn_nothing_is_told(self) -> None:
        """Only that its agent took part."""
        moved = turn(1, withheld="harassment", confidence_delta=0.1, claims_touched=ClaimsTouched(introduced=("C1",)))
        told = short(table_of(moved, claims=[C1])).summary.by_agent[0]
        assert (P1, None, None, None, ()) == (
            told.agent,
            told.stance,
            told.confidence,
            told.confidence_delta,
            told.key_moves,
        )


class TestContested:
    """Section 7.3, ``contested``: the best argument of either side."""

    def test_only_what_the_round_touched_is_told(self) -> None:
        """A dispute that rested is not told again."""
        assert short(table_of(round=2, claims=[C2, C3])).summary.contested == ()

    @pytest.mark.parametrize("status", ["accepted", "open", "retracted"])
    def test_only_contested_claims_are(self, status: str) -> None:
        """Others have no two sides."""
        assert short(table_of(claims=[C2.model_copy(update={"status": status})])).summary.contested == ()

    def test_at_most_six_are_told_most_opposed_first(self) -> None:
        """What divides most is told first."""
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
        """Of two inferences the one that more agents stand by."""
        claims = [
            C2.model_copy(update={"opposition": ("C3", "C4")}),
            registered(3, "Of one", 2),
            registered(4, "Of two", 2, supporters=[P2, P3]),
        ]
        assert short(table_of(claims=claims)).summary.contested[0].best_con == "Of two"

    def test_without_a_claim_against_it_an_opponent_is_heard(self) -> None:
        """What somebody said who opposes it; nobody else's words."""
        bare = C2.model_copy(update={"opposition": ()})
        turns = (turn(1, said=reading(concerns=["Noise"])), turn(2, said=reading(concerns=["Deliveries"])))
        told = short(table_of(*turns, claims=[bare])).summary.contested
        assert (Contested(claim="C2", best_pro="Shops keep their trade", best_con="Deliveries"),) == told

    def test_the_best_for_it_is_a_claim_that_supports_it(self) -> None:
        """The strongest of this round, before the evidence that it stands on, before the claim itself."""
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


class TestPositions:
    """Section 5.2, "AGENT POSITIONS"."""

    def test_a_turn_of_this_round_is_newer_than_the_status(self) -> None:
        """Who has not spoken yet stands as before; who never spoke has no row."""
        before = [AgentStatus(agent=seat(n), confidence=0.5, vote="MINOR", key_point="Wait.") for n in (1, 2)]
        table = table_of(turn(2, said=reading(stance="NO", confidence=0.785)), agent_status=before)
        assert [
            ("Agent", "Stance", "Conf", "Vote", "Key Point"),
            ("Claude", "-", "50%", "MINOR", "Wait."),
            ("ChatGPT", "NO", "78%", "ACCEPT", "Close it in steps."),
        ] == positions(table, NAMES)

    def test_what_is_not_known_is_a_dash(self) -> None:
        """Prose has neither confidence nor vote."""
        prose = turn(1, said=reading(confidence=None, vote=None))
        assert ("Claude", "-", "-", "-", "Close it in steps.") == positions(table_of(prose), NAMES)[1]

    def test_a_withheld_turn_shows_that_it_is(self) -> None:
        """And nothing else."""
        table = table_of(turn(1, said=reading(stance="YES"), withheld="harassment"))
        assert ("Claude", "-", "-", "-", WITHHELD) == positions(table, NAMES)[1]


SEEDS_TABLE = """\
=== ROUND 1 SUMMARY ===

CONSENSUS STATUS: HIGH (100%)

KEY AGREEMENTS:
- C1 Traffic fell

UNRESOLVED DISAGREEMENTS:
- C2 Shops keep their trade: Claude (YES) vs ChatGPT (NO)

AGENT POSITIONS:
+------------+--------+-------+--------+------------------+
| Agent      | Stance | Conf  | Vote   | Key Point        |
+------------+--------+-------+--------+------------------+
| Claude     | YES    | 85%   | ACCEPT | In steps.        |
| ChatGPT    | NO     | 78%   | MINOR  | Not now.         |
| Perplexity | NEUTRAL| 80%   | ACCEPT | Try it first.    |
+------------+--------+-------+--------+------------------+

NEW EVIDENCE THIS ROUND:
- [FACT][1]: Traffic fell (Source: Lund (2021). Traffic.)

=== FULL RESPONSES (expandable) ===

--- Claude ---
Position: Close it.
Reasoning: Because.
Confidence: 85%
Sources: [1] Lund (2021). Traffic.

--- ChatGPT ---
Position: Close it.
Reasoning: Because.
Confidence: 78%
Sources: none

--- Perplexity ---
Position: Close it.
Reasoning: Because.
Confidence: 80%
Sources: none"""


def argued(number: int, stance: str, sure: float, vote: str, point: str, **fields: Any) -> Any:
    """A turn like those of the seed's table."""
    said = reading(
        stance=stance,
        confidence=sure,
        vote=vote,
        key_points=[point],
        position="Close it.",
        reasoning="Because.",
        **fields,
    )
    return turn(number, said=said)


class TestReadable:
    """Section 5.2, the whole format."""

    ROUND = held(
        1,
        argued(1, "YES", 0.85, "ACCEPT", "In steps.", references=[reference(1, LUND.title)]),
        argued(2, "NO", 0.78, "MINOR", "Not now."),
        argued(3, "NEUTRAL", 0.8, "ACCEPT", "Try it first."),
        measures=Measures(agreement=1.0),
    )

    def test_it_is_the_seeds_format(self) -> None:
        """Header, status, agreements, disagreements, table, evidence and responses, to the character."""
        table = course(state=state(claims=[C1, C2, C3], evidence=[LUND]), rounds=(self.ROUND,))
        assert readable(self.ROUND, table, NAMES) == SEEDS_TABLE

    @pytest.mark.parametrize(
        ("agreement", "line"),
        [
            (1.0, "HIGH (100%)"),
            (0.8, "HIGH (80%)"),
            (0.777777777778, "MEDIUM (78%)"),
            (0.5, "MEDIUM (50%)"),
            (0.444444444444, "LOW (44%)"),
            (0.0, "LOW (0%)"),
        ],
    )
    def test_consensus_is_high_medium_or_low(self, agreement: float, line: str) -> None:
        """HIGH from 80 %, MEDIUM from 50 %, LOW below."""
        one = held(2, measures=Measures(agreement=agreement))
        assert f"CONSENSUS STATUS: {line}" == readable(one, course(), NAMES).splitlines()[2]

    def test_an_empty_list_says_none(self) -> None:
        """Nothing agreed, nothing disputed, nothing brought in."""
        text = readable(held(2), course(), NAMES)
        assert ["KEY AGREEMENTS:\n- none", "UNRESOLVED DISAGREEMENTS:\n- none", "NEW EVIDENCE THIS ROUND:\n- none"] == [
            text.split("\n\n")[at] for at in (2, 3, 5)
        ]

    def test_without_stances_the_sides_are_told_by_their_votes(self) -> None:
        """Everywhere but in devil's advocate."""
        disputed = C2.model_copy(update={"supporters": (P1, P3)})
        one = held(1, turn(1), turn(2, said=reading(vote="BLOCKER")), turn(3, said=reading(vote="MINOR")))
        text = readable(one, course(state=state(claims=[disputed])), NAMES)
        assert "- C2 Shops keep their trade: Claude (ACCEPT), Perplexity (MINOR) vs ChatGPT (BLOCKER)" in text

    def test_claims_of_later_rounds_are_not_in_it(self) -> None:
        """A round shows what was there when it was over."""
        later = C1.model_copy(update={"introduced_round": 2})
        assert "Traffic fell" not in readable(held(1), course(state=state(claims=[later])), NAMES)

    def test_a_longer_name_makes_its_column_wider(self) -> None:
        """Every line of the table is as long as the others."""
        names = {**NAMES, P1: "p1 (claude-sonnet-4-20250514)"}
        text = readable(self.ROUND, course(rounds=(self.ROUND,)), names)
        rows = [line for line in text.splitlines() if line.startswith(("+", "|"))]
        assert len({len(row) for row in rows}) == 1
        assert "| p1 (claude-sonnet-4-20250514) | YES    |" in text

    def test_a_long_key_point_takes_two_lines(self) -> None:
        """The seed's "2-line summary": the second line has nothing but its rest."""
        point = "Close it in steps and look at the trade of the shops after each of them."
        one = held(1, turn(1, said=reading(key_points=[point])))
        rows = [line for line in readable(one, course(), NAMES).splitlines() if line.startswith("|")][1:]
        told = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
        assert ["Claude", "", point] == [told[0][0], told[1][0], f"{told[0][4]} {told[1][4]}"]
        assert (2, ["", "", ""]) == (len(rows), told[1][1:4])

    def test_a_point_cannot_break_the_table(self) -> None:
        """Line breaks and bars in it are taken out."""
        one = held(1, turn(1, said=reading(key_points=["a | b\n| c"])))
        assert "| a / b / c        |" in readable(one, course(), NAMES)

    def test_evidence_has_the_number_of_its_id(self) -> None:
        """Of this round alone, with the label of the claim; a person's fact is a FACT; what says nothing is left."""
        found = [
            LUND.model_copy(update={"id": "E1", "added_round": 1}),
            evidence(2, "Berg", added_round=2, supports=["C3"]),
            evidence(3, "Register", added_round=2, gist="It fell", added_by=PERSON),
            evidence(4, "Listed", added_round=2),
        ]
        text = readable(held(2), course(state=state(claims=[C1, C3], evidence=found)), NAMES)
        lines = [
            "- [INFER][2]: Shops lose a tenth of their trade (Source: Berg)",
            "- [FACT][3]: It fell (Source: Register)",
        ]
        assert ["NEW EVIDENCE THIS ROUND:", *lines] == text.split("\n\n")[5].splitlines()

    def test_a_withheld_turn_is_not_in_the_responses(self) -> None:
        """Its place says that it was withheld."""
        one = held(1, turn(1, said=reading(position="A secret"), withheld="harassment"))
        text = readable(one, course(), NAMES)
        assert text.endswith(f"--- Claude ---\n{WITHHELD}")
        assert "secret" not in text

    def test_a_confidence_that_is_missing_is_not_given(self) -> None:
        """Section 3.5, "Confidence"."""
        one = held(1, turn(1, said=reading(confidence=None)))
        assert "\nConfidence: not given\n" in readable(one, course(), NAMES)

"""The scripted debaters: what a plain one says, and how plain debates go."""

import json
import re
from itertools import combinations
from typing import Any

import pytest

from protocols.debate.aliases import labels, seat_of
from protocols.debate.model.io import ModeName
from protocols.debate.modes import MODES
from protocols.debate.prompts.call_context import RoundContext
from protocols.debate.rules.stop_rules import decide_next
from protocols.tokens import count
from rehearsal.models.debate import ANCHORS, DebaterState, argue, position
from rehearsal.models.debate_prompts import Debate
from rehearsal.models.debate_topics import FILLER, theme_of
from rehearsal.models.debate_turns import fields
from tests.rehearsal.debates import P1, P2, P3, Night, answer, debate_among, hold, plain, reading, turn_call

TOPICS = {
    "streets": "Should a city of 200,000 close its centre to cars?",
    "machines": "Should a hospital let a language model write its letters?",
    "work": "Should the company move to a four-day week?",
    "schools": "Should phones be banned from schools?",
    "code": "Should we rewrite the monolith before the next release?",
    "any": "Should museums return what was bought under colonial rule?",
}
"""One topic that arguments are written for, and others."""

SOURCE = re.compile(r"Rehearsal Source \d+ \((?:[a-z ]+ that does not exist|common knowledge, not looked up)\)\.")


def likeness(one: str, other: str) -> float:
    """How alike two texts are as sets of words."""
    words, others = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(words & others) / len(words | others)


def everything(night: Night) -> list[dict[str, Any]]:
    """Every turn of a debate."""
    return [turn for seat in night.inp.seats for turn in night.turns(seat)]


class TestPlainDebate:
    """How a debate of plain models goes."""

    def test_a_final_answer_is_given_where_the_topic_requests_for_one(self) -> None:
        """A rehearsed study measures debates as it measures the others; elsewhere the field is left out."""
        topic = "What is 17 x 23? End with one line: FINAL ANSWER: and the number."
        first, second = (argue(7, "m", Debate(topic=topic, round=n)).answer for n in (1, 2))
        assert first.isdecimal()
        assert first == second
        assert "answer" not in fields(argue(7, "m", Debate(topic=TOPICS["streets"], round=1)))

    @pytest.mark.long
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize(("debaters", "seeds"), [(2, 3), (3, 2), (5, 1), (10, 1)])
    def test_plain_panel_agrees_in_three_to_five_rounds(self, mode: ModeName, debaters: int, seeds: int) -> None:
        """Under several seeds plain debaters accept one motion, but where parts are assigned nothing is ever agreed."""
        nights = [hold(plain(debaters, mode=mode), seed=seed) for seed in range(seeds)]

        ends = {"consensus"} if MODES[mode].has_motion else {"plateau", "round_cap"}
        assert {night.outcome for night in nights} <= ends
        assert {len(night.rounds) for night in nights} <= {3, 4, 5}
        assert {()} == {held.fired for night in nights for held in night.rounds}

    @pytest.mark.long
    @pytest.mark.parametrize("mode", MODES)
    def test_plain_debaters_break_no_rule(self, mode: str) -> None:
        """Neither the format of citations nor the conduct of a plain turn is objected to, and nothing is withheld."""
        nights = [hold(plain(4, mode=mode, question=topic)) for topic in TOPICS.values()]

        assert set() == set().union(*(night.kinds() for night in nights))
        assert {""} == {turn.withheld for night in nights for held in night.rounds for turn in held.turns}

    @pytest.mark.parametrize("topic", TOPICS.values())
    def test_everybody_brings_a_new_fact_in_every_round(self, topic: str) -> None:
        """No round of a plain debate passes without a new grounded fact of each debater."""
        night = hold(plain(4, question=topic))

        assert all(turn.new_facts >= 1 for held in night.rounds for turn in held.turns)

    def test_debates_differ(self) -> None:
        """Other seeds make other debates, of different lengths, and in some of them one blocks at first."""
        nights = [hold(plain(), seed=seed) for seed in range(12)]
        blocked = [any(turn.vote == "BLOCKER" for turn in night.rounds[0].turns) for night in nights]

        assert 2 <= len({len(night.rounds) for night in nights})
        assert len({tuple(night.confidences(P1)) for night in nights}) > 8
        assert {True, False} == set(blocked)

    def test_debate_is_the_same_every_time(self) -> None:
        """Another nonce changes nothing in the reply."""
        one, other = (hold(plain(mode="adversarial"), night=night, rounds=2) for night in ("one", "two"))

        assert [text for _, text in one.said] == [text for _, text in other.said]

    def test_label_changes_nothing_but_names(self) -> None:
        """Under which label one speaks decides only by which names peers are called."""
        night = hold(plain(mode="delphi"), rounds=1)
        tables = [night.table._replace(names=labels(seats)) for seats in ((P1, P2, P3), (P2, P3, P1))]
        asked = [turn_call(table, P1, RoundContext(2)) for table in tables]
        one, other = (json.loads(answer(call).text or "") for call in asked)
        named = [table.names[seat_of(tables[0].names, one["replies_to"][0]) or P1] for table in tables]

        assert named == [told["replies_to"][0] for told in (one, other)]
        assert one | {"replies_to": (), "reasoning": ""} == other | {"replies_to": (), "reasoning": ""}


class TestTurn:
    """The content of a plain turn."""

    @pytest.mark.parametrize("mode", MODES)
    def test_turn_holds_all_that_is_asked_for(self, mode: str) -> None:
        """Every turn has a steelman, a concern, two alternatives, three mitigated risks, and what is uncertain."""
        turns = everything(hold(plain(mode=mode)))

        assert all(turn["steelman"] and turn["concerns"] and turn["uncertainty"] for turn in turns)
        assert {2} == {sum(bool(one["rejected_because"]) for one in turn["alternatives"]) for turn in turns}
        assert {3} == {sum(bool(one["mitigation"]) for one in turn["risks"]) for turn in turns}

    def test_prose_stands_under_the_headers_with_its_references(self) -> None:
        """The prose has every header of the mode, a tag behind every claim, and ends with the References."""
        mode, first = MODES["expert-panel"], hold(plain(mode="expert-panel"), rounds=1).turns(P1)[0]
        prose = first["reasoning"]
        headers = re.findall(r"^([^.\[\n]+):$", prose, re.MULTILINE)

        assert [*(section.name for section in mode.part(0).first), "References"] == headers
        assert all(f"{claim['text']}.[{claim['label']}]" in prose for claim in first["claims"])
        assert prose.partition("References:\n")[2].splitlines() == [
            f"[{one['number']}] {one['text']}" for one in first["references"]
        ]

    @pytest.mark.parametrize("topic", TOPICS.values())
    def test_sources_are_placeholders(self, topic: str) -> None:
        """Every work that is cited says that it does not exist or was not looked up, and nothing is reached there."""
        cited = [one for turn in everything(hold(plain(question=topic))) for one in turn["references"]]

        assert all(SOURCE.fullmatch(one["text"]) for one in cited)
        assert {"https://rehearsal.invalid/"} == {one["url"].rstrip("0123456789") for one in cited}

    def test_claims_of_others_are_taken_up_and_doubted(self) -> None:
        """From round 2 on claims of others are reinforced and, until one is ready, challenged."""
        night = hold(plain())
        by = {claim.id: claim.introduced_by for claim in night.course.state.claims}
        told = [(seat, turn) for seat in night.inp.seats for turn in night.turns(seat)[1:]]
        named = [(seat, by[at]) for seat, turn in told for at in (*turn["reinforces"], *turn.get("challenges", ()))]

        assert [] == [(seat, author) for seat, author in named if seat == author]
        assert all(turn["reinforces"] for _, turn in told)
        assert any(turn.get("challenges") for _, turn in told)

    def test_peer_is_answered_by_name(self) -> None:
        """From round 2 on a debater replies to another one who was shown."""
        night = hold(plain())
        replies = [turn.direct_replies_to for held in night.rounds[1:] for turn in held.turns]

        assert {1} == set(map(len, replies))
        assert all(turn.agent not in turn.direct_replies_to for held in night.rounds for turn in held.turns)

    def test_confidence_moves_towards_the_others(self) -> None:
        """Among those that are sure a debater grows surer than among those that are not."""
        among = [
            hold(debate_among(how, how, ""), rounds=2).confidences(P3) for how in ("debate-flatters", "debate-stalls")
        ]

        assert among[0][0] == among[1][0]
        assert (among[0][1] or 0) > (among[1][1] or 0)

    def test_focus_question_is_answered_first(self) -> None:
        """Where the round has a focus question, the position begins with it."""
        night = hold(plain(focus_questions=("", "What becomes of deliveries?")), rounds=2)
        first, second = (turn["position"] for turn in night.turns(P1))

        assert not first.startswith("As to")
        assert second.startswith("As to the question of this round: ")

    def test_objection_round_is_answered_with_objections(self) -> None:
        """Asked to object, a plain debater opposes a claim, brings a new fact and is less sure than before."""
        night = hold(debate_among("", "", "debate-flatters"), rounds=3)
        call = turn_call(night.table, P1, RoundContext(4, "objection"))
        told = reading(call, answer(call).text or "")

        assert told.challenges
        assert any(claim.label == "FACT" and claim.citations for claim in told.claims)
        assert (told.confidence or 1) < (night.confidences(P1)[-1] or 0)
        assert "MINOR" == told.vote


class TestPart:
    """What was assigned is kept."""

    def test_stance_is_kept(self) -> None:
        """In devil's advocate everyone keeps its stance to the end, and its position with it."""
        night = hold(plain(mode="devils-advocate"))

        assert [{"YES"}, {"NO"}, {"NEUTRAL"}] == [{t["stance"] for t in night.turns(seat)} for seat in night.inp.seats]
        assert [1, 1, 1] == [len({turn["position"] for turn in night.turns(seat)}) for seat in night.inp.seats]

    def test_stance_is_named_nowhere_else(self) -> None:
        """Where no stance is assigned none is written, and the other field says where one is."""
        turns = everything(hold(plain()))

        assert not any("stance" in turn for turn in turns)
        assert {turn["debate_alignment"] for turn in turns} <= {"for", "against", "between"}

    def test_teams_are_kept(self) -> None:
        """Red is against and names kinds of mitigation only; blue is for it and designs them."""
        night = hold(plain(4, mode="red-team-blue-team"))
        told = [[one["mitigation"] for turn in night.turns(seat) for one in turn["risks"]] for seat in night.inp.seats]

        assert ["red", "blue"] * 2 == [night.turns(seat)[0]["debate_alignment"] for seat in night.inp.seats]
        assert [True, False] * 2 == [all(text.startswith("Category: ") for text in texts) for texts in told]

    def test_anchors_of_the_seed_are_known(self) -> None:
        """The four permanent frameworks of decision 5 are those from which a debater looks."""
        assert {*ANCHORS} == {anchor for mode in MODES.values() for anchor in mode.anchors}


class TestThemes:
    """What a debater may write on a topic."""

    def test_a_topic_that_is_written_for_has_its_arguments(self) -> None:
        """The README's example is argued with what is written for it; any other topic gets filler."""
        assert "closing the centre to private cars" == theme_of(TOPICS["streets"]).it
        assert FILLER == theme_of(TOPICS["any"])

    def test_filler_states_what_it_is_and_repeats_no_word_of_the_topic(self) -> None:
        """Every claim and position on any other topic calls itself filler and has no opinion on the topic."""
        turns = everything(hold(plain(4, question=TOPICS["any"])))
        said = [turn["position"] for turn in turns] + [claim["text"] for turn in turns for claim in turn["claims"]]
        facts = [text for text in said if not re.search(r"C\d", text)]

        assert all(text.startswith("Filler") for text in facts)
        assert not re.search(r"museum|colonial|bought|return", " ".join(said), re.IGNORECASE)

    @pytest.mark.parametrize("topic", TOPICS.values())
    def test_claims_are_short(self, topic: str) -> None:
        """Whatever is claimed fits into the 30 tokens of section 7.7."""
        said = [claim["text"] for turn in everything(hold(plain(4, question=topic))) for claim in turn["claims"]]

        assert max(map(count, said)) <= 30

    @pytest.mark.parametrize("topic", TOPICS.values())
    def test_anchors_make_different_positions(self, topic: str) -> None:
        """Seen from different anchors or leaning otherwise, no two positions are of one cluster (decision 3)."""
        debates = [Debate(topic=topic, anchor=anchor, stance=stance) for anchor in ANCHORS for stance in ("YES", "NO")]
        said = [position(DebaterState(7, "lab/m", debate)) for debate in debates]

        assert max(likeness(one, other) for one, other in combinations(said, 2)) < 0.35


@pytest.mark.parametrize("rounds", [1, 30])
def test_debater_never_runs_out_of_words(rounds: int) -> None:
    """However late it is, a turn has a new fact and all that is asked for."""
    said = [argue(7, "lab/m", Debate(topic=TOPICS["any"], round=n)) for n in range(1, rounds + 1)]
    facts = [claim.text for one in said for claim in one.claims if claim.label == "FACT"]

    assert rounds + 1 == len(set(facts))
    assert all(one.concerns and one.alternatives and one.risks for one in said)


def test_debate_that_is_held_by_hand_is_decided_by_the_space() -> None:
    """The outcome of these tests is what the protocol's own rule says of the course."""
    night = hold(plain())

    assert decide_next(night.course, night.inp) == night.outcome

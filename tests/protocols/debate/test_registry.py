"""Claims, evidence and decisions: how they are entered, and how a claim is now (seed 003, sections 7.2, 7.4, 7.7)."""

from collections.abc import Sequence

import pytest

from protocols.debate.model.context import Material
from protocols.debate.model.io import InjectEvidence
from protocols.debate.model.state import PERSON, WITHHELD, AgentStatus, DebateState
from protocols.debate.model.turn import ClaimsTouched, ParsedClaim
from protocols.debate.rules.named_sources import LONGEST_URL
from protocols.debate.rules.registry import (
    RegistryChange,
    add_decision,
    add_evidence,
    drop_unknown_ids,
    enter_turn,
    refuse_evidence,
    register_material,
    set_status,
    status_of,
    withdraw_turn,
)
from protocols.debate.rules.registry_update import TITLE_TOKENS
from protocols.debate.rules.round_steps import start_debate
from protocols.sources import SourceLink
from protocols.tokens import count
from tests.protocols.debate.parts import (
    claim,
    debate,
    evidence,
    page,
    reading,
    reference,
    registered,
    seat,
    state,
    turn,
)

P1, P2, P3 = seat(1), seat(2), seat(3)
LUND, BERG = reference(1, "Lund (2021). Traffic."), reference(2, "Berg (2020). Shops.")
PAGE = page(1, LUND.text)
C1 = registered(1, "Traffic fell in cities")


def says(
    before: DebateState,
    agent: int,
    *made: ParsedClaim,
    held: int = 1,
    sources: Sequence[SourceLink] = (),
    **fields: object,
) -> RegistryChange:
    """What comes of a turn of that agent, whose provider names these sources."""
    return enter_turn(before, reading(*made, **fields), seat(agent), held, sources=sources)


def status(after: RegistryChange, claim_id: str = "C1") -> str:
    """How that claim is now."""
    found = after.state.claim(claim_id)
    assert found is not None
    return found.status


class TestClaims:
    """Section 7.7, claim ids."""

    def test_claims_are_numbered_in_the_order_introduced(self) -> None:
        """The first is C1, and it keeps who said it, when, and under which label."""
        after = says(state(), 2, claim("Traffic fell", "ASSUME"), claim("Shops lose trade"), held=3)
        first = registered(1, "Traffic fell", 2, label="ASSUME", introduced_round=3, last_updated_round=3)
        assert first == after.state.claims[0]
        assert ("C1", "C2") == after.touched.introduced

    def test_a_claim_said_again_is_reinforced(self) -> None:
        """In nearly the same words it is the claim that is there, whose text stays, with one supporter more."""
        after = says(state(claims=[C1]), 2, claim("traffic FELL in cities!"), held=2)
        expected = C1.model_copy(update={"supporters": (P1, P2), "status": "accepted", "last_updated_round": 2})
        assert (expected,) == after.state.claims
        assert ClaimsTouched(reinforced=("C1",)) == after.touched

    def test_one_turn_that_states_a_thing_twice_states_it_once(self) -> None:
        """Two like claims of one turn are one."""
        after = says(state(), 1, claim("Traffic fell"), claim("traffic fell."))
        assert (("C1",), (P1,)) == (after.touched.introduced, after.state.claims[0].supporters)

    @pytest.mark.parametrize(("words", "is_cut"), [(30, False), (31, True)])
    def test_a_claim_has_at_most_thirty_tokens(self, words: int, *, is_cut: bool) -> None:
        """Thirty go in whole, one more is cut, and what is kept keeps to the limit."""
        said = " ".join("word" for _ in range(words))
        text = says(state(), 1, claim(said)).state.claims[0].text
        assert is_cut == (text != said)
        assert count(text) <= 30

    def test_at_most_twelve_claims_of_a_turn_enter(self) -> None:
        """What a model sends beyond them is in the turn alone."""
        many = [claim(f"Claim about matter {'x' * number}") for number in range(1, 40)]
        assert len(says(state(), 1, *many).state.claims) == 12

    def test_what_states_nothing_is_no_claim(self) -> None:
        """A blank, or points alone, has no id."""
        assert says(state(), 1, claim(" "), claim("…")).state.claims == ()


class TestStatus:
    """Section 7.2: accepted, contested, retracted, open."""

    def test_one_voice_leaves_it_open(self) -> None:
        """The debater that introduces a claim is its only supporter."""
        assert status(says(state(), 1, claim("Traffic fell"))) == "open"

    def test_two_agents_make_it_accepted(self) -> None:
        """At least two support it, and none opposes it."""
        assert status(says(state(claims=[C1]), 2, reinforces=["C1"])) == "accepted"

    def test_one_opponent_makes_it_contested(self) -> None:
        """However many support it."""
        agreed = says(state(claims=[C1]), 2, reinforces=["C1"]).state
        assert status(says(agreed, 3, challenges=["C1"])) == "contested"

    def test_an_opponent_that_supports_later_opposes_no_more(self) -> None:
        """A change of mind counts on both sides."""
        contested = says(state(claims=[C1]), 2, challenges=["C1"]).state
        after = says(contested, 2, reinforces=["C1"], held=2)
        assert ("accepted", (P1, P2), ()) == (
            status(after),
            after.state.claims[0].supporters,
            after.state.claims[0].opponents,
        )

    def test_a_supporter_that_opposes_later_supports_no_more(self) -> None:
        """And the other way round."""
        agreed = says(state(claims=[C1]), 2, reinforces=["C1"]).state
        after = says(agreed, 2, challenges=["C1"], held=2).state.claims[0]
        assert ("contested", (P1,), (P2,)) == (after.status, after.supporters, after.opponents)

    def test_whoever_introduced_it_retracts_it_when_nobody_else_stands_by_it(self) -> None:
        """The claim keeps its id and its text."""
        after = says(state(claims=[C1]), 1, retracts=["C1"], held=2)
        assert ("retracted", "Traffic fell in cities") == (status(after), after.state.claims[0].text)
        assert ClaimsTouched(retracted=("C1",)) == after.touched

    def test_a_claim_that_others_stand_by_is_not_retracted(self) -> None:
        """When its author leaves, the claim has one supporter less."""
        agreed = says(state(claims=[C1]), 2, reinforces=["C1"]).state
        assert status(says(agreed, 1, retracts=["C1"])) == "open"

    def test_nobody_retracts_what_it_never_stood_by(self) -> None:
        """Another's claim is not there to be taken back."""
        after = says(state(claims=[C1]), 2, retracts=["C1"])
        assert (C1,) == after.state.claims
        assert ClaimsTouched() == after.touched

    def test_a_retracted_claim_comes_back_under_its_id(self) -> None:
        """Said again it is open again."""
        gone = says(state(claims=[C1]), 1, retracts=["C1"]).state
        after = says(gone, 2, claim("Traffic fell in cities"), held=2)
        assert ("open", 1) == (status(after), len(after.state.claims))

    @pytest.mark.parametrize(("agents", "expected"), [([], "open"), ([2], "contested"), ([2, 3], "accepted")])
    def test_an_open_question_stays_open_until_two_support_it(self, agents: list[int], expected: str) -> None:
        """A claim labelled OPEN that one supports is open though one is against it; with two it is like any."""
        after = says(state(), 1, claim("Do shops lose trade", "OPEN"))
        after = says(after.state, 3, challenges=["C1"])
        for agent in agents:
            after = says(after.state, agent, reinforces=["C1"])
        assert expected == status(after)


class TestOpposition:
    """Section 7.2, ``opposition``; section 7.4, ``claims_touched``."""

    def test_a_claim_that_opposes_another_is_its_opposition(self) -> None:
        """The claim is named in it, and its agent is an opponent."""
        after = says(state(claims=[C1]), 2, claim("Traffic only moved elsewhere", opposes=["C1"]))
        assert (("C2",), (P2,), "contested") == (
            after.state.claims[0].opposition,
            after.state.claims[0].opponents,
            status(after),
        )
        assert ClaimsTouched(introduced=("C2",), challenged=("C1",)) == after.touched

    def test_a_claim_that_supports_another_reinforces_it(self) -> None:
        """Its author supports both."""
        after = says(state(claims=[C1]), 2, claim("Counters show less traffic", supports=["C1"]))
        assert (("C1",), "accepted") == (after.touched.reinforced, status(after))

    def test_no_claim_opposes_itself(self) -> None:
        """Said again with its own id among what it opposes, it is only said again."""
        after = says(state(claims=[C1]), 2, claim("Traffic fell in cities", opposes=["C1"]))
        assert ((), "accepted") == (after.state.claims[0].opposition, status(after))

    @pytest.mark.parametrize("field", ["reinforces", "challenges", "retracts"])
    @pytest.mark.parametrize("unknown", ["C9", "E1", "", "Traffic fell in cities"])
    def test_unknown_ids_are_ignored(self, field: str, unknown: str) -> None:
        """Nothing is recorded of them, and nothing created."""
        before = state(claims=[C1], evidence=[evidence(1, "Lund")])
        after = enter_turn(before, reading(**{field: [unknown]}), P2, 1)
        assert (before, ClaimsTouched()) == (after.state, after.touched)

    def test_a_turn_cannot_name_its_own_new_claims(self) -> None:
        """An id that was not given when it was written was not meant."""
        after = says(state(), 1, claim("Traffic fell"), claim("Shops lose trade", opposes=["C1"]), challenges=["C2"])
        assert ["open", "open"] == [one.status for one in after.state.claims]

    @pytest.mark.parametrize("spelling", ["c1", " C1 ", "[C1]", "(c1)"])
    def test_an_id_is_read_in_any_spelling(self, spelling: str) -> None:
        """Small letters and brackets make no difference."""
        assert says(state(claims=[C1]), 2, challenges=[spelling]).touched.challenged == ("C1",)

    @pytest.mark.parametrize(
        ("said", "touched", "opponents"),
        [
            ({"retracts": ["C1"]}, ClaimsTouched(retracted=("C1",)), ()),
            ({"challenges": ["C1"]}, ClaimsTouched(challenged=("C1",)), (P2,)),
            (
                {"retracts": ["C1"], "challenges": ["C1"]},
                ClaimsTouched(retracted=("C1",), challenged=("C1",)),
                (P2,),
            ),
        ],
    )
    def test_of_several_things_said_of_one_claim_the_last_counts(
        self, said: dict[str, list[str]], touched: ClaimsTouched, opponents: tuple[str, ...]
    ) -> None:
        """Supported and then taken back or challenged in one turn, it has not been reinforced."""
        after = enter_turn(state(claims=[C1]), reading(reinforces=["C1"], **said), P2, 1)
        assert touched == after.touched
        assert ((P1,), opponents) == (after.state.claims[0].supporters, after.state.claims[0].opponents)


class TestEvidence:
    """Section 7.7, evidence ids."""

    def test_a_cited_reference_is_evidence_for_the_claim(self) -> None:
        """Claim and evidence name each other, and the turn has used it."""
        after = says(state(), 1, claim("Traffic fell", "FACT", citations=[1]), references=[LUND], held=2)
        expected = evidence(1, LUND.text, kind="unverified", supports=["C1"], gist="Traffic fell", added_round=2)
        assert (expected,) == after.state.evidence
        assert (("E1",), ("E1",)) == (after.state.claims[0].support, after.citations_used)

    def test_a_listed_reference_is_evidence_too(self) -> None:
        """Nothing cites it by a claim, and it has its id."""
        after = says(state(), 1, references=[LUND, BERG])
        assert [("E1", ()), ("E2", ())] == [(one.id, one.supports) for one in after.state.evidence]
        assert after.citations_used == ("E1", "E2")

    @pytest.mark.parametrize(
        "again",
        [
            reference(7, "lund 2021 traffic"),
            reference(7, "Another name for it", "http://www.lund.org/traffic/"),
        ],
    )
    def test_the_same_title_or_address_is_one_evidence(self, again: object) -> None:
        """A debater that brings it again, under any number."""
        before = state(evidence=[evidence(1, LUND.text, url="https://lund.org/traffic")])
        after = says(before, 2, claim("Traffic fell", citations=[7]), references=[again])
        assert (1, ("E1",)) == (len(after.state.evidence), after.citations_used)

    def test_two_references_without_address_are_not_one_for_that(self) -> None:
        """No address is no likeness."""
        assert len(says(state(), 1, references=[LUND, BERG]).state.evidence) == 2

    def test_an_address_that_comes_later_is_kept(self) -> None:
        """Evidence without one takes it over."""
        before = state(evidence=[evidence(1, LUND.text, kind="unverified")])
        after = says(before, 2, references=[reference(1, LUND.text, "https://lund.org")])
        assert after.state.evidence[0].url == "https://lund.org"

    def test_evidence_that_is_there_is_cited_by_its_id(self) -> None:
        """An id that exists counts as a citation, another does not."""
        before = state(evidence=[evidence(1, LUND.text)])
        after = says(before, 2, claim("Traffic fell", "FACT", evidence=["e1", "E9"]))
        assert (("E1",), 1, ("E1",)) == (after.state.claims[0].support, after.new_facts, after.citations_used)

    def test_an_assumption_stands_on_nothing(self) -> None:
        """[ASSUME] must not carry citations: the evidence is entered, and not linked."""
        after = says(state(), 1, claim("People adapt", "ASSUME", citations=[1]), references=[LUND])
        assert ((), ()) == (after.state.claims[0].support, after.state.evidence[0].supports)

    def test_at_most_twelve_references_of_a_turn_enter(self) -> None:
        """Where they are too many, those that claims cite go first."""
        many = [reference(number, f"Study {number}") for number in range(1, 30)]
        after = says(state(), 1, claim("Traffic fell", "FACT", citations=[29]), references=many)
        titles = [one.title for one in after.state.evidence]
        assert [*(f"Study {number}" for number in range(1, 12)), "Study 29"] == titles

    @pytest.mark.parametrize(("words", "is_cut"), [(25, False), (26, True)])
    def test_a_gist_has_at_most_twenty_five_tokens(self, words: int, *, is_cut: bool) -> None:
        """Of the claim that evidence was cited for 25 tokens are kept with it (section 7.2)."""
        said = " ".join("word" for _ in range(words))
        cited = claim(said, "FACT", citations=[1])
        gist = says(state(), 1, cited, references=[reference(1, "Study")]).state.evidence[0].gist
        assert is_cut == (gist != said)
        assert count(gist) <= 25

    @pytest.mark.parametrize(("words", "is_cut"), [(TITLE_TOKENS, False), (TITLE_TOKENS + 1, True)])
    def test_a_title_has_at_most_sixty_tokens(self, words: int, *, is_cut: bool) -> None:
        """Sixty go in whole, one more is cut."""
        said = " ".join("word" for _ in range(words))
        title = says(state(), 1, references=[reference(1, said)]).state.evidence[0].title
        assert is_cut == (title != said)
        assert count(title) <= TITLE_TOKENS

    @pytest.mark.parametrize(("length", "is_kept"), [(LONGEST_URL, True), (LONGEST_URL + 1, False)])
    def test_an_address_of_more_than_300_characters_is_left_out(self, length: int, *, is_kept: bool) -> None:
        """Cut off it would lead elsewhere."""
        url = "https://a.org/".ljust(length, "x")
        found = says(state(), 1, references=[reference(1, "Lund", url)]).state.evidence[0].url
        assert (url if is_kept else "") == found

    def test_a_reference_that_names_nothing_is_none(self) -> None:
        """Points without an address are no evidence; an address alone is."""
        after = says(state(), 1, references=[reference(1, "..."), reference(2, "", "https://a.org")])
        assert ["https://a.org"] == [one.title for one in after.state.evidence]


class TestNewFacts:
    """Grounded [FACT] claims that are new."""

    def test_an_uncited_fact_is_none(self) -> None:
        """A citation without its reference grounds nothing either."""
        after = says(state(), 1, claim("Traffic fell", "FACT"), claim("Shops lose", "FACT", citations=[4]))
        assert after.new_facts == 0

    def test_a_fact_is_new_once(self) -> None:
        """Made again by any debater, it is known."""
        said = claim("Traffic fell", "FACT", citations=[1])
        first = says(state(), 1, said, said, sources=[PAGE])
        again = says(first.state, 2, said, sources=[PAGE], held=2)
        assert (1, 0) == (first.new_facts, again.new_facts)

    def test_an_inference_is_no_fact(self) -> None:
        """However well it is cited."""
        assert says(state(), 1, claim("Traffic fell", citations=[1]), references=[LUND]).new_facts == 0

    def test_who_brings_the_evidence_makes_the_fact(self) -> None:
        """A claim that was there as an assumption is a FACT from then on, and a new one."""
        before = says(state(), 1, claim("Traffic fell", "ASSUME")).state
        after = says(before, 2, claim("Traffic fell", "FACT", citations=[1]), sources=[PAGE])
        assert (1, "FACT") == (after.new_facts, after.state.claims[0].label)

    def test_who_only_calls_it_a_fact_makes_none(self) -> None:
        """Without evidence a claim keeps the label it has."""
        before = says(state(), 1, claim("Traffic fell", "ASSUME")).state
        after = says(before, 2, claim("Traffic fell", "FACT"))
        assert (0, "ASSUME") == (after.new_facts, after.state.claims[0].label)


class TestWhatCanBeMeant:
    """A debater that was not shown an id cannot mean it."""

    def test_ids_that_were_not_shown_are_left_out(self) -> None:
        """Wherever a turn names them."""
        every = ["C1", "c2", "E1", "E2"]
        said = reading(
            claim("Traffic fell", evidence=every, supports=every, opposes=every),
            reinforces=every,
            challenges=every,
            retracts=every,
        )
        meant = drop_unknown_ids(said, {"C1", "E1"})
        claims = (meant.claims[0].evidence, meant.claims[0].supports, meant.claims[0].opposes)
        assert {("C1", "E1")} == {*claims, meant.reinforces, meant.challenges, meant.retracts}


class TestAPersonsEvidence:
    """The update ``inject_evidence``."""

    def test_it_gets_an_id_and_grounds_the_claims_named(self) -> None:
        """Source and fact are its title and its gist, and the claim is on it."""
        asked = InjectEvidence(fact="Traffic fell by 12 %", source="City register", supports=("c1",))
        after, found = add_evidence(state(claims=[C1]), asked, 2)
        assert ("E1", "City register", "Traffic fell by 12 %", ("C1",), PERSON, 2) == (
            found.id,
            found.title,
            found.gist,
            found.supports,
            found.added_by,
            found.added_round,
        )
        assert (("E1",), (found,)) == (after.claims[0].support, after.evidence)

    def test_before_the_first_round_it_belongs_to_the_first(self) -> None:
        """No round is numbered 0."""
        assert add_evidence(state(round=0), InjectEvidence(fact="It fell", source="Register"), 0)[1].added_round == 1

    def test_fact_and_source_are_kept_whole(self) -> None:
        """Point 27: up to the 500 characters that either may have, on one line."""
        fact, source = ("12.5 % " * 80)[:499] + "7", ("Register " * 60)[:499] + "x"
        added = add_evidence(state(), InjectEvidence(fact=fact, source=source), 1)[1]
        assert (fact, source) == (added.gist, added.title)

    def test_facts_that_cannot_be_shown_whole_are_refused(self) -> None:
        """Every debater is shown all of them, so there is a limit, and the message says how far it is used."""
        told = state()
        request = InjectEvidence(fact="word " * 99, source="Register")
        told, _ = add_evidence(told, request, 1)
        refuse_evidence(told, request, 300)
        with pytest.raises(
            ValueError, match=r"102 tokens, and the facts .* already 102 of at most 200.*--context-tokens"
        ):
            refuse_evidence(told, request, 200)

    def test_material_takes_nothing_from_the_facts_that_may_be_added(self) -> None:
        """What was given at the start has a budget of its own."""
        given = register_material(state(), (Material(name="report", text="word " * 400),))
        refuse_evidence(given, InjectEvidence(fact="It fell", source="Register"), 10)

    def test_the_same_fact_of_the_same_source_is_one(self) -> None:
        """Another fact of that source is another, for it would be lost."""
        first, _ = add_evidence(state(), InjectEvidence(fact="It fell", source="Register"), 1)
        again, same = add_evidence(first, InjectEvidence(fact="It fell", source="Register"), 2)
        assert ("E1", first.evidence) == (same.id, again.evidence)
        assert add_evidence(first, InjectEvidence(fact="It rose", source="Register"), 2)[1].id == "E2"

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"supports": ("C7",)}, "no claim has the id 'C7': there are C1 to C1; name one of them, or none"),
            ({"fact": "  "}, "the fact is blank: give the evidence and its source"),
            ({"source": "\n"}, "the source is blank: give the evidence and its source"),
        ],
    )
    def test_what_cannot_be_taken_is_refused_with_a_remedy(self, changes: dict[str, object], message: str) -> None:
        """The message names the value and what to do."""
        asked = InjectEvidence.model_validate({"fact": "It fell", "source": "Register", **changes})
        with pytest.raises(ValueError, match=message):
            refuse_evidence(state(claims=[C1]), asked, 3000)

    def test_without_claims_none_can_be_named(self) -> None:
        """The message says that there is none yet."""
        with pytest.raises(ValueError, match="there is none yet"):
            refuse_evidence(state(), InjectEvidence(fact="It fell", source="Register", supports=("C1",)), 3000)

    def test_what_can_be_taken_is_not_refused(self) -> None:
        """A claim that is there may be named in any spelling."""
        asked = InjectEvidence(fact="It fell", source="Register", supports=("c1",))
        refuse_evidence(state(claims=[C1]), asked, 3000)


class TestMaterial:
    """What a user gives at the start."""

    def test_every_passage_is_evidence_of_its_own(self) -> None:
        """Point 27: registered by the person in round 1, whole, under a number by which it can be cited."""
        text = "\n\n".join(f"Paragraph {n}. " + "word " * 120 for n in range(1, 4))
        given = register_material(
            state(), (Material(name="report.md", text=text), Material(name="note", text="Short."))
        )
        assert [
            ("E1", "report.md, passage 1 of 3"),
            ("E2", "report.md, passage 2 of 3"),
            ("E3", "report.md, passage 3 of 3"),
            ("E4", "note"),
        ] == [(one.id, one.title) for one in given.evidence]
        assert {("material", PERSON, 1)} == {(one.kind, one.added_by, one.added_round) for one in given.evidence}
        assert text.split() == " ".join(one.gist for one in given.evidence[:3]).split()

    def test_a_debate_begins_with_its_material_registered(self) -> None:
        """Debaters can cite it in their first turn."""
        inp = debate(material=({"name": "note", "text": "Traffic fell by 12 %."},))
        said = reading(claim("Traffic fell by 12 %", "FACT", evidence=["E1"]))
        after = enter_turn(start_debate(inp).state, said, seat(1), 1)
        assert (("E1",), 1) == (after.state.claims[0].support, after.new_facts)


class TestDecisions:
    """Section 7.2, ``decisions``."""

    def test_decisions_are_numbered(self) -> None:
        """Each has its id, its text and its round; a blank one settles nothing."""
        after = add_decision(add_decision(add_decision(state(), "Keep  deliveries", 2), " ", 3), "No tolls", 4)
        assert [("D1", "Keep deliveries", 2), ("D2", "No tolls", 4)] == [
            (one.id, one.text, one.round) for one in after.decisions
        ]


class TestAgentStatus:
    """Section 7.2, ``agent_status``."""

    def test_one_entry_for_each_who_spoke_in_the_order_of_the_participants(self) -> None:
        """A later status takes the place of the earlier one."""
        after = state()
        for agent, vote in ((P3, "MINOR"), (P1, "ACCEPT"), (P3, "BLOCKER")):
            after = set_status(after, AgentStatus.model_validate({"agent": agent, "vote": vote}))
        assert [(P1, "ACCEPT"), (P3, "BLOCKER")] == [(one.agent, one.vote) for one in after.agent_status]

    def test_who_has_not_answered_has_nothing_to_show(self) -> None:
        """Its status is blank."""
        assert AgentStatus(agent=P2) == status_of(state(), P2)


class TestATurnThatIsWithheldAfterwards:
    """Decision 2, tier 3: nothing of it may be shown on."""

    def test_what_it_alone_brought_in_keeps_only_its_ids(self) -> None:
        """Text, title and how its agent is are gone, and the next id is a new one."""
        first = says(state(), 1, claim("A secret", "FACT", citations=[1]), references=[LUND])
        known = set_status(first.state, AgentStatus(agent=P1, vote="ACCEPT", key_point="A secret"))
        after = withdraw_turn(known, turn(1, claims_touched=first.touched))
        told = (after.claims[0].text, after.claims[0].status, after.evidence[0].title)
        assert (WITHHELD, "retracted", WITHHELD) == told
        assert (AgentStatus(agent=P1, key_point=WITHHELD),) == after.agent_status
        assert says(after, 2, claim("Withheld")).touched.introduced == ("C2",)

    def test_what_it_said_of_others_is_taken_back(self) -> None:
        """Its challenge counts no more, and its claim is against nothing."""
        contested = says(state(claims=[C1]), 2, claim("A secret", opposes=["C1"]))
        after = withdraw_turn(contested.state, turn(2, claims_touched=contested.touched))
        assert ("open", (), ()) == (after.claims[0].status, after.claims[0].opposition, after.claims[0].opponents)

    def test_what_it_stood_by_it_stands_by_no_more(self) -> None:
        """A claim of another that it reinforced has lost that voice, and keeps its text."""
        agreed = says(state(claims=[C1]), 2, reinforces=["C1"])
        after = withdraw_turn(agreed.state, turn(2, claims_touched=agreed.touched))
        assert (C1,) == after.claims

    def test_what_others_listed_stays(self) -> None:
        """Evidence without a citation is blanked only where the turn brought it in."""
        before = state(round=2, evidence=[evidence(1, "Berg"), evidence(2, "Chen", 2, added_round=2)])
        first = says(before, 1, references=[LUND], held=2)
        after = withdraw_turn(first.state, turn(1, 2, claims_touched=first.touched))
        assert ["Berg", "Chen", WITHHELD] == [one.title for one in after.evidence]

    def test_what_others_said_too_stays(self) -> None:
        """A claim that another one supports, and evidence that it cites, are theirs as well."""
        fact = claim("Traffic fell", "FACT", citations=[1])
        first = says(state(), 1, fact, references=[LUND])
        both = says(first.state, 2, fact, references=[LUND]).state
        after = withdraw_turn(both, turn(1, claims_touched=first.touched))
        assert ("Traffic fell", (P2,), LUND.text) == (
            after.claims[0].text,
            after.claims[0].supporters,
            after.evidence[0].title,
        )

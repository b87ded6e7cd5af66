"""Point 32: what a provider or a user vouches for is evidence; what a model only wrote is unverified, and no fact."""

from collections.abc import Sequence

import pytest

from protocols.debate.model.context import MOST_REFERENCES
from protocols.debate.model.history import Measures
from protocols.debate.model.io import InjectEvidence
from protocols.debate.model.state import DebateState, Evidence
from protocols.debate.model.turn import AgentResponse, ParsedClaim, Reference
from protocols.debate.modes import PACK
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.replies.turn import read_turn
from protocols.debate.rules.measures import fired, has_failed, measure
from protocols.debate.rules.named_sources import LONGEST_URL, most_cited, sources_of
from protocols.debate.rules.registry import RegistryChange, add_evidence, enter_turn, withdraw_turn
from protocols.debate.rules.round_steps import apply_reply, open_round, start_debate
from protocols.debate.rules.stop_rules import decide_next
from protocols.sources import SourceLink
from tests.protocols.debate.parts import (
    claim,
    course,
    debate,
    evidence,
    held,
    names_of,
    page,
    reading,
    reference,
    reply,
    seat,
    state,
    turn,
)

A, B = page(1, "Traffic in Nordic city centres"), page(2, "Shops after the closure of streets")
FACT = claim("Traffic fell by a tenth", "FACT", citations=[1])


def entering(
    *made: ParsedClaim,
    references: Sequence[Reference] = (),
    sources: Sequence[SourceLink] = (),
    before: DebateState | None = None,
    agent: int = 1,
    number: int = 1,
) -> RegistryChange:
    """What comes of a turn of that agent."""
    said = reading(*made, references=references)
    return enter_turn(before or state(), said, seat(agent), number, sources=sources)


def kinds(after: RegistryChange) -> list[tuple[str, str, str]]:
    """Id, kind and address of all evidence."""
    return [(one.id, one.kind, one.url) for one in after.state.evidence]


class TestTheProvidersSources:
    """Sources of a turn become evidence with their addresses."""

    def test_they_become_evidence(self) -> None:
        """Every page is evidence of the kind ``provider``, with what the page says and who was asked."""
        told = A.model_copy(update={"excerpt": "Counts fell in all nine cities."})
        after = entering(sources=[told, B])
        assert kinds(after) == [("E1", "provider", A.url), ("E2", "provider", B.url)]
        assert (after.state.evidence[0].gist, after.state.evidence[0].added_by) == (told.excerpt, "p1")

    def test_numbers_are_the_providers_where_the_turn_lists_no_references(self) -> None:
        """A claim that cites [2] is on the provider's second page, wherever that is in what is kept."""
        after = entering(claim("Shops gain", "FACT", citations=[2]), sources=[A, B])
        assert (after.state.claims[0].support, after.new_facts) == (("E2",), 1)
        after = entering(claim("Shops gain", "FACT", citations=[2]), sources=[B])
        assert after.state.claims[0].support == ("E1",)

    def test_numbers_are_the_turns_own_where_it_lists_references(self) -> None:
        """The turn's [1] is its own first reference, though the provider's first page is another."""
        after = entering(FACT, references=[reference(1, "Shops", B.url)], sources=[A, B])
        assert after.state.claims[0].support == ("E1",)
        assert kinds(after) == [("E1", "provider", B.url), ("E2", "provider", A.url)]

    def test_a_reference_to_a_page_of_the_provider_is_that_page(self) -> None:
        """Scheme, ``www.``, a mark within the page and a slash at the end make no difference."""
        written = reference(1, "Nordic traffic", "http://www.pages.example/1/#top")
        assert kinds(entering(FACT, references=[written], sources=[A])) == [("E1", "provider", A.url)]

    def test_a_reference_without_address_is_known_by_the_whole_title(self) -> None:
        """A reference that holds the title of a page is that page; a short title is in too many references."""
        written = reference(1, f"Lund (2021). {A.title}. Streets.")
        assert entering(FACT, references=[written], sources=[A]).new_facts == 1
        site = page(1, "Wikipedia")
        assert entering(FACT, references=[reference(1, "Wikipedia")], sources=[site]).new_facts == 0

    def test_another_address_is_another_source(self) -> None:
        """The title of a page with another address is not the page: the reference stays unverified."""
        written = reference(1, A.title, "https://elsewhere.example/")
        after = entering(FACT, references=[written], sources=[A])
        assert kinds(after) == [("E1", "unverified", "https://elsewhere.example/"), ("E2", "provider", A.url)]
        assert after.new_facts == 0

    def test_a_page_that_a_claim_links_to_supports_it(self) -> None:
        """Models that search also cite by a link in the sentence."""
        linked = claim(f"Traffic fell ([pages]({B.url}))", "FACT")
        after = entering(linked, sources=[A, B])
        assert (after.state.claims[0].support, after.new_facts) == (("E2",), 1)

    def test_a_link_to_a_page_that_the_provider_did_not_name_supports_nothing(self) -> None:
        """An address in a sentence alone is no evidence."""
        assert entering(claim(f"Traffic fell ({B.url})", "FACT"), sources=[A]).new_facts == 0

    def test_those_that_claims_cite_are_kept_first(self) -> None:
        """Of thirty pages twelve become evidence, the cited ones among them, and the turn keeps as many."""
        many = [page(number, f"Page {number}") for number in range(1, 31)]
        after = entering(claim("Shops gain", "FACT", citations=[30]), sources=many)
        assert (len(after.state.evidence), after.new_facts) == (MOST_REFERENCES, 1)
        kept = most_cited(reading(claim("Shops gain", "FACT", citations=[30])), many)
        assert [one.number for one in kept] == [*range(1, MOST_REFERENCES), 30]

    def test_a_long_address_of_the_provider_is_kept_whole(self) -> None:
        """An address that a model wrote at such a length is left out; the provider's is kept."""
        url = f"https://pages.example/{'x' * LONGEST_URL}"
        assert kinds(entering(sources=[page(1, "A", url)])) == [("E1", "provider", url)]
        assert kinds(entering(FACT, references=[reference(1, "A study", url)])) == [("E1", "unverified", "")]

    def test_a_page_without_title_is_named_by_its_address(self) -> None:
        """Perplexity's citations are addresses alone."""
        assert entering(sources=[page(1, "")]).state.evidence[0].title == "https://pages.example/1"

    def test_a_withheld_turn_brings_no_sources_in(self) -> None:
        """What a withheld turn cites is withheld with it: nothing of it stays but ids."""
        after = entering(FACT, sources=[A])
        gone = withdraw_turn(after.state, turn(1, 1, reading(FACT), claims_touched=after.touched))
        assert [(one.title, one.url) for one in gone.evidence] == [("[withheld]", "")]


class TestWrittenReferences:
    """What a model only wrote."""

    def test_it_is_unverified(self) -> None:
        """A reference alone is unverified evidence, and a fact on it is no new and grounded one."""
        after = entering(FACT, references=[reference(1, "Lund (2021). Traffic.")])
        assert kinds(after) == [("E1", "unverified", "")]
        assert (after.state.claims[0].label, after.state.claims[0].support, after.new_facts) == ("FACT", ("E1",), 0)

    def test_citing_it_by_its_id_grounds_nothing_either(self) -> None:
        """The registered invention of one debater is no evidence for another."""
        before = entering(FACT, references=[reference(1, "Lund (2021). Traffic.")]).state
        again = entering(claim("Shops gain", "FACT", evidence=["E1"]), before=before, agent=2)
        assert again.new_facts == 0

    def test_it_makes_no_fact_of_an_assumption(self) -> None:
        """A claim keeps its label when one calls it a fact on an unverified reference."""
        before = entering(claim("Traffic fell by a tenth", "ASSUME")).state
        after = entering(FACT, references=[reference(1, "Lund (2021).")], before=before, agent=2)
        assert after.state.claims[0].label == "ASSUME"

    def test_a_provider_that_names_the_same_address_verifies_it(self) -> None:
        """From then on the evidence is the provider's, and the same claim is a new and grounded fact."""
        before = entering(FACT, references=[reference(1, "Lund (2021).", A.url)])
        after = entering(FACT, sources=[A], before=before.state, agent=2, number=2)
        assert kinds(after) == [("E1", "provider", A.url)]
        assert (before.new_facts, after.new_facts) == (0, 1)

    def test_a_provider_that_names_the_same_title_verifies_nothing(self) -> None:
        """Titles repeat; only an address says which page is meant."""
        before = entering(FACT, references=[reference(1, A.title)]).state
        after = entering(sources=[A], before=before, agent=2, number=2)
        assert kinds(after) == [("E1", "unverified", ""), ("E2", "provider", A.url)]

    def test_it_changes_nothing_of_verified_evidence(self) -> None:
        """A model that cites a user's source by title cites that evidence, and adds no address to it."""
        before, added = add_evidence(state(), InjectEvidence(fact="It fell.", source="City count 2024"), 1)
        written = reference(1, "City count 2024", "https://invented.example/")
        after = entering(FACT, references=[written], before=before)
        assert (added.kind, kinds(after), after.new_facts) == ("person", [("E1", "person", "")], 1)


@pytest.mark.parametrize("kind", ["provider", "person", "material"])
def test_evidence_of_a_person_and_of_a_provider_grounds_a_fact(kind: str) -> None:
    """A fact is new and grounded on registered evidence, cited by its id."""
    before = state(evidence=[evidence(1, "City count 2024", kind=kind)])
    assert entering(claim("Traffic fell", "FACT", evidence=["E1"]), before=before).new_facts == 1


class TestWhatInventionsCannotStop:
    """Stagnation, the plateau and an escalation look at grounded facts alone."""

    def spoken(self, number: int, *, sources: Sequence[SourceLink] = ()) -> AgentResponse:
        """A turn with a new fact on a reference."""
        fact = claim(f"Count {number} of that street fell", "FACT", citations=[1])
        written = reference(1, f"Study {number}", sources[0].url if sources else f"https://invented.example/{number}")
        inp = debate()
        table = open_round(start_debate(inp), number)
        answer = reply(1, reading(fact, references=[written]), sources=sources)
        (turn_held,) = apply_reply(DebateView(inp, table, names_of(inp), "secret"), answer, RoundContext(number)).open
        return turn_held.model_copy(update={"confidence_delta": 0.0, "vote_before": "ACCEPT"})

    def measured(self, number: int, *, is_sourced: bool) -> Measures:
        """The figures of a round in which a sure debater says something with a reference."""
        sources = [page(1, "A page", f"https://pages.example/{number}")] if is_sourced else []
        return measure("collaborative", [self.spoken(number, sources=sources)])

    @pytest.mark.parametrize(("is_sourced", "facts"), [(False, 0), (True, 1)])
    def test_new_facts_are_grounded_ones(self, is_sourced: bool, facts: int) -> None:
        """A round's figure of new facts counts those that a provider's page supports."""
        assert self.measured(2, is_sourced=is_sourced).new_facts == facts

    @pytest.mark.parametrize(("is_sourced", "found"), [(False, ("stagnation",)), (True, ())])
    def test_stagnation(self, is_sourced: bool, found: tuple[str, ...]) -> None:
        """Two rounds with a new invention each stagnate; with a new page each they do not."""
        rounds = [held(n, measures=self.measured(n, is_sourced=is_sourced)) for n in (2, 3)]
        assert fired(course(rounds=rounds[:1]), rounds[1]) == found

    @pytest.mark.parametrize(("is_sourced", "end"), [(False, "plateau"), (True, "round")])
    def test_the_plateau(self, is_sourced: bool, end: str) -> None:
        """Two rounds in which nothing moves but invented references are a plateau."""
        still = {"agreement": 0.5, "blockers": 1}
        rounds = [
            held(n, turn(1, n), measures=self.measured(n, is_sourced=is_sourced).model_copy(update=still))
            for n in (2, 3)
        ]
        assert decide_next(course(rounds=rounds), debate()) == end

    @pytest.mark.parametrize("is_sourced", [False, True])
    def test_an_objection_round_fails(self, is_sourced: bool) -> None:
        """An invented reference does not save an objection round from escalation; a page does."""
        measures = self.measured(3, is_sourced=is_sourced)
        assert has_failed(held(3, kind="objection", measures=measures)) is not is_sourced

    @pytest.mark.parametrize(("kind", "found"), [("unverified", ("early_convergence",)), ("provider", ())])
    def test_the_diversity_gate_counts_verified_sources(self, kind: str, found: tuple[str, ...]) -> None:
        """Three inventions pass no gate; three pages do, where premises and positions differ."""
        known = [Evidence.model_validate(evidence(n, f"Study {n}").model_dump() | {"kind": kind}) for n in (1, 2, 3)]
        said = [
            reading(claim(f"Premise {n}"), position=f"{word} {n}", confidence=0.9)
            for n, word in ((1, "Yes"), (2, "No"))
        ]
        spoke = held(1, *(turn(n, 1, one) for n, one in enumerate(said, 1)))
        assert fired(course(state=state(evidence=known)), spoke) == found


def test_the_prompt_forbids_invented_sources_from_the_first_round() -> None:
    """The seed's rules of citation are as they are, and below them what may be cited, in every round and mode."""
    assert PACK.templates["epistemic"].endswith("- [ASSUME] MUST NOT carry citations\n- Never invent a source\n")
    assert "Cite only registered evidence or what your own search returned" in PACK.templates["instructions"]


def test_a_source_is_named_once() -> None:
    """References under one number are one, and a page that is referred to is not named again."""
    said = reading(FACT, references=[reference(1, "First"), reference(1, "Second"), reference(2, "Nordic", A.url)])
    assert [(one.number, one.title) for one in sources_of(said, [A], {1})] == [(1, "First"), (2, A.title)]


@pytest.mark.parametrize(("numbers", "unknown"), [([1, 2], ["[7]"]), ([], ["[1]", "[7]"])])
def test_a_number_of_the_providers_list_is_a_known_reference(numbers: list[int], unknown: list[str]) -> None:
    """A turn without references cites the provider's list; a number that is in neither is unknown."""
    text = "Position: Close it.\nReasoning: Traffic fell.[FACT][1] Shops gain.[INFER][7]\nConfidence: 0.8\nVote: ACCEPT"
    told = read_turn(text, {"source_numbers": list(numbers)})
    assert [one.detail for one in told.violations if one.kind == "unknown_reference"] == unknown

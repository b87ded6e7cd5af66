"""How much a debate's prompts may hold, and how documents are cut into passages (points 27 and 28)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from protocols.debate.model.context import (
    LEAST_TOTAL,
    MOST_TOTAL,
    PASSAGE_TOKENS,
    ContextBudget,
    ContextUse,
    Material,
    largest,
    refuse_long_material,
    size_of,
)
from protocols.debate.prompts import system_prompt
from protocols.debate.prompts.call_context import RoundContext
from protocols.model_call import ParticipantId
from protocols.tokens import count
from tests.fakes.debates import debate_of, table_of


class TestContextBudget:
    """Seed 003, section 7.5."""

    def test_the_defaults_are_the_numbers_of_the_seed(self) -> None:
        """Maxima of state, summaries and previous round; target and maximum of the whole."""
        usual = ContextBudget()
        assert (2500, 400, 5000) == (usual.state, usual.historical, usual.previous)
        assert (8000, 10_000) == (usual.target, usual.total)

    @pytest.mark.parametrize("total", [LEAST_TOTAL, 10_000, 20_000, MOST_TOTAL])
    def test_every_component_grows_with_the_total(self, total: int) -> None:
        """Any total that can be asked for makes a budget whose components fit together."""
        made = ContextBudget.scaled(total)
        assert (total, total // 4, total // 2) == (made.total, made.state, made.previous)
        assert (total * 12 // 5, total * 4 // 5) == (made.closing, made.material)

    def test_components_that_do_not_fit_into_the_total_are_refused(self) -> None:
        """The message names the figures and the remedy."""
        with pytest.raises(ValidationError, match=r"state 6,000, previous 5,000 .* need 11,200, .* raise total"):
            ContextBudget(state=6000)

    def test_who_closes_a_debate_is_shown_no_less_than_a_debater(self) -> None:
        """A smaller budget than the debaters' is refused."""
        with pytest.raises(ValidationError, match=r"closing is 9,000 and total is 10,000"):
            ContextBudget(closing=9000)

    @pytest.mark.parametrize(("debaters", "words"), [(2, 1000), (3, 850), (5, 450), (10, 150)])
    def test_debaters_are_reported_how_many_words_can_be_shown_whole(self, debaters: int, words: int) -> None:
        """Point 28: their share of the previous round, in words, is in the system message with the other limits."""
        told = system_prompt.system(table_of(debate_of(debaters=debaters)), ParticipantId("p1"), RoundContext(1))
        assert f"reasoning at most {words} words, at most 12 claims and 12 references\n" in " ".join(
            told.split("\n")
        ).replace(" references. ", " references\n")

    @pytest.mark.parametrize("debaters", [2, 3, 5, 10])
    def test_reasoning_of_that_length_is_shown_whole(self, debaters: int) -> None:
        """The words that are allowed leave room for the rest of the turn in the share of one debater."""
        budget = ContextBudget()
        assert count("Traffic fell by a tenth there. " * (budget.words(debaters) // 6)) < budget.previous // debaters

    def test_the_most_of_every_figure_is_kept_of_a_round(self) -> None:
        """Component by component; of no use it is zero."""
        uses = (ContextUse(state=1, total=9), ContextUse(state=2, total=8, claims_by_id=3))
        assert ContextUse(state=2, total=9, claims_by_id=3) == largest(uses)
        assert ContextUse() == largest(())


texts = st.text(st.sampled_from("ab Cé。汉.\n\t1,-"), min_size=1, max_size=3000).filter(lambda text: bool(text.strip()))


class TestPassages:
    """A document becomes passages that can be cited."""

    @settings(max_examples=30)
    @given(texts)
    def test_no_word_is_lost_and_no_passage_is_too_long(self, text: str) -> None:
        """Whatever the script: all passages together are the text, but for white space where they were cut."""
        passages = Material(name="x", text=text).passages
        assert "".join(text.split()) == "".join("".join(passages).split())
        assert max(map(count, passages)) <= PASSAGE_TOKENS
        assert all(passage == passage.strip() != "" for passage in passages)

    def test_a_short_document_is_one_passage(self) -> None:
        """Its citation gives its kind."""
        assert ("Traffic fell.\n\nBy 11 %.",) == Material(name="x", text="Traffic fell.\r\n\n\n\nBy 11 %.\n").passages

    def test_a_passage_ends_with_a_paragraph_where_there_is_one(self) -> None:
        """Then with a line, a sentence, a word."""
        paragraph = "Traffic fell. " * 40
        passages = Material(name="x", text="\n\n".join([paragraph] * 4)).passages
        assert [paragraph.strip()] * 4 == list(passages)
        assert all(one.endswith("fell.") for one in Material(name="x", text=paragraph * 5).passages)

    def test_a_blank_document_is_refused(self) -> None:
        """There is nothing in it that could be cited."""
        with pytest.raises(ValidationError, match="the material 'x' is blank"):
            Material(name="x", text=" \n")


class TestLongMaterial:
    """What cannot be shown whole is refused at the start."""

    def test_the_message_names_the_figure_and_the_remedy(self) -> None:
        """The context tokens that it names are enough."""
        given = (Material(name="x", text="word " * 12_000),)
        with pytest.raises(ValueError, match=r"about 12,0\d\d tokens, and at most 8,000 .*--context-tokens 15\d\d\d\)"):
            refuse_long_material(given, ContextBudget().material)
        needed = -(-size_of(given) * 10 // 8)
        refuse_long_material(given, ContextBudget.scaled(needed).material)

    def test_beyond_the_widest_context_the_remedy_is_to_shorten_it(self) -> None:
        """No figure is named that would be refused."""
        with pytest.raises(ValueError, match="; shorten it, or give the passages that matter"):
            refuse_long_material((Material(name="x", text="word " * 170_000),), 8000)

    def test_an_input_with_too_much_material_is_refused(self) -> None:
        """Also where another client starts the debate."""
        with pytest.raises(ValidationError, match="the material has about"):
            debate_of(material=({"name": "x", "text": "word " * 9000},))

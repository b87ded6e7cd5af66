"""Under which names debaters are shown, and who is meant by a name."""

import pytest

from protocols.debate.aliases import labels, open_aliases, seat_of
from protocols.model_call import ParticipantId
from protocols.panel import Panel

PANEL = Panel.of(("anthropic/claude-sonnet-4", "openai/gpt-5.2", "perplexity/sonar-pro"), "a/chair")
P1, P2, P3 = (ParticipantId(seat) for seat in ("p1", "p2", "p3"))


class TestOpenly:
    """Everywhere but in delphi (seed 003, section 4.1: the agent's name is passed)."""

    def test_a_name_is_the_seat_and_the_model_that_sits_there(self) -> None:
        """A debater is shown by its seat, with the model behind it without its maker."""
        assert {P1: "p1 (claude-sonnet-4)", P2: "p2 (gpt-5.2)", P3: "p3 (sonar-pro)"} == open_aliases(PANEL)

    def test_a_replaced_model_keeps_the_seat_in_its_name(self) -> None:
        """Another model behind a seat changes the bracket alone."""
        replaced = PANEL.replaced(P2, PANEL.at(P3).model)
        assert "p2 (sonar-pro)" == open_aliases(replaced)[P2]

    @pytest.mark.parametrize("said", ["p2", "P2", " p2 (gpt-5.2) ", "P2 (GPT-5.2)", "p2's second point", "To p2: no"])
    def test_the_seat_in_any_phrase_shows_who_is_meant(self, said: str) -> None:
        """The whole name, the seat alone, or one seat within a phrase means that debater."""
        assert P2 == seat_of(open_aliases(PANEL), said)

    @pytest.mark.parametrize("said", ["", "everybody", "p1 and p2", "p9", "p22", "gpt", "2"])
    def test_nobody_is_meant_where_none_or_several_are(self, said: str) -> None:
        """A phrase that names no debater, or more than one, means none."""
        assert seat_of(open_aliases(PANEL), said) is None

    def test_a_name_that_quotes_another_means_its_own_seat(self) -> None:
        """The exact name wins over a seat that its model's name happens to hold."""
        names = {P1: "p1 (p2 mini)", P2: "p2 (gpt-5.2)"}
        assert P1 == seat_of(names, "p1 (p2 mini)")


class TestLabels:
    """Delphi: stable anonymous labels for the whole debate (seed 003, section 1)."""

    def test_labels_follow_the_order_in_which_they_were_dealt(self) -> None:
        """The first one assigned is Expert A, whatever its seat."""
        assert {P3: "Expert A", P1: "Expert B", P2: "Expert C"} == labels((P3, P1, P2))

    def test_a_label_shows_neither_seat_nor_model(self) -> None:
        """A label has no word of the open name."""
        openly = " ".join(open_aliases(PANEL).values())
        assert not [name for name in labels((P3, P1, P2)).values() if name in openly or "p" in name.split()]

    def test_every_seat_of_the_largest_panel_has_a_label_of_its_own(self) -> None:
        """Twenty-six seats have twenty-six labels."""
        seats = [ParticipantId(f"p{number}") for number in range(1, 27)]
        assert 26 == len(set(labels(seats).values()))

    @pytest.mark.parametrize(
        "said", ["Expert B", "expert b", "B", "b.", "**Expert B**", "as Expert B wrote", "Expert-B"]
    )
    def test_the_letter_alone_or_after_its_word_shows_who_is_meant(self, said: str) -> None:
        """A label, its letter alone, or the label within a phrase means that debater."""
        assert P1 == seat_of(labels((P3, P1, P2)), said)

    @pytest.mark.parametrize("said", ["the group as a whole", "a view of nobody", "Expert D", "Expert A, Expert B"])
    def test_an_article_is_no_label(self, said: str) -> None:
        """The letter A within a sentence is an article and means no debater."""
        assert seat_of(labels((P3, P1, P2)), said) is None

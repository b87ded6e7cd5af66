from collections.abc import Collection

import pytest
from pydantic import ValidationError

from parley.options.ask import Options
from parley.panel_check import role_seats
from parley.specs import PROTOCOLS
from protocols.named_panel import BadEntryError, NamedPanel, PanelLibrary, Seated, UnfitPanelError, UnknownPanelError

FOUR = NamedPanel(models=("a/1", "b/2", "c/3", "d/4"), chair="b/2", chair_fallbacks=("c/3",))


def roles(panel: NamedPanel, protocol: str, given: Collection[str] = ()) -> dict[str, Seated]:
    """The options of ``protocol`` that ``panel`` fills."""
    options: type[Options] = PROTOCOLS[protocol].options
    return options.seats_of(panel, given)


def test_models_and_chair_serve_every_protocol_in_its_own_words() -> None:
    """One list of models and one chair become the options of each protocol."""
    assert {"models": FOUR.models, "chair": "b/2", "chair_fallbacks": ("c/3",)} == roles(FOUR, "council")
    assert {"agents": FOUR.models, "synthesiser": "b/2", "synthesiser_fallbacks": ("c/3",)} == roles(FOUR, "debate")
    assert {"models": FOUR.models, "aggregator": "b/2", "aggregator_fallbacks": ("c/3",)} == roles(FOUR, "mixture")
    assert [{"models": FOUR.models}] * 3 == [
        roles(FOUR, name) for name in ("fire-circle", "fire-circle-baseline", "vote")
    ]


def test_a_chair_of_the_first_debaters_model_closes_no_debate() -> None:
    """The last model closes it then, and the chair concludes elsewhere; a synthesiser that is named wins."""
    same = FOUR.model_copy(update={"chair": "a/1", "chair_fallbacks": ()})
    named = PROTOCOLS["debate"].options.of({"panel": "same", "synthesiser": "a/1"}, PanelLibrary(panels={"same": same}))

    assert ("d/4", "a/1") == (roles(same, "debate")["synthesiser"], roles(same, "council")["chair"])
    assert named.seated().chair.model == "openrouter:a/1"


def test_the_first_model_concludes_where_no_chair_is_named() -> None:
    """A panel without a chair has its first model conclude."""
    assert {"models": ("a/1", "b/2"), "chair": "a/1"} == roles(NamedPanel(models=("a/1", "b/2")), "council")


def test_a_consensus_takes_the_speakers_or_three_models() -> None:
    """Three models are the three speakers; with another number the panel says who they are."""
    three = NamedPanel(models=("a/1", "b/2", "c/3"))
    named = FOUR.model_copy(update={"speakers": ("d/4", "c/3", "a/1")})
    assert {"generator": "a/1", "refiner": "b/2", "validator": "c/3", "curator": "a/1"} == roles(three, "consensus")
    assert {"generator": "d/4", "refiner": "c/3", "validator": "a/1", "curator": "b/2"} == roles(named, "consensus")


def test_a_panel_that_does_not_fit_a_consensus_is_refused_with_the_remedy() -> None:
    """Four models are no three speakers; when all three are named elsewhere, the panel gives the curator."""
    with pytest.raises(UnfitPanelError, match="its panel has 4 models; add speakers = "):
        roles(FOUR, "consensus")
    assert {"curator": "b/2"} == roles(FOUR, "consensus", ("generator", "refiner", "validator"))


def test_an_entry_for_one_protocol_replaces_the_models_there_and_nowhere_else() -> None:
    """A protocol's own entry says everything about that protocol; the baselines of a circle follow the circle."""
    panel = FOUR.model_copy(
        update={"protocols": {"debate": {"agents": ("x/1", "y/2")}, "fire-circle": {"models": ("z/1",)}}}
    )
    assert {"agents": ("x/1", "y/2")} == roles(panel, "debate")
    assert {"models": ("z/1",)} == roles(panel, "fire-circle-baseline")
    assert roles(FOUR, "council") == roles(panel, "council")


def test_every_role_is_listed_with_its_model() -> None:
    """The roles of all protocols that the panel fits are listed, and each model is counted once."""
    assert {"council", "debate", "mixture"} < {seat.protocol for seat in role_seats(FOUR)}
    assert "consensus" not in {seat.protocol for seat in role_seats(FOUR)}
    assert FOUR.models == FOUR.unique_models()
    whole = FOUR.model_copy(update={"speakers": FOUR.models[:3]})
    assert set(PROTOCOLS) == {seat.protocol for seat in role_seats(whole)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"models": []}, "models"),
        ({"models": ["a b"]}, "model 'a b' is not a name"),
        ({"models": ["a/1"], "chair": ""}, "model '' is not a name"),
        ({"models": ["a/1"], "chairman": "a/1"}, "chairman"),
        ({"models": ["a/1"], "speakers": ["a/1", "b/2"]}, "speakers"),
    ],
)
def test_a_panel_that_cannot_be_used_is_refused_by_key_and_value(given: dict[str, object], said: str) -> None:
    """Every key and every name of a panel is checked when it is read."""
    with pytest.raises(ValidationError, match=said):
        NamedPanel.model_validate(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"models": ["a/1"], "protocols": {"debate": {"models": ["a/1"]}}}, "'models' is no role; known are agents"),
        ({"models": ["a/1"], "protocols": {"debate": {"agents": "a/1"}}}, "give a list of models"),
        ({"models": ["a/1"], "protocols": {"council": {"models": ["a/1"], "chair": ["a/1"]}}}, "give one model"),
        ({"models": ["a/1"], "protocols": {"council": {"chair": "a/1"}}}, "council: models is missing"),
        ({"models": ["a/1"], "protocols": {"consensus": {"generator": "a/1"}}}, "consensus: refiner is missing"),
    ],
)
def test_an_entry_that_a_protocol_cannot_use_is_refused_where_it_is_used(given: dict[str, object], said: str) -> None:
    """Roles that a protocol lacks, several seats for one, and a missing role are refused by name."""
    panel = NamedPanel.model_validate(given)
    with pytest.raises(BadEntryError, match=said):
        roles(panel, next(iter(panel.protocols)))


def test_panels_of_ones_own_win_over_others_of_the_same_name() -> None:
    """A library extended with panels has the new ones under their names, and keeps the rest."""
    own = NamedPanel(models=("x/1",))
    library = PanelLibrary(panels={"a": FOUR, "b": FOUR}).extended({"a": own, "c": own})
    assert (own, FOUR, own) == tuple(map(library.panel, "abc"))


def test_an_unknown_panel_is_refused_with_those_that_are_known() -> None:
    """A name that no panel has is refused, and the known names are listed."""
    with pytest.raises(UnknownPanelError, match="there is no panel 'z'; known are a, b"):
        PanelLibrary(panels={"b": FOUR, "a": FOUR}).panel("z")

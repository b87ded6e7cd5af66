import pytest
from pydantic import ValidationError

from protocols.named_panel import ROLES, NamedPanel, PanelLibrary, UnfitPanelError, UnknownPanelError

FOUR = NamedPanel(models=("a/1", "b/2", "c/3", "d/4"), chair="b/2", chair_fallbacks=("c/3",))


def test_models_and_chair_serve_every_protocol_in_its_own_words() -> None:
    """One list of models and one chair become the options of each protocol."""
    assert {"models": FOUR.models, "chair": "b/2", "chair_fallbacks": ("c/3",)} == FOUR.seats("council")
    assert {"agents": FOUR.models, "synthesiser": "b/2", "synthesiser_fallbacks": ("c/3",)} == FOUR.seats("debate")
    assert {"models": FOUR.models, "aggregator": "b/2", "aggregator_fallbacks": ("c/3",)} == FOUR.seats("mixture")
    assert [{"models": FOUR.models}] * 3 == [
        FOUR.seats(name) for name in ("fire-circle", "fire-circle-baseline", "vote")
    ]


def test_the_first_model_concludes_where_no_chair_is_named() -> None:
    """A panel without a chair has its first model conclude."""
    assert {"models": ("a/1", "b/2"), "chair": "a/1"} == NamedPanel(models=("a/1", "b/2")).seats("council")


def test_a_consensus_takes_the_speakers_or_three_models() -> None:
    """Three models are the three speakers; with another number the panel says who they are."""
    three = NamedPanel(models=("a/1", "b/2", "c/3"))
    named = FOUR.model_copy(update={"speakers": ("d/4", "c/3", "a/1")})
    assert {"generator": "a/1", "refiner": "b/2", "validator": "c/3", "curator": "a/1"} == three.seats("consensus")
    assert {"generator": "d/4", "refiner": "c/3", "validator": "a/1", "curator": "b/2"} == named.seats("consensus")


def test_a_panel_that_does_not_fit_a_consensus_is_refused_with_the_remedy() -> None:
    """Four models are no three speakers; when all three are named elsewhere, the panel gives the curator."""
    with pytest.raises(UnfitPanelError, match="its panel has 4 models; add speakers = "):
        FOUR.seats("consensus")
    assert {"curator": "b/2"} == FOUR.seats("consensus", ("generator", "refiner", "validator"))


def test_an_entry_for_one_protocol_replaces_the_models_there_and_nowhere_else() -> None:
    """A protocol's own entry says everything about that protocol; the baselines of a circle follow the circle."""
    panel = FOUR.model_copy(
        update={"protocols": {"debate": {"agents": ("x/1", "y/2")}, "fire-circle": {"models": ("z/1",)}}}
    )
    assert {"agents": ("x/1", "y/2")} == panel.seats("debate")
    assert {"models": ("z/1",)} == panel.seats("fire-circle-baseline")
    assert FOUR.seats("council") == panel.seats("council")


def test_every_role_is_listed_with_its_model() -> None:
    """The roles of all protocols that the panel fits are listed, and each model is counted once."""
    assert {"council", "debate", "mixture"} < {seat.protocol for seat in FOUR.seated()}
    assert "consensus" not in {seat.protocol for seat in FOUR.seated()}
    assert FOUR.models == FOUR.unique_models()
    assert set(ROLES) == {seat.protocol for seat in FOUR.model_copy(update={"speakers": FOUR.models[:3]}).seated()}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"models": []}, "models"),
        ({"models": ["a b"]}, "model 'a b' is not a name"),
        ({"models": ["a/1"], "chair": ""}, "model '' is not a name"),
        ({"models": ["a/1"], "chairman": "a/1"}, "chairman"),
        ({"models": ["a/1"], "speakers": ["a/1", "b/2"]}, "speakers"),
        ({"models": ["a/1"], "protocols": {"counsel": {}}}, "counsel"),
        ({"models": ["a/1"], "protocols": {"debate": {"models": ["a/1"]}}}, "'models' is no role; known are agents"),
        ({"models": ["a/1"], "protocols": {"debate": {"agents": "a/1"}}}, "give a list of models"),
        ({"models": ["a/1"], "protocols": {"council": {"models": ["a/1"], "chair": ["a/1"]}}}, "give one model"),
        ({"models": ["a/1"], "protocols": {"council": {"chair": "a/1"}}}, "council: models is missing"),
        ({"models": ["a/1"], "protocols": {"consensus": {"generator": "a/1"}}}, "consensus: refiner is missing"),
    ],
)
def test_a_panel_that_cannot_be_used_is_refused_by_key_and_value(given: dict[str, object], said: str) -> None:
    """Every key and every name of a panel is checked when it is read."""
    with pytest.raises(ValidationError, match=said):
        NamedPanel.model_validate(given)


def test_panels_of_ones_own_win_over_others_of_the_same_name() -> None:
    """A library extended with panels has the new ones under their names, and keeps the rest."""
    own = NamedPanel(models=("x/1",))
    library = PanelLibrary(panels={"a": FOUR, "b": FOUR}).extended({"a": own, "c": own})
    assert (own, FOUR, own) == tuple(map(library.panel, "abc"))


def test_an_unknown_panel_is_refused_with_those_that_are_known() -> None:
    """A name that no panel has is refused, and the known names are listed."""
    with pytest.raises(UnknownPanelError, match="there is no panel 'z'; known are a, b"):
        PanelLibrary(panels={"b": FOUR, "a": FOUR}).panel("z")

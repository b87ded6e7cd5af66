"""How a model is named and routed, and who sits where (seed 002, "Multi-Provider Routing")."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocols.model_call import ModelId, ParticipantId
from protocols.panel import CEREBRAS_MODEL_IDS, CHAIR, Panel, UnknownModelNameError, name_of, provider_of, route
from tests.fakes.seed_panel import SEED_CHAIR, SEED_COUNCIL


@pytest.mark.parametrize(
    "model", ["zai-glm-4.6", "zai-glm-4.7", "llama3.1-8b", "llama-3.3-70b", "qwen-3-32b", "gpt-oss-120b"]
)
def test_route_to_cerebras(model: str) -> None:
    """A Cerebras model id goes to Cerebras (seed 002, "Route to Cerebras")."""
    assert route(model) == f"cerebras:{model}"
    assert model in CEREBRAS_MODEL_IDS


def test_cerebras_model_ids() -> None:
    """The table holds the seed's six ids and no other (seed 002, "Cerebras Model IDs")."""
    expected = {"zai-glm-4.6", "zai-glm-4.7", "llama3.1-8b", "llama-3.3-70b", "qwen-3-32b", "gpt-oss-120b"}
    assert set(CEREBRAS_MODEL_IDS) == expected


@pytest.mark.parametrize(
    "model",
    [
        *("anthropic/claude-opus-4.6", "google/gemini-3-flash-preview", "x-ai/grok-4.1-fast", "zai-glm-4.8"),
        *("ZAI-GLM-4.7", "meta-llama/llama-3.3-70b", "mistralai/mistral-7b:free"),
    ],
)
def test_route_to_openrouter(model: str) -> None:
    """A model id that is none of the Cerebras ones goes to OpenRouter (seed 002, "Route to OpenRouter")."""
    assert route(model) == f"openrouter:{model}"


def test_council_configuration() -> None:
    """The default council and chair are the seed's, three by OpenRouter and one by Cerebras (seed 002)."""
    panel = Panel.of(SEED_COUNCIL, SEED_CHAIR)
    assert [p.model for p in panel.participants] == [
        "openrouter:anthropic/claude-opus-4.6",
        "openrouter:google/gemini-3-flash-preview",
        "openrouter:x-ai/grok-4.1-fast",
        "cerebras:zai-glm-4.7",
    ]
    assert panel.chair.model == "openrouter:anthropic/claude-opus-4.6"


@pytest.mark.parametrize(
    ("typed", "provider", "name"),
    [
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        ("openrouter:zai-glm-4.7", "openrouter", "zai-glm-4.7"),
        ("  rehearsal:steady-1 ", "rehearsal", "steady-1"),
    ],
)
def test_a_named_provider_wins_over_the_table(typed: str, provider: str, name: str) -> None:
    """``provider:model`` is taken at its word; only the first colon parts them."""
    assert (provider_of(route(typed)), name_of(route(typed))) == (provider, name)


@pytest.mark.parametrize("typed", ["", "   ", "two words", ":model", "provider:", "a\tb", "a\0b", "a:\udcff"])
def test_a_name_that_cannot_be_routed_is_refused_by_name(typed: str) -> None:
    """The refusal repeats what was typed and shows what a name looks like."""
    with pytest.raises(UnknownModelNameError, match="is not a name such as") as refusal:
        route(typed)
    assert repr(typed.strip()) in str(refusal.value)


@pytest.mark.parametrize("provider", ["", "ollama:"])
def test_a_name_of_more_than_200_characters_is_refused(provider: str) -> None:
    """A name has at most 200 characters: the server ends a run whose list columns are longer than 2,048 bytes."""
    longest = f"{provider:a<200}"

    assert route(longest).endswith(longest)
    with pytest.raises(UnknownModelNameError, match=r"aaa…' is not a name such as .* of at most 200 characters"):
        route(f"{longest}a")


@given(st.from_regex(r"[a-z0-9][a-z0-9_-]{0,10}:\S{1,20}", fullmatch=True).filter(str.isprintable))
def test_routing_twice_is_routing_once(name: str) -> None:
    """A routed name routes to itself."""
    assert route(route(name)) == route(name)


def test_seats_are_numbered_in_the_order_given() -> None:
    """Identity is the seat, never the model."""
    panel = Panel.of(("a/b", "c/d"), "a/b", fallbacks=("zai-glm-4.6",))
    assert [p.id for p in panel.participants] == ["p1", "p2"]
    assert panel.at(ParticipantId("p2")).model == "openrouter:c/d"
    assert panel.chair_fallbacks == ("cerebras:zai-glm-4.6",)


def test_one_model_twice_is_refused_unless_permitted() -> None:
    """A panel names a model once, or says that it means to name it twice."""
    with pytest.raises(ValidationError, match="'openrouter:a/b' more than once"):
        Panel.of(("a/b", "a/b"), "a/b")
    assert len(Panel.of(("a/b", "a/b"), "a/b", twice=True).participants) == 2


@pytest.mark.parametrize("size", [0, 27])
def test_a_panel_has_as_many_seats_as_there_are_labels(size: int) -> None:
    """No one is no panel, and past the 26th there is no letter."""
    with pytest.raises(ValidationError):
        Panel.of(tuple(f"m/{n}" for n in range(size)), "m/0")


def test_a_replaced_model_takes_over_the_seat() -> None:
    """Another model behind a seat leaves every other seat, and the panel it was made from, as they were."""
    panel = Panel.of(("a/b", "c/d"), "a/b")
    changed = panel.replaced(ParticipantId("p2"), ModelId("ollama:x"))
    assert [changed.at(p.id).model for p in panel.participants] == ["openrouter:a/b", "ollama:x"]
    assert panel.at(ParticipantId("p2")).model == "openrouter:c/d"


def test_the_chair_is_a_seat_of_its_own() -> None:
    """Replacing the chair changes no one on the panel, not even the same model."""
    panel = Panel.of(("a/b", "c/d"), "a/b").replaced(CHAIR, ModelId("ollama:x"))
    assert panel.at(CHAIR).model == "ollama:x"
    assert panel.at(ParticipantId("p1")).model == "openrouter:a/b"


def test_nobody_sits_on_an_unknown_seat() -> None:
    """A seat that does not exist has no model."""
    with pytest.raises(KeyError):
        Panel.of(("a/b",), "a/b").at(ParticipantId("p9"))


def speakers() -> Panel:
    """Two speakers under names of their own, and a chair that is called the curator."""
    return Panel.of(("a/b", "c/d"), "e/f", seats=("generator", "refiner"), chair_seat="curator")


def test_seats_may_have_names_of_their_own() -> None:
    """A protocol names its seats; the chair's is last, under the name it has there."""
    assert speakers().seats == ("generator", "refiner", "curator")
    assert Panel.of(("a/b", "c/d"), "a/b").seats == ("p1", "p2", "chair")
    assert speakers().at(ParticipantId("refiner")).model == "openrouter:c/d"


@pytest.mark.parametrize("seats", [("generator",), ("generator", "refiner", "validator")])
def test_there_are_as_many_seats_as_models(seats: tuple[str, ...]) -> None:
    """A name without a model, or a model without a name, is refused."""
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is (?:longer|shorter)"):
        Panel.of(("a/b", "c/d"), "a/b", seats=seats)


def test_a_chair_by_another_name_is_found_and_replaced_under_it() -> None:
    """The curator is the chair; no one sits on a seat called chair then."""
    panel = speakers().replaced(ParticipantId("curator"), ModelId("ollama:x"))
    assert (panel.at(ParticipantId("curator")).model, panel.chair.model) == ("ollama:x", "ollama:x")
    assert panel.participants == speakers().participants
    with pytest.raises(KeyError):
        panel.at(CHAIR)


def test_a_panel_written_before_chairs_had_names_is_read() -> None:
    """A history that knows no name for the chair means the seat ``chair``."""
    older = Panel.of(("a/b",), "c/d").model_dump(mode="json", exclude={"chair_seat"})
    assert Panel.model_validate(older) == Panel.of(("a/b",), "c/d")


@pytest.mark.parametrize(
    ("models", "chair", "fallbacks", "is_rehearsal"),
    [
        (("a/b", "c/d"), "e/f", ("g/h",), False),
        (("a/b", "rehearsal:steady-1"), "e/f", (), True),
        (("a/b", "c/d"), "rehearsal:steady-1", (), True),
        (("a/b", "c/d"), "e/f", ("g/h", "rehearsal:steady-1"), True),
        (("a/rehearsal", "ollama:rehearsal"), "e/f", (), False),
    ],
)
def test_one_scripted_model_anywhere_makes_a_rehearsal(
    models: tuple[str, ...], chair: str, fallbacks: tuple[str, ...], *, is_rehearsal: bool
) -> None:
    """Participant, chair or fallback: what is served by the rehearsal measures the machinery; a name alone does not."""
    assert Panel.of(models, chair, fallbacks=fallbacks).is_rehearsal == is_rehearsal

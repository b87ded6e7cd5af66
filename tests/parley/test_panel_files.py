from pathlib import Path

import pytest

from activities.providers.prices import list_price
from parley.errors import RequestError
from parley.options.council import CouncilOptions
from parley.options.fire_circle import FireCircleOptions
from parley.panel_check import role_seats
from parley.panel_files import load_panels, shipped_panels
from parley.specs import PROTOCOLS
from protocols.model_call import Usage
from protocols.named_panel import DEFAULT
from protocols.panel import name_of, provider_of, route

MILLION = Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000)
PRICED = sorted(set(shipped_panels().panels) - {"seed"})
OWN = '[panels.mine]\nmodels = ["a/1", "b/2"]\n[panels.default]\nmodels = ["ollama:c"]\n'


@pytest.mark.parametrize("name", PRICED)
def test_every_model_of_a_shipped_panel_has_a_price(name: str) -> None:
    """An id that the price library does not list is no id to begin with; ``seed`` alone keeps such ids."""
    models = map(route, shipped_panels().panel(name).unique_models())
    unpriced = [model for model in models if list_price(MILLION, name_of(model), provider_of(model)).usd is None]
    assert [] == unpriced


@pytest.mark.parametrize("name", PRICED)
def test_one_key_is_enough_for_a_shipped_panel(name: str) -> None:
    """All models of a panel are of one provider, and no maker has two in a council."""
    panel = shipped_panels().panel(name)
    makers = [model.partition("/")[0] for model in map(str, panel.models)]
    assert {"openrouter"} == {provider_of(route(model)) for model in panel.unique_models()}
    assert len(makers) == len(set(makers))


@pytest.mark.parametrize("name", sorted(shipped_panels().panels))
def test_a_shipped_panel_fits_every_protocol(name: str) -> None:
    """Whatever is asked, each shipped panel says who takes part."""
    assert set(PROTOCOLS) == {one.protocol for one in role_seats(shipped_panels().panel(name))}


def test_the_seeds_ids_are_kept_word_for_word() -> None:
    """The panel ``seed`` has the ids of seed 002, "Council Configuration", and of seed 000, section 7."""
    seed = shipped_panels().panel("seed")
    council = ("anthropic/claude-opus-4.6", "google/gemini-3-flash-preview", "x-ai/grok-4.1-fast", "zai-glm-4.7")
    circle = ("anthropic/claude-sonnet-4-20250514", "qwen/qwen-2.5-72b-instruct", "deepseek/deepseek-r1")
    assert {"models": council, "chair": "anthropic/claude-opus-4.6"} == CouncilOptions.seats_of(seed)
    assert {"models": circle, "classifier": "x-ai/grok-4.1-fast"} == FireCircleOptions.seats_of(seed)


def test_a_users_file_adds_panels_and_replaces_shipped_ones(tmp_path: Path) -> None:
    """Panels of a file are beside the shipped ones and win by name."""
    file = tmp_path / "panels.toml"
    file.write_text(OWN)
    library = load_panels(file)
    assert {"mine", DEFAULT, "seed", "small"} == set(library.panels)
    assert ("ollama:c",) == library.panel(DEFAULT).models


def test_without_a_file_there_are_the_shipped_panels() -> None:
    """No file of one's own is needed."""
    assert shipped_panels() == load_panels(None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[panels.mine", "is not TOML"),
        ("[panels.mine]\nchair = 'a/1'", "panels.mine.models is missing"),
        ("[panels.mine]\nmodels = ['a/1']\nmodel = 'b'", "panels.mine.model: no such key; a panel may have"),
        ("[panels.Mine]\nmodels = ['a/1']", "panels.Mine"),
        ("[panel.mine]\nmodels = ['a/1']", "panel: no such key"),
        ("[panels.mine]\nmodels = ['a b']", "model 'a b' is not a name"),
        ("x = '" + "y" * 1_000_000 + "'", "larger than 1 MB"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_key(tmp_path: Path, text: str, said: str) -> None:
    """The refusal names the file, the key and what may be there."""
    file = tmp_path / "panels.toml"
    file.write_text(text)
    with pytest.raises(RequestError, match=said) as refused:
        load_panels(file)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    """A file that is absent or no text is refused with the remedy."""
    file = tmp_path / "panels.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(RequestError, match=r"give the path of a TOML file|save it as UTF-8"):
        load_panels(file)

"""The baselines of equal cost from Python, on a real server with scripted models."""

from parley.client import Parley
from protocols.model_call import ModelCall
from tests.fakes.models import ScriptedModels
from tests.fakes.staff import staff

QUESTION = "What is 17 * 23?"


def calculates(_call: ModelCall) -> str:
    """Everyone is right."""
    return "It is a product.\n\nFINAL ANSWER: 391"


async def test_samples_are_counted(parley: Parley) -> None:
    """One model, asked three times; the result is found again by its id with its own type."""
    models = ScriptedModels(calculates)
    async with staff(parley.client, models):
        result = await parley.vote(QUESTION, models=["a"], samples=3, answer="number")
        found = await parley.result(result.deliberation_id)
    assert ("391", 3, 3) == (result.answer, result.tally.cast, len(models.calls))
    assert result.deliberation_id.removeprefix("vote-what-is-17-23-").isalnum()
    assert result == found


async def test_panel_votes(parley: Parley) -> None:
    """Each model is asked once."""
    models = ScriptedModels(calculates)
    async with staff(parley.client, models):
        result = await parley.vote(QUESTION, models=["a", "b", "c"], answer="number")
    assert ("391", "plurality", 3) == (result.answer, result.decided_by, len(models.calls))


async def test_layers_are_aggregated(parley: Parley) -> None:
    """Two layers of two and the aggregator; its seat is shown where the deliberation is listed."""
    models = ScriptedModels(calculates)
    async with staff(parley.client, models):
        result = await parley.mixture(QUESTION, models=["a", "b"], aggregator="c", answer="number", id="mixture-of-two")
    assert ("391", "aggregator", 5) == (result.answer, result.decided_by, len(models.calls))
    assert (await parley.about("mixture-of-two")).protocol == "mixture"

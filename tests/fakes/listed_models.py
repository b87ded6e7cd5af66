"""A home that has a list of OpenRouter's models, and the providers that it makes."""

from datetime import UTC, datetime
from pathlib import Path

from activities.providers.listed_models import ListedModel, ModelList, lists_folder
from parley.catalogue import Providers
from runtime.settings import Settings
from tests.fakes.files import written

ROUTER = "https://openrouter.ai/api/v1"
LISTED = {
    "see/all": ListedModel(image_input=True, context_tokens=200_000),
    "read/only": ListedModel(image_input=False, context_tokens=100),
    "says/nothing": ListedModel(),
}


def listing_providers(home: Path, file: str = "") -> Providers:
    """Return the providers of a home that has a list of OpenRouter's models."""
    lists_folder(home).mkdir(parents=True)
    known = ModelList(provider="openrouter", base_url=ROUTER, read_at=datetime(2026, 5, 1, tzinfo=UTC), models=LISTED)
    (lists_folder(home) / "openrouter.json").write_text(known.model_dump_json())
    written(home, "providers.toml", file.encode())
    return Providers.of(Settings(home=home, providers_file=home / "providers.toml"), {})

"""A provider's list of its models: names, prices, limits and retirement, as it was last read."""

from datetime import date
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from protocols.model_call import FrozenModel

_ROUTED = (":nitro", ":floor", ":exacto", ":online", ":extended", ":thinking")
"""Suffixes that choose how OpenRouter routes a model; the list has the model without them."""


class ListedModel(FrozenModel):
    """A model in a provider's list; ``None`` is unknown."""

    context_tokens: int | None = None
    input_usd: float | None = None
    """Dollars for a million tokens."""
    output_usd: float | None = None
    structured_output: bool | None = None
    """Whether it takes a schema, or at least JSON, as the form of its answer."""
    json_schema: bool | None = None
    """Whether it takes a schema."""
    image_input: bool | None = None
    """Whether it takes images."""
    expires: date | None = None
    """The day on which the provider retires it."""


class ModelList(FrozenModel):
    """A provider's list as it was once read."""

    provider: str
    base_url: str
    """Where it was asked; a list of another address says nothing about this one."""
    read_at: AwareDatetime
    models: dict[str, ListedModel]
    gone: dict[str, date] = Field(default_factory=dict)
    """Models of earlier lists that are listed no more, and when that was first seen."""

    def find(self, name: str) -> ListedModel | None:
        """Return what the list says of the model ``name``; ``None`` when it is not listed."""
        ending = next((e for e in _ROUTED if name.endswith(e)), "")
        return self.models.get(name) or self.models.get(name.removesuffix(ending))

    def succeeding(self, earlier: "ModelList | None") -> "ModelList":
        """Return the list with the models that ``earlier`` had and this one has not, as gone."""
        if earlier is None or earlier.base_url != self.base_url:
            return self
        today = self.read_at.date()
        known = {**dict.fromkeys(earlier.models, today), **earlier.gone}
        return self.model_copy(update={"gone": {name: day for name, day in known.items() if name not in self.models}})


def lists_folder(home: Path) -> Path:
    """Return where the lists are kept in the home of an installation, one file per provider."""
    return home / "models"


def kept_list(file: Path) -> ModelList | None:
    """Return the list saved in ``file``; ``None`` without a readable one."""
    try:
        return ModelList.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None

"""Named panels: the models of each protocol and their roles.

A panel names seats as people write them: a model (``provider:model`` or a bare id), or a table with settings. Its
``models`` and ``chair`` serve every protocol; an entry in ``protocols`` replaces both for one protocol, in the words of
that protocol's options::

    [panels.mine]
    models = ["maker/large", {model = "maker/small", temperature = 0.2}, "other/large"]
    chair = "maker/large"
    [panels.mine.protocols.debate]
    agents = ["maker/large", "other/large"]

The options of a protocol say which roles it has and what of a panel fills them (``parley/options/roles.py``).
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from pydantic import ConfigDict, Field, field_validator

from protocols.constraints import quoted
from protocols.model_call import FrozenModel
from protocols.written_seat import SeatTable, WrittenSeat, names_of, refuse_model

DEFAULT = "default"
"""The panel that is used where none is named."""

PANEL_NAME = r"^[a-z0-9][a-z0-9-]{0,19}$"

_MOST = 26

Seated = str | SeatTable | tuple[str | SeatTable, ...]
"""The seats of one role."""
Roles = dict[str, Seated]


class UnknownPanelError(ValueError):
    """An unknown panel name."""


class UnfitPanelError(ValueError):
    """A panel does not say who takes part in a protocol."""


class BadEntryError(ValueError):
    """An entry of a panel for one protocol that the protocol cannot use."""


class NamedPanel(FrozenModel):
    """Models for every protocol. Read from files, so an unknown key is an error."""

    model_config = ConfigDict(extra="forbid")

    description: str = Field(default="", max_length=200)
    models: tuple[WrittenSeat, ...] = Field(min_length=1, max_length=_MOST)
    """A protocol with one model takes the first."""
    chair: WrittenSeat | None = None
    """Who concludes, in protocols that have a conclusion; by default the first of the models.

    A debate is closed by another one of the models where this is the first debater's."""
    chair_fallbacks: tuple[str, ...] = ()
    """Who concludes when the chair is lost, in order."""
    speakers: tuple[WrittenSeat, WrittenSeat, WrittenSeat] | None = None
    """Generator, refiner and validator of a consensus; by default the models, when there are three."""
    protocols: dict[str, dict[str, WrittenSeat | tuple[WrittenSeat, ...]]] = Field(default_factory=dict)
    """Options of one protocol, in place of all of the above."""

    @field_validator("models", "chair", "chair_fallbacks", "speakers")
    @classmethod
    def _named(cls, given: Seated | None) -> Seated | None:
        for name in _names(given):
            refuse_model(name)
        return given

    @field_validator("protocols")
    @classmethod
    def _named_there(cls, given: dict[str, Roles]) -> dict[str, Roles]:
        for seated in chain.from_iterable(roles.values() for roles in given.values()):
            cls._named(seated)
        return given

    @property
    def concluding(self) -> str | SeatTable:
        """The concluding seat; by default the first of the models."""
        return self.chair or self.models[0]

    def unique_models(self) -> tuple[str, ...]:
        """Return every model that the panel names, each once."""
        of_protocols = chain.from_iterable(roles.values() for roles in self.protocols.values())
        named = (self.models, self.chair, self.chair_fallbacks, self.speakers, *of_protocols)
        return tuple(dict.fromkeys(name for seated in named for name in _names(seated)))


class PanelLibrary(FrozenModel):
    """The library of panels, and the providers of models named without one."""

    panels: dict[str, NamedPanel]
    served_by: dict[str, str] = Field(default_factory=dict)
    """Bare id to provider, by the providers' own lists; for others the rule of ``panel.route`` holds."""

    def panel(self, name: str) -> NamedPanel:
        """Return the panel called ``name``.

        Raises:
            UnknownPanelError: none is; the message lists those that are.
        """
        if name not in self.panels:
            known = ", ".join(sorted(self.panels))
            raise UnknownPanelError(f"there is no panel {quoted(name)}; known are {known}. Others go into panels.toml")
        return self.panels[name]

    def extended(self, panels: Mapping[str, NamedPanel]) -> "PanelLibrary":
        """Return the library with ``panels``, which win over those of the same name."""
        return self.model_copy(update={"panels": {**self.panels, **panels}})

    def explicit(self, model: str) -> str:
        """Return ``model`` with its provider, if a list gives it."""
        provider = self.served_by.get(model.strip())
        return model if provider is None else f"{provider}:{model.strip()}"


def _names(seated: Seated | None) -> Iterator[str]:
    """Iterate over the models of all seats of a role, fallbacks too."""
    for seat in seated if isinstance(seated, tuple) else () if seated is None else (seated,):
        yield from names_of(seat)

"""Named panels: the models of each protocol and their roles.

A panel names models as people write them: ``provider:model`` or a bare id. Its ``models`` and ``chair`` serve every
protocol; an entry in ``protocols`` replaces both for one protocol, in the words of that protocol's options::

    [panels.mine]
    models = ["maker/large", "maker/small", "other/large"]
    chair = "maker/large"
    [panels.mine.protocols.debate]
    agents = ["maker/large", "other/large"]
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field, field_validator

from protocols.model_call import FrozenModel
from protocols.panel import independent_model

ROLES: Mapping[str, tuple[str, ...]] = {
    "council": ("models", "chair", "chair_fallbacks"),
    "consensus": ("generator", "refiner", "validator", "curator"),
    "fire-circle": ("models", "classifier"),
    "fire-circle-baseline": ("models",),
    "debate": ("agents", "synthesiser", "synthesiser_fallbacks", "evaluator", "summariser", "judge"),
    "vote": ("models",),
    "mixture": ("models", "aggregator", "aggregator_fallbacks"),
}
"""The options of each protocol that name models; see ``roles_of``."""

DEFAULT = "default"
"""The panel that is used where none is named."""

PANEL_NAME = r"^[a-z0-9][a-z0-9-]{0,19}$"

_MOST = 26
_SPEAKERS = ("generator", "refiner", "validator")
_SEVERAL = frozenset({"models", "agents", "chair_fallbacks", "synthesiser_fallbacks", "aggregator_fallbacks"})

Model = str
Roles = dict[str, str | tuple[str, ...]]


class UnknownPanelError(ValueError):
    """An unknown panel name."""


class UnfitPanelError(ValueError):
    """A panel does not say who takes part in a protocol."""


class Seat(NamedTuple):
    """A role in a protocol and the model that has it."""

    protocol: str
    role: str
    model: str
    """As people write it."""


class NamedPanel(FrozenModel):
    """Models for every protocol. Read from files, so an unknown key is an error."""

    model_config = ConfigDict(extra="forbid")

    description: str = Field(default="", max_length=200)
    models: tuple[Model, ...] = Field(min_length=1, max_length=_MOST)
    """A protocol with one model takes the first."""
    chair: Model | None = None
    """Who concludes, in protocols that have a conclusion; by default the first of the models.

    A debate is closed by another one of the models where this is the first debater's."""
    chair_fallbacks: tuple[Model, ...] = ()
    """Who concludes when the chair is lost, in order."""
    speakers: tuple[Model, Model, Model] | None = None
    """Generator, refiner and validator of a consensus; by default the models, when there are three."""
    protocols: dict[str, Roles] = Field(default_factory=dict)
    """Options of one protocol, in place of all of the above."""

    @field_validator("models", "chair", "chair_fallbacks", "speakers")
    @classmethod
    def _named(cls, given: Any) -> Any:
        _check_models(given)
        return given

    @field_validator("protocols")
    @classmethod
    def _known_roles(cls, given: dict[str, Roles]) -> dict[str, Roles]:
        for protocol, roles in given.items():
            if protocol not in ROLES:
                raise ValueError(f"{protocol[:80]!r} is no protocol with roles; known are {', '.join(ROLES)}")
            for role, models in roles.items():
                _check_role(protocol, role, models)
            if missing := next((role for role in _required(protocol) if role not in roles), None):
                raise ValueError(f"{protocol}: {missing} is missing; it replaces the panel's models there")
        return given

    def seats(self, protocol: str, given: Collection[str] = ()) -> Roles:
        """Return the options of ``protocol`` that name models; those ``given`` elsewhere need not fit.

        Raises:
            UnfitPanelError: a consensus has three speakers and the panel names another number of models.
        """
        own = self.protocols.get(protocol)
        if own is not None:
            return dict(own)
        if protocol == "consensus":
            return self._consensus(given)
        return _DERIVED.get(protocol, _all)(self)

    def seated(self) -> Iterator[Seat]:
        """Iterate over every role of every protocol that the panel fits, in a fixed order."""
        for protocol in ROLES:
            try:
                roles = self.seats(protocol)
            except UnfitPanelError:
                continue
            for role, models in roles.items():
                named = (models,) if isinstance(models, str) else models
                yield from (Seat(protocol, role, model) for model in named)

    def unique_models(self) -> tuple[str, ...]:
        """Return every model that the panel names, each once."""
        return tuple(dict.fromkeys(seat.model for seat in self.seated()))

    @property
    def chairing(self) -> str:
        """Return the model of the concluding role."""
        return self.chair or self.models[0]

    def _consensus(self, given: Collection[str]) -> Roles:
        speakers = self.speakers or self.models
        curator: Roles = {"curator": self.chair or speakers[0]}
        if set(_SPEAKERS) <= set(given):
            return curator
        if len(speakers) != len(_SPEAKERS):
            raise UnfitPanelError(
                f"a consensus has three speakers, and its panel has {len(speakers)} models; "
                'add speakers = ["…", "…", "…"] to the panel'
            )
        return {**dict(zip(_SPEAKERS, speakers, strict=True)), **curator}


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
            raise UnknownPanelError(f"there is no panel {name[:80]!r}; known are {known}. Others go into panels.toml")
        return self.panels[name]

    def extended(self, panels: Mapping[str, NamedPanel]) -> "PanelLibrary":
        """Return the library with ``panels``, which win over those of the same name."""
        return self.model_copy(update={"panels": {**self.panels, **panels}})

    def explicit(self, model: str) -> str:
        """Return ``model`` with its provider, if a list gives it."""
        provider = self.served_by.get(model.strip())
        return model if provider is None else f"{provider}:{model.strip()}"


def _council(panel: NamedPanel) -> Roles:
    roles: Roles = {"models": panel.models, "chair": panel.chairing}
    return roles | ({"chair_fallbacks": panel.chair_fallbacks} if panel.chair_fallbacks else {})


def _debate(panel: NamedPanel) -> Roles:
    closing = independent_model(panel.models, (*([panel.chair] if panel.chair else []), *panel.chair_fallbacks))
    roles: Roles = {"agents": panel.models, "synthesiser": closing}
    return roles | ({"synthesiser_fallbacks": panel.chair_fallbacks} if panel.chair_fallbacks else {})


def _mixture(panel: NamedPanel) -> Roles:
    roles: Roles = {"models": panel.models, "aggregator": panel.chairing}
    return roles | ({"aggregator_fallbacks": panel.chair_fallbacks} if panel.chair_fallbacks else {})


def _all(panel: NamedPanel) -> Roles:
    return {"models": panel.models}


_DERIVED: Mapping[str, Callable[[NamedPanel], Roles]] = {
    "council": _council,
    "fire-circle": _all,
    "fire-circle-baseline": lambda panel: {"models": panel.seats("fire-circle")["models"]},
    "debate": _debate,
    "vote": _all,
    "mixture": _mixture,
}


def roles_of(protocol: str) -> tuple[str, ...]:
    """Return the options of ``protocol`` that name models; an unlisted protocol has a list of models."""
    return ROLES.get(protocol, ("models",))


def _required(protocol: str) -> tuple[str, ...]:
    return ROLES["consensus"] if protocol == "consensus" else ROLES[protocol][:1]


def _check_role(protocol: str, role: str, models: str | tuple[str, ...]) -> None:
    if role not in ROLES[protocol]:
        raise ValueError(f"{protocol}: {role[:80]!r} is no role; known are {', '.join(ROLES[protocol])}")
    if isinstance(models, str) is (role in _SEVERAL):
        wanted = "a list of models" if role in _SEVERAL else "one model"
        raise ValueError(f"{protocol}.{role}: {str(models)[:80]!r} cannot be used; give {wanted}")
    _check_models(models)


def _check_models(given: str | tuple[str, ...] | None) -> None:
    for model in (given,) if isinstance(given, str) else given or ():
        if not re.fullmatch(r"\S{1,200}", model):
            raise ValueError(f"model {model[:80]!r} is not a name such as 'maker/model' or 'ollama:qwen3:8b'")

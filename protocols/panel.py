"""Panels of participants, and the names of models.

``provider:model`` is explicit (``openrouter:…``, ``cerebras:…``, ``rehearsal:…``, any name of the providers file). A
bare id goes to Cerebras when it is one of the seed's Cerebras ids, else to OpenRouter (seed 002, "Multi-Provider
Routing").
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal, Self

from pydantic import Field, model_validator

from protocols.constraints import quoted
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import FrozenModel, ModelId, ParticipantId
from protocols.seat_settings import SeatSettings
from protocols.written_seat import SeatTable, names_of

FailureMode = Literal["strict", "resilient"]
"""``strict``: one lost model ends the deliberation. ``resilient``: it continues with the rest and marks the result."""

CEREBRAS_MODEL_IDS = ("zai-glm-4.6", "zai-glm-4.7", "llama3.1-8b", "llama-3.3-70b", "qwen-3-32b", "gpt-oss-120b")
"""Bare ids that are served by Cerebras (seed 002, "Cerebras Model IDs")."""

CHAIR = ParticipantId("chair")

SCRIPTED = frozenset({"rehearsal", "recorded"})
"""Providers behind which no model answers: scripts, and recordings."""

_EXPLICIT = lazy_pattern(r"(?P<provider>[a-z0-9][a-z0-9_-]*):(?P<model>\S+)")
_BARE = lazy_pattern(r"\S+")
_LONGEST_NAME = 200


class UnknownModelNameError(ValueError):
    """A model was named in a way that cannot be routed."""


def route(name: str) -> ModelId:
    """Turn what a user typed into a ``ModelId``.

    Raises:
        UnknownModelNameError: the name is blank, too long, not printable, holds white space, or is a provider alone.
    """
    name = name.strip()
    is_text = name.isprintable() and len(name) <= _LONGEST_NAME
    if is_text and _EXPLICIT.fullmatch(name):
        return ModelId(name)
    if not is_text or not _BARE.fullmatch(name) or name.startswith(":") or name.endswith(":"):
        raise UnknownModelNameError(
            f"model {quoted(name)} is not a name such as 'anthropic/claude-opus-4.6' or 'ollama:qwen3:8b', "
            f"of at most {_LONGEST_NAME} characters"
        )
    provider = "cerebras" if name in CEREBRAS_MODEL_IDS else "openrouter"
    return ModelId(f"{provider}:{name}")


def provider_of(model: ModelId) -> str:
    """Return the part before the first colon: the name of an endpoint in the providers file."""
    return model.partition(":")[0]


def name_of(model: ModelId) -> str:
    """Return the part after the first colon: the provider's name of the model."""
    return model.partition(":")[2]


def independent_model(agents: Sequence[str], others: Sequence[str] = ()) -> str:
    """Return the model that judges or closes a debate of ``agents`` by default; blank without any model.

    It is the first of ``others`` that does not debate. Where all of them debate, it is the first of them that is not
    the first agent's model, then the last such agent, and the first agent's model only where there is no other.
    """
    taken, first = {_routed(agent) for agent in agents}, _routed(next(iter(agents), ""))
    outside = (model for model in others if _routed(model) not in taken)
    inside = (model for model in (*others, *reversed(agents)) if _routed(model) != first)
    return next(chain(outside, inside, agents, others), "")


def _routed(name: str) -> str:
    """Return ``name`` as it is compared; one without a route is refused elsewhere."""
    try:
        return route(name)
    except UnknownModelNameError:
        return name


class Participant(FrozenModel):
    """A participating model, under an id that stays when the model is replaced."""

    id: ParticipantId
    model: ModelId
    fallbacks: tuple[ModelId, ...] = ()
    """The models that take the seat, one after the other, when the one before is lost."""
    settings: SeatSettings | None = None
    """The seat's own instructions and parameters; they stay when the model is replaced."""

    @classmethod
    def of(cls, seat: str, written: str | SeatTable) -> Self:
        """Return the participant at ``seat`` as it is ``written``."""
        model, *fallbacks = map(route, names_of(written))
        settings = None if isinstance(written, str) else written.settings
        return cls(id=ParticipantId(seat), model=model, fallbacks=tuple(fallbacks), settings=settings)

    def sampled(self, sample: str) -> Self:
        """Return another seat of the same kind, for one of several samples."""
        settings = self.settings
        if settings and settings.name:
            settings = settings.model_copy(update={"name": f"{settings.name} {sample}"})
        return self.model_copy(update={"id": ParticipantId(f"{self.id}-{sample}"), "settings": settings})

    @property
    def written(self) -> str | SeatTable:
        """The seat as a panel names it: the model alone where it has nothing else."""
        if self.settings is None and not self.fallbacks:
            return self.model
        own = dict(self.settings or SeatSettings())  # checked when it was read, and its text is no name of a file
        return SeatTable.model_construct(models=(self.model, *self.fallbacks), **own)

    @property
    def label(self) -> str:
        """The seat's name on screens: the one that was given, else its id."""
        return self.name or self.id

    @property
    def name(self) -> str:
        """The name that the seat was given; blank without one."""
        return self.settings.name if self.settings else ""


class Panel(FrozenModel):
    """The participants in order, and who concludes.

    Raises:
        ValueError: fewer than one or more than 26 participants (there are 26 labels), or one model twice without
            ``allow_duplicates``.
    """

    participants: tuple[Participant, ...] = Field(min_length=1, max_length=26)
    chair: Participant
    """The concluding seat: the chair of a council, the curator of a consensus, a synthesiser and the like."""
    chair_fallbacks: tuple[ModelId, ...] = ()
    """The models that conclude, in order, when the chair and its own fallbacks are lost for any reason."""
    allow_duplicates: bool = False
    """Let one model sit more than once, for example to measure how much it agrees with itself."""
    beside: tuple[Participant, ...] = ()
    """Who is asked without taking part: a debate's safety evaluator."""

    @model_validator(mode="after")
    def _each_model_once(self) -> Self:
        models = [model for p in self.participants for model in (p.model, *p.fallbacks)]
        twice = sorted({m for m in models if models.count(m) > 1})
        if twice and not self.allow_duplicates:
            raise ValueError(
                f"panel names {', '.join(map(repr, twice))} more than once; allow_duplicates permits it "
                "(--allow-duplicates)"
            )
        return self

    @model_validator(mode="after")
    def _names_one_seat_each(self) -> Self:
        labels = [seat.label for seat in self.everyone]
        twice = next((one for one in labels if labels.count(one) > 1), None)
        if twice is not None:
            raise ValueError(f"two seats are called {twice!r}; give one of them another name")
        if self.chair.fallbacks and self.chair_fallbacks:
            raise ValueError(
                f"the seat {self.chair_seat!r} has fallbacks in its models, and {', '.join(self.chair_fallbacks)} "
                "as fallbacks beside it; name them in one place"
            )
        return self

    @classmethod
    def of(
        cls,
        models: tuple[str | SeatTable, ...],
        chair: str | SeatTable,
        *,
        fallbacks: tuple[str | SeatTable, ...] = (),
        twice: bool = False,
        seats: tuple[str, ...] = (),
        chair_seat: str = CHAIR,
    ) -> Self:
        """Build a panel of ``models`` in the order given, as ``p1`` … ``pn`` or under the names in ``seats``.

        Raises:
            ValueError: there are not as many ``seats`` as models.
        """
        names = seats or tuple(f"p{n}" for n in range(1, len(models) + 1))
        return cls(
            participants=tuple(Participant.of(name, seat) for name, seat in zip(names, models, strict=True)),
            chair=Participant.of(chair_seat, chair),
            chair_fallbacks=tuple(route(names_of(one)[0]) for one in fallbacks),
            allow_duplicates=twice,
        )

    @property
    def chair_seat(self) -> ParticipantId:
        """The id of the chair: a consensus has a curator."""
        return self.chair.id

    @property
    def names(self) -> dict[ParticipantId, str]:
        """The names of the seats that have one."""
        return {seat.id: seat.name for seat in self.everyone if seat.name}

    @property
    def everyone(self) -> tuple[Participant, ...]:
        """Every seat with its model, the chair's last."""
        return (*self.participants, *self.beside, self.chair)

    @property
    def seats(self) -> tuple[ParticipantId, ...]:
        """Every seat by its name, the chair's last."""
        return tuple(seat.id for seat in self.everyone)

    @property
    def models(self) -> tuple[ModelId, ...]:
        """Every model of the panel, fallbacks too."""
        return (*(model for seat in self.everyone for model in (seat.model, *seat.fallbacks)), *self.chair_fallbacks)

    @property
    def is_rehearsal(self) -> bool:
        """Return whether scripted or recorded models are on the panel: their replies measure the software only."""
        return any(provider_of(model) in SCRIPTED for model in self.models)

    def at(self, seat: ParticipantId) -> Participant:
        """Return who sits at ``seat``.

        Raises:
            KeyError: the panel has no seat of that id.
        """
        return {one.id: one for one in self.everyone}[seat]

    def replaced(self, seat: ParticipantId, model: ModelId) -> Self:
        """Return the same panel with another model at ``seat``, under the same id and with the same settings."""
        before = self.at(seat)
        left = tuple(one for one in before.fallbacks if one != model)
        return self._with(before.model_copy(update={"model": model, "fallbacks": left}))

    def with_beside(self, seats: Iterable[Participant]) -> Self:
        """Return the same panel with additional ``seats``."""
        return self.model_copy(update={"beside": tuple(seats)})

    def _with(self, seat: Participant) -> Self:
        def changed(seats: tuple[Participant, ...]) -> tuple[Participant, ...]:
            return tuple(seat if one.id == seat.id else one for one in seats)

        (chair,) = changed((self.chair,))
        changes = {"participants": changed(self.participants), "beside": changed(self.beside), "chair": chair}
        return self.model_copy(update=changes)

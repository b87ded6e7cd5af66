"""Options of every protocol, and their conversion to a workflow's input.

The same names are the keywords of ``Parley``'s methods, the keys of a configuration file and the options of the command
line: an unknown key is an error here, and nowhere later. The options of single protocols are in the modules beside.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, get_args

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from parley import ids
from parley.attached import AttachedFile
from parley.errors import RequestError
from parley.options.budget import BudgetKeywords, BudgetOptions, PriceOf
from parley.options.instructions import InstructionKeywords, MaterialOptions
from parley.options.roles import RoleOptions, Seat, changed, explicit, rehearsed
from parley.options.written import Written, explain
from parley.panel_files import shipped_panels
from parley.questions import checked_question
from parley.turns import read_turns
from protocols.deliberation import DeliberationInput
from protocols.model_call import CallTimeouts, Effort, Sampling
from protocols.named_panel import DEFAULT, BadEntryError, PanelLibrary, UnfitPanelError, UnknownPanelError
from protocols.panel import FailureMode, Panel, name_of, route
from protocols.prompt_pack import PromptPack
from protocols.seeds import MOST_SEED
from protocols.time_spans import DAY, Seconds

if TYPE_CHECKING:  # a recording imports the HTTP client, which the help of a command does not need
    from parley.recordings import Recording

Rename = Callable[[Seat], Seat]
"""Returns a seat with its models: themselves, or the scripted models that replace them."""


class SharedKeywords(BudgetKeywords, InstructionKeywords, total=False):
    """The keywords of every protocol, described in ``Options``, without the system message."""

    panel: str | None
    failure_mode: FailureMode
    allow_duplicates: bool
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    reasoning_effort: Effort | None
    seed: int | None
    attach: str | Path | Sequence[str | Path | AttachedFile]
    web: bool
    clarify: bool
    schema: bool
    timeout: float | None
    patience: float | str | None
    id: str | None
    fresh: bool
    rehearse: bool
    playback: str | None


class UsualKeywords(SharedKeywords, total=False):
    """The keywords of every protocol that judges no prompt."""

    system: str | None


class Options(RoleOptions, BudgetOptions, MaterialOptions):
    """The options that every protocol takes: the docstring of a field is its help on the command line."""

    INPUT: ClassVar[type[DeliberationInput]]
    PROMPTS: ClassVar[PromptPack]
    """The prompts of the protocol."""
    USUAL: ClassVar[CallTimeouts] = CallTimeouts()
    """The timeouts of a call that no option changes."""

    panel: Annotated[str | None, Written("NAME")] = None
    """Panel that fills the roles no other option fills, by default the one called default; see parley panels list."""
    failure_mode: FailureMode = "resilient"
    """Whether a deliberation fails with a lost model (strict) or continues without it."""
    allow_duplicates: bool = False
    """Let one model have more than one seat."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Temperature of every call; by default the provider's."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Nucleus of every call; by default the provider's."""
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    """Longest answer in tokens, reasoning included; by default the provider's limit."""
    reasoning_effort: Effort | None = None
    """Effort of models that reason; by default the provider's."""
    seed: int | None = Field(default=None, ge=0, le=MOST_SEED)
    """Each call is sent a seed derived from this one; by default none."""
    clarify: bool = True
    """Ask once more when a reply cannot be read or was cut off by its length."""
    structured_output: bool = Field(default=True, alias="schema")
    """Send the JSON schema of a reply to models that take one."""
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Most seconds for one attempt of one call; by default no limit while an answer is being streamed."""
    patience: Annotated[Seconds | None, Written("TIME")] = Field(default=None, ge=0, le=30 * DAY)
    """Wait this long for a provider that is away: seconds, 90s, 15m, 2h; by default 15m, and 1d in a study."""
    id: str | None = None
    """Id of the deliberation; by default a new one made of the question."""
    fresh: bool = False
    """Start again under an id that was used, and pay again."""
    rehearse: bool = False
    """Ask scripted models in place of the real ones."""
    playback: Annotated[str | None, Written("FILE")] = None
    """Recording whose answers the scripted models give, and whose models are the default; by default none."""

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_wrong_switch(cls, value: Any, info: ValidationInfo) -> Any:
        kind = cls.model_fields[str(info.field_name)].annotation
        is_switch = bool in (kind, *get_args(kind))  # pydantic takes true for the number 1, and "yes" for true
        if value is not None and isinstance(value, bool) is not is_switch:
            raise ValueError("write true or false" if is_switch else "this is no switch; give a value, or leave it out")
        return value

    @model_validator(mode="after")
    def _played_in_rehearsal(self) -> Self:
        if self.playback is not None and not self.rehearse:
            raise ValueError("a recording is played by scripted models; add --rehearse (rehearse=True)")
        return self

    @classmethod
    def of(cls, given: Mapping[str, Any], panels: PanelLibrary | None = None) -> Self:
        """Return the options in ``given``, roles that it leaves out filled in from its panel.

        Where all who take part are named and no panel is, nothing is taken from the default panel: a chair that is
        not named is then the first of the models, and not a model of another provider.

        Args:
            given: Options by name.
            panels: Those that can be named; by default those that Parley brings.

        Raises:
            RequestError: a name is not known or a value cannot be used; the message names it.
        """
        try:
            library = panels or shipped_panels()
            roles = cls._roles(given, library)
            named = {name: value for name, value in given.items() if value is not None or name not in roles}
            return cls.model_validate({**roles, **named}).routed(library)
        except (UnknownPanelError, UnfitPanelError, BadEntryError) as error:
            raise RequestError(str(error)) from None
        except ValidationError as error:
            raise RequestError(cls._explained(error)) from None

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the options as a user writes them."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    def routed(self, panels: PanelLibrary) -> Self:
        """Return the options with a provider before each model that a list routes."""
        if not panels.served_by:
            return self
        return self.model_copy(update={role: explicit(getattr(self, role), panels) for role in self.roles()})

    @classmethod
    def _roles(cls, given: Mapping[str, Any], panels: PanelLibrary) -> dict[str, Any]:
        name = given.get("panel")
        if name is None and given.get("playback") is not None:
            recorded = _read_recording(str(given["playback"])).roles(cls.roles())
            return {**cls.seats_of(panels.panel(DEFAULT), given), **recorded}
        if name is None and all(given.get(role) is not None for role in cls.SEATED_BY):
            return {}
        return cls.seats_of(panels.panel(DEFAULT if name is None else str(name)), given)

    def seated(self) -> Panel:
        """Return who takes part, all of them scripted when this is a rehearsal.

        Raises:
            RequestError: a model's name cannot be routed, one sits twice, or there are none or too many.
        """
        try:
            return self._seated(self._rename)
        except ValidationError as error:
            raise RequestError(self._explained(error)) from None
        except ValueError as error:
            raise RequestError(str(error)) from None

    @property
    def recording(self) -> "Recording | None":
        """The recording that is played, read from its file."""
        if self.playback is None:
            return None
        recording = _read_recording(self.playback)
        recording.refuse_another_protocol(self.PROTOCOL)
        return recording

    @property
    def _rename(self) -> Rename:
        if self.playback is not None:
            return lambda seat: changed(seat, lambda model: f"recorded:{name_of(route(model))}")
        return (lambda seat: changed(seat, rehearsed)) if self.rehearse else (lambda seat: seat)

    def _seated(self, rename: Rename) -> Panel:
        """Return the panel, with every model renamed by ``rename``."""
        raise NotImplementedError

    def build_input(
        self,
        asked: Any,
        *,
        queues: Mapping[str, str],
        private: bool = False,
        salt: str = "",
        token_price: PriceOf = lambda _: None,
    ) -> Any:
        """Build the workflow's input; a field that an option has by the same name gets its value.

        Args:
            asked: The question; what a judgement is of, see ``JudgingOptions``.
            queues: Provider to task queue, from the catalogue.
            private: Keep the question out of the title, which is stored readable even when payloads are encrypted.
            salt: Set when answers that were paid for before must not be used again.
            token_price: The price list, for a limit in dollars.

        Raises:
            RequestError: the question is blank or is no text, or see ``seated`` and ``spending_cap``.
        """
        last, before, context = read_turns(asked)
        given = self._given(last, private=private) | {"queues": dict(queues), "salt": salt}
        given["earlier"] = tuple(self._given(one, private=private)["question"] for one in before)
        given["context_messages"] = context
        given["cap"] = self.spending_cap(given["panel"].models, token_price)
        same = {name: getattr(self, name) for name in self.INPUT.model_fields if name in type(self).model_fields}
        try:
            return self.INPUT.model_validate({**same, **given})
        except ValidationError as error:
            raise RequestError(self._explained(error)) from None

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        """Return the fields of the input that are not options of the same name."""
        return {
            "question": checked_question(asked),
            "title": "a private question" if private else ids.title_of(asked),
            "panel": self.seated(),
            "prompts": self.PROMPTS,
            "system": self.system or "",
            "attachments": tuple(file.ref for file in self.attach),
            "continues": None,
            "sampling": Sampling(**{name: getattr(self, name) for name in Sampling.model_fields}),
            "draws": None if self.recording is None else self.recording.draws_for(self.seated()),
            "patience": self._patience(self.USUAL),
        }

    def _patience(self, usual: CallTimeouts) -> CallTimeouts:
        away = usual.away if self.patience is None else self.patience
        if self.timeout is None:
            return usual.model_copy(update={"total": None, "away": away})
        longer = max(0.0, self.timeout - (usual.total or self.timeout))
        return CallTimeouts(
            total=self.timeout,
            away=away,
            first_token=min(usual.first_token + longer, self.timeout),
            between_chunks=min(usual.between_chunks + longer, self.timeout),
        )

    @classmethod
    def _explained(cls, error: ValidationError) -> str:
        return "\n".join(
            explain(dict(problem), cls.keys(), cls.PROTOCOL) for problem in error.errors(include_url=False)
        )


def _read_recording(path: str) -> "Recording":
    from parley.recordings import Recording  # noqa: PLC0415 - imports the HTTP client, which help does not need

    return Recording.read(path)

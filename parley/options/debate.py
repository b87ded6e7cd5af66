"""Options of a structured debate (seed 003): its seats and rounds, its prompts' budgets, and the user's material."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords
from parley.options.roles import (
    FALLBACKS,
    MODELS,
    UNDERIVED,
    GivenSeat,
    GivenSeats,
    MaybeSeat,
    Role,
    Seat,
    Seats,
    independent_seat,
)
from parley.options.written import Names, Written, split_names
from parley.questions import read_argument, read_document, read_named_document
from protocols import tokens
from protocols.constraints import quoted, sentence_of
from protocols.debate.model.context import LEAST_TOTAL, MOST_TOTAL, ContextBudget, Material, refuse_long_material
from protocols.debate.model.io import (
    DEFAULT_ROUNDS,
    FEWEST,
    MOST,
    MOST_ROUNDS,
    TOPIC_TOKENS,
    DebateInput,
    HighStakes,
    ModeName,
    TurnFormat,
    panel_of,
)
from protocols.debate.modes import MODES, PACK
from protocols.named_panel import NamedPanel
from protocols.panel import Panel
from protocols.time_spans import DAY, Seconds
from protocols.written_seat import as_reached, names_of

_FOCUS_LENGTH = 500
Component = Literal["state", "historical", "previous", "target", "total", "closing", "material", "facts"]
"""What has a budget of its own; each is explained at ``ContextBudget``."""


class ContextKeywords(UsualKeywords, total=False):
    """The keywords, described in ``ContextOptions``."""

    context_tokens: int | None
    context_budget: Mapping[Component, int]
    material: Sequence[str | Path | Material | Mapping[str, str]]


class ContextOptions(AnswerOptions):
    """The options of a debate's prompts."""

    context_tokens: int | None = Field(default=None, ge=LEAST_TOTAL, le=MOST_TOTAL)
    """Tokens of the debate that a debater is shown; every component is in proportion; by default 10,000."""
    context_budget: Annotated[dict[Component, Annotated[int, Field(gt=0)]], Written(is_offered=False)] = Field(
        default_factory=dict
    )
    """Tokens of single components, in place of those that follow from ``context_tokens``."""
    material: Annotated[tuple[Material, ...], Written("FILE", read_named_document)] = ()
    """Document that is registered as evidence before the first round, - is standard input; by default none."""

    @field_validator("material", mode="before")
    @classmethod
    def _documents(cls, given: Any) -> Any:
        listed = given if isinstance(given, list | tuple) else [given]
        return tuple(_document(one, number) for number, one in enumerate(listed, 1))

    @model_validator(mode="after")
    def _material_fits(self) -> Self:
        refuse_long_material(self.material, self.budget.material)
        return self

    @property
    def budget(self) -> ContextBudget:
        """The components that ``context_budget`` names, and the others in proportion to ``context_tokens``.

        Raises:
            ValueError: they do not fit together.
        """
        scaled = ContextBudget.scaled(self.context_tokens) if self.context_tokens else ContextBudget()
        try:
            return ContextBudget.model_validate(scaled.model_dump() | self.context_budget)
        except ValidationError as error:
            raise ValueError(_problem(error)) from None


def _closing(panel: NamedPanel) -> Seat:
    others = (*([panel.chair] if panel.chair else []), *panel.chair_fallbacks)
    seat = independent_seat(panel.models, others)
    named = panel.chair and names_of(panel.chair)[0] == names_of(seat)[0]
    return panel.chair if named and panel.chair else seat


_SYNTHESISER = Role(_closing)


class DebateKeywords(ContextKeywords, total=False):
    """The keywords of ``Parley.debate``, described in ``DebateOptions``."""

    mode: ModeName
    agents: GivenSeats
    synthesiser: GivenSeat | None
    synthesiser_fallbacks: tuple[str, ...] | list[str] | None
    evaluator: GivenSeat | None
    summariser: GivenSeat | None
    judge: GivenSeat | None
    max_rounds: int
    focus: tuple[str, ...] | list[str]
    high_stakes: tuple[HighStakes, ...] | list[HighStakes]
    vulnerable_audience: bool
    turn_format: TurnFormat
    reask: bool
    summaries: Literal["rule", "llm"]
    escalation_timeout: float | str
    answer: str | None


class DebateOptions(ContextOptions):
    """Options of a debate.

    Each turn has a position, labelled claims with citations, a confidence and a vote. The debate ends by consensus,
    when nothing moves any more, or after the last round. It waits for a user when an objection round failed, and
    before the synthesis of what is declared as high stakes: parley escalations lists the debates that wait.
    """

    PROTOCOL = "debate"
    SEATED_BY = ("agents",)
    INPUT = DebateInput
    PROMPTS = PACK

    mode: ModeName = "collaborative"
    """Mode of the debate."""
    agents: Annotated[Seats, MODELS] = Field(default=(), min_length=FEWEST, max_length=MOST)
    """Models that debate, in order: provider:model, or a bare id; by default the panel's."""
    synthesiser: Annotated[MaybeSeat, _SYNTHESISER] = None
    """Model that closes the debate; by default the panel's chair, or the last agent if that is the first's model."""
    synthesiser_fallbacks: Annotated[Names | None, FALLBACKS] = None
    """Models that close it when the synthesiser is lost, in order; by default the agents."""
    evaluator: Annotated[MaybeSeat, UNDERIVED] = None
    """Model that judges rounds for safety; by default one that does not debate, or not the first agent's."""
    summariser: Annotated[MaybeSeat, UNDERIVED] = None
    """Model that summarises a round when summaries is llm; by default the synthesiser."""
    judge: Annotated[MaybeSeat, UNDERIVED] = None
    """Model that decides in a mode with a judge; by default chosen like the evaluator."""
    max_rounds: int = Field(default=DEFAULT_ROUNDS, ge=1, le=MOST_ROUNDS)
    """Rounds; objection rounds come on top."""
    focus: Annotated[
        tuple[Annotated[str, Field(max_length=_FOCUS_LENGTH)], ...], Written("TEXT|@FILE", read_argument)
    ] = Field(default=(), max_length=MOST_ROUNDS)
    """Question for a round; repeated, for one after the other; by default none."""
    high_stakes: tuple[HighStakes, ...] = ()
    """Stakes that need a user's approval before the synthesis; by default none."""
    vulnerable_audience: bool = False
    """Call the safety evaluator from the first round on."""
    turn_format: TurnFormat = "full"
    """Content of a turn: lite asks small models for position, confidence, vote, three claims and references alone."""
    reask: bool = False
    """Ask a debater once more whose citations break the format."""
    summaries: Literal["rule", "llm"] = "rule"
    """Summarise a round by rule, or by a model."""
    escalation_timeout: Annotated[Seconds, Written("TIME")] = Field(default=DAY, gt=0, le=365 * DAY)
    """Wait this long for a user: seconds, 90s, 15m, 2h or 1d."""

    @field_validator("high_stakes", mode="before")
    @classmethod
    def _each_once(cls, given: Any) -> Any:
        """Correct the spelling ``medical-legal``, and remove duplicates."""
        listed = split_names(given)
        if not isinstance(listed, list | tuple):
            return listed
        return tuple(dict.fromkeys(one.replace("-", "_") if isinstance(one, str) else one for one in listed))

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        given = super()._given(asked, private=private)
        refuse_long(given["question"])
        return given | {"context_budget": self.budget, "focus_questions": self.focus}

    def _seated(self, rename: Rename) -> Panel:
        agents = tuple(map(rename, self.agents))
        others = tuple(map(rename, self.synthesiser_fallbacks or ()))
        synthesiser = independent_seat(agents, others) if self.synthesiser is None else rename(self.synthesiser)
        independent = independent_seat(agents, (*([synthesiser] if synthesiser else []), *others))
        return panel_of(
            agents,
            synthesiser,
            evaluator=independent if self.evaluator is None else rename(self.evaluator),
            summariser=rename(self._summariser) if self._summariser is not None else as_reached(synthesiser),
            judge=rename(self._judge) if self._judge is not None else independent,
            fallbacks=self._fallbacks(agents, synthesiser, rename),
            twice=self.allow_duplicates,
        )

    @property
    def _summariser(self) -> Seat | None:
        """Return the summariser's model if a model summarises rounds, because an unused one must need no key."""
        return self.summariser if self.summaries == "llm" else None

    @property
    def _judge(self) -> Seat | None:
        """Return the judge's model; ``None`` in a mode without a judge, so that it needs no key there."""
        return self.judge if MODES[self.mode].is_judged else None

    def _fallbacks(self, agents: tuple[Seat, ...], synthesiser: Seat, rename: Rename) -> tuple[Seat, ...]:
        first, *own = names_of(synthesiser)
        usual = () if own else tuple(names_of(agent)[0] for agent in agents)
        named = usual if self.synthesiser_fallbacks is None else tuple(map(rename, self.synthesiser_fallbacks))
        return tuple(dict.fromkeys(name for name in named if name != first))


def refuse_long(topic: str) -> None:
    """Refuse a topic beyond its share of the prompt's budget, because every call contains it (section 7.5).

    Raises:
        RequestError: it is longer than that.
    """
    long = tokens.count(topic)
    if long > TOPIC_TOKENS:
        raise RequestError(
            f"the topic has about {long:,} tokens, and a debate takes at most {TOPIC_TOKENS:,}, because every call "
            "contains it. State the topic in fewer words, and give the text itself with --material FILE"
        )


def _document(given: Any, number: int) -> Any:
    match given:
        case Path():
            return read_document(str(given))
        case str() if given.startswith("@") and len(given.split()) == 1:
            raise ValueError(f"{given!r} names a file; give pathlib.Path({given[1:]!r}), or the text itself")
        case str():
            return {"name": f"material {number}", "text": given}
        case Mapping() if unknown := next((key for key in given if key not in Material.model_fields), None):
            raise ValueError(f"{quoted(unknown)} is no part of a document, which has 'name' and 'text'")
        case _:
            return given


def _problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(map(str, problem["loc"]))
    message = sentence_of(dict(problem))
    return f"context_budget.{where} is {problem['input']}: {message}" if where else f"context_budget: {message}"

"""The specification of a protocol: everything that the rest of the program must know about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, Generic, NotRequired, TypedDict, TypeVar, cast

from parley.call_plans import (
    NOTHING,
    CallSizes,
    PlannedCalls,
    Range,
    contexts,
    independent_calls,
    with_context,
    with_files,
    with_instructions,
    with_searches,
)
from parley.errors import RequestError
from parley.options.ask import Options
from parley.options.budget import PriceOf
from protocols.attachments import attached_tokens
from protocols.constraints import quoted
from protocols.cost_text import in_dollars, limit
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.model_call import ModelCall, ParticipantId, Sampling
from protocols.panel import Panel
from protocols.plurals import counted
from protocols.spending_cap import CapUse, SpendingCap, total
from protocols.tables import ResultView
from workflows.by_protocol import class_of, wire_name

Input = TypeVar("Input", bound=DeliberationInput)
Result = TypeVar("Result", bound=DeliberationResult)
Chosen = TypeVar("Chosen", bound=Options)
Asked = Mapping[str, Any]
"""What is asked, by the keys that ``ProtocolSpec.question_keys`` lists."""


class Means(TypedDict):
    """The parts of an input besides options and question."""

    queues: Mapping[str, str]
    """Provider to task queue."""
    private: bool
    """Whether the question must be kept out of the title, which is stored readable."""
    salt: str
    """Set when answers that were paid for before must not be used again."""
    token_price: NotRequired[PriceOf]
    """The price list, for a limit in dollars; without it no price is known."""


@dataclass(frozen=True, kw_only=True)
class ProtocolSpec(Generic[Input, Result, Chosen]):
    """One protocol."""

    options: type[Chosen]
    """What a user can choose, and the name and the input of the protocol."""
    result: type[Result]
    view: Callable[[Result], ResultView]
    """Return what the terminal and the report show of a result."""
    describe: Callable[[Input], str]
    """Return what was chosen that only this protocol has, in one line for the Web UI."""
    unused_seats: Callable[[Input], tuple[ParticipantId, ...]] = lambda _: ()
    """Return the seats of the panel that are not asked."""
    blind_seats: tuple[ParticipantId, ...] = ()
    """The seats that are not shown the attached files."""
    size: Callable[[Input], str] = lambda inp: counted(len(inp.panel.participants), "seat")
    """Return how large the deliberation is, for its line in the Web UI."""
    question_keys: tuple[str, ...] = ("question",)
    """The keys of the question; ``question`` is accepted in place of the last of them."""

    own_calls: Callable[[Chosen, CallSizes], list[PlannedCalls]] = lambda _, sizes: independent_calls(sizes)
    """Return the calls of ``plan`` without the instructions in them, by default one of each participant."""
    assumptions: str = "Answers are taken to be short: models that reason at length, and calls tried again, cost more."
    """What an estimate takes for granted, in words."""
    first_calls: Callable[[Input], Sequence[ModelCall]] | None = None
    """Return the calls that are made first, as they are shown before anything is spent."""
    is_divisible: bool = False
    """Whether a budget that is too small for all first calls makes as many of them as fit."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Further names of the protocol in a study, and the options that each of them sets."""
    study_options: Mapping[str, Any] = field(default_factory=dict)
    """Options that have another default in a study."""
    may_refuse_rows: bool = False
    """Whether a question that other protocols take can be refused, so that each row is tried before a study starts."""
    stages: tuple[str, ...] = ()
    """Its stages, where a branch counts them as rounds."""
    names_rounds: bool = True
    """Whether prompts name the number of rounds, so that more rounds change what is asked in those before."""
    has_rounds: bool = False
    """Whether another deliberation can branch off from one of its rounds."""

    @property
    def name(self) -> str:
        """Its name everywhere: command, study file, result, column and ids."""
        return self.options.PROTOCOL

    @property
    def input(self) -> type[Input]:
        """The argument of the workflow."""
        return cast("type[Input]", self.options.INPUT)

    def to_input(self, options: Chosen, asked: Asked, means: Means) -> Input:
        """Make the argument of the workflow, see ``Options.build_input``.

        Raises:
            RequestError: it cannot be asked like that, or its budget ends it before its first calls.
        """
        if (unknown := next((key for key in asked if key not in self.question_keys), None)) is not None:
            known = ", ".join(self.question_keys)
            raise RequestError(f"{quoted(unknown)} is no part of what a {self.name} is asked; known are {known}")
        inp: Input = options.build_input(asked if self.judges else asked.get(self.question_keys[-1]), **means)
        self.refuse_small_budget(inp)
        return inp

    def refuse_small_budget(self, inp: Input) -> None:
        """Refuse ``inp`` if its budget ends it before its first stage; of several turns the first counts.

        Raises:
            RequestError: the budget is too small; names it, the cost of the stage and the remedy.
        """
        if inp.cap is None or self.first_calls is None:
            return
        cap, first = inp.cap, inp.on_turn(1, inp.earlier[0]) if inp.earlier else inp
        wanted = [cap.most(cap.bounded(call)) for call in self.first_calls(first)]
        if self.is_divisible:
            wanted = [min(wanted, key=lambda one: (one.usd, one.tokens))]
        if not cap.fits(total(wanted)):
            raise RequestError(_too_small(cap, total(wanted), counted(len(wanted), "call")))

    def plan(self, options: Chosen, panel: Panel, prompt: Range | None, before: Range = NOTHING) -> list[PlannedCalls]:
        """Return the calls that may be made on a question of so many tokens, with instructions, files and searches.

        ``before`` are the tokens of the conversation before the question.
        """
        sizes = _sizes(options, panel, prompt)
        texts = [text for example in options.examples for text in (example.user, example.assistant)]
        calls = with_instructions(self.own_calls(options, sizes), options.system or "", texts)
        calls = with_context(with_files(calls, attached_tokens(file.ref for file in options.attach)), before)
        return with_searches(calls, panel, is_on=options.web)

    def plan_turns(
        self, options: Chosen, panel: Panel, turns: Sequence[Range], before: Range = NOTHING
    ) -> list[PlannedCalls]:
        """Return the calls on a question of several turns, each with the turns before it as its context."""
        verdict = _sizes(options, panel, None).verdict
        asked = zip(turns, contexts(turns, verdict, before), strict=True)
        return [call for turn, context in asked for call in self.plan(options, panel, turn, context)]

    def without_files(self, inp: Input) -> frozenset[ParticipantId]:
        """Return the seats of ``inp`` without the attached files: the blind ones, and those without any call."""
        return frozenset((*self.blind_seats, *self.unused_seats(inp)))

    @property
    def judges(self) -> bool:
        """Return whether the protocol judges the layers of a prompt."""
        return "user" in self.question_keys

    @property
    def workflow_type(self) -> str:
        """The name of the workflow on the wire."""
        return wire_name(self.name)

    @cached_property
    def workflow(self) -> type[Any]:
        """The workflow class; importing it imports Temporal's SDK."""
        return class_of(self.name)


AnySpec = ProtocolSpec[Any, Any, Any]


def _sizes(options: Options, panel: Panel, prompt: Range | None) -> CallSizes:
    sampling = Sampling(max_tokens=options.max_tokens, reasoning_effort=options.reasoning_effort)
    return CallSizes(panel, prompt, sampling)


def _too_small(cap: SpendingCap, needed: CapUse, calls: str) -> str:
    if not cap.model_copy(update={"tokens": None}).fits(needed):
        given, most = limit(cap.usd or 0), f"cost up to {in_dollars(needed.usd)}"
        option = f"--budget-usd {ceil(needed.usd * 100) / 100:.2f}"
    else:
        given, most = counted(cap.tokens or 0, "token"), f"take up to {needed.tokens:,} tokens"
        option = f"--budget-tokens {needed.tokens}"
    return (
        f"the budget of {given} is too small to begin: the first stage ({calls}) may {most}; raise it ({option} at the "
        "least; what all of it may take: parley estimate), or shorten the replies (--max-tokens)"
    )

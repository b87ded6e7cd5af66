"""Follow-ups: a deliberation with the question and the verdict of an earlier one as its context.

The input of the earlier one is read from the history of its first run, its result from the server, so no worker is
needed. Panel and options are the same unless the follow-up names others; in another protocol the panel's models and the
options of every protocol hold.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from temporalio.client import Client, WorkflowExecutionStatus

from parley import workflow_rpc
from parley.deliberations import Deliberation
from parley.errors import DeliberationFailedError, RequestError
from parley.histories import all_events, input_of
from parley.ids import looked_up_id
from parley.options.ask import Options
from parley.results import view_of
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.final_answer_prompt import requests_answer
from protocols.instructions import ContextKind, Continued, shorten
from protocols.model_call import Message, ParticipantId, Sampling
from protocols.named_panel import NamedPanel, UnfitPanelError
from protocols.panel import Panel
from protocols.plurals import counted
from protocols.spending_cap import SpendingCap

_NOT_KEPT = {"panel", "patience", "prompts", "continues", "context", "attack_id", "layer", "answer", "context_budget"}


class Earlier(NamedTuple):
    """A deliberation that is continued."""

    id: str
    asked: DeliberationInput
    options: Mapping[str, Any]
    """Its other options, as far as the follow-up's protocol has them."""
    roles: Mapping[str, Any]
    """The options that name its seats, each with its settings and fallbacks."""
    answers: Mapping[ContextKind, str]
    context: tuple[Message, ...]
    """The conversation before its question."""

    def options_with(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a follow-up with options of its ``own``: a panel or a recording replaces all seats."""
        is_seated_anew = any(own.get(name) is not None for name in ("panel", "playback"))
        return {**self.options, **({} if is_seated_anew else self.roles), **own}

    def continued(self, inp: DeliberationInput, context: ContextKind, *, is_timed: bool) -> DeliberationInput:
        """Return ``inp`` with the conversation so far, and the settings and time limits that no option replaces.

        ``is_timed`` is true where its time limits are its own.
        """
        said = (
            *self.context,
            Message(role="user", content=self.asked.question),
            Message(role="assistant", content=self.answers[context]),
        )
        conversation, left_out = shorten(said)
        link = Continued(of=self.id, context=context, left_out=left_out)
        files = inp.attachments or self.asked.attachments
        known: dict[str, Any] = {"attachments": files}
        if inp.prompts.protocol == self.asked.prompts.protocol and not is_timed:
            known["patience"] = self.asked.patience
        if inp.prompts.version == self.asked.prompts.version and inp.prompts.protocol == self.asked.prompts.protocol:
            known["prompts"] = self.asked.prompts
        return inp.model_copy(update={"context_messages": conversation, "continues": link, **known})


def is_timed(options: Mapping[str, Any]) -> bool:
    """Return whether ``options`` have a time limit of their own."""
    return any(options.get(name) is not None for name in ("timeout", "patience", "timeout_per_round"))


async def read_earlier(client: Client, deliberation_id: str, spec: AnySpec) -> Earlier:
    """Return the deliberation that one of ``spec`` continues.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
        RequestError: it still runs, it has no verdict, or its panel does not fit.
    """
    handle = client.get_workflow_handle(looked_up_id(deliberation_id))
    described = await workflow_rpc.described(handle)
    old = PROTOCOLS.of_workflow(described.workflow_type)
    if described.status is WorkflowExecutionStatus.RUNNING:
        raise RequestError(f"{deliberation_id} still runs; wait for its verdict: parley watch {deliberation_id}")
    result = await _result(Deliberation(client, client.get_workflow_handle(deliberation_id, result_type=old.result)))
    asked = await input_of(client, all_events(client, deliberation_id), old.input)
    verdict = result.verdict or ""
    answers: dict[ContextKind, str] = {"verdict": verdict, "transcript": _transcript(result, verdict)}
    options, roles = _options(asked, old, spec), _roles(asked.panel, old, spec)
    return Earlier(deliberation_id, asked, options, roles, answers, result.context_messages)


async def _result(deliberation: Deliberation[DeliberationResult]) -> DeliberationResult:
    nothing = f"{deliberation.id} ended without a verdict, so there is nothing to continue; ask its question again"
    try:
        result = await deliberation.result()
    except DeliberationFailedError:
        raise RequestError(nothing) from None
    if result.verdict is None:
        raise RequestError(nothing)
    return result


def _transcript(result: DeliberationResult, verdict: str) -> str:
    said = [f"### {one.who} · {one.where}\n\n{one.text}" for one in view_of(result).utterances]
    return "\n\n".join((*said, f"### Verdict\n\n{verdict}"))


def _options(asked: DeliberationInput, old: AnySpec, new: AnySpec) -> dict[str, Any]:
    """Return the options that lead to ``asked``: in another protocol those of every protocol."""
    fields = new.options.model_fields if old.name == new.name else Options.model_fields
    same = {name: getattr(asked, name) for name in fields if name in type(asked).model_fields}
    return {
        **{name: value for name, value in same.items() if name not in _NOT_KEPT},
        **(_renamed(asked) if old.name == new.name else {}),
        **{name: getattr(asked.sampling, name) for name in Sampling.model_fields},
        "system": asked.system or None,
        "examples": asked.examples,
        "rehearse": asked.panel.is_rehearsal,
        "allow_duplicates": asked.panel.allow_duplicates,
        **_limits(asked.cap),
    }


def _limits(cap: SpendingCap | None) -> dict[str, Any]:
    if cap is None:
        return {}
    limits = {"budget_usd": cap.usd, "budget_tokens": cap.tokens, "assume_price": cap.assumed}
    return {**limits, "on_budget": cap.on_budget}


def _renamed(asked: DeliberationInput) -> dict[str, Any]:
    """Return the options with another name or form in the input."""
    found: dict[str, Any] = {}
    if asked.answer is not None and requests_answer(asked.question, asked.answer):
        found["answer"] = asked.answer.written
    if hasattr(asked, "focus_questions"):
        found["focus"] = asked.focus_questions
    if hasattr(asked, "context_budget"):
        found["context_budget"] = asked.context_budget.model_dump()
    return found


def _roles(panel: Panel, old: AnySpec, new: AnySpec) -> dict[str, Any]:
    """Return the options of ``new`` that name models, from a panel of ``old``.

    Raises:
        RequestError: the panel has another number of models than the protocol.
    """
    models, seats = tuple(one.written for one in panel.participants), {one.id: one.written for one in panel.everyone}
    if old.name != new.name:
        try:
            return dict(new.options.seats_of(NamedPanel(models=models, chair=panel.chair.written)))
        except UnfitPanelError:
            raise RequestError(
                f"the panel has {counted(len(models), 'model')}, and a {new.name} needs another number; name its models"
            ) from None
    found: dict[str, Any] = {}
    for name, role in new.options.roles().items():
        if name.endswith("_fallbacks"):
            found[name] = panel.chair_fallbacks
        elif role.has_several:
            found[name] = models
        elif name in seats:
            found[name] = seats[ParticipantId(name)]
    return found

"""What stands beside a deliberation from its first moment: list columns, summary, details, and a print of its input."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from pydantic import JsonValue
from temporalio.common import SearchAttributePair, TypedSearchAttributes

from protocols.consensus.model import ConsensusInput
from protocols.council.model import CouncilInput
from protocols.debate.model.budget import ContextBudget
from protocols.debate.model.io import JUDGE, SUMMARISER, DebateInput
from protocols.debate.modes.table import MODES
from protocols.fire_circle.modes import EvaluateInput, FireCircleInput
from protocols.mixture.model import MixtureInput
from protocols.model_call import ParticipantId
from protocols.panel import name_of
from protocols.vote.model import VoteInput
from workflows import search_attributes
from workflows.web_ui_details import block, prose, table

AnyInput = CouncilInput | ConsensusInput | FireCircleInput | EvaluateInput | DebateInput | VoteInput | MixtureInput
"""What a deliberation starts with, whatever its protocol; the prompt pack names the protocol."""

_SUMMARY_LENGTH = 200
_FINGERPRINT = 16


def initial_attributes(inp: AnyInput) -> TypedSearchAttributes:
    """The columns that are known before anybody was asked."""
    pairs: list[SearchAttributePair[Any]] = [
        SearchAttributePair(
            search_attributes.PROTOCOL, "evaluate" if isinstance(inp, EvaluateInput) else inp.prompts.protocol
        ),
        SearchAttributePair(search_attributes.STAGE, "ready"),
        SearchAttributePair(search_attributes.TITLE, inp.title),
        SearchAttributePair(search_attributes.PARTICIPANTS, len(inp.panel.participants)),
        SearchAttributePair(search_attributes.MODELS, sorted({name_of(p.model) for p in inp.panel.participants})),
        SearchAttributePair(search_attributes.REHEARSAL, inp.panel.is_rehearsal),
    ]
    if inp.batch_id is not None:
        pairs.append(SearchAttributePair(search_attributes.BATCH_ID, inp.batch_id))
    return TypedSearchAttributes(pairs)


def by_name(attributes: TypedSearchAttributes) -> dict[str, JsonValue]:
    """Return list columns by name, for a run that writes its own."""
    return {pair.key.name: pair.value for pair in attributes}


def summary(inp: AnyInput) -> str:
    """One line for the Web UI."""
    rehearsal = "Rehearsal · " if inp.panel.is_rehearsal else ""
    protocol = "Evaluation" if isinstance(inp, EvaluateInput) else inp.prompts.protocol.replace("_", " ").capitalize()
    return f"{rehearsal}{protocol} · {_size(inp)} · {inp.title}"[:_SUMMARY_LENGTH]


def details(inp: AnyInput) -> str:
    """The question and the panel as Markdown; what the person wrote stands in a block that it cannot leave."""
    panel = block(table(_seats(inp)))
    return "\n\n".join(["### Question", prose(inp.question), "### Panel", panel, _manner(inp)])


def memo(inp: AnyInput) -> dict[str, Any]:
    """A fingerprint of everything that was asked, by which a repeated request is told from another one."""
    asked = inp.model_dump_json(exclude={"queues", "salt"})
    return {"input": sha256(asked.encode()).hexdigest()[:_FINGERPRINT]}


def _size(inp: AnyInput) -> str:
    return f"{inp.votes} votes" if isinstance(inp, VoteInput) else f"{len(inp.panel.participants)} seats"


def _seats(inp: AnyInput) -> list[tuple[str, str]]:
    panel, idle = inp.panel, _not_asked(inp)
    seats = [(seat, name_of(panel.model_of(seat))) for seat in panel.seats if seat not in idle]
    return [*seats, *(("", f"then {name_of(model)}") for model in panel.chair_fallbacks)]


def _not_asked(inp: AnyInput) -> tuple[ParticipantId, ...]:
    """Seats that nobody will ask."""
    match inp:
        case FireCircleInput():
            return () if inp.pattern_classification == "llm" else (inp.panel.chair_seat,)
        case EvaluateInput() | VoteInput():
            return (inp.panel.chair_seat,)
        case DebateInput():
            is_judged = MODES[inp.mode].is_judged
            return (*(() if inp.summaries == "llm" else (SUMMARISER,)), *(() if is_judged else (JUDGE,)))
        case CouncilInput() | ConsensusInput() | MixtureInput():
            return ()


def _manner(inp: AnyInput) -> str:
    own = _MANNERS[inp.prompts.protocol](inp)
    return f"Mode {inp.failure_mode}, {own}, prompts {inp.prompts.version}@{inp.prompts.fingerprint}"


def _council(inp: CouncilInput) -> str:
    return "without review" if inp.final_only else "with review"


def _consensus(inp: ConsensusInput) -> str:
    said = [
        f"at most {inp.max_rounds} rounds",
        f"majority after {inp.majority_after}" if inp.majority_after else "",
        f"deadlock after {inp.deadlock_after}" if inp.deadlock_after else "",
        "corrections carried on" if inp.carry_corrections else "",
    ]
    return ", ".join(filter(None, said))


def _judging(inp: FireCircleInput | EvaluateInput) -> str:
    layer = f"layer {inp.layer}" + (f", turn {inp.session.turn}" if inp.session else "")
    layer += f", flagged from F {inp.threshold:g} on"
    if isinstance(inp, EvaluateInput):
        return f"{inp.mode}, {layer}"
    chair = "empty chair rotating" if inp.empty_chair_rotation else "no empty chair"
    return f"at most {inp.max_rounds} rounds, {chair}, {layer}"


def _debate(inp: DebateInput) -> str:
    said = [
        inp.mode,
        f"at most {inp.max_rounds} rounds",
        f"high stakes ({', '.join(inp.high_stakes)})" if inp.high_stakes else "",
        "vulnerable audience" if inp.vulnerable_audience else "",
        "short turns" if inp.turn_format == "lite" else "",
        "asks again" if inp.reask else "",
        f"{inp.context.total:,} context tokens" if inp.context != ContextBudget() else "",
        f"material: {', '.join(one.name for one in inp.material)}" if inp.material else "",
        "summaries by a model" if inp.summaries == "llm" else "",
    ]
    return ", ".join(filter(None, said))


def _vote(inp: VoteInput) -> str:
    return f"{inp.samples} sample{'s' if inp.samples > 1 else ''} of each model, {_answer(inp)}"


def _answer(inp: VoteInput | MixtureInput) -> str:
    form = inp.answer
    return f"answer {form.kind.replace('_', ' ')}" + (f" ({', '.join(form.choices)})" if form.choices else "")


def _mixture(inp: MixtureInput) -> str:
    return f"{inp.layers} layers of proposers, {_answer(inp)}"


_MANNERS: Mapping[str, Callable[[Any], str]] = {
    "council": _council,
    "consensus": _consensus,
    "fire_circle": _judging,
    "debate": _debate,
    "vote": _vote,
    "mixture": _mixture,
}
"""By protocol: what was asked for that only this protocol knows."""

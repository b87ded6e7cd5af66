"""The system message of a debater, and what closes its user message (seed 003, sections 1 and 3.5).

Part, team and anchor follow from the place in the panel, which never changes. They come from the run's own
pack, like the wording: a deploy changes nothing for a debate that is under way.
"""

from collections.abc import Sequence

from protocols.debate.model.context import INSTRUCTIONS_MOST, MOST_CLAIMS, MOST_REFERENCES
from protocols.debate.model.io import DebateInput
from protocols.debate.model.turn import AgentResponse
from protocols.debate.modes import Anchor, Mode, Part
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.model_call import ParticipantId
from protocols.prompt_pack import PromptPack
from protocols.tokens import clip, count

UNIVERSAL = 7
"""Questions that every mode asks (decision 6)."""

FOCUS_TOKENS = 90
"""Of a focus question in the metadata."""


def system(table: DebateView, seat: ParticipantId, on: RoundContext) -> str:
    """Return the system prompt of ``seat``: role, contract, format of a turn, and checklist."""
    inp = table.inp
    pack, mode, place = inp.prompts, table.mode, inp.position(seat)
    part = mode.part(place)
    return "\n".join(
        (
            pack.fill("base", {"name": table.names[seat], "debaters": str(len(inp.seats))}),
            pack.fill("role_anchor", {"identity": part.identity, "mission": part.mission, "helping": part.helping}),
            _contract(pack, mode, part, table.course.last_turn(seat)),
            _structure(inp, part, mode.anchor(place), on) + _length(inp),
            _verification(table, mode, on),
            _metadata(table, mode, on),
        )
    )


def instructions(table: DebateView, seat: ParticipantId, on: RoundContext, nonce: str) -> str:
    """Return the end of the user message (section 3.5, "Instructions"); the focus question may be cut."""
    slots = {"name": table.names[seat], "round": str(on.round), "rounds": str(rounds(table, on)), "nonce": nonce}
    plain = table.inp.prompts.fill("instructions", {**slots, "focus": ""})
    space = INSTRUCTIONS_MOST - count(plain) - count(table.inp.prompts.fill("focus", {"question": ""})) - 1
    if not (cut := clip(focus(table, on), space)):
        return plain
    return table.inp.prompts.fill(
        "instructions", {**slots, "focus": table.inp.prompts.fill("focus", {"question": cut})}
    )


def focus(table: DebateView, on: RoundContext) -> str:
    """Return the focus question of the round on one line; empty when it has none."""
    asked = table.course.focus
    return " ".join(asked[on.round - 1].split()) if on.round <= len(asked) else ""


def rounds(table: DebateView, on: RoundContext) -> int:
    """Return the number of planned rounds: the limit of ordinary rounds, and all objection rounds so far."""
    completed = [(done.number, done.kind) for done in table.course.rounds if done.number < on.round]
    objections = [kind for _, kind in (*completed, (on.round, on.kind)) if kind == "objection"]
    return max(on.round, table.course.limit + len(objections))


def _contract(pack: PromptPack, mode: Mode, part: Part, last: AgentResponse | None) -> str:
    return pack.fill(
        "contract",
        {
            "must": _lines("[ ]", part.must),
            "must_not": _lines("[X]", part.must_not),
            "priorities": "\n".join(f"{number}. {one}" for number, one in enumerate(part.priorities, 1)),
            "failure": part.failure,
            "epistemic": pack.fill("epistemic", {}),
            "safety": _safety(pack, mode, part, last),
        },
    )


def _safety(pack: PromptPack, mode: Mode, part: Part, last: AgentResponse | None) -> str:
    """Return the mode's safety constraints, and the rule under which the debater's last turn was withheld."""
    rule = pack.fill(f"safety_{part.team}", {}) if part.team else ""
    constraints = pack.fill("safety_constraints", {"rule": rule}) if mode.is_constrained else ""
    if not last or not last.withheld:
        return constraints
    broken = pack.fill(f"withheld_{last.withheld_for or 'other'}", {})
    return constraints + pack.fill("withheld_turn", {"round": str(last.round), "rule": broken})


def _structure(inp: DebateInput, part: Part, anchor: Anchor, on: RoundContext) -> str:
    pack, is_first = inp.prompts, on.round == 1
    sections = part.first if is_first else part.later
    slots = {
        "anti_conformity": pack.fill("anti_conformity", {"anchor": anchor}),
        "objection": pack.fill("objection", {}) if on.kind == "objection" else "",
        "turn_format": _turn_format(inp, part, sections[0].name),
    }
    if inp.turn_format == "lite":
        return pack.fill("lite_structure", slots)
    return pack.fill(
        "structure",
        {
            "when": "IN ROUND 1" if is_first else "AFTER ROUND 1",
            "sections": "\n".join(f"{section.name}: {section.about}" for section in sections),
            **slots,
        },
    )


def _turn_format(inp: DebateInput, part: Part, header: str) -> str:
    """Return the fields of a turn with an example of the mode; without an assigned stance with its side."""
    pack, is_lite = inp.prompts, inp.turn_format == "lite"
    own = pack.fill("own_stance", {"stance": part.stance}) if part.stance else pack.fill("own_alignment", {})
    given = f'"stance": "{part.stance}",' if part.stance else '"debate_alignment": "for",'
    answer = pack.fill("own_answer", {}) if inp.answer else ""
    if is_lite:
        own, given = (f"{own}\n", f" {given}") if part.stance else ("", "")
        own += f"{answer}\n" if answer else ""
        return pack.fill("lite_format", {"own": own, "example": pack.fill("lite_example", {"own": given})})
    # A run keeps its pack, and one of an older version has no such template.
    example = pack.fill("example", {"own": given, "header": header}) if "example" in pack.templates else ""
    return pack.fill("turn_format", {"own": "\n".join(filter(None, (own, answer))), "example": example})


def _length(inp: DebateInput) -> str:
    # A run keeps its pack, and one of an older version has no such template.
    if inp.turn_format == "lite" or "length" not in inp.prompts.templates:
        return ""
    most = {"words": inp.context_budget.words(len(inp.seats)), "claims": MOST_CLAIMS, "references": MOST_REFERENCES}
    return inp.prompts.fill("length", {name: str(number) for name, number in most.items()})


def _verification(table: DebateView, mode: Mode, on: RoundContext) -> str:
    inp, pack = table.inp, table.inp.prompts
    asked = [f"[] {number}. {one}\n" for number, one in enumerate(mode.questions, UNIVERSAL + 1)]
    if inp.high_stakes:
        declared = ", ".join(pack.fill(f"stakes_{one}", {}) for one in dict.fromkeys(inp.high_stakes))
        number = str(UNIVERSAL + len(asked) + 1)
        asked.append(pack.fill("high_stakes", {"number": number, "categories": declared}))
    criteria = pack.fill("exit_criteria", {"cap": str(table.course.limit)})
    rule = pack.fill("focus_rule", {}) if focus(table, on) else ""
    return pack.fill("verification", {"questions": "".join(asked), "focus_rule": rule, "exit_criteria": criteria})


def _metadata(table: DebateView, mode: Mode, on: RoundContext) -> str:
    return table.inp.prompts.fill(
        "metadata",
        {
            "topic": table.inp.question,
            "mode": mode.title,
            "round": str(on.round),
            "rounds": str(rounds(table, on)),
            "focus": clip(focus(table, on), FOCUS_TOKENS) or "none",
        },
    )


def _lines(mark: str, points: Sequence[str]) -> str:
    return "\n".join(f"{mark} {point}" for point in points)

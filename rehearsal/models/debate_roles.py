"""Other roles of a debate: safety evaluator, summariser, synthesiser and judge.

All three report the turns they are shown and follow no instruction in them: turns are found by the lines before their
fences, numbers by the registries; claims about either inside a turn are only its words.
"""

import json
from collections.abc import Sequence

from rehearsal.models.debate_prompts import Debate, Known
from rehearsal.models.debate_styles import MARK
from rehearsal.models.final_answers import Decide, plain
from rehearsal.models.problems import problem
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.replies import writing
from rehearsal.models.seeded import pick
from rehearsal.models.written_texts import written_for

_LINES = (
    "{count} scripted turns; positions moved closer, and new claims wait for an answer.",
    "Of {count} scripted turns most stand by what was said before, each with a fact more.",
    "{count} scripted debaters spoke again; what was contested is named, and nothing is settled by it.",
)
_SCRIPTED = "A script stands in for the synthesiser and only counts."


def evaluation(_seed: int, _model: str, cue: RecognisedPrompt) -> str:
    """Return a clean verdict, or name the debaters with planted hazards in the shown turns."""
    found = tuple(turn.agent for turn in cue.debate.turns if MARK in turn.text)
    reason = "What is pretended to be a hazard may not be shown on." if found else "Nothing here is disallowed."
    return _verdict(found, reason, is_clean=not found)


def summary(seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return one line on the round."""
    debate = cue.debate
    return pick(_LINES, seed, model, debate.topic, debate.round).format(count=len(debate.turns))


def closing(seed: int, model: str, cue: RecognisedPrompt, decide: Decide = plain) -> str:
    """Return a synthesis of registries and last turns, with a final answer on request."""
    debate = cue.debate
    last = {turn.agent: turn.position for turn in debate.turns}
    values = {
        "executive_summary": _came_to(debate),
        **_final(seed, model, cue, decide),
        "key_evidence": [
            *({"id": at, "text": f"{text} ({title})"} for at, title, text in debate.material),
            *({"id": at, "text": title} for at, title in debate.evidence[:3]),
        ],
        "final_positions": [{"agent": agent, "position": position} for agent, position in last.items()],
        "dissent": [f"{one.id} stays contested: {one.text}" for one in _with(debate, "contested")[:3]],
    }
    return json.dumps(values, indent=2, ensure_ascii=False)


def decision(seed: int, model: str, cue: RecognisedPrompt, decide: Decide = plain) -> str:
    """Return the most confident position, the best supported claims, and a final answer on request."""
    debate = cue.debate
    sure = max(debate.turns, key=lambda turn: debate.status.get(turn.agent, 0.0), default=None)
    reasons = [*_with(debate, "accepted"), *(one for one in debate.claims if one.label == "FACT" and one.stands)]
    values = {
        "decision": sure.position if sure else "Nothing was said that could decide it.",
        "reasons": [f"{one.id}: {one.text}" for one in dict.fromkeys(reasons)][:3],
        "confidence": 0.6,
        **_final(seed, model, cue, decide),
        "would_change": [one.text for one in debate.claims if one.label == "OPEN" and one.stands][:2],
    }
    return json.dumps(values, indent=2, ensure_ascii=False)


def _final(seed: int, model: str, cue: RecognisedPrompt, decide: Decide) -> dict[str, str]:
    """Return the model's own final answer as a field, because shown turns contain none."""
    posed = problem(cue.debate.topic)
    final = decide(seed, model, posed, "") if posed else None
    return {} if final is None else {"answer": final}


def _verdict(withhold: Sequence[str], reason: str, *, is_clean: bool) -> str:
    named = [{"debater": name, "rule": "exploit_steps"} for name in withhold]
    return json.dumps({"clean": is_clean, "withhold": named, "reason": reason}, ensure_ascii=False)


def _came_to(debate: Debate) -> str:
    """Return counts of votes and claims, the first findings and the open questions."""
    counted = ", ".join(f"{debate.votes.count(vote)} {vote}" for vote in ("ACCEPT", "MINOR", "BLOCKER"))
    accepted, contested = _with(debate, "accepted"), _with(debate, "contested")
    facts = [one for one in (*accepted, *debate.claims) if one.label == "FACT" and one.stands]
    found = f" Found first: {facts[0].text} ({facts[0].id})." if facts else ""
    doubts = [one.id for one in debate.claims if one.label == "OPEN" and one.stands]
    left = f" Left open: {', '.join(doubts)}." if doubts else ""
    standing = f"{len(accepted)} claims are accepted, {len(contested)} contested"
    written = written_for(debate.topic)
    opening = written.debate.get("summary", "").strip() if written else _SCRIPTED
    return f"{opening} The votes were {counted}; {standing}.{found}{left}"


def _with(debate: Debate, status: str) -> list[Known]:
    return [one for one in debate.claims if one.status == status]


def _alarmed(_seed: int, _model: str, cue: RecognisedPrompt) -> str:
    named = [turn.agent for turn in cue.debate.turns[:1]]
    return _verdict(named, "All of this is dangerous, whatever it may look like.", is_clean=False)


def _misnames(_seed: int, _model: str, _cue: RecognisedPrompt) -> str:
    return _verdict(["the moderator"], "Somebody told how it is done.", is_clean=False)


def _broken(_seed: int, _model: str, _cue: RecognisedPrompt) -> str:
    return '{"executive_summary": '


ROLES = (
    writing(
        "guard-alarmed", "as safety evaluator never calls a round clean, and names a debater", {"safety": _alarmed}
    ),
    writing("guard-misnames", "as safety evaluator objects, and names nobody of the debate", {"safety": _misnames}),
    writing("synth-broken", "as synthesiser stops before it has said anything", {"closing": _broken}),
)
"""Every way of sitting beside a debate, the plain one aside."""

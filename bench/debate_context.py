"""A benchmark of the context shown in a debate of 5 debaters and 6 rounds with turns of realistic length.

    python -m bench.debate_context

Every turn has about 500 words of reasoning in 25 sentences, three new claims of about 20 words, and a source of its
own; it supports a claim and opposes another. A claim counts as whole when all of its text is in the prompt's
registries, as short when only its beginning does; a source when it has a line; reasoning is counted by sentences, of
the others alone.
"""

import random
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from protocols.debate.aliases import open_aliases
from protocols.debate.model.context import ContextBudget, largest
from protocols.debate.model.history import DebateHistory, SafetyRound
from protocols.debate.model.io import SYNTHESISER, DebateInput, panel_of
from protocols.debate.model.turn import ParsedClaim, Reference, TurnReading
from protocols.debate.modes import MODES, PACK
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules import round_steps
from protocols.model_call import Answered, ModelCall, ParticipantId

DEBATERS, ROUNDS = 5, 6
SENTENCES, WORDS, CLAIMS = 25, 20, 3
_STOCK = (
    "traffic shop street bus rent noise budget survey council market district tram parking delivery resident air "
    "centre toll permit queue garage pupil nurse clinic bridge square tower station harbour market fountain valley "
    "rises falls moves stays shifts closes opens pays costs saves helps slows binds drives shows hides lifts spreads"
)


class Shown(NamedTuple):
    """The debate's parts in one prompt, as pairs of shown and total."""

    claims: int
    shortened: int
    all_claims: int
    evidence: int
    all_evidence: int
    last: float
    """Share of the others' reasoning of the previous round, or of the last one."""
    every: float
    """Share of all of the others' reasoning so far."""


def sentence(rng: random.Random, words: int = WORDS) -> str:
    """Return a sentence that no other turn has."""
    return f"{' '.join(rng.choices(_STOCK.split(), k=words - 1))} {rng.randrange(10**6)}".capitalize()


def random_turn(rng: random.Random, known: int) -> TurnReading:
    """Return one turn as long as models write it."""
    texts = [sentence(rng) for _ in range(CLAIMS)]
    labels = ("FACT", "INFER", "ASSUME")
    title = f"{sentence(rng, 4)}. Journal of {sentence(rng, 3)}"
    others = [f"C{rng.randrange(1, known + 1)}" for _ in range(2)] if known else []
    return TurnReading.model_validate(
        {
            "position": sentence(rng, 25),
            "reasoning": ". ".join(sentence(rng) for _ in range(SENTENCES)),
            "confidence": 0.6,
            "vote": "MINOR",
            "claims": tuple(
                ParsedClaim.model_validate({"text": text, "label": label, "citations": (1,) if label == "FACT" else ()})
                for text, label in zip(texts, labels, strict=True)
            ),
            "references": (Reference(number=1, text=title),),
            "reinforces": others[:1],
            "challenges": others[1:],
            "concerns": (sentence(rng, 12),),
            "source": "json",
        }
    )


def debate(mode: str, budget: ContextBudget) -> DebateInput:
    """Return the debate that is measured."""
    models = tuple(f"lab/model-{number}" for number in range(1, DEBATERS + 1))
    panel = panel_of(models, "lab/writer", evaluator="lab/guard", summariser="lab/clerk", judge="lab/judge")
    return DebateInput.model_validate(
        {
            "question": "Should a city of 200,000 close its centre to cars?",
            "title": "Cars",
            "mode": mode,
            "panel": panel,
            "prompts": PACK,
            "max_rounds": ROUNDS,
            "context_budget": budget,
        }
    )


def simulate_debate(inp: DebateInput) -> Iterator[tuple[int, ParticipantId, str, DebateHistory]]:
    """Yield round, seat, user message and course of every prompt, then what the synthesiser is asked."""
    rng, names, course = random.Random(7), open_aliases(inp.panel), round_steps.start_debate(inp)
    is_sequential = MODES[inp.mode].order == "sequential"
    for on in map(RoundContext, range(1, ROUNDS + 1)):
        course, uses = round_steps.open_round(course, on.round), []
        for wave in [(seat,) for seat in inp.seats] if is_sequential else [inp.seats]:
            replies = []
            for seat in wave:
                call, use = calls.turn(DebateView(inp, course, names, "secret"), inp.panel.at(seat), on)
                uses.append(use)
                yield on.round, seat, call.messages[1].content, course
                replies.append(_reply(call, random_turn(rng, len(course.state.claims))))
            for reply in replies:
                course = round_steps.apply_reply(DebateView(inp, course, names, "secret"), reply, on)
        view = DebateView(inp, course, names, "secret")
        course = round_steps.close_round(view, on, context=largest(uses), safety=SafetyRound())
    closing = calls.synthesis(DebateView(inp, course, names, "secret"), inp.panel.at(SYNTHESISER), RoundContext(ROUNDS))
    yield ROUNDS, SYNTHESISER, closing.messages[0].content, course


def measure(text: str, seat: ParticipantId, course: DebateHistory) -> Shown:
    """Return what ``text`` shows of ``course`` to ``seat``."""
    state = re.split(r"=== (?:ROUND|EARLIER|YOUR TURN)", text, maxsplit=1)[0]
    whole = [claim for claim in course.state.claims if claim.text in state]
    beginnings = [claim for claim in course.state.claims if " ".join(claim.text.split()[:4]) in state]
    rounds = [completed.turns for completed in course.rounds]
    rounds += [course.open] if course.open else []
    said = [[turn.said.reasoning.split(". ") for turn in turns if turn.agent != seat] for turns in rounds]
    shares = [[one in text for turn in turns for one in turn] for turns in said]
    flat = [one for shown in shares for one in shown]
    last = shares[len(course.rounds) - 1] if course.rounds else []
    return Shown(
        len(whole),
        len(beginnings) - len(whole),
        len(course.state.claims),
        sum(bool(re.search(rf'^{one.id}[ :]|"id": "{one.id}"', state, re.MULTILINE)) for one in course.state.evidence),
        len(course.state.evidence),
        sum(last) / len(last) if last else 1.0,
        sum(flat) / len(flat) if flat else 1.0,
    )


def _reply(call: ModelCall, said: TurnReading) -> Answered:
    return Answered(
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        text="",
        reading=said.model_dump(mode="json"),
        provider="openrouter",
    )


def main() -> None:
    """Print a row per round for its last speaker, and one for the synthesiser."""
    for mode in ("collaborative", "adversarial"):
        for total in (10_000, 20_000):
            sys.stdout.write(f"\n{mode}, --context-tokens {total:,}\n")
            sys.stdout.write("round  who          claims whole  +short  evidence  previous round  all reasoning\n")
            rows = {
                (one[0], one[1] == SYNTHESISER): one
                for one in simulate_debate(debate(mode, ContextBudget.scaled(total)))
            }
            for number, seat, text, course in rows.values():
                shown = measure(text, seat, course)
                sys.stdout.write(
                    f"{number:5}  {seat:11}  {shown.claims:4} of {shown.all_claims:3}  {shown.shortened:7}"
                    f"  {shown.evidence:2} of {shown.all_evidence:2}  {shown.last:14.0%}  {shown.every:13.0%}\n"
                )


if __name__ == "__main__":
    main()

"""Results of a study that was never held, as the ledger would give them, with texts as long as real ones."""

import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from ledger.studies.reading import KnownStudy
from ledger.studies.results import ResultRow
from protocols.study.model import RunSettings
from report.collect import StudyData
from report.study_facts import StudyFacts
from studies.comparison.scoring import LabelRule
from tests.fakes.circle_results import circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.equal_cost_results import sampled

MODELS = ("anthropic/claude-opus-4.6", "openai/gpt-5.2", "google/gemini-3-pro", "x-ai/grok-4")
BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
_SENTENCE = (
    "the answer depends on which of these two readings of question is meant because evidence for first one was weak "
    "and models often disagree about probability while a careful argument shows that traffic demand under pressure "
    "falls by roughly tenth so we conclude option seems correct however critics note small samples missing controls"
)
_PIECES = [f" {word}{end}" for word in _SENTENCE.split() for end in ("", "", "s", "ed", "ing")]


def prose(rng: random.Random, letters: int) -> str:
    """So many letters that compress about as English does."""
    text = ""
    while len(text) < letters:
        some = rng.choices(_PIECES, k=2 + letters // 8)
        text += "".join([f"{one} {int(rng.random() * 10_000)}" if rng.random() < 0.2 else one for one in some])
    return f"{text[1 : letters + 5].strip().capitalize()}."


def about(name: str = "study", title: str = "", **fields: Any) -> StudyFacts:
    """What a ledger has of a study beside its deliberations; ``fields`` are those of ``KnownStudy``."""
    known = {
        "name": name,
        "fingerprint": "0" * 64,
        "content": {},
        "about": {"title": title},
        "rehearsal": False,
        "created_at": BEGAN,
        "arms": (),
        "rows": 0,
        "instances": 0,
        "rejected": 0,
        "terms": RunSettings(),
    }
    return StudyFacts(KnownStudy.model_validate(known | fields))


def row(number: int = 0, **changes: Any) -> ResultRow:
    """One council of a study; ``changes`` are its fields."""
    given = {
        "study": "study",
        "number": number,
        "deliberation_id": f"study/row-{number}.council",
        "row_id": f"row-{number}",
        "arm": "council",
        "repeat": 1,
        "question": "Why?",
        "expected": None,
        "protocol": "council",
        "protocol_version": "1",
        "prompts": "1@abcdef012345",
        "title": "Why?",
        "verdict": "Because.",
        "stop_reason": "verdict",
        "partial": False,
        "degraded": False,
        "failure_mode": "resilient",
        "models": tuple(f"openrouter:{model}" for model in MODELS),
        "served_models": (),
        "upstreams": (),
        "calls": 9,
        "prompt_tokens": 4_000,
        "completion_tokens": 2_000,
        "cost_usd": 0.05,
        "calls_of_unknown_cost": 0,
        "cost_source": "provider",
        "rehearsal": False,
        "started_at": BEGAN,
        "ended_at": BEGAN + timedelta(seconds=30 + number),
        "result": None if "result" in changes else council_result().model_dump(mode="json"),
    }
    return ResultRow.model_validate({**given, **changes})


def study_rows(rows: int = 100, *, letters: int = 1_500, seed: int = 7) -> Iterator[ResultRow]:
    """``rows`` questions in five arms; about one in thirty failed, most of them in the middle of the time."""
    rng = random.Random(seed)
    for number in range(rows):
        expected = rng.choice("ABCD")
        question = f"{prose(rng, 180)[:-1]}? A, B, C or D?"
        for place, (arm, skill, usd) in enumerate(_ARMS):
            count = number * len(_ARMS) + place
            is_down = 0.45 < number / rows < 0.55 and rng.random() < 0.3
            is_right = rng.random() < skill
            verdict = f"{prose(rng, 300)} The answer is {expected if is_right else rng.choice('ABCD')}."
            yield row(
                count,
                deliberation_id=f"study/row-{number:04d}.{arm}",
                row_id=f"row-{number:04d}",
                arm=arm,
                protocol=_PROTOCOLS[arm],
                question=question,
                title=question[:80],
                expected=expected,
                verdict=None if is_down else verdict,
                stop_reason="no_opinions" if is_down else "verdict",
                degraded=not is_down and rng.random() < 0.06,
                votes={} if is_down else {"answer": verdict[-2]},
                cost_usd=usd * rng.uniform(0.6, 1.6),
                prompt_tokens=int(usd * rng.uniform(60_000, 90_000)),
                completion_tokens=int(usd * rng.uniform(20_000, 30_000)),
                started_at=BEGAN + timedelta(seconds=11 * count),
                ended_at=BEGAN + timedelta(seconds=11 * count + usd * rng.uniform(400, 1_600) + 5),
                result=_RESULTS[arm](rng, letters),
            )


def council(rng: random.Random, letters: int = 1_500) -> dict[str, Any]:
    """Four answers, four ballots."""
    labels = [f"Response {letter}" for letter in "ABCD"]
    strength = [rng.gauss(mean, 1) for mean in (1.4, 1.0, 0.6, 0.0)]
    order = sorted(range(4), key=lambda index: -strength[index])
    ballots = []
    for seat, model in enumerate(MODELS):
        ranked = sorted(range(4), key=lambda index: -strength[index] + rng.gauss(0, 0.8))
        ballots.append(
            {
                "reviewer": f"p{seat + 1}",
                "model": f"openrouter:{model}",
                "own_label": labels[seat],
                "shown_order": labels,
                "ballot": {"ranking": [labels[one] for one in ranked], "standing": "complete"},
            }
        )
    standings = [
        {
            "label": labels[index],
            "author": f"p{index + 1}",
            "model": f"openrouter:{MODELS[index]}",
            "place": place,
            "average_position": place + 0.25,
            "votes": 4,
            "first_places": max(0, 3 - place),
            "borda": 12.0 - 3 * place,
        }
        for place, index in enumerate(order, start=1)
    ]
    turns = [_turn(f"p{seat + 1}", model, "opinion", prose(rng, letters)) for seat, model in enumerate(MODELS)]
    turns += [_turn(f"p{seat + 1}", model, "review", prose(rng, letters)) for seat, model in enumerate(MODELS)]
    turns.append(_turn("chair", MODELS[0], "synthesis", prose(rng, letters)))
    tally = {"standings": standings, "agreement": rng.betavariate(6, 3), "ballots_counted": 4, "ballots_void": 0}
    real = council_result().model_dump(mode="json")
    return {**real, "ballots": ballots, "tally": tally, "transcript": {"turns": turns}, "failed": []}


def consensus(rng: random.Random, letters: int = 1_500) -> dict[str, Any]:
    """A few rounds in which more and more accept."""
    held = min(1 + int(rng.expovariate(0.4)), 14)
    rounds, messages = [], []
    for number in range(1, held + 1):
        accepting = 3 if number == held else rng.randrange(3)
        opinions = ["NO" if place < accepting else "YES" for place in range(3)]
        rng.shuffle(opinions)
        speakers = ("generator", "refiner", "validator")
        rounds.append(
            {
                "round": number,
                "opinions": dict(zip(speakers, opinions, strict=True)),
                "draft_by": "validator",
                "draft_changed": number < held,
            }
        )
        messages += [{"speaker": one, "content": prose(rng, letters // 2), "round": number} for one in speakers]
    real = consensus_result().model_dump(mode="json")
    return {
        **real,
        "rounds": rounds,
        "consensus_achieved": True,
        "conversation": {**real["conversation"], "messages": messages},
        "message_notes": [],
        "checks": [],
        "failed": [],
        "curation": _turn("curator", MODELS[0], "curator", prose(rng, letters)),
    }


def circle(rng: random.Random, letters: int = 1_500) -> dict[str, Any]:
    """Four models, three rounds, and one who changes their mind."""
    real = circle_result().model_dump(mode="json")
    target = rng.choice((0.15, 0.85))
    seen = [[min(1.0, max(0.0, rng.gauss(target, s))) for s in (0.25, 0.15, 0.08)] for _ in MODELS]
    history = [
        {
            "round_number": number + 1,
            "empty_chair": "p2" if number else None,
            "prompt_used": "",
            "timestamp": BEGAN.isoformat(),
            "evaluations": [
                {
                    "participant": f"p{seat + 1}",
                    "model": f"openrouter:{model}",
                    "round": number + 1,
                    "assessment": {
                        "truth": 1 - seen[seat][number],
                        "indeterminacy": 0.2,
                        "falsehood": seen[seat][number],
                        "reasoning": prose(rng, letters // 2),
                        "source": "json",
                    },
                    "is_chair": bool(number) and seat == number,
                }
                for seat, model in enumerate(MODELS)
            ],
        }
        for number in range(3)
    ]
    movements = [
        {"participant": f"p{seat + 1}", "model": f"openrouter:{model}", "falsehoods": seen[seat], "is_active": True}
        for seat, model in enumerate(MODELS)
    ]
    return {**real, "dialogue_history": history, "movements": movements}


def debate(rng: random.Random, letters: int = 1_500) -> dict[str, Any]:
    """Two to five rounds in which confidence mostly grows."""
    real = debate_result().model_dump(mode="json", by_alias=True)
    held, confidence = rng.randrange(2, 6), [rng.uniform(0.4, 0.8) for _ in range(3)]
    rounds = []
    for number in range(1, held + 1):
        confidence = [min(0.99, one + rng.uniform(-0.04, 0.12)) for one in confidence]
        turns = [
            {
                "agent": f"p{seat + 1}",
                "model": f"openrouter:{MODELS[seat]}",
                "round": number,
                "said": {
                    "position": prose(rng, letters // 3),
                    "reasoning": prose(rng, letters // 2),
                    "confidence": round(one, 2),
                    "vote": rng.choice(("ACCEPT", "MINOR", "BLOCKER") if number < held else ("ACCEPT", "MINOR")),
                },
            }
            for seat, one in enumerate(confidence)
        ]
        measures = {"mean_confidence": sum(confidence) / 3}
        rounds.append({**real["rounds"][0], "number": number, "turns": turns, "measures": measures})
    return {**real, "rounds": rounds}


def samples(rng: random.Random, letters: int = 1_500) -> dict[str, Any]:
    """Five samples of one model."""
    turns = [_turn(f"s{number}", MODELS[0], "sample", prose(rng, letters // 2)) for number in range(1, 6)]
    votes = [{"voter": f"s{number}", "model": f"openrouter:{MODELS[0]}", "answer": "A"} for number in range(1, 6)]
    choices = [{"answer": "A", "votes": 3, "voters": ["s1", "s2", "s4"]}, {"answer": "C", "votes": 2, "voters": ["s3"]}]
    tally = {"choices": choices, "cast": 5, "abstained": 0, "tied": [], "agreement": 0.6}
    real = sampled().model_dump(mode="json")
    return {**real, "votes": votes, "tally": tally, "transcript": {"turns": turns}}


def _turn(seat: str, model: str, stage: str, text: str) -> dict[str, Any]:
    return {"participant": seat, "model": f"openrouter:{model}", "round": 1, "stage": stage, "text": text}


_ARMS = (
    ("single", 0.62, 0.004),
    ("council-large", 0.81, 0.11),
    ("consensus", 0.74, 0.06),
    ("fire-circle", 0.7, 0.09),
    ("debate-collaborative", 0.78, 0.15),
)
_PROTOCOLS = {
    "single": "self_consistency",
    "council-large": "council",
    "consensus": "consensus",
    "fire-circle": "fire-circle",
    "debate-collaborative": "debate",
}
_RESULTS = {
    "single": samples,
    "council-large": council,
    "consensus": consensus,
    "fire-circle": circle,
    "debate-collaborative": debate,
}

SMALL = {"consensus": consensus_result, "circle": circle_result, "council": council_result, "debate": debate_result}
"""Results as the protocols themselves make them."""


def collect(rows: Iterable[ResultRow], rule: LabelRule | None = None) -> StudyData:
    """Note all ``rows``; ``rule`` says how their answers are read and marked."""
    found = StudyData(rule)
    for one in rows:
        found.take(one)
    return found

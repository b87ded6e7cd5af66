"""The shared state of the server: seed, script, log, rate limits and generations."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from rehearsal.api.billing import Arrival, BillingLog, LogicalCall, RequestLog
from rehearsal.api.rate_limits import RateLimiter
from rehearsal.api.recordings import Recordings
from rehearsal.dialects.completions import Completion
from rehearsal.faults.script import Rule, Script, full_args
from rehearsal.models.behaviours import reply_of
from rehearsal.models.model_selection import SelectedModel
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.replies import Reply, Speaker
from rehearsal.models.seeded import fraction

_REMEMBERED = 10_000


class ServerState:
    """The state of one rehearsal server."""

    def __init__(self, seed: int, script: Script, recordings: Path | None = None) -> None:
        self.seed = seed
        self.recordings = Recordings(recordings)
        self._arranged: tuple[tuple[Rule, float], ...] = ()
        self.script: Script = script
        self.perform(script)
        self.ledger = BillingLog()
        self.requests = RequestLog()
        self.rate_limiter = RateLimiter()
        self.closing = asyncio.Event()
        self.url = ""
        self.generations: dict[str, dict[str, Any]] = {}

    def reply(self, part: SelectedModel, cue: RecognisedPrompt) -> Reply:
        """Return the model's reply: a recorded opinion if there is one, otherwise that of its behaviour."""
        recorded = self._recorded(part.speaker, cue) if "opinion" not in part.behaviour.speakers else None
        actor = Speaker(self.seed, part.speaker)
        if recorded is None:
            return reply_of(part.behaviour, actor, cue)
        said = Reply(recorded)
        return part.behaviour.twist(actor, cue, said) if part.behaviour.twist else said

    def fault_for(self, part: SelectedModel, call: LogicalCall, arrival: Arrival) -> tuple[str, Mapping[str, Any]]:
        """Return the fault of an arrival and its arguments: by the model's name, then by the first matching rule."""
        if named := part.fault_on(arrival.nth):
            return named, full_args(named, {})
        now = monotonic()
        for number, (rule, since) in enumerate(self._arranged):
            if rule.is_due(now - since) and self._fits(rule, number, call, arrival):
                return rule.fault, full_args(rule.fault, rule.args)
        return "normal", {}

    def seconds_for(self, model: str, key: str, nth: int) -> float:
        """Return the latency of an arrival: of the first matching rule for the model, otherwise the server's."""
        for rule in self.script.latencies:
            if rule.fits(model):
                return rule.seconds(self.seed, key, nth)
        return self.script.latency_ms / 1000

    def remember(self, completion: Completion, *, streamed: bool) -> None:
        """Keep the data of ``/generation`` about an answer, for the latest ten thousand."""
        self.generations[completion.id] = {
            "id": completion.id,
            "model": completion.model,
            "total_cost": completion.usd,
            "usage": completion.usd,
            "native_tokens_prompt": completion.prompt_tokens,
            "native_tokens_completion": completion.completion_tokens,
            "native_tokens_reasoning": completion.reasoning_tokens,
            "provider_name": completion.upstream,
            "finish_reason": completion.said.finish,
            "cancelled": False,
            "streamed": streamed,
            "is_byok": completion.is_byok,
        }
        while len(self.generations) > _REMEMBERED:
            del self.generations[next(iter(self.generations))]

    def arrange(self, **changes: Any) -> None:
        """Change arrangements while it runs; takes effect with the next arrival."""
        self.script = self.script.model_copy(update=changes)
        self._note_rules()

    def perform(self, script: Script) -> None:
        """Replace every arrangement; the seed stays what it is."""
        self.script = script.model_copy(update={"playback": {}})
        self._arranged = ()
        self._note_rules()
        self.record(script.playback)

    def record(self, playback: dict[str, dict[str, str]]) -> int:
        """Add recorded answers (speaker to question to answer); return how many there are now."""
        merged = {speaker: dict(answers) for speaker, answers in self.script.playback.items()}
        for speaker, answers in playback.items():
            merged.setdefault(speaker, {}).update({q.strip(): a for q, a in answers.items()})
        self.arrange(playback=merged)
        return sum(len(answers) for answers in merged.values())

    def _note_rules(self) -> None:
        """Note when each rule was arranged; those that stay keep their time."""
        known = {id(rule): since for rule, since in self._arranged}
        self._arranged = tuple((rule, known.get(id(rule), monotonic())) for rule in self.script.faults)

    def _recorded(self, speaker: str, cue: RecognisedPrompt) -> str | None:
        return self.script.playback.get(speaker, {}).get(cue.question) if cue.stage == "opinion" else None

    def _fits(self, rule: Rule, number: int, call: LogicalCall, arrival: Arrival) -> bool:
        meant = rule.match.fits(
            model=arrival.model, dialect=arrival.dialect, stage=arrival.stage, call=call.ordinal, arrival=arrival.nth
        )
        return meant and fraction(self.seed, number, call.key, arrival.nth) < rule.match.probability

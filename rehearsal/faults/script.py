"""The script of a rehearsal: faults by rule, latency, slots and budgets.

The same values are read from a TOML script and from the bodies of the control addresses. Everything is checked where
it enters: an unknown fault, argument or field is refused by name.

    seed = 7
    latency_ms = 20

    [[faults]]
    match = { model = "anthropic/*", stage = "review", arrivals = [1, 2], probability = 0.5 }
    fault = "429-retry-after"
    args = { seconds = 1 }

    [[faults]]                       # half a minute of a gateway's page for every model of one provider
    match = { dialect = "openrouter" }
    fault = "html-200"
    after_seconds = 10
    for_seconds = 30

    [[latencies]]
    model = "zai-*"
    ms = 400
    spread_ms = 200
    shape = "uniform"

    [[places]]
    model = "*"
    at_once = 4

    [[budgets]]
    model = "zai-*"
    tokens_per_minute = 60000
    style = "duration"

    [lists]
    gone = ["x-ai/*"]
    expires = { "anthropic/claude-opus-4.6" = "2026-01-31" }
"""

import math
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rehearsal.faults.table import FAULTS
from rehearsal.models.prompt_recognition import Stage
from rehearsal.models.seeded import fraction

LONGEST_MS = 86_400_000
"""A day."""

Argument = int | float | str


class ScriptError(ValueError):
    """A script or rule cannot be used; the message says where and why."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Match(_Entry):
    """The arrivals that a rule matches; absent fields match everything."""

    model: str = "*"
    """The whole model name as asked for, with ``*`` and ``?``."""
    dialect: str | None = None
    stage: Stage | None = None
    calls: tuple[int, ...] = ()
    """Which logical calls of the model, from 1 by first arrival."""
    arrivals: tuple[int, ...] = ()
    """Which arrivals of a logical call, from 1."""
    probability: float = Field(default=1.0, ge=0, le=1)
    """Share of the remaining arrivals, rolled from the seed, the rule and the arrival."""

    def fits(self, *, model: str, dialect: str, stage: Stage, call: int, arrival: int) -> bool:
        """Return whether the rule matches an arrival, before its probability is applied."""
        return (
            fnmatchcase(model, self.model)
            and self.dialect in {None, dialect}
            and self.stage in {None, stage}
            and (not self.calls or call in self.calls)
            and (not self.arrivals or arrival in self.arrivals)
        )


class Rule(_Entry):
    """A fault and when it is played."""

    match: Match = Match()
    fault: str
    args: dict[str, Argument] = Field(default_factory=dict)
    after_seconds: float = Field(default=0, ge=0, le=86_400)
    """When it begins to be played, counted from the moment in which it was arranged."""
    for_seconds: float | None = Field(default=None, gt=0, le=86_400)
    """How long it is played from then on; without an end when it is left out."""

    def is_due(self, seconds: float) -> bool:
        """Return whether it is played so many seconds after it was arranged."""
        end = math.inf if self.for_seconds is None else self.after_seconds + self.for_seconds
        return self.after_seconds <= seconds < end

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if self.fault not in FAULTS:
            raise ValueError(f"there is no fault {self.fault!r}; there are: {', '.join(FAULTS)}")
        known = FAULTS[self.fault].args
        if unknown := sorted(set(self.args) - set(known)):
            raise ValueError(f"fault {self.fault!r} has no argument {unknown}; it has: {sorted(known)}")
        for name, value in self.args.items():
            if isinstance(value, str) != isinstance(known[name], str):
                raise ValueError(
                    f"argument {name!r} of fault {self.fault!r} must be like {known[name]!r}, not {value!r}"
                )
        return self


class Latency(_Entry):
    """The time of a model from the request to its last byte."""

    model: str = "*"
    ms: float = Field(ge=0, le=LONGEST_MS)
    spread_ms: float = Field(default=0, ge=0, le=LONGEST_MS)
    shape: Literal["fixed", "uniform", "long_tail"] = "uniform"
    """``uniform`` is ms ± spread; ``long_tail`` is ms plus a spread that one call in twenty exceeds threefold."""

    def fits(self, model: str) -> bool:
        """Return whether ``model`` matches."""
        return fnmatchcase(model, self.model)

    def seconds(self, *keys: object) -> float:
        """Return the latency of one arrival, derived from ``keys``."""
        fall = fraction(*keys, "latency")
        if self.shape == "uniform":
            return max(0.0, self.ms + (fall * 2 - 1) * self.spread_ms) / 1000
        if self.shape == "long_tail":
            return (self.ms + self.spread_ms * min(50.0, 0.15 / (1.0 - fall))) / 1000
        return self.ms / 1000


class Places(_Entry):
    """The number of concurrent calls of one key."""

    model: str = "*"
    at_once: int = Field(ge=1)
    beyond: Literal["wait", "refuse"] = "refuse"
    """What happens to the next one: it waits for a place, or gets a 429."""


class Budget(_Entry):
    """A token bucket: the estimate of a call is taken before it runs, and the bucket refills continuously."""

    model: str = "*"
    tokens_per_minute: int = Field(ge=1)
    style: Literal["seconds", "duration", "milliseconds"] = "seconds"
    """How the reset is written in the headers."""


ListFault = Literal["none", "status-500", "html", "not-json", "empty", "stall", "wants-key"]
"""How a list of models goes wrong."""


class ModelLists(_Entry):
    """The response to requests for lists of models."""

    fault: ListFault = "none"
    dialect: str = "*"
    """Whose list has the fault, with ``*`` and ``?``."""
    gone: tuple[str, ...] = ()
    """Models that the lists leave out, with ``*`` and ``?``."""
    expires: dict[str, str] = Field(default_factory=dict)
    """Model to the day of its retirement, ``2026-01-31``."""


class Script(_Entry):
    """A complete script."""

    seed: int | None = None
    latency_ms: float = Field(default=0, ge=0, le=LONGEST_MS)
    faults: tuple[Rule, ...] = ()
    latencies: tuple[Latency, ...] = ()
    places: tuple[Places, ...] = ()
    budgets: tuple[Budget, ...] = ()
    lists: ModelLists = ModelLists()
    playback: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Recorded answers: speaker to question to answer."""


def load_script(path: Path) -> Script:
    """Read a script.

    Raises:
        ScriptError: the file cannot be read, is no TOML, or says something unknown.
    """
    try:
        return Script.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ScriptError(f"script {path} cannot be read: {problem}") from problem
    except ValidationError as problem:
        raise ScriptError(f"script {path}: {explain(problem)}") from problem


def explain(problem: ValidationError) -> str:
    """Return the error messages with the place of each mistake, without repeating the input."""
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}" for e in problem.errors())


def full_args(fault: str, given: Mapping[str, Argument]) -> dict[str, Argument]:
    """Return the arguments of ``fault``: the given ones over its defaults."""
    return {**FAULTS[fault].args, **given}

"""Deliberations as samples of Inspect's log format, version 2, as JSON objects.

A deliberation is a sample: its row is the id, its repeat the epoch, its question the input, its verdict the output.
Its calls are model events, and its scores are by scorer; ``label`` is the study's own label rule.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ledger.studies.scores import Score

Values = Mapping[str, Any]
OWN_LABEL = "label"
RIGHT, WRONG = "C", "I"
"""The letters that Inspect's accuracy counts."""

_SHORT = 1000
"""Characters of a text in the list of samples."""
_METADATA = (
    *("deliberation_id", "number", "protocol", "prompts", "version", "status", "stop_reason", "reason", "partial"),
    *("degraded", "flaws", "seats", "sampling", "served_by", "attachments", "budget", "scores", "votes", "extra"),
    "shown_options",
    *("cost_usd", "calls", "calls_of_unknown_cost", "cost_source", "rehearsal", "scorer_versions"),
)
_COUNTED = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "input_tokens_cache_read": "cached_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "total_cost": "cost_usd",
}
"""Name of a count in Inspect to the column of a call."""


class Sample(NamedTuple):
    """A sample with what lists of samples show of it."""

    whole: dict[str, Any]
    summary: dict[str, Any]


def sample_of(row: Values, calls: Sequence[Values], scores: Sequence[Score]) -> Sample:
    """Return the sample of a deliberation from its rows in two tables, and what scorers said of it alone."""
    short = {
        "id": row["row_id"],
        "epoch": row["repeat"],
        "target": row["expected"] or "",
        "scores": _scores(row, scores),
        "model_usage": _usage(calls, "model"),
        "role_usage": _usage(calls, "participant"),
        "started_at": _iso(row["started_at"]),
        "completed_at": _iso(row["ended_at"]),
        "total_time": row["seconds"],
        "uuid": row["deliberation_id"],
    }
    asked = {"id": f"{row['deliberation_id']}:question", "role": "user", "source": "input", "content": row["question"]}
    output = _output(row["protocol"], row["verdict"] or "", "stop" if row["verdict"] is not None else "unknown")
    failure = row["reason"] or row["stop_reason"]
    whole = {
        **short,
        "input": row["question"],
        "messages": [asked, *([] if row["verdict"] is None else [output["choices"][0]["message"]])],
        "output": {**output, "usage": _sum(calls), "time": row["seconds"]},
        "metadata": {name: row[name] for name in _METADATA},
        "store": {},
        "events": [_event(call) for call in calls],
        "attachments": {},
        "error": dict.fromkeys(("message", "traceback", "traceback_ansi"), failure) if row["is_failed"] else None,
    }
    summary = {
        **short,
        "input": row["question"][:_SHORT],
        "metadata": {},
        "error": failure[:_SHORT] if row["is_failed"] else None,
        "completed": True,
        "message_count": len(whole["messages"]),
    }
    return Sample(whole, summary)


def figures_of(scores: Iterable[Mapping[str, Values]]) -> list[dict[str, Any]]:
    """Return the results of a log by scorer: the share that is right, or the mean of the values."""
    by_scorer: defaultdict[str, list[Any]] = defaultdict(list)
    total = 0
    for one in scores:
        total += 1
        for scorer, score in one.items():
            by_scorer[scorer].append(score["value"])
    return [_figure(scorer, values, total) for scorer, values in sorted(by_scorer.items())]


def _figure(scorer: str, values: Sequence[Any], total: int) -> dict[str, Any]:
    is_right_or_wrong = all(value in {RIGHT, WRONG} for value in values)
    name = "accuracy" if is_right_or_wrong else "mean"
    numbers = [float(value == RIGHT) if isinstance(value, str) else value for value in values]
    return {
        "name": scorer,
        "scorer": scorer,
        "scored_samples": len(values),
        "unscored_samples": total - len(values),
        "metrics": {name: {"name": name, "value": sum(numbers) / len(numbers)}},
    }


def _scores(row: Values, scores: Sequence[Score]) -> dict[str, Values]:
    found: dict[str, Values] = {}
    if row["correct"] is not None:
        found[OWN_LABEL] = {"value": RIGHT if row["correct"] else WRONG, "answer": row["answer"]}
    for one in scores:
        if one.correct is None and one.value is None:
            continue
        value = one.value if one.correct is None else (RIGHT if one.correct else WRONG)
        metadata = {**one.details, "kind": one.kind, "outcome": one.outcome, "number": one.value}
        found[one.scorer] = {
            "value": value,
            "answer": one.label,
            "explanation": one.reason or None,
            "metadata": metadata,
        }
    return found


def _event(call: Values) -> dict[str, Any]:
    started = call["recorded_at"] - timedelta(seconds=call["seconds"] or 0)
    finish = {"complete": "stop", "truncated": "max_tokens"}.get(call["finish"], "unknown")
    sampling = (call["parameters"] or {}).get("sampling", {})
    sent = {name: value for name, value in sampling.items() if name != "structured_output"}
    output = _output(call["served_model"] or call["model"], call["reply"] or "", finish)
    place = ("call_id", "stage", "round", "served_model", "upstream", "request_id", "cost_source")
    return {
        "event": "model",
        "timestamp": _iso(started),
        "working_start": 0.0,
        "completed": _iso(call["recorded_at"]),
        "working_time": call["seconds"],
        "model": call["model"],
        "role": call["participant"],
        "input": [{"role": one["role"], "content": one["content"]} for one in call["messages"] or ()],
        "tools": [],
        "tool_choice": "none",
        "config": sent,
        "output": {**output, "usage": _sum([call]), "time": call["seconds"], "error": call["message"]},
        "retries": max(call["attempts"] - 1, 0),
        "error": call["message"],
        "metadata": {name: call[name] for name in place},
    }


def _output(model: str, text: str, stop_reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "source": "generate", "content": text, "model": model}
    return {"model": model, "choices": [{"message": message, "stop_reason": stop_reason}], "completion": text}


def _usage(calls: Sequence[Values], by: str) -> dict[str, dict[str, Any]]:
    """Return the sums of ``calls`` by the column ``by``."""
    found: defaultdict[str, list[Values]] = defaultdict(list)
    for call in calls:
        found[call[by]].append(call)
    return {name: _sum(some) for name, some in found.items()}


def _sum(calls: Sequence[Values]) -> dict[str, Any]:
    """Return the tokens and the cost of ``calls``; counts that no provider gave are left out."""
    counted: Counter[str] = Counter()
    for call in calls:
        counted.update({name: call[column] for name, column in _COUNTED.items() if call[column] is not None})
    values = {"input_tokens": 0, "output_tokens": 0, **counted}
    return {**values, "total_tokens": values["input_tokens"] + values["output_tokens"]}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()

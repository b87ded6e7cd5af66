"""Queries behind exports: what was scored, asked and answered in some deliberations."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, select

from ledger.store import unpacked_json
from ledger.studies.reading import StudyReader
from ledger.studies.scores import Score, ScoreReader, score_of_row
from ledger.study_tables import INSTANCES, SCORES
from ledger.tables import CALLS, JOURNAL, REQUESTS

_PARAMETERS = ("sampling", "stop", "routing", "extra_body", "web")
"""What of a request is no prompt."""


class ExportReader(StudyReader, ScoreReader):
    """The studies in the ledger behind ``url``, with their calls and scores."""

    async def scores_of(
        self, study: str, deliberations: Collection[str], scorers: Collection[str] = ()
    ) -> dict[str, list[Score]]:
        """Return the scores in ``study`` of all scorers or of ``scorers``, by deliberation; of a pair by its first."""
        wanted = select(SCORES).where(SCORES.c.study == study, SCORES.c.deliberation_id.in_(deliberations))
        wanted = wanted.where(SCORES.c.scorer.in_(scorers)) if scorers else wanted
        found: defaultdict[str, list[Score]] = defaultdict(list)
        for row in await self._store.rows(wanted.order_by(SCORES.c.scorer, SCORES.c.other_id)):
            found[row.deliberation_id].append(score_of_row(row))
        return found

    async def arms_of(self, study: str, deliberations: Collection[str]) -> dict[str, str]:
        """Return the arm of each of ``deliberations`` of ``study``."""
        named = (INSTANCES.c.study == study, INSTANCES.c.deliberation_id.in_(deliberations))
        rows = await self._store.rows(select(INSTANCES.c.deliberation_id, INSTANCES.c.arm).where(*named))
        return {row.deliberation_id: row.arm for row in rows}

    async def served_by(self, deliberations: Collection[str]) -> dict[str, dict[str, list[str]]]:
        """Return the models that answered, by deliberation and seat."""
        columns = (CALLS.c.deliberation_id, CALLS.c.participant, CALLS.c.served_model)
        named = (CALLS.c.deliberation_id.in_(deliberations), CALLS.c.served_model.is_not(None))
        found: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        for row in await self._store.rows(select(*columns).where(*named).distinct().order_by(*columns)):
            found[row.deliberation_id].setdefault(row.participant, []).append(row.served_model)
        return found

    async def calls_of(self, deliberations: Collection[str]) -> dict[str, list[dict[str, Any]]]:
        """Return every call of ``deliberations`` with its request and its reply, by deliberation."""
        found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        joined = CALLS.outerjoin(REQUESTS, REQUESTS.c.key == CALLS.c.fingerprint)
        joined = joined.outerjoin(JOURNAL, JOURNAL.c.key == CALLS.c.key)
        wanted = select(CALLS, REQUESTS.c.request, JOURNAL.c.answer).select_from(joined)
        wanted = wanted.where(CALLS.c.deliberation_id.in_(deliberations))
        in_order = wanted.order_by(CALLS.c.round, CALLS.c.recorded_at, CALLS.c.call_id)
        for row in await self._store.rows(in_order):
            found[row.deliberation_id].append(_call(row))
        return found


def _call(row: Row[Any]) -> dict[str, Any]:
    values = row._asdict()
    request, answer = (_json(values.pop(name)) for name in ("request", "answer"))
    was_answered = row.outcome == "answered"
    return {
        **values,
        "status": answer.get("status"),
        "messages": _messages(request, answer) if request else None,
        "parameters": {name: request[name] for name in _PARAMETERS if name in request} if request else None,
        "reply": answer.get("text") or None,
        "reasoning": answer.get("reasoning"),
        "reading": answer.get("reading"),
        "asked_with_schema": bool(answer.get("asked_with_schema")) if was_answered else None,
        "repairs": answer.get("repairs", []),
        "first_token_seconds": answer.get("first_token_seconds"),
    }


def _messages(request: dict[str, Any], answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages as they were sent: with a schema the last one ends with the instruction for it."""
    sent: Sequence[dict[str, Any]] = request["messages"]
    ends = [""] * (len(sent) - 1) + [request.get("schema_instruction", "") if answer.get("asked_with_schema") else ""]
    return [
        {
            "role": one["role"],
            "content": f"{one['content']}\n{end}" if end else one["content"],
            "attachments": [file["name"] for file in one.get("attachments", ())],
        }
        for one, end in zip(sent, ends, strict=True)
    ]


def _json(blob: bytes | None) -> dict[str, Any]:
    found: dict[str, Any] = {} if blob is None else unpacked_json(blob)
    return found

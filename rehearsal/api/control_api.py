"""The control API under ``/rehearsal``: the script, the log and the charges."""

import json
from collections.abc import Sequence
from typing import TypeVar

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from rehearsal.api.recordings import ANSWERS
from rehearsal.api.state import ServerState
from rehearsal.faults.script import Rule, Script, explain
from rehearsal.faults.table import FAULTS
from rehearsal.models.behaviours import BEHAVIOURS

T = TypeVar("T")

_RULES: TypeAdapter[tuple[Rule, ...]] = TypeAdapter(tuple[Rule, ...])
_PLAYBACK: TypeAdapter[dict[str, dict[str, str]]] = TypeAdapter(dict[str, dict[str, str]])
_SCRIPT: TypeAdapter[Script] = TypeAdapter(Script)


class ControlApi:
    """The control API of one server."""

    def __init__(self, state: ServerState) -> None:
        self._state = state

    def routes(self) -> Sequence[web.RouteDef]:
        """Return all routes of the control API."""
        return [
            web.get("/rehearsal/health", self._health),
            web.get("/rehearsal/catalogue", self._catalogue),
            web.get("/rehearsal/faults", self._faults),
            web.post("/rehearsal/faults", self._add_faults),
            web.delete("/rehearsal/faults", self._clear_faults),
            web.post("/rehearsal/script", self._replace_script),
            web.post("/rehearsal/playback", self._add_playback),
            web.delete("/rehearsal/playback", self._clear_playback),
            web.post("/rehearsal/recordings/{deliberation}", self._add_recording),
            web.get("/rehearsal/ledger", self._ledger),
            web.delete("/rehearsal/ledger", self._reset_ledger),
            web.get("/rehearsal/arrivals", self._arrivals),
            web.get("/rehearsal/requests", self._requests),
            web.get("/rehearsal/elsewhere", self._elsewhere),
            web.post("/rehearsal/elsewhere", self._elsewhere),
        ]

    async def _health(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "seed": self._state.seed, "rules": len(self._state.script.faults)})

    async def _catalogue(self, _request: web.Request) -> web.Response:
        faults = {f.name: {"about": f.about, "args": dict(f.args)} for f in FAULTS.values()}
        return web.json_response({"behaviours": {b.name: b.about for b in BEHAVIOURS.values()}, "faults": faults})

    async def _faults(self, _request: web.Request) -> web.Response:
        return web.json_response([rule.model_dump() for rule in self._state.script.faults])

    async def _add_faults(self, request: web.Request) -> web.Response:
        rules = await _checked(request, _RULES)
        self._state.arrange(faults=(*self._state.script.faults, *rules))
        return web.json_response({"rules": len(self._state.script.faults)})

    async def _clear_faults(self, _request: web.Request) -> web.Response:
        self._state.arrange(faults=())
        return web.json_response({"rules": 0})

    async def _replace_script(self, request: web.Request) -> web.Response:
        self._state.perform(await _checked(request, _SCRIPT))
        return web.json_response({"rules": len(self._state.script.faults)})

    async def _add_playback(self, request: web.Request) -> web.Response:
        return web.json_response({"answers": self._state.record(await _checked(request, _PLAYBACK))})

    async def _clear_playback(self, _request: web.Request) -> web.Response:
        self._state.arrange(playback={})
        return web.json_response({"answers": 0})

    async def _add_recording(self, request: web.Request) -> web.Response:
        answers = await _checked(request, ANSWERS)
        self._state.recordings.add(request.match_info["deliberation"], answers)
        return web.json_response({"answers": len(answers)})

    async def _ledger(self, _request: web.Request) -> web.Response:
        return web.json_response(self._state.ledger.summary())

    async def _reset_ledger(self, _request: web.Request) -> web.Response:
        self._state.ledger.reset()
        self._state.requests.clear()
        return web.json_response(self._state.ledger.summary())

    async def _arrivals(self, request: web.Request) -> web.Response:
        since = request.query.get("since", "0")
        if not since.isdecimal():
            raise _refused(f"since must be the number of an arrival, not {since!r}")
        return web.json_response({"arrivals": self._state.ledger.log(int(since))})

    async def _requests(self, request: web.Request) -> web.Response:
        """Return the latest requests as they arrived, of one deliberation or one seat where one is named."""
        wanted = (request.query.get("deliberation"), request.query.get("seat"))
        return web.json_response(self._state.requests.found(*wanted))

    async def _elsewhere(self, _request: web.Request) -> web.Response:
        """Count a request to the target of the ``redirect`` fault, because no client should follow it."""
        self._state.ledger.redirects_followed += 1
        return web.json_response({"followed": self._state.ledger.redirects_followed})


async def _checked(request: web.Request, kind: TypeAdapter[T]) -> T:
    try:
        return kind.validate_json(await request.read())
    except ValidationError as problem:
        raise _refused(explain(problem)) from None


def _refused(message: str) -> web.HTTPBadRequest:
    return web.HTTPBadRequest(text=json.dumps({"error": message}), content_type="application/json")

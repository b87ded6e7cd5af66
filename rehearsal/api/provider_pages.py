"""The providers' other endpoints: models, key limits, generations and credits.

``/key`` and ``/credits`` go down with what the ledger has billed. ``/generation`` says 404 to the first question about
an id and answers the second, as the real one does shortly after a call.
"""

from fnmatch import fnmatchcase

from aiohttp import web

from rehearsal.api.chat_request import bearer
from rehearsal.api.state import ServerState
from rehearsal.dialects.providers import OPENROUTER
from rehearsal.dialects.shape import Dialect, Json, Refusal
from rehearsal.faults.script import ListFault
from rehearsal.faults.table import FAULTS
from rehearsal.models.behaviours import BEHAVIOURS

KEY_LIMIT_USD = 1000.0

_NAMES = (
    *("anthropic/claude-opus-4.6", "anthropic/claude-sonnet-5.5"),
    *("google/gemini-3-flash-preview", "google/gemini-3.1-flash-lite", "google/gemini-3.8-flash"),
    *("openai/gpt-5-mini", "openai/gpt-6.1-terra", "deepseek/deepseek-v4.1-flash", "z-ai/glm-5.3"),
    *("x-ai/grok-4.1-fast", "zai-glm-4.7", "gpt-oss-120b", "qwen-3.8-27b"),
)
RETIRED = "rehearsal/retired"
"""A model that the lists still have, with a day of retirement long past."""


class ProviderPages:
    """The addresses of one dialect beside chat."""

    def __init__(self, state: ServerState, dialect: Dialect) -> None:
        self._state = state
        self._dialect = dialect
        self._asked_before: set[str] = set()

    async def models(self, request: web.Request) -> web.StreamResponse:
        """Return the list of models: some of the providers', and every behaviour and fault by its short name."""
        if (keyless := self._dialect.without_key) and self._dialect.name == "cerebras" and bearer(request) is None:
            return web.json_response(keyless[1], status=keyless[0])
        return await self._list(self._dialect)

    async def public_models(self, request: web.Request) -> web.StreamResponse:
        """Return Cerebras's public list, in OpenRouter's form on request."""
        return await self._list(OPENROUTER if request.query.get("format") == "openrouter" else self._dialect)

    async def _list(self, form: Dialect) -> web.StreamResponse:
        lists = self._state.script.lists
        if fnmatchcase(self._dialect.name, lists.dialect) and lists.fault != "none":
            return await self._faulty(lists.fault)
        played = [*_NAMES, RETIRED, *(f"rehearsal/{name}" for name in (*BEHAVIOURS, *FAULTS))]
        named = [name for name in played if not any(fnmatchcase(name, gone) for gone in lists.gone)]
        return web.json_response(form.models(named, {RETIRED: "2025-01-31", **lists.expires}))

    async def _faulty(self, fault: ListFault) -> web.StreamResponse:
        match fault:
            case "stall":
                await self._state.closing.wait()
                return web.Response(status=503)
            case "status-500":
                return web.json_response({"error": {"code": 500, "message": "Internal Server Error"}}, status=500)
            case "wants-key":
                return web.json_response({"detail": "Not authenticated"}, status=401)
            case "html":
                return web.Response(text="<html><title>Sign in</title></html>", content_type="text/html")
            case "not-json":
                return web.Response(text="{", content_type="application/json")
            case "empty" | "none":
                return web.json_response({"data": []})

    async def key(self, request: web.Request) -> web.Response:
        """Return the rest of the key's limit."""
        usage = self._state.ledger.usd
        data = {
            "label": "rehearsal",
            "limit": KEY_LIMIT_USD,
            "limit_remaining": KEY_LIMIT_USD - usage,
            "limit_reset": None,
            "usage": usage,
            "usage_daily": usage,
            "is_free_tier": False,
        }
        return self._for_key_holders(request, {"data": data})

    async def credits(self, request: web.Request) -> web.Response:
        """Return the purchased and the used credits."""
        data = {"total_credits": KEY_LIMIT_USD, "total_usage": self._state.ledger.usd}
        return self._for_key_holders(request, {"data": data})

    async def generation(self, request: web.Request) -> web.Response:
        """Return one answer's account, from the second request on."""
        name = request.query.get("id", "")
        known = self._state.generations.get(name)
        if known is None or name not in self._asked_before:
            self._asked_before.add(name)
            missing = Refusal(404, f"Generation {name!r} not found.", "not_found")
            return web.json_response(self._dialect.error(missing), status=404)
        return self._for_key_holders(request, {"data": known})

    def _for_key_holders(self, request: web.Request, body: Json) -> web.Response:
        keyless = self._dialect.without_key
        if keyless and bearer(request) is None:
            return web.json_response(keyless[1], status=keyless[0])
        return web.json_response(body)


async def nowhere(_request: web.Request) -> web.Response:
    """Return Cerebras's response to an unknown path: 404 with an empty text."""
    return web.Response(status=404, content_type="text/plain")

"""What providers offer beside chat: models, the key's limits, a generation's account, the credits.

``/key`` and ``/credits`` go down with what the ledger has billed. ``/generation`` says 404 to the first question about
an id and answers the second, as the real one does shortly after a call.
"""

from aiohttp import web

from rehearsal.asks import bearer
from rehearsal.behaviours import BEHAVIOURS
from rehearsal.dialects.shape import Dialect, Json, Refusal
from rehearsal.faults.table import FAULTS
from rehearsal.house import House

KEY_LIMIT_USD = 1000.0

_NAMES = (
    "anthropic/claude-opus-4.6",
    "google/gemini-3-flash-preview",
    "x-ai/grok-4.1-fast",
    "zai-glm-4.7",
    "gpt-oss-120b",
)


class ProviderPages:
    """The addresses of one dialect beside chat."""

    def __init__(self, house: House, dialect: Dialect) -> None:
        self._house = house
        self._dialect = dialect
        self._asked_before: set[str] = set()

    async def models(self, request: web.Request) -> web.Response:
        """The list of models: some of the providers', and every behaviour and fault by its short name."""
        if (keyless := self._dialect.without_key()) and self._dialect.name == "cerebras" and bearer(request) is None:
            return web.json_response(keyless[1], status=keyless[0])
        played = [f"rehearsal/{name}" for name in (*BEHAVIOURS, *FAULTS)]
        return web.json_response(self._dialect.models([*_NAMES, *played]))

    async def key(self, request: web.Request) -> web.Response:
        """What is left of the key's limit."""
        usage = self._house.ledger.usd
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
        """What was bought and what was used."""
        data = {"total_credits": KEY_LIMIT_USD, "total_usage": self._house.ledger.usd}
        return self._for_key_holders(request, {"data": data})

    async def generation(self, request: web.Request) -> web.Response:
        """One answer's account, from the second question on."""
        name = request.query.get("id", "")
        known = self._house.generations.get(name)
        if known is None or name not in self._asked_before:
            self._asked_before.add(name)
            missing = Refusal(404, f"Generation {name!r} not found.", "not_found")
            return web.json_response(self._dialect.error(missing), status=404)
        return self._for_key_holders(request, {"data": known})

    def _for_key_holders(self, request: web.Request, body: Json) -> web.Response:
        keyless = self._dialect.without_key()
        if keyless and bearer(request) is None:
            return web.json_response(keyless[1], status=keyless[0])
        return web.json_response(body)


async def nowhere(_request: web.Request) -> web.Response:
    """What Cerebras says to a path it does not know: 404 with an empty text."""
    return web.Response(status=404, content_type="text/plain")

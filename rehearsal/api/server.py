"""The rehearsal server: start and stop.

    async with Rehearsal(seed=7) as rehearsal:
        ...  # rehearsal.url is like http://127.0.0.1:40123

Closing is quick during every fault: silent calls notice within a tenth of a second, and calls still running
after half a second is cut off.
"""

from pathlib import Path
from typing import Self

from aiohttp import web

from rehearsal.api.billing import BillingLog
from rehearsal.api.chat_endpoint import ChatEndpoint
from rehearsal.api.control_api import ControlApi
from rehearsal.api.provider_pages import ProviderPages, nowhere
from rehearsal.api.state import ServerState
from rehearsal.dialects.exchange import MARK
from rehearsal.dialects.providers import DIALECTS
from rehearsal.dialects.shape import Dialect
from rehearsal.faults.script import Script

DEFAULT_SEED = 7

_LARGEST_REQUEST = 256 * 2**20
_SHUTDOWN_SECONDS = 0.5


class Rehearsal:
    """A running rehearsal server; ``port`` 0 takes any free one, ``recordings`` is a folder to keep recordings in.

    Raises:
        OSError: on entering, when the address cannot be taken.
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        latency_ms: float | None = None,
        script: Script | None = None,
        recordings: Path | None = None,
    ) -> None:
        script = script or Script()
        chosen = next(s for s in (seed, script.seed, DEFAULT_SEED) if s is not None)
        self._state = ServerState(chosen, script, recordings)
        if latency_ms is not None:
            self._state.arrange(latency_ms=latency_ms)
        self._host, self._port = host, port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Return the server's address, like ``http://127.0.0.1:8399``; empty before it is entered."""
        return self._state.url

    @property
    def ledger(self) -> BillingLog:
        """The account, for tests in the same process."""
        return self._state.ledger

    def perform(self, script: Script) -> None:
        """Replace every arrangement; the seed stays what it is."""
        self._state.perform(script)

    async def __aenter__(self) -> Self:
        """Listen."""
        runner = web.AppRunner(_app(self._state), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        host = f"[{self._host}]" if ":" in self._host else self._host
        self._state.url = f"http://{host}:{runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Stop listening and end what is being played."""
        self._state.closing.set()
        if self._runner is not None:
            await self._runner.cleanup()


def _app(state: ServerState) -> web.Application:
    app = web.Application(client_max_size=_LARGEST_REQUEST)
    app.on_response_prepare.append(_mark)
    app.add_routes(ControlApi(state).routes())
    for dialect in DIALECTS:
        app.add_routes(_routes(state, dialect))
    return app


def _routes(state: ServerState, dialect: Dialect) -> list[web.RouteDef]:
    pages = ProviderPages(state, dialect)
    routes = [
        web.post(f"/recorded{dialect.prefix}/chat/completions", ChatEndpoint(state, dialect, recorded=True).chat),
        web.post(f"{dialect.prefix}/chat/completions", ChatEndpoint(state, dialect).chat),
        web.get(f"{dialect.prefix}/models", pages.models),
    ]
    if dialect.name == "openrouter":
        routes += [
            web.get(f"{dialect.prefix}/key", pages.key),
            web.get(f"{dialect.prefix}/credits", pages.credits),
            web.get(f"{dialect.prefix}/generation", pages.generation),
        ]
    if dialect.name == "cerebras":
        routes += [web.get("/cerebras/public/v1/models", pages.public_models)]
        routes += [web.route("*", "/cerebras/{rest:.*}", nowhere)]
    return routes


async def _mark(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(MARK)

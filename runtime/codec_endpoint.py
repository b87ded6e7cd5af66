"""A small local HTTP server with which the Web UI shows texts from blobs and encrypted payloads.

The Web UI, in the user's browser, sends payloads as it found them in a history and gets them back readable::

    POST /decode    references become the texts they name, ciphertext becomes text
    POST /encode    the user's input in the Web UI is encrypted as by a client
    POST /download  the whole texts behind references, whatever their size

With ``preserveStorageRefs=true``, which the Web UI sends while it draws a history, texts above 1 MB stay references.
A payload that cannot be read stays as it is, so that one missing blob does not blank a page. The SDK reads payloads
only inside its converter, in one step with making Python values; the Web UI wants payloads back.

A client of this endpoint can read everything, so it listens on loopback only, answers no page but the Web UI's, accepts
no foreign ``Host`` (a page elsewhere can point its own name at 127.0.0.1), takes small bodies, and asks for a token
when one is set.
"""

import hmac
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from google.protobuf import json_format
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.api.sdk.v1.external_storage_pb2 import ExternalStorageReference
from temporalio.converter import StorageDriverClaim, StorageDriverRetrieveContext

from runtime.blob_store import BlobStore
from runtime.blobs import DRIVER_NAME, FileDriver
from runtime.errors import BlobDamagedError, BlobMissingError, PayloadError
from runtime.payloads import codec_of, expanded
from runtime.server_flags import HOST
from runtime.server_process import refuse_taken_port
from runtime.settings import Settings

log = structlog.get_logger(__name__)

_LARGEST_BODY = 8 * 1024 * 1024
_INLINE_BYTES = 1024 * 1024
_HOSTS = ("localhost", "127.0.0.1")
_MESSAGE_TYPE = ExternalStorageReference.DESCRIPTOR.full_name.encode()


@asynccontextmanager
async def codec_endpoint(settings: Settings) -> AsyncIterator[str]:
    """Serve on ``codec_port`` of this machine and yield the address."""
    refuse_taken_port(settings, "codec_port")
    runner = web.AppRunner(codec_app(settings), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, settings.codec_port).start()
        yield f"http://localhost:{settings.codec_port}"
    finally:
        await runner.cleanup()


def codec_app(settings: Settings) -> web.Application:
    """Build the application: three routes behind their guards."""
    endpoint = _Endpoint(settings)
    app = web.Application(client_max_size=_LARGEST_BODY, middlewares=[_page_guard(settings), _token_guard(settings)])
    app.router.add_post("/decode", endpoint.decode)
    app.router.add_post("/encode", endpoint.encode)
    app.router.add_post("/download", endpoint.download)
    return app


class _Endpoint:
    def __init__(self, settings: Settings) -> None:
        self._driver = FileDriver(BlobStore(settings.blobs))
        self._codec = codec_of(settings)

    async def decode(self, request: web.Request) -> web.Response:
        payloads = await _read(request)
        largest = _INLINE_BYTES if request.query.get("preserveStorageRefs", "").lower() == "true" else None
        return _write([await self._tolerant(payload, largest) for payload in payloads])

    async def encode(self, request: web.Request) -> web.Response:
        payloads = await _read(request)
        return _write(await self._codec.encode(payloads) if self._codec else payloads)

    async def download(self, request: web.Request) -> web.Response:
        payloads = await _read(request)
        try:
            return _write([await self._readable(payload) for payload in payloads])
        except PayloadError as error:
            raise web.HTTPNotFound(text=str(error)) from error

    async def _tolerant(self, payload: Payload, largest: int | None) -> Payload:
        try:
            return await self._readable(payload, largest)
        except PayloadError as error:
            log.warning("payload_not_readable", reason=str(error))
            return payload

    async def _readable(self, payload: Payload, largest: int | None = None) -> Payload:
        """Decode ``payload``; keep a reference to more than ``largest`` bytes as a reference."""
        stored = payload
        if (
            payload.metadata.get("encoding") == b"json/protobuf"
            and payload.metadata.get("messageType") == _MESSAGE_TYPE
        ):
            if largest is not None and sum(stored.size_bytes for stored in payload.external_payloads) > largest:
                return payload
            stored = await self._follow(payload)
        return expanded((await self._codec.decode([stored]))[0] if self._codec else stored)

    async def _follow(self, payload: Payload) -> Payload:
        try:
            reference = json_format.Parse(payload.data, ExternalStorageReference())
        except (json_format.ParseError, UnicodeDecodeError):
            raise BlobDamagedError(
                "a reference to a stored text cannot be read; it was not written by Temporal"
            ) from None
        if reference.driver_name != DRIVER_NAME:
            raise BlobMissingError(
                f"a text is kept by the storage driver {reference.driver_name!r}; here there is only {DRIVER_NAME!r}"
            )
        claim = StorageDriverClaim(claim_data=dict(reference.claim_data))
        return (await self._driver.retrieve(StorageDriverRetrieveContext(), [claim]))[0]


def _page_guard(settings: Settings) -> Middleware:
    names = {f"{host}:{settings.codec_port}" for host in _HOSTS}
    allowed = {f"http://{host}:{settings.ui_port}" for host in _HOSTS}

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.host.lower() not in names:
            raise web.HTTPForbidden(text="this endpoint answers to localhost only")
        origin = request.headers.get("Origin")
        if origin is None:
            return await handler(request)
        if origin not in allowed:
            raise web.HTTPForbidden(text="this endpoint serves the Temporal Web UI of this machine only")
        try:
            response = web.Response(status=204) if request.method == "OPTIONS" else await handler(request)
        except web.HTTPException as refusal:
            refusal.headers.update(_cors(origin))
            raise
        response.headers.update(_cors(origin))
        return response

    return guard


def _token_guard(settings: Settings) -> Middleware:
    token = settings.codec_token.get_secret_value() if settings.codec_token else None

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "")
        if token is not None and not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            raise web.HTTPUnauthorized(text="a bearer token is needed, the one in PARLEY_CODEC_TOKEN")
        return await handler(request)

    return guard


def _cors(origin: str) -> dict[str, str]:
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "POST,OPTIONS",
        "Access-Control-Allow-Headers": "content-type,x-namespace,authorization,temporal-namespace",
        "Vary": "Origin",
    }


async def _read(request: web.Request) -> Sequence[Payload]:
    try:
        return json_format.Parse(await request.read(), Payloads()).payloads
    except (json_format.ParseError, UnicodeDecodeError):
        raise web.HTTPBadRequest(text="the body must be JSON with a list of Temporal payloads") from None


def _write(payloads: Sequence[Payload]) -> web.Response:
    return web.Response(text=json_format.MessageToJson(Payloads(payloads=payloads)), content_type="application/json")

"""What the Web UI may read through the codec endpoint, and who else may not."""

import base64
import io
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from google.protobuf import json_format
from temporalio.api.common.v1 import Payload, Payloads

from runtime.codec_endpoint import codec_app, codec_endpoint
from runtime.errors import PortInUseError
from runtime.payloads import data_converter
from runtime.settings import Settings
from tests.fakes.server import free_port

KEYS = "k1:" + base64.b64encode(b"1" * 32).decode()
LARGE = random.Random(1).randbytes(10_000).hex()
HUGE = random.Random(2).randbytes(800_000).hex()
Endpoint = TestClient[Any, Any]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """An installation with encryption keys."""
    return Settings.model_validate({**settings.model_dump(), "encryption_keys": KEYS, "codec_port": free_port()})


@pytest.fixture
async def endpoint(settings: Settings) -> AsyncIterator[Endpoint]:
    """The endpoint, asked as the Web UI asks."""
    async with TestClient(TestServer(codec_app(settings), host="127.0.0.1", port=settings.codec_port)) as client:
        yield client


async def stored(settings: Settings, *values: object) -> str:
    """``values`` unchanged in a history, as the Web UI sends them."""
    return as_json(await data_converter(settings).encode(values))


def as_json(payloads: list[Payload]) -> str:
    """The body of a request."""
    return json_format.MessageToJson(Payloads(payloads=payloads))


async def asked(client: Endpoint, path: str, body: str, **headers: str) -> list[Payload]:
    """The payloads that the endpoint answers with."""
    response = await client.post(path, data=body, headers=headers)
    assert response.status == 200, await response.text()
    return list(json_format.Parse(await response.text(), Payloads()).payloads)


@pytest.mark.parametrize("value", ["a word", LARGE, HUGE], ids=["small", "large", "huge"])
@pytest.mark.parametrize("path", ["/decode", "/download"])
async def test_stored_text_is_made_readable(endpoint: Endpoint, settings: Settings, path: str, value: str) -> None:
    """References are followed and ciphertext is decrypted."""
    [payload] = await asked(endpoint, path, await stored(settings, value))

    assert payload.data.decode() == f'"{value}"'


async def test_large_texts_are_inline_and_huge_ones_stay_references(endpoint: Endpoint, settings: Settings) -> None:
    """While the Web UI draws a history, texts up to 1 MB are shown and larger ones are left to be downloaded."""
    plain = settings.model_copy(update={"encryption_keys": None})
    large, huge = await asked(endpoint, "/decode?preserveStorageRefs=true", await stored(plain, LARGE, HUGE))

    assert large.data.decode() == f'"{LARGE}"'
    assert huge.metadata["messageType"] == b"temporal.api.sdk.v1.ExternalStorageReference"


async def test_unreadable_payload_stays_as_it_is(endpoint: Endpoint, settings: Settings) -> None:
    """A missing blob leaves its reference in place and its neighbours readable."""
    body = await stored(settings, LARGE, "a word")
    for blob in settings.blobs.rglob("*.zst"):
        blob.unlink()
    lost, read = await asked(endpoint, "/decode", body)

    assert lost.metadata["messageType"] == b"temporal.api.sdk.v1.ExternalStorageReference"
    assert read.data == b'"a word"'


async def test_download_of_a_missing_blob_is_not_found(endpoint: Endpoint, settings: Settings) -> None:
    """A download that cannot be had says which text is missing."""
    body = await stored(settings, LARGE)
    for blob in settings.blobs.rglob("*.zst"):
        blob.unlink()
    response = await endpoint.post("/download", data=body)

    assert response.status == 404
    assert "sha256:" in await response.text()


async def test_what_a_person_types_is_encrypted(endpoint: Endpoint, settings: Settings) -> None:
    """A payload typed into the Web UI is encrypted so that a worker reads it."""
    typed = Payload(metadata={"encoding": b"json/plain"}, data=b'"canary"')
    [locked] = await asked(endpoint, "/encode", as_json([typed]))

    assert b"canary" not in locked.SerializeToString()
    assert await data_converter(settings).decode([locked], [str]) == ["canary"]


async def test_web_ui_may_ask(endpoint: Endpoint, settings: Settings) -> None:
    """The Web UI's origin, and that one alone, is named in the answer to a preflight and to a request."""
    origin = f"http://localhost:{settings.ui_port}"
    preflight = await endpoint.options("/decode", headers={"Origin": origin})
    response = await endpoint.post("/decode", data=as_json([]), headers={"Origin": origin})

    assert (204, origin) == (preflight.status, preflight.headers["Access-Control-Allow-Origin"])
    assert (200, origin) == (response.status, response.headers["Access-Control-Allow-Origin"])


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:1", "null", "https://localhost"])
@pytest.mark.parametrize("method", ["OPTIONS", "POST"])
async def test_foreign_page_may_not_ask(endpoint: Endpoint, origin: str, method: str) -> None:
    """A page of another origin is refused and gets no permission."""
    response = await endpoint.request(method, "/decode", data=as_json([]), headers={"Origin": origin})

    assert response.status == 403
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1:1"])
async def test_foreign_host_is_refused(endpoint: Endpoint, host: str) -> None:
    """A name that one pointed at this machine is not answered to."""
    response = await endpoint.post("/decode", data=as_json([]), headers={"Host": host})

    assert response.status == 403


@pytest.mark.parametrize("path", ["/decode", "/encode", "/download"])
async def test_only_post_is_answered(endpoint: Endpoint, path: str) -> None:
    """Any other method is not allowed."""
    assert (await endpoint.get(path)).status == 405


async def test_large_body_is_refused(endpoint: Endpoint) -> None:
    """A body above the cap is not read."""
    response = await endpoint.post("/decode", data=io.BytesIO(b"x" * (9 * 1024 * 1024)))

    assert response.status == 413


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"payloads": 1}', b"[" * 10_000])
async def test_malformed_body_is_refused(endpoint: Endpoint, body: bytes) -> None:
    """A body that is not a list of payloads is the asker's mistake."""
    assert (await endpoint.post("/decode", data=body)).status == 400


@pytest.mark.parametrize(("token", "status"), [("canary-token-0123456", 200), ("canary-token-0123457", 401), ("", 401)])
async def test_token_is_asked_for_when_one_is_set(settings: Settings, token: str, status: int) -> None:
    """With a token set, only a request that carries it is answered."""
    guarded = Settings.model_validate({**settings.model_dump(), "codec_token": "canary-token-0123456"})
    async with TestClient(TestServer(codec_app(guarded), host="127.0.0.1", port=guarded.codec_port)) as client:
        response = await client.post("/decode", data=as_json([]), headers={"Authorization": f"Bearer {token}"})

    assert status == response.status


async def test_endpoint_serves_on_its_port(settings: Settings) -> None:
    """The endpoint listens on the codec port while it is wanted, and a second one there is refused by its setting."""
    async with codec_endpoint(settings) as address:
        assert address == f"http://localhost:{settings.codec_port}"
        with pytest.raises(PortInUseError, match="PARLEY_CODEC_PORT"):
            async with codec_endpoint(settings):
                pass

"""What a web page in a user's browser can reach of the embedded server."""

import httpx
import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from runtime.connect import plain_client
from tests.fakes.server import RunningServer

START = '{"workflowType": {"name": "Council"}, "taskQueue": {"name": "parley"}}'
PLAIN = {"Content-Type": "text/plain", "Origin": "http://page.example"}
"""What a page may send to another origin without asking first."""


async def is_planted(client: Client) -> bool:
    """Whether a workflow was started under the id that the page asks for."""
    try:
        await client.get_workflow_handle("planted").describe()
    except RPCError as error:
        return error.status is not RPCStatusCode.NOT_FOUND
    return True


@pytest.mark.parametrize("host", [None, "localhost", "page.example", "page.example:80", ""])
async def test_a_plain_post_starts_no_workflow(server: RunningServer, host: str | None) -> None:
    """Neither a form of another page nor one whose name was pointed at this machine gets past the HTTP interface."""
    address = f"127.0.0.1:{server.settings.http_port}"
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.post(
            f"http://{address}/api/v1/namespaces/default/workflows/planted",
            content=START,
            headers={**PLAIN, "Host": address if host is None else host},
        )

    assert 403 == answer.status_code
    assert not await is_planted(await plain_client(server.target))


async def test_a_plain_post_to_the_web_ui_starts_no_workflow(server: RunningServer) -> None:
    """The Web UI wants a token that a page of another origin cannot read."""
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.post(
            f"http://127.0.0.1:{server.settings.ui_port}/api/v1/namespaces/default/workflows/planted",
            content=START,
            headers=PLAIN,
        )

    assert 400 == answer.status_code
    assert not await is_planted(await plain_client(server.target))


async def test_the_http_interface_is_the_one_that_was_closed(server: RunningServer) -> None:
    """The port that answers 403 is Temporal's: an address that is not behind the list of hosts is served there."""
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.get(f"http://127.0.0.1:{server.settings.http_port}/swagger.json")

    assert "temporal" in answer.text.lower()

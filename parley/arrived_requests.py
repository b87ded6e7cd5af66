"""The requests of a deliberation as they arrived at the rehearsal server, which alone keeps them."""

from pydantic import TypeAdapter

from parley.errors import RequestError
from protocols.model_call import FrozenModel


class ArrivedRequest(FrozenModel):
    """One request, as it arrived."""

    arrival: int
    """Its number among all that arrived."""
    dialect: str
    participant: str
    stage: str
    round: int
    call_id: str
    body: str
    """What was sent, byte for byte."""


_REQUESTS: TypeAdapter[tuple[ArrivedRequest, ...]] = TypeAdapter(tuple[ArrivedRequest, ...])


async def arrived_requests(url: str, deliberation_id: str) -> tuple[ArrivedRequest, ...]:
    """Return the requests of a deliberation that the rehearsal server at ``url`` still has, in order.

    Raises:
        RequestError: no rehearsal server answers, or it has none of them.
    """
    import httpx  # noqa: PLC0415 - every command that asks imports this module for its type alone

    try:
        async with httpx.AsyncClient(trust_env=False, timeout=10.0) as http:
            answer = await http.get(f"{url}/rehearsal/requests", params={"deliberation": deliberation_id})
        found = _REQUESTS.validate_python(answer.raise_for_status().json()["requests"])
    except httpx.HTTPError as error:
        raise RequestError(
            f"requests are kept by the rehearsal server alone, and none answers at {url}; start parley up --rehearse "
            "and run the deliberation with --rehearse, or leave --arrived out"
        ) from error
    if not found:
        raise RequestError(
            f"the rehearsal server at {url} has no request of {deliberation_id}: it keeps the latest ones since its "
            "start; leave --arrived out for the prompts in the history"
        )
    return found

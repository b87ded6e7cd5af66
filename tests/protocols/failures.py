"""Calls that were lost, for the rooms' tests."""

from protocols.model_call import Failed, ModelId, ParticipantId


def lost(participant: str) -> Failed:
    """A call of ``participant`` that its provider refused."""
    return Failed(
        kind="api_error",
        call_id=f"call-{participant}",
        participant=ParticipantId(participant),
        model=ModelId(f"lab:{participant}"),
        error_type="provider.bad_request",
        message="the provider refused the request",
    )

"""The identity under which a call is paid once.

The run id is no part of it. A deliberation that was reset, rewound or continued in another run asks the same calls
again and finds them paid; a new salt requests a fresh sample. The fingerprint is of the request, so a call
whose question changed under the same name is another call.
"""

import hashlib
import json
from functools import cached_property

from pydantic import Field

from protocols.model_call import FrozenModel, ModelCall

_ASKED = {"model", "messages", "sampling", "stop", "routing", "extra_body", "web", "read_as", "schema_instruction"}
_sorted_json = json.JSONEncoder(sort_keys=True).encode


class CallIdentity(FrozenModel):
    """One logical call, over all its attempts, runs and resets."""

    workflow_id: str = Field(min_length=1)
    """The deliberation."""
    call_id: str = Field(min_length=1)
    """``ModelCall.call_id``."""
    salt: str
    """``ModelCall.salt``; empty unless a fresh sample is wanted."""
    fingerprint: str
    """Of everything that is asked: model, messages, parameters of the request, reader."""

    @cached_property
    def key(self) -> str:
        """SHA-256 in hex over all four; the parts are framed, so that no two identities share a text."""
        parts = json.dumps([self.workflow_id, self.call_id, self.salt, self.fingerprint])
        return hashlib.sha256(parts.encode("ascii")).hexdigest()


def request_of(call: ModelCall) -> bytes:
    """Return what ``call`` asks, as JSON: model, messages, parameters of the request, reader.

    Fields left at their default are no part of it, so that a version which adds one still finds the answers that an
    earlier version paid for. Whether a schema was sent in the end is no part of it either: that is known only when the
    call is made, and may differ between two attempts at the same call.
    """
    asked = call.model_dump(mode="json", include=_ASKED, exclude_defaults=True)
    return _sorted_json(asked).encode("ascii")


def identity_of(workflow_id: str, call: ModelCall, request: bytes | None = None) -> CallIdentity:
    """Return the identity of ``call`` in the deliberation ``workflow_id``; its fingerprint is of its ``request``."""
    fingerprint = hashlib.sha256(request_of(call) if request is None else request).hexdigest()
    return CallIdentity(workflow_id=workflow_id, call_id=call.call_id, salt=call.salt, fingerprint=fingerprint)

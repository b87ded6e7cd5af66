"""Calls to try things with."""

from typing import Any

from activities.providers.catalogue import Provider
from protocols.model_call import ModelCall

HERE = "http://127.0.0.1:9/v1"


def model_call(**changes: Any) -> ModelCall:
    """A small call to the provider ``lab``, with ``changes``."""
    given = {
        "call_id": "opinion-p1",
        "participant": "p1",
        "model": "lab:small",
        "stage": "opinion",
        "messages": [{"role": "user", "content": "Why?"}],
        "read_as": {"reader": "council.opinion"},
        "patience": {"total": 5, "first_token": 5, "between_chunks": 5},
    }
    return ModelCall.model_validate({**given, **changes})


def provider(**changes: Any) -> Provider:
    """The provider ``lab``, with ``changes``."""
    return Provider.model_validate({"name": "lab", "base_url": HERE, **changes})

"""The seed of each request, derived from one that a user gave.

A seed is derived and not counted up: the second sample of the first repeat and the first sample of the second would
otherwise be one request. Two steps lead to a request: a study's seed, row, arm and repeat make the seed of a
deliberation, and that seed with the id of a call makes the seed of the call, so that every seat, sample, round and
further call has a seed of its own.
"""

import hashlib
import json

from protocols.model_call import ModelCall

MOST_SEED = 2**31 - 1
"""The largest seed: what providers with a signed integer of 32 bits take."""


def derived_seed(seed: int, *names: str | int) -> int:
    """Return the seed for ``names``, from 0 to ``MOST_SEED``; equal names give equal seeds."""
    digest = hashlib.sha256(json.dumps([seed, *names]).encode("ascii")).digest()
    return int.from_bytes(digest[:4]) & MOST_SEED


def with_own_seed(call: ModelCall) -> ModelCall:
    """Return ``call`` with a derived seed in place of the deliberation's; without a seed it is unchanged."""
    seed = call.sampling.seed
    if seed is None:
        return call
    sampling = call.sampling.model_copy(update={"seed": derived_seed(seed, call.call_id)})
    return call.model_copy(update={"sampling": sampling})

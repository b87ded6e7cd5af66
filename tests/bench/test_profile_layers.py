"""The layer to which a profile counts a stack."""

import pytest

from bench.parts.__main__ import PARTS, plan_without
from bench.parts.removal import REMOVALS
from bench.profile.layers import LAYERS, OTHER, layer_of

SITE = "/x/.venv/lib/python3.11/site-packages"


@pytest.mark.parametrize(
    ("files", "layer"),
    [
        ([f"{SITE}/h11/_state.py", f"{SITE}/httpx/_client.py", "/x/activities/call_model.py"], "HTTP client"),
        ([f"{SITE}/pydantic/main.py", f"{SITE}/temporalio/converter/_data.py"], "payloads"),
        ([f"{SITE}/pydantic/main.py", "/x/protocols/panel.py", "/x/workflows/council.py"], "workflow code"),
        ([f"{SITE}/sqlalchemy/engine/base.py", "/x/ledger/journal.py"], "journal and ledger"),
        (["/x/protocols/council/replies/ballot.py", "/x/activities/reply_readers.py"], "reading replies"),
        (["/usr/lib/python3.11/asyncio/events.py"], "event loop"),
        (["/usr/lib/python3.11/queue.py"], OTHER),
    ],
)
def test_a_stack_belongs_to_its_innermost_known_layer(files: list[str], layer: str) -> None:
    """Frames of libraries that every layer uses are counted to the layer that called them."""
    assert layer == layer_of(files)
    assert layer in LAYERS


def test_every_part_of_the_ladder_can_be_left_out() -> None:
    """A part without a removal, or one that has moved, would be in every row and cost nothing."""
    live_text = {"live-text", "tails"}  # these two are left out together, by bench.live_text
    assert PARTS.keys() | live_text == REMOVALS.keys() | {"blobs"}
    assert [part for part, removal in REMOVALS.items() if not hasattr(removal.owner, removal.name)] == []


def test_an_installation_without_parts_names_them_to_its_worker() -> None:
    """Blobs are left out by a setting, all other parts by the worker's arguments."""
    plan = plan_without(["blobs", "journal"])

    assert ("bench.parts.removal", "journal") == tuple(plan.command)
    assert {"PARLEY_BLOB_THRESHOLD_BYTES": "1000000"} == plan.more

"""All faults by name, and the ordinary answer, which is the first row."""

from collections.abc import Mapping

from aiohttp import web

from rehearsal.dialects.exchange import HttpExchange
from rehearsal.faults.bodies import BODIES
from rehearsal.faults.fault import Fault
from rehearsal.faults.refusals import REFUSALS
from rehearsal.faults.streams import STREAMS
from rehearsal.faults.wires import WIRES


async def _answer(scene: HttpExchange) -> web.StreamResponse:
    return await scene.play(scene.chunks())


NORMAL = Fault("normal", "nothing goes wrong", _answer, "answered", billed=True)

FAULTS: Mapping[str, Fault] = {row.name: row for row in (NORMAL, *REFUSALS, *BODIES, *STREAMS, *WIRES)}
"""Every fault by its name."""

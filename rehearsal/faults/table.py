"""All faults by name, and the ordinary answer, which is the first row."""

from collections.abc import Mapping

from aiohttp import web

from rehearsal.faults.bodies import BODIES
from rehearsal.faults.fault import Fault
from rehearsal.faults.refusals import REFUSALS
from rehearsal.faults.sources import SOURCES
from rehearsal.faults.streams import STREAMS
from rehearsal.faults.wires import WIRES
from rehearsal.scene import Scene


async def _answer(scene: Scene) -> web.StreamResponse:
    return await scene.play(scene.chunks())


NORMAL = Fault("normal", "nothing goes wrong", _answer, "answered", billed=True)

FAULTS: Mapping[str, Fault] = {row.name: row for row in (NORMAL, *REFUSALS, *BODIES, *SOURCES, *STREAMS, *WIRES)}
"""Every fault by its name."""

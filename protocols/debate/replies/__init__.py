"""How replies are read: ``turn`` a debater's, ``citations`` and ``hazards`` in it, ``others`` everybody else's.

A turn stands in one of three ``forms``; ``labels`` finds its lines, ``fields`` knows its names and values, ``claims``
and ``references`` their lists and what stands for them in prose.
"""

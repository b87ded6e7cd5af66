"""How replies are read: ``turn`` a debater's, ``citations`` and ``hazards`` in it, ``others`` everybody else's."""

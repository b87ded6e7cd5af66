"""How replies are read: ``turn`` a debater's, ``verdict`` the safety evaluator's, ``closing`` those that end a debate.

A turn stands in one of three ``forms``; ``labels`` finds its lines, ``names`` and ``fields`` know its names and values,
``claims`` and ``references`` read its lists, and ``citations`` checks them.
"""

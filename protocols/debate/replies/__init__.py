"""The readers of a debate's replies: ``turn``, ``safety_verdict``, and ``closing`` for the closing texts.

A turn stands in one of three ``forms``; ``labels`` finds its lines, ``names`` and ``fields`` know its names and values,
``claims`` and ``references`` read its lists, and ``citations`` checks them.
"""

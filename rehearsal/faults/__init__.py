"""Faults, one row per fault.

``fault`` is the type of a row, ``refusals`` are errors with a status, ``bodies`` are replies with a broken body,
``streams`` break while they are sent, ``wires`` break below HTTP. ``table`` has all rows; ``script`` reads the rules
that choose among them.
"""

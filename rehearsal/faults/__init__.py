"""Faults, one row per fault.

``fault`` says what a row is, ``refusals`` are errors with a status, ``bodies`` are answers with something wrong in
them, ``streams`` go wrong while they flow, ``wires`` go wrong below HTTP. ``table`` puts all rows together.
"""

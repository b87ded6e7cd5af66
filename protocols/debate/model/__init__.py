"""The values of a debate: ``turn`` for one turn, ``state`` for the registries, ``history`` for all rounds.

``asked`` has what a debate is asked to do, what a person may ask of it while it runs, and what comes out.
"""

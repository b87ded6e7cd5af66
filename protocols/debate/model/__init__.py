"""The values of a debate: ``turn`` for one turn, ``state`` for the registries, ``history`` for all rounds.

``io`` has the input, the updates and the result, ``closing`` the synthesis and ``context`` what a prompt may hold.
"""

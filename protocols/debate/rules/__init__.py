"""The rules of rounds: ``round_steps`` with ``registry``, ``turn_checks`` and ``measures``.

``summaries`` says a round in short, ``groupthink`` and ``safety`` watch over it, ``exits`` decides what follows.
"""

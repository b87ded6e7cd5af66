"""The rules of rounds: ``round_steps`` with ``registry``, ``turn_checks`` and ``measures``.

``summaries`` shortens a round, ``groupthink`` and ``safety`` check it, ``stop_rules`` decides the next step.
"""

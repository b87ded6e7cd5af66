"""The rules of rounds: ``round_steps`` with ``registry``, ``turn_checks`` and ``measures``.

``summaries`` shortens a round, ``measures`` and ``safety`` check it, ``stop_rules`` decides the next step.
"""

"""What rounds come to: ``hearing`` takes turns in and closes rounds, with ``registry``, ``conduct`` and ``measures``.

``summaries`` says a round in short, ``groupthink`` and ``safety`` watch over it, ``exits`` decides what follows.
"""

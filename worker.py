"""The worker: the composition root, where the floors are plugged together.

``python -m worker`` serves schedules and the ledger on the queue ``parley`` and model calls on ``models`` (and on
``models.<provider>`` for every provider whose rate the server limits). It ends on SIGTERM or SIGINT after the calls in
flight are answered and written down; a second signal ends it at once.
"""

"""The task queues of every installation; a provider whose rate the server limits has a queue beside these."""

TASK_QUEUE = "parley"
"""Workflows, and calls to providers without such a limit: a worker begins the calls that its own workflows ask for."""

LEDGER_QUEUE = "ledger"
"""What reads and writes the ledger, so that a ledger with much to do takes no call's place in a worker."""

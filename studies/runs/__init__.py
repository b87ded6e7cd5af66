"""Studies that are held: beginning a batch, seeing how it stands, changing it while it runs, following it to its end.

``beginning`` enters a study in the ledger and starts its workflow, or finds the one that runs. ``standing`` puts
together what the ledger, the server and the workflow know. ``steering`` changes a batch that runs. ``following`` looks
again and again.
"""

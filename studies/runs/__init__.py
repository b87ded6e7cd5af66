"""The runs of studies: start, status, changes, and following to the end.

``start`` enters a study in the ledger and starts its workflow, or finds the running one. ``status`` joins the data of
ledger, server and workflow, once or until the end. ``control`` changes a running batch.
"""

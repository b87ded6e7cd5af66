"""The ledger: a database of paid calls, deliberations and studies.

* ``store``        transactions on SQLite or PostgreSQL; ``databases``: how each is opened; ``store_errors``: failures,
                   made by ``database_faults`` of what a database raises
* ``tables``       the schema, with ``study_tables``; ``migrations``: its revisions
* ``journal``      pays for each call once, with ``leases`` between workers; ``identity``: what makes two calls equal
* ``call_rows``    a row for each attempt; ``shared_answers``: answers that a branch takes from its origin
* ``reading``      deliberations for commands and pages; ``statistics``: figures over all of them
* ``patterns``     patterns named in fire circles; ``stage_counts``: replies and failures by stage
* ``studies``      studies, their instances and results
* ``connection``   opens the ledger for reading; the id of the installation that owns it
"""

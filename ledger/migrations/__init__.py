"""The ledger's revisions, by Alembic: every worker upgrades its ledger to the newest one when it starts.

====================  ================================================================================
``upgrade.py``        upgrades a database to the newest revision; safe from many workers at once
``env.py``            the script that Alembic runs; it uses the connection of ``upgrade.py``
``versions/``         one file per revision, ``rNNNN_<what>.py``; never edited after a release
====================  ================================================================================

A new revision is written by hand: create its file, set ``revision`` and ``down_revision``, and run the test that
compares revisions with ``ledger/tables.py``; it names the differences. Revisions only add, because workers of the
previous version still write while a new one starts.
"""

"""The ledger's revisions, by Alembic: every worker brings its ledger to the newest one when it starts.

====================  ================================================================================
``upgrade.py``        brings a database up to this version's newest revision; safe from many workers at once
``env.py``            what Alembic runs; it uses the connection that ``upgrade.py`` holds
``versions/``         one file per revision, ``rNNNN_<what>.py``; never edited after a release
====================  ================================================================================

A new revision is written by hand: create its file, set ``revision`` and ``down_revision``, and let the test that
compares revisions and ``ledger/tables.py`` say what is missing. Revisions only add, because workers of the previous
version go on writing while a new one starts.
"""

"""Activities: the calls to models, the ledger and the studies.

An activity decides nothing about what happens next. Read in this order:

* ``call_model``   one question to one model; ``heartbeat`` while it runs; ``reading`` and ``cleaning`` what came back
* ``providers/``   the endpoints and how they speak: catalogue, request, stream, errors, prices
* ``retry_posture`` which failure is worth another try
* ``journal``      a paid answer is never lost and never paid twice; ``leases``, ``identity`` and ``receipts`` serve it
* ``sharing``      what another deliberation was answered, for a branch of it
* ``ledger``       deliberations that ended, chapters of those that go on; ``tables`` and ``migrations/`` its shape,
  ``patterns`` what fire circles found
* ``quorum``       who answered of those who were asked, for its line there
* ``studies``      what a study holds next, and what it lost; ``study_tables`` the ledger's shape for it, ``copying`` a
  study entered once more, for a schedule
* ``installation`` the id of the installation that owns the ledger
* ``store``        the database behind both; ``engines`` and ``store_errors`` how it is opened and how it fails,
  ``ledger_errors`` what Temporal is told of that
"""

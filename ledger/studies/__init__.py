"""The ledger of studies: writing and reading.

``writing`` enters a study before its first deliberation, ``results`` has the type of a deliberation's row, ``reading``
finds rows and counts outcomes with ``queries``, ``records`` are the stored values, and ``settings`` compares the
settings of two studies with the same name.
"""

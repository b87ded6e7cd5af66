"""The ledger of studies: writing and reading.

``entering`` writes a study into the ledger before anything of it is held, ``results`` is one deliberation of it as a
researcher reads it, ``reading`` finds these and counts what became of a study. ``contents`` has what goes in and what
tells two studies of one name apart.
"""

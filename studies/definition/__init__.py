"""Studies on the person's side: what is to be held is read here, checked whole, and prepared.

Two names are all that a command needs::

    from studies.definition.files import Overrides
    from studies.definition.load import opened

    found = opened("study.toml", Overrides(), settings)                       # or a dataset and what to hold of it:
    found = opened("questions.csv", Overrides(protocols=("council",)), settings)

    found.study, found.arms, found.instances, found.foreseen                  # to show before anything is spent
    found.rejected                                                            # lines left out, with their reasons
    await enter(store, found.entered(), found.rows(), found.prepared(), found.rejected)

``found.settings`` has the study's own providers file; ``fingerprint.differences`` tells in what a study differs from
the one that the ledger has under its name, and ``example.EXAMPLE`` is a study file with comments.

* ``studyfile``    the keys of a study file; ``files``: reading one, with the command line's word on top; ``example``
* ``records``      lines of a dataset; ``json_lines``, ``csv_lines``, ``parquet``: its formats; ``dataset``: the file
* ``mapping``      from a record to a row; ``templates``: questions over columns; ``labels``: expected answers
* ``rows``         all rows, one after the other, and those that cannot be used
* ``kinds``        the protocols that an arm may be; ``grid``: the arms
* ``preparation``  what a deliberation begins with; ``foreseen``: what it will take
* ``fingerprint``  what makes a study the one that it is
* ``opening``      all of it together
"""

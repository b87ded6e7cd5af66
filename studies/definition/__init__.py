"""Definitions of studies: a study file and its dataset, read, checked whole, and prepared.

A command needs two names::

    from studies.definition.files import Overrides
    from studies.definition.load import load_study

    study = load_study("study.toml", Overrides(), settings)                     # or a dataset and its protocols:
    study = load_study("questions.csv", Overrides(protocols=("council",)), settings)

    study.study, study.arms, study.instances, study.estimate                    # to show before anything is spent
    study.rejected                                                              # lines left out, with their reasons
    await enter(store, study.entered(), study.rows(), study.prepared(), study.rejected)

* ``study_file``      the keys of a study file; ``files``: reading one, with options of the command line
* ``column_mapping``  from a record to a row; ``labels``: expected answers; ``rows``: all rows, and the rejected ones
* ``grid``            the arms
* ``inputs``          ids and workflow arguments; ``estimate``: the cost of each deliberation
* ``fingerprint``     the identity of a study
* ``load``            all of it together
"""

"""Activities: the calls to models, the ledger and the studies.

An activity never decides the next step of a workflow. Read in this order:

* ``call_model``         one call to one model: ``attempts``, ``heartbeats``, ``retry_posture`` (failures worth a retry)
* ``providers``          the endpoints: catalogue, request, stream, errors, prices
* ``reply_readers``      readers of replies by protocol, limited in time: ``brief_reading`` here, ``reader_process``
* ``schema_calls``       replies in a JSON schema; ``text_cleaning``: text without control characters
* ``ledger``             results and chapters of deliberations; ``ledger_errors``: store errors as Temporal failures
* ``studies``            instances of a study; ``study_copies``: a new study for each run of a schedule
* ``call_survey``        the waiting calls of a namespace, from which a study recognises an outage
* ``input_completion``   short inputs of other Temporal clients, completed
"""

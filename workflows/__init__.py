"""The workflows of deliberations and studies: the order of calls, timers, updates and ends.

A workflow may order things, draw from ``workflow.random()`` and log through ``workflow.logger``. It touches no network
and no disk, reads no settings, holds no prompt text and never interprets the text of a model.

* ``deliberation``, ``long_deliberation``: the base classes of all protocols' workflows
* one module for each protocol, named like it; the parts of the larger ones begin with its name: ``consensus_rounds``,
  ``debate_approvals``, ``fire_circle_classifier``
* ``seats``, ``shared_rounds``: the panel and its calls, and the rounds that a branch shares with its origin
* ``activity_calls``: all calls to activities, with their timeouts and retries; ``recording``: records for the ledger
* ``progress_board``, ``web_ui_details``, ``search_attributes``: the progress in queries and in the Web UI
* ``batch``, ``shard``, ``budget``, ``scheduled_study``: studies; ``child_workflows`` runs what they hold
* ``short_start``, ``unknown_type``: runs that other Temporal clients start
"""

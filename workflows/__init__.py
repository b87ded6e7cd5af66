"""Deliberations in time: who is asked when, what is waited for, and how it ends.

A line here may order things (rounds, fan-out, timers, updates), draw from ``workflow.random()`` and log through
``workflow.logger``. It touches no network and no disk, reads no settings, holds no prompt text and never interprets
what a model wrote.

* ``asking``    the one door to activities: ``ask`` one model, ``record`` what ended, ``keep`` and ``recall`` its words
* ``seating``   who sits where, asking a seat, replacing and stopping
* ``recording`` the ledger's entries, and closing undisturbed
* ``board``     what a person sees while it runs: progress, details and list columns
* ``columns``   the search attributes, typed
* ``details``   progress as Markdown for the Web UI
* ``council``   the council's schedule
* ``consensus`` the consensus as people meet it; its rounds are in ``loop``, the moments of a screen in ``moments``
* ``fire_circle`` the circle's schedule; ``baseline`` that of one model alone and of several without a dialogue
* ``classifier`` the model that names the types of a circle's patterns beside the dialogue
* ``debate``    the debate as people meet it; its rounds are in ``floor``, its waits for a person in ``gates``
* ``vote``, ``mixture`` the baselines of equal cost
* ``branching`` what a branch shares with the deliberation that it leaves
* ``batch``     the deliberations of a study, begun within a window and a budget; ``batch_details`` what is seen of it
* ``shard``     some instances of a study, each held to its end; ``children`` starts what it holds
* ``purse``     who may begin; ``purser`` a batch's dealings with it
* ``scheduled`` a study that a clock begins
"""

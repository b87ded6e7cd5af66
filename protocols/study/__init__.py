"""A study: many deliberations within a window and a budget.

An *arm* is one configuration of a deliberation: a protocol, a panel, its options. Every row of a dataset runs through
every arm, once or several times; each combination is an *instance* and becomes one deliberation. Questions stay in the
ledger: workflows exchange only numbers of instances and counts.

``model`` and ``messages`` have the values that the workflows of a study exchange. ``budget`` computes permits,
reservations and counts; ``outages`` and ``outage_pause`` pause a study while a provider is unavailable.
"""
